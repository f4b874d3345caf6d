"""Lists: which memories match a filter, in which order, and how many there are (ADR 70).

Ids are read in order from SQL indexes, so that the first fifty of a million cost what fifty cost. Numbers come from
`memory_counts`. Only filters by tag, agent and time look at the row of every memory.
"""

from __future__ import annotations

import json
import sqlite3
from array import array
from collections.abc import Iterable, Iterator, Sequence
from heapq import merge
from itertools import islice

from tacit.index.reader import IS_CANDIDATE, MemoryRow, rows_by_doc_id
from tacit.model.claim import Scope, Status
from tacit.model.conflict import ConflictRule, Ruling
from tacit.model.ids import ClaimId, claim_number
from tacit.record import Record

DocIds = Sequence[int]
SqlValue = str | int


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

    @property
    def is_counted(self) -> bool:
        """Whether `memory_counts` has the number of memories that match."""
        return self.tag is None and self.agent is None and self.since is None and self.before is None


class _Condition(Record):
    """A condition of a query and its values. The text is made of constants."""

    sql: str
    values: tuple[SqlValue, ...] = ()


_IS_NAMED = "(agent = ? OR (agent >= ? || '-' AND agent < ? || '.'))"
_HAS_AGENT = (
    f"(doc_id IN (SELECT doc_id FROM memory_agents WHERE {_IS_NAMED})"
    " OR id IN (SELECT claim_id FROM claim_sources JOIN session_events USING (event_id)"
    f" JOIN sessions ON number = session_number WHERE {_IS_NAMED}))"
)
_HAS_TAG = "instr(' ' || tags || ' ', ' ' || ? || ' ') > 0"
_HAS_KIND = "+kind IN (SELECT value FROM json_each(?))"  # the plus: another column has the order of the list
_HAS_SCOPE = "+scope IN (SELECT value FROM json_each(?))"
_NO_ROW = "false"
_SCANNED_TABLE = "memories NOT INDEXED"  # reading all rows in order is faster than looking up many of them


def _sifting(wanted: MemoryFilter) -> list[_Condition]:
    """Return the conditions on what no SQL index is sorted by."""
    conditions = []
    if wanted.tag is not None:
        is_word = wanted.tag.split() == [wanted.tag]
        conditions.append(_Condition(_HAS_TAG, (wanted.tag,)) if is_word else _Condition(_NO_ROW))
    if wanted.agent is not None:
        conditions.append(_Condition(_HAS_AGENT, (wanted.agent,) * 6))
    if wanted.since is not None:
        conditions.append(_Condition("updated_at >= ?", (wanted.since,)))
    if wanted.before is not None:
        conditions.append(_Condition("updated_at < ?", (wanted.before,)))
    return conditions


def _kind_and_scope(wanted: MemoryFilter) -> Iterator[_Condition]:
    """Yield the conditions on kind and scope for a query whose order neither of them has."""
    for sql, allowed in ((_HAS_KIND, wanted.kinds), (_HAS_SCOPE, wanted.scopes)):
        if allowed is not None:
            yield _Condition(sql, (json.dumps(sorted(allowed)),))


def _where(conditions: Iterable[_Condition]) -> _Condition:
    given = list(conditions)
    sql = " AND ".join(condition.sql for condition in given) or "true"
    return _Condition(sql, tuple(value for condition in given for value in condition.values))


# The latest first


def latest_ids(
    connection: sqlite3.Connection, wanted: MemoryFilter, limit: int | None = None, offset: int = 0
) -> array[int]:
    """Return the doc ids of the memories that match, the latest first: all, or `limit` of them after `offset`."""
    runs = [_latest_run(connection, conditions, wanted.is_counted) for conditions in _sorted_runs(wanted)]
    ordered = (doc_id for _, doc_id in merge(*runs, reverse=True))
    return array("q", islice(ordered, offset, None if limit is None else offset + limit))


def _sorted_runs(wanted: MemoryFilter) -> Iterator[list[_Condition]]:
    """Yield the conditions of queries that an SQL index answers in order. Together they select what is wanted."""
    kinds = [] if wanted.kinds is None else [_Condition(_HAS_KIND, (json.dumps(wanted.kinds),))]
    for status in [wanted.status] if wanted.status else Status:
        common = [_Condition("status = ?", (status.value,)), *_sifting(wanted)]
        if wanted.scopes is not None:
            yield from ([_Condition("scope = ?", (scope,)), *common, *kinds] for scope in sorted(wanted.scopes))
        elif wanted.kinds is not None:
            yield from ([_Condition("kind = ?", (kind,)), *common] for kind in sorted(set(wanted.kinds)))
        else:
            yield common


def _latest_run(
    connection: sqlite3.Connection, conditions: Iterable[_Condition], is_indexed: bool
) -> Iterator[tuple[str, int]]:
    where, table = _where(conditions), "memories" if is_indexed else _SCANNED_TABLE
    query = f"SELECT last_event_id, doc_id FROM {table} WHERE {where.sql} ORDER BY last_event_id DESC, doc_id DESC"
    return connection.execute(query, where.values)


def latest_memories(
    connection: sqlite3.Connection, wanted: MemoryFilter, limit: int, offset: int = 0
) -> list[MemoryRow]:
    """Return the rows of `latest_ids`."""
    doc_ids = latest_ids(connection, wanted, limit, offset)
    rows = rows_by_doc_id(connection, doc_ids.tolist())
    return [row for doc_id in doc_ids if isinstance(row := rows.get(doc_id), MemoryRow)]


def habit_ids(connection: sqlite3.Connection, wanted: MemoryFilter) -> set[int]:
    """Return the doc ids of the candidates that match and are habits. They are few."""
    where = _where([_Condition("is_habit AND status = 'pending'"), *_sifting(wanted), *_kind_and_scope(wanted)])
    return {doc_id for (doc_id,) in connection.execute(f"SELECT doc_id FROM memories WHERE {where.sql}", where.values)}


# The surest first: candidates that are no habits, in the order of their cards (ADR 43)


def candidate_ids(connection: sqlite3.Connection, wanted: MemoryFilter, limit: int | None = None) -> array[int]:
    """Return the doc ids of the candidates that match and are no habits, the surest first, and of these the latest."""
    where = _candidates_where(wanted)
    order = "ORDER BY confidence DESC, last_event_id DESC, doc_id DESC LIMIT ?"
    query = f"SELECT doc_id FROM memories WHERE {where.sql} {order}"
    values = (*where.values, -1 if limit is None else limit)
    return array("q", (doc_id for (doc_id,) in connection.execute(query, values)))


def matching_candidates(connection: sqlite3.Connection, wanted: MemoryFilter, doc_ids: DocIds) -> list[int]:
    """Return those of these doc ids that `candidate_ids` has, in its order."""
    where = _candidates_where(wanted)
    query = (
        # By doc id: SQLite would read all candidates in order instead.
        f"SELECT doc_id FROM memories NOT INDEXED WHERE doc_id IN (SELECT value FROM json_each(?)) AND {where.sql}"
        " ORDER BY confidence DESC, last_event_id DESC, doc_id DESC"
    )
    rows = connection.execute(query, (json.dumps(list(doc_ids)), *where.values))
    return [doc_id for (doc_id,) in rows]


def _candidates_where(wanted: MemoryFilter) -> _Condition:
    return _where([_Condition(IS_CANDIDATE), *_sifting(wanted), *_kind_and_scope(wanted)])


# Numbers


def count_memories(connection: sqlite3.Connection, wanted: MemoryFilter, *, is_habit: bool | None = None) -> int:
    """Return how many memories match; with `is_habit`, how many of them are habits or not."""
    table, column = ("memory_counts", "sum(memory_count)") if wanted.is_counted else (_SCANNED_TABLE, "count(*)")
    conditions = [*_sifting(wanted), *_kind_and_scope(wanted)]
    if wanted.status is not None:
        conditions.append(_Condition("status = ?", (wanted.status.value,)))
    if is_habit is not None:
        conditions.append(_Condition("is_habit = ?", (is_habit,)))
    where = _where(conditions)
    row = connection.execute(f"SELECT coalesce({column}, 0) FROM {table} WHERE {where.sql}", where.values).fetchone()
    return int(row[0])


# Conflicts

_SELECT_RULINGS = (
    "SELECT winner.id, loser.id, rule FROM rulings JOIN memories AS winner ON winner.doc_id = winner_doc_id"
    " JOIN memories AS loser ON loser.doc_id = loser_doc_id"
)
_RULING_ORDER = "ORDER BY group_doc_id, position"


def rulings(connection: sqlite3.Connection, decided: bool | None = None) -> Iterator[Ruling]:
    """Yield the rulings between active memories: all, or only those that a rule decided or not."""
    where = {None: "", True: "WHERE rule <> 'UNDECIDED'", False: "WHERE rule = 'UNDECIDED'"}[decided]
    return _select_rulings(connection, f"{_SELECT_RULINGS} {where} {_RULING_ORDER}")


def rulings_of(connection: sqlite3.Connection, claim: ClaimId) -> list[Ruling]:
    """Return the rulings on one memory."""
    where = "WHERE winner_doc_id = ?1 OR loser_doc_id = ?1"
    return [*_select_rulings(connection, f"{_SELECT_RULINGS} {where} {_RULING_ORDER}", (claim_number(claim),))]


def count_rulings(connection: sqlite3.Connection) -> int:
    """Return how many rulings there are."""
    number: int = connection.execute("SELECT count(*) FROM rulings").fetchone()[0]
    return number


def _select_rulings(connection: sqlite3.Connection, query: str, values: tuple[SqlValue, ...] = ()) -> Iterator[Ruling]:
    for winner, loser, rule in connection.execute(query, values):
        yield Ruling(ClaimId(winner), ClaimId(loser), ConflictRule[rule])
