"""From the team's memories to events of the home's log: what is added, and what is taken back.

The team's memories are compared with what the log has, not with what was read last, so it does not matter how often or
after which interruption this is done. A person's own judgement is never touched: what they took back by `tacit undo`
is not added again, and on what they spoke of the fold lets nobody else decide.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tacit.model.claim import Provenance, Scope
from tacit.model.event import TEAM, Attribution, ClaimProposed, Draft, Event, EventsUndone, Verdict, is_of_team
from tacit.model.ids import ClaimId, EventId
from tacit.model.memory import undone_ids
from tacit.record import Record
from tacit.team.events import Proposal
from tacit.team.memories import Acceptance, TeamMemory, TeamStatus

_LABEL = "what the team accepted"


class ClaimHistory(Record):
    """The events of the log that touch one claim, in order, with those that undo them."""

    claim: ClaimId
    events: tuple[Event, ...]

    @property
    def of_team(self) -> list[Event]:
        """The additions of the team, whether they count or not."""
        return [
            event for event in self.events if isinstance(event.body, ClaimProposed) and is_of_team(event.origin.actor)
        ]

    @property
    def counting(self) -> list[Event]:
        """The additions of the team that count."""
        undone = undone_ids(self.events)
        return [event for event in self.of_team if event.id not in undone]

    @property
    def is_own(self) -> bool:
        """Whether anybody but the team has said something about the claim that counts."""
        undone = undone_ids(self.events)
        return any(
            not is_of_team(event.origin.actor) and not isinstance(event.body, EventsUndone) and event.id not in undone
            for event in self.events
        )

    def was_undone_by_user(self, event: Event) -> bool:
        undos = (undo for undo in self.events if isinstance(undo.body, EventsUndone) and undo.is_by_user)
        return any(isinstance(undo.body, EventsUndone) and event.id in undo.body.targets for undo in undos)


def accepted_by_claim(memories: Iterable[TeamMemory], projects: frozenset[str]) -> dict[ClaimId, Acceptance]:
    """Return what should hold in this home: the acceptances of the projects that the person joined.

    A sentence that a purge of this home has scrubbed is not the one that was accepted any more.
    """
    return {
        memory.id: memory.acceptance
        for memory in memories
        if memory.status is TeamStatus.ACCEPTED
        and memory.acceptance
        and memory.acceptance.proposal.claim.id == memory.id
        and memory.project in projects
    }


def reconcile(accepted: Mapping[ClaimId, Acceptance], histories: Sequence[ClaimHistory]) -> list[Draft]:
    """Return the events that make the log say what the team accepted. `histories` has every claim of either side."""
    drafts = [
        addition(accepted[history.claim].proposal, accepted[history.claim])
        for history in histories
        if history.claim in accepted and _is_missing(history, accepted[history.claim])
    ]
    outdated = [
        event
        for history in histories
        for event in history.counting
        if history.claim not in accepted or not _records(event, accepted[history.claim])
    ]
    return [*_take_back(outdated), *drafts]


def _is_missing(history: ClaimHistory, acceptance: Acceptance) -> bool:
    recorded = [event for event in history.of_team if _records(event, acceptance)]
    counting = {event.id for event in history.counting}
    return not any(event.id in counting or history.was_undone_by_user(event) for event in recorded)


def _records(event: Event, acceptance: Acceptance) -> bool:
    return isinstance(event.body, ClaimProposed) and acceptance.event in event.body.events


def addition(proposal: Proposal, acceptance: Acceptance | None = None) -> Draft:
    """Return the addition of a claim in the name of its author."""
    reason = f"accepted by {acceptance.by}" if acceptance else ""
    events = (EventId(acceptance.event),) if acceptance else ()
    body = ClaimProposed(proposal.claim, Verdict.ADDED, TEAM, proposal.evidence, reason, events=events)
    return Draft(body, proposal.claim.scope, Attribution(f"{TEAM}:{proposal.author}", Provenance.USER_FILE))


def _take_back(events: Sequence[Event]) -> list[Draft]:
    """Undo additions of the team, scope by scope."""
    by_scope: dict[Scope, list[Event]] = {}
    for event in events:
        by_scope.setdefault(event.scope, []).append(event)
    drafts = []
    for scope, undone in by_scope.items():
        claims = dict.fromkeys(event.body.claim.id for event in undone if isinstance(event.body, ClaimProposed))
        body = EventsUndone(tuple(event.id for event in undone), tuple(claims), _LABEL)
        drafts.append(Draft(body, scope, Attribution(TEAM, Provenance.USER_FILE)))
    return drafts
