"""The pattern engine: forms of lasting statements, and signals for and against a sentence being meant to last.

A form is a class of wordings, written as a pattern over a lower-case sentence. Its weight is what it is worth alone.
Signals add to it or take from it: a reason given, a thing named in general, a question, a fence around the task. A
sentence whose score reaches `MIN_SCORE` is taken as meant to last. The rows are in `forms.toml` and `signals.toml`,
each with an example.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from tacit.learn import load_data
from tacit.learn.statements.normalise import PromptSentence
from tacit.model.claim import Kind
from tacit.record import Record

MIN_SCORE = 4
MIN_TERMS = 3  # C2: several
_TERMS = re.compile(
    r"\b(?:module|layer|service|controller|repositor(?:y|ie)|schema|endpoint|package|component|adapter|interface|domain"
    r"|model|handler|middleware|gateway|monorepo|microservice|database|queue|cache|frontend|front-end|backend|back-end"
    r"|client|server|api|store|worker|plugin|core|route|router|boundar(?:y|ie)|entit(?:y|ie)|aggregate"
    r"|pipeline|event bus|view)s?\b"
)


class StatementSignal(Record):
    """A class of wordings and what it adds."""

    name: str
    weight: int
    pattern: re.Pattern[str]


class StatementForm(Record):
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


class FormMatch(Record):
    """A form that a sentence has, and how much speaks for it."""

    form: StatementForm
    phrase: PromptSentence
    start: int
    score: int


@cache
def statement_forms() -> dict[str, tuple[StatementForm, ...]]:
    """Return the rows of `forms.toml`, by group."""
    return {
        group: tuple(
            StatementForm(**{**row, "kind": Kind.from_label(row["kind"]), "pattern": re.compile(row["pattern"])})
            for row in rows
        )
        for group, rows in load_data("statements/forms.toml").items()
    }


@cache
def statement_signals() -> dict[str, tuple[StatementSignal, ...]]:
    """Return the rows of `signals.toml`: signals of every sentence (`sentence`), of its subject (`about`), of what is
    acted on (`objects`), and of sentences without "I" or "you" (`impersonal`)."""
    return {
        group: tuple(StatementSignal(row["name"], row["weight"], re.compile(row["pattern"])) for row in rows)
        for group, rows in load_data("statements/signals.toml").items()
    }


# What, standing in front of a form, makes it a question, a condition or somebody else's thought.
_BEFORE = {
    -4: (
        "if whether do does did should can could would what how why where which unless once until when whenever while "
        "before after as think guess thought thinks ensure ensures then"
    ),
    -2: "for that who than",
}
_WEIGHT_BEFORE = {word: weight for weight, words in _BEFORE.items() for word in words.split()}


def weight_before(plain: str, match: re.Match[str]) -> int:
    """Return what the word in front of a form takes from its score."""
    words = plain[max(0, match.start() - 24) : match.start()].split()
    if words[-2:] == ["so", "that"]:
        return -4
    return _WEIGHT_BEFORE.get(words[-1], 0) if words else 0


def find_structure(phrase: PromptSentence) -> Iterator[FormMatch]:
    """How parts of a program relate: a sentence with several words of architecture and one of structure."""
    yield from find_forms("separation", phrase)
    if len({match[0].rstrip("s") for match in _TERMS.finditer(phrase.plain)}) >= MIN_TERMS:
        yield from find_forms("structure", phrase)


def find_forms(group: str, phrase: PromptSentence) -> Iterator[FormMatch]:
    """Yield the forms of a group that a sentence has with a sufficient score."""
    for form in statement_forms()[group]:
        match = form.pattern.search(phrase.plain)
        if match and (score := _score(form, phrase, match)) >= MIN_SCORE:
            yield FormMatch(form, phrase, match.start(), score)


def _score(form: StatementForm, phrase: PromptSentence, match: re.Match[str]) -> int:
    plain, signals = phrase.plain, statement_signals()
    score = form.weight + phrase.pressing + _total_weight(signals["sentence"], plain) + weight_before(plain, match)
    if not form.firm:
        score += _total_weight(signals["about"], plain)
    if form.acts:
        score += _first_weight(signals["objects"], plain[match.end() : match.end() + 120])
    if form.impersonal and phrase.is_main:
        score += _first_weight(signals["impersonal"], plain)
    return score


def _total_weight(signals: Iterable[StatementSignal], text: str) -> int:
    return sum(signal.weight for signal in signals if signal.pattern.search(text))


def _first_weight(signals: Iterable[StatementSignal], text: str) -> int:
    """Return the weight of the first that matches: they exclude one another."""
    return next((signal.weight for signal in signals if signal.pattern.search(text)), 0)
