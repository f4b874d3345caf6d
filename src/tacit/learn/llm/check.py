"""Which claims and summaries of a model can be believed. The others are dropped with a reason.

A model is never taken at its word. A claim must quote what was said. What a model read in the output of a tool may be
there to mislead it, so nothing that tells anybody what to do comes from there. A summary reports what was said, and
later sessions see it: it must be about what the person or the agent said, and must not read as an order, a rule or
advice.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from tacit.learn import Lesson
from tacit.learn.llm.prompt import ExcerptLine, ExcerptPart, ModelAnswer, ModelClaim
from tacit.model.claim import Kind, Provenance
from tacit.record import Record
from tacit.secrets.redact import secret_kind
from tacit.text.display import printable
from tacit.text.sentences import TextSpan, sentence_spans
from tacit.text.words import STOP_WORDS, normalize_text, simple_stem, tokenize

# Whether a sentence says the opposite of its quote: what one forbids and the other does not.
#
# Negation holds for its clause. Only words that both texts share are compared, and a word in clauses of both kinds, or
# under a condition, decides nothing. Opposites without a negation (on and off) are not recognised.

_NEGATIONS = (
    r"never|not|no|none|nor|neither|cannot|\w{2,12}n't|dont|avoid|stop|forbid|forbidden|prohibited|banned|disallowed"
    r"|niemals|nie|nicht|kein|keine|keinen|keinem|nunca|jamás|jamais|não|pas|aucune?"
)
_NEGATION = re.compile(rf"\b(?:{_NEGATIONS})\b")
# Negations in form only: "don't forget to run it".
_FALSE_NEGATION = re.compile(
    r"\b(?:do not|don't|dont|never|not to) (?:forget|hesitate|worry)\b"
    r"|\bnot (?:only|just|sure)\b|\bno (?:problem|worries|longer)\b"
)
_INSTEAD_PHRASES = "instead of|rather than|in place of|over|statt|anstatt|anstelle|en vez de|au lieu de|em vez de"
_CONDITION_WORDS = "without|before|until|unless|except|only if|when|if|ohne|sin|sans|sem"
# A "not" behind one of these forbids the whole clause; behind anything else it makes a contrast: "pnpm not npm".
_AUXILIARY_VERBS = "is are was were be do does did must should shall will would can could may might has have".split()
_CONTRASTING_NOT = "".join(rf"(?<!\b{verb})" for verb in _AUXILIARY_VERBS) + r"(?=\snot\s)"
_CLAUSE_BREAK = re.compile(
    r"[.,;:!?()](?=\s|$)|\s[-–—]+\s|\b(?:but|because|since|so that|sondern|sino|mais|mas|weil)\b"
    + rf"|(?=\b(?:{_INSTEAD_PHRASES}|{_CONDITION_WORDS})\b)|{_CONTRASTING_NOT}"
)
_INSTEAD_CLAUSE = re.compile(rf"(?:{_INSTEAD_PHRASES})\b")
_CONDITION_CLAUSE = re.compile(rf"(?:{_CONDITION_WORDS})\b")
# Japanese has no blanks between words.
_JAPANESE_NEGATION = re.compile("ない|ません|禁止|不要|なく")
_FORBIDS, _NEUTRAL, _ALLOWS = -1, 0, 1


def contradicts(sentence: str, quote: str) -> bool:
    """Return whether some word that both share is forbidden by just one of them."""
    polarities, others = _polarities(sentence), _polarities(quote)
    return any(polarities[word] * others[word] == _FORBIDS for word in polarities.keys() & others.keys())


def content_stems(text: str) -> set[str]:
    """Return the stems of words with content: pushing, pushed and push are one."""
    return {simple_stem(word) for word in tokenize(text) if word not in STOP_WORDS and not _NEGATION.fullmatch(word)}


def _polarities(text: str) -> dict[str, int]:
    """Return, for each stem, whether it is allowed or forbidden, or neutral if it is in clauses of both kinds."""
    polarities: dict[str, int] = {}
    plain = _FALSE_NEGATION.sub(" ", normalize_text(text.replace("’", "'")))
    ends = [0, *(match.end() for match in _CLAUSE_BREAK.finditer(plain)), len(plain)]
    for start, end in pairwise(ends):
        clause = plain[start:end].strip()
        polarity = _polarity(clause)
        for stem in content_stems(clause):
            polarities[stem] = polarity if polarities.get(stem, polarity) == polarity else _NEUTRAL
    return polarities


def _polarity(clause: str) -> int:
    if _CONDITION_CLAUSE.match(clause):
        return _NEUTRAL
    is_forbidding = _INSTEAD_CLAUSE.match(clause) or _NEGATION.search(clause) or _JAPANESE_NEGATION.search(clause)
    return _FORBIDS if is_forbidding else _ALLOWS


# Claims and summaries are complete sentences without markup and without invented names.

_MIN_WORDS = 5  # C4: a complete thought
_META_OPENING = re.compile(r"(?:let me|let's|now|first|next|i will|i'll|i am|i'm|we are going to)\b")
_MARKUP = re.compile(r"[<＜]\s{0,3}/?\s{0,3}\w|```|\]\(|https?://\S{1,300}$")
# Characters of names that no paraphrase invents: paths, files, versions, identifiers.
_IDENTIFIER_CHARS = frozenset("/_~$@\\.:0123456789")
_PUNCTUATION = "`'\"‘’“”«»()[],;:!?…"


def is_complete_sentence(text: str, max_chars: int) -> bool:
    """Return whether a text is a complete thought (C4): not too long, not about the conversation itself, no markup."""
    is_long_enough = len(text.split()) >= _MIN_WORDS or (not text.isascii() and len(tokenize(text)) >= 9)
    is_plain = printable(text) == text and not _MARKUP.search(text)
    is_meta = _META_OPENING.match(normalize_text(text)) is not None
    return is_long_enough and len(text) <= max_chars and is_plain and not is_meta and text[-1] != "?"


def identifiers(text: str) -> Iterator[str]:
    """Yield flags, and words that look like no word of a language."""
    for word in text.split():
        bare = word.strip(_PUNCTUATION).rstrip(".")
        if bare.startswith("-") or not _IDENTIFIER_CHARS.isdisjoint(bare):
            yield bare


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


def summary_problem(raw: str, excerpt: Sequence[ExcerptLine]) -> str:
    """Return the first reason against a summary, "" if it can be believed."""
    return next(_summary_problems(raw, " ".join(raw.split()), excerpt), "")


def _summary_problems(raw: str, text: str, excerpt: Sequence[ExcerptLine]) -> Iterator[str]:
    parts = [part for line in excerpt for part in line.parts]
    conversation = " ".join(part.shown for part in parts if part.provenance >= Provenance.MODEL)
    requests = ". ".join(part.shown for part in parts if part.provenance is Provenance.USER_DIRECT)
    sentences = list(sentence_spans(text, [TextSpan(0, len(text))]))
    is_long = len(text) > _MAX_SUMMARY_CHARS or len(sentences) > _MAX_SUMMARY_SENTENCES
    if is_long or _PARAGRAPH_BREAK.search(raw.strip()):
        yield "it is longer than was asked for"
    if not is_complete_sentence(text, _MAX_SUMMARY_CHARS):
        yield "it is no complete thought"
    if secret_kind(text):
        yield "it holds a secret"
    if _is_directive(normalize_text(text.replace("’", "'"))):
        yield "it tells somebody what to do"
    if not _is_summary_grounded(text, conversation, " ".join(line.content for line in excerpt)):
        yield "it says what is not in the conversation"
    if any(contradicts(match[1], requests) for match in _REPORTED_REQUEST.finditer(normalize_text(text))):
        yield "it says the opposite of what was asked"


def _is_directive(text: str) -> bool:
    verbs = (match[1] for match in _SENTENCE_START.finditer(text))
    return bool(_DIRECTIVE_WORDS.search(text)) or not _IMPERATIVE_VERBS.isdisjoint(verbs)


def _is_summary_grounded(text: str, conversation: str, everything: str) -> bool:
    """Return whether the person or the agent said at least half of it, and every name; numbers may be of a command."""
    stems = {stem for stem in content_stems(text) - _REPORTING_STEMS if not stem.isdecimal()}
    return (
        bool(stems)
        and 2 * len(stems & content_stems(conversation)) >= len(stems)
        and all(
            normalize_text(name) in normalize_text(everything if name.isdecimal() else conversation)
            for name in identifiers(text)
        )
    )


# Claims

_MAX_SENTENCE_CHARS, _MIN_QUOTE_CHARS = 300, 8  # C4: a complete thought
_MAX_CONFIDENCE, _MIN_CONFIDENCE = 0.75, 0.5  # less than a person's own words
_MAX_FINDINGS = 10  # of one conversation; a model with more has not chosen
_USER_ONLY_KINDS = frozenset({Kind.CONSTRAINT, Kind.RULE, Kind.PREFERENCE})
_TOOL_OUTPUT_KINDS = frozenset({Kind.CONVENTION, Kind.ENVIRONMENT, Kind.KNOWN_FIX})
_SOURCE_LABELS = {
    Provenance.USER_DIRECT: "in what you said",
    Provenance.MODEL: "in what the agent said",
    Provenance.TOOL_LOCAL: "in what a command printed",
    Provenance.EXTERNAL: "in what was fetched from elsewhere",
}
# A statement has a verb behind its subject; everything else that a tool printed may be an order.
_STATEMENT = re.compile(
    r"\S+ .{0,120}?\b(?:is|are|was|were|has|have|needs|requires|uses|lives|lies|runs|takes|expects|fails|works|contains"
    r"|returns|supports|accepts|comes|listens|means|exists)\b"
)
_INSTRUCTION_WORDS = re.compile(
    r"\b(?:you|your|must|should|shall|always|never|do not|don't|please|ignore|disregard|remember|agents?|assistants?"
    r"|instructions?|from now on)\b"
)
_WORD = re.compile(r"\S+")


class CheckedAnswer(Record):
    """What can be believed, and how many claims were dropped for which reason. A dropped summary counts as one."""

    findings: tuple[Lesson, ...]
    dropped: Mapping[str, int]
    summary: str = ""


class _DroppedClaim(Record):
    reason: str


class _QuoteMatch(Record):
    """Where a quote was found; `original` is its text as it was said."""

    line: ExcerptLine
    part: ExcerptPart
    original: str


def check_answer(answer: ModelAnswer, excerpt: Sequence[ExcerptLine]) -> CheckedAnswer:
    lines = {line.label: line for line in excerpt}
    lessons: dict[str, Lesson] = {}
    dropped = Counter({"not of the form that was asked for": answer.malformed})
    for claim in answer.claims:
        result = _check_claim(claim, lines)
        if isinstance(result, _DroppedClaim):
            dropped[result.reason] += 1
        elif normalize_text(result.sentence) in lessons:
            dropped["said twice"] += 1
        else:
            lessons[normalize_text(result.sentence)] = result
    surest = sorted(lessons.values(), key=lambda lesson: -lesson.confidence)
    dropped["more than can be worth it"] = len(surest[_MAX_FINDINGS:])
    summary = " ".join(answer.summary.split())
    if problem := summary_problem(answer.summary, excerpt) if summary else "":
        dropped[f"the summary: {problem}"] += 1
    return CheckedAnswer(tuple(surest[:_MAX_FINDINGS]), +dropped, "" if problem else summary)


def _check_claim(claim: ModelClaim, lines: Mapping[str, ExcerptLine]) -> Lesson | _DroppedClaim:
    sentence = " ".join(claim.content.split())
    if any(label not in lines for label in claim.evidence):
        return _DroppedClaim("it cites what was not sent")
    cited = [lines[label] for label in claim.evidence]
    quoted = _find_quote(claim.quote, cited)
    if quoted is None:
        return _DroppedClaim("its quote does not occur where it says")
    reason = next(_claim_problems(claim, sentence, quoted, cited), "")
    return _DroppedClaim(reason) if reason else _lesson_from_claim(claim, sentence, quoted, cited)


def _claim_problems(
    claim: ModelClaim, sentence: str, quoted: _QuoteMatch, cited: Sequence[ExcerptLine]
) -> Iterator[str]:
    if claim.confidence < _MIN_CONFIDENCE:
        yield "the model is not sure of it"
    if not is_complete_sentence(sentence, _MAX_SENTENCE_CHARS):
        yield "it is no complete thought"
    if secret_kind(sentence):
        yield "it holds a secret"
    if not _is_grounded(sentence, quoted, cited):
        yield "it says what is not in the conversation"
    if contradicts(sentence, quoted.original):
        yield "it says the opposite of its quote"
    speaker = quoted.part.provenance
    if speaker < Provenance.MODEL and (
        claim.kind not in _TOOL_OUTPUT_KINDS or _is_instruction(sentence) or _is_instruction(quoted.original)
    ):
        yield "only the output of a tool says so"
    if speaker is not Provenance.USER_DIRECT and claim.kind in _USER_ONLY_KINDS:
        yield "the person did not say it"


def _find_quote(quote: str, cited: Sequence[ExcerptLine]) -> _QuoteMatch | None:
    """Return the quote as it was really said, the person's words before others'. What was not sent cannot be quoted."""
    quote = " ".join(quote.split())
    if len(quote) < _MIN_QUOTE_CHARS or not quote.strip(".… "):
        return None
    matches = [
        _QuoteMatch(line, part, original)
        for line in cited
        for part in line.parts
        if quote in part.shown and (original := _original_text(quote, part.original))
    ]
    return max(matches, key=lambda match: match.part.provenance, default=None)


def _original_text(quote: str, text: str) -> str:
    """Return the part of a text that is the quote except for its blanks, "" if there is none."""
    indexes: list[int] = []  # of the characters of the text with single blanks
    for word in _WORD.finditer(text):
        indexes += range(word.start() - 1, word.end()) if indexes else range(*word.span())
    at = "".join(" " if text[index].isspace() else text[index] for index in indexes).find(quote)
    return text[indexes[at] : indexes[at + len(quote) - 1] + 1] if at >= 0 else ""


def _is_grounded(sentence: str, quoted: _QuoteMatch, cited: Sequence[ExcerptLine]) -> bool:
    """Return whether it has a word of the quote, and at least half of it and every name are in the cited lines."""
    stems, source = content_stems(sentence), " ".join(line.content for line in cited)
    return (
        bool(stems & content_stems(quoted.original))
        and 2 * len(stems & content_stems(source)) >= len(stems)
        and all(normalize_text(name) in normalize_text(source) for name in identifiers(sentence))
    )


def _is_instruction(text: str) -> bool:
    plain = normalize_text(text)
    return not _STATEMENT.match(plain) or _INSTRUCTION_WORDS.search(plain) is not None


def _lesson_from_claim(claim: ModelClaim, sentence: str, quoted: _QuoteMatch, cited: Sequence[ExcerptLine]) -> Lesson:
    """Return a lesson with the quoted event first. What a model concluded has no more authority than a model."""
    others = [line for line in cited if line is not quoted.line]
    sources = [quoted.part.provenance, *(part.provenance for line in others for part in line.parts)]
    return Lesson(
        kind=claim.kind,
        sentence=sentence,
        quote=quoted.original,
        evidence=(quoted.line.event_id, *(line.event_id for line in others)),
        reason=f"a model found it {_SOURCE_LABELS[quoted.part.provenance]}",
        confidence=round(min(claim.confidence, _MAX_CONFIDENCE), 2),
        provenance=min(Provenance.MODEL, *sources),
    )
