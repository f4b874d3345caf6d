"""The passage of a session that answers a question: of its best messages, the lines that hold most of the question.

A turn is long, and its first prompt may be "yes": what matched has to be shown. The words of the person often repeat
the question, and the agent's reply answers it; so of two passages that hold as much, the reply is taken. What was
found may have been overruled before the session ended; so what a later turn says of the question is told beside it.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator, Sequence

from tacit.index import sessions
from tacit.index.doc_ids import AGENT, RUN, run_of, voice_of
from tacit.index.reader import Decode
from tacit.model.event import Event, timestamp
from tacit.model.ids import EventId
from tacit.model.observation import Act, PromptGiven, ReplyGiven, SummedUp, ToolUsed
from tacit.record import Record
from tacit.search.bm25 import Question, Scored
from tacit.text.words import ROOTS, located, token_words

LONGEST, _LINES = 480, 10  # characters of a passage, and lines
_BREAK = "\n"
_NOTHING: frozenset[str] = frozenset()
_SENTENCES = 160  # characters of a line from which on it is cut into sentences
_END = re.compile(r"[.!?。！？][\"')\]*`]{0,3}\s+(?=[\"'(\[*`]{0,3}[A-Z0-9])")
_NO_WORDS = re.compile(r"(?:\s*(?:`{3,}|~{3,})\w*\s*|[-*_=|:+\s]*)$")
_READ, _CALLS_READ = 3, 8  # messages of a session that are read closely; calls of one message
# What speaks for a message, against all words of the question: its rank, whose words are asked for, that it concludes a
# turn; and against it, that it is a call of a tool.
_SCORE, _VOICE, _LAST, _CALLS = 0.3, 0.15, 0.15, -0.15
_LATER = 0.6  # of what the passage holds of the question: what a later turn has to hold to be told beside it
_BESIDE = 0.5  # what words are worth that stand beside a message, as the name of a branch does, and not in its text

_MESSAGES = "SELECT number, events, reply FROM message WHERE number IN (SELECT value FROM json_each(?))"
_NEXT_TURN = "SELECT min(number), ?2 FROM page WHERE number > ?1 AND number < ?2"
_LAST_REPLY = "SELECT number FROM message WHERE number >= ? AND number < ? AND reply ORDER BY number DESC LIMIT 1"

Span = tuple[int, int]


class Passage(Record):
    """Lines of one message. `matches` are the parts of `text` that are words of the question; `agent` is empty where
    the person said it; `call` is there where it is no text but something that was done. `answer` is of the last reply
    in its turn, where the passage is not."""

    number: int
    event: EventId
    text: str
    matches: tuple[Span, ...]
    agent: str
    at: str
    call: ToolUsed | None = None
    answer: str = ""
    later: Later | None = None


class Later(Record):
    """What a later turn came to say of the same, and the number of that message."""

    number: int
    text: str


class _Window(Record):
    """A part of a text, and what the words of the question in it are worth."""

    worth: float
    start: int
    end: int


class _Row(Record):
    """A message in the index: its number, its events, whether it is a reply."""

    number: int
    events: str
    reply: int

    @property
    def is_spoken(self) -> bool:
        return bool(self.reply) or voice_of(self.number) != AGENT


class _Part(Record):
    """Where the best part of a message stands in its text."""

    number: int
    event: Event
    text: str
    window: _Window


class Passages:
    """Reads messages of sessions for one question."""

    def __init__(self, connection: sqlite3.Connection, question: Question, decode: Decode, voice: int | None) -> None:
        self._connection = connection
        self._decode = decode
        self._voice = AGENT if voice is None else voice
        self._weights = {word.root: word.weight for word in question.words}
        self._texts = {word.text: word.weight for word in question.words}
        self._whole = sum(word.weight for word in question.words if word.asked) or 1.0
        self._known: dict[str, frozenset[str]] = {}
        # A word begins as its root does, but for the last letter of that: most lines need not be taken apart.
        self._beginnings = {root[: max(min(len(root) - 1, 4), 2)].lower() for root in self._weights}
        self._conclusions: dict[int, int | None] = {}

    def best(self, messages: Sequence[Scored], *, closely: bool) -> Passage | None:
        """The best passage of these messages of one session; nothing where none can be read. Looking `closely` reads
        more of them, and what their turns came to."""
        top = max((one.score for one in messages), default=0.0) or 1.0
        merits = {one.number: self._promise(one, top) for one in messages}
        rows = self._rows(sorted(merits, key=lambda number: -merits[number])[: 2 * _READ])
        merits = {number: merits[number] + (0.0 if row.is_spoken else _CALLS) for number, row in rows.items()}
        chosen = sorted(merits, key=lambda number: -merits[number])[: _READ if closely else 1]
        if closely and chosen and (last := self._conclusion(chosen[0])) is not None and last not in chosen:
            chosen.append(last)  # what a turn came to answers more often than what was said on the way
            rows |= self._rows([last])
        ranks = {one.number: (_SCORE * one.score / top, _BESIDE * self._share(one)) for one in messages}
        parts = {row.number: list(self._parts(row)) for row in map(rows.get, chosen) if row}
        found: list[tuple[float, _Part]] = []
        for number, every in parts.items():
            rank, beside = ranks.get(number, (0.0, 0.0))
            found += [(max(worth, beside) + rank, part) for worth, part in every]
        if not found:
            return None
        part = max(found, key=lambda one: one[0])[1]
        passage = self._passage(part)
        if closely:
            passage = passage._replace(later=self._later(messages, part))
        if passage.agent and not closely:
            return passage
        last = self._conclusion(part.number)
        if last is None or last == part.number:
            return passage
        told = parts.get(last) or [one for row in self._rows([last]).values() for one in self._parts(row)]
        return passage._replace(answer=self._passage(told[0][1]).text if told else "")

    def _later(self, messages: Sequence[Scored], part: _Part) -> Later | None:
        """The last reply of a later turn that holds about as much of the question."""
        end = self._conclusion(part.number) or part.number
        numbers = {self._conclusion(one.number) for one in messages if one.number > end}
        for row in sorted(self._rows([one for one in numbers if one and one > end]).values(), reverse=True)[:_READ]:
            told = max(self._parts(row), key=lambda one: one[1].window.worth, default=None)
            if told is not None and told[1].window.worth >= _LATER * part.window.worth:
                return Later(row.number, self._passage(told[1]).text)
        return None

    def _promise(self, scored: Scored, top: float) -> float:
        return self._share(scored) + _SCORE * scored.score / top + _VOICE * (voice_of(scored.number) == self._voice)

    def _share(self, scored: Scored) -> float:
        """How much of the question a message holds."""
        return sum(self._texts.get(text, 0.0) for text in scored.own) / self._whole

    def _rows(self, numbers: Sequence[int]) -> dict[int, _Row]:
        return {row[0]: _Row(*row) for row in self._connection.execute(_MESSAGES, (json.dumps(numbers),))}

    def _conclusion(self, number: int) -> int | None:
        """The last reply in the turn of this message, itself included; nothing where there is none."""
        if number not in self._conclusions:
            following, beyond = self._connection.execute(_NEXT_TURN, (number, run_of(number) + RUN)).fetchone()
            row = self._connection.execute(_LAST_REPLY, (number, following or beyond)).fetchone()
            self._conclusions[number] = row[0] if row else None
        return self._conclusions[number]

    def _parts(self, row: _Row) -> Iterator[tuple[float, _Part]]:
        """The best part of a message and what it is worth; of calls, that of each."""
        stands = _VOICE * (voice_of(row.number) == self._voice) + _LAST * (self._conclusion(row.number) == row.number)
        names = [EventId(name) for name in row.events.split()[:_CALLS_READ]]
        for placed in sessions.placed_events(self._connection, names, self._decode):
            text = _text(placed.event)
            window = self._window(text)
            is_call = isinstance(placed.event.body, ToolUsed)
            worth = window.worth / self._whole + (_CALLS if is_call else stands)
            yield worth, _Part(row.number, placed.event, text, window)

    def _passage(self, part: _Part) -> Passage:
        number, event, text, window = part
        shown = text[window.start : window.end].strip()
        shown = "\n".join(line.rstrip() for line in shown.split("\n") if not _NO_WORDS.match(line))
        body = event.body
        agent = "" if isinstance(body, PromptGiven) else getattr(body, "agent", "")
        call = body if isinstance(body, ToolUsed) else None
        before = text[: window.start].rstrip(" \t")
        after = text[window.end :].lstrip(" \t")
        told = (
            f"{'… ' if before[-1:] not in ('', _BREAK) else ''}{shown}{' …' if after[:1] not in ('', _BREAK) else ''}"
        )
        return Passage(number, event.id, told, tuple(self.matches(told)), agent, timestamp(event.at), call)

    # Windows

    def _window(self, text: str) -> _Window:
        """The lines or sentences that hold most of the question, with as many after them as there is room for."""
        units = list(_units(text))
        if not units:
            return _Window(0.0, 0, 0)
        held = [self._held(text[start:end]) for start, end in units]
        best, chosen = _Window(0.0, 0, 0), (0, 0)
        for first, roots in enumerate(held):
            if not roots and best.worth > 0:
                continue
            seen: set[str] = set()
            for last in range(first, len(units)):
                start, end = units[first][0], units[last][1]
                if last > first and end - start > LONGEST:
                    break
                if held[last] <= seen and last > first:
                    continue
                seen |= held[last]
                worth = sum(self._weights[root] for root in seen)
                is_tighter = worth == best.worth and end - start < best.end - best.start
                if worth > best.worth or is_tighter:
                    best, chosen = _Window(worth, start, end), (first, last)
        return self._widened(text, units, best, *chosen)

    def _widened(self, text: str, units: Sequence[Span], best: _Window, first: int, last: int) -> _Window:
        start, end = units[first][0], units[last][1]
        while last + 1 < len(units) and units[last + 1][1] - start <= LONGEST and last - first < _LINES:
            last += 1
            end = units[last][1]
        while first > 0 and end - units[first - 1][0] <= LONGEST and last - first < _LINES:
            first -= 1
            start = units[first][0]
        if end - start > LONGEST:
            start, end = self._cut(text, start, end)
        elif end - start < LONGEST // 2 and last + 1 < len(units):  # the next line is long: its beginning
            end = min(units[last + 1][1], text.rfind(" ", units[last + 1][0] + 1, start + LONGEST) + 1 or end)
        return _Window(best.worth, start, end)

    def _cut(self, text: str, start: int, end: int) -> Span:
        """Of one long line, the part with most words of the question."""
        found = [(token.start() + start, self._held(token[0])) for token in located(text[start:end])]
        hits = [(at, roots) for at, roots in found if roots]
        best, begin = -1.0, start
        for place, (at, _) in enumerate(hits):
            inside = {root for later, roots in hits[place:] if later < at + LONGEST - 60 for root in roots}
            if (worth := sum(self._weights[root] for root in inside)) > best:
                best, begin = worth, at
        begin = max(start, begin - 60)
        return begin, min(end, begin + LONGEST)

    def _held(self, text: str) -> set[str]:
        """The roots of the question that a text holds."""
        found: set[str] = set()
        is_ascii = text.isascii()
        if is_ascii and not any(map(text.lower().__contains__, self._beginnings)):
            return found
        known = self._known
        for token in text.split() if is_ascii else [one[0] for one in located(text)]:
            roots = known.get(token)
            if roots is None:
                roots = self._roots(token)
            if roots:
                found |= roots
        return found

    def _roots(self, token: str) -> frozenset[str]:
        known = self._known.get(token)
        if known is None:
            held = [root for word in token_words(token) if (root := ROOTS[word]) in self._weights]
            known = self._known[token] = frozenset(held) if held else _NOTHING
        return known

    def matches(self, text: str) -> Iterator[Span]:
        """The parts of a text that are words of the question: of a name only the part, where that is one."""
        for token in located(text):
            if not self._roots(token[0]):
                continue
            pieces = [one for one in _PIECES.finditer(text, token.start(), token.end()) if self._roots(one[0])]
            if pieces:
                yield from ((one.start(), one.end()) for one in pieces)
            else:
                yield token.start(), token.end()


# Letters and digits with the marks above them.
_PIECES = re.compile(r"[^\W_][^\W_\u0300-\u036f]*(?:[\u0300-\u036f]{1,9}[^\W_]{0,60}){0,60}")


def _units(text: str) -> Iterator[Span]:
    """The lines of a text; of long ones the sentences."""
    start = 0
    for line in text.split("\n"):
        end = start + len(line)
        if not _NO_WORDS.match(line):
            if len(line) <= _SENTENCES:
                yield start, end
            else:
                cuts = [start + found.end() for found in _END.finditer(line)]
                yield from zip([start, *cuts], [*cuts, end], strict=True)
        start = end + 1


def _text(event: Event) -> str:
    body = event.body
    if isinstance(body, PromptGiven | ReplyGiven | SummedUp):
        return body.text
    if isinstance(body, ToolUsed):
        return "\n".join((body.input, *body.files)) if body.act is Act.CHANGED else body.input
    return ""
