"""Write the rows of memories and their conflicts, of the worklog and of evaluations.

Conflicts are kept in three tables (ADR 38). `memory_topics` has the topics of each active memory, scope by scope. Two
memories that share a topic are compared, unless the topic is too common. `opposed_pairs` has the pairs that contradict
each other or may do so, in both directions. `rulings` (S13) follow from these pairs alone, so they depend on the set of
active memories and not on the order of events. After a change only the groups of memories connected with it are
resolved again. No step reads all members of a common topic, so that the cost of a change does not grow with the home.

`memory_counts` is written with the rows of memories, so that lists and `tacit status` need not count them (ADR 70).
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import combinations, groupby
from operator import itemgetter

from tacit.index.database import mark_stale
from tacit.index.doc_ids import page_doc_id
from tacit.index.postings_writer import IndexedDocument, PostingsWriter
from tacit.index.reader import EVENT_LINE, IS_RULED, SELECT_UNDONE, Decode, events_of_claim
from tacit.index.vectors import EmbeddingText, drop_stale_memory_vectors
from tacit.model.claim import Claim, Kind, Provenance, Status
from tacit.model.conflict import (
    MAX_AT_ONCE,
    ConflictRule,
    ConflictSide,
    RelationKind,
    Ruling,
    Stance,
    parse_stance,
    resolve_conflicts,
)
from tacit.model.event import ClaimProposed, Event, EventsUndone, agent_name, timestamp
from tacit.model.ids import ClaimId, EventId, claim_number
from tacit.model.memory import Memory, claims_of_event, fold_memory, undone_ids
from tacit.model.observation import EvaluationCreated, WorkLogged
from tacit.model.relation import oppose
from tacit.model.terms import is_change_or_denial, is_worth_comparing, topics
from tacit.record import Record
from tacit.text.words import tokenize

# A topic that more active memories of a scope have does not distinguish them, so it is ignored like a stop word.
MAX_TOPIC_MEMORIES = 40
_BULK_THRESHOLD = 500  # with more changes than this it is cheaper to process all memories again
_SELECT_ACTIVE = (
    "SELECT doc_id, id, scope, sentence, kind, provenance, last_event_id, first_event_id, kept_event_id FROM memories"
)
_SELECT_RULED = f"SELECT doc_id FROM memories WHERE {IS_RULED}"
_NO_STANCE = Stance("", "", positive=True, exclusive=False)
_COLUMN_COUNT = 21
_INSERT_MEMORY = f"INSERT OR REPLACE INTO memories VALUES ({', '.join('?' * _COLUMN_COUNT)}, NULL, 0)"
_SELECT_COUNTED = "SELECT scope, status, kind, is_habit FROM memories WHERE doc_id = ?"
_ADD_COUNT = (
    "INSERT INTO memory_counts VALUES (?, ?, ?, ?, ?)"
    " ON CONFLICT DO UPDATE SET memory_count = memory_count + excluded.memory_count"
)
# For a new index, in which nothing is counted yet.
COUNT_MEMORIES = (
    "INSERT INTO memory_counts SELECT scope, status, kind, is_habit, count(*) FROM memories GROUP BY 1, 2, 3, 4"
)
_HIDE_SUPERSEDED = """
  UPDATE pages SET is_hidden =
    event_id <> (SELECT max(event_id) FROM pages WHERE kind = 'evaluation' AND page_name = :page_name)
  WHERE kind = 'evaluation' AND page_name = :page_name
"""
_SELECT_WORKLOG_ENTRY = f"""
  SELECT event_id, page_name, is_hidden, {EVENT_LINE} FROM pages JOIN events ON events.id = event_id
  WHERE event_id = ? AND kind = 'worklog'
"""


class ActiveMemory(Record):
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

    @property
    def side(self) -> ConflictSide:
        kind, provenance = Kind.from_label(self.kind), Provenance(self.provenance)
        return ConflictSide(ClaimId(self.id), kind, provenance, EventId(self.last_event))


class OpposedPair(Record):
    """Two memories that contradict each other, or may do so."""

    first: int
    second: int
    is_certain: bool


class ConflictIndex:
    """Updates `memory_topics`, `opposed_pairs` and the rulings while memories are written."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._reset()

    def _reset(self) -> None:
        self._changed: set[int] = set()
        self._topic_growth: Counter[int] = Counter()  # by topic: how many members it gained

    def remove_memory(self, doc_id: int) -> None:
        """Remove the topics of a memory that is about to change or to be deleted."""
        row = self._connection.execute("SELECT scope, sentence FROM memories WHERE doc_id = ?", (doc_id,)).fetchone()
        self._changed.add(doc_id)
        for topic in _topic_hashes(*row) if row else ():
            query = "DELETE FROM memory_topics WHERE topic_hash = ? AND doc_id = ?"
            deleted = self._connection.execute(query, (topic, doc_id))
            self._topic_growth[topic] -= deleted.rowcount

    def add_memories(self, memories: Iterable[MemoryContent]) -> None:
        """Add the topics of active memories."""
        rows = []
        for memory in memories:
            self._changed.add(memory.doc_id)
            rows += [(topic, memory.doc_id) for topic in memory.topics]
        self._connection.executemany("INSERT INTO memory_topics VALUES (?, ?)", sorted(rows))
        self._topic_growth.update(topic for topic, _ in rows)

    def flush(self) -> None:
        """Compare the changed memories and resolve the groups they belong to."""
        if len(self._changed) > _BULK_THRESHOLD:
            self.resolve_all(_all_opposed_pairs(self._connection))
        else:
            self._resolve_changed()
        self._reset()

    def resolve_all(self, pairs: Iterable[OpposedPair]) -> None:
        """Store all opposed pairs, each given once, and resolve all groups."""
        ruled = {doc_id for (doc_id,) in self._connection.execute(_SELECT_RULED)}
        self._connection.execute("DELETE FROM rulings")
        edges = sorted(edge for pair in pairs for edge in _edges(pair))
        self._connection.execute("DELETE FROM opposed_pairs")
        self._connection.executemany("INSERT INTO opposed_pairs VALUES (?, ?, ?)", edges)
        self._resolve_groups(ruled | {doc_id for doc_id, _, _ in edges})

    def _resolve_changed(self) -> None:
        connection = self._connection
        changed = self._changed | self._members_of_crossed_topics()
        former_opponents = {other for doc_id in changed for other in _opponents(connection, doc_id)}
        for doc_id in changed:
            connection.execute("DELETE FROM opposed_pairs WHERE doc_id = ?1 OR opponent_doc_id = ?1", (doc_id,))
        for doc_id in sorted(changed):
            for pair in _find_opponents(connection, doc_id):
                connection.executemany("INSERT OR IGNORE INTO opposed_pairs VALUES (?, ?, ?)", _edges(pair))
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
            group = _connected_group(self._connection, remaining.pop())
            remaining -= group
            before = self._resolutions(group)
            for doc_id in group:
                run("UPDATE memories SET overruled_by_id = NULL, is_conflicting = 0 WHERE doc_id = ?", (doc_id,))
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


def opposing_claims(connection: sqlite3.Connection, claim: Claim) -> list[ClaimId]:
    """Return the active memories that contradict a claim, which need not be stored, or may do so. Few, the sure ones
    first."""
    others = _comparable_memories(connection, claim.scope, claim.sentence)
    relations = {memory.id: oppose(memory.sentence, claim.sentence) for memory in others if memory.id != claim.id}
    noticed = [ClaimId(other) for other, relation in relations.items() if relation.is_noticed]
    return sorted(noticed, key=lambda other: relations[other].kind is not RelationKind.OVERRULES)[:MAX_AT_ONCE]


def _ruling_rows(rulings: Sequence[Ruling]) -> list[tuple[int, int, int, int, str]]:
    """Return the rows of the rulings of one group. The group has the id of its first memory that they mark."""
    marked = [ruling.loser for ruling in rulings]
    marked += [ruling.winner for ruling in rulings if ruling.rule.is_open]
    group = min(map(claim_number, marked), default=0)
    return [
        (group, position, claim_number(ruling.winner), claim_number(ruling.loser), ruling.rule.name)
        for position, ruling in enumerate(rulings)
    ]


def _resolve_group(connection: sqlite3.Connection, group: set[int]) -> list[Ruling]:
    """Return the rulings among memories that are connected by opposed pairs."""
    memories = load_active(connection, group)
    kinds = {
        (doc_id, other): RelationKind.OVERRULES if is_certain else RelationKind.MAY_CONTRADICT
        for doc_id in group
        for other, is_certain in _opponents(connection, doc_id).items()
    }
    return resolve_conflicts(
        [memory.side for memory in memories],
        lambda older, newer: kinds.get((claim_number(older.id), claim_number(newer.id)), RelationKind.UNRELATED),
    )


def _connected_group(connection: sqlite3.Connection, doc_id: int) -> set[int]:
    """Return a memory and all that are reached from it over opposed pairs."""
    group, queue = {doc_id}, [doc_id]
    while queue:
        new = _opponents(connection, queue.pop()).keys() - group
        group |= new
        queue += new
    return group


def _opponents(connection: sqlite3.Connection, doc_id: int) -> dict[int, int]:
    """Return the stored opponents of a memory, and whether each is certain."""
    query = "SELECT opponent_doc_id, is_certain FROM opposed_pairs WHERE doc_id = ?"
    return dict(connection.execute(query, (doc_id,)))


def _edges(pair: OpposedPair) -> list[tuple[int, int, bool]]:
    """Return the rows of a pair, one for each direction."""
    return [pair, (pair.second, pair.first, pair.is_certain)]


def _find_opponents(connection: sqlite3.Connection, doc_id: int) -> list[OpposedPair]:
    """Compare an active memory with all that share a topic. Return the pairs that are opposed."""
    row = connection.execute(f"{_SELECT_ACTIVE} WHERE doc_id = ? AND status = 'active'", (doc_id,)).fetchone()
    if row is None:
        return []
    memory = ActiveMemory(*row)
    candidates = _comparable_memories(connection, memory.scope, memory.sentence)
    return [pair for other in candidates if other.doc_id != doc_id and (pair := compare_memories(memory, other))]


def compare_memories(first: ActiveMemory, second: ActiveMemory) -> OpposedPair | None:
    """Return two memories as a pair if they contradict each other or may do so.

    They do not if a person kept both when both were known.
    """
    pairs = ((first, second), (second, first))
    if any(memory.kept_event and other.first_event < memory.kept_event for memory, other in pairs):
        return None
    relation = oppose(first.sentence, second.sentence)
    is_certain = relation.kind is RelationKind.OVERRULES
    return OpposedPair(first.doc_id, second.doc_id, is_certain) if relation.is_noticed else None


def _comparable_memories(connection: sqlite3.Connection, scope: str, sentence: str) -> list[ActiveMemory]:
    """Return the active memories of a scope that share enough topics with a sentence to be compared with it."""
    shared: Counter[int] = Counter()
    common = []
    for topic in _topic_hashes(scope, sentence):
        members = _topic_members(connection, topic, MAX_TOPIC_MEMORIES + 1)
        if len(members) > MAX_TOPIC_MEMORIES:
            common.append(topic)
        else:
            shared.update(members)
    candidates = set(shared)
    query = "SELECT 1 FROM memory_topics WHERE topic_hash = ? AND doc_id = ?"
    for topic in common:
        shared.update(doc_id for doc_id in candidates if connection.execute(query, (topic, doc_id)).fetchone())
    size = len(topics(sentence))
    return [
        memory
        for memory in load_active(connection, candidates)
        if share_enough(shared[memory.doc_id], min(size, len(topics(memory.sentence))), sentence, memory.sentence)
    ]


def share_enough(shared: int, fewest: int, first: str, second: str) -> bool:
    """Return whether two sentences are compared: the number of topics they share, and the fewest that one has."""
    return is_worth_comparing(shared, fewest, lambda: is_change_or_denial(first) or is_change_or_denial(second))


def _all_opposed_pairs(connection: sqlite3.Connection) -> Iterator[OpposedPair]:
    """Yield every opposed pair once: the result of `_find_opponents` for all memories, in one pass over the topics."""
    topics_of: dict[int, set[int]] = {}
    members_of: dict[int, list[int]] = {}  # of topics that are not too common
    rows = connection.execute("SELECT topic_hash, doc_id FROM memory_topics ORDER BY topic_hash, doc_id")
    for topic, topic_rows in groupby(rows, key=itemgetter(0)):
        members = [doc_id for _, doc_id in topic_rows]
        if len(members) > 1:
            for doc_id in members:
                topics_of.setdefault(doc_id, set()).add(topic)
        if 1 < len(members) <= MAX_TOPIC_MEMORIES:
            members_of[topic] = members
    topic_counts = dict(connection.execute("SELECT doc_id, count(*) FROM memory_topics GROUP BY doc_id"))
    doc_ids = {doc_id for members in members_of.values() for doc_id in members}
    memories = {memory.doc_id: memory for memory in load_active(connection, doc_ids)}
    for topic, members in members_of.items():
        for first, second in combinations(members, 2):
            shared = topics_of[first] & topics_of[second]
            if topic != min(each for each in shared if each in members_of):
                continue  # compared under an earlier topic
            left, right = memories[first], memories[second]
            fewest = min(topic_counts[first], topic_counts[second])
            is_compared = share_enough(len(shared), fewest, left.sentence, right.sentence)
            if is_compared and (pair := compare_memories(left, right)):
                yield pair


def _topic_members(connection: sqlite3.Connection, topic: int, limit: int) -> list[int]:
    query = "SELECT doc_id FROM memory_topics WHERE topic_hash = ? LIMIT ?"
    return [doc_id for (doc_id,) in connection.execute(query, (topic, limit))]


def load_active(connection: sqlite3.Connection, doc_ids: Iterable[int]) -> list[ActiveMemory]:
    """Return what is compared of active memories."""
    query = f"{_SELECT_ACTIVE} WHERE doc_id = ?"
    rows = (connection.execute(query, (doc_id,)).fetchone() for doc_id in sorted(doc_ids))
    return [ActiveMemory(*row) for row in rows if row]


def _topic_hashes(scope: str, sentence: str) -> list[int]:
    """Return the topics of a sentence in a scope as 64-bit hashes."""
    return [_topic_hash(scope, topic) for topic in topics(sentence)]


@lru_cache(maxsize=1 << 14)
def _topic_hash(scope: str, topic: str) -> int:
    return int.from_bytes(blake2b(f"{scope}\n{topic}".encode(), digest_size=8).digest(), "big", signed=True)


# Memories


class MemoryContent(Record):
    """What the index stores of a memory: a row, the words of its text and of what describes it, and its topics, if it
    is active, as hashes."""

    doc_id: int
    row: tuple[str | int | float | None, ...]
    text: str
    extra: str
    topics: list[int]

    @property
    def document(self) -> IndexedDocument:
        return IndexedDocument(self.doc_id, self.text, self.extra)


def insert_memories(connection: sqlite3.Connection, rows: Iterable[tuple[str | int | float | None, ...]]) -> None:
    """Insert rows of `memories`, or replace them."""
    connection.executemany(_INSERT_MEMORY, rows)


class MemoryWriter:
    """Writes the memories that new events touch."""

    def __init__(self, connection: sqlite3.Connection, postings: PostingsWriter, decode: Decode) -> None:
        self._connection = connection
        self._postings = postings
        self._decode = decode
        self._conflicts = ConflictIndex(connection)
        self._stale_claims: set[ClaimId] = set()
        self._reduced_claims: set[ClaimId] = set()  # those that lost events
        self._counts: Counter[tuple[str | int, ...]] = Counter()  # what `memory_counts` gains

    def remove_events(self, events: Sequence[Event]) -> None:
        """Detach events from the memories they were folded into. `flush` folds these again."""
        rows = [(claim, event.id) for event in events for claim in claims_of_event(event)]
        self._connection.executemany("DELETE FROM claim_events WHERE claim_id = ? AND event_id = ?", rows)
        self._reduced_claims.update(claim for claim, _ in rows)
        self._stale_claims |= self._reduced_claims

    def add_events(self, events: Sequence[Event]) -> None:
        """Write the memories of new claims. Those of known claims are written by `flush`."""
        by_claim: dict[ClaimId, list[Event]] = {}
        for event in events:
            for claim in claims_of_event(event):
                by_claim.setdefault(claim, []).append(event)
        known = self._known_claims(set(by_claim)) | (self._stale_claims & by_claim.keys())
        rows = [(claim, event.id) for claim in sorted(by_claim) for event in by_claim[claim]]
        self._connection.executemany("INSERT OR IGNORE INTO claim_events VALUES (?, ?)", rows)
        self._connection.executemany("INSERT OR IGNORE INTO claim_sources VALUES (?, ?)", _claim_sources(events))
        self._connection.executemany("INSERT OR IGNORE INTO memory_agents VALUES (?, ?)", memory_agents(by_claim))
        self._stale_claims |= known
        new = sorted(by_claim.keys() - known)  # rows are inserted fastest in order
        self._write_memories({claim: fold_memory(by_claim[claim], claim) for claim in new}, fresh=True)

    def _known_claims(self, claims: set[ClaimId]) -> set[ClaimId]:
        """Return those of `claims` that have events already."""
        if self._connection.execute("SELECT 1 FROM claim_events LIMIT 1").fetchone() is None:
            return set()
        if len(claims) > _BULK_THRESHOLD:
            return claims & {ClaimId(row[0]) for row in self._connection.execute("SELECT claim_id FROM claim_events")}
        query = "SELECT 1 FROM claim_events WHERE claim_id = ? LIMIT 1"
        return {claim for claim in claims if self._connection.execute(query, (claim,)).fetchone()}

    def flush(self) -> None:
        """Fold the known claims that got events again, and resolve the conflicts of all that changed."""
        for claim in self._stale_claims:
            self._conflicts.remove_memory(claim_number(claim))
        events = {claim: events_of_claim(self._connection, claim, self._decode) for claim in sorted(self._stale_claims)}
        self._write_sources({claim: events[claim] for claim in self._reduced_claims})
        self._write_memories({claim: fold_memory(events[claim], claim) for claim in events}, fresh=False)
        self._conflicts.flush()
        self._connection.executemany(_ADD_COUNT, [(*key, number) for key, number in self._counts.items() if number])
        self._connection.execute("DELETE FROM memory_counts WHERE memory_count = 0")
        self._stale_claims, self._reduced_claims = set(), set()
        self._counts = Counter()

    def _write_sources(self, by_claim: Mapping[ClaimId, Sequence[Event]]) -> None:
        """Write what claims were learned from, and which agents had a part in them, for claims that lost events."""
        run = self._connection.executemany
        run("DELETE FROM claim_sources WHERE claim_id = ?", [(claim,) for claim in by_claim])
        run("DELETE FROM memory_agents WHERE doc_id = ?", [(claim_number(claim),) for claim in by_claim])
        sources = [row for claim, events in by_claim.items() for row in _claim_sources(events) if row[0] == claim]
        run("INSERT OR IGNORE INTO claim_sources VALUES (?, ?)", sources)
        run("INSERT OR IGNORE INTO memory_agents VALUES (?, ?)", memory_agents(by_claim))

    def _write_memories(self, folded: Mapping[ClaimId, Memory | None], *, fresh: bool) -> None:
        """Replace the rows of memories, and delete them for None. `fresh` says that none has a row yet."""
        if not fresh:
            self._counts.subtract(self._counted(folded))
        for claim, memory in folded.items():
            if memory is None:
                self._delete_memory(claim)
        memories = [memory for memory in folded.values() if memory is not None]
        contents = [memory_content(memory, claim_number(memory.id)) for memory in memories]
        insert_memories(self._connection, [content.row for content in contents])
        self._counts.update(
            (memory.claim.scope, memory.status.value, memory.claim.kind.label, int(memory.is_habit))
            for memory in memories
        )
        self._postings.add([content.document for content in contents], fresh=fresh)
        if not fresh:
            drop_stale_memory_vectors(self._connection, [_embedding_text(memory) for memory in memories])
        is_bulk = len(folded) > _BULK_THRESHOLD
        mark_stale(self._connection, ["everything"] if is_bulk else [f"memory {claim}" for claim in folded])
        self._conflicts.add_memories(
            content for memory, content in zip(memories, contents, strict=True) if memory.status is Status.ACTIVE
        )

    def _counted(self, claims: Iterable[ClaimId]) -> Iterator[tuple[str | int, ...]]:
        """Yield what the memories that have a row now are counted under."""
        for claim in claims:
            yield from self._connection.execute(_SELECT_COUNTED, (claim_number(claim),))

    def _delete_memory(self, claim: ClaimId) -> None:
        doc_id = claim_number(claim)
        self._connection.execute("DELETE FROM memories WHERE doc_id = ?", (doc_id,))
        self._postings.remove(doc_id)
        drop_stale_memory_vectors(self._connection, [EmbeddingText(doc_id, "")])


def _claim_sources(events: Sequence[Event]) -> Iterator[tuple[ClaimId, EventId]]:
    """Yield the claims that were learned from sessions, with the events they were learned from."""
    for event in events:
        if isinstance(event.body, ClaimProposed):
            yield from ((event.body.claim.id, source) for source in event.body.events)


def memory_agents(by_claim: Mapping[ClaimId, Sequence[Event]]) -> list[tuple[str, int]]:
    """Return the agents of events, with the memories that these touch."""
    rows: list[tuple[str, int]] = []
    for claim, events in by_claim.items():
        agents = {agent_name(event.origin.actor) for event in events} - {""}
        rows += [(agent, claim_number(claim)) for agent in sorted(agents)]
    return rows


def memory_content(memory: Memory, doc_id: int) -> MemoryContent:
    """Return what the index stores of a memory. `doc_id` is the number of its claim."""
    claim = memory.claim
    extra = (*claim.tags, claim.kind.label, *[evidence.text for evidence in memory.evidence], memory.reason)
    is_active = memory.status is Status.ACTIVE
    return MemoryContent(
        doc_id,
        _memory_columns(memory, doc_id),
        " ".join(tokenize(claim.sentence)),
        " ".join(tokenize("\n".join(extra))),
        _topic_hashes(claim.scope, claim.sentence) if is_active else [],
    )


def _memory_columns(memory: Memory, doc_id: int) -> tuple[str | int | float | None, ...]:
    claim = memory.claim
    has_stance = memory.status is Status.ACTIVE and not memory.is_kept
    stance = parse_stance(claim) if has_stance else _NO_STANCE
    return (
        doc_id,
        claim.id,
        claim.scope,
        claim.kind.label,
        memory.status.value,
        claim.sentence,
        " ".join(claim.tags),
        memory.strength,
        int(memory.provenance),
        memory.last_event,
        timestamp(memory.last_at),
        stance.question if has_stance else None,
        stance.answer,
        stance.positive,
        stance.exclusive,
        memory.first_event,
        memory.kept_event,
        bool(memory.shared),
        memory.author,
        memory.is_habit,
        memory.confidence,
    )


def _embedding_text(memory: Memory) -> EmbeddingText:
    """Return the text that is embedded, "" for a memory that was dismissed or retired."""
    is_embedded = memory.status in (Status.ACTIVE, Status.PENDING)
    return EmbeddingText(claim_number(memory.id), memory.claim.sentence if is_embedded else "")


# Pages: entries of the worklog, and the latest evaluation of each day


class _PageText(Record):
    kind: str
    day: str
    title: str
    text: str


def add_pages(connection: sqlite3.Connection, postings: PostingsWriter, events: Sequence[Event]) -> None:
    """Write a page for each worklog entry and evaluation among the events."""
    for event in events:
        page = _page_text(event)
        if page is None:
            continue
        doc_id = page_doc_id(event.id)
        row = (doc_id, event.id, page.kind, event.scope, page.day, timestamp(event.at), page.title)
        connection.execute("INSERT OR IGNORE INTO pages VALUES (?, ?, ?, ?, ?, ?, ?, 0)", row)
        if page.kind == "evaluation":
            connection.execute(_HIDE_SUPERSEDED, {"page_name": page.day})
        document = IndexedDocument(doc_id, " ".join(tokenize(page.title)), " ".join(tokenize(page.text)))
        postings.add([document], fresh=True)
        mark_stale(connection, [f"{page.kind} {page.day}"])


def remove_pages(connection: sqlite3.Connection, postings: PostingsWriter, events: Sequence[Event]) -> None:
    """Remove the pages of worklog entries and evaluations among the events."""
    for event in events:
        if isinstance(event.body, WorkLogged | EvaluationCreated):
            postings.remove(page_doc_id(event.id))
            connection.execute("DELETE FROM pages WHERE doc_id = ?", (page_doc_id(event.id),))


def hide_undone_entries(connection: sqlite3.Connection, decode: Decode) -> None:
    """Hide worklog entries that were undone, and show those whose undo was undone.

    Undo events are few, so all of them are evaluated together.
    """
    undos = [decode(raw) for (raw,) in connection.execute(SELECT_UNDONE).fetchall()]
    targets = {target for event in undos if isinstance(event.body, EventsUndone) for target in event.body.targets}
    entries = [
        row for target in sorted(targets) if (row := connection.execute(_SELECT_WORKLOG_ENTRY, (target,)).fetchone())
    ]
    undone = undone_ids(sorted([*undos, *(decode(raw) for *_, raw in entries)], key=lambda event: event.id))
    for event_id, day, was_hidden, _ in entries:
        if bool(was_hidden) != (event_id in undone):
            connection.execute("UPDATE pages SET is_hidden = ? WHERE event_id = ?", (event_id in undone, event_id))
            mark_stale(connection, [f"worklog {day}"])


def _page_text(event: Event) -> _PageText | None:
    match event.body:
        case WorkLogged(task, summary, changes, evidence, following):
            title = f"{task}: {summary}" if task else summary
            return _PageText("worklog", event.day.isoformat(), title, "\n".join((changes, evidence, following)))
        case EvaluationCreated(day, scores):
            points, max_points = sum(score.points for score in scores), 2 * len(scores)
            text = "\n".join(f"{score.name} {score.reason}" for score in scores)
            return _PageText("evaluation", day, f"Evaluation of {day}: {points} of {max_points} points", text)
    return None
