"""How a sentence is stored: able to stand alone, with the polarity it had, its names whole, and a quote to prove it.

The quote is an exact part of the prompt. Where a sentence points at another ("never do that again"), the sentence in
front of it comes along; where there is none, what the turn before was about is named behind it.
"""

from __future__ import annotations

import re

from tacit.core.gist import one_line, visible
from tacit.core.redaction import secret_kind
from tacit.core.text import clip
from tacit.learn.talk.own_words import Span
from tacit.learn.talk.phrase import Phrase
from tacit.record import Record

LEAST_WORDS = 5  # C4
ABOUT = " (about: "  # behind it stand words of the agent
_LONGEST = 320
_CLAUSE = 240  # a sentence longer than this is cut at its clauses
_NAMED = 120
_OWN_WORDS = 13  # a sentence of so many words names its matter itself

_LEADS = re.compile(
    # "No, we use X" begins with an answer; "no more X" with what is meant.
    r"(?:(?:ok|okay|yes|yep|no(?=\s?[,.:!;…-]|\s(?:we|i|you|it|that|this|don't|dont|do|use|let)\b)|nope|yeah|and|but"
    r"|so|also|please|pls|hmm|uh+|oh|ah+|well|alright|right|great|thanks"
    r"|thank you|perfect"
    r"|just to be clear|to be clear|remember(?: that| to)?|note(?: that)?|(?:please )?make sure (?:that )?(?:you|to)"
    r"|again|actually|btw|by the way|wait|sorry"
    r"|like noted before|as i said|like i said|from now on|going forward|moving forward|for future reference"
    r"|in the future)"
    r"(?![\w'’`-])[\s,.:!;…-]{0,4}){1,5}",
    re.IGNORECASE,
)
_RETOLD = (
    (
        re.compile(r"(?:i|we) (?:already |explicitly |clearly )?(?:told|asked|instructed) (?:you|it) not to ", re.I),
        "Never ",
    ),
    (re.compile(r"(?:i|we) (?:already |explicitly |clearly )?(?:told|asked|instructed) (?:you|it) to ", re.I), ""),
    (re.compile(r"my instructions? (?:was|were|is|are) (?:not to|never to) ", re.I), "Never "),
    (re.compile(r"my instructions? (?:was|were|is|are) to ", re.I), ""),
    (re.compile(r"let[’']?s (?=always\b|never\b)", re.I), ""),
    (re.compile(r"do (?=ask me\b|check with\b)", re.I), ""),
)
# A sentence that says what to do with something it does not name.
_POINTS = re.compile(
    r"^(?:never|don't|do not|dont|always|stop|we|i|you|please)?\s?(?:\w+\s){0,5}?(?:it|that|this|them|those"
    r"|these)\b(?:\s(?:again|myself|yourself|way|pattern|here|there|instead|anymore))?"
    r"(?:[\s.,!;]|$)|^(?:that|this|it|those|these|they)\b|\b(?:said|such) \w+",
)
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_BREAK = re.compile(r"[,;:]\s|\s[—–-]\s")


class Saying(Record):
    """What is stored, the part of the prompt it is made of, and whether it points at something outside itself."""

    sentence: str
    quote: Span
    points: bool = False


def say(text: str, phrase: Phrase, at: int, turn_before: str, after: Span | None = None) -> Saying | None:
    """The statement of a sentence in which something was found `at` this place; nothing if it says too little."""
    span = _clause(phrase, at)
    points = _points(phrase)
    if (points or is_short(phrase.text)) and phrase.before is not None:
        span = _joined(text, phrase.before, span)
    if is_short(text[span.start : span.end]) and after is not None and _is_gap(text[span.end : after.start]):
        span = Span(span.start, after.end)
    sentence = _told(text[span.start : span.end])
    if span.start == phrase.span.start and points and turn_before:
        sentence = f"{sentence}{ABOUT}{one_line(turn_before, _NAMED)})"
    sentence = visible(sentence)
    return None if is_short(sentence) or secret_kind(sentence) else Saying(sentence, span, points)


def _points(phrase: Phrase) -> bool:
    """Whether it hardly says more than what to do with something it does not name."""
    return len(phrase.plain.split()) < _OWN_WORDS and _POINTS.search(phrase.plain) is not None


def is_short(text: str) -> bool:
    """Fewer words than a thought takes; what is written without blanks is counted by letters."""
    return len(text.split()) + len(_UNSPACED.findall(text)) // 2 < LEAST_WORDS


def _is_gap(between: str) -> bool:
    """Whether nothing stands there but blanks and the mark of a list: no code, no words of somebody else."""
    return not between.strip(" \t\r\n-*+•–—#()[].0123456789")


def _joined(text: str, before: Span, span: Span) -> Span:
    """With the sentence in front of it, unless that makes it too long or a question stands there."""
    gap = text[before.end : span.start]
    is_near = span.end - before.start <= _LONGEST and not gap[-3:].count("\n\n") and _is_gap(gap)
    return Span(before.start, span.end) if is_near and not text[: before.end].endswith("?") else span


def _clause(phrase: Phrase, at: int) -> Span:
    """The whole sentence; of a very long one the clauses around the place."""
    if len(phrase.text) <= _CLAUSE:
        return Span(phrase.span.start, phrase.span.start + len(phrase.text))
    breaks = [0, *(found.end() for found in _BREAK.finditer(phrase.text)), len(phrase.text)]
    start = max((place for place in breaks if place <= at + 2), default=0)
    ends = [place for place in breaks if place - start <= _CLAUSE and place > at + 12]
    end = max(ends, default=min(start + _CLAUSE, len(phrase.text)))
    end = start + len(phrase.text[start:end].rstrip(" ,;:—–-"))
    return Span(phrase.span.start + start, phrase.span.start + end)


def _told(text: str) -> str:
    """Without what only introduces it, on one line, with a capital letter unless it begins with a name."""
    said = " ".join(text.split())
    if said.startswith("(") and said.rstrip(".").endswith(")"):
        said = said.rstrip(".")[1:-1]
    if (found := _LEADS.match(said)) and not is_short(said[found.end() :]):
        said = said[found.end() :]
    for pattern, instead in _RETOLD:
        if (found := pattern.match(said)) and not is_short(retold := instead + said[found.end() :]):
            said = retold
    first = said.split(" ", 1)[0]
    plainly = first.replace("'", "").replace("’", "").isalpha() and first.islower()
    return clip(said[:1].upper() + said[1:] if plainly else said, _LONGEST)
