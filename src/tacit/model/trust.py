"""Trust in the fact file of a repository: what was accepted, and whether the file is still the person's own.

A person accepts the words of lines, which are in the log then and are never read from the file again. So they hold on
every branch, whether its file has the lines or not. A line with other words waits for a review, whatever was accepted
before. Trust in the whole file ends if others own it, or if more people can write it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tacit.model.claim import Claim, Provenance
from tacit.model.event import REPOSITORY, Attribution, ClaimProposed, Draft, Event, EventsUndone, Verdict
from tacit.model.ids import ClaimId, EventId
from tacit.model.memory import undone_ids
from tacit.model.observation import RepositoryDistrusted, RepositoryTrusted, TrustedLine
from tacit.record import Record

# The person vouched for the file, but the repository is the actor.
REPOSITORY_ATTRIBUTION = Attribution(REPOSITORY, Provenance.USER_FILE)


class FactFileTrust(Record):
    """The current trust in one fact file: what was accepted, and the operations that accepted it."""

    trusted: RepositoryTrusted
    event: Event
    operations: tuple[EventId, ...]


class FactFileLine(Record):
    """A line of a fact file: its claim, or the problem why it cannot be accepted.

    `kind_inferred` is set if the line names no kind that can be shared; `strength` is how often it says that the claim
    was stated, within bounds.
    """

    number: int
    sha256: str
    claim: Claim | None
    problem: str = ""
    kind_inferred: bool = False
    strength: int = 1


class FactFile(Record):
    """A fact file as it is on the disk."""

    path: str
    owner: int
    writers: int
    lines: tuple[FactFileLine, ...]


def current_trust(events: Iterable[Event]) -> dict[str, FactFileTrust]:
    """Return the current trust by path. `events` are in order and contain undone and undoing ones."""
    ordered = list(events)
    undone = undone_ids(ordered)
    trust: dict[str, FactFileTrust] = {}
    for event in ordered:
        if event.id in undone:
            continue
        if isinstance(event.body, RepositoryDistrusted):
            trust.pop(event.body.path, None)
        elif isinstance(event.body, RepositoryTrusted) and event.is_by_user:
            before = trust.get(event.body.path)
            operations = (*(before.operations if before else ()), event.op)
            trust[event.body.path] = FactFileTrust(event.body, event, operations)
    return trust


def trust_problem(trusted: RepositoryTrusted, owner: int, writers: int) -> str:
    """Return why the trust no longer holds in a file with this owner and these write bits, "" if it does."""
    if owner != trusted.owner:
        return "the file belongs to another user now"
    return "more people can write the file now" if writers & ~trusted.writers else ""


def trust_drafts(
    file: FactFile,
    new: Iterable[FactFileLine],
    before: RepositoryTrusted | None,
    evidence: str,
    known: Mapping[ClaimId, int],
) -> list[Draft]:
    """Accept the new lines of a file, with the kind and strength they state. What they state as source is ignored.

    `known` is the strength of claims that hold here: what a line says of them includes what was accepted or stated
    before, so that only more than that counts.
    """
    readable = {line.sha256: (line.claim, line) for line in new if line.claim is not None}
    lines = tuple(TrustedLine(claim.id, sha) for sha, (claim, _) in readable.items())
    trusted = RepositoryTrusted(file.path, file.owner, file.writers, (before.lines if before else ()) + lines)
    proposals = [
        ClaimProposed(
            claim,
            Verdict.ADDED,
            REPOSITORY,
            evidence,
            kind_inferred=line.kind_inferred,
            carried_strength=max(line.strength - known.get(claim.id, 0), 1) - 1,
        )
        for claim, line in readable.values()
    ]
    return [
        Draft(trusted, proposals[0].claim.scope),
        *(Draft(proposal, proposal.claim.scope, REPOSITORY_ATTRIBUTION) for proposal in proposals),
    ]


def distrust_drafts(trust: FactFileTrust, operations: Mapping[EventId, Iterable[Event]], reason: str) -> list[Draft]:
    """End the trust and undo everything that was accepted by it. `operations` has the events of each operation."""
    events = (event for op in trust.operations for event in operations[op])
    proposed = {event.id: event.body.claim.id for event in events if isinstance(event.body, ClaimProposed)}
    path, scope = trust.trusted.path, trust.event.scope
    undone = EventsUndone(tuple(proposed), tuple(dict.fromkeys(proposed.values())), f"trust in {path}: {reason}")
    return [Draft(RepositoryDistrusted(path, reason), scope), Draft(undone, scope)]
