"""Trust in the fact file of a repository: what was accepted, and whether the file still has it.

A person accepts lines. They hold as long as every accepted line is in the file unchanged: a new line waits for a
review, and one accepted line that changed or went ends the trust in all. The order of lines does not matter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

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
    """A line of a fact file: its claim, or the problem why it cannot be accepted."""

    number: int
    sha256: str
    claim: Claim | None
    problem: str = ""


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


def trust_problem(trusted: RepositoryTrusted, file: FactFile | None, is_live: Callable[[ClaimId], bool]) -> str:
    """Return why the trust no longer holds, "" if it does.

    `file` is None if it cannot be read. Lines whose claim is not live here need not be in the file.
    """
    if file is None:
        return (
            "the file is gone or cannot be read" if any(is_live(ClaimId(line.claim)) for line in trusted.lines) else ""
        )
    if file.owner != trusted.owner:
        return "the file belongs to another user now"
    if file.writers & ~trusted.writers:
        return "more people can write the file now"
    hashes = {line.sha256 for line in file.lines}
    missing = [line for line in trusted.lines if line.sha256 not in hashes and is_live(ClaimId(line.claim))]
    return f"{len(missing)} of {len(trusted.lines)} accepted lines changed or went" if missing else ""


def trust_drafts(
    file: FactFile, new: Iterable[FactFileLine], before: RepositoryTrusted | None, evidence: str
) -> list[Draft]:
    """Accept the new lines of a file. What they state as their strength, source and kind is ignored."""
    claims = {line.sha256: line.claim for line in new if line.claim is not None}
    lines = (before.lines if before else ()) + tuple(TrustedLine(claim.id, sha) for sha, claim in claims.items())
    trusted = RepositoryTrusted(file.path, file.owner, file.writers, lines)
    proposals = (ClaimProposed(claim, Verdict.ADDED, REPOSITORY, evidence) for claim in claims.values())
    return [
        Draft(trusted, next(iter(claims.values())).scope),
        *(Draft(proposal, proposal.claim.scope, REPOSITORY_ATTRIBUTION) for proposal in proposals),
    ]


def distrust_drafts(trust: FactFileTrust, operations: Mapping[EventId, Iterable[Event]], reason: str) -> list[Draft]:
    """End the trust and undo everything that was accepted by it. `operations` has the events of each operation."""
    events = (event for op in trust.operations for event in operations[op])
    proposed = {event.id: event.body.claim.id for event in events if isinstance(event.body, ClaimProposed)}
    path, scope = trust.trusted.path, trust.event.scope
    undone = EventsUndone(tuple(proposed), tuple(dict.fromkeys(proposed.values())), f"trust in {path}: {reason}")
    return [Draft(RepositoryDistrusted(path, reason), scope), Draft(undone, scope)]
