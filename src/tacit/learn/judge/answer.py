"""What a judge answered: the form of it, and which of its memories and summaries can be believed.

A memory must quote one candidate line. Its wording is the judge's, so it never has more authority than a model: the
setting `learn.accept` accepts only what the person typed. What is not believed is dropped with a reason.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from tacit.contradiction.polarity import content_stems, contradicts
from tacit.contradiction.restatement import is_restatement
from tacit.learn import Lesson
from tacit.learn.judge.check import (
    PLAIN_QUOTES,
    is_complete_sentence,
    is_directive,
    summary_problem,
    unknown_names,
)
from tacit.learn.judge.question import Question, QuestionLine, QuotablePart, SessionPart, redacted_line
from tacit.model.claim import Kind, Provenance
from tacit.record import Record
from tacit.secrets.redact import secret_kind
from tacit.text.sentences import TextSpan, sentence_spans
from tacit.text.words import normalize_text

# Habits are not among them: those are counted.
KINDS_BY_LABEL = {
    kind.label: kind
    for kind in (
        *(Kind.CONSTRAINT, Kind.RULE, Kind.DECISION, Kind.CONVENTION),
        *(Kind.ENVIRONMENT, Kind.PREFERENCE, Kind.KNOWN_FIX),
    )
}
MAX_PER_SESSION = 3
_MAX_MEMORIES = 200  # of one answer that are looked at
_EVERYWHERE = "everywhere"

# The form: one JSON object

_STRING_TYPE = {"type": "string"}
_MEMORY_TYPES: Mapping[str, object] = {
    "quote": _STRING_TYPE,
    "statement": _STRING_TYPE,
    "kind": {"type": "string", "enum": list(KINDS_BY_LABEL)},
    "why": _STRING_TYPE,
    "where": {"type": "string", "enum": ["project", _EVERYWHERE]},
}


def _object_schema(properties: Mapping[str, object]) -> dict[str, object]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


# For models of `llm` that take a schema. It repeats what the question says and contains nothing of the person's.
ANSWER_SCHEMA: dict[str, object] = {
    "type": "object",
    "properties": {
        "question": _STRING_TYPE,
        "memories": {"type": "array", "items": _object_schema(_MEMORY_TYPES)},
        "summaries": {"type": "object", "additionalProperties": _STRING_TYPE},
    },
    "required": ["memories", "summaries"],
}
_THINKING = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_THINKING_END = re.compile(r"</think(?:ing)?>")
_MAX_OBJECT_STARTS = 100  # braces at which an object may begin


class JudgedMemory(Record):
    """One memory of an answer: of the right form, but not checked yet."""

    quote: str
    statement: str
    kind: Kind
    why: str = ""
    everywhere: bool = False


class JudgeAnswer(Record):
    """The parts of an answer. `malformed` counts what is no memory or no summary; `mark` is that of the question."""

    memories: tuple[JudgedMemory, ...]
    summaries: Mapping[str, str] = {}
    malformed: int = 0
    mark: str = ""


def parse_answer(text: str) -> JudgeAnswer | None:
    """Return the parts of an answer. Thinking, a code fence and words around the one object are ignored.

    None if there is no object or more than one, or if it has another form.
    """
    objects = list(_json_objects(_without_thinking(text)))
    answer = objects[0] if len(objects) == 1 else {}
    memories, summaries, mark = answer.get("memories"), answer.get("summaries", {}), answer.get("question")
    if not isinstance(memories, list):
        return None
    parsed = [memory for item in memories[:_MAX_MEMORIES] if (memory := _parse_memory(item))]
    texts = summaries if isinstance(summaries, dict) else {}
    valid = {label: summary for label, summary in texts.items() if isinstance(summary, str)}
    malformed = len(memories) - len(parsed) + len(texts) - len(valid) + (texts is not summaries)
    return JudgeAnswer(tuple(parsed), valid, malformed, mark if isinstance(mark, str) else "")


def _without_thinking(text: str) -> str:
    """Return an answer without the thoughts that end. After the last end, no beginning is searched for one."""
    end = max((match.end() for match in _THINKING_END.finditer(text)), default=0)
    return _THINKING.sub(" ", text[:end]) + text[end:]


def parse_json(text: str | bytes) -> object:
    """Return the value of a JSON text, None if it is not valid."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _json_objects(text: str) -> Iterator[dict[str, object]]:
    """Yield the outermost JSON objects in a text."""
    decoder, at = json.JSONDecoder(), -1
    for _ in range(_MAX_OBJECT_STARTS):
        at = text.find("{", at + 1)
        if at < 0:
            return
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            continue
        yield value
        at = end - 1


def _parse_memory(item: object) -> JudgedMemory | None:
    match item:
        case {"quote": str(quote), "statement": str(statement), "kind": str(label), **others}:
            kind = KINDS_BY_LABEL.get(label.strip().lower().replace(" ", "_"))
            why = others.get("why")
            is_everywhere = others.get("where") == _EVERYWHERE
            if kind is not None:
                return JudgedMemory(quote, statement, kind, why if isinstance(why, str) else "", is_everywhere)
    return None


# What can be believed

_MAX_STATEMENT_CHARS, _MIN_QUOTE_CHARS, _MAX_WHY_CHARS = 300, 8, 160
_CONFIDENCE = 0.7  # less than the person's own clear words
_FIX_KINDS = frozenset({Kind.KNOWN_FIX, Kind.ENVIRONMENT, Kind.CONVENTION})
# A command may be advised. Words that address a reader come from whoever wrote the output.
_READER_WORDS = re.compile(
    r"\b(?:you|your|must|shall|please|ignore|disregard|remember|agents?|assistants?|instructions?|from now on)\b"
)
_WORD = re.compile(r"\S+")
_QUOTE_EDGES = "\"'…. "  # what is put around a quote


class JudgedSession(Record):
    """What can be believed of an answer about one session, and who judged it."""

    findings: tuple[Lesson, ...] = ()
    summary: str = ""
    judge: str = ""


class RejectedMemory(Record):
    """The statement of a memory that was not believed, and why."""

    statement: str
    reason: str


class CheckedAnswer(Record):
    """What can be believed, by the label of the session; how much was dropped for which reason, and what."""

    sessions: Mapping[str, JudgedSession]
    dropped: Mapping[str, int]
    rejected: tuple[RejectedMemory, ...] = ()


class _QuoteMatch(Record):
    """Where a quote occurs; `original` is its text in the log."""

    session: SessionPart
    line: QuestionLine
    part: QuotablePart
    original: str


def check_answer(answer: JudgeAnswer, question: Question, judge: str) -> CheckedAnswer:
    """Return what can be believed of the answer to a question."""
    lessons: dict[str, list[Lesson]] = {part.label: [] for part in question.parts}
    rejected: list[RejectedMemory] = []
    for memory in answer.memories:
        statement = " ".join(memory.statement.split())
        quoted = _find_quote(memory.quote, question.parts) or _find_sentences(memory.quote, question.parts)
        if quoted is None:
            problem = "its quote does not occur"
        else:
            known = lessons[quoted.session.label]
            problem = next(chain(_memory_problems(memory, statement, quoted), _repetition(statement, known)), "")
            if not problem:
                known.append(_lesson(memory, statement, quoted, judge))
        if problem:
            rejected.append(RejectedMemory(redacted_line(statement, _MAX_WHY_CHARS), problem))
    dropped = Counter(memory.reason for memory in rejected)
    dropped["not of the form that was asked for"] = answer.malformed
    summaries = _believed_summaries(answer.summaries, question.parts, dropped)
    sessions = {label: JudgedSession(tuple(found), summaries.get(label, ""), judge) for label, found in lessons.items()}
    return CheckedAnswer(sessions, +dropped, tuple(rejected))


def _repetition(statement: str, known: Sequence[Lesson]) -> Iterator[str]:
    if any(is_same_statement(statement, lesson.sentence) for lesson in known):
        yield "said twice"
    if len(known) >= MAX_PER_SESSION:
        yield "more than three of one session"


def is_same_statement(first: str, second: str) -> bool:
    return normalize_text(first) == normalize_text(second) or is_restatement(first, second)


def _memory_problems(memory: JudgedMemory, statement: str, quoted: _QuoteMatch) -> Iterator[str]:
    if not is_complete_sentence(statement, _MAX_STATEMENT_CHARS):
        yield "it is no complete thought"
    if secret_kind(statement):
        yield "it holds a secret"
    if unknown_names(statement, f"{quoted.line.context} {quoted.session.project}"):
        yield "it has names that its line does not have"
    if not _is_about(statement, quoted.line.context):
        yield "it has nothing to do with its quote"
    # What works instead naturally says the opposite of what failed.
    if not quoted.line.is_fix and any(contradicts(statement, text) for text in (quoted.original, quoted.part.shown)):
        yield "it says the opposite of its quote"
    if quoted.line.is_fix and (memory.kind not in _FIX_KINDS or _READER_WORDS.search(normalize_text(statement))):
        yield "only the output of a tool says so"


def _is_about(statement: str, context: str) -> bool:
    """Return whether they share a word. A statement about a line in another script may share none."""
    return bool(content_stems(statement) & content_stems(context)) or (statement.isascii() and not context.isascii())


def _find_quote(quote: str, sessions: Sequence[SessionPart]) -> _QuoteMatch | None:
    """Return where a quote occurs first. What was not sent cannot be quoted."""
    quote = " ".join(quote.translate(PLAIN_QUOTES).split())
    for wanted in dict.fromkeys((quote, quote.strip(_QUOTE_EDGES))):
        for session in sessions:
            for line in session.lines:
                for part in line.parts:
                    is_long_enough = len(wanted) >= _MIN_QUOTE_CHARS or (wanted and wanted == part.shown)
                    is_sent = is_long_enough and wanted in part.shown.translate(PLAIN_QUOTES)
                    if is_sent and (original := _original_text(wanted, part.original)):
                        return _QuoteMatch(session, line, part, original)
    return None


def _find_sentences(quote: str, sessions: Sequence[SessionPart]) -> _QuoteMatch | None:
    """Return where the longest sentence of a quote occurs, if all of them occur. They are one line for its names."""
    spans = list(sentence_spans(quote, [TextSpan(0, len(quote))]))
    matches = [_find_quote(quote[span.start : span.end], sessions) for span in spans]
    found = [match for match in matches if match is not None]
    if len(found) < max(len(matches), 2) or len({match.session.label for match in found}) > 1:
        return None
    longest = max(found, key=lambda match: len(match.original))
    context = " ".join(match.line.context for match in found)
    return longest._replace(line=longest.line._replace(context=context))


def _original_text(quote: str, text: str) -> str:
    """Return the part of a text that is the quote except for its blanks and quotation marks, "" if there is none."""
    plain = text.translate(PLAIN_QUOTES)
    indexes: list[int] = []  # of the characters of the text with single blanks
    for word in _WORD.finditer(plain):
        indexes += range(word.start() - 1, word.end()) if indexes else range(*word.span())
    at = "".join(" " if plain[index].isspace() else plain[index] for index in indexes).find(quote)
    return text[indexes[at] : indexes[at + len(quote) - 1] + 1] if at >= 0 else ""


def _lesson(memory: JudgedMemory, statement: str, quoted: _QuoteMatch, judge: str) -> Lesson:
    why = redacted_line(memory.why, _MAX_WHY_CHARS)
    is_plain = bool(why) and not is_directive(why)
    evidence = quoted.line.evidence
    return Lesson(
        kind=memory.kind,
        sentence=statement,
        quote=quoted.original,
        evidence=evidence[-1:] + evidence[:-1] if quoted.part.name == "then" else evidence,
        reason=f"judged by {judge}" + (f": {why}" if is_plain else ""),
        confidence=_CONFIDENCE,
        provenance=Provenance.TOOL_LOCAL if quoted.line.is_fix else Provenance.MODEL,
        everywhere=memory.everywhere,
    )


def _believed_summaries(
    summaries: Mapping[str, str], parts: Sequence[SessionPart], dropped: Counter[str]
) -> dict[str, str]:
    """Return the summaries of sessions of this question that hold, on one line. Count the others in `dropped`."""
    believed: dict[str, str] = {}
    for part in parts:
        raw = summaries.get(part.label, "")
        requests = ". ".join((part.request, *(line.context for line in part.lines if not line.is_fix)))
        conversation = " ".join((part.request, *(line.context for line in part.lines), part.reply))
        if not raw.strip():
            continue
        if problem := summary_problem(raw, conversation=conversation, requests=requests):
            dropped[f"the summary: {problem}"] += 1
        else:
            believed[part.label] = " ".join(raw.split())
    return believed
