"""Queries of memories, pages, projects and trust. Rows become values in this module."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter

from tacit.index.postings import FIRST_PAGE_ID, start_id_of
from tacit.model.claim import KIND_RANK, Kind, Provenance, Scope, Stance, Status
from tacit.model.event import ClaimDecided, Event, Verdict
from tacit.model.ids import CLAIM_ID_LENGTH, ClaimId, EventId, claim_number
from tacit.record import Record

TYPE_CHECKING = False

if TYPE_CHECKING:  # hooks do not load it
    from typing import Literal

    from tacit.model.memory import Memory

# Parses a line of the log. It raises for None, which `event_line` returns for an event that is referred to and missing:
# the index is damaged then.
Decode = Callable[[bytes], Event]

EVENT_LINE = "event_line(events.id, segment, offset, length, raw)"  # the line of an event as bytes: see database.py
_MEMORY_COLUMNS = (
    "id, scope, kind, status, sentence, tags, strength, last_event_id, updated_at, overruled_by_id, is_conflicting,"
    " question, answer, is_positive, is_exclusive, provenance, author, said_at"
)
_PAGE_COLUMNS = "event_id, kind, scope, page_name, created_at, title"
_FROM_CLAIM_EVENTS = "FROM claim_events LEFT JOIN events ON events.id = event_id WHERE claim_id = ? ORDER BY event_id"
FROM_ALL_CLAIM_EVENTS = "FROM claim_events LEFT JOIN events ON events.id = event_id ORDER BY claim_id"
_FROM_EVENTS_OF_CLAIMS = (
    "FROM claim_events LEFT JOIN events ON events.id = event_id"
    " WHERE claim_id IN (SELECT value FROM json_each(?)) ORDER BY claim_id, event_id"
)
_KIND_RANK_CASES = " ".join(f"WHEN '{kind.label}' THEN {rank}" for kind, rank in KIND_RANK.items())
_KIND_RANK_SQL = f"CASE kind {_KIND_RANK_CASES} ELSE 99 END"
# The most important first. Prompts wait for it, so an SQL index has this order: see writer.py.
IMPORTANCE_ORDER = f"{_KIND_RANK_SQL}, strength DESC, last_event_id DESC"
IS_OPEN_RULING = "rule IN ('UNDECIDED', 'MAY_CONTRADICT')"
IS_RULED = "is_conflicting OR overruled_by_id IS NOT NULL"  # the condition of the SQL index `memories_ruled`
IS_EFFECTIVE = "status = 'active' AND overruled_by_id IS NULL"
# Parts of one query: the SQL index `memories_latest` has the order of each status, and not of all together.
_LATEST_OF_STATUS = (
    "SELECT * FROM (SELECT id, doc_id, last_event_id FROM memories WHERE status = ?"
    " ORDER BY last_event_id DESC, doc_id DESC LIMIT ?)"
)
# The condition of the SQL index `memories_candidates`, which has the order of cards. The plus keeps SQLite from using
# another index, which would have to be sorted.
IS_CANDIDATE = "+status = 'pending' AND NOT is_habit"
# In the terms of the SQL index `memories_importance`, so that SQLite uses it here too.
IS_TRIAL = "type IN ('trial.started', 'trial.ended')"  # of an event, in the terms of the SQL index
_WHERE_RULE = f"WHERE scope = ? AND {IS_EFFECTIVE} AND {_KIND_RANK_SQL} <= {KIND_RANK[Kind.RULE]}"
# The rules since an event are few, and the SQL index `memories_scope` has them in a row.
_WHERE_NEW_RULE = (
    "WHERE doc_id IN (SELECT doc_id FROM memories WHERE scope = ? AND status = 'active' AND last_event_id > ?)"
    f" AND overruled_by_id IS NULL AND {_KIND_RANK_SQL} <= {KIND_RANK[Kind.RULE]}"
)
_RULE_KINDS = ", ".join(f"'{kind.label}'" for kind, rank in KIND_RANK.items() if rank <= KIND_RANK[Kind.RULE])
_COUNT_RULES = (
    "SELECT coalesce((SELECT sum(memory_count) FROM memory_counts"
    f" WHERE scope = ?1 AND status = 'active' AND kind IN ({_RULE_KINDS})), 0)"
    f" - (SELECT count(*) FROM memories WHERE ({IS_RULED}) AND overruled_by_id IS NOT NULL"
    f" AND +scope = ?1 AND +status = 'active' AND +kind IN ({_RULE_KINDS}))"
)
_WHERE_OPPOSED = "WHERE doc_id IN (SELECT opponent_doc_id FROM opposed_pairs WHERE doc_id = ?)"
_FROM_TRUST = "FROM events WHERE type IN ('repository.trusted', 'repository.distrusted')"
SELECT_UNDONE = f"SELECT {EVENT_LINE} FROM events WHERE type = 'judgement.undone'"


class MemoryRow(Record):
    """What lists and rankings need of a memory."""

    id: ClaimId
    scope: Scope
    kind: Kind
    status: Status
    sentence: str
    tags: tuple[str, ...]
    strength: int
    last_event: EventId
    at: str
    overruled_by: ClaimId | None
    is_conflicting: bool
    stance: Stance
    provenance: Provenance = Provenance.USER_DIRECT
    author: str = ""  # of the team: "alice, accepted by bob"
    said_at: str = ""  # when it was last said; `at` is when it was last judged


class PageRow(Record):
    """An entry of the worklog, an evaluation or a turn of a session."""

    event: EventId
    kind: str
    scope: Scope
    page_name: str
    at: str
    title: str


class LoggedEvent(Record):
    """An event and its line in the log."""

    event: Event
    segment: str
    line: int


def select_events(
    connection: sqlite3.Connection, decode: Decode, query: str, values: Sequence[str | int] = ()
) -> list[Event]:
    """Run a query whose only column is the line of an event."""
    return [decode(raw) for (raw,) in connection.execute(query, values)]


def ids_with_prefix(
    connection: sqlite3.Connection, table: Literal["memories", "sessions"], prefix: str, limit: int
) -> list[ClaimId]:
    """Return ids of a table that begin with `prefix`, in order."""
    first, last = (claim_number(ClaimId(prefix.ljust(CLAIM_ID_LENGTH, letter))) for letter in "0z")
    query = {
        "memories": "SELECT id FROM memories WHERE doc_id BETWEEN ? AND ? ORDER BY doc_id LIMIT ?",
        "sessions": "SELECT id FROM sessions WHERE number BETWEEN ? AND ? ORDER BY number LIMIT ?",
    }[table]
    return select_ids(connection, query, first, last, limit)


# Rows of memories


def select_ids(connection: sqlite3.Connection, query: str, *values: str | int) -> list[ClaimId]:
    """Run a query whose only column is the id of a memory or session."""
    return [ClaimId(claim) for (claim,) in connection.execute(query, values)]


def memory_ids(connection: sqlite3.Connection) -> list[ClaimId]:
    """Return the ids of all memories, in their order."""
    return select_ids(connection, "SELECT id FROM memories ORDER BY doc_id")


def memory_rows(connection: sqlite3.Connection, *, status: Status | None = None) -> Iterator[MemoryRow]:
    """Yield all memories, or those of one status, by id."""
    where, values = ("WHERE status = ?", (status.value,)) if status else ("", ())
    return _select_memories(connection, f"{where} ORDER BY doc_id", values)


def claims_first_named_since(connection: sqlite3.Connection, since: EventId, status: Status) -> list[ClaimId]:
    """Return the memories of a status that no event before this one named, the earliest first."""
    query = "SELECT id FROM memories WHERE status = ? AND first_event_id >= ? ORDER BY first_event_id"
    return select_ids(connection, query, status.value, since)


def claims_decided_since(
    connection: sqlite3.Connection, since: EventId, verdicts: Iterable[Verdict], decode: Decode
) -> list[ClaimId]:
    """Return the memories that an event from this one on gave one of these verdicts, in the order of the events."""
    names = json.dumps([verdict.value for verdict in verdicts])
    query = (
        f"SELECT {EVENT_LINE} FROM events WHERE id >= ? AND type IN (SELECT value FROM json_each(?)) ORDER BY events.id"
    )
    events = select_events(connection, decode, query, (since, names))
    return [event.body.claim.id for event in events if isinstance(event.body, ClaimDecided)]


def decided_rows_of_kind(connection: sqlite3.Connection, kind: Kind) -> Iterator[MemoryRow]:
    """Yield all memories of one kind that are not pending."""
    for status in Status:
        if status is not Status.PENDING:
            yield from _select_memories(connection, "WHERE status = ? AND kind = ?", (status.value, kind.label))


def effective_rows_of_kind(
    connection: sqlite3.Connection, scopes: Iterable[Scope], kind: Kind, limit: int
) -> list[MemoryRow]:
    """Return the effective memories of one kind in these scopes, the strongest of each scope first."""
    tail = f"WHERE scope = ? AND {IS_EFFECTIVE} AND kind = ? ORDER BY {IMPORTANCE_ORDER} LIMIT ?"
    return [row for scope in scopes for row in _select_memories(connection, tail, (scope, kind.label, limit))]


def habit_claims(connection: sqlite3.Connection, status: Status) -> list[ClaimId]:
    """Return the memories of a status that were counted in commands, by id."""
    return select_ids(connection, "SELECT id FROM memories WHERE is_habit AND status = ? ORDER BY doc_id", status.value)


def memory_row(connection: sqlite3.Connection, claim: ClaimId) -> MemoryRow | None:
    """Return the row of a memory, None if there is none."""
    return next(_select_memories(connection, "WHERE doc_id = ?", (claim_number(claim),)), None)


def leading_memories(connection: sqlite3.Connection, scopes: Iterable[Scope], limit: int) -> list[MemoryRow]:
    """Return the most important effective memories of each scope: the first that a brief takes, whatever the task."""
    tail = f"WHERE scope = ? AND {IS_EFFECTIVE} ORDER BY {IMPORTANCE_ORDER} LIMIT ?"
    return [row for scope in scopes for row in _select_memories(connection, tail, (scope, limit))]


def waiting_memories(connection: sqlite3.Connection, scopes: Iterable[Scope], limit: int) -> list[MemoryRow]:
    """Return the latest suggestions of each scope. Habits, and what nobody here vouches for, are left out."""
    tail = f"WHERE {IS_CANDIDATE} AND scope = ? AND provenance > ? ORDER BY last_event_id DESC, doc_id DESC LIMIT ?"
    values = int(Provenance.EXTERNAL), limit
    return [row for scope in scopes for row in _select_memories(connection, tail, (scope, *values))]


def leading_rules(
    connection: sqlite3.Connection, scopes: Iterable[Scope], limit: int, since: str = ""
) -> list[MemoryRow]:
    """Return the most important constraints and rules of each scope. `since` is an event id: only memories that were
    asserted after it are returned."""
    where, values = (_WHERE_NEW_RULE, (since, limit)) if since else (_WHERE_RULE, (limit,))
    tail = f"{where} ORDER BY {IMPORTANCE_ORDER} LIMIT ?"
    return [row for scope in scopes for row in _select_memories(connection, tail, (scope, *values))]


def count_rules(connection: sqlite3.Connection, scopes: Iterable[Scope]) -> int:
    """Count the effective constraints and rules of these scopes: the active ones without those that are overruled."""
    return sum(connection.execute(_COUNT_RULES, (scope,)).fetchone()[0] for scope in scopes)


def team_claims(connection: sqlite3.Connection) -> list[ClaimId]:
    """Return the memories that are active because a team accepted them."""
    return select_ids(connection, "SELECT id FROM memories WHERE author <> ''")


def memories_overruled_by(connection: sqlite3.Connection, winner: MemoryRow) -> list[MemoryRow]:
    """Return the memories that lost against this one."""
    tail = f"{_WHERE_OPPOSED} AND overruled_by_id = ? ORDER BY doc_id"
    return list(_select_memories(connection, tail, (claim_number(winner.id), winner.id)))


def rows_by_doc_id(connection: sqlite3.Connection, doc_ids: Sequence[int]) -> dict[int, MemoryRow | PageRow]:
    """Return the memories and pages of documents. A message of a session maps to the page of its turn."""
    rows: dict[int, MemoryRow | PageRow] = {}
    query = (
        f"SELECT {_PAGE_COLUMNS} FROM pages WHERE doc_id BETWEEN ? AND ? AND NOT is_hidden ORDER BY doc_id DESC LIMIT 1"
    )
    for doc_id in doc_ids:
        if doc_id < 0 and (row := connection.execute(query, (start_id_of(doc_id), doc_id)).fetchone()):
            rows[doc_id] = _parse_page_row(row)
    if memories := [doc_id for doc_id in doc_ids if 0 <= doc_id < FIRST_PAGE_ID]:
        query = f"SELECT doc_id, {_MEMORY_COLUMNS} FROM memories WHERE doc_id IN (SELECT value FROM json_each(?))"
        selected = connection.execute(query, (json.dumps(memories),))
        rows.update((row[0], _parse_memory_row(row[1:])) for row in selected)
    if pages := [doc_id for doc_id in doc_ids if doc_id >= FIRST_PAGE_ID]:
        query = (
            f"SELECT doc_id, {_PAGE_COLUMNS} FROM pages"
            " WHERE doc_id IN (SELECT value FROM json_each(?)) AND NOT is_hidden"
        )
        rows.update((row[0], _parse_page_row(row[1:])) for row in connection.execute(query, (json.dumps(pages),)))
    return rows


_SELECT_STATUSES = """SELECT doc_id, status FROM memories WHERE doc_id IN (SELECT value FROM json_each(?1))
  AND (?2 OR (status IN ('active', 'pending') AND overruled_by_id IS NULL))
  AND (?3 IS NULL OR scope IN (SELECT value FROM json_each(?3)))
  AND (?4 IS NULL OR kind = ?4) AND (?5 IS NULL OR updated_at >= ?5)"""


def memory_statuses(
    connection: sqlite3.Connection,
    doc_ids: Sequence[int],
    *,
    scopes: Iterable[Scope] | None = None,
    kind: str | None = None,
    since: str | None = None,
    everything: bool = False,
) -> dict[int, str]:
    """Return the status of those memories that pass the filters.

    `since` is the earliest time of the last change. Unless `everything` is set, only active and pending memories that
    are not overruled pass.
    """
    wanted_scopes = None if scopes is None else json.dumps(sorted(scopes))
    values = (json.dumps(doc_ids), everything, wanted_scopes, kind, since)
    return dict(connection.execute(_SELECT_STATUSES, values))


def claim_ids_with_prefix(connection: sqlite3.Connection, prefix: str, limit: int = 10) -> list[ClaimId]:
    """Return memories whose ids begin with `prefix`, in order."""
    return ids_with_prefix(connection, "memories", prefix, limit)


_SELECT_NEIGHBOURS = """
  SELECT * FROM (SELECT id FROM memories WHERE doc_id < :own ORDER BY doc_id DESC LIMIT 1)
  UNION ALL SELECT * FROM (SELECT id FROM memories WHERE doc_id > :own ORDER BY doc_id LIMIT 1)
"""


def short_id(connection: sqlite3.Connection, claim: ClaimId, length: int = 4) -> str:
    """Return the shortest unique prefix of an id, at least `length` characters.

    Comparing doc ids alone would be faster, but would not notice a lost page of the file, which leaves doc ids
    without ids.
    """
    neighbours = connection.execute(_SELECT_NEIGHBOURS, {"own": claim_number(claim)}).fetchall()
    while any(neighbour.startswith(claim[:length]) for (neighbour,) in neighbours):
        length += 1
    return claim[:length]


# Memories folded from their events


def load_memory(connection: sqlite3.Connection, claim: ClaimId, decode: Decode) -> Memory | None:
    """Fold a memory from its events. None if no event of it counts."""
    from tacit.model.memory import fold_memory

    return fold_memory(events_of_claim(connection, claim, decode), claim)


def load_memories(
    connection: sqlite3.Connection, decode: Decode, claims: Sequence[ClaimId] | None = None
) -> Iterator[Memory]:
    """Yield all memories, or those of `claims`, by id, in one pass over their events."""
    from tacit.model.memory import fold_memory

    values = [] if claims is None else [json.dumps(claims)]
    query = f"SELECT claim_id, {EVENT_LINE} {FROM_ALL_CLAIM_EVENTS if claims is None else _FROM_EVENTS_OF_CLAIMS}"
    for claim, rows in groupby(connection.execute(query, values), key=itemgetter(0)):
        memory = fold_memory([decode(raw) for _, raw in rows], ClaimId(claim))
        if memory is not None:
            yield memory


def events_of_claim(connection: sqlite3.Connection, claim: ClaimId, decode: Decode) -> list[Event]:
    """Return the events of a claim, in order."""
    return select_events(connection, decode, f"SELECT {EVENT_LINE} {_FROM_CLAIM_EVENTS}", (claim,))


def logged_events_of_claim(connection: sqlite3.Connection, claim: ClaimId, decode: Decode) -> list[LoggedEvent]:
    """Return the events of a claim with their positions in the log, in order."""
    rows = connection.execute(f"SELECT {EVENT_LINE}, segment, line {_FROM_CLAIM_EVENTS}", (claim,))
    return [LoggedEvent(decode(raw), segment, line) for raw, segment, line in rows]


def claims_by_source_event(connection: sqlite3.Connection, claims: Sequence[ClaimId]) -> dict[EventId, ClaimId]:
    """Map the events of sessions that these memories were learned from to the memories."""
    query = "SELECT event_id, claim_id FROM claim_sources WHERE claim_id IN (SELECT value FROM json_each(?))"
    return {EventId(event): ClaimId(claim) for event, claim in connection.execute(query, (json.dumps(claims),))}


# What pages show


def latest_entry_ids(connection: sqlite3.Connection, limit: int) -> list[ClaimId]:
    """Return the memories that the page for people shows, those that changed last first."""
    statuses = (Status.ACTIVE, Status.PENDING, Status.RETIRED)
    subquery = f"{_LATEST_OF_STATUS} UNION ALL {_LATEST_OF_STATUS} UNION ALL {_LATEST_OF_STATUS}"
    query = f"SELECT id FROM ({subquery}) ORDER BY last_event_id DESC, doc_id DESC LIMIT ?"
    return select_ids(connection, query, *(value for status in statuses for value in (status.value, limit)), limit)


def latest_fact_ids(connection: sqlite3.Connection, scope: Scope, limit: int) -> list[ClaimId]:
    """Return the facts of a scope, those that changed last first."""
    where, order = f"WHERE scope = ? AND {IS_EFFECTIVE}", "ORDER BY last_event_id DESC, doc_id DESC"
    return select_ids(connection, f"SELECT id FROM memories {where} {order} LIMIT ?", scope, limit)


def dismissed_ids(connection: sqlite3.Connection) -> list[ClaimId]:
    """Return the memories that no page shows."""
    return select_ids(connection, "SELECT id FROM memories WHERE status = ?", Status.DISMISSED.value)


def ended_fact_ids(connection: sqlite3.Connection, scope: Scope) -> list[ClaimId]:
    """Return the memories of a scope that are no facts."""
    return select_ids(connection, f"SELECT id FROM memories WHERE scope = ? AND NOT ({IS_EFFECTIVE})", scope)


def shared_ids(connection: sqlite3.Connection, scope: Scope) -> list[ClaimId]:
    """Return the effective memories of a project that the person shared: those with a line in its fact file."""
    query = f"SELECT id FROM memories WHERE scope = ? AND is_shared AND {IS_EFFECTIVE} ORDER BY id"
    return select_ids(connection, query, scope)


def rulings(connection: sqlite3.Connection, claims: Sequence[ClaimId]) -> dict[ClaimId, tuple[ClaimId | None, bool]]:
    """Return by which memory each of these is overruled, if any, and whether it is in a conflict."""
    query = "SELECT id, overruled_by_id, is_conflicting FROM memories WHERE doc_id IN (SELECT value FROM json_each(?))"
    rows = connection.execute(query, (json.dumps([claim_number(claim) for claim in claims]),))
    return {ClaimId(claim): (ClaimId(winner) if winner else None, bool(conflict)) for claim, winner, conflict in rows}


def is_in_ruling(connection: sqlite3.Connection, claim: ClaimId) -> bool:
    """Return whether a memory contradicts another one, or may do so."""
    query = "SELECT 1 FROM rulings WHERE winner_doc_id = ?1 OR loser_doc_id = ?1"
    return connection.execute(query, (claim_number(claim),)).fetchone() is not None


# Scopes and counts


def all_scopes(connection: sqlite3.Connection) -> list[Scope]:
    """Return the scopes of all memories, sorted."""
    return [Scope(scope) for (scope,) in connection.execute("SELECT DISTINCT scope FROM memory_counts ORDER BY scope")]


def is_scope_used(connection: sqlite3.Connection, scope: Scope, status: Status | None = None) -> bool:
    """Whether a scope has memories (of this status)."""
    query = "SELECT 1 FROM memory_counts WHERE scope = ? AND status = coalesce(?, status) LIMIT 1"
    return connection.execute(query, (scope, status.value if status else None)).fetchone() is not None


def count_by(
    connection: sqlite3.Connection, column: Literal["status", "kind"], status: Status | None = None
) -> dict[str, int]:
    """Count memories, or those of one status, by status or kind."""
    query = f"SELECT {column}, sum(memory_count) FROM memory_counts WHERE status = coalesce(?, status) GROUP BY 1"
    return dict(connection.execute(query, (status and status.value,)).fetchall())


def pending_by_kind_and_scope(connection: sqlite3.Connection) -> dict[tuple[str, Scope], int]:
    """Count pending memories by kind and scope."""
    query = "SELECT kind, scope, sum(memory_count) FROM memory_counts WHERE status = 'pending' GROUP BY 1, 2"
    return {(kind, Scope(scope)): number for kind, scope, number in connection.execute(query)}


def count_habits(connection: sqlite3.Connection) -> dict[str, int]:
    """Count the memories that were counted in commands, by status."""
    query = "SELECT status, sum(memory_count) FROM memory_counts WHERE is_habit GROUP BY 1"
    return dict(connection.execute(query).fetchall())


def has_checks(connection: sqlite3.Connection) -> bool:
    """Return whether any memory was checked against a session."""
    return connection.execute("SELECT 1 FROM memory_checks LIMIT 1").fetchone() is not None


def has_trials(connection: sqlite3.Connection) -> bool:
    """Return whether there was ever a trial of a memory. Almost no home has one, and hooks ask."""
    return connection.execute(f"SELECT 1 FROM events WHERE {IS_TRIAL} LIMIT 1").fetchone() is not None


def usage_metrics(connection: sqlite3.Connection) -> dict[str, int]:
    """Return the sums of the metrics `asked`, `missed`, `briefs` and `tokens`."""
    return dict(connection.execute("SELECT name, amount FROM metric_totals").fetchall())


# Pages, projects, trust, operations


def count_pages(connection: sqlite3.Connection, kind: str) -> int:
    """Count the pages of a kind that are not hidden."""
    query = "SELECT count(*) FROM pages WHERE kind = ? AND NOT is_hidden"
    count: int = connection.execute(query, (kind,)).fetchone()[0]
    return count


def page_events(connection: sqlite3.Connection, kind: str, day: str, decode: Decode) -> list[Event]:
    """Return the events of one day's page that are not hidden, in order."""
    query = (
        f"SELECT {EVENT_LINE} FROM pages LEFT JOIN events ON events.id = event_id"
        " WHERE kind = ? AND page_name = ? AND NOT is_hidden ORDER BY event_id"
    )
    return select_events(connection, decode, query, (kind, day))


def page_names(connection: sqlite3.Connection, kind: str) -> list[str]:
    """Return the names of the pages of a kind: the name of each session's page, else the days that have a page."""
    if kind == "session":
        rows = connection.execute("SELECT page_name FROM sessions ORDER BY page_name")
    else:
        query = "SELECT DISTINCT page_name FROM pages WHERE kind = ? AND NOT is_hidden ORDER BY page_name"
        rows = connection.execute(query, (kind,))
    return [name for (name,) in rows]


def last_page_name(connection: sqlite3.Connection, kind: str) -> str | None:
    """Return the last day that has a page of a kind, None if there is none."""
    query = "SELECT page_name FROM pages WHERE kind = ? AND NOT is_hidden ORDER BY page_name DESC LIMIT 1"
    row = connection.execute(query, (kind,)).fetchone()
    return row[0] if row else None


def project_roots(connection: sqlite3.Connection, scope: Scope) -> list[str]:
    """Return the directories in which a project was seen, sorted."""
    query = "SELECT root FROM project_roots WHERE scope = ? ORDER BY root"
    return [root for (root,) in connection.execute(query, (scope,))]


def trust_events(connection: sqlite3.Connection, decode: Decode) -> list[Event]:
    """Return all events about trust in repositories, and all undos, in order. Empty if there is none about trust."""
    events = select_events(connection, decode, f"SELECT {EVENT_LINE} {_FROM_TRUST}")
    return events and sorted(events + select_events(connection, decode, SELECT_UNDONE), key=lambda event: event.id)


def has_trust_events(connection: sqlite3.Connection) -> bool:
    """Whether `trust_events` returns any."""
    return connection.execute(f"SELECT 1 {_FROM_TRUST} LIMIT 1").fetchone() is not None


def fact_file_signatures(connection: sqlite3.Connection) -> dict[str, str]:
    """Return the signatures of trusted fact files at their last comparison, by path."""
    return dict(connection.execute("SELECT path, signature FROM fact_files").fetchall())


def operation_events(connection: sqlite3.Connection, op: EventId, decode: Decode) -> list[Event]:
    """Return the events of one operation, in order."""
    query = f"SELECT {EVENT_LINE} FROM events WHERE id = ?1 OR operation_id = ?1 ORDER BY id"
    return select_events(connection, decode, query, (op,))


# The state of the index itself


def complete_folders(connection: sqlite3.Connection) -> dict[str, int]:
    """Return the folders that had all their pages, with the time of their last change before that in nanoseconds."""
    rows = connection.execute("SELECT name, value FROM meta WHERE name >= 'complete ' AND name < 'complete!'")
    return {name.partition(" ")[2]: int(value) for name, value in rows}


def stale_views(connection: sqlite3.Connection) -> list[str]:
    """Return the names of the views that must be written again."""
    return [view for (view,) in connection.execute("SELECT name FROM stale_views ORDER BY name")]


def has_stale_views(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT 1 FROM stale_views LIMIT 1").fetchone() is not None


def log_cursors(connection: sqlite3.Connection) -> dict[str, tuple[int, int, str]]:
    """Return how far each segment of the log was read: offset, number of lines and tail."""
    rows = connection.execute("SELECT segment, offset, lines, tail FROM log_cursors")
    return {segment: (offset, lines, tail) for segment, offset, lines, tail in rows}


def has_lost_postings(connection: sqlite3.Connection) -> bool:
    """Whether there are memories and no postings at all: a page of the file was overwritten with an empty one.

    SQLite does not notice this, so callers check it whenever a query finds nothing.
    """
    row = connection.execute("SELECT EXISTS (SELECT 1 FROM postings), EXISTS (SELECT 1 FROM memories)").fetchone()
    return bool(row == (0, 1))


def _select_memories(
    connection: sqlite3.Connection, tail: str, values: Sequence[str | int] = ()
) -> Iterator[MemoryRow]:
    """Yield memories. `tail` is the query from WHERE on."""
    for row in connection.execute(f"SELECT {_MEMORY_COLUMNS} FROM memories {tail}", values):
        yield _parse_memory_row(row)


def _parse_memory_row(row: Sequence[str | int | None]) -> MemoryRow:
    scope, kind, status, sentence, tags, strength, last, at, overruled_by, conflict, question = row[1:12]
    return MemoryRow(
        ClaimId(str(row[0])),
        Scope(str(scope)),
        Kind.from_label(str(kind)),
        Status(status),
        str(sentence),
        tuple(str(tags).split()),
        int(strength or 0),
        EventId(str(last)),
        str(at),
        ClaimId(str(overruled_by)) if overruled_by else None,
        bool(conflict),
        Stance(str(question or ""), str(row[12]), bool(row[13]), bool(row[14])),
        Provenance(int(row[15] or 0)),
        str(row[16]),
        str(row[17]),
    )


def _parse_page_row(row: Sequence[str]) -> PageRow:
    return PageRow(EventId(row[0]), row[1], Scope(row[2]), row[3], row[4], row[5])
