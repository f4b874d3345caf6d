"""Catching up with the log: each event is filed once, and only what it touches is folded again.

The result must be the same whether the events came one by one or all at once; a law test holds it to that.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from tacit.core.conflict import Answer, Rule, settle
from tacit.core.event import Event, timestamp
from tacit.core.ids import ClaimId, EventId, claim_id, claim_number
from tacit.core.judgement import Decided, Proposed, Undone
from tacit.core.memory import Memory, Status, recollect_one, touched, undone
from tacit.core.observation import Evaluated, Injected, ProjectSeen, Recalled, WorkLogged
from tacit.core.stance import stance
from tacit.core.text import words
from tacit.index.reader import SELECT_ANSWERS, Decode, answers

_CHUNK = 20_000


class Filed(NamedTuple):
    """An event and where it stands in the log."""

    event: Event
    type: str
    segment: str
    line: int
    raw: bytes


class Reached(NamedTuple):
    """How far a segment was read."""

    segment: str
    offset: int
    lines: int
    mark: str


def apply(connection: sqlite3.Connection, filed: Iterable[Filed], reached: Iterable[Reached], decode: Decode) -> None:
    """File the events and remember how far the log was read, all or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        chunk: list[Filed] = []
        for entry in filed:
            chunk.append(entry)
            if len(chunk) == _CHUNK:
                _Update(connection, decode).take(chunk)
                chunk = []
        _Update(connection, decode).take(chunk)
        connection.executemany("INSERT OR REPLACE INTO applied VALUES (?, ?, ?, ?)", reached)
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def wanted(event: Event) -> bool:
    """Whether the index changes by this event in a way that an answer could show (tallies can wait)."""
    return isinstance(event.body, Proposed | Decided | Undone | WorkLogged | Evaluated | ProjectSeen)


class _Update:
    """One chunk of events on its way into the index."""

    def __init__(self, connection: sqlite3.Connection, decode: Decode) -> None:
        self._run = connection.execute
        self._run_many = connection.executemany
        self._decode = decode
        self._fresh: dict[str, Event] = {}

    def take(self, chunk: Sequence[Filed]) -> None:
        new = self._file(chunk)
        self._tally(new)
        claims = dict.fromkeys(claim for event in new for claim in _claims(event))
        self._refold(sorted(claims))
        self._add_pages([event for event in new if isinstance(event.body, WorkLogged | Evaluated)])
        if any(isinstance(event.body, Undone | WorkLogged) for event in new):
            self._void_pages()
        projects = [(event.scope, event.body.root) for event in new if isinstance(event.body, ProjectSeen)]
        self._run_many("INSERT OR IGNORE INTO project VALUES (?, ?)", projects)

    def _file(self, chunk: Sequence[Filed]) -> list[Event]:
        """Keep what memories and pages are folded from; an event that is known already is not new."""
        new = []
        for entry in chunk:
            event = entry.event
            if not wanted(event) or isinstance(event.body, ProjectSeen):
                new.append(event)
                continue
            row = (event.id, event.op, entry.type, entry.segment, entry.line, entry.raw)
            if self._run("INSERT OR IGNORE INTO event VALUES (?, ?, ?, ?, ?, ?)", row).rowcount:
                new.append(event)
                self._fresh[event.id] = event
        touches = [(claim, event.id) for event in new for claim in _claims(event)]
        self._run_many("INSERT OR IGNORE INTO touch VALUES (?, ?)", touches)
        return new

    def _tally(self, events: Iterable[Event]) -> None:
        amounts: dict[tuple[str, str], int] = {}
        for event in events:
            for name, amount in _tallies(event).items():
                at = (event.day.isoformat(), name)
                amounts[at] = amounts.get(at, 0) + amount
        rows = [(day, name, amount) for (day, name), amount in amounts.items()]
        upsert = "INSERT INTO tally VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET amount = amount + excluded.amount"
        self._run_many(upsert, rows)

    def _refold(self, claims: Sequence[ClaimId]) -> None:
        questions: dict[str, None] = {}
        for claim in claims:
            known = self._run("SELECT question FROM memory WHERE id = ?", (claim,)).fetchone()
            memory = recollect_one(self._events_of(claim), claim)
            if memory is None:
                self._drop(claim)
            else:
                self._put(memory)
            for question in (known[0] if known else None, memory and _question(memory)):
                if question:
                    questions[question] = None
        self._run_many("INSERT OR IGNORE INTO stale VALUES (?)", [(f"memory {claim}",) for claim in claims])
        for question in questions:
            self._settle(question)

    def _events_of(self, claim: ClaimId) -> list[Event]:
        rows = self._run(
            "SELECT event.id, raw FROM touch JOIN event ON event.id = touch.event WHERE claim = ?", (claim,)
        )
        return [self._fresh.get(event) or self._decode(raw) for event, raw in rows]

    def _drop(self, claim: ClaimId) -> None:
        self._run("DELETE FROM memory WHERE id = ?", (claim,))
        self._run("DELETE FROM words WHERE rowid = ?", (claim_number(claim),))

    def _put(self, memory: Memory) -> None:
        claim, number = memory.claim, claim_number(memory.id)
        answer = stance(claim)
        row = (
            number,
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
            bool(memory.evidence) or memory.source == "user_direct",
            _question(memory),
            answer.answer,
            answer.positive,
            answer.exclusive,
        )
        self._run(f"INSERT OR REPLACE INTO memory VALUES ({', '.join('?' * len(row))}, NULL, 0)", row)
        extra = (*claim.tags, claim.kind.label, *(given.text for given in memory.evidence), memory.reason)
        self._put_words(number, " ".join(words(claim.sentence)), " ".join(words("\n".join(extra))))

    def _put_words(self, number: int, text: str, extra: str) -> None:
        known = self._run("SELECT text, extra FROM words WHERE rowid = ?", (number,)).fetchone()
        if known == (text, extra):
            return
        if known:
            self._run("DELETE FROM words WHERE rowid = ?", (number,))
        self._run("INSERT INTO words (rowid, text, extra) VALUES (?, ?, ?)", (number, text, extra))

    def _settle(self, question: str) -> None:
        """Judge all active answers to one question anew."""
        before = self._rulings(question)
        self._run("UPDATE memory SET overruled_by = NULL, conflict = 0 WHERE question = ?", (question,))
        for ruling in settle(self._answers(question)):
            if ruling.rule is Rule.UNDECIDED:
                self._run("UPDATE memory SET conflict = 1 WHERE id IN (?, ?)", (ruling.winner, ruling.loser))
            else:
                self._run("UPDATE memory SET overruled_by = ? WHERE id = ?", (ruling.winner, ruling.loser))
        changed = before.symmetric_difference(self._rulings(question))
        self._run_many("INSERT OR IGNORE INTO stale VALUES (?)", {(f"memory {row[0]}",) for row in changed})

    def _rulings(self, question: str) -> set[tuple[str, str | None, int]]:
        rows = self._run("SELECT id, overruled_by, conflict FROM memory WHERE question = ?", (question,))
        return set(rows.fetchall())

    def _answers(self, question: str) -> list[Answer]:
        return answers(self._run(f"{SELECT_ANSWERS} WHERE question = ?", (question,)))

    def _add_pages(self, events: Sequence[Event]) -> None:
        for event in events:
            page = _page(event)
            number = claim_number(claim_id("page", event.id))
            day = event.body.day if isinstance(event.body, Evaluated) else event.day.isoformat()
            if page.kind == "evaluation":  # the latest evaluation of a day stands for the day
                self._run(
                    "UPDATE page SET void = 1 WHERE kind = 'evaluation' AND day = ? AND event < ?", (day, event.id)
                )
                later = self._run(
                    "SELECT 1 FROM page WHERE kind = 'evaluation' AND day = ? AND event > ? AND void = 0",
                    (day, event.id),
                ).fetchone()
            else:
                later = None
            row = (number, event.id, page.kind, event.scope, day, timestamp(event.at), page.title, later is not None)
            self._run("INSERT OR IGNORE INTO page VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
            self._put_words(number, " ".join(words(page.title)), " ".join(words(page.text)))
            self._run("INSERT OR IGNORE INTO stale VALUES (?)", (f"{page.kind} {day}",))

    def _void_pages(self) -> None:
        """Worklog entries can be undone too. There are few undone events; all of them are weighed together."""
        rows = self._run("SELECT raw FROM event WHERE type = 'judgement.undone' ORDER BY id")
        takebacks = [self._decode(raw) for (raw,) in rows.fetchall()]
        named = {target for event in takebacks if isinstance(event.body, Undone) for target in event.body.targets}
        void = undone(takebacks)
        for event in sorted(named):
            kept = self._run("SELECT day, void FROM page WHERE event = ? AND kind = 'worklog'", (event,)).fetchone()
            if kept and bool(kept[1]) != (EventId(event) in void):
                self._run("UPDATE page SET void = ? WHERE event = ?", (event in void, event))
                self._run("INSERT OR IGNORE INTO stale VALUES (?)", (f"worklog {kept[0]}",))


class _Page(NamedTuple):
    kind: str
    title: str
    text: str


def _question(memory: Memory) -> str | None:
    """Only active memories answer questions, each within its own scope."""
    if memory.status is not Status.ACTIVE or memory.independent:
        return None
    return f"{memory.claim.scope}\n{stance(memory.claim).question}"


def _claims(event: Event) -> Iterable[ClaimId]:
    if isinstance(event.body, Undone):
        return [ClaimId(claim) for claim in event.body.claims]
    return touched(event)


def _tallies(event: Event) -> Mapping[str, int]:
    match event.body:
        case Recalled(hits=hits):
            return {"asked": 1, "missed": 0 if hits else 1}
        case Injected(tokens=tokens):
            return {"briefs": 1, "tokens": tokens}
        case _:
            return {}


def _page(event: Event) -> _Page:
    match event.body:
        case WorkLogged(task, summary, changes, evidence, following):
            return _Page(
                "worklog", f"{task}: {summary}" if task else summary, "\n".join((changes, evidence, following))
            )
        case Evaluated(day, scores):
            points, most = sum(score.points for score in scores), 2 * len(scores)
            text = "\n".join(f"{score.name} {score.reason}" for score in scores)
            return _Page("evaluation", f"Evaluation of {day}: {points} of {most} points", text)
    raise TypeError(type(event.body).__name__)
