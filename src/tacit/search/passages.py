"""The passage of a session that answers a question: the lines of its best messages that contain most of the question.

A turn is long, and its first prompt may be "yes": what matched has to be shown. The person's words often repeat the
question, and the agent's reply answers it; so of two passages with the same coverage, the reply is taken. In a long
session many messages have the words of a question, and no score tells which of them answers; so a few more are told
beside the best (ADR 88). What was found may have been overruled before the session ended; so one of them is what a
later turn says, if one does (ADR 32). Where an agent only says what it is about to do, the command that it then ran is
told.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence

from tacit.index import sessions
from tacit.index.postings import AGENT, IDS_PER_SESSION, role_of, start_id_of
from tacit.index.reader import Decode
from tacit.model.event import Event, timestamp
from tacit.model.ids import EventId
from tacit.model.observation import PromptGiven, ReplyGiven, SessionSummarized, ToolAction, ToolUsed
from tacit.record import Record
from tacit.search.bm25 import ParsedQuery, ScoredDocument
from tacit.text.words import STEMS, locate_tokens, sentence_ends, token_terms

MAX_PASSAGE_CHARS, _MAX_PASSAGE_LINES = 480, 10
_LEAD_CHARS = 60  # before the first match in a line that is cut
_MAX_UNSPLIT_CHARS = 160  # longer lines are split into sentences
_NEXT_SENTENCE = re.compile(r"\s+(?=[\"'(\[*`]{0,3}[A-Z0-9])")
_MARKUP_LINE = re.compile(r"(?:\s*(?:`{3,}|~{3,})\w*\s*|[-*_=|:+\s]*)$")
# Letters and digits with the marks above them.
_WORD_PART = re.compile(r"[^\W_][^\W_\u0300-\u036f]*(?:[\u0300-\u036f]{1,9}[^\W_]{0,60}){0,60}")
_MAX_MESSAGES_READ, _MAX_CALLS_READ = 6, 8  # messages of a session that are read closely; tool calls of one message
_MAX_LATER_TURNS_READ = 3
_MAX_MORE_CHARS = 300  # of a passage beside the best
_MIN_MORE_SHARE = 0.4  # of the score of the best passage
# Added to the coverage of a passage: for the score of its message, the requested role, concluding a turn, and being a
# tool call.
_SCORE_WEIGHT, _ROLE_WEIGHT, _LAST_REPLY_WEIGHT, _CALL_WEIGHT = 0.3, 0.15, 0.15, -0.15
_MIN_LATER_SHARE = 0.6  # of the coverage of the passage, for a later reply
_EXTRA_WEIGHT = 0.5  # of words that are only beside a message, such as the name of a branch

_SELECT_MESSAGES = "SELECT doc_id, event_ids, is_reply FROM messages WHERE doc_id IN (SELECT value FROM json_each(?))"
_SELECT_NEXT_TURN = "SELECT min(doc_id), ?2 FROM pages WHERE doc_id > ?1 AND doc_id < ?2"
_SELECT_LAST_REPLY = (
    "SELECT doc_id FROM messages WHERE doc_id >= ? AND doc_id < ? AND is_reply ORDER BY doc_id DESC LIMIT 1"
)

_SELECT_NEXT_MESSAGE = (
    "SELECT doc_id, event_ids, is_reply FROM messages WHERE doc_id > ? AND doc_id < ? ORDER BY doc_id LIMIT 1"
)

CharSpan = tuple[int, int]


class Passage(Record):
    """Lines of one message.

    `matches` are the spans of `text` that are words of the question. `agent` is empty if the person said it. `call` is
    set if it is not a text but a tool call. `answer` quotes the last reply of its turn, if that is another message.
    `more` are passages of other messages that may answer as well, in the order in which they were said. `ran` is the
    command that follows a reply.
    """

    doc_id: int
    event: EventId
    text: str
    matches: tuple[CharSpan, ...]
    agent: str
    at: str
    call: ToolUsed | None = None
    answer: str = ""
    more: tuple[Passage, ...] = ()
    ran: str = ""


class _TextWindow(Record):
    """A part of a text, and the weight of the terms in it."""

    weight: float
    start: int
    end: int


class _MessageRow(Record):
    """A message in the index. `events` are the ids of its events, separated by blanks."""

    doc_id: int
    event_ids: str
    is_reply: int

    @property
    def is_message(self) -> bool:
        return bool(self.is_reply) or role_of(self.doc_id) != AGENT


class _PassageCandidate(Record):
    """The best window of one event of a message."""

    doc_id: int
    event: Event
    text: str
    window: _TextWindow


class _QueryStems(dict[str, frozenset[str]]):
    """From tokens to the stems of the query in them; computed on first use."""

    def __init__(self, stems: Mapping[str, float]) -> None:
        super().__init__()
        self._stems = stems

    def __missing__(self, token: str) -> frozenset[str]:
        self[token] = stems = frozenset([stem for word in token_terms(token) if (stem := STEMS[word]) in self._stems])
        return stems


class PassageReader:
    """Reads messages of sessions for one query.

    `role` is whose messages are asked for; by default the agent's. With `asks_why` a tool call is no answer where
    anything was said.
    """

    def __init__(
        self, connection: sqlite3.Connection, query: ParsedQuery, decode: Decode, role: int | None, *, asks_why: bool
    ) -> None:
        self._connection = connection
        self._decode = decode
        self._role = AGENT if role is None else role
        self._asks_why = asks_why
        self._weight_by_stem = {term.stem: term.weight for term in query.terms}
        self._weight_by_word = {term.word: term.weight for term in query.terms}
        self._total_weight = sum(term.weight for term in query.terms) or 1.0
        self._query_stems = _QueryStems(self._weight_by_stem)
        # A word begins like its stem, except for the last letter of the stem: most lines need not be tokenized.
        self._stem_prefixes = {stem[: max(min(len(stem) - 1, 4), 2)].lower() for stem in self._weight_by_stem}
        self._last_replies: dict[int, int | None] = {}

    def best_passage(self, messages: Sequence[ScoredDocument], max_more: int) -> Passage | None:
        """Return the best passage of these messages of one session; None if none can be read.

        With `max_more`, as many others are told beside it: more messages are read, and the last replies of their turns
        and of later ones.
        """
        closely = max_more > 0
        top = max((message.score for message in messages), default=0.0) or 1.0
        scores = {
            message.doc_id: self._coverage(message)
            + _SCORE_WEIGHT * message.score / top
            + _ROLE_WEIGHT * (role_of(message.doc_id) == self._role)
            for message in messages
        }
        rows = self._message_rows(_top_ids(scores, 2 * _MAX_MESSAGES_READ))
        scores = {doc_id: scores[doc_id] + (0.0 if row.is_message else _CALL_WEIGHT) for doc_id, row in rows.items()}
        chosen = _top_ids(scores, _MAX_MESSAGES_READ if closely else 1)
        if closely and chosen and (last := self._last_reply_in_turn(chosen[0])) is not None and last not in chosen:
            chosen.append(last)  # what a turn came to answers more often than what was said on the way
            rows |= self._message_rows([last])
        by_id = {message.doc_id: message for message in messages}
        candidates = {row.doc_id: list(self._candidates(row)) for row in map(rows.get, chosen) if row}
        scored: list[tuple[float, _PassageCandidate]] = []
        for doc_id, parts in candidates.items():
            message = by_id.get(doc_id)
            bonus = _SCORE_WEIGHT * message.score / top if message else 0.0
            min_score = _EXTRA_WEIGHT * self._coverage(message) if message else 0.0
            scored += [(max(score, min_score) + bonus, candidate) for score, candidate in parts]
        if not scored:
            return None
        if self._asks_why:
            scored = [pair for pair in scored if not isinstance(pair[1].event.body, ToolUsed)] or scored
        scored.sort(key=lambda pair: -pair[0])
        best = scored[0][1]
        passage = self._render_passage(best)
        if closely:
            passage = passage._replace(more=self._more_passages(messages, scored, max_more))
        if passage.agent and not closely:
            return passage
        last = self._last_reply_in_turn(best.doc_id)
        if last is None or last == best.doc_id:
            return passage
        replies = candidates.get(last) or [
            reply for row in self._message_rows([last]).values() for reply in self._candidates(row)
        ]
        return passage._replace(answer=self._render_passage(replies[0][1]).text if replies else "")

    def _more_passages(
        self, messages: Sequence[ScoredDocument], scored: Sequence[tuple[float, _PassageCandidate]], limit: int
    ) -> tuple[Passage, ...]:
        """Return short passages of other messages than the best, which is the first of `scored`."""
        best_score, best = scored[0]
        later = self._later_reply(messages, best)
        others = [later] if later else []
        shown = {best.doc_id, self._last_reply_in_turn(best.doc_id), *(other.doc_id for other in others)}
        for score, candidate in scored:
            if len(others) < limit and candidate.doc_id not in shown and score >= _MIN_MORE_SHARE * best_score:
                others.append(candidate)
                shown.add(candidate.doc_id)
        others.sort(key=lambda candidate: candidate.doc_id)
        short = [other._replace(window=self._best_window(other.text, _MAX_MORE_CHARS)) for other in others]
        return tuple(map(self._render_passage, short))

    def _later_reply(self, messages: Sequence[ScoredDocument], best: _PassageCandidate) -> _PassageCandidate | None:
        """Return the last reply of a later turn with about as much coverage; None if there is none."""
        end = self._last_reply_in_turn(best.doc_id) or best.doc_id
        doc_ids = {self._last_reply_in_turn(message.doc_id) for message in messages if message.doc_id > end}
        rows = self._message_rows([doc_id for doc_id in doc_ids if doc_id and doc_id > end])
        for row in sorted(rows.values(), reverse=True)[:_MAX_LATER_TURNS_READ]:
            replies = [candidate for _, candidate in self._candidates(row)]
            reply = max(replies, key=lambda candidate: candidate.window.weight, default=None)
            if reply is not None and reply.window.weight >= _MIN_LATER_SHARE * best.window.weight:
                return reply
        return None

    def _coverage(self, message: ScoredDocument) -> float:
        """Return the share of the question that a message contains, by term weight."""
        return sum(self._weight_by_word.get(word, 0.0) for word in message.terms) / self._total_weight

    def _message_rows(self, doc_ids: Sequence[int]) -> dict[int, _MessageRow]:
        return {row[0]: _MessageRow(*row) for row in self._connection.execute(_SELECT_MESSAGES, (json.dumps(doc_ids),))}

    def _last_reply_in_turn(self, doc_id: int) -> int | None:
        """Return the last reply from this message on in its turn, which may be the message itself; None without one."""
        if doc_id not in self._last_replies:
            next_turn, session_end = self._connection.execute(
                _SELECT_NEXT_TURN, (doc_id, start_id_of(doc_id) + IDS_PER_SESSION)
            ).fetchone()
            row = self._connection.execute(_SELECT_LAST_REPLY, (doc_id, next_turn or session_end)).fetchone()
            self._last_replies[doc_id] = row[0] if row else None
        return self._last_replies[doc_id]

    def _candidates(self, row: _MessageRow) -> Iterator[tuple[float, _PassageCandidate]]:
        """Yield the best window of each event of a message, with its score."""
        is_last_reply = self._last_reply_in_turn(row.doc_id) == row.doc_id
        bonus = _ROLE_WEIGHT * (role_of(row.doc_id) == self._role) + _LAST_REPLY_WEIGHT * is_last_reply
        event_ids = [EventId(name) for name in row.event_ids.split()[:_MAX_CALLS_READ]]
        for logged in sessions.logged_events(self._connection, event_ids, self._decode):
            body, text = logged.event.body, ""
            is_call = isinstance(body, ToolUsed)
            if isinstance(body, PromptGiven | ReplyGiven | SessionSummarized):
                text = body.text
            elif isinstance(body, ToolUsed):
                text = "\n".join((body.input, *body.files)) if body.act is ToolAction.CHANGED else body.input
            window = self._best_window(text)
            score = window.weight / self._total_weight + (_CALL_WEIGHT if is_call else bonus)
            yield score, _PassageCandidate(row.doc_id, logged.event, text, window)

    def _render_passage(self, candidate: _PassageCandidate) -> Passage:
        doc_id, event, text, window = candidate
        lines = text[window.start : window.end].strip().split("\n")
        quote = "\n".join(line.rstrip() for line in lines if not _MARKUP_LINE.match(line))
        if text[: window.start].rstrip(" \t")[-1:] not in ("", "\n"):
            quote = f"… {quote}"
        if text[window.end :].lstrip(" \t")[:1] not in ("", "\n"):
            quote = f"{quote} …"
        body = event.body
        agent = "" if isinstance(body, PromptGiven) else getattr(body, "agent", "")
        call = body if isinstance(body, ToolUsed) else None
        ran = self._next_command(doc_id) if isinstance(body, ReplyGiven) else ""
        matches = tuple(self.matches(quote))
        return Passage(doc_id, event.id, quote, matches, agent, timestamp(event.at), call, ran=ran)

    def _next_command(self, doc_id: int) -> str:
        """Return the command that an agent ran right after a reply; "" if it did something else."""
        end = start_id_of(doc_id) + IDS_PER_SESSION
        row = _MessageRow(*(self._connection.execute(_SELECT_NEXT_MESSAGE, (doc_id, end)).fetchone() or (end, "", 1)))
        event_ids = [EventId(name) for name in row.event_ids.split()[:_MAX_CALLS_READ]] if not row.is_message else []
        bodies = (logged.event.body for logged in sessions.logged_events(self._connection, event_ids, self._decode))
        return next((body.input for body in bodies if isinstance(body, ToolUsed) and body.act is ToolAction.RAN), "")

    # Windows

    def _best_window(self, text: str, max_chars: int = MAX_PASSAGE_CHARS) -> _TextWindow:
        """Return the lines or sentences with the most weight, widened as far as there is room."""
        units = list(_split_units(text))
        if not units:
            return _TextWindow(0.0, 0, 0)
        unit_stems = [self._stems_in(text[start:end]) for start, end in units]
        best, chosen = _TextWindow(0.0, 0, 0), (0, 0)
        for first, stems in enumerate(unit_stems):
            if not stems and best.weight > 0:
                continue
            seen: set[str] = set()
            for last in range(first, len(units)):
                start, end = units[first][0], units[last][1]
                if last > first and end - start > max_chars:
                    break
                if unit_stems[last] <= seen and last > first:
                    continue
                seen |= unit_stems[last]
                weight = sum(self._weight_by_stem[stem] for stem in seen)
                is_shorter = weight == best.weight and end - start < best.end - best.start
                if weight > best.weight or is_shorter:
                    best, chosen = _TextWindow(weight, start, end), (first, last)
        return _TextWindow(best.weight, *self._widened(text, units, *chosen, max_chars))

    def _widened(self, text: str, units: Sequence[CharSpan], first: int, last: int, max_chars: int) -> CharSpan:
        """Return the span of these units with those after and then before them that fit."""
        start, end = units[first][0], units[last][1]
        max_last = min(len(units) - 1, first + _MAX_PASSAGE_LINES)
        while last < max_last and units[last + 1][1] - start <= max_chars:
            last += 1
            end = units[last][1]
        min_first = max(0, last - _MAX_PASSAGE_LINES)
        while first > min_first and end - units[first - 1][0] <= max_chars:
            first -= 1
            start = units[first][0]
        if end - start > max_chars:
            return self._cut_line(text, start, end, max_chars)
        if end - start < max_chars // 2 and last + 1 < len(units):  # the next line is long: its beginning
            next_start, next_end = units[last + 1]
            end = min(next_end, text.rfind(" ", next_start + 1, start + max_chars) + 1 or end)
        return start, end

    def _cut_line(self, text: str, start: int, end: int, max_chars: int) -> CharSpan:
        """Return the part of a long line with the most weight."""
        tokens = [(token.start() + start, self._stems_in(token[0])) for token in locate_tokens(text[start:end])]
        hits = [(position, stems) for position, stems in tokens if stems]
        max_weight, best = -1.0, start
        for index, (position, _) in enumerate(hits):
            limit = position + max_chars - _LEAD_CHARS
            inside = {stem for later, stems in hits[index:] if later < limit for stem in stems}
            if (weight := sum(self._weight_by_stem[stem] for stem in inside)) > max_weight:
                max_weight, best = weight, position
        start = max(start, best - _LEAD_CHARS)
        return start, min(end, start + max_chars)

    def _stems_in(self, text: str) -> set[str]:
        """Return the stems of the query that occur in a text."""
        if not text.isascii():
            tokens = [token[0] for token in locate_tokens(text)]
        elif any(map(text.lower().__contains__, self._stem_prefixes)):
            tokens = text.split()
        else:
            return set()
        return set().union(*map(self._query_stems.__getitem__, tokens))

    def matches(self, text: str) -> Iterator[CharSpan]:
        """Yield the spans of a text that are words of the question; of a compound name only the parts that match."""
        for token in locate_tokens(text):
            if self._query_stems[token[0]]:
                parts = _WORD_PART.finditer(text, token.start(), token.end())
                yield from [part.span() for part in parts if self._query_stems[part[0]]] or [token.span()]


def _top_ids(scores: Mapping[int, float], limit: int) -> list[int]:
    return sorted(scores, key=lambda doc_id: -scores[doc_id])[:limit]


def _split_units(text: str) -> Iterator[CharSpan]:
    """Yield the spans of lines, and of sentences in long lines."""
    start = 0
    for line in text.split("\n"):
        end = start + len(line)
        if not _MARKUP_LINE.match(line):
            if len(line) <= _MAX_UNSPLIT_CHARS:
                yield start, end
            else:
                blanks = (_NEXT_SENTENCE.match(line, cut) for cut in sentence_ends(line))
                cuts = [start + blank.end() for blank in blanks if blank]
                yield from zip([start, *cuts], [*cuts, end], strict=True)
        start = end + 1
