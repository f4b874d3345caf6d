"""What a judge is asked: candidate sentences and fixes of several sessions, as lines of JSON between two marks.

Only the person's own sentences and commands that failed and were mended are sent, each redacted before it is cut. The
first request of a session and the last reply of the agent are there to sum up; they cannot be quoted. The texts are in
`question.toml`. The same sessions always make the same question.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import count

from tacit.index.reader import MemoryRow
from tacit.learn import FixCandidate, SessionEvent, load_data
from tacit.learn.fixes import fix_candidates
from tacit.learn.statements.sentences import SentenceCandidate, sentence_candidates
from tacit.model.claim import GLOBAL, project_name
from tacit.model.ids import ClaimId, EventId, sha256
from tacit.model.observation import PromptGiven, ReplyGiven
from tacit.record import Record
from tacit.secrets import redacted
from tacit.text.display import clean, clip, printable
from tacit.text.words import estimate_tokens

MAX_QUESTION_TOKENS = 6000
_MAX_QUESTION_SESSIONS = 20  # each is summed up in the answer
_MIN_LINE_TOKENS = 1000  # for the lines of one question, however small the budget is: less than one line may not fit
_MAX_SENTENCE_CHARS, _MAX_ANSWERING_CHARS, _MAX_REPLY_CHARS = 600, 300, 300
_MAX_BEFORE_CHARS, _NEIGHBOURS_CHARS = 120, 1200  # of the sentence before a candidate, and of all near it
_MAX_CALL_CHARS, _MAX_ERROR_CHARS, _MAX_REQUEST_CHARS = 300, 160, 120
MAX_KNOWN_TOKENS, _MAX_KNOWN_CHARS = 500, 200  # of all memories that are sent, and of one of them
_LABEL_CHARS = 6  # of a memory's id
_ID_TOKENS = 8  # of a line, with its comma, quotes and line break
_MARK_CHARS = 16
_MARK_PLACEHOLDER = "MARK"


class SessionMaterial(Record):
    """What a judge may see of a session. `label` names it in the question."""

    label: str
    project: str
    agent: str
    sentences: tuple[SentenceCandidate, ...]
    fixes: tuple[FixCandidate, ...] = ()
    request: str = ""
    last_reply: str = ""


class QuotablePart(Record):
    """A text as it is shown, and as it is in the log."""

    name: str
    shown: str
    original: str


class QuestionLine(Record):
    """One candidate. Only `parts` can be quoted; `context` is all its words; `evidence` has the quoted event first.

    `around` is what was said immediately before and after it, also if it was not sent.
    """

    label: str
    parts: tuple[QuotablePart, ...]
    context: str
    evidence: tuple[EventId, ...]
    is_fix: bool
    text: str
    around: str = ""


class SessionPart(Record):
    """The lines of a session in one question. `is_last` if the rest of the session is not in another question."""

    label: str
    project: str
    header: str
    lines: tuple[QuestionLine, ...]
    request: str = ""
    reply: str = ""
    is_last: bool = True

    @property
    def text(self) -> str:
        reply = [json.dumps({"last_reply": self.reply}, ensure_ascii=False)] if self.reply else []
        return "\n".join((self.header, *(line.text for line in self.lines), *reply))


class KnownMemory(Record):
    """A memory that holds or waits in a project, "" for all of them. `label` names it in the question."""

    label: str
    claim: ClaimId
    project: str
    sentence: str

    @property
    def text(self) -> str:
        project = {"project": self.project} if self.project else {}
        return json.dumps({"known": self.sentence, **project, "id": self.label}, ensure_ascii=False)


class Question(Record):
    """One question about several sessions, and what is known already."""

    parts: tuple[SessionPart, ...]
    known: tuple[KnownMemory, ...] = ()

    @property
    def mark(self) -> str:
        """A hash of the lines of sessions. It delimits them, so nothing in them can forge it, and identifies the
        question, whatever has become known since it was asked."""
        return str(sha256(self._lines.encode("utf-8", "surrogatepass")).hexdigest()[:_MARK_CHARS])

    @property
    def text(self) -> str:
        """Exactly what is sent."""
        mark, texts = self.mark, _question_texts()
        known = "".join(f"{memory.text}\n" for memory in self.known)
        body = f"<sessions {mark}>\n{known}{self._lines}\n</sessions {mark}>\n\n"
        return "".join((texts["instructions"], body, texts["answer_format"].replace(_MARK_PLACEHOLDER, mark)))

    @property
    def _lines(self) -> str:
        return "\n".join(part.text for part in self.parts)


def session_material(label: str, project: str, agent: str, events: Sequence[SessionEvent]) -> SessionMaterial:
    """Return the candidates of a session."""
    replies = [event.body.text for event in events if isinstance(event.body, ReplyGiven)]
    requests = (event.body.text for event in events if isinstance(event.body, PromptGiven))
    first: dict[tuple[str, str], SentenceCandidate] = {}  # what was pasted several times is sent once
    for candidate in sentence_candidates(events):
        first.setdefault((candidate.text, candidate.answering), candidate)
    sentences, fixes = tuple(first.values()), tuple(fix_candidates(events))
    last_reply = replies[-1] if replies else ""
    return SessionMaterial(label, project, agent, sentences, fixes, next(requests, ""), last_reply)


def build_questions(
    materials: Iterable[SessionMaterial], max_tokens: int = MAX_QUESTION_TOKENS, *, may_split: bool = True
) -> Iterator[Question]:
    """Yield the questions for some sessions, in order. Sessions without candidates are in none.

    A session that is longer than one question is split over several, unless `may_split` is False: then its question
    is longer.
    """
    room = max(max_tokens - instruction_tokens() - MAX_KNOWN_TOKENS, _MIN_LINE_TOKENS)
    parts: list[SessionPart] = []
    used = 0
    for material in materials:
        for part in _session_parts(material, room if may_split else None):
            tokens = estimate_tokens(part.text) + _ID_TOKENS * len(part.lines) + 1
            if parts and (used + tokens > room or len(parts) >= _MAX_QUESTION_SESSIONS):
                yield Question(tuple(_number_lines(parts)))
                parts, used = [], 0
            parts.append(part)
            used += tokens
    if parts:
        yield Question(tuple(_number_lines(parts)))


def known_memories(rows: Iterable[MemoryRow]) -> Iterator[KnownMemory]:
    """Yield memories as a judge sees them, in the given order, as many as there is room for."""
    room = MAX_KNOWN_TOKENS
    for row in rows:
        project = "" if row.scope == GLOBAL else redacted_line(project_name(row.scope), _MAX_ANSWERING_CHARS)
        known = KnownMemory(row.id[:_LABEL_CHARS], row.id, project, redacted_line(row.sentence, _MAX_KNOWN_CHARS))
        room -= estimate_tokens(known.text) + 1
        if room < 0:
            return
        yield known


def instruction_tokens() -> int:
    """Return what a question costs without its lines."""
    return estimate_tokens("".join(_question_texts().values()))


def redacted_line(text: str, max_chars: int) -> str:
    """Return a text on one line. It is redacted before it is cut: half a secret is not recognised."""
    return clip(printable(" ".join(redacted(clean(text)).split())), max_chars)


def _session_parts(material: SessionMaterial, room: int | None) -> Iterator[SessionPart]:
    """Yield the session in parts of at most `room` tokens; in one part if `room` is None."""
    request = redacted_line(material.request, _MAX_REQUEST_CHARS)
    header = {"session": material.label, "project": material.project, "agent": material.agent, "request": request}
    header = {name: redacted_line(text, _MAX_ANSWERING_CHARS) for name, text in header.items()}
    empty = SessionPart(material.label, material.project, json.dumps(header, ensure_ascii=False), (), request)
    reply = redacted_line(material.last_reply, _MAX_REPLY_CHARS)
    fixed = estimate_tokens(empty._replace(reply=reply).text) + 1
    lines: list[QuestionLine] = []
    used = fixed
    for line in (*map(_sentence_line, material.sentences), *map(_fix_line, material.fixes)):
        tokens = estimate_tokens(line.text) + _ID_TOKENS
        if lines and room is not None and used + tokens > room:
            yield empty._replace(lines=tuple(lines), is_last=False)
            lines, used = [], fixed
        lines.append(line)
        used += tokens
    if lines:
        yield empty._replace(lines=tuple(lines), reply=reply)


def _sentence_line(candidate: SentenceCandidate) -> QuestionLine:
    part = QuotablePart("sentence", redacted_line(candidate.text, _MAX_SENTENCE_CHARS), candidate.text)
    answering = redacted_line(candidate.answering, _MAX_ANSWERING_CHARS)
    before = redacted_line(candidate.before, _MAX_BEFORE_CHARS)
    fields = {"answering": answering} if answering else {}
    fields |= {"before": before} if before else {}
    line = _question_line({**fields, part.name: part.shown}, (part,), (candidate.event_id,), is_fix=False)
    return line._replace(around=redacted_line(candidate.around, _NEIGHBOURS_CHARS))


def _fix_line(candidate: FixCandidate) -> QuestionLine:
    quotable = (
        ("failed", candidate.failed, _MAX_CALL_CHARS),
        ("error", candidate.error, _MAX_ERROR_CHARS),
        ("then", candidate.retry, _MAX_CALL_CHARS),
    )
    failed, error, retry = parts = tuple(
        QuotablePart(name, redacted_line(text, limit), text) for name, text, limit in quotable
    )
    repair = redacted_line(candidate.repair, _MAX_CALL_CHARS)
    fields = {"tool": redacted_line(candidate.tool, _MAX_CALL_CHARS)} if candidate.tool else {}
    fields |= {part.name: part.shown for part in (failed, error)}
    fields |= {"between": repair} if repair else {}
    fields[retry.name] = retry.shown
    return _question_line(fields, parts, candidate.evidence, is_fix=True)


def _question_line(
    fields: dict[str, str], parts: tuple[QuotablePart, ...], evidence: tuple[EventId, ...], *, is_fix: bool
) -> QuestionLine:
    return QuestionLine("", parts, " ".join(fields.values()), evidence, is_fix, json.dumps(fields, ensure_ascii=False))


def _number_lines(parts: Iterable[SessionPart]) -> Iterator[SessionPart]:
    """Yield the parts with ids in their lines: s1, s2, … for sentences, f1, f2, … for fixes."""
    numbers = {False: count(1), True: count(1)}
    for part in parts:
        labels = [f"{'f' if line.is_fix else 's'}{next(numbers[line.is_fix])}" for line in part.lines]
        lines = (
            line._replace(label=label, text=f'{line.text[:-1]}, "id": "{label}"}}')
            for label, line in zip(labels, part.lines, strict=True)
        )
        yield part._replace(lines=tuple(lines))


@cache
def _question_texts() -> dict[str, str]:
    return load_data("judge/question.toml")
