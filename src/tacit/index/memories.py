"""Rows of memories, of conflicts between them, of the worklog and of evaluations."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import combinations, groupby
from operator import itemgetter

from tacit.index.database import mark_stale
from tacit.index.doc_ids import page_doc_id
from tacit.index.postings_writer import IndexedDocument, PostingsWriter
from tacit.index.reader import EVENT_LINE, SELECT_UNDONE, Decode
from tacit.index.vectors import EmbeddingText, drop_stale_memory_vectors
from tacit.model.claim import Claim, Kind, Provenance, Scope, Status
from tacit.model.conflict import ConflictRule, ConflictSide, Ruling, Stance, parse_stance, resolve_conflicts
from tacit.model.event import ClaimProposed, Event, EventsUndone, timestamp
from tacit.model.ids import ClaimId, EventId, claim_number
from tacit.model.memory import Memory, fold_memory, touched_claims, undone_ids
from tacit.model.observation import EvaluationCreated, WorkLogged
from tacit.model.relation import RelationKind, relate
from tacit.model.terms import is_change_or_denial, is_worth_comparing, topics
from tacit.record import Record
from tacit.text.words import tokenize

# Which active memories oppose each other, and what was ruled (S13). Kept in two tables, `topic` and `opposed`.
#
# Memories of one scope are compared where they share a topic that is not too common (`MOST`); a pair that is opposed
# is an edge. All rulings follow from the edges between memories, so they depend on what is remembered and not on the
# order in which it came: after a change only the memories that are connected with it by edges are judged again.

# A topic that more active memories of a scope have tells nothing: it is as if it were a light word there.
MAX_TOPIC_MEMORIES = 40
_BULK_THRESHOLD = 500  # changes from which on it is cheaper to compare all anew
_SELECT_SIDE = "SELECT number, id, scope, sentence, kind, provenance, last, first, kept FROM memory"
_SELECT_RULED = "SELECT number FROM memory WHERE conflict OR overruled_by IS NOT NULL"


class _ConflictSide(Record):
    """An active memory, as far as disputes look at it."""

    doc_id: int
    id: str
    scope: str
    sentence: str
    kind: str
    provenance: int
    last: str
    first: str
    independent_since: str | None

    @property
    def answer(self) -> ConflictSide:
        return ConflictSide(
            ClaimId(self.id), Kind.from_label(self.kind), Provenance(self.provenance), EventId(self.last)
        )


class RuledConflict(Record):
    """Two memories that are opposed, what decided between them, and in what they differ."""

    ruling: Ruling
    why: str


class ConflictIndex:
    """Keeps both tables and the rulings up to date while memories are filed."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._reset()

    def _reset(self) -> None:
        self._changed: set[int] = set()
        self._topic_growth: Counter[int] = Counter()  # by topic: how many memories more it has than before

    def remove_memory(self, number: int) -> None:
        """A memory is about to change or to go."""
        row = self._connection.execute("SELECT scope, sentence FROM memory WHERE number = ?", (number,)).fetchone()
        self._changed.add(number)
        for topic in _topic_ids(*row) if row else ():
            gone = self._connection.execute("DELETE FROM topic WHERE topic = ? AND number = ?", (topic, number))
            self._topic_growth[topic] -= gone.rowcount

    def add_memories(self, memories: Iterable[tuple[int, Scope, str]]) -> None:
        """Active memories came, or came back after they had left: number, scope and sentence."""
        rows = []
        for number, scope, text in memories:
            self._changed.add(number)
            rows += [(topic, number) for topic in _topic_ids(scope, text)]
        self._connection.executemany("INSERT INTO topic VALUES (?, ?)", sorted(rows))
        self._topic_growth.update(topic for topic, _ in rows)

    def flush(self) -> None:
        """Compare what changed, and judge what is connected with it."""
        if len(self._changed) > _BULK_THRESHOLD:
            self._resolve_all()
        else:
            self._resolve_changed()
        self._reset()

    def _resolve_all(self) -> None:
        ruled = {row[0] for row in self._connection.execute(_SELECT_RULED)}
        self._connection.execute("DELETE FROM opposed")
        edges = [edge for pair in _all_opposed_pairs(self._connection) for edge in (pair, pair[::-1])]
        self._connection.executemany("INSERT INTO opposed VALUES (?, ?)", edges)
        self._resolve_groups(ruled | {one for one, _ in edges})

    def _resolve_changed(self) -> None:
        run = self._connection.execute
        again = self._changed | self._members_of_crossed_topics()
        around = {other for one in again for (other,) in run("SELECT other FROM opposed WHERE one = ?", (one,))}
        for number in again:
            run("DELETE FROM opposed WHERE one = ?1 OR other = ?1", (number,))
        for number in sorted(again):
            for other in _opposed_ids(self._connection, number):
                self._connection.executemany(
                    "INSERT OR IGNORE INTO opposed VALUES (?, ?)", [(number, other), (other, number)]
                )
        self._resolve_groups(again | around)

    def _members_of_crossed_topics(self) -> set[int]:
        """The memories of topics that have just become too common, or are so no longer."""
        found: set[int] = set()
        for topic, more in self._topic_growth.items():
            members = _topic_members(self._connection, topic) if more else []
            if (len(members) <= MAX_TOPIC_MEMORIES) != (len(members) - more <= MAX_TOPIC_MEMORIES):
                found.update(members)
        return found

    def _resolve_groups(self, numbers: set[int]) -> None:
        """Judge anew every memory that is connected with one of these."""
        run = self._connection.execute
        left = set(numbers)
        while left:
            group = _connected_group(self._connection, left.pop())
            left -= group
            before = self._resolutions(group)
            for number in group:
                run("UPDATE memory SET overruled_by = NULL, conflict = 0 WHERE number = ?", (number,))
            for ruling in _resolve_group(self._connection, group) if len(group) > 1 else ():
                if ruling.rule is ConflictRule.UNDECIDED:
                    both = (claim_number(ruling.winner), claim_number(ruling.loser))
                    run("UPDATE memory SET conflict = 1 WHERE number IN (?, ?)", both)
                else:
                    row = (ruling.winner, claim_number(ruling.loser))
                    run("UPDATE memory SET overruled_by = ? WHERE number = ?", row)
            mark_stale(self._connection, {f"memory {row[0]}" for row in before ^ self._resolutions(group)})

    def _resolutions(self, numbers: Iterable[int]) -> set[tuple[str, str | None, int]]:
        query = "SELECT id, overruled_by, conflict FROM memory WHERE number = ?"
        return {row for number in numbers for row in self._connection.execute(query, (number,))}


def opposing_claims(connection: sqlite3.Connection, claim: Claim) -> list[ClaimId]:
    """The active memories that a claim is opposed to, whether it is remembered or not."""
    own = claim_number(claim.id)
    sides = (side for side in _comparable_sides(connection, claim.scope, claim.sentence) if side.doc_id != own)
    return [ClaimId(side.id) for side in sides if relate(side.sentence, claim.sentence).kind is RelationKind.OPPOSED]


def ruled_conflicts(connection: sqlite3.Connection) -> list[RuledConflict]:
    """What was ruled between active memories, and what no rule decides."""
    left = {row[0] for row in connection.execute(_SELECT_RULED)}
    found: list[RuledConflict] = []
    while left:
        group = _connected_group(connection, min(left))
        left -= group
        texts = {side.id: side.sentence for side in _load_sides(connection, group)}
        found += [
            RuledConflict(one, relate(texts[one.winner], texts[one.loser]).reason)
            for one in _resolve_group(connection, group)
        ]
    return found


def _resolve_group(connection: sqlite3.Connection, group: set[int]) -> list[Ruling]:
    """Among memories that are connected by edges."""
    sides = _load_sides(connection, group)
    edges = {
        frozenset((number, other))
        for number in group
        for (other,) in connection.execute("SELECT other FROM opposed WHERE one = ?", (number,))
    }
    numbers = {side.id: side.doc_id for side in sides}
    return resolve_conflicts(
        [side.answer for side in sides],
        lambda one, other: frozenset((numbers[one.id], numbers[other.id])) in edges,
    )


def _connected_group(connection: sqlite3.Connection, number: int) -> set[int]:
    """It and whatever is reached from it by edges."""
    found, ahead = {number}, [number]
    while ahead:
        rows = connection.execute("SELECT other FROM opposed WHERE one = ?", (ahead.pop(),)).fetchall()
        new = {other for (other,) in rows} - found
        found |= new
        ahead += new
    return found


def _opposed_ids(connection: sqlite3.Connection, number: int) -> list[int]:
    own = connection.execute(f"{_SELECT_SIDE} WHERE number = ? AND status = 'active'", (number,)).fetchone()
    if own is None:
        return []
    mine = _ConflictSide(*own)
    sides = (side for side in _comparable_sides(connection, mine.scope, mine.sentence) if side.doc_id != number)
    return [side.doc_id for side in sides if _are_opposed(mine, side)]


def _are_opposed(one: _ConflictSide, other: _ConflictSide) -> bool:
    """Whether two memories are opposed, unless a person said since both were known that one stands beside others."""
    if (one.independent_since and other.first < one.independent_since) or (
        other.independent_since and one.first < other.independent_since
    ):
        return False
    return relate(one.sentence, other.sentence).kind is RelationKind.OPPOSED


def _comparable_sides(connection: sqlite3.Connection, scope: str, text: str) -> list[_ConflictSide]:
    """The active memories of a scope that a text is worth comparing with."""
    shared: Counter[int] = Counter()
    found: set[int] = set()
    for topic in _topic_ids(scope, text):
        members = _topic_members(connection, topic)
        shared.update(members)
        found.update(members if len(members) <= MAX_TOPIC_MEMORIES else ())
    own = topics(text)
    return [
        side
        for side in _load_sides(connection, found)
        if is_worth_comparing(
            shared[side.doc_id],
            min(len(own), len(topics(side.sentence))),
            lambda side=side: is_change_or_denial(text) or is_change_or_denial(side.sentence),  # type: ignore[misc]
        )
    ]


def _all_opposed_pairs(connection: sqlite3.Connection) -> Iterator[tuple[int, int]]:
    """Every edge there is, each once: what `_near` and `_is_edge` say of one memory, for all of them."""
    by_number: dict[int, set[int]] = {}
    groups: dict[int, list[int]] = {}
    rows = connection.execute("SELECT topic, number FROM topic ORDER BY topic, number")
    for topic, members in groupby(rows, key=itemgetter(0)):
        numbers = [number for _, number in members]
        if len(numbers) > 1:
            for number in numbers:
                by_number.setdefault(number, set()).add(topic)
        if 1 < len(numbers) <= MAX_TOPIC_MEMORIES:
            groups[topic] = numbers
    sizes = dict(connection.execute("SELECT number, count(*) FROM topic GROUP BY number"))
    sides = {side.doc_id: side for side in _load_sides(connection, {one for group in groups.values() for one in group})}
    for topic, numbers in groups.items():
        for one, other in combinations(numbers, 2):
            shared = by_number[one] & by_number[other]
            if topic != min(each for each in shared if each in groups):
                continue  # met before
            first, second = sides[one], sides[other]
            fewest = min(sizes[one], sizes[other])
            if is_worth_comparing(
                len(shared),
                fewest,
                lambda first=first, second=second: (
                    is_change_or_denial(first.sentence) or is_change_or_denial(second.sentence)
                ),  # type: ignore[misc]
            ) and _are_opposed(first, second):
                yield one, other


def _topic_members(connection: sqlite3.Connection, topic: int) -> list[int]:
    return [number for (number,) in connection.execute("SELECT number FROM topic WHERE topic = ?", (topic,))]


def _load_sides(connection: sqlite3.Connection, numbers: Iterable[int]) -> list[_ConflictSide]:
    found = (connection.execute(f"{_SELECT_SIDE} WHERE number = ?", (number,)).fetchone() for number in sorted(numbers))
    return [_ConflictSide(*row) for row in found if row]


def _topic_ids(scope: str, text: str) -> Sequence[int]:
    """The topics of a text in a scope, as they are kept."""
    return [_topic_id(f"{scope}\n{topic}") for topic in sorted(topics(text))]


def _topic_id(topic: str) -> int:
    return int.from_bytes(blake2b(topic.encode(), digest_size=8).digest(), "big", signed=True)


# The rows of memories: folded again whenever one of their events is new, and judged where they disagree.

_COLUMN_COUNT = 18
_NO_STANCE = Stance("", "", positive=True, exclusive=False)
_INSERT_MEMORY = f"INSERT OR REPLACE INTO memory VALUES ({', '.join('?' * _COLUMN_COUNT)}, NULL, 0)"


class _FoldedMemory(Record):
    memory: Memory
    is_new: bool
    columns: tuple[str | int | None, ...]


class MemoryWriter:
    """Writes what a chunk of new events says about memories."""

    def __init__(self, connection: sqlite3.Connection, lists: PostingsWriter, decode: Decode) -> None:
        self._connection = connection
        self._postings = lists
        self._decode = decode
        self._conflicts = ConflictIndex(connection)
        self._stale_claims: set[ClaimId] = set()

    def add_events(self, events: Sequence[Event]) -> None:
        by_claim: dict[ClaimId, list[Event]] = {}
        for event in events:
            for claim in claims_of_event(event):
                by_claim.setdefault(claim, []).append(event)
        known = self._known_claims(set(by_claim))
        rows = [(claim, event.id) for claim in sorted(by_claim) for event in by_claim[claim]]
        self._connection.executemany("INSERT OR IGNORE INTO touch VALUES (?, ?)", rows)
        self._connection.executemany("INSERT OR IGNORE INTO source VALUES (?, ?)", _claim_sources(events))
        self._stale_claims |= known
        self._refold({claim: said for claim, said in by_claim.items() if claim not in known}, set())

    def _known_claims(self, claims: set[ClaimId]) -> set[ClaimId]:
        """Which of these claims had events before."""
        if self._connection.execute("SELECT 1 FROM touch LIMIT 1").fetchone() is None:
            return set()
        if len(claims) > _BULK_THRESHOLD:
            return claims & {ClaimId(row[0]) for row in self._connection.execute("SELECT claim FROM touch")}
        query = "SELECT 1 FROM touch WHERE claim = ? LIMIT 1"
        return {claim for claim in claims if self._connection.execute(query, (claim,)).fetchone()}

    def _refold(self, by_claim: Mapping[ClaimId, Sequence[Event]], known: set[ClaimId]) -> None:
        for claim in known:
            self._conflicts.remove_memory(claim_number(claim))
        rows: list[_FoldedMemory] = []
        for claim in sorted(by_claim):  # rows are taken fastest in their order
            events = self._events_of_claim(claim) if claim in known else by_claim[claim]
            memory = fold_memory(events, claim)
            if memory is None:
                self._delete_memory(claim)
            else:
                rows.append(_folded_memory(memory, is_new=claim not in known))
        self._connection.executemany(_INSERT_MEMORY, [row.columns for row in rows])
        self._postings.add([_memory_document(row) for row in rows if row.is_new], fresh=True)
        self._postings.add([_memory_document(row) for row in rows if not row.is_new], fresh=False)
        drop_stale_memory_vectors(self._connection, [_embedding_text(row.memory) for row in rows if not row.is_new])
        mark_stale(
            self._connection,
            ["everything"] if len(by_claim) > _BULK_THRESHOLD else [f"memory {one}" for one in by_claim],
        )
        active = (row.memory for row in rows if row.memory.status is Status.ACTIVE)
        self._conflicts.add_memories((claim_number(one.id), one.claim.scope, one.claim.sentence) for one in active)

    def flush(self) -> None:
        """Once all events are heard, fold again what was known before, and judge whatever is opposed to it."""
        self._refold(dict.fromkeys(self._stale_claims, ()), self._stale_claims)
        self._conflicts.flush()
        self._stale_claims = set()

    def _events_of_claim(self, claim: ClaimId) -> list[Event]:
        query = f"SELECT {EVENT_LINE} FROM touch LEFT JOIN event ON event.id = touch.event WHERE claim = ?"
        return [self._decode(raw) for (raw,) in self._connection.execute(query, (claim,))]

    def _delete_memory(self, claim: ClaimId) -> None:
        number = claim_number(claim)
        self._connection.execute("DELETE FROM memory WHERE number = ?", (number,))
        self._postings.remove(number)
        drop_stale_memory_vectors(self._connection, [EmbeddingText(number, "")])


def claims_of_event(event: Event) -> Iterable[ClaimId]:
    """The claims an event is filed under. An `Undone` names them itself: its targets may not have come yet."""
    if isinstance(event.body, EventsUndone):
        return [ClaimId(claim) for claim in event.body.claims]
    return touched_claims(event)


def _claim_sources(events: Sequence[Event]) -> Iterator[tuple[ClaimId, EventId]]:
    """The claims that were learned from sessions, with the events they were learned from."""
    for event in events:
        if isinstance(event.body, ClaimProposed) and event.body.events:
            yield from ((event.body.claim.id, source) for source in event.body.events)


def _folded_memory(memory: Memory, *, is_new: bool) -> _FoldedMemory:
    claim = memory.claim
    answers_it = memory.status is Status.ACTIVE and not memory.is_kept
    answer = parse_stance(claim) if answers_it else _NO_STANCE
    columns = (
        claim_number(memory.id),
        memory.id,
        claim.scope,
        claim.kind.label,
        memory.status.value,
        claim.sentence,
        " ".join(claim.tags),
        memory.strength,
        memory.provenance,
        memory.last,
        timestamp(memory.last_at),
        answer.question if answers_it else None,
        answer.answer,
        answer.positive,
        answer.exclusive,
        memory.first,
        memory.kept_event,
        bool(memory.shared),
    )
    return _FoldedMemory(memory, is_new, columns)


def _embedding_text(memory: Memory) -> EmbeddingText:
    """What is compared by meaning: nothing of what was forgotten or turned down."""
    stands = memory.status in (Status.ACTIVE, Status.PENDING)
    return EmbeddingText(claim_number(memory.id), memory.claim.sentence if stands else "")


def _memory_document(row: _FoldedMemory) -> IndexedDocument:
    claim, memory = row.memory.claim, row.memory
    extra = (*claim.tags, claim.kind.label, *(given.text for given in memory.evidence), memory.reason)
    return IndexedDocument(
        int(row.columns[0] or 0), " ".join(tokenize(claim.sentence)), " ".join(tokenize("\n".join(extra)))
    )


# The rows of pages: entries of the worklog, and the latest evaluation of each day.

_HIDE_SUPERSEDED = """
  UPDATE page SET void = event <> (SELECT max(event) FROM page WHERE kind = 'evaluation' AND day = :day)
  WHERE kind = 'evaluation' AND day = :day
"""


_SELECT_WORKLOG_ENTRY = f"""
  SELECT event.id, day, void, {EVENT_LINE} FROM page JOIN event ON event.id = page.event
  WHERE page.event = ? AND kind = 'worklog'
"""


class _PageText(Record):
    kind: str
    day: str
    title: str
    text: str


def add_pages(connection: sqlite3.Connection, lists: PostingsWriter, events: Sequence[Event]) -> None:
    for event in events:
        page = _page_text(event)
        number = page_doc_id(event.id)
        row = (number, event.id, page.kind, event.scope, page.day, timestamp(event.at), page.title)
        connection.execute("INSERT OR IGNORE INTO page VALUES (?, ?, ?, ?, ?, ?, ?, 0)", row)
        if page.kind == "evaluation":
            connection.execute(_HIDE_SUPERSEDED, {"day": page.day})
        lists.add([IndexedDocument(number, " ".join(tokenize(page.title)), " ".join(tokenize(page.text)))], fresh=True)
        mark_stale(connection, [f"{page.kind} {page.day}"])


def hide_undone_entries(connection: sqlite3.Connection, decode: Decode) -> None:
    """Worklog entries can be undone too. There are few undone events; all of them are weighed together."""
    rows = connection.execute(SELECT_UNDONE).fetchall()
    takebacks = [decode(raw) for (raw,) in rows]
    named = {target for event in takebacks if isinstance(event.body, EventsUndone) for target in event.body.targets}
    entries = [
        row for target in sorted(named) if (row := connection.execute(_SELECT_WORKLOG_ENTRY, (target,)).fetchone())
    ]
    void = undone_ids(sorted([*takebacks, *(decode(raw) for *_, raw in entries)], key=lambda event: event.id))
    for name, day, was_void, _ in entries:
        if bool(was_void) != (name in void):
            connection.execute("UPDATE page SET void = ? WHERE event = ?", (name in void, name))
            mark_stale(connection, [f"worklog {day}"])


def _page_text(event: Event) -> _PageText:
    match event.body:
        case WorkLogged(task, summary, changes, evidence, following):
            title = f"{task}: {summary}" if task else summary
            return _PageText("worklog", event.day.isoformat(), title, "\n".join((changes, evidence, following)))
        case EvaluationCreated(day, scores):
            points, most = sum(score.points for score in scores), 2 * len(scores)
            text = "\n".join(f"{score.name} {score.reason}" for score in scores)
            return _PageText("evaluation", day, f"Evaluation of {day}: {points} of {most} points", text)
    raise TypeError(type(event.body).__name__)
