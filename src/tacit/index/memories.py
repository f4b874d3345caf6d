"""The rows of memories: folded again whenever one of their events is new, and judged where they disagree."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence

from tacit.core.event import Event, timestamp
from tacit.core.ids import ClaimId, EventId, claim_number
from tacit.core.judgement import Proposed, Undone
from tacit.core.memory import Memory, recollect_one, touched
from tacit.core.stance import Stance, stance
from tacit.core.status import Status
from tacit.core.text import words
from tacit.index.disputes import Disputes
from tacit.index.lists import Lists, Wording
from tacit.index.reader import LINE, Decode
from tacit.index.rows import mark_stale
from tacit.index.vectors import Text, keep_of_memories
from tacit.record import Record

_COLUMNS = 18
_NO_STANCE = Stance("", "", positive=True, exclusive=False)
_INSERT = f"INSERT OR REPLACE INTO memory VALUES ({', '.join('?' * _COLUMNS)}, NULL, 0)"
# From so many on it is cheaper to draw every view again.
_MANY = 500


class _Row(Record):
    memory: Memory
    is_new: bool
    columns: tuple[str | int | None, ...]


class Memories:
    """Writes what a chunk of new events says about memories."""

    def __init__(self, connection: sqlite3.Connection, lists: Lists, decode: Decode) -> None:
        self._connection = connection
        self._lists = lists
        self._decode = decode
        self._disputes = Disputes(connection)
        self._again: set[ClaimId] = set()

    def hear(self, events: Sequence[Event]) -> None:
        by_claim: dict[ClaimId, list[Event]] = {}
        for event in events:
            for claim in touches(event):
                by_claim.setdefault(claim, []).append(event)
        known = self._known(set(by_claim))
        rows = [(claim, event.id) for claim in sorted(by_claim) for event in by_claim[claim]]
        self._connection.executemany("INSERT OR IGNORE INTO touch VALUES (?, ?)", rows)
        self._connection.executemany("INSERT OR IGNORE INTO source VALUES (?, ?)", _sources(events))
        self._again |= known
        self._refold({claim: said for claim, said in by_claim.items() if claim not in known}, set())

    def _known(self, claims: set[ClaimId]) -> set[ClaimId]:
        """Which of these claims had events before."""
        if self._connection.execute("SELECT 1 FROM touch LIMIT 1").fetchone() is None:
            return set()
        if len(claims) > _MANY:
            return claims & {ClaimId(row[0]) for row in self._connection.execute("SELECT claim FROM touch")}
        query = "SELECT 1 FROM touch WHERE claim = ? LIMIT 1"
        return {claim for claim in claims if self._connection.execute(query, (claim,)).fetchone()}

    def _refold(self, by_claim: Mapping[ClaimId, Sequence[Event]], known: set[ClaimId]) -> None:
        for claim in known:
            self._disputes.leave(claim_number(claim))
        rows: list[_Row] = []
        for claim in sorted(by_claim):  # rows are taken fastest in their order
            events = self._all_events(claim) if claim in known else by_claim[claim]
            memory = recollect_one(events, claim)
            if memory is None:
                self._drop(claim)
            else:
                rows.append(_row(memory, is_new=claim not in known))
        self._connection.executemany(_INSERT, [row.columns for row in rows])
        self._lists.put([_wording(row) for row in rows if row.is_new], fresh=True)
        self._lists.put([_wording(row) for row in rows if not row.is_new], fresh=False)
        keep_of_memories(self._connection, [_shown(row.memory) for row in rows if not row.is_new])
        mark_stale(self._connection, ["everything"] if len(by_claim) > _MANY else [f"memory {one}" for one in by_claim])
        active = (row.memory for row in rows if row.memory.status is Status.ACTIVE)
        self._disputes.enter((claim_number(one.id), one.claim.scope, one.claim.sentence) for one in active)

    def settle(self) -> None:
        """Once all events are heard, fold again what was known before, and judge whatever is opposed to it."""
        self._refold(dict.fromkeys(self._again, ()), self._again)
        self._disputes.settle()
        self._again = set()

    def _all_events(self, claim: ClaimId) -> list[Event]:
        query = f"SELECT {LINE} FROM touch LEFT JOIN event ON event.id = touch.event WHERE claim = ?"
        return [self._decode(raw) for (raw,) in self._connection.execute(query, (claim,))]

    def _drop(self, claim: ClaimId) -> None:
        number = claim_number(claim)
        self._connection.execute("DELETE FROM memory WHERE number = ?", (number,))
        self._lists.take_out(number)
        keep_of_memories(self._connection, [Text(number, "")])


def touches(event: Event) -> Iterable[ClaimId]:
    """The claims an event is filed under. An `Undone` names them itself: its targets may not have come yet."""
    if isinstance(event.body, Undone):
        return [ClaimId(claim) for claim in event.body.claims]
    return touched(event)


def _sources(events: Sequence[Event]) -> Iterator[tuple[ClaimId, EventId]]:
    """The claims that were learned from sessions, with the events they were learned from."""
    for event in events:
        if isinstance(event.body, Proposed) and event.body.events:
            yield from ((event.body.claim.id, source) for source in event.body.events)


def _row(memory: Memory, *, is_new: bool) -> _Row:
    claim = memory.claim
    answers_it = memory.status is Status.ACTIVE and not memory.independent
    answer = stance(claim) if answers_it else _NO_STANCE
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
        memory.kept,
        bool(memory.shared),
    )
    return _Row(memory, is_new, columns)


def _shown(memory: Memory) -> Text:
    """What is compared by meaning: nothing of what was forgotten or turned down."""
    stands = memory.status in (Status.ACTIVE, Status.PENDING)
    return Text(claim_number(memory.id), memory.claim.sentence if stands else "")


def _wording(row: _Row) -> Wording:
    claim, memory = row.memory.claim, row.memory
    extra = (*claim.tags, claim.kind.label, *(given.text for given in memory.evidence), memory.reason)
    return Wording(int(row.columns[0] or 0), " ".join(words(claim.sentence)), " ".join(words("\n".join(extra))))
