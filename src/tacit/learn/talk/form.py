"""What a lasting statement looks like: forms, each with a weight, and what speaks for and against in the same sentence.

A form is a class of wordings, written as a pattern over a sentence in small letters. Its weight is what it is worth
alone. Signs add to it or take from it: a reason given, a thing named in general, a question, a fence around the task.
What reaches `ENOUGH` is taken as meant to last. A learner is a table of forms.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tacit.core.claim import Kind
from tacit.learn.talk.phrase import Phrase
from tacit.learn.talk.signs import ABOUT, IMPERSONAL, OBJECTS, SENTENCE, Sign, before
from tacit.record import Record

ENOUGH = 4

# Where a clause begins: at the start, behind a mark, or behind a word that joins or asks.
AT = (
    r"(?:^|[,;:.!?(\[*|>]\s{0,2}|[—–]\s{0,2}|-\s{1,2}"
    r"|\b(?:and|but|so|then|or|please|pls|also|just|ok|okay|yes|no|yeah|now|well|again|remember|must)\s"
    r"|\b(?:make sure|remember|careful|sure|you|want you|like you|need you) to\s|\bmake sure (?:that )?(?:you|we)\s)"
    r"(?:(?:please|pls|also|just|so|then|and|but|ok|okay|again)\s){0,2}"
)
# Where a sentence or a part of it begins, and nothing weaker.
START = r"(?:^|[,;:.(\[—–*|>-]\s{1,2}|^\W{1,4})(?:(?:please|also)\s)?"
# A verb as it is commanded: not "gets", not "always red".
_NO_VERB = (
    r"(?!(?:the|an?|this|that|there|it|they|we|i|you|he|she|in|on|at|for|from|by|of|to|my|our|your|when|if|as"
    r"|so|not|no|but)\b)"
)
VERB = _NO_VERB + r"(?!\w*[^su\W]s\b)[a-z][\w-]*"
WE = r"\b(?:we|i)\b"
NOT = r"(?:don't|dont|do not|do n't|must not|mustn't|should not|shouldn't|shouldnt|cannot|can't|may not)"


class Form(Record):
    """A class of wordings. `firm` ones hold whatever is talked of; of others signs of the moment take away.

    `acts` says that what follows the match is what is to be done something with.
    """

    name: str
    kind: Kind
    weight: int
    pattern: re.Pattern[str]
    example: str
    firm: bool = False
    acts: bool = False
    impersonal: bool = False


class Match(Record):
    """A form that a sentence has, and how much speaks for it."""

    form: Form
    phrase: Phrase
    start: int
    score: int


def form(
    name: str,
    kind: Kind,
    weight: int,
    pattern: str,
    example: str,
    *,
    firm: bool = False,
    acts: bool = False,
    impersonal: bool = False,
) -> Form:
    return Form(name, kind, weight, re.compile(pattern), example, firm, acts, impersonal)


def matches(forms: Iterable[Form], phrase: Phrase) -> Iterator[Match]:
    """The forms of this table that the sentence has, with enough for them."""
    for one in forms:
        found = one.pattern.search(phrase.plain)
        if found and (score := weigh(one, phrase, found)) >= ENOUGH:
            yield Match(one, phrase, found.start(), score)


def weigh(one: Form, phrase: Phrase, found: re.Match[str]) -> int:
    score = one.weight + phrase.pressing + _sum(SENTENCE, phrase.plain) + before(phrase.plain, found)
    if not one.firm:
        score += _sum(ABOUT, phrase.plain)
    if one.acts:
        score += _first(OBJECTS, phrase.plain[found.end() : found.end() + 120])
    if one.impersonal and phrase.alone:
        score += _first(IMPERSONAL, phrase.plain)
    return score


def _sum(signs: Iterable[Sign], text: str) -> int:
    return sum(sign.weight for sign in signs if sign.pattern.search(text))


def _first(signs: Iterable[Sign], text: str) -> int:
    """The weight of the first that fits: they exclude one another."""
    return next((sign.weight for sign in signs if sign.pattern.search(text)), 0)
