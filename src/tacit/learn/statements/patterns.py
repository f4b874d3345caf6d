"""The pattern engine: forms of lasting statements, and signals for and against a sentence being meant to last.

A form is a class of wordings, written as a pattern over a lower-case sentence. Its weight is what it is worth alone.
Signals add to it or take from it: a reason given, a thing named in general, a question, a fence around the task. A
sentence whose score reaches `MIN_SCORE` is taken as meant to last. The rows are in `forms.toml` and `signals.toml`;
each form has an example.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from importlib.resources import files
from typing import Any

from tacit.learn.statements.normalise import PromptSentence
from tacit.model.claim import Kind
from tacit.record import Record

MIN_SCORE = 4
MIN_TERMS = 3  # C2: several
_TERMS = re.compile(
    r"\b(?:module|layer|service|controller|repositor(?:y|ie)|schema|endpoint|package|component|adapter|interface"
    r"|domain|model"
    r"|handler|middleware|gateway|monorepo|microservice|database|queue|cache|frontend|front-end|backend|back-end"
    r"|client|server"
    r"|api|store|worker|plugin|core|route|router|boundar(?:y|ie)|entit(?:y|ie)|aggregate|pipeline|event bus|view)s?\b"
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


def _load(name: str) -> dict[str, list[dict[str, Any]]]:
    return tomllib.loads(files(__package__).joinpath(name).read_text(encoding="utf-8"))


def _form(row: dict[str, Any]) -> StatementForm:
    return StatementForm(**{**row, "kind": Kind.from_label(row["kind"]), "pattern": re.compile(row["pattern"])})


def _signal(row: dict[str, Any]) -> StatementSignal:
    return StatementSignal(row["name"], row["weight"], re.compile(row["pattern"]))


FORMS = {group: tuple(map(_form, rows)) for group, rows in _load("forms.toml").items()}
# Signals of every sentence; of what it is about; of what is acted on; and of sentences without "I" or "you".
SIGNALS = {group: tuple(map(_signal, rows)) for group, rows in _load("signals.toml").items()}

# What, standing in front of a form, makes it a question, a condition or somebody else's thought.
_BEFORE = {
    -4: (
        "if whether do does did should can could would what how why where which unless once until when whenever while "
        "before after as think guess thought thinks ensure ensures then"
    ),
    -2: "for that who than",
}
_WEIGHED = {word: weight for weight, words in _BEFORE.items() for word in words.split()}


def weight_before(plain: str, found: re.Match[str]) -> int:
    """What the word in front of a form takes from it."""
    words = plain[max(0, found.start() - 24) : found.start()].split()
    if words[-2:] == ["so", "that"]:
        return -4
    return _WEIGHED.get(words[-1], 0) if words else 0


def find_structure(phrase: PromptSentence) -> Iterator[FormMatch]:
    """How parts of a program relate: a sentence with several words of architecture and one of structure."""
    yield from find_forms("separation", phrase)
    if len({found[0].rstrip("s") for found in _TERMS.finditer(phrase.plain)}) >= MIN_TERMS:
        yield from find_forms("structure", phrase)


def find_forms(group: str, phrase: PromptSentence) -> Iterator[FormMatch]:
    """The forms of a group that a sentence has, with a score that is high enough."""
    for one in FORMS[group]:
        found = one.pattern.search(phrase.plain)
        if found and (score := weigh(one, phrase, found)) >= MIN_SCORE:
            yield FormMatch(one, phrase, found.start(), score)


def weigh(one: StatementForm, phrase: PromptSentence, found: re.Match[str]) -> int:
    score = (
        one.weight
        + phrase.pressing
        + _total_weight(SIGNALS["sentence"], phrase.plain)
        + weight_before(phrase.plain, found)
    )
    if not one.firm:
        score += _total_weight(SIGNALS["about"], phrase.plain)
    if one.acts:
        score += _first_weight(SIGNALS["objects"], phrase.plain[found.end() : found.end() + 120])
    if one.impersonal and phrase.is_main:
        score += _first_weight(SIGNALS["impersonal"], phrase.plain)
    return score


def _total_weight(signs: Iterable[StatementSignal], text: str) -> int:
    return sum(sign.weight for sign in signs if sign.pattern.search(text))


def _first_weight(signs: Iterable[StatementSignal], text: str) -> int:
    """The weight of the first that fits: they exclude one another."""
    return next((sign.weight for sign in signs if sign.pattern.search(text)), 0)
