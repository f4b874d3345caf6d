"""What agents were told, and whether their sessions followed it: rows of `injected_memories` and `memory_checks`."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime

from tacit.index.postings import message_postings, session_start_id
from tacit.index.reader import Decode, MemoryRow, events_of_claim, memory_row
from tacit.index.sessions import injections_by_id
from tacit.model.claim import Kind, Status
from tacit.model.event import ClaimDecided, timestamp
from tacit.model.ids import ClaimId, EventId, event_milliseconds, first_event_id
from tacit.model.memory import effective_events
from tacit.model.observation import BriefInjected, MemoryChecked, session_id
from tacit.model.session import MIN_VIOLATIONS, Adherence, AdherenceCounts, rank_factor
from tacit.record import Record
from tacit.text.words import STEMS, query_terms

_COUNT_CHECKS = (
    "SELECT claim_id, sum(result = 'followed'), sum(result = 'violated'), sum(result = 'not_applicable'),"
    " sum(result = 'stopped'), sum(correction_id <> '') FROM memory_checks"
)


_BEARING_RESULTS = (Adherence.FOLLOWED, Adherence.VIOLATED, Adherence.STOPPED)
_MAX_POSTINGS = 5000  # of one word, the latest
MIN_TOLD = 5  # sessions that a memory was told in before the person is asked whether to go on


class CheckRow(Record):
    """The latest check of a memory against one session. `event` is the check."""

    claim: ClaimId
    session: ClaimId
    event: EventId
    result: Adherence
    call: EventId
    correction: EventId


# Writing


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


def first_injection(connection: sqlite3.Connection, claim: ClaimId, host_session_id: str) -> EventId | None:
    """Return when a session was told a memory first, None if it was not."""
    query = "SELECT min(event_id) FROM injected_memories WHERE claim_id = ? AND host_session_id = ?"
    first: EventId | None = connection.execute(query, (claim, host_session_id)).fetchone()[0]
    return first


def ineffective_claims(connection: sqlite3.Connection, decode: Decode) -> dict[ClaimId, list[CheckRow]]:
    """Return the active memories that telling did not help, with the checks that show it, the latest first.

    Since somebody last decided on such a memory, MIN_VIOLATIONS sessions violated it, or the person corrected it.
    """
    # In the terms of the SQL index `memory_checks_failed`: most checks fail nowhere.
    query = (
        "SELECT claim_id FROM memory_checks WHERE result = 'violated' OR correction_id <> '' GROUP BY claim_id"
        " HAVING sum(result = 'violated') >= ? OR max(correction_id) <> '' ORDER BY"
        " (SELECT max(event_id) FROM memory_checks AS checks WHERE checks.claim_id = memory_checks.claim_id) DESC"
    )
    ineffective: dict[ClaimId, list[CheckRow]] = {}
    for (claim,) in connection.execute(query, (MIN_VIOLATIONS,)).fetchall():
        row = memory_row(connection, ClaimId(claim))
        if row is None or row.status is not Status.ACTIVE:
            continue
        events = effective_events(events_of_claim(connection, row.id, decode))
        # A decision on a name in it is none on the memory.
        decisions = [event.id for event in events if isinstance(event.body, ClaimDecided) and not event.body.missing]
        decided = max(decisions, default="")
        checks = [check for check in checks_of_claim(connection, row.id) if check.event > decided]
        shown = [check for check in checks if check.result is Adherence.VIOLATED or check.correction]
        if len(shown) >= MIN_VIOLATIONS or any(check.correction for check in shown):
            ineffective[row.id] = shown
    return ineffective


def idle_claims(connection: sqlite3.Connection, decode: Decode) -> list[ClaimId]:
    """Return the active memories that were told in MIN_TOLD sessions and had to do with none, those told most first.

    A session has to do with a memory if a check says so, or if it has half of the words of the memory. The sessions
    since somebody last decided on the memory count.
    """
    query = (
        "SELECT claim_id FROM injected_memories GROUP BY claim_id HAVING count(DISTINCT host_session_id) >= ?"
        " ORDER BY count(DISTINCT host_session_id) DESC, claim_id"
    )
    idle = []
    for (claim,) in connection.execute(query, (MIN_TOLD,)).fetchall():
        row = memory_row(connection, ClaimId(claim))
        if row and row.status is Status.ACTIVE and row.overruled_by is None and _is_idle(connection, row, decode):
            idle.append(row.id)
    return idle


def _is_idle(connection: sqlite3.Connection, memory: MemoryRow, decode: Decode) -> bool:
    events = effective_events(events_of_claim(connection, memory.id, decode))
    decisions = (event for event in events if isinstance(event.body, ClaimDecided) and not event.body.missing)
    decided = max((event.id for event in decisions), default="")
    shown_to = connection.execute(
        "SELECT DISTINCT number, started_at FROM injected_memories JOIN sessions USING (host_session_id)"
        " WHERE claim_id = ? AND event_id > ?",
        (memory.id, decided),
    ).fetchall()
    if len(shown_to) < MIN_TOLD:
        return False
    checks = checks_of_claim(connection, memory.id)
    if any(check.correction or check.result in _BEARING_RESULTS for check in checks if check.event > decided):
        return False
    if memory.kind in (Kind.CONSTRAINT, Kind.RULE):  # whether such a one held is mostly not to be seen
        return sum(check.result is Adherence.NOT_APPLICABLE for check in checks if check.event > decided) >= MIN_TOLD
    starts = {session_start_id(date.fromisoformat(started_at[:10]), number) for number, started_at in shown_to}
    stems = {STEMS[word] for word in query_terms(memory.sentence)}
    shared: Counter[int] = Counter()
    for stem in stems:
        found = message_postings(connection, stem, _MAX_POSTINGS).by_session()
        shared.update(start for start, _ in found if start in starts)
    return bool(stems) and all(2 * count < len(stems) for count in shared.values())


def adjusted_relevance(
    connection: sqlite3.Connection, memories: Iterable[MemoryRow], relevance: Mapping[str, float]
) -> dict[str, float]:
    """Return the relevance of memories, changed by `rank_factor` where they were checked."""
    relevant = [memory for memory in memories if relevance.get(memory.id)]
    counts = counts_by_claim(connection, (memory.id for memory in relevant))
    factors = {memory.id: rank_factor(counts[memory.id], memory.kind) for memory in relevant if memory.id in counts}
    return {claim: share * factors.get(ClaimId(claim), 1.0) for claim, share in relevance.items()}


# Over time

_FOREVER = datetime.max.replace(tzinfo=UTC)
# A session counts when it ended; one that is not here, when it was checked.
_IN_TIME = "ended_at >= ? AND ended_at < ? OR ended_at IS NULL AND event_id >= ? AND event_id < ?"


def most_injected(connection: sqlite3.Connection, limit: int) -> list[tuple[ClaimId, int]]:
    """Return the memories that were injected in the most sessions, with the number of sessions."""
    query = (
        "SELECT claim_id, count(DISTINCT host_session_id) FROM injected_memories GROUP BY claim_id"
        " ORDER BY 2 DESC, 1 LIMIT ?"
    )
    return [(ClaimId(claim), number) for claim, number in connection.execute(query, (limit,))]


class CountedRow(Record):
    """A memory and a session that a figure counts, and when: of a session that is here, when that ended."""

    claim: ClaimId
    session: ClaimId
    at: str
    agent: str = ""
    host_session_id: str = ""


def injected_between(
    connection: sqlite3.Connection, decode: Decode, since: datetime, before: datetime = _FOREVER
) -> list[CountedRow]:
    """Return what sessions were told in this time, each memory once a session: what `recent_adherence` counts."""
    query = (
        "SELECT claim_id, injected_memories.host_session_id, min(event_id), id, ended_at, sessions.agent"
        " FROM injected_memories INDEXED BY injected_memories_event LEFT JOIN sessions USING (host_session_id)"
        " WHERE event_id >= ? AND event_id < ? GROUP BY 1, 2 ORDER BY 3 DESC"
    )
    rows = connection.execute(query, (first_event_id(since), first_event_id(before))).fetchall()
    return [
        CountedRow(ClaimId(claim), ClaimId(session), ended_at, agent, name)
        if session
        else _uncaptured_row(connection, decode, ClaimId(claim), name, EventId(event))
        for claim, name, event, session, ended_at, agent in rows
    ]


def _uncaptured_row(
    connection: sqlite3.Connection, decode: Decode, claim: ClaimId, name: str, event: EventId
) -> CountedRow:
    """Return the row of a session that was not captured: the injection knows its agent."""
    bodies = (one.body for one in injections_by_id(connection, decode, [event]))
    agent = next((body.agent for body in bodies if isinstance(body, BriefInjected)), "")
    return CountedRow(claim, session_id(agent, name), _time_of(event), agent, name)


def results_between(
    connection: sqlite3.Connection, result: Adherence, since: datetime, before: datetime = _FOREVER
) -> list[CountedRow]:
    """Return the memories that sessions had this result for in this time: what `recent_adherence` counts."""
    query = (
        "SELECT claim_id, session_id, event_id, ended_at FROM memory_checks"
        f" LEFT JOIN sessions ON sessions.id = session_id WHERE result = ? AND ({_IN_TIME}) ORDER BY event_id DESC"
    )
    rows = connection.execute(query, (result.value, *_time_values(since, before)))
    return [
        CountedRow(ClaimId(claim), ClaimId(session), ended_at or _time_of(EventId(event)))
        for claim, session, event, ended_at in rows
    ]


def _time_of(event: EventId) -> str:
    return timestamp(datetime.fromtimestamp(event_milliseconds(event) / 1000, UTC))


class RecentAdherence(Record):
    """In some time: how often agents were told a memory, in tokens, too, and how many checks found what."""

    injected: int
    tokens: int
    followed: int
    violated: int
    stopped: int


def recent_adherence(connection: sqlite3.Connection, since: datetime, before: datetime = _FOREVER) -> RecentAdherence:
    """Count what was told in this time, and what the checks of sessions that ended in it found.

    A memory counts once a session. A session that is checked again later stays where it was.
    """
    events = tuple(first_event_id(moment) for moment in (since, before))
    injected = (
        "SELECT count(*) FROM (SELECT DISTINCT claim_id, host_session_id"
        " FROM injected_memories INDEXED BY injected_memories_event WHERE event_id >= ? AND event_id < ?)"
    )
    tokens = (
        "SELECT coalesce(sum(amount), 0) FROM metrics WHERE name = 'tokens' AND event_id >= ? AND event_id < ?"
        " AND EXISTS (SELECT 1 FROM injected_memories WHERE injected_memories.event_id = metrics.event_id)"
    )
    found: Counter[str] = Counter()
    for _, result, number in checks_by_memory(connection, since, before):
        found[result] += number
    return RecentAdherence(
        connection.execute(injected, events).fetchone()[0],
        connection.execute(tokens, events).fetchone()[0],
        *(found[result.value] for result in (Adherence.FOLLOWED, Adherence.VIOLATED, Adherence.STOPPED)),
    )


def checks_by_memory(
    connection: sqlite3.Connection, since: datetime, before: datetime = _FOREVER
) -> list[tuple[ClaimId, Adherence, int]]:
    """Return how many sessions that ended in this time had which result for a memory, the most frequent first.

    A session that is not here counts when it was checked.
    """
    query = (
        "SELECT claim_id, result, count(*) FROM memory_checks LEFT JOIN sessions ON sessions.id = session_id"
        f" WHERE {_IN_TIME} GROUP BY 1, 2 ORDER BY 3 DESC, max(event_id) DESC"
    )
    rows = connection.execute(query, _time_values(since, before))
    return [(ClaimId(claim), Adherence(result), number) for claim, result, number in rows]


def _time_values(since: datetime, before: datetime) -> tuple[str, ...]:
    return timestamp(since), timestamp(before), first_event_id(since), first_event_id(before)


def _select_checks(connection: sqlite3.Connection, query: str, values: tuple[str, ...]) -> list[CheckRow]:
    return [
        CheckRow(
            ClaimId(claim), ClaimId(session), EventId(event), Adherence(result), EventId(call), EventId(correction)
        )
        for claim, session, event, result, call, correction in connection.execute(query, values)
    ]
