"""The team's memories: the fold of its events, in the order of the server.

`apply` takes one event. It decides nothing that the server has not decided: who may accept is checked there, by roles
of the database. A memory is purged for good.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum

from tacit.model.ids import ClaimId
from tacit.record import Record
from tacit.team.events import Position, Proposal, TeamEvent, TeamVerb


class TeamStatus(Enum):
    """What the latest event made of a memory of the team."""

    WAITING = "waiting"
    ACCEPTED = "accepted"
    DECLINED = "declined"
    WITHDRAWN = "withdrawn"
    RETIRED = "retired"
    PURGED = "purged"


class Acceptance(Record):
    """A curator's acceptance of one proposal."""

    event: str
    by: str
    at: str
    proposal: Proposal


class TeamMemory(Record):
    """A memory of the team in one project.

    `proposals` are those that are neither withdrawn nor decided on, one of each author. `first_event` is the first
    proposal, by which the memory is purged on the server, and `first_author` who made it.
    """

    project: str
    id: ClaimId
    status: TeamStatus
    proposals: tuple[Proposal, ...] = ()
    acceptance: Acceptance | None = None
    decided_by: str = ""
    reason: str = ""
    first_event: str = ""
    first_author: str = ""

    @property
    def shown(self) -> Proposal | None:
        """The proposal whose words are shown: the accepted one, else the first that waits."""
        return self.acceptance.proposal if self.acceptance else next(iter(self.proposals), None)

    def proposal_of(self, author: str) -> Proposal | None:
        return next((proposal for proposal in self.proposals if proposal.author == author), None)


TeamMemories = Mapping[tuple[str, ClaimId], TeamMemory]


def fold_events(
    memories: TeamMemories, events: Iterable[TeamEvent], after: Position
) -> dict[tuple[str, ClaimId], TeamMemory]:
    """Return the memories after more events. Those at or before `after` are known already and are left out."""
    folded = dict(memories)
    for event in sorted(events, key=lambda event: event.position):
        if event.position > after:
            key = event.project, event.memory
            folded[key] = apply(folded.get(key), event)
    return folded


def apply(memory: TeamMemory | None, event: TeamEvent) -> TeamMemory:
    """Return the memory after one event."""
    known = memory or TeamMemory(event.project, event.memory, TeamStatus.WITHDRAWN)
    if known.status is TeamStatus.PURGED:
        return known
    if event.verb is TeamVerb.PROPOSED:
        return _propose(known, event)
    if event.verb is TeamVerb.WITHDRAWN:
        return _withdraw(known, event.author)
    if event.verb is TeamVerb.ACCEPTED:
        return _accept(known, event)
    return _end(known, event)


def _propose(memory: TeamMemory, event: TeamEvent) -> TeamMemory:
    memory = memory._replace(
        first_event=memory.first_event or event.id, first_author=memory.first_author or event.author
    )
    if event.proposal is None:
        return memory
    others = tuple(proposal for proposal in memory.proposals if proposal.author != event.author)
    return memory._replace(
        status=memory.status if memory.acceptance else TeamStatus.WAITING,
        proposals=(*others, event.proposal),
    )


def _withdraw(memory: TeamMemory, author: str) -> TeamMemory:
    """Take back what somebody proposed. What was accepted belongs to the team: a curator retires it."""
    others = tuple(proposal for proposal in memory.proposals if proposal.author != author)
    is_open = memory.acceptance is None and memory.status is TeamStatus.WAITING
    return memory._replace(status=TeamStatus.WITHDRAWN if is_open and not others else memory.status, proposals=others)


def _accept(memory: TeamMemory, event: TeamEvent) -> TeamMemory:
    """Accept the proposal that the curator read. One that is not there any more leaves the memory as it is."""
    proposal = next((proposal for proposal in memory.proposals if proposal.event == event.target), None)
    if proposal is None:
        return memory
    acceptance = Acceptance(event.id, event.author, event.at, proposal)
    return memory._replace(
        status=TeamStatus.ACCEPTED, proposals=(), acceptance=acceptance, decided_by=event.author, reason=""
    )


_ENDS = {
    TeamVerb.DECLINED: TeamStatus.DECLINED,
    TeamVerb.RETIRED: TeamStatus.RETIRED,
    TeamVerb.PURGED: TeamStatus.PURGED,
}


def _end(memory: TeamMemory, event: TeamEvent) -> TeamMemory:
    """Decline what waits, retire what was accepted, or purge either. No text is kept."""
    is_accepted = memory.acceptance is not None
    if (event.verb is TeamVerb.DECLINED and is_accepted) or (event.verb is TeamVerb.RETIRED and not is_accepted):
        return memory
    return memory._replace(
        status=_ENDS[event.verb], proposals=(), acceptance=None, decided_by=event.author, reason=event.reason
    )
