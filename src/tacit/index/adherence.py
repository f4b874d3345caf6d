"""What agents were told, and whether their sessions followed it: rows of `injected_memories` and `memory_checks`."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from tacit.model.adherence import MIN_VIOLATIONS, Adherence, AdherenceCounts
from tacit.model.event import Event
from tacit.model.ids import ClaimId, EventId
from tacit.model.observation import BriefInjected, MemoryChecked
from tacit.record import Record

_COUNT_CHECKS = (
    "SELECT claim_id, sum(result = 'followed'), sum(result = 'violated'), sum(result = 'not_applicable'),"
    " sum(correction_id <> '') FROM memory_checks"
)


class CheckRow(Record):
    """The latest check of a memory against one session. `event` is the check."""

    claim: ClaimId
    session: ClaimId
    event: EventId
    result: Adherence
    call: EventId
    correction: EventId


# Writing


def store_injected_memories(connection: sqlite3.Connection, event: Event) -> None:
    """Store which memories an injection told an agent. A brief that a person printed told none."""
    if isinstance(event.body, BriefInjected) and event.body.agent:
        rows = [(claim, event.id, event.origin.session) for claim in event.body.memories]
        connection.executemany("INSERT OR IGNORE INTO injected_memories VALUES (?, ?, ?)", rows)


def store_check(connection: sqlite3.Connection, event_id: EventId, body: MemoryChecked) -> None:
    """Store a check, unless a later one of the same memory and session is stored already."""
    connection.execute(
        "INSERT INTO memory_checks VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET event_id = excluded.event_id,"
        " result = excluded.result, call_id = excluded.call_id, correction_id = excluded.correction_id"
        " WHERE excluded.event_id > event_id",
        (body.claim, body.session, event_id, body.result, body.call, body.correction),
    )


# Reading


def checks_of_session(connection: sqlite3.Connection, session: ClaimId) -> dict[ClaimId, CheckRow]:
    """Return the checks of one session, by memory."""
    query = "SELECT * FROM memory_checks WHERE session_id = ?"
    return {row.claim: row for row in _select_checks(connection, query, (session,))}


def checks_of_claim(connection: sqlite3.Connection, claim: ClaimId) -> list[CheckRow]:
    """Return the checks of a memory, the latest first."""
    return _select_checks(connection, "SELECT * FROM memory_checks WHERE claim_id = ? ORDER BY event_id DESC", (claim,))


def adherence_counts(connection: sqlite3.Connection, claim: ClaimId) -> AdherenceCounts:
    """Return in how many sessions a memory was told, followed, violated, not applicable and corrected."""
    query = "SELECT count(DISTINCT host_session_id) FROM injected_memories WHERE claim_id = ?"
    injected: int = connection.execute(query, (claim,)).fetchone()[0]
    return counts_by_claim(connection, [claim]).get(claim, AdherenceCounts())._replace(injected=injected)


def counts_by_claim(connection: sqlite3.Connection, claims: Iterable[ClaimId]) -> dict[ClaimId, AdherenceCounts]:
    """Return the results of checks of those of these memories that were checked. `injected` is not counted."""
    counts: dict[ClaimId, AdherenceCounts] = {}
    for claim in claims:
        row = connection.execute(f"{_COUNT_CHECKS} WHERE claim_id = ? GROUP BY claim_id", (claim,)).fetchone()
        if row:
            counts[claim] = AdherenceCounts(0, *row[1:])
    return counts


def claims_to_review(connection: sqlite3.Connection) -> list[ClaimId]:
    """Return the memories that sessions violated often enough to ask about, and those that the person corrected."""
    query = (
        "SELECT claim_id FROM memory_checks GROUP BY claim_id"
        " HAVING sum(result = 'violated') >= ? OR max(correction_id) <> '' ORDER BY max(event_id) DESC"
    )
    return [ClaimId(claim) for (claim,) in connection.execute(query, (MIN_VIOLATIONS,))]


class RecentAdherence(Record):
    """Since some time: how often agents were told a memory, in tokens, too, and how many checks found what."""

    injected: int
    tokens: int
    followed: int
    violated: int


def recent_adherence(connection: sqlite3.Connection, since: EventId) -> RecentAdherence:
    """Count what was told and checked from the event id `since` on. A memory counts once a session."""
    injected = (
        "SELECT count(*) FROM (SELECT DISTINCT claim_id, host_session_id FROM injected_memories WHERE event_id >= ?)"
    )
    tokens = (
        "SELECT coalesce(sum(amount), 0) FROM metrics WHERE name = 'tokens' AND event_id >= ?"
        " AND event_id IN (SELECT event_id FROM injected_memories)"
    )
    checks = "SELECT count(*) FROM memory_checks WHERE event_id >= ? AND result = ?"
    return RecentAdherence(
        connection.execute(injected, (since,)).fetchone()[0],
        connection.execute(tokens, (since,)).fetchone()[0],
        connection.execute(checks, (since, Adherence.FOLLOWED.value)).fetchone()[0],
        connection.execute(checks, (since, Adherence.VIOLATED.value)).fetchone()[0],
    )


def _select_checks(connection: sqlite3.Connection, query: str, values: tuple[str, ...]) -> list[CheckRow]:
    return [
        CheckRow(
            ClaimId(claim), ClaimId(session), EventId(event), Adherence(result), EventId(call), EventId(correction)
        )
        for claim, session, event, result, call, correction in connection.execute(query, values)
    ]
