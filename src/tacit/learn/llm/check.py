"""Which claims and summaries of a model can be believed. The others are dropped with a reason."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from tacit.learn.llm.prompt import Answer, Claimed, Line, Part
from tacit.learn.types import Learnt
from tacit.model.claim import Kind, Provenance
from tacit.record import Record
from tacit.secrets.redact import secret_kind
from tacit.text.display import show
from tacit.text.sentences import Span, sentences
from tacit.text.words import STOP_WORDS, fold, stem, words

# Whether a sentence says the opposite of the words it is said to come from: what one forbids and the other does not.
#
# Negation holds for the clause it stands in. Only words that both texts share are compared, and a word that stands in
# clauses of both sorts, or under a condition, tells nothing. Opposites without a negation (on and off) are not seen.

_NEGATIONS = (
    r"never|not|no|none|nor|neither|cannot|\w{2,12}n't|dont|avoid|stop|forbid|forbidden|prohibited|banned|disallowed"
    r"|niemals|nie|nicht|kein|keine|keinen|keinem|nunca|jamás|jamais|não|pas|aucune?"
)
_NEGATED = re.compile(rf"\b(?:{_NEGATIONS})\b")
# Said with a negation, and none: "don't forget to run it".
_NO_NEGATION = re.compile(
    r"\b(?:do not|don't|dont|never|not to) (?:forget|hesitate|worry)\b"
    r"|\bnot (?:only|just|sure)\b|\bno (?:problem|worries|longer)\b"
)
_INSTEAD = "instead of|rather than|in place of|over|statt|anstatt|anstelle|en vez de|au lieu de|em vez de"
_IF = "without|before|until|unless|except|only if|when|if|ohne|sin|sans|sem"
# A "not" behind one of these forbids the whole clause; behind anything else it is set against it: "pnpm not npm".
_VERBS = "is are was were be do does did must should shall will would can could may might has have".split()
_SET_AGAINST = "".join(rf"(?<!\b{verb})" for verb in _VERBS) + r"(?=\snot\s)"
_BREAK = re.compile(
    r"[.,;:!?()](?=\s|$)|\s[-–—]+\s|\b(?:but|because|since|so that|sondern|sino|mais|mas|weil)\b"
    + rf"|(?=\b(?:{_INSTEAD}|{_IF})\b)|{_SET_AGAINST}"
)
_AGAINST = re.compile(rf"(?:{_INSTEAD})\b")
_CONDITION = re.compile(rf"(?:{_IF})\b")
# Written without blanks: the negation of a verb cannot be told by words.
_UNSPACED = re.compile("ない|ません|禁止|不要|なく")
_FORBIDS, _TELLS_NOTHING, _ALLOWS = -1, 0, 1


def contradicts(sentence: str, quote: str) -> bool:
    """Whether some word that both share is forbidden by just one of them."""
    one, other = _signs(sentence), _signs(quote)
    return any(one[word] * other[word] == _FORBIDS for word in one.keys() & other.keys())


def stems(text: str) -> set[str]:
    """The words that tell something, without their endings: pushing, pushed and push are one."""
    return {stem(word) for word in words(text) if word not in STOP_WORDS and not _NEGATED.fullmatch(word)}


def _signs(text: str) -> dict[str, int]:
    """Of each word: whether it is allowed or forbidden, or stands in clauses of both sorts."""
    signs: dict[str, int] = {}
    for clause in _clauses(fold(text.replace("’", "'"))):
        sign = _sign(clause)
        for word in stems(clause):
            signs[word] = sign if signs.get(word, sign) == sign else _TELLS_NOTHING
    return signs


def _clauses(text: str) -> Iterator[str]:
    plain = _NO_NEGATION.sub(" ", text)
    places = [0, *(found.end() for found in _BREAK.finditer(plain)), len(plain)]
    yield from (plain[begin:end].strip() for begin, end in pairwise(places))


def _sign(clause: str) -> int:
    if _CONDITION.match(clause):
        return _TELLS_NOTHING
    is_forbidding = _AGAINST.match(clause) or _NEGATED.search(clause) or _UNSPACED.search(clause)
    return _FORBIDS if is_forbidding else _ALLOWS


# What the words of a model must be like, whatever they are about: a whole thought, plain, and no names made up.

_FEWEST_WORDS = 5  # C4: a complete thought
_META = re.compile(r"(?:let me|let's|now|first|next|i will|i'll|i am|i'm|we are going to)\b")
_TAG = re.compile(r"[<＜]\s{0,3}/?\s{0,3}\w|```|\]\(|https?://\S{1,300}$")
# What names have that nobody makes up while saying something in other words: paths, files, versions, identifiers.
_SIGNS = frozenset("/_~$@\\.:0123456789")
_QUOTES = "`'\"‘’“”«»()[],;:!?…"


def is_thought(text: str, longest: int) -> bool:
    """C4: whole, of a length to remember, about a matter and not about the talk, and no markup."""
    long_enough = len(text.split()) >= _FEWEST_WORDS or (not text.isascii() and len(words(text)) >= 9)
    plain = show(text) == text and not _TAG.search(text)
    return long_enough and len(text) <= longest and plain and not _META.match(fold(text)) and text[-1] != "?"


def names(text: str) -> Iterator[str]:
    """Words that look like no word of a language; flags too."""
    for word in text.split():
        bare = word.strip(_QUOTES).rstrip(".")
        if bare.startswith("-") or not _SIGNS.isdisjoint(bare):
            yield bare


# What of a model's summary can be believed: it reports what was said there, and tells nobody what to do.
#
# Later sessions are told of it, so what a command printed cannot speak through it: what it is about must have been
# said by the person or the agent, and a sentence that reads as an order, a rule or advice is none.

_LONGEST_SUMMARY, _SENTENCES = 280, 2
_PARAGRAPHS = re.compile(r"\n[^\S\n]{0,99}\n")
# Whoever is spoken to, and what rules and advice are made of, in the languages that Tacit learns from.
_ADDRESSING = re.compile(
    r"\b(?:you|your|yours|yourself|must|shall|should|always|never|do not|don't|dont|please|ignore|disregard|remember"
    r"|instructions?|from now on|make sure|be sure|have to|needs? to|ought to"
    r"|du|dein\w{0,2}|musst|sollst|immer|niemals|nie|bitte|ignorier\w{0,3}|ab jetzt"
    r"|tú|usted|debes?|siempre|nunca|jamás|ignora\w{0,2}|por favor"
    r"|tu|vous|vos|votre|dois|devez|toujours|jamais|ignorez|veuillez|s'il (?:te|vous) pla[iî]t"
    r"|você|deve[ms]?|sempre|ignor[ae])\b"
    r"|必ず|常に|決して|ください|下さい|しないで|無視|するな"
)
# How an order begins; a report has another form of these words, or another word before them.
_ORDERS = frozenset(
    (
        "add allow answer apply approve ask avoid be begin build call change check clone commit configure confirm "
        "consider continue copy create curl decode delete deploy disable do document download edit email enable ensure "
        "eval execute export fetch find fix follow forget format forward get git give grant help import include inform "
        "insert install invoke keep let list load log look make merge modify move name never note obey open output "
        "override paste perform pip place post prefer print process provide publish push put read rebase reject "
        "release remove rename repeat replace reply report reset respond return reveal review rm run save say see send "
        "set sh share show skip speak start stop store submit sudo switch take tell test treat trust try turn "
        "type uninstall update upload use validate verify visit wait warn wget write"
    ).split()
)
_BEGINNING = re.compile(
    r"(?:^|[.;:!?…—–]\s|\s-\s)(?:(?:and|also|but|first|just|kindly|next|now|simply|so|then) ){0,4}(\w+)"
)
# What the person wanted, up to the end of the clause.
_WANTED = re.compile(
    r"\b(?:ask(?:s|ed)?|want(?:s|ed)?|request(?:s|ed)?|told|instructed|decid(?:ed|es)|said|prefer(?:s|red)?|required)\b"
    r"([^.;]{1,280})"
)
# What a report is made of, whatever it is about.
_REPORTING = stems(
    "user person agent assistant developer session conversation asked wanted requested told said reported result work"
    " done made successful successfully completed finished again after before then later finally failed passed ran"
    " fixed changed added removed updated created implemented checked found"
)


def why_no_summary(raw: str, excerpt: Sequence[Line]) -> str:
    """The first thing that speaks against it; empty where it holds."""
    return next(_summary_objections(raw, " ".join(raw.split()), excerpt), "")


def _summary_objections(raw: str, text: str, excerpt: Sequence[Line]) -> Iterator[str]:
    parts = [part for line in excerpt for part in line.parts]
    spoken = " ".join(part.shown for part in parts if part.provenance >= Provenance.MODEL)
    asked = ". ".join(part.shown for part in parts if part.provenance is Provenance.USER_DIRECT)
    told = [text[span.start : span.end] for span in sentences(text, [Span(0, len(text))])]
    if len(text) > _LONGEST_SUMMARY or len(told) > _SENTENCES or _PARAGRAPHS.search(raw.strip()):
        yield "it is longer than was asked for"
    if not is_thought(text, _LONGEST_SUMMARY):
        yield "it is no complete thought"
    if secret_kind(text):
        yield "it holds a secret"
    if _tells_what_to_do(fold(text.replace("’", "'"))):
        yield "it tells somebody what to do"
    if not _is_summary_grounded(text, spoken, " ".join(line.words for line in excerpt)):
        yield "it says what is not in the conversation"
    if any(contradicts(wanted[1], asked) for wanted in _WANTED.finditer(fold(text))):
        yield "it says the opposite of what was asked"


def _tells_what_to_do(text: str) -> bool:
    return bool(_ADDRESSING.search(text)) or any(found[1] in _ORDERS for found in _BEGINNING.finditer(text))


def _is_summary_grounded(text: str, spoken: str, everything: str) -> bool:
    """At least half of it, and every name, was said by the person or the agent; numbers may come from a command."""
    said = {word for word in stems(text) - _REPORTING if not word.isdecimal()}
    return (
        bool(said)
        and 2 * len(said & stems(spoken)) >= len(said)
        and all(fold(name) in fold(everything if name.isdecimal() else spoken) for name in names(text))
    )


# What of a model's claims can be believed: each must quote what was said, or it is dropped with the reason.
#
# A model is never taken at its word. What it read in the output of a tool may be there to mislead it, so nothing that
# tells anybody what to do comes from there.

_LONGEST, _SHORTEST_QUOTE = 300, 8  # C4: a complete thought
_SUREST, _LEAST_SURE = 0.75, 0.5  # a model is never as sure as a person's own words
_MOST = 10  # of one conversation; a model that finds more has not chosen
_OWN_WORDS = frozenset({Kind.CONSTRAINT, Kind.RULE, Kind.PREFERENCE})
_OF_TOOLS = frozenset({Kind.CONVENTION, Kind.ENVIRONMENT, Kind.KNOWN_FIX})
_SPEAKERS = {
    Provenance.USER_DIRECT: "in what you said",
    Provenance.MODEL: "in what the agent said",
    Provenance.TOOL_LOCAL: "in what a command printed",
    Provenance.EXTERNAL: "in what was fetched from elsewhere",
}
# A statement has a verb behind its subject; everything else that a tool printed may be an order.
_STATES = re.compile(
    r"\S+ .{0,120}?\b(?:is|are|was|were|has|have|needs|requires|uses|lives|lies|runs|takes|expects|fails|works|contains"
    r"|returns|supports|accepts|comes|listens|means|exists)\b"
)
_ORDERS_MODEL_CLAIMS = re.compile(
    r"\b(?:you|your|must|should|shall|always|never|do not|don't|please|ignore|disregard|remember|agents?|assistants?"
    r"|instructions?|from now on)\b"
)
_WORD = re.compile(r"\S+")


class Checked(Record):
    """What holds, and how many claims were dropped for which reason; a summary that does not hold is one of those."""

    findings: tuple[Learnt, ...]
    dropped: Mapping[str, int]
    summary: str = ""


class _Dropped(Record):
    reason: str


class _Quoted(Record):
    """Where the quote stands: `exact` is as it was said."""

    line: Line
    part: Part
    exact: str


def checked(answer: Answer, excerpt: Sequence[Line]) -> Checked:
    lines = {line.label: line for line in excerpt}
    findings: dict[str, Learnt] = {}
    dropped = Counter({"not of the form that was asked for": answer.malformed})
    for claimed in answer.claimed:
        found = _checked(claimed, lines)
        if isinstance(found, _Dropped):
            dropped[found.reason] += 1
        elif fold(found.sentence) in findings:
            dropped["said twice"] += 1
        else:
            findings[fold(found.sentence)] = found
    surest = sorted(findings.values(), key=lambda one: -one.confidence)
    dropped["more than can be worth it"] = len(surest[_MOST:])
    summary = " ".join(answer.summary.split())
    if objection := why_no_summary(answer.summary, excerpt) if summary else "":
        dropped[f"the summary: {objection}"] += 1
    return Checked(tuple(surest[:_MOST]), +dropped, "" if objection else summary)


def _checked(claimed: Claimed, lines: Mapping[str, Line]) -> Learnt | _Dropped:
    sentence = " ".join(claimed.content.split())
    if any(label not in lines for label in claimed.evidence):
        return _Dropped("it cites what was not sent")
    cited = [lines[label] for label in claimed.evidence]
    quoted = _find(claimed.quote, cited)
    if quoted is None:
        return _Dropped("its quote does not occur where it says")
    reason = next(_objections(claimed, sentence, quoted, cited), "")
    return _Dropped(reason) if reason else _learnt(claimed, sentence, quoted, cited)


def _objections(claimed: Claimed, sentence: str, quoted: _Quoted, cited: Sequence[Line]) -> Iterator[str]:
    if claimed.confidence < _LEAST_SURE:
        yield "the model is not sure of it"
    if not is_thought(sentence, _LONGEST):
        yield "it is no complete thought"
    if secret_kind(sentence):
        yield "it holds a secret"
    if not _is_grounded(sentence, quoted, cited):
        yield "it says what is not in the conversation"
    if contradicts(sentence, quoted.exact):
        yield "it says the opposite of its quote"
    speaker = quoted.part.provenance
    if speaker < Provenance.MODEL and (claimed.kind not in _OF_TOOLS or _is_order(sentence) or _is_order(quoted.exact)):
        yield "only the output of a tool says so"
    if speaker is not Provenance.USER_DIRECT and claimed.kind in _OWN_WORDS:
        yield "the person did not say it"


def _find(quote: str, cited: Sequence[Line]) -> _Quoted | None:
    """The quote as it was really said; the person's words count before others'. What was not sent cannot be quoted."""
    sought = " ".join(quote.split())
    if len(sought) < _SHORTEST_QUOTE or not sought.strip(".… "):
        return None
    found = [
        _Quoted(line, part, exact)
        for line in cited
        for part in line.parts
        if sought in part.shown and (exact := _as_said(sought, part.said))
    ]
    return max(found, key=lambda one: one.part.provenance, default=None)


def _as_said(sought: str, said: str) -> str:
    """The part of a text that is this but for its blanks; empty where there is none."""
    places: list[int] = []  # of each letter of the text with single blanks, where it stands
    for word in _WORD.finditer(said):
        places += range(word.start() - 1, word.end()) if places else range(*word.span())
    at = "".join(" " if said[place].isspace() else said[place] for place in places).find(sought)
    return said[places[at] : places[at + len(sought) - 1] + 1] if at >= 0 else ""


def _is_grounded(sentence: str, quoted: _Quoted, cited: Sequence[Line]) -> bool:
    """Something of the quote is in it, at least half of it is in the lines it cites, and so is every name."""
    said, source = stems(sentence), " ".join(line.words for line in cited)
    known = stems(source)
    return (
        bool(said & stems(quoted.exact))
        and 2 * len(said & known) >= len(said)
        and all(fold(name) in fold(source) for name in names(sentence))
    )


def _is_order(text: str) -> bool:
    folded = fold(text)
    return not _STATES.match(folded) or _ORDERS_MODEL_CLAIMS.search(folded) is not None


def _learnt(claimed: Claimed, sentence: str, quoted: _Quoted, cited: Sequence[Line]) -> Learnt:
    """The quoted event comes first; nothing a model concluded has more authority than a model."""
    others = [line for line in cited if line is not quoted.line]
    sources = [quoted.part.provenance, *(part.provenance for line in others for part in line.parts)]
    return Learnt(
        kind=claimed.kind,
        sentence=sentence,
        quote=quoted.exact,
        evidence=(quoted.line.event, *(line.event for line in others)),
        reason=f"a model found it {_SPEAKERS[quoted.part.provenance]}",
        confidence=round(min(claimed.confidence, _SUREST), 2),
        provenance=min(Provenance.MODEL, *sources),
    )
