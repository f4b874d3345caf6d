"""Memories and sessions as a ranking sees them, said in one line."""

from __future__ import annotations

from tacit.index.reader import MemoryRow
from tacit.index.sessions import SessionRow
from tacit.model.claim import GLOBAL, Claim, Scope, Status
from tacit.model.conflict import parse_stance
from tacit.model.ids import ClaimId, EventId, claim_id, event_id
from tacit.model.statement import claim_from

LAST = event_id(1, bytes(10))


def entry(sentence: str, scope: Scope = GLOBAL, *, strength: int = 1) -> MemoryRow:
    return entry_of(claim_from(sentence, scope), strength)


def entry_of(
    claim: Claim, strength: int = 1, last: EventId = LAST, at: str = "2026-02-03T10:00:00.000000Z"
) -> MemoryRow:
    """The row of an active memory."""
    said = (claim.id, claim.scope, claim.kind, Status.ACTIVE, claim.sentence, claim.tags)
    return MemoryRow(*said, strength, last, at, None, False, parse_stance(claim), said_at=at)


def row(title: str, outcome: str = "", *files: str, at: str = "2026-03-02T10:00:00.000000Z") -> SessionRow:
    own = ClaimId(claim_id("session", title))
    scope = Scope("project:example.org/kim/work")
    return SessionRow(
        id=own,
        agent="claude",
        host_session_id=title,
        scope=scope,
        started_at=at,
        ended_at=at,
        page_name=own,
        turn_count=1,
        title=title,
        outcome=outcome,
        files=files,
        request_key=title,
        compacted_at="",
    )
