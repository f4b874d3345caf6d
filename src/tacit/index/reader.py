"""Questions to the index. Rows become values here and nowhere else."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Literal

from tacit.index.doc_ids import PAGES, run_of
from tacit.model.claim import KIND_RANK, Kind, Provenance, Scope, Status
from tacit.model.conflict import Stance
from tacit.model.event import Event
from tacit.model.ids import CLAIM_ID_LENGTH, ClaimId, EventId, claim_number
from tacit.record import Record

if TYPE_CHECKING:  # questions of hooks do without
    from tacit.model.memory import Memory

Decode = Callable[[bytes], Event]


class Entry(Record):
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


class Page(Record):
    """An entry of the worklog or an evaluation."""

    event: EventId
    kind: str
    scope: Scope
    day: str
    at: str
    title: str


_ENTRY = (
    "id, scope, kind, status, sentence, tags, strength, last, at, overruled_by, conflict,"
    " question, answer, positive, exclusive, provenance"
)
# The line of an event, as bytes (see store.py).
LINE = "line_of(event.id, segment, offset, length, raw)"
_PAGE = "event, kind, scope, day, at, title"


def entries(connection: sqlite3.Connection, *, status: Status | None = None) -> Iterator[Entry]:
    """All memories, by id, or those of one status."""
    where, values = ("WHERE status = ?", (status.value,)) if status else ("", ())
    for row in connection.execute(f"SELECT {_ENTRY} FROM memory {where} ORDER BY number", values):
        yield _entry(row)


def entries_of_kind(connection: sqlite3.Connection, kind: Kind) -> Iterator[Entry]:
    """All memories of one kind, by id."""
    for row in connection.execute(f"SELECT {_ENTRY} FROM memory WHERE kind = ? ORDER BY number", (kind.label,)):
        yield _entry(row)


def scopes(connection: sqlite3.Connection) -> list[Scope]:
    """Every scope that any memory has."""
    return [Scope(scope) for (scope,) in connection.execute("SELECT DISTINCT scope FROM memory ORDER BY scope")]


_RANK = " ".join(f"WHEN '{kind.label}' THEN {rank}" for kind, rank in KIND_RANK.items())
_KIND = f"CASE kind {_RANK} ELSE 99 END"
# What matters most first; an index keeps it so (see writer.py), for prompts wait for it.
LEADING = f"{_KIND}, strength DESC, last DESC"
STANDING = "status = 'active' AND overruled_by IS NULL"
_LEADING = f"SELECT {_ENTRY} FROM memory WHERE scope = ? AND {STANDING} ORDER BY {LEADING} LIMIT ?"


def leading(connection: sqlite3.Connection, scopes: Iterable[Scope], limit: int) -> list[Entry]:
    """The memories of each of these scopes that matter most, whatever one asks: the first that a brief would take."""
    return [_entry(row) for scope in scopes for row in connection.execute(_LEADING, (scope, limit))]


# In the words of the index `memory_leading`, so that it answers this too.
_RULES = f"FROM memory WHERE scope = ? AND {STANDING} AND {_KIND} <= {KIND_RANK[Kind.RULE]}"
_LEADING_RULES = f"SELECT {_ENTRY} {_RULES} AND last > ? ORDER BY {LEADING} LIMIT ?"


def leading_rules(connection: sqlite3.Connection, scopes: Iterable[Scope], limit: int, since: str = "") -> list[Entry]:
    """The constraints and rules of each of these scopes, the first that a brief would take; `since` is an event, and
    only what was said after it counts."""
    rows = (row for scope in scopes for row in connection.execute(_LEADING_RULES, (scope, since, limit)))
    return [_entry(row) for row in rows]


def count_rules(connection: sqlite3.Connection, scopes: Iterable[Scope]) -> int:
    """How many constraints and rules hold in these scopes."""
    return sum(connection.execute(f"SELECT count(*) {_RULES}", (scope,)).fetchone()[0] for scope in scopes)


def entry(connection: sqlite3.Connection, claim: ClaimId) -> Entry | None:
    row = connection.execute(f"SELECT {_ENTRY} FROM memory WHERE number = ?", (claim_number(claim),)).fetchone()
    return _entry(row) if row else None


def ids_beginning(connection: sqlite3.Connection, prefix: str, limit: int = 10) -> list[ClaimId]:
    first, last = (claim_number(ClaimId(prefix.ljust(CLAIM_ID_LENGTH, letter))) for letter in "0z")
    query = "SELECT id FROM memory WHERE number BETWEEN ? AND ? ORDER BY number LIMIT ?"
    return [ClaimId(row[0]) for row in connection.execute(query, (first, last, limit))]


_NEIGHBOURS = """
  SELECT * FROM (SELECT id FROM memory WHERE number < :own ORDER BY number DESC LIMIT 1)
  UNION ALL SELECT * FROM (SELECT id FROM memory WHERE number > :own ORDER BY number LIMIT 1)
"""


def short_id(connection: sqlite3.Connection, claim: ClaimId, least: int = 4) -> str:
    """The shortest beginning, four letters at least, that no other memory shares. (Numbers alone would tell it faster,
    and would not notice that a page of the file is gone, which leaves numbers without ids.)"""
    around = connection.execute(_NEIGHBOURS, {"own": claim_number(claim)}).fetchall()
    while any(neighbour.startswith(claim[:least]) for (neighbour,) in around):
        least += 1
    return claim[:least]


def memory(connection: sqlite3.Connection, claim: ClaimId, decode: Decode) -> Memory | None:
    """The whole memory, folded from its events."""
    from tacit.model.memory import recollect_one

    return recollect_one(events_of(connection, claim, decode), claim)


# An event that is spoken of and not there comes back as nothing, which `decode` does not take: the index is damaged.


def memories(connection: sqlite3.Connection, decode: Decode) -> Iterator[Memory]:
    """All memories, by id, in one pass over their events."""
    from tacit.model.memory import recollect_one

    query = f"SELECT claim, {LINE} FROM touch LEFT JOIN event ON event.id = touch.event ORDER BY claim"
    for claim, rows in groupby(connection.execute(query), key=itemgetter(0)):
        found = recollect_one([decode(raw) for _, raw in rows], ClaimId(claim))
        if found is not None:
            yield found


def events_of(connection: sqlite3.Connection, claim: ClaimId, decode: Decode) -> list[Event]:
    rows = connection.execute(
        f"SELECT {LINE} FROM touch LEFT JOIN event ON event.id = touch.event WHERE claim = ? ORDER BY event", (claim,)
    )
    return [decode(raw) for (raw,) in rows]


class Placed(Record):
    """An event and the line of the log it stands in."""

    event: Event
    segment: str
    line: int


def placed_events(connection: sqlite3.Connection, claim: ClaimId, decode: Decode) -> list[Placed]:
    rows = connection.execute(
        f"SELECT {LINE}, segment, line FROM touch LEFT JOIN event ON event.id = touch.event WHERE claim = ?"
        " ORDER BY event",
        (claim,),
    )
    return [Placed(decode(raw), segment, line) for raw, segment, line in rows]


_PAGE_OF = f"SELECT {_PAGE} FROM page WHERE number BETWEEN ? AND ? AND NOT void ORDER BY number DESC LIMIT 1"


_MEMORIES = f"SELECT number, {_ENTRY} FROM memory WHERE number IN (SELECT value FROM json_each(?))"
_PAGES = f"SELECT number, {_PAGE} FROM page WHERE number IN (SELECT value FROM json_each(?)) AND NOT void"


def numbered(connection: sqlite3.Connection, numbers: Sequence[int]) -> dict[int, Entry | Page]:
    """The memories and pages of these numbers, as far as there are any; of a message in a session, the page of its
    turn."""
    found: dict[int, Entry | Page] = {}
    for number in numbers:
        if number < 0 and (row := connection.execute(_PAGE_OF, (run_of(number), number)).fetchone()):
            found[number] = _page(row)
    remembered, written = [one for one in numbers if 0 <= one < PAGES], [one for one in numbers if one >= PAGES]
    if remembered:
        found.update((row[0], _entry(row[1:])) for row in connection.execute(_MEMORIES, (json.dumps(remembered),)))
    if written:
        found.update((row[0], _page(row[1:])) for row in connection.execute(_PAGES, (json.dumps(written),)))
    return found


_STATUSES = """SELECT number, status FROM memory WHERE number IN (SELECT value FROM json_each(?1))
  AND (?2 OR (status IN ('active', 'pending') AND overruled_by IS NULL))
  AND (?3 IS NULL OR scope IN (SELECT value FROM json_each(?3)))
  AND (?4 IS NULL OR kind = ?4) AND (?5 IS NULL OR at >= ?5)"""


def statuses(
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
    return dict(connection.execute(_STATUSES, (json.dumps(numbers), everything, wanted, kind, since)))


_LEARNED_FROM = "SELECT event, claim FROM source WHERE claim IN (SELECT value FROM json_each(?))"


def learned_from(connection: sqlite3.Connection, claims: Sequence[ClaimId]) -> dict[EventId, ClaimId]:
    """The events of sessions that these memories were learned from, each with its memory."""
    rows = connection.execute(_LEARNED_FROM, (json.dumps(claims),))
    return {EventId(event): ClaimId(claim) for event, claim in rows}


def count_by(connection: sqlite3.Connection, column: Literal["status", "kind"]) -> dict[str, int]:
    """How many memories there are of each status, or how many active ones of each kind."""
    query = {
        "status": "SELECT status, count(*) FROM memory GROUP BY 1",
        "kind": "SELECT kind, count(*) FROM memory WHERE status = 'active' GROUP BY 1",
    }[column]
    return dict(connection.execute(query).fetchall())


# The inner question is answered by the index `memory_scope` alone, which is much smaller than the table.
_PENDING = (
    "SELECT kind, count(*) FROM memory WHERE number IN (SELECT number FROM memory WHERE status = 'pending') GROUP BY 1"
)


def count_pending(connection: sqlite3.Connection) -> dict[str, int]:
    """How many memories wait for a decision, by kind."""
    return dict(connection.execute(_PENDING).fetchall())


def count_pages(connection: sqlite3.Connection, kind: str) -> int:
    found: int = connection.execute("SELECT count(*) FROM page WHERE kind = ? AND NOT void", (kind,)).fetchone()[0]
    return found


def pages(connection: sqlite3.Connection, kind: str, day: str, decode: Decode) -> list[Event]:
    """The standing events of one day's page, in order."""
    rows = connection.execute(
        f"SELECT {LINE} FROM page LEFT JOIN event ON event.id = page.event WHERE kind = ? AND day = ? AND NOT void"
        " ORDER BY page.event",
        (kind, day),
    )
    return [decode(raw) for (raw,) in rows]


def page_days(connection: sqlite3.Connection, kind: str) -> list[str]:
    if kind == "session":  # one page each, of many turns
        return [key for (key,) in connection.execute("SELECT key FROM session ORDER BY key")]
    rows = connection.execute("SELECT DISTINCT day FROM page WHERE kind = ? AND NOT void ORDER BY day", (kind,))
    return [day for (day,) in rows]


def roots(connection: sqlite3.Connection, scope: Scope) -> list[str]:
    return [root for (root,) in connection.execute("SELECT root FROM project WHERE scope = ? ORDER BY root", (scope,))]


_TRUST = "FROM event WHERE type IN ('repository.trusted', 'repository.distrusted')"
TAKEN_BACK = f"SELECT {LINE} FROM event WHERE type = 'judgement.undone'"


def trust_events(connection: sqlite3.Connection, decode: Decode) -> list[Event]:
    """Everything said about trust in repositories, and what was taken back; nothing where nobody trusted any."""
    said = [decode(raw) for (raw,) in connection.execute(f"SELECT {LINE} {_TRUST}")]
    return said and sorted(said + [decode(raw) for (raw,) in connection.execute(TAKEN_BACK)], key=lambda one: one.id)


def anyone_trusted(connection: sqlite3.Connection) -> bool:
    return connection.execute(f"SELECT 1 {_TRUST} LIMIT 1").fetchone() is not None


def operation(connection: sqlite3.Connection, op: EventId, decode: Decode) -> list[Event]:
    """The events that were recorded together."""
    rows = connection.execute(f"SELECT {LINE} FROM event WHERE id = ?1 OR op = ?1 ORDER BY id", (op,))
    return [decode(raw) for (raw,) in rows]


def signatures(connection: sqlite3.Connection) -> dict[str, str]:
    """How trusted fact files looked when they were last compared."""
    return dict(connection.execute("SELECT path, signature FROM seen").fetchall())


def is_used(connection: sqlite3.Connection, scope: Scope, status: Status | None = None) -> bool:
    """Whether anything (of this status) is remembered in a scope."""
    query = "SELECT 1 FROM memory WHERE scope = ? AND status = coalesce(?, status) LIMIT 1"
    return connection.execute(query, (scope, status.value if status else None)).fetchone() is not None


def anything_shared(connection: sqlite3.Connection, scope: Scope) -> bool:
    """Whether the person shares a fact of this project that holds."""
    query = f"SELECT 1 FROM memory WHERE scope = ? AND {STANDING} AND shared LIMIT 1"
    return connection.execute(query, (scope,)).fetchone() is not None


def undecided(connection: sqlite3.Connection) -> int:
    found: int = connection.execute("SELECT count(*) FROM memory WHERE conflict").fetchone()[0]
    return found


def tallies(connection: sqlite3.Connection) -> dict[str, int]:
    return dict(connection.execute("SELECT name, sum(amount) FROM tally GROUP BY name").fetchall())


def overruled_by(connection: sqlite3.Connection, winner: Entry) -> list[Entry]:
    """The memories that lost against this one."""
    query = (
        f"SELECT {_ENTRY} FROM memory WHERE number IN (SELECT other FROM opposed WHERE one = ?) AND overruled_by = ?"
        " ORDER BY number"
    )
    return [_entry(row) for row in connection.execute(query, (claim_number(winner.id), winner.id))]


def opposed_to(connection: sqlite3.Connection, claim: ClaimId) -> list[Entry]:
    """The active memories that a memory is opposed to, however it was ruled."""
    query = f"SELECT {_ENTRY} FROM memory WHERE number IN (SELECT other FROM opposed WHERE one = ?) ORDER BY number"
    return [_entry(row) for row in connection.execute(query, (claim_number(claim),))]


def meaning(connection: sqlite3.Connection) -> str:
    """The model whose vectors are kept; nothing where there are none."""
    row = connection.execute("SELECT value FROM meta WHERE name = 'meaning'").fetchone()
    return str(row[0]) if row else ""


def stale(connection: sqlite3.Connection) -> list[str]:
    return [what for (what,) in connection.execute("SELECT what FROM stale ORDER BY what")]


def applied(connection: sqlite3.Connection) -> dict[str, tuple[int, int, str]]:
    rows = connection.execute("SELECT segment, offset, lines, mark FROM applied")
    return {segment: (offset, lines, mark) for segment, offset, lines, mark in rows}


_RAN = (
    "SELECT event, name, at, command, directory, status, milliseconds, shell, meant, planned"
    " FROM ran JOIN terminal ON terminal.number = terminal ORDER BY event"
)


_PLACES = "SELECT root, numbers, counts FROM place ORDER BY root, first"
_STOCK = "SELECT name, value FROM meta WHERE name IN ('texts', 'words') ORDER BY name"
_SAID = "SELECT event, session, segment, line, offset, length, raw FROM said ORDER BY event"


def dump(connection: sqlite3.Connection, *, answers_only: bool = False) -> Iterator[str]:
    """Every derived row as text, in order: two indexes of the same log must give the same.

    What nobody waits for (tallies, commands, how far was read) may lag behind; `answers_only` leaves it out.
    """
    lagging = () if answers_only else ("applied", "tally")
    for table in ("event", "touch", "memory", "topic", "opposed", "page", "project", "session", *lagging):
        for row in connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2"):
            yield f"{table} {row!r}"
    if not answers_only:
        yield from (f"ran {row!r}" for row in connection.execute(_RAN))
        yield from (f"given {row!r}" for row in connection.execute("SELECT * FROM given ORDER BY event"))
        yield from (f"command {row!r}" for row in connection.execute("SELECT * FROM command ORDER BY number"))
        yield from (f"command_root {row!r}" for row in connection.execute("SELECT * FROM command_root ORDER BY 1, 2"))
    yield from (f"said {row!r}" for row in connection.execute(_SAID))
    for table in ("wording", "measure", "length", "root", "message", "source"):
        yield from (f"{table} {row!r}" for row in connection.execute(f"SELECT * FROM {table} ORDER BY 1"))
    for root, blocks in groupby(connection.execute(_PLACES), key=itemgetter(0)):  # however they are cut
        yield f"place {root!r} {[b''.join(column) for column in zip(*(block[1:] for block in blocks), strict=True)]}"
    yield from (f"meta {row!r}" for row in connection.execute(_STOCK))


def _entry(row: Sequence[str | int | None]) -> Entry:
    scope, kind, status, sentence, tags, strength, last, at, overruled_by, conflict, question = row[1:12]
    return Entry(
        ClaimId(str(row[0])),
        Scope(str(scope)),
        Kind.named(str(kind)),
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


def _page(row: Sequence[str]) -> Page:
    return Page(EventId(row[0]), row[1], Scope(row[2]), row[3], row[4], row[5])


def lost_postings(connection: sqlite3.Connection) -> bool:
    """Whether memories are there and no posting of any word: a page of the file was overwritten with an empty one.

    SQLite notices nothing then, so this is asked whenever a question finds nothing.
    """
    there = connection.execute("SELECT EXISTS (SELECT 1 FROM place), EXISTS (SELECT 1 FROM memory)").fetchone()
    return bool(there == (0, 1))
