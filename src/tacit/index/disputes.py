"""Which active memories oppose each other, and what was ruled (S13). Kept in two tables, `topic` and `opposed`.

Memories of one scope are compared where they share a topic that is not too common (`MOST`); a pair that is opposed is
an edge. All rulings follow from the edges between memories, so they depend on what is remembered and not on the order
in which it came: after a change only the memories that are connected with it by edges are judged again.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from itertools import combinations, groupby
from operator import itemgetter

from tacit.core.claim import Claim, Kind, Scope
from tacit.core.conflict import Answer, Rule, Ruling, settle
from tacit.core.ids import ClaimId, EventId, claim_number
from tacit.core.provenance import Provenance
from tacit.core.relation import Bond, relation
from tacit.core.topics import is_story, is_worth_comparing, topics
from tacit.index.rows import mark_stale
from tacit.record import Record

# A topic that more active memories of a scope have tells nothing: it is as if it were a light word there.
MOST = 40
_MANY = 500  # changes from which on it is cheaper to compare all anew
_SELECT = "SELECT number, id, scope, sentence, kind, provenance, last, first, kept FROM memory"
_RULED = "SELECT number FROM memory WHERE conflict OR overruled_by IS NOT NULL"


class _Side(Record):
    """An active memory, as far as disputes look at it."""

    number: int
    id: str
    scope: str
    sentence: str
    kind: str
    provenance: int
    last: str
    first: str
    kept: str | None

    @property
    def answer(self) -> Answer:
        return Answer(ClaimId(self.id), Kind.named(self.kind), Provenance(self.provenance), EventId(self.last))


class Disputed(Record):
    """Two memories that are opposed, what decided between them, and in what they differ."""

    ruling: Ruling
    why: str


class Disputes:
    """Keeps both tables and the rulings up to date while memories are filed."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._forget()

    def _forget(self) -> None:
        self._changed: set[int] = set()
        self._growth: Counter[int] = Counter()  # by topic: how many memories more it has than before

    def leave(self, number: int) -> None:
        """A memory is about to change or to go."""
        row = self._connection.execute("SELECT scope, sentence FROM memory WHERE number = ?", (number,)).fetchone()
        self._changed.add(number)
        for topic in _numbers(*row) if row else ():
            gone = self._connection.execute("DELETE FROM topic WHERE topic = ? AND number = ?", (topic, number))
            self._growth[topic] -= gone.rowcount

    def enter(self, memories: Iterable[tuple[int, Scope, str]]) -> None:
        """Active memories came, or came back after they had left: number, scope and sentence."""
        rows = []
        for number, scope, text in memories:
            self._changed.add(number)
            rows += [(topic, number) for topic in _numbers(scope, text)]
        self._connection.executemany("INSERT INTO topic VALUES (?, ?)", sorted(rows))
        self._growth.update(topic for topic, _ in rows)

    def settle(self) -> None:
        """Compare what changed, and judge what is connected with it."""
        if len(self._changed) > _MANY:
            self._judge_all()
        else:
            self._judge_changed()
        self._forget()

    def _judge_all(self) -> None:
        ruled = {row[0] for row in self._connection.execute(_RULED)}
        self._connection.execute("DELETE FROM opposed")
        edges = [edge for pair in _all_pairs(self._connection) for edge in (pair, pair[::-1])]
        self._connection.executemany("INSERT INTO opposed VALUES (?, ?)", edges)
        self._rule(ruled | {one for one, _ in edges})

    def _judge_changed(self) -> None:
        run = self._connection.execute
        again = self._changed | self._through_crossed_topics()
        around = {other for one in again for (other,) in run("SELECT other FROM opposed WHERE one = ?", (one,))}
        for number in again:
            run("DELETE FROM opposed WHERE one = ?1 OR other = ?1", (number,))
        for number in sorted(again):
            for other in _opposed_to(self._connection, number):
                self._connection.executemany(
                    "INSERT OR IGNORE INTO opposed VALUES (?, ?)", [(number, other), (other, number)]
                )
        self._rule(again | around)

    def _through_crossed_topics(self) -> set[int]:
        """The memories of topics that have just become too common, or are so no longer."""
        found: set[int] = set()
        for topic, more in self._growth.items():
            members = _members(self._connection, topic) if more else []
            if (len(members) <= MOST) != (len(members) - more <= MOST):
                found.update(members)
        return found

    def _rule(self, numbers: set[int]) -> None:
        """Judge anew every memory that is connected with one of these."""
        run = self._connection.execute
        left = set(numbers)
        while left:
            group = _connected(self._connection, left.pop())
            left -= group
            before = self._ruled(group)
            for number in group:
                run("UPDATE memory SET overruled_by = NULL, conflict = 0 WHERE number = ?", (number,))
            for ruling in _rulings(self._connection, group) if len(group) > 1 else ():
                if ruling.rule is Rule.UNDECIDED:
                    both = (claim_number(ruling.winner), claim_number(ruling.loser))
                    run("UPDATE memory SET conflict = 1 WHERE number IN (?, ?)", both)
                else:
                    row = (ruling.winner, claim_number(ruling.loser))
                    run("UPDATE memory SET overruled_by = ? WHERE number = ?", row)
            mark_stale(self._connection, {f"memory {row[0]}" for row in before ^ self._ruled(group)})

    def _ruled(self, numbers: Iterable[int]) -> set[tuple[str, str | None, int]]:
        query = "SELECT id, overruled_by, conflict FROM memory WHERE number = ?"
        return {row for number in numbers for row in self._connection.execute(query, (number,))}


def opposing(connection: sqlite3.Connection, claim: Claim) -> list[ClaimId]:
    """The active memories that a claim is opposed to, whether it is remembered or not."""
    own = claim_number(claim.id)
    sides = (side for side in _near(connection, claim.scope, claim.sentence) if side.number != own)
    return [ClaimId(side.id) for side in sides if relation(side.sentence, claim.sentence).bond is Bond.OPPOSED]


def disputed(connection: sqlite3.Connection) -> list[Disputed]:
    """What was ruled between active memories, and what no rule decides."""
    left = {row[0] for row in connection.execute(_RULED)}
    found: list[Disputed] = []
    while left:
        group = _connected(connection, min(left))
        left -= group
        texts = {side.id: side.sentence for side in _sides(connection, group)}
        found += [
            Disputed(one, relation(texts[one.winner], texts[one.loser]).why) for one in _rulings(connection, group)
        ]
    return found


def _rulings(connection: sqlite3.Connection, group: set[int]) -> list[Ruling]:
    """Among memories that are connected by edges."""
    sides = _sides(connection, group)
    edges = {
        frozenset((number, other))
        for number in group
        for (other,) in connection.execute("SELECT other FROM opposed WHERE one = ?", (number,))
    }
    numbers = {side.id: side.number for side in sides}
    return settle(
        [side.answer for side in sides],
        lambda one, other: frozenset((numbers[one.id], numbers[other.id])) in edges,
    )


def _connected(connection: sqlite3.Connection, number: int) -> set[int]:
    """It and whatever is reached from it by edges."""
    found, ahead = {number}, [number]
    while ahead:
        rows = connection.execute("SELECT other FROM opposed WHERE one = ?", (ahead.pop(),)).fetchall()
        new = {other for (other,) in rows} - found
        found |= new
        ahead += new
    return found


def _opposed_to(connection: sqlite3.Connection, number: int) -> list[int]:
    own = connection.execute(f"{_SELECT} WHERE number = ? AND status = 'active'", (number,)).fetchone()
    if own is None:
        return []
    mine = _Side(*own)
    sides = (side for side in _near(connection, mine.scope, mine.sentence) if side.number != number)
    return [side.number for side in sides if _is_edge(mine, side)]


def _is_edge(one: _Side, other: _Side) -> bool:
    """Whether two memories are opposed, unless a person said since both were known that one stands beside others."""
    if (one.kept and other.first < one.kept) or (other.kept and one.first < other.kept):
        return False
    return relation(one.sentence, other.sentence).bond is Bond.OPPOSED


def _near(connection: sqlite3.Connection, scope: str, text: str) -> list[_Side]:
    """The active memories of a scope that a text is worth comparing with."""
    shared: Counter[int] = Counter()
    found: set[int] = set()
    for topic in _numbers(scope, text):
        members = _members(connection, topic)
        shared.update(members)
        found.update(members if len(members) <= MOST else ())
    own = topics(text)
    return [
        side
        for side in _sides(connection, found)
        if is_worth_comparing(
            shared[side.number],
            min(len(own), len(topics(side.sentence))),
            lambda side=side: is_story(text) or is_story(side.sentence),  # type: ignore[misc]
        )
    ]


def _all_pairs(connection: sqlite3.Connection) -> Iterator[tuple[int, int]]:
    """Every edge there is, each once: what `_near` and `_is_edge` say of one memory, for all of them."""
    by_number: dict[int, set[int]] = {}
    groups: dict[int, list[int]] = {}
    rows = connection.execute("SELECT topic, number FROM topic ORDER BY topic, number")
    for topic, members in groupby(rows, key=itemgetter(0)):
        numbers = [number for _, number in members]
        if len(numbers) > 1:
            for number in numbers:
                by_number.setdefault(number, set()).add(topic)
        if 1 < len(numbers) <= MOST:
            groups[topic] = numbers
    sizes = dict(connection.execute("SELECT number, count(*) FROM topic GROUP BY number"))
    sides = {side.number: side for side in _sides(connection, {one for group in groups.values() for one in group})}
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
                lambda first=first, second=second: is_story(first.sentence) or is_story(second.sentence),  # type: ignore[misc]
            ) and _is_edge(first, second):
                yield one, other


def _members(connection: sqlite3.Connection, topic: int) -> list[int]:
    return [number for (number,) in connection.execute("SELECT number FROM topic WHERE topic = ?", (topic,))]


def _sides(connection: sqlite3.Connection, numbers: Iterable[int]) -> list[_Side]:
    found = (connection.execute(f"{_SELECT} WHERE number = ?", (number,)).fetchone() for number in sorted(numbers))
    return [_Side(*row) for row in found if row]


def _numbers(scope: str, text: str) -> Sequence[int]:
    """The topics of a text in a scope, as they are kept."""
    return [_number(f"{scope}\n{topic}") for topic in sorted(topics(text))]


def _number(topic: str) -> int:
    return int.from_bytes(blake2b(topic.encode(), digest_size=8).digest(), "big", signed=True)
