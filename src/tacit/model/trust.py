"""What a repository brought, and whether what was accepted of it is still what lies there.

Trust is in lines: a line that was accepted holds as long as every accepted line is there unchanged. A new line waits;
one old line that changed or went takes all of them along. The order of lines means nothing (the file is kept sorted).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from tacit.model.claim import Claim, Provenance
from tacit.model.event import REPOSITORY, Attribution, ClaimProposed, Draft, Event, EventsUndone, Verdict
from tacit.model.ids import ClaimId, EventId
from tacit.model.memory import undone_ids
from tacit.model.observation import RepositoryDistrusted, RepositoryTrusted, TrustedLine
from tacit.record import Record

# Read from a file of the person's that they vouched for; the repository speaks, not the person.
REPOSITORY_ATTRIBUTION = Attribution(REPOSITORY, Provenance.USER_FILE)


class FactFileTrust(Record):
    """The trust in one fact file that stands: what was accepted, and the operations by which it was."""

    trusted: RepositoryTrusted
    event: Event
    operations: tuple[EventId, ...]


class FactFileLine(Record):
    """A line of a fact file: what it says, or why it cannot be accepted."""

    number: int
    sha256: str
    claim: Claim | None
    problem: str = ""


class FactFile(Record):
    """A fact file as it lies there."""

    path: str
    owner: int
    writers: int
    lines: tuple[FactFileLine, ...]


def current_trust(events: Iterable[Event]) -> dict[str, FactFileTrust]:
    """The trust that stands, by path. Events in order, takebacks among them."""
    ordered = list(events)
    void = undone_ids(ordered)
    standing: dict[str, FactFileTrust] = {}
    for event in ordered:
        if event.id in void:
            continue
        if isinstance(event.body, RepositoryDistrusted):
            standing.pop(event.body.path, None)
        elif isinstance(event.body, RepositoryTrusted) and event.is_by_user:
            before = standing.get(event.body.path)
            operations = (*(before.operations if before else ()), event.op)
            standing[event.body.path] = FactFileTrust(event.body, event, operations)
    return standing


def trust_problem(trusted: RepositoryTrusted, there: FactFile | None, is_live: Callable[[ClaimId], bool]) -> str:
    """Why the trust no longer holds; empty when it does. What was forgotten here may well be gone from the file."""
    if there is None:
        is_over = not any(is_live(ClaimId(line.claim)) for line in trusted.lines)
        return "" if is_over else "the file is gone or cannot be read"
    if there.owner != trusted.owner:
        return "the file belongs to another user now"
    if there.writers & ~trusted.writers:
        return "more people can write the file now"
    hashes = {line.sha256 for line in there.lines}
    missing = [line for line in trusted.lines if line.sha256 not in hashes and is_live(ClaimId(line.claim))]
    return f"{len(missing)} of {len(trusted.lines)} accepted lines changed or went" if missing else ""


def trust_drafts(
    there: FactFile, new: Iterable[FactFileLine], before: RepositoryTrusted | None, evidence: str
) -> list[Draft]:
    """Accept these lines. What they say of their own strength, source and kind counts for nothing."""
    claims = {line.sha256: line.claim for line in new if line.claim is not None}
    lines = (before.lines if before else ()) + tuple(TrustedLine(claim.id, sha) for sha, claim in claims.items())
    scope = next(iter(claims.values())).scope
    record = Draft(RepositoryTrusted(there.path, there.owner, there.writers, lines), scope)
    said = [ClaimProposed(claim, Verdict.ADDED, REPOSITORY, evidence) for claim in claims.values()]
    return [record, *(Draft(one, one.claim.scope, REPOSITORY_ATTRIBUTION) for one in said)]


def distrust_drafts(standing: FactFileTrust, operations: Mapping[EventId, Iterable[Event]], reason: str) -> list[Draft]:
    """End the trust: whatever came in by it counts as not said."""
    said = [event for op in standing.operations for event in operations[op] if isinstance(event.body, ClaimProposed)]
    claims = dict.fromkeys(event.body.claim.id for event in said if isinstance(event.body, ClaimProposed))
    label = f"trust in {standing.trusted.path}: {reason}"
    return [
        Draft(RepositoryDistrusted(standing.trusted.path, reason), standing.event.scope),
        Draft(EventsUndone(tuple(event.id for event in said), tuple(claims), label), standing.event.scope),
    ]
