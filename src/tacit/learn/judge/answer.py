"""What a judge answered: the form of it, and which of its memories and summaries can be believed.

A judge is never taken at its word. A memory must quote one candidate line; its statement may use only names of that
line and may not say the opposite of its quote. Its wording is the judge's, so it never has more authority than a model:
the setting `learn.accept` accepts only what the person typed. A summary reports what was said, and later sessions see
it: it must be about what the person or the agent said, and must not read as an order, a rule or advice. What is not
believed is dropped with a reason.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from tacit.contradiction.polarity import clause_around, content_stems, contradicts
from tacit.contradiction.profile import is_restatement
from tacit.learn import Lesson
from tacit.learn.judge import wording
from tacit.learn.judge.question import Question, QuestionLine, QuotablePart, SessionPart, redacted_line
from tacit.learn.judge.wording import PLAIN_QUOTES
from tacit.model.claim import Kind, Provenance
from tacit.record import Record
from tacit.secrets import secret_kind
from tacit.text.display import printable
from tacit.text.words import TextSpan, normalize_text, sentence_spans, tokenize

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
_MEMORY_TYPES = {
    "quote": _STRING_TYPE,
    "statement": _STRING_TYPE,
    "kind": {"type": "string", "enum": list(KINDS_BY_LABEL)},
    "why": _STRING_TYPE,
    "where": {"type": "string", "enum": ["project", _EVERYWHERE]},
}
_REFERENCE_TYPES = {"same_as": _STRING_TYPE, "contradicts": _STRING_TYPE}  # need not be there


# For models of `llm` that take a schema. It repeats what the question says and contains nothing of the person's.
ANSWER_SCHEMA: dict[str, object] = {
    "type": "object",
    "properties": {
        "question": _STRING_TYPE,
        "memories": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {**_MEMORY_TYPES, **_REFERENCE_TYPES},
                "required": list(_MEMORY_TYPES),
                "additionalProperties": False,
            },
        },
        "summaries": {"type": "object", "additionalProperties": _STRING_TYPE},
    },
    "required": ["memories", "summaries"],
}
_OPTIONAL_TEXTS = ("why", *_REFERENCE_TYPES)
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
    same_as: str = ""
    contradicts: str = ""


class JudgeAnswer(Record):
    """The parts of an answer. `malformed` counts what is no memory or no summary; `mark` is that of the question."""

    memories: tuple[JudgedMemory, ...]
    summaries: Mapping[str, str] = {}
    malformed: int = 0
    mark: str = ""

    def is_for(self, question: Question) -> bool:
        """Return whether this may be the answer to a question: one that does not say which it is for may."""
        return self.mark in ("", question.mark)


def parse_answer(text: str) -> JudgeAnswer | None:
    """Return the parts of an answer. Thinking, a code fence and words around the one object are ignored.

    None if there is no object or more than one, or if it has another form.
    """
    # Thoughts that end are left out. After the last end, no beginning is searched for one.
    end = max((match.end() for match in _THINKING_END.finditer(text)), default=0)
    objects = list(_json_objects(_THINKING.sub(" ", text[:end]) + text[end:]))
    answer = objects[0] if len(objects) == 1 else {}
    memories, summaries, mark = answer.get("memories"), answer.get("summaries", {}), answer.get("question")
    if not isinstance(memories, list):
        return None
    parsed = [memory for item in memories[:_MAX_MEMORIES] if (memory := _parse_memory(item))]
    texts = summaries if isinstance(summaries, dict) else {}
    valid = {label: summary for label, summary in texts.items() if isinstance(summary, str)}
    malformed = len(memories) - len(parsed) + len(texts) - len(valid) + (texts is not summaries)
    return JudgeAnswer(tuple(parsed), valid, malformed, mark if isinstance(mark, str) else "")


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
            is_everywhere = others.get("where") == _EVERYWHERE
            texts = (text if isinstance(text := others.get(name), str) else "" for name in _OPTIONAL_TEXTS)
            if kind is not None:
                why, same_as, contradicts = texts
                return JudgedMemory(quote, statement, kind, why, is_everywhere, same_as, contradicts)
    return None


# What can be believed

_MAX_STATEMENT_CHARS, _MIN_QUOTE_CHARS, _MAX_WHY_CHARS = 300, 8, 160
CHECK_WORDING = "check the wording"  # in the reason of a lesson
# Words of a statement that a person is asked to check; with more it is not believed. What mends a command is explained.
_MAX_INVENTED_WORDS, _MAX_INVENTED_WORDS_OF_FIX, _MAX_INVENTED_SHARE = 1, 2, 0.1
_CONFIDENCE = 0.7  # less than the person's own clear words
_FIX_KINDS = frozenset({Kind.KNOWN_FIX, Kind.ENVIRONMENT, Kind.CONVENTION})
# A command may be advised. Words that address a reader come from whoever wrote the output.
_READER_WORDS = re.compile(
    r"\b(?:you|your|must|shall|please|ignore|disregard|remember|agents?|assistants?|instructions?|from now on)\b"
)
_WORD = re.compile(r"\S+")
_QUOTE_EDGES = "\"'…. "  # what is put around a quote


class JudgedSession(Record):
    """What can be believed of an answer about one session, and who judged it.

    `was_asked` is False for a session that has nothing to ask about.
    """

    findings: tuple[Lesson, ...] = ()
    summary: str = ""
    judge: str = ""
    was_asked: bool = True


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
    """Where a quote occurs; `original` is its text in the log, `clauses` are the clauses that it is from."""

    session: SessionPart
    line: QuestionLine
    part: QuotablePart
    original: str
    clauses: str


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
            problem = next(_memory_problems(memory, statement, quoted, known), "")
            if not problem:
                lesson = _lesson(memory, statement, quoted, judge)
                known.append(_with_references(lesson, memory, quoted.session, question))
        if problem:
            rejected.append(RejectedMemory(redacted_line(statement, _MAX_WHY_CHARS), problem))
    dropped = Counter(memory.reason for memory in rejected)
    dropped["not of the form that was asked for"] = answer.malformed
    sessions = {}
    for part in question.parts:
        summary = answer.summaries.get(part.label, "")
        if problem := next(_summary_problems(summary, part), "") if summary.strip() else "":
            dropped[f"the summary: {problem}"] += 1
            summary = ""
        sessions[part.label] = JudgedSession(tuple(lessons[part.label]), " ".join(summary.split()), judge)
    return CheckedAnswer(sessions, +dropped, tuple(rejected))


def is_same_statement(first: str, second: str) -> bool:
    return normalize_text(first) == normalize_text(second) or is_restatement(first, second)


def _memory_problems(
    memory: JudgedMemory, statement: str, quoted: _QuoteMatch, known: Sequence[Lesson]
) -> Iterator[str]:
    line = quoted.line
    source = f"{line.around} {line.context} {quoted.session.project}"
    if not is_complete_sentence(statement, _MAX_STATEMENT_CHARS):
        yield "it is no complete thought"
    if secret_kind(statement):
        yield "it holds a secret"
    if wording.unknown_names(statement, source):
        yield "it has names that its line does not have"
    is_translated = wording.is_translated(statement, line.context)
    if not wording.is_about(statement, quoted.clauses if is_translated else source):
        yield "it has nothing to do with its quote"
    if not is_translated and wording.invented_order(statement, source):
        yield "it gives an order that its line does not give"
    most = _MAX_INVENTED_WORDS_OF_FIX if line.is_fix else _MAX_INVENTED_WORDS
    invented = [] if is_translated else wording.invented_words(statement, source)
    if len(invented) > most and _MAX_INVENTED_SHARE * len(statement.split()) < len(invented):
        yield "it says what its line does not say"
    # What works instead naturally says the opposite of what failed.
    if not line.is_fix and wording.is_opposite(statement, quoted.clauses):
        yield "it says the opposite of its quote"
    if line.is_fix and (memory.kind not in _FIX_KINDS or _READER_WORDS.search(normalize_text(statement))):
        yield "only the output of a tool says so"
    yield from _repetition_problems(statement, known)


def _repetition_problems(statement: str, known: Sequence[Lesson]) -> Iterator[str]:
    if any(is_same_statement(statement, lesson.sentence) for lesson in known):
        yield "said twice"
    if len(known) >= MAX_PER_SESSION:
        yield "more than three of one session"


def _with_references(lesson: Lesson, memory: JudgedMemory, session: SessionPart, question: Question) -> Lesson:
    """Return a lesson with the memory that it repeats or contradicts. What was not sent is not known.

    Whatever a judge says, an opposite is no repetition.
    """
    sent = {known.label: known for known in question.known if known.project in ("", session.project)}
    same, opposed = sent.get(memory.same_as), sent.get(memory.contradicts)
    if same and wording.is_opposite(lesson.sentence, same.sentence):
        same, opposed = None, same
    if same:
        return lesson._replace(same_as=same.claim)
    return lesson._replace(contradicts=opposed.claim) if opposed else lesson


def _needs_check(statement: str, quoted: _QuoteMatch) -> bool:
    """Return whether a person should compare a statement with its quote: it is translated, has a word of its own, or
    may say the opposite."""
    line = quoted.line
    if wording.is_translated(statement, line.context):
        return True
    source = f"{line.around} {line.context} {quoted.session.project}"
    return bool(wording.invented_words(statement, source)) or (
        not line.is_fix and wording.may_be_opposite(statement, quoted.clauses, line.context)
    )


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
                        return _QuoteMatch(session, line, part, original, clause_around(original, part.original))
    return None


def _find_sentences(quote: str, sessions: Sequence[SessionPart]) -> _QuoteMatch | None:
    """Return where the longest sentence of a quote occurs, if all of them occur. They are one line for its names."""
    spans = list(sentence_spans(quote, [TextSpan(0, len(quote))]))
    matches = [_find_quote(quote[span.start : span.end], sessions) for span in spans]
    found = [match for match in matches if match is not None]
    if len(found) < max(len(matches), 2) or len({match.session.label for match in found}) > 1:
        return None
    longest = max(found, key=lambda match: len(match.original))
    context, around = (" ".join(texts) for texts in zip(*((m.line.context, m.line.around) for m in found), strict=True))
    clauses = "\n".join(match.clauses for match in found)
    return longest._replace(line=longest.line._replace(context=context, around=around), clauses=clauses)


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
    evidence, is_doubtful = quoted.line.evidence, _needs_check(statement, quoted)
    return Lesson(
        kind=memory.kind,
        sentence=statement,
        quote=quoted.original,
        evidence=evidence[-1:] + evidence[:-1] if quoted.part.name == "then" else evidence,
        reason=f"judged by {judge}" + (f", {CHECK_WORDING}" if is_doubtful else "") + (f": {why}" if is_plain else ""),
        confidence=_CONFIDENCE,
        provenance=Provenance.TOOL_LOCAL if quoted.line.is_fix else Provenance.MODEL,
        everywhere=memory.everywhere,
    )


# Complete sentences without markup

_MIN_WORDS, _MAX_WORDS = 5, 40  # C4: a complete thought
_MIN_TOKENS = 9  # of languages that write no blanks between words
_META_OPENING = re.compile(r"(?:let me|let's|now|first|next|i will|i'll|i am|i'm|we are going to)\b")
_MARKUP = re.compile(r"[<＜]\s{0,3}/?\s{0,3}\w|```|\]\(")


def is_complete_sentence(text: str, max_chars: int) -> bool:
    """Return whether a text is a complete thought (C4): not too long, not about the conversation itself, no markup."""
    words = len(text.split())
    is_long_enough = words >= _MIN_WORDS or (not text.isascii() and len(tokenize(text)) >= _MIN_TOKENS)
    is_plain = printable(text) == text and not _MARKUP.search(text)
    is_meta = _META_OPENING.match(normalize_text(text)) is not None
    is_short_enough = words <= _MAX_WORDS and len(text) <= max_chars
    return is_long_enough and is_short_enough and is_plain and not is_meta and text[-1] != "?"


# Summaries

_MAX_SUMMARY_CHARS, _MAX_SUMMARY_SENTENCES = 280, 2
_PARAGRAPH_BREAK = re.compile(r"\n[^\S\n]{0,99}\n")
# Who is addressed, and the words of rules and advice, in the languages that Tacit learns from.
_DIRECTIVE_WORDS = re.compile(
    r"\b(?:you|your|yours|yourself|must|shall|should|always|never|do not|don't|dont|please|ignore|disregard|remember"
    r"|instructions?|from now on|make sure|be sure|have to|needs? to|ought to"
    r"|du|dein\w{0,2}|musst|sollst|immer|niemals|nie|bitte|ignorier\w{0,3}|ab jetzt"
    r"|tú|usted|debes?|siempre|nunca|jamás|ignora\w{0,2}|por favor"
    r"|tu|vous|vos|votre|dois|devez|toujours|jamais|ignorez|veuillez|s'il (?:te|vous) pla[iî]t"
    r"|você|deve[ms]?|sempre|ignor[ae])\b"
    r"|必ず|常に|決して|ください|下さい|しないで|無視|するな"
)
# First words of an order; a report has another form of these words, or another word before them.
_IMPERATIVE_VERBS = frozenset(
    "add allow answer apply approve ask avoid be begin build call change check clone commit configure confirm "
    "consider continue copy create curl decode delete deploy disable do document download edit email enable ensure "
    "eval execute export fetch find fix follow forget format forward get git give grant help import include inform "
    "insert install invoke keep let list load log look make merge modify move name never note obey open output "
    "override paste perform pip place post prefer print process provide publish push put read rebase reject release "
    "remove rename repeat replace reply report reset respond return reveal review rm run save say see send set sh "
    "share show skip speak start stop store submit sudo switch take tell test treat trust try turn type uninstall "
    "update upload use validate verify visit wait warn wget write".split()
)
_SENTENCE_START = re.compile(
    r"(?:^|[.;:!?…—–]\s|\s-\s)(?:(?:and|also|but|first|just|kindly|next|now|simply|so|then) ){0,4}(\w+)"
)
# What the person wanted, up to the end of the clause.
_REPORTED_REQUEST = re.compile(
    r"\b(?:ask(?:s|ed)?|want(?:s|ed)?|request(?:s|ed)?|told|instructed|decid(?:ed|es)|said|prefer(?:s|red)?|required)\b"
    r"([^.;]{1,280})"
)
# Words of any report, whatever it is about.
_REPORTING_STEMS = content_stems(
    "user person agent assistant developer session conversation asked wanted requested told said reported result work"
    " done made successful successfully completed finished again after before then later finally failed passed ran"
    " fixed changed added removed updated created implemented checked found"
)


def _summary_problems(raw: str, part: SessionPart) -> Iterator[str]:
    """Yield the reasons against a summary of a session."""
    typed = [line.context for line in part.lines if not line.is_fix]
    conversation = " ".join((part.request, *(line.context for line in part.lines), part.reply))
    text = " ".join(raw.split())
    sentences = list(sentence_spans(text, [TextSpan(0, len(text))]))
    is_long = len(text) > _MAX_SUMMARY_CHARS or len(sentences) > _MAX_SUMMARY_SENTENCES
    if is_long or _PARAGRAPH_BREAK.search(raw.strip()):
        yield "it is longer than was asked for"
    if not is_complete_sentence(text, _MAX_SUMMARY_CHARS):
        yield "it is no complete thought"
    if secret_kind(text):
        yield "it holds a secret"
    if is_directive(text):
        yield "it tells somebody what to do"
    # At least half of it and every name was said.
    stems = {stem for stem in content_stems(text) - _REPORTING_STEMS if not stem.isdecimal()}
    is_about_it = bool(stems) and 2 * len(stems & content_stems(conversation)) >= len(stems)
    if not is_about_it or wording.unknown_names(text, conversation):
        yield "it says what is not in the session"
    requests = ". ".join((part.request, *typed))
    if any(contradicts(match[1], requests) for match in _REPORTED_REQUEST.finditer(normalize_text(text))):
        yield "it says the opposite of what was asked"


def is_directive(text: str) -> bool:
    """Return whether a text addresses its reader, states a rule, or gives an order."""
    plain = normalize_text(text.replace("’", "'"))
    verbs = (match[1] for match in _SENTENCE_START.finditer(plain))
    return bool(_DIRECTIVE_WORDS.search(plain)) or not _IMPERATIVE_VERBS.isdisjoint(verbs)
