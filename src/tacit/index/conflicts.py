"""Write which active memories contradict each other, and which of them hold (ADR 38).

`memory_topics` has the topics of each active memory, scope by scope. Two memories that share a topic are compared,
unless the topic is too common. `opposed_pairs` has the pairs that contradict each other or may do so, in both
directions. `rulings` (S13) follow from these pairs alone, so they depend on the set of active memories and not on the
order of events. After a change only the groups of memories connected with it are resolved again. No step reads all
members of a common topic, so that the cost of a change does not grow with the home.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import combinations, groupby
from operator import itemgetter

from tacit.contradiction import oppose
from tacit.contradiction.profile import profile_statement
from tacit.contradiction.terms import share_enough, topics
from tacit.index.database import mark_stale
from tacit.index.reader import IS_RULED
from tacit.model.claim import Claim, Kind, Provenance
from tacit.model.conflict import MAX_AT_ONCE, ConflictRule, ConflictSide, RelationKind, Ruling, resolve_conflicts
from tacit.model.ids import ClaimId, EventId, claim_number
from tacit.record import Record

# A topic that more active memories of a scope have does not distinguish them, so it is ignored like a stop word.
MAX_TOPIC_MEMORIES = 40
_MAX_CHANGES = 500  # with more than this it is cheaper to compare all memories again
_COLUMNS = "doc_id, id, scope, sentence, kind, provenance, last_event_id, first_event_id, kept_event_id"
_SELECT_ACTIVE = (
    f"SELECT {_COLUMNS} FROM memories WHERE doc_id IN (SELECT value FROM json_each(?)) AND +status = 'active'"
    " ORDER BY doc_id"
)
_SELECT_COMMON_TOPICS = "SELECT topic_hash FROM memory_topics GROUP BY 1 HAVING count(*) > ?"
_SELECT_MEMBERS_BY_TOPIC = (
    f"SELECT topic_hash, {_COLUMNS} FROM memory_topics JOIN memories USING (doc_id) WHERE topic_hash IN"
    " (SELECT topic_hash FROM memory_topics GROUP BY 1 HAVING count(*) BETWEEN 2 AND ?) ORDER BY topic_hash, doc_id"
)
# Rows that are not ruled on are left alone, with the SQL indexes that depend on it.
_CLEAR_RULING = f"UPDATE memories SET overruled_by_id = NULL, is_conflicting = 0 WHERE doc_id = ? AND ({IS_RULED})"


_Edge = tuple[int, int, bool]  # a row of `opposed_pairs`: two memories, and whether they certainly contradict


class _ActiveMemory(Record):
    """What conflict detection needs of an active memory."""

    doc_id: int
    id: str
    scope: str
    sentence: str
    kind: str
    provenance: int
    last_event: str
    first_event: str
    kept_event: str | None


class ConflictWriter:
    """Updates the three tables while memories are written."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._reset()

    def _reset(self, *, compares_all: bool = False) -> None:
        self._changed: set[int] = set()
        self._topic_growth: Counter[int] = Counter()  # by topic: how many members it gained
        self._compares_all = compares_all  # so much has changed that it is not recorded what

    def remove_topics(self, doc_id: int, scope: str, sentence: str) -> None:
        """Remove the topics of a memory that is about to change or to be deleted."""
        self._changed.add(doc_id)
        for topic in topic_hashes(scope, sentence):
            query = "DELETE FROM memory_topics WHERE topic_hash = ? AND doc_id = ?"
            self._topic_growth[topic] -= self._connection.execute(query, (topic, doc_id)).rowcount

    def add_topics(self, topics_of: Mapping[int, Sequence[int]]) -> None:
        """Add the topics (see `topic_hashes`) of active memories."""
        rows = []
        for doc_id, hashes in topics_of.items():
            self._changed.add(doc_id)
            rows += [(topic, doc_id) for topic in hashes]
        self._connection.executemany("INSERT INTO memory_topics VALUES (?, ?)", sorted(rows))
        self._topic_growth.update(topic for topic, _ in rows)
        if self._compares_all or len(self._changed) > _MAX_CHANGES:
            self._reset(compares_all=True)

    def flush(self) -> None:
        """Compare the changed memories and resolve the groups they belong to."""
        connection = self._connection
        if self._compares_all:
            ruled = {doc_id for (doc_id,) in connection.execute(f"SELECT doc_id FROM memories WHERE {IS_RULED}")}
            connection.execute("DELETE FROM rulings")
            edges = sorted(_all_opposed_pairs(connection))
            profile_statement.cache_clear()  # it is full now, and few of these are compared again soon
            connection.execute("DELETE FROM opposed_pairs")
            connection.executemany("INSERT INTO opposed_pairs VALUES (?, ?, ?)", edges)
            self._resolve_groups(ruled | {doc_id for doc_id, _, _ in edges})
        else:
            self._compare_changed()
        self._reset()

    def _compare_changed(self) -> None:
        connection = self._connection
        changed = self._changed | self._members_of_crossed_topics()
        former_opponents = {other for doc_id in changed for other in _opponents(connection, doc_id)}
        for doc_id in changed:
            connection.execute("DELETE FROM opposed_pairs WHERE doc_id = ?1 OR opponent_doc_id = ?1", (doc_id,))
        for memory in _load_active(connection, changed):
            for other in _comparable_memories(connection, memory.scope, memory.sentence):
                if other.doc_id != memory.doc_id and (edges := _opposed_pair(memory, other)):
                    connection.executemany("INSERT OR IGNORE INTO opposed_pairs VALUES (?, ?, ?)", edges)
        self._resolve_groups(changed | former_opponents)

    def _members_of_crossed_topics(self) -> set[int]:
        """Return the memories of topics that became too common, or no longer are."""
        crossed: set[int] = set()
        for topic, growth in self._topic_growth.items():
            # With more members than these, the topic was and is too common.
            limit = MAX_TOPIC_MEMORIES + max(growth, 0) + 1
            members = _topic_members(self._connection, topic, limit) if growth else []
            is_common, was_common = len(members) > MAX_TOPIC_MEMORIES, len(members) - growth > MAX_TOPIC_MEMORIES
            if len(members) < limit and is_common != was_common:
                crossed.update(members)
        return crossed

    def _resolve_groups(self, doc_ids: set[int]) -> None:
        """Rule again on every memory that is connected with one of `doc_ids`."""
        run = self._connection.execute
        remaining = set(doc_ids)
        while remaining:
            queue = [remaining.pop()]
            group = {*queue}  # a memory and all that are reached from it over opposed pairs
            while queue:
                new = _opponents(self._connection, queue.pop()).keys() - group
                group |= new
                queue += new
            remaining -= group
            before = self._resolutions(group)
            for doc_id in group:
                run(_CLEAR_RULING, (doc_id,))
                run("DELETE FROM rulings WHERE winner_doc_id = ?1 OR loser_doc_id = ?1", (doc_id,))
            rulings = _resolve_group(self._connection, group) if len(group) > 1 else []
            for ruling in rulings:
                loser = claim_number(ruling.loser)
                if ruling.rule is ConflictRule.UNDECIDED:
                    pair = (claim_number(ruling.winner), loser)
                    run("UPDATE memories SET is_conflicting = 1 WHERE doc_id IN (?, ?)", pair)
                elif not ruling.rule.is_open:
                    run("UPDATE memories SET overruled_by_id = ? WHERE doc_id = ?", (ruling.winner, loser))
            self._connection.executemany("INSERT INTO rulings VALUES (?, ?, ?, ?, ?)", _ruling_rows(rulings))
            mark_stale(self._connection, {f"memory {row[0]}" for row in before ^ self._resolutions(group)})

    def _resolutions(self, doc_ids: Iterable[int]) -> set[tuple[str, str | None, int]]:
        query = "SELECT id, overruled_by_id, is_conflicting FROM memories WHERE doc_id = ?"
        return {row for doc_id in doc_ids for row in self._connection.execute(query, (doc_id,))}


def _resolve_group(connection: sqlite3.Connection, group: set[int]) -> list[Ruling]:
    """Return the rulings among the memories of a group."""
    kinds = {
        (doc_id, other): RelationKind.OVERRULES if is_certain else RelationKind.MAY_CONTRADICT
        for doc_id in group
        for other, is_certain in _opponents(connection, doc_id).items()
    }
    sides = [
        ConflictSide(
            ClaimId(memory.id), Kind.from_label(memory.kind), Provenance(memory.provenance), EventId(memory.last_event)
        )
        for memory in _load_active(connection, group)
    ]
    return resolve_conflicts(
        sides, lambda older, newer: kinds.get((claim_number(older.id), claim_number(newer.id)), RelationKind.UNRELATED)
    )


def _ruling_rows(rulings: Sequence[Ruling]) -> list[tuple[int, int, int, int, str]]:
    """Return the rows of the rulings of one group. The group has the id of its first memory that they mark."""
    marked = [ruling.loser for ruling in rulings]
    marked += [ruling.winner for ruling in rulings if ruling.rule.is_open]
    group = min(map(claim_number, marked), default=0)
    return [
        (group, position, claim_number(ruling.winner), claim_number(ruling.loser), ruling.rule.name)
        for position, ruling in enumerate(rulings)
    ]


def _opponents(connection: sqlite3.Connection, doc_id: int) -> dict[int, int]:
    """Return the stored opponents of a memory, and whether each is certain."""
    query = "SELECT opponent_doc_id, is_certain FROM opposed_pairs WHERE doc_id = ?"
    return dict(connection.execute(query, (doc_id,)))


# Which memories are compared


def opposing_claims(connection: sqlite3.Connection, claim: Claim) -> list[ClaimId]:
    """Return the active memories that contradict a claim, which need not be stored, or may do so. Few, the sure ones
    first."""
    others = _comparable_memories(connection, claim.scope, claim.sentence)
    relations = {memory.id: oppose(memory.sentence, claim.sentence) for memory in others if memory.id != claim.id}
    noticed = [ClaimId(other) for other, relation in relations.items() if relation.is_noticed]
    return sorted(noticed, key=lambda other: relations[other].kind is not RelationKind.OVERRULES)[:MAX_AT_ONCE]


def _comparable_memories(connection: sqlite3.Connection, scope: str, sentence: str) -> list[_ActiveMemory]:
    """Return the active memories of a scope that share enough topics with a sentence to be compared with it."""
    candidates: set[int] = set()
    for topic in topic_hashes(scope, sentence):
        members = _topic_members(connection, topic, MAX_TOPIC_MEMORIES + 1)
        if len(members) <= MAX_TOPIC_MEMORIES:
            candidates.update(members)
    return [memory for memory in _load_active(connection, candidates) if _share_enough(sentence, memory.sentence)]


def _all_opposed_pairs(connection: sqlite3.Connection) -> Iterator[_Edge]:
    """Yield the rows of every opposed pair, in one pass over the topics: only the members of one are in memory."""
    common = {topic for (topic,) in connection.execute(_SELECT_COMMON_TOPICS, (MAX_TOPIC_MEMORIES,))}
    rows = connection.execute(_SELECT_MEMBERS_BY_TOPIC, (MAX_TOPIC_MEMORIES,))
    for topic, topic_rows in groupby(rows, key=itemgetter(0)):
        memories = [_ActiveMemory(*row[1:]) for row in topic_rows]
        members = [(memory, frozenset(topic_hashes(memory.scope, memory.sentence))) for memory in memories]
        for (first, ours), (second, theirs) in combinations(members, 2):
            if topic != min((ours & theirs) - common) or not _share_enough(first.sentence, second.sentence):
                continue  # compared under an earlier topic, or not worth it
            yield from _opposed_pair(first, second)


def _share_enough(first: str, second: str) -> bool:
    """Return whether two sentences share enough topics to be compared."""
    ours, theirs = topics(first), topics(second)
    return share_enough(len(ours & theirs), min(len(ours), len(theirs)), first, second)


def _opposed_pair(first: _ActiveMemory, second: _ActiveMemory) -> list[_Edge]:
    """Return the rows of two memories, one for each direction, if they contradict each other or may do so.

    They do not if a person kept both when both were known.
    """
    pairs = ((first, second), (second, first))
    if any(memory.kept_event and other.first_event < memory.kept_event for memory, other in pairs):
        return []
    relation = oppose(first.sentence, second.sentence)
    is_certain = relation.kind is RelationKind.OVERRULES
    return [(one.doc_id, other.doc_id, is_certain) for one, other in pairs] if relation.is_noticed else []


def _topic_members(connection: sqlite3.Connection, topic: int, limit: int) -> list[int]:
    query = "SELECT doc_id FROM memory_topics WHERE topic_hash = ? LIMIT ?"
    return [doc_id for (doc_id,) in connection.execute(query, (topic, limit))]


def _load_active(connection: sqlite3.Connection, doc_ids: Iterable[int]) -> list[_ActiveMemory]:
    """Return those of these memories that are active, by id."""
    return [_ActiveMemory(*row) for row in connection.execute(_SELECT_ACTIVE, (json.dumps(list(doc_ids)),))]


def topic_hashes(scope: str, sentence: str) -> list[int]:
    """Return the topics of a sentence in a scope as 64-bit hashes."""
    return [_hash_number(f"{scope}\n{topic}") for topic in topics(sentence)]


@lru_cache(maxsize=1 << 14)
def _hash_number(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big", signed=True)
