"""The documents and the questions, the same for every peer and every run.

A document is one topic for one service, so each question has one right answer, and every document about the same
service and every one about the same topic stands beside it as a wrong one.
"""

from __future__ import annotations

from itertools import product
from random import Random
from typing import NamedTuple

from bench.peers.topics import SERVICES, SLOTS, TOPICS, Topic

MOST = len(TOPICS) * len(SERVICES)
QUESTIONS = 200
_NEAR = 0.6


class Question(NamedTuple):
    query: str
    answer: str
    """The document that should be found, word for word."""


class Material(NamedTuple):
    documents: list[str]
    questions: list[Question]


def material(documents: int, *, seed: str = "peers") -> Material:
    """So many different documents, and questions about some of them."""
    random = Random(seed)
    pairs = random.sample(list(product(TOPICS, SERVICES)), documents)
    known = [(topic, _filled(random, service)) for topic, service in pairs]
    asked = random.sample(known, min(QUESTIONS, documents))
    return Material(
        [topic.text.format(**slots) for topic, slots in known],
        [_question(random, topic, slots) for topic, slots in asked],
    )


def _filled(random: Random, service: str) -> dict[str, str]:
    other = random.choice([name for name in SERVICES if name != service])
    return {"s": service, "s2": other} | {slot: random.choice(words) for slot, words in SLOTS.items()}


def _question(random: Random, topic: Topic, slots: dict[str, str]) -> Question:
    form = topic.near if random.random() < _NEAR else topic.far
    return Question(form.format(**slots), topic.text.format(**slots))
