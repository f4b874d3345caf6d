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
from tacit.index.doc_ids import AGENT, IDS_PER_SESSION, role_of, start_id_of
from tacit.index.reader import Decode
from tacit.model.event import Event, timestamp
from tacit.model.ids import EventId
from tacit.model.observation import PromptGiven, ReplyGiven, SessionSummarized, ToolAction, ToolUsed
from tacit.record import Record
from tacit.search.bm25 import ParsedQuery, ScoredDocument
from tacit.text.words import STEMS, locate_tokens, token_terms

MAX_PASSAGE_CHARS, _MAX_PASSAGE_LINES = 480, 10  # characters of a passage, and lines
_NEWLINE = "\n"
_NO_STEMS: frozenset[str] = frozenset()
_MAX_UNSPLIT_CHARS = 160  # characters of a line from which on it is cut into sentences
_SENTENCE_END = re.compile(r"[.!?。！？][\"')\]*`]{0,3}\s+(?=[\"'(\[*`]{0,3}[A-Z0-9])")
_MARKUP_LINE = re.compile(r"(?:\s*(?:`{3,}|~{3,})\w*\s*|[-*_=|:+\s]*)$")
_MAX_MESSAGES_READ, _MAX_CALLS_READ = 3, 8  # messages of a session that are read closely; calls of one message
# What speaks for a message, against all words of the question: its rank, whose words are asked for, that it concludes a
# turn; and against it, that it is a call of a tool.
_SCORE_WEIGHT, _ROLE_WEIGHT, _LAST_REPLY_WEIGHT, _CALL_WEIGHT = 0.3, 0.15, 0.15, -0.15
_MIN_LATER_SHARE = 0.6  # of what the passage holds of the question: what a later turn has to hold to be told beside it
_EXTRA_WEIGHT = (
    0.5  # what words are worth that stand beside a message, as the name of a branch does, and not in its text
)

_SELECT_MESSAGES = "SELECT number, events, reply FROM message WHERE number IN (SELECT value FROM json_each(?))"
_SELECT_NEXT_TURN = "SELECT min(number), ?2 FROM page WHERE number > ?1 AND number < ?2"
_SELECT_LAST_REPLY = (
    "SELECT number FROM message WHERE number >= ? AND number < ? AND reply ORDER BY number DESC LIMIT 1"
)

CharSpan = tuple[int, int]


class Passage(Record):
    """Lines of one message. `matches` are the parts of `text` that are words of the question; `agent` is empty where
    the person said it; `call` is there where it is no text but something that was done. `answer` is of the last reply
    in its turn, where the passage is not."""

    doc_id: int
    event: EventId
    text: str
    matches: tuple[CharSpan, ...]
    agent: str
    at: str
    call: ToolUsed | None = None
    answer: str = ""
    later: LaterReply | None = None


class LaterReply(Record):
    """What a later turn came to say of the same, and the number of that message."""

    doc_id: int
    text: str


class _TextWindow(Record):
    """A part of a text, and what the words of the question in it are worth."""

    weight: float
    start: int
    end: int


class _MessageRow(Record):
    """A message in the index: its number, its events, whether it is a reply."""

    doc_id: int
    events: str
    is_reply: int

    @property
    def is_message(self) -> bool:
        return bool(self.is_reply) or role_of(self.doc_id) != AGENT


class _PassageCandidate(Record):
    """Where the best part of a message stands in its text."""

    doc_id: int
    event: Event
    text: str
    window: _TextWindow


class PassageReader:
    """Reads messages of sessions for one question."""

    def __init__(
        self, connection: sqlite3.Connection, question: ParsedQuery, decode: Decode, voice: int | None
    ) -> None:
        self._connection = connection
        self._decode = decode
        self._role = AGENT if voice is None else voice
        self._weight_by_stem = {word.stem: word.weight for word in question.terms}
        self._weight_by_word = {word.word: word.weight for word in question.terms}
        self._total_weight = sum(word.weight for word in question.terms if word.is_original) or 1.0
        self._stems_by_token: dict[str, frozenset[str]] = {}
        # A word begins as its root does, but for the last letter of that: most lines need not be taken apart.
        self._stem_prefixes = {root[: max(min(len(root) - 1, 4), 2)].lower() for root in self._weight_by_stem}
        self._last_replies: dict[int, int | None] = {}

    def best_passage(self, messages: Sequence[ScoredDocument], *, closely: bool) -> Passage | None:
        """The best passage of these messages of one session; nothing where none can be read. Looking `closely` reads
        more of them, and what their turns came to."""
        top = max((one.score for one in messages), default=0.0) or 1.0
        merits = {one.doc_id: self._message_score(one, top) for one in messages}
        rows = self._message_rows(sorted(merits, key=lambda number: -merits[number])[: 2 * _MAX_MESSAGES_READ])
        merits = {number: merits[number] + (0.0 if row.is_message else _CALL_WEIGHT) for number, row in rows.items()}
        chosen = sorted(merits, key=lambda number: -merits[number])[: _MAX_MESSAGES_READ if closely else 1]
        if closely and chosen and (last := self._last_reply_in_turn(chosen[0])) is not None and last not in chosen:
            chosen.append(last)  # what a turn came to answers more often than what was said on the way
            rows |= self._message_rows([last])
        ranks = {one.doc_id: (_SCORE_WEIGHT * one.score / top, _EXTRA_WEIGHT * self._coverage(one)) for one in messages}
        parts = {row.doc_id: list(self._candidates(row)) for row in map(rows.get, chosen) if row}
        found: list[tuple[float, _PassageCandidate]] = []
        for number, every in parts.items():
            rank, beside = ranks.get(number, (0.0, 0.0))
            found += [(max(worth, beside) + rank, part) for worth, part in every]
        if not found:
            return None
        part = max(found, key=lambda one: one[0])[1]
        passage = self._render_passage(part)
        if closely:
            passage = passage._replace(later=self._later_reply(messages, part))
        if passage.agent and not closely:
            return passage
        last = self._last_reply_in_turn(part.doc_id)
        if last is None or last == part.doc_id:
            return passage
        told = parts.get(last) or [one for row in self._message_rows([last]).values() for one in self._candidates(row)]
        return passage._replace(answer=self._render_passage(told[0][1]).text if told else "")

    def _later_reply(self, messages: Sequence[ScoredDocument], part: _PassageCandidate) -> LaterReply | None:
        """The last reply of a later turn that holds about as much of the question."""
        end = self._last_reply_in_turn(part.doc_id) or part.doc_id
        numbers = {self._last_reply_in_turn(one.doc_id) for one in messages if one.doc_id > end}
        for row in sorted(self._message_rows([one for one in numbers if one and one > end]).values(), reverse=True)[
            :_MAX_MESSAGES_READ
        ]:
            told = max(self._candidates(row), key=lambda one: one[1].window.weight, default=None)
            if told is not None and told[1].window.weight >= _MIN_LATER_SHARE * part.window.weight:
                return LaterReply(row.doc_id, self._render_passage(told[1]).text)
        return None

    def _message_score(self, scored: ScoredDocument, top: float) -> float:
        return (
            self._coverage(scored)
            + _SCORE_WEIGHT * scored.score / top
            + _ROLE_WEIGHT * (role_of(scored.doc_id) == self._role)
        )

    def _coverage(self, scored: ScoredDocument) -> float:
        """How much of the question a message holds."""
        return sum(self._weight_by_word.get(text, 0.0) for text in scored.terms) / self._total_weight

    def _message_rows(self, numbers: Sequence[int]) -> dict[int, _MessageRow]:
        return {row[0]: _MessageRow(*row) for row in self._connection.execute(_SELECT_MESSAGES, (json.dumps(numbers),))}

    def _last_reply_in_turn(self, number: int) -> int | None:
        """The last reply in the turn of this message, itself included; nothing where there is none."""
        if number not in self._last_replies:
            following, beyond = self._connection.execute(
                _SELECT_NEXT_TURN, (number, start_id_of(number) + IDS_PER_SESSION)
            ).fetchone()
            row = self._connection.execute(_SELECT_LAST_REPLY, (number, following or beyond)).fetchone()
            self._last_replies[number] = row[0] if row else None
        return self._last_replies[number]

    def _candidates(self, row: _MessageRow) -> Iterator[tuple[float, _PassageCandidate]]:
        """The best part of a message and what it is worth; of calls, that of each."""
        stands = _ROLE_WEIGHT * (role_of(row.doc_id) == self._role) + _LAST_REPLY_WEIGHT * (
            self._last_reply_in_turn(row.doc_id) == row.doc_id
        )
        names = [EventId(name) for name in row.events.split()[:_MAX_CALLS_READ]]
        for placed in sessions.logged_events(self._connection, names, self._decode):
            text = _event_text(placed.event)
            window = self._best_window(text)
            is_call = isinstance(placed.event.body, ToolUsed)
            worth = window.weight / self._total_weight + (_CALL_WEIGHT if is_call else stands)
            yield worth, _PassageCandidate(row.doc_id, placed.event, text, window)

    def _render_passage(self, part: _PassageCandidate) -> Passage:
        number, event, text, window = part
        shown = text[window.start : window.end].strip()
        shown = "\n".join(line.rstrip() for line in shown.split("\n") if not _MARKUP_LINE.match(line))
        body = event.body
        agent = "" if isinstance(body, PromptGiven) else getattr(body, "agent", "")
        call = body if isinstance(body, ToolUsed) else None
        before = text[: window.start].rstrip(" \t")
        after = text[window.end :].lstrip(" \t")
        begins = "… " if before[-1:] not in ("", _NEWLINE) else ""
        ends = " …" if after[:1] not in ("", _NEWLINE) else ""
        told = f"{begins}{shown}{ends}"
        return Passage(number, event.id, told, tuple(self.matches(told)), agent, timestamp(event.at), call)

    # Windows

    def _best_window(self, text: str) -> _TextWindow:
        """The lines or sentences that hold most of the question, with as many after them as there is room for."""
        units = list(_split_units(text))
        if not units:
            return _TextWindow(0.0, 0, 0)
        held = [self._stems_in(text[start:end]) for start, end in units]
        best, chosen = _TextWindow(0.0, 0, 0), (0, 0)
        for first, roots in enumerate(held):
            if not roots and best.weight > 0:
                continue
            seen: set[str] = set()
            for last in range(first, len(units)):
                start, end = units[first][0], units[last][1]
                if last > first and end - start > MAX_PASSAGE_CHARS:
                    break
                if held[last] <= seen and last > first:
                    continue
                seen |= held[last]
                worth = sum(self._weight_by_stem[root] for root in seen)
                is_tighter = worth == best.weight and end - start < best.end - best.start
                if worth > best.weight or is_tighter:
                    best, chosen = _TextWindow(worth, start, end), (first, last)
        return self._widened(text, units, best, *chosen)

    def _widened(self, text: str, units: Sequence[CharSpan], best: _TextWindow, first: int, last: int) -> _TextWindow:
        start, end = units[first][0], units[last][1]
        while (
            last + 1 < len(units)
            and units[last + 1][1] - start <= MAX_PASSAGE_CHARS
            and last - first < _MAX_PASSAGE_LINES
        ):
            last += 1
            end = units[last][1]
        while first > 0 and end - units[first - 1][0] <= MAX_PASSAGE_CHARS and last - first < _MAX_PASSAGE_LINES:
            first -= 1
            start = units[first][0]
        if end - start > MAX_PASSAGE_CHARS:
            start, end = self._cut_line(text, start, end)
        elif end - start < MAX_PASSAGE_CHARS // 2 and last + 1 < len(units):  # the next line is long: its beginning
            end = min(units[last + 1][1], text.rfind(" ", units[last + 1][0] + 1, start + MAX_PASSAGE_CHARS) + 1 or end)
        return _TextWindow(best.weight, start, end)

    def _cut_line(self, text: str, start: int, end: int) -> CharSpan:
        """Of one long line, the part with most words of the question."""
        found = [(token.start() + start, self._stems_in(token[0])) for token in locate_tokens(text[start:end])]
        hits = [(at, roots) for at, roots in found if roots]
        best, begin = -1.0, start
        for place, (at, _) in enumerate(hits):
            inside = {root for later, roots in hits[place:] if later < at + MAX_PASSAGE_CHARS - 60 for root in roots}
            if (worth := sum(self._weight_by_stem[root] for root in inside)) > best:
                best, begin = worth, at
        begin = max(start, begin - 60)
        return begin, min(end, begin + MAX_PASSAGE_CHARS)

    def _stems_in(self, text: str) -> set[str]:
        """The roots of the question that a text holds."""
        found: set[str] = set()
        is_ascii = text.isascii()
        if is_ascii and not any(map(text.lower().__contains__, self._stem_prefixes)):
            return found
        known = self._stems_by_token
        for token in text.split() if is_ascii else [one[0] for one in locate_tokens(text)]:
            roots = known.get(token)
            if roots is None:
                roots = self._stems_of_token(token)
            if roots:
                found |= roots
        return found

    def _stems_of_token(self, token: str) -> frozenset[str]:
        known = self._stems_by_token.get(token)
        if known is None:
            held = [root for word in token_terms(token) if (root := STEMS[word]) in self._weight_by_stem]
            known = self._stems_by_token[token] = frozenset(held) if held else _NO_STEMS
        return known

    def matches(self, text: str) -> Iterator[CharSpan]:
        """The parts of a text that are words of the question: of a name only the part, where that is one."""
        for token in locate_tokens(text):
            if not self._stems_of_token(token[0]):
                continue
            pieces = [
                one for one in _WORD_PART.finditer(text, token.start(), token.end()) if self._stems_of_token(one[0])
            ]
            if pieces:
                yield from ((one.start(), one.end()) for one in pieces)
            else:
                yield token.start(), token.end()


# Letters and digits with the marks above them.
_WORD_PART = re.compile(r"[^\W_][^\W_\u0300-\u036f]*(?:[\u0300-\u036f]{1,9}[^\W_]{0,60}){0,60}")


def _split_units(text: str) -> Iterator[CharSpan]:
    """The lines of a text; of long ones the sentences."""
    start = 0
    for line in text.split("\n"):
        end = start + len(line)
        if not _MARKUP_LINE.match(line):
            if len(line) <= _MAX_UNSPLIT_CHARS:
                yield start, end
            else:
                cuts = [start + found.end() for found in _SENTENCE_END.finditer(line)]
                yield from zip([start, *cuts], [*cuts, end], strict=True)
        start = end + 1


def _event_text(event: Event) -> str:
    body = event.body
    if isinstance(body, PromptGiven | ReplyGiven | SessionSummarized):
        return body.text
    if isinstance(body, ToolUsed):
        return "\n".join((body.input, *body.files)) if body.act is ToolAction.CHANGED else body.input
    return ""
