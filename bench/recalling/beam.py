"""Long conversations with an assistant, and questions of ten abilities with the messages that they are about (BEAM).

A conversation is a folder with `chat.json` and `probing_questions/probing_questions.json`. A message is a message, a
batch is a session. Questions that the conversation does not answer have no such messages and are left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from bench.recalling.corpus import Corpus, Message
from bench.recalling.scores import Both, Scores
from tacit.index.postings import AGENT, PERSON
from tacit.search.rank import role_asked_for
from tacit.text.words import tokenize

_QUESTIONS = "probing_questions/probing_questions.json"
_MOST = 10
_FIRST_DAY = date(2024, 1, 1)


def is_set(folder: Path) -> bool:
    """Return whether a folder has conversations."""
    return any(folder.glob(f"*/{_QUESTIONS}"))


def measure(folder: Path) -> dict[str, Both]:
    """Return the scores of each ability over all conversations."""
    scores: dict[str, Both] = {}
    for conversation in sorted(path.parent.parent for path in folder.glob(f"*/{_QUESTIONS}")):
        corpus = Corpus()
        batches = json.loads((conversation / "chat.json").read_bytes())
        for number, batch in enumerate(batches):
            messages = [_message(message) for turn in batch["turns"] for message in turn]
            corpus.add(f"session {number}", _FIRST_DAY + timedelta(days=number), messages)
        for ability, question, sources in _questions(json.loads((conversation / _QUESTIONS).read_bytes())):
            answers = corpus.messages(question, role_asked_for(tokenize(question)), _MOST)
            both = scores.setdefault(ability, Both(Scores(), Scores()))
            for one, names in zip(both, answers, strict=True):
                one.add(names, sources, any_will_do=False)
    return scores


def _message(message: Mapping[str, Any]) -> Message:
    speaker = PERSON if message["role"] == "user" else AGENT
    return Message(str(message["id"]), speaker, message["content"].rpartition("->->")[0] or message["content"])


def _questions(asked: Mapping[str, list[dict[str, Any]]]) -> Iterator[tuple[str, str, set[str]]]:
    for ability, questions in asked.items():
        for question in questions:
            if sources := set(_numbers(question.get("source_chat_ids"))):
                yield ability, question["question"], sources


def _numbers(value: object) -> Iterator[str]:
    """Yield the ids in a list, or in an object of lists."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _numbers(item)
    elif value is not None:
        yield str(value)
