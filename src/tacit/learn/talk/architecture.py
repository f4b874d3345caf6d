"""How parts of the program stand to each other: a sentence with several words of architecture and one of structure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tacit.core.claim import Kind
from tacit.learn.talk.form import Match, form, matches
from tacit.learn.talk.phrase import Phrase

LEAST_TERMS = 3  # C2: several
_TERMS = re.compile(
    r"\b(?:module|layer|service|controller|repositor(?:y|ie)|schema|endpoint|package|component|adapter|interface"
    r"|domain|model"
    r"|handler|middleware|gateway|monorepo|microservice|database|queue|cache|frontend|front-end|backend|back-end"
    r"|client|server"
    r"|api|store|worker|plugin|core|route|router|boundar(?:y|ie)|entit(?:y|ie)|aggregate|pipeline|event bus|view)s?\b"
)

FORMS = (
    form(
        "structure",
        Kind.CONVENTION,
        4,
        r"\b(?:talks? to|depends? on|goes? through|go through|live in|lives in|sits? between|is separate from"
        r"|are separate from"
        r"|imports?|is responsible for|owns?|wraps?|exposes?|only knows?|never (?:touch|call|import|access|know)(?:es"
        r"|s)?|is decoupled|are decoupled|belongs? (?:in|to))\b",
        "Controllers talk to services, and only repositories touch the database.",
    ),
)
APART = (
    form(
        "apart",
        Kind.DECISION,
        4,
        r"\b(?:is|are|should be|must be|stays?|remains?|keep \w+(?: \w+){0,3}) (?:fully |completely |strictly "
        r"|entirely )?(?:separable|separated?|independent|decoupled|isolated) (?:from|of)\b",
        "Scenario generation is independent of the test runner.",
    ),
)


def learn(phrase: Phrase) -> Iterator[Match]:
    yield from matches(APART, phrase)
    if len({found[0].rstrip("s") for found in _TERMS.finditer(phrase.plain)}) >= LEAST_TERMS:
        yield from matches(FORMS, phrase)
