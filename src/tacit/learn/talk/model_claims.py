"""What of a model's claims can be believed: each must quote what was said, or it is dropped with the reason.

A model is never taken at its word. What it read in the output of a tool may be there to mislead it, so nothing that
tells anybody what to do comes from there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from tacit.core.claim import Kind
from tacit.core.provenance import Provenance
from tacit.core.redaction import secret_kind
from tacit.core.text import fold
from tacit.learn.talk.learnt import Learnt
from tacit.learn.talk.model_answer import Answer, Claimed
from tacit.learn.talk.model_excerpt import Line, Part
from tacit.learn.talk.model_polarity import contradicts, stems
from tacit.learn.talk.model_summary import why_no_summary
from tacit.learn.talk.model_words import is_thought, names
from tacit.record import Record

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
_ORDERS = re.compile(
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
    return not _STATES.match(folded) or _ORDERS.search(folded) is not None


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
