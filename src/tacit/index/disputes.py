"""Memories as answers to questions, and the questions on which they differ."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

from tacit.core.claim import Claim, Kind
from tacit.core.conflict import Answer
from tacit.core.ids import ClaimId, EventId
from tacit.core.provenance import Provenance
from tacit.core.stance import Stance, opposed, stance

SELECT_ANSWERS = "SELECT id, question, answer, positive, exclusive, kind, provenance, last FROM memory"


def answers(rows: Iterable[Sequence[str | int]]) -> list[Answer]:
    """Rows of `SELECT_ANSWERS` as answers."""
    return [
        Answer(
            ClaimId(str(row[0])),
            Stance(str(row[1]), str(row[2]), bool(row[3]), bool(row[4])),
            Kind.named(str(row[5])),
            Provenance(int(row[6])),
            EventId(str(row[7])),
        )
        for row in rows
    ]


def stance_of(claim: Claim) -> Stance:
    """Its answer, to a question that is asked in its scope alone."""
    answer = stance(claim)
    return answer._replace(question=f"{claim.scope}\n{answer.question}")


def opposing(connection: sqlite3.Connection, claim: Claim) -> list[ClaimId]:
    """The active memories that cannot hold together with this claim."""
    own = stance_of(claim)
    known = answers(connection.execute(f"{SELECT_ANSWERS} WHERE question = ? ORDER BY number", (own.question,)))
    return [one.id for one in known if opposed(one.stance, own)]


def disputed(connection: sqlite3.Connection) -> list[list[Answer]]:
    """The questions on which active memories differ: their answers, question by question."""
    rows = connection.execute(
        "SELECT DISTINCT question FROM memory WHERE question IS NOT NULL AND (conflict OR overruled_by IS NOT NULL)"
        " ORDER BY question"
    ).fetchall()
    return [answers(connection.execute(f"{SELECT_ANSWERS} WHERE question = ? ORDER BY number", row)) for row in rows]
