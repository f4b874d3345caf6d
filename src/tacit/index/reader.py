"""Questions to the index. Rows become values here and nowhere else."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Literal

from tacit.index.doc_ids import FIRST_PAGE_ID, start_id_of
from tacit.model.claim import KIND_RANK, Kind, Provenance, Scope, Status
from tacit.model.conflict import Stance
from tacit.model.event import Event
from tacit.model.ids import CLAIM_ID_LENGTH, ClaimId, EventId, claim_number
from tacit.record import Record

if TYPE_CHECKING:  # questions of hooks do without
    from tacit.model.memory import Memory

Decode = Callable[[bytes], Event]


class MemoryRow(Record):
    """A memory as lists and rankings see it."""

    id: ClaimId
    scope: Scope
    kind: Kind
    status: Status
    sentence: str
    tags: tuple[str, ...]
    strength: int
    last: EventId
    at: str
    overruled_by: ClaimId | None
    conflict: bool
    stance: Stance
    provenance: Provenance = Provenance.USER_DIRECT


class PageRow(Record):
    """An entry of the worklog or an evaluation."""

    event: EventId
    kind: str
    scope: Scope
    day: str
    at: str
    title: str


_MEMORY_COLUMNS = (
    "id, scope, kind, status, sentence, tags, strength, last, at, overruled_by, conflict,"
    " question, answer, positive, exclusive, provenance"
)
# The line of an event, as bytes (see store.py).
EVENT_LINE = "line_of(event.id, segment, offset, length, raw)"
_PAGE_COLUMNS = "event, kind, scope, day, at, title"


def memory_rows(connection: sqlite3.Connection, *, status: Status | None = None) -> Iterator[MemoryRow]:
    """All memories, by id, or those of one status."""
    where, values = ("WHERE status = ?", (status.value,)) if status else ("", ())
    for row in connection.execute(f"SELECT {_MEMORY_COLUMNS} FROM memory {where} ORDER BY number", values):
        yield _parse_memory_row(row)


def memory_rows_of_kind(connection: sqlite3.Connection, kind: Kind) -> Iterator[MemoryRow]:
    """All memories of one kind, by id."""
    for row in connection.execute(
        f"SELECT {_MEMORY_COLUMNS} FROM memory WHERE kind = ? ORDER BY number", (kind.label,)
    ):
        yield _parse_memory_row(row)


def all_scopes(connection: sqlite3.Connection) -> list[Scope]:
    """Every scope that any memory has."""
    return [Scope(scope) for (scope,) in connection.execute("SELECT DISTINCT scope FROM memory ORDER BY scope")]


_KIND_RANK_CASES = " ".join(f"WHEN '{kind.label}' THEN {rank}" for kind, rank in KIND_RANK.items())
_KIND_RANK_SQL = f"CASE kind {_KIND_RANK_CASES} ELSE 99 END"
# What matters most first; an index keeps it so (see writer.py), for prompts wait for it.
IMPORTANCE_ORDER = f"{_KIND_RANK_SQL}, strength DESC, last DESC"
IS_EFFECTIVE = "status = 'active' AND overruled_by IS NULL"
_SELECT_LEADING = (
    f"SELECT {_MEMORY_COLUMNS} FROM memory WHERE scope = ? AND {IS_EFFECTIVE} ORDER BY {IMPORTANCE_ORDER} LIMIT ?"
)


def leading_memories(connection: sqlite3.Connection, scopes: Iterable[Scope], limit: int) -> list[MemoryRow]:
    """The memories of each of these scopes that matter most, whatever one asks: the first that a brief would take."""
    return [_parse_memory_row(row) for scope in scopes for row in connection.execute(_SELECT_LEADING, (scope, limit))]


# In the words of the index `memory_leading`, so that it answers this too.
_FROM_RULES = f"FROM memory WHERE scope = ? AND {IS_EFFECTIVE} AND {_KIND_RANK_SQL} <= {KIND_RANK[Kind.RULE]}"
_SELECT_LEADING_RULES = f"SELECT {_MEMORY_COLUMNS} {_FROM_RULES} AND last > ? ORDER BY {IMPORTANCE_ORDER} LIMIT ?"


def leading_rules(
    connection: sqlite3.Connection, scopes: Iterable[Scope], limit: int, since: str = ""
) -> list[MemoryRow]:
    """The constraints and rules of each of these scopes, the first that a brief would take; `since` is an event, and
    only what was said after it counts."""
    rows = (row for scope in scopes for row in connection.execute(_SELECT_LEADING_RULES, (scope, since, limit)))
    return [_parse_memory_row(row) for row in rows]


def count_rules(connection: sqlite3.Connection, scopes: Iterable[Scope]) -> int:
    """How many constraints and rules hold in these scopes."""
    return sum(connection.execute(f"SELECT count(*) {_FROM_RULES}", (scope,)).fetchone()[0] for scope in scopes)


def memory_row(connection: sqlite3.Connection, claim: ClaimId) -> MemoryRow | None:
    row = connection.execute(
        f"SELECT {_MEMORY_COLUMNS} FROM memory WHERE number = ?", (claim_number(claim),)
    ).fetchone()
    return _parse_memory_row(row) if row else None


def claim_ids_with_prefix(connection: sqlite3.Connection, prefix: str, limit: int = 10) -> list[ClaimId]:
    first, last = (claim_number(ClaimId(prefix.ljust(CLAIM_ID_LENGTH, letter))) for letter in "0z")
    query = "SELECT id FROM memory WHERE number BETWEEN ? AND ? ORDER BY number LIMIT ?"
    return [ClaimId(row[0]) for row in connection.execute(query, (first, last, limit))]


_SELECT_NEIGHBOURS = """
  SELECT * FROM (SELECT id FROM memory WHERE number < :own ORDER BY number DESC LIMIT 1)
  UNION ALL SELECT * FROM (SELECT id FROM memory WHERE number > :own ORDER BY number LIMIT 1)
"""


def short_id(connection: sqlite3.Connection, claim: ClaimId, least: int = 4) -> str:
    """The shortest beginning, four letters at least, that no other memory shares. (Numbers alone would tell it faster,
    and would not notice that a page of the file is gone, which leaves numbers without ids.)"""
    around = connection.execute(_SELECT_NEIGHBOURS, {"own": claim_number(claim)}).fetchall()
    while any(neighbour.startswith(claim[:least]) for (neighbour,) in around):
        least += 1
    return claim[:least]


def load_memory(connection: sqlite3.Connection, claim: ClaimId, decode: Decode) -> Memory | None:
    """The whole memory, folded from its events."""
    from tacit.model.memory import fold_memory

    return fold_memory(events_of_claim(connection, claim, decode), claim)


# An event that is spoken of and not there comes back as nothing, which `decode` does not take: the index is damaged.


def load_memories(connection: sqlite3.Connection, decode: Decode) -> Iterator[Memory]:
    """All memories, by id, in one pass over their events."""
    from tacit.model.memory import fold_memory

    query = f"SELECT claim, {EVENT_LINE} FROM touch LEFT JOIN event ON event.id = touch.event ORDER BY claim"
    for claim, rows in groupby(connection.execute(query), key=itemgetter(0)):
        found = fold_memory([decode(raw) for _, raw in rows], ClaimId(claim))
        if found is not None:
            yield found


def events_of_claim(connection: sqlite3.Connection, claim: ClaimId, decode: Decode) -> list[Event]:
    rows = connection.execute(
        f"SELECT {EVENT_LINE} FROM touch LEFT JOIN event ON event.id = touch.event WHERE claim = ? ORDER BY event",
        (claim,),
    )
    return [decode(raw) for (raw,) in rows]


class LoggedEvent(Record):
    """An event and the line of the log it stands in."""

    event: Event
    segment: str
    line: int


def logged_events_of_claim(connection: sqlite3.Connection, claim: ClaimId, decode: Decode) -> list[LoggedEvent]:
    rows = connection.execute(
        f"SELECT {EVENT_LINE}, segment, line FROM touch LEFT JOIN event ON event.id = touch.event WHERE claim = ?"
        " ORDER BY event",
        (claim,),
    )
    return [LoggedEvent(decode(raw), segment, line) for raw, segment, line in rows]


_SELECT_TURN_PAGE = (
    f"SELECT {_PAGE_COLUMNS} FROM page WHERE number BETWEEN ? AND ? AND NOT void ORDER BY number DESC LIMIT 1"
)


_SELECT_MEMORIES = f"SELECT number, {_MEMORY_COLUMNS} FROM memory WHERE number IN (SELECT value FROM json_each(?))"
_SELECT_PAGES = (
    f"SELECT number, {_PAGE_COLUMNS} FROM page WHERE number IN (SELECT value FROM json_each(?)) AND NOT void"
)


def rows_by_doc_id(connection: sqlite3.Connection, numbers: Sequence[int]) -> dict[int, MemoryRow | PageRow]:
    """The memories and pages of these numbers, as far as there are any; of a message in a session, the page of its
    turn."""
    found: dict[int, MemoryRow | PageRow] = {}
    for number in numbers:
        if number < 0 and (row := connection.execute(_SELECT_TURN_PAGE, (start_id_of(number), number)).fetchone()):
            found[number] = _parse_page_row(row)
    remembered, written = (
        [one for one in numbers if 0 <= one < FIRST_PAGE_ID],
        [one for one in numbers if one >= FIRST_PAGE_ID],
    )
    if remembered:
        found.update(
            (row[0], _parse_memory_row(row[1:]))
            for row in connection.execute(_SELECT_MEMORIES, (json.dumps(remembered),))
        )
    if written:
        found.update(
            (row[0], _parse_page_row(row[1:])) for row in connection.execute(_SELECT_PAGES, (json.dumps(written),))
        )
    return found


_SELECT_STATUSES = """SELECT number, status FROM memory WHERE number IN (SELECT value FROM json_each(?1))
  AND (?2 OR (status IN ('active', 'pending') AND overruled_by IS NULL))
  AND (?3 IS NULL OR scope IN (SELECT value FROM json_each(?3)))
  AND (?4 IS NULL OR kind = ?4) AND (?5 IS NULL OR at >= ?5)"""


def memory_statuses(
    connection: sqlite3.Connection,
    numbers: Sequence[int],
    *,
    scopes: Iterable[Scope] | None = None,
    kind: str | None = None,
    since: str | None = None,
    everything: bool = False,
) -> dict[int, str]:
    """The status of each of these memories that is of one of the scopes, of the kind, and not older than `since`: only
    of those that stand, unless everything is asked for."""
    wanted = None if scopes is None else json.dumps(sorted(scopes))
    return dict(connection.execute(_SELECT_STATUSES, (json.dumps(numbers), everything, wanted, kind, since)))


_SELECT_SOURCES = "SELECT event, claim FROM source WHERE claim IN (SELECT value FROM json_each(?))"


def claims_by_source_event(connection: sqlite3.Connection, claims: Sequence[ClaimId]) -> dict[EventId, ClaimId]:
    """The events of sessions that these memories were learned from, each with its memory."""
    rows = connection.execute(_SELECT_SOURCES, (json.dumps(claims),))
    return {EventId(event): ClaimId(claim) for event, claim in rows}


def count_by(connection: sqlite3.Connection, column: Literal["status", "kind"]) -> dict[str, int]:
    """How many memories there are of each status, or how many active ones of each kind."""
    query = {
        "status": "SELECT status, count(*) FROM memory GROUP BY 1",
        "kind": "SELECT kind, count(*) FROM memory WHERE status = 'active' GROUP BY 1",
    }[column]
    return dict(connection.execute(query).fetchall())


# The inner question is answered by the index `memory_scope` alone, which is much smaller than the table.
_SELECT_PENDING_COUNTS = (
    "SELECT kind, count(*) FROM memory WHERE number IN (SELECT number FROM memory WHERE status = 'pending') GROUP BY 1"
)


def count_pending(connection: sqlite3.Connection) -> dict[str, int]:
    """How many memories wait for a decision, by kind."""
    return dict(connection.execute(_SELECT_PENDING_COUNTS).fetchall())


def count_pages(connection: sqlite3.Connection, kind: str) -> int:
    found: int = connection.execute("SELECT count(*) FROM page WHERE kind = ? AND NOT void", (kind,)).fetchone()[0]
    return found


def page_events(connection: sqlite3.Connection, kind: str, day: str, decode: Decode) -> list[Event]:
    """The standing events of one day's page, in order."""
    rows = connection.execute(
        f"SELECT {EVENT_LINE} FROM page LEFT JOIN event ON event.id = page.event"
        " WHERE kind = ? AND day = ? AND NOT void"
        " ORDER BY page.event",
        (kind, day),
    )
    return [decode(raw) for (raw,) in rows]


def page_days(connection: sqlite3.Connection, kind: str) -> list[str]:
    if kind == "session":  # one page each, of many turns
        return [key for (key,) in connection.execute("SELECT key FROM session ORDER BY key")]
    rows = connection.execute("SELECT DISTINCT day FROM page WHERE kind = ? AND NOT void ORDER BY day", (kind,))
    return [day for (day,) in rows]


def project_roots(connection: sqlite3.Connection, scope: Scope) -> list[str]:
    return [root for (root,) in connection.execute("SELECT root FROM project WHERE scope = ? ORDER BY root", (scope,))]


_FROM_TRUST = "FROM event WHERE type IN ('repository.trusted', 'repository.distrusted')"
SELECT_UNDONE = f"SELECT {EVENT_LINE} FROM event WHERE type = 'judgement.undone'"


def trust_events(connection: sqlite3.Connection, decode: Decode) -> list[Event]:
    """Everything said about trust in repositories, and what was taken back; nothing where nobody trusted any."""
    said = [decode(raw) for (raw,) in connection.execute(f"SELECT {EVENT_LINE} {_FROM_TRUST}")]
    return said and sorted(said + [decode(raw) for (raw,) in connection.execute(SELECT_UNDONE)], key=lambda one: one.id)


def has_trust_events(connection: sqlite3.Connection) -> bool:
    return connection.execute(f"SELECT 1 {_FROM_TRUST} LIMIT 1").fetchone() is not None


def operation_events(connection: sqlite3.Connection, op: EventId, decode: Decode) -> list[Event]:
    """The events that were recorded together."""
    rows = connection.execute(f"SELECT {EVENT_LINE} FROM event WHERE id = ?1 OR op = ?1 ORDER BY id", (op,))
    return [decode(raw) for (raw,) in rows]


def fact_file_signatures(connection: sqlite3.Connection) -> dict[str, str]:
    """How trusted fact files looked when they were last compared."""
    return dict(connection.execute("SELECT path, signature FROM seen").fetchall())


def is_scope_used(connection: sqlite3.Connection, scope: Scope, status: Status | None = None) -> bool:
    """Whether anything (of this status) is remembered in a scope."""
    query = "SELECT 1 FROM memory WHERE scope = ? AND status = coalesce(?, status) LIMIT 1"
    return connection.execute(query, (scope, status.value if status else None)).fetchone() is not None


def has_shared_facts(connection: sqlite3.Connection, scope: Scope) -> bool:
    """Whether the person shares a fact of this project that holds."""
    query = f"SELECT 1 FROM memory WHERE scope = ? AND {IS_EFFECTIVE} AND shared LIMIT 1"
    return connection.execute(query, (scope,)).fetchone() is not None


def count_conflicting(connection: sqlite3.Connection) -> int:
    found: int = connection.execute("SELECT count(*) FROM memory WHERE conflict").fetchone()[0]
    return found


def usage_metrics(connection: sqlite3.Connection) -> dict[str, int]:
    return dict(connection.execute("SELECT name, sum(amount) FROM tally GROUP BY name").fetchall())


def memories_overruled_by(connection: sqlite3.Connection, winner: MemoryRow) -> list[MemoryRow]:
    """The memories that lost against this one."""
    query = (
        f"SELECT {_MEMORY_COLUMNS} FROM memory"
        " WHERE number IN (SELECT other FROM opposed WHERE one = ?) AND overruled_by = ?"
        " ORDER BY number"
    )
    return [_parse_memory_row(row) for row in connection.execute(query, (claim_number(winner.id), winner.id))]


def memories_opposed_to(connection: sqlite3.Connection, claim: ClaimId) -> list[MemoryRow]:
    """The active memories that a memory is opposed to, however it was ruled."""
    query = (
        f"SELECT {_MEMORY_COLUMNS} FROM memory"
        " WHERE number IN (SELECT other FROM opposed WHERE one = ?) ORDER BY number"
    )
    return [_parse_memory_row(row) for row in connection.execute(query, (claim_number(claim),))]


def embedding_model(connection: sqlite3.Connection) -> str:
    """The model whose vectors are kept; nothing where there are none."""
    row = connection.execute("SELECT value FROM meta WHERE name = 'meaning'").fetchone()
    return str(row[0]) if row else ""


def stale_views(connection: sqlite3.Connection) -> list[str]:
    return [what for (what,) in connection.execute("SELECT what FROM stale ORDER BY what")]


def log_cursors(connection: sqlite3.Connection) -> dict[str, tuple[int, int, str]]:
    rows = connection.execute("SELECT segment, offset, lines, mark FROM applied")
    return {segment: (offset, lines, mark) for segment, offset, lines, mark in rows}


_SELECT_SHELL_COMMANDS = (
    "SELECT event, name, at, command, directory, status, milliseconds, shell, meant, planned"
    " FROM ran JOIN terminal ON terminal.number = terminal ORDER BY event"
)


_SELECT_POSTINGS = "SELECT root, numbers, counts FROM place ORDER BY root, first"
_SELECT_CORPUS_STATS = "SELECT name, value FROM meta WHERE name IN ('texts', 'words') ORDER BY name"
_SELECT_SESSION_EVENTS = "SELECT event, session, segment, line, offset, length, raw FROM said ORDER BY event"


def dump(connection: sqlite3.Connection, *, answers_only: bool = False) -> Iterator[str]:
    """Every derived row as text, in order: two indexes of the same log must give the same.

    What nobody waits for (tallies, commands, how far was read) may lag behind; `answers_only` leaves it out.
    """
    lagging = () if answers_only else ("applied", "tally")
    for table in ("event", "touch", "memory", "topic", "opposed", "page", "project", "session", *lagging):
        for row in connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2"):
            yield f"{table} {row!r}"
    if not answers_only:
        yield from (f"ran {row!r}" for row in connection.execute(_SELECT_SHELL_COMMANDS))
        yield from (f"given {row!r}" for row in connection.execute("SELECT * FROM given ORDER BY event"))
        yield from (f"command {row!r}" for row in connection.execute("SELECT * FROM command ORDER BY number"))
        yield from (f"command_root {row!r}" for row in connection.execute("SELECT * FROM command_root ORDER BY 1, 2"))
    yield from (f"said {row!r}" for row in connection.execute(_SELECT_SESSION_EVENTS))
    for table in ("wording", "measure", "length", "root", "message", "source"):
        yield from (f"{table} {row!r}" for row in connection.execute(f"SELECT * FROM {table} ORDER BY 1"))
    for root, blocks in groupby(connection.execute(_SELECT_POSTINGS), key=itemgetter(0)):  # however they are cut
        yield f"place {root!r} {[b''.join(column) for column in zip(*(block[1:] for block in blocks), strict=True)]}"
    yield from (f"meta {row!r}" for row in connection.execute(_SELECT_CORPUS_STATS))


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
    )


def _parse_page_row(row: Sequence[str]) -> PageRow:
    return PageRow(EventId(row[0]), row[1], Scope(row[2]), row[3], row[4], row[5])


def has_lost_postings(connection: sqlite3.Connection) -> bool:
    """Whether memories are there and no posting of any word: a page of the file was overwritten with an empty one.

    SQLite notices nothing then, so this is asked whenever a question finds nothing.
    """
    there = connection.execute("SELECT EXISTS (SELECT 1 FROM place), EXISTS (SELECT 1 FROM memory)").fetchone()
    return bool(there == (0, 1))
