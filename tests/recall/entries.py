"""Memories and sessions as a ranking sees them, said in one line."""

from __future__ import annotations

from tacit.index.reader import Entry
from tacit.index.sessions import Row
from tacit.model.claim import GLOBAL, Scope, Status
from tacit.model.conflict import stance
from tacit.model.ids import ClaimId, claim_id, event_id
from tacit.model.statement import claim_from

LAST = event_id(1, bytes(10))


def entry(sentence: str, scope: Scope = GLOBAL, *, strength: int = 1) -> Entry:
    claim = claim_from(sentence, scope)
    at = "2026-02-03T10:00:00.000000Z"
    return Entry(
        claim.id, scope, claim.kind, Status.ACTIVE, claim.sentence, (), strength, LAST, at, None, False, stance(claim)
    )


def row(title: str, outcome: str = "", *files: str, at: str = "2026-03-02T10:00:00.000000Z") -> Row:
    own = ClaimId(claim_id("session", title))
    scope = Scope("project:example.org/kim/work")
    return Row(
        id=own,
        agent="claude",
        name=title,
        scope=scope,
        began=at,
        at=at,
        key=own,
        turns=1,
        title=title,
        outcome=outcome,
        files=files,
        alike=title,
        compacted="",
    )
