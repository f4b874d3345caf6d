"""Memories and sessions as a ranking sees them, said in one line."""

from __future__ import annotations

from tacit.index.reader import MemoryRow
from tacit.index.sessions import SessionRow
from tacit.model.claim import GLOBAL, Scope, Status
from tacit.model.conflict import parse_stance
from tacit.model.ids import ClaimId, claim_id, event_id
from tacit.model.statement import claim_from

LAST = event_id(1, bytes(10))


def entry(sentence: str, scope: Scope = GLOBAL, *, strength: int = 1) -> MemoryRow:
    claim = claim_from(sentence, scope)
    at = "2026-02-03T10:00:00.000000Z"
    return MemoryRow(
        claim.id,
        scope,
        claim.kind,
        Status.ACTIVE,
        claim.sentence,
        (),
        strength,
        LAST,
        at,
        None,
        False,
        parse_stance(claim),
    )


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
