"""Lists: which memories match a filter, in which order, and how many there are (ADR 70).

Ids are read in order from SQL indexes, so that the first fifty of a million cost what fifty cost. Numbers come from
`memory_counts`, and tagged memories have an index of their own. Only filters by agent, time and provenance look at the
row of every memory.
"""

from __future__ import annotations

import json
import re
import sqlite3
from array import array
from collections.abc import Iterable, Iterator, Sequence
from heapq import merge
from itertools import islice

from tacit.index.reader import IS_CANDIDATE, IS_OPEN_RULING, MemoryRow, rows_by_doc_id
from tacit.model.claim import Provenance, Scope, Status
from tacit.model.conflict import ConflictRule, Ruling
from tacit.model.ids import ClaimId, claim_number
from tacit.record import Record

DocIds = Sequence[int]
SqlValue = str | int | None


class MemoryFilter(Record):
    """Which memories to list. None is all.

    `kinds` are labels. `agent` had a part in the memory, or in a session that it was learned from; `claude` also stands
    for agents whose names begin with `claude-`. `since` and `before` limit the time at which it was last touched.
    """

    status: Status | None = None
    kinds: tuple[str, ...] | None = None
    scopes: frozenset[Scope] | None = None
    tag: str | None = None
    agent: str | None = None
    since: str | None = None
    before: str | None = None
    provenance: Provenance | None = None

    @property
    def is_counted(self) -> bool:
        """Whether `memory_counts` has the number of memories that match."""
        uncounted = (self.tag, self.agent, self.since, self.before, self.provenance)
        return all(value is None for value in uncounted)


_IS_NAMED = "(agent = ? OR (agent >= ? || '-' AND agent < ? || '.'))"
_HAS_AGENT = (
    f"(doc_id IN (SELECT doc_id FROM memory_agents WHERE {_IS_NAMED})"
    " OR id IN (SELECT claim_id FROM claim_sources JOIN session_events USING (event_id)"
    f" JOIN sessions ON number = session_number WHERE {_IS_NAMED}))"
)
_HALF_CHARACTER = re.compile("[\ud800-\udfff]")
_IS_TAGGED = "tags <> ''"
_HAS_TAG = f"{_IS_TAGGED} AND instr(' ' || tags || ' ', ' ' || ? || ' ') > 0"
_HAS_NO_SUCH_TAG = f"{_IS_TAGGED} AND false"
_HAS_KIND = "+kind IN (SELECT value FROM json_each(?))"  # the plus: another column has the order of the list
_HAS_SCOPE = "+scope IN (SELECT value FROM json_each(?))"
_IS_SINCE, _IS_BEFORE = "updated_at >= ?", "updated_at < ?"
_HAS_PROVENANCE = "provenance = ?"
_ANY_ROW = "true"
_TABLE = "memories"
_TAGGED_TABLE = "memories INDEXED BY memories_tagged"
_SCANNED_TABLE = "memories NOT INDEXED"  # reading all rows in order is faster than looking up many of them


def _select(
    connection: sqlite3.Connection, wanted: MemoryFilter, head: str, head_values: Sequence[SqlValue], tail: str = ""
) -> sqlite3.Cursor:
    """Run a query over memories: `head` up to its first condition, the conditions of a filter, and `tail`.

    The status is not among them: `head` has it, as it has what an SQL index is sorted by.
    """
    # A tag is one word. An argument that is no UTF-8 has half characters, which SQLite does not take.
    is_word = wanted.tag is not None and wanted.tag.split() == [wanted.tag] and not _HALF_CHARACTER.search(wanted.tag)
    kind = _ANY_ROW if wanted.kinds is None else _HAS_KIND
    scope = _ANY_ROW if wanted.scopes is None else _HAS_SCOPE
    tag = _ANY_ROW if wanted.tag is None else _HAS_TAG if is_word else _HAS_NO_SUCH_TAG
    agent = _ANY_ROW if wanted.agent is None else _HAS_AGENT
    since = _ANY_ROW if wanted.since is None else _IS_SINCE
    before = _ANY_ROW if wanted.before is None else _IS_BEFORE
    provenance = _ANY_ROW if wanted.provenance is None else _HAS_PROVENANCE
    values = [
        *(json.dumps(sorted(allowed)) for allowed in (wanted.kinds, wanted.scopes) if allowed is not None),
        *([wanted.tag] if is_word else []),
        *([wanted.agent] * 6 if wanted.agent is not None else []),
        *(value for value in (wanted.since, wanted.before, wanted.provenance) if value is not None),
    ]
    query = f"{head} AND {kind} AND {scope} AND {tag} AND {agent} AND {since} AND {before} AND {provenance} {tail}"
    return connection.execute(query, [*head_values, *values])


# The latest first


def latest_ids(
    connection: sqlite3.Connection, wanted: MemoryFilter, limit: int | None = None, offset: int = 0
) -> array[int]:
    """Return the doc ids of the memories that match, the latest first: all, or `limit` of them after `offset`."""
    statuses = [wanted.status] if wanted.status else list(Status)
    runs = [run for status in statuses for run in _latest_runs(connection, wanted, status)]
    ordered = (doc_id for _, doc_id in merge(*runs, reverse=True))
    return array("q", islice(ordered, offset, None if limit is None else offset + limit))


def _latest_runs(
    connection: sqlite3.Connection, wanted: MemoryFilter, status: Status
) -> Iterator[Iterable[tuple[str, int]]]:
    """Yield sorted runs that an SQL index answers in order. Together they are the memories of a status that match."""
    table = _TAGGED_TABLE if wanted.tag is not None else _TABLE if wanted.is_counted else _SCANNED_TABLE
    head = f"SELECT last_event_id, doc_id FROM {table} WHERE status = ?"
    order = "ORDER BY last_event_id DESC, doc_id DESC"
    if wanted.scopes is not None:
        rest = wanted._replace(scopes=None)
        for scope in sorted(wanted.scopes):
            yield _select(connection, rest, f"{head} AND scope = ?", (status.value, scope), order)
    elif wanted.kinds is not None:
        rest = wanted._replace(kinds=None)
        for kind in sorted(set(wanted.kinds)):
            yield _select(connection, rest, f"{head} AND kind = ?", (status.value, kind), order)
    else:
        yield _select(connection, wanted, head, (status.value,), order)


def latest_memories(
    connection: sqlite3.Connection, wanted: MemoryFilter, limit: int, offset: int = 0
) -> list[MemoryRow]:
    """Return the rows of `latest_ids`."""
    doc_ids = latest_ids(connection, wanted, limit, offset)
    rows = rows_by_doc_id(connection, doc_ids.tolist())
    return [row for doc_id in doc_ids if isinstance(row := rows.get(doc_id), MemoryRow)]


def habit_ids(connection: sqlite3.Connection, wanted: MemoryFilter) -> set[int]:
    """Return the doc ids of the candidates that match and are habits. They are few."""
    head = "SELECT doc_id FROM memories WHERE is_habit AND status = 'pending'"
    return {doc_id for (doc_id,) in _select(connection, wanted, head, ())}


# The surest first: candidates that are no habits, in the order of their cards (ADR 43)

_CARD_ORDER = "ORDER BY confidence DESC, last_event_id DESC, doc_id DESC"


def candidate_ids(connection: sqlite3.Connection, wanted: MemoryFilter, limit: int | None = None) -> array[int]:
    """Return the doc ids of the candidates that match and are no habits, the surest first, and of these the latest."""
    head = f"SELECT doc_id FROM memories WHERE {IS_CANDIDATE}"
    rows = _select(connection, wanted, head, (), _CARD_ORDER)
    return array("q", (doc_id for (doc_id,) in islice(rows, limit)))


def matching_candidates(connection: sqlite3.Connection, wanted: MemoryFilter, doc_ids: DocIds) -> list[int]:
    """Return those of these doc ids that `candidate_ids` has, in its order."""
    # Looked up by id: SQLite would read all candidates in order instead.
    is_asked = "doc_id IN (SELECT value FROM json_each(?))"
    head = f"SELECT doc_id FROM {_SCANNED_TABLE} WHERE {is_asked} AND {IS_CANDIDATE}"
    return [doc_id for (doc_id,) in _select(connection, wanted, head, (json.dumps(list(doc_ids)),), _CARD_ORDER)]


# Numbers


def count_memories(connection: sqlite3.Connection, wanted: MemoryFilter, *, is_habit: bool | None = None) -> int:
    """Return how many memories match; with `is_habit`, how many of them are habits or not."""
    table = _TAGGED_TABLE if wanted.tag is not None else "memory_counts" if wanted.is_counted else _SCANNED_TABLE
    column = "sum(memory_count)" if wanted.is_counted else "count(*)"
    head = (
        f"SELECT coalesce({column}, 0) FROM {table}"
        " WHERE status = coalesce(?, status) AND is_habit = coalesce(?, is_habit)"
    )
    number: int = _select(connection, wanted, head, (wanted.status and wanted.status.value, is_habit)).fetchone()[0]
    return number


_VALUE_COLUMNS = {name: name for name in ("status", "kind", "scope", "provenance")}


def count_values(connection: sqlite3.Connection, wanted: MemoryFilter, name: str) -> dict[str | int, int]:
    """Return how many of the memories that match have each value of one of `_VALUE_COLUMNS`."""
    column = _VALUE_COLUMNS[name]
    is_counted = wanted.is_counted and column in ("status", "kind", "scope")
    number, table = ("sum(memory_count)", "memory_counts") if is_counted else ("count(*)", _SCANNED_TABLE)
    head = f"SELECT {column}, {number} FROM {table} WHERE status = coalesce(?, status)"
    return dict(_select(connection, wanted, head, (wanted.status and wanted.status.value,), f"GROUP BY {column}"))


# Conflicts

_SELECT_RULINGS = (
    "SELECT winner.id, loser.id, rule FROM rulings JOIN memories AS winner ON winner.doc_id = winner_doc_id"
    " JOIN memories AS loser ON loser.doc_id = loser_doc_id"
)
_RULING_ORDER = "ORDER BY group_doc_id, position"
_WHERE_DECIDED = {None: "", True: f"WHERE NOT {IS_OPEN_RULING}", False: f"WHERE {IS_OPEN_RULING}"}


def rulings(connection: sqlite3.Connection, decided: bool | None = None) -> Iterator[Ruling]:
    """Yield the rulings between active memories: all, or only those that a rule decided or not."""
    return _select_rulings(connection, f"{_SELECT_RULINGS} {_WHERE_DECIDED[decided]} {_RULING_ORDER}")


def rulings_of(connection: sqlite3.Connection, claim: ClaimId) -> list[Ruling]:
    """Return the rulings on one memory."""
    where = "WHERE winner_doc_id = ?1 OR loser_doc_id = ?1"
    return [*_select_rulings(connection, f"{_SELECT_RULINGS} {where} {_RULING_ORDER}", (claim_number(claim),))]


def count_rulings(connection: sqlite3.Connection, decided: bool | None = None) -> int:
    """Return how many rulings there are: all, or only those that a rule decided or not."""
    number: int = connection.execute(f"SELECT count(*) FROM rulings {_WHERE_DECIDED[decided]}").fetchone()[0]
    return number


def _select_rulings(connection: sqlite3.Connection, query: str, values: tuple[SqlValue, ...] = ()) -> Iterator[Ruling]:
    for winner, loser, rule in connection.execute(query, values):
        yield Ruling(ClaimId(winner), ClaimId(loser), ConflictRule[rule])
