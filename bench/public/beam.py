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

from bench.public.haystack import Haystack, Message, Question, Session
from tacit.index.postings import AGENT, PERSON

ALL = "all questions"
ABILITIES = (
    "information extraction",
    "multi session reasoning",
    "knowledge update",
    "temporal reasoning",
    "contradiction resolution",
    "preference following",
    "instruction following",
    "event ordering",
    "summarization",
)
_QUESTIONS = "probing_questions/probing_questions.json"
_FIRST_DAY = date(2024, 1, 1)


def read(folder: Path) -> list[Haystack]:
    return [_haystack(path.parent.parent) for path in sorted(folder.glob(f"*/{_QUESTIONS}"))]


def _haystack(conversation: Path) -> Haystack:
    batches = json.loads((conversation / "chat.json").read_bytes())
    sessions = [
        Session(
            f"session {number}",
            _FIRST_DAY + timedelta(days=number),
            [_message(message) for turn in batch["turns"] for message in turn],
        )
        for number, batch in enumerate(batches)
    ]
    return Haystack(sessions, list(_questions(json.loads((conversation / _QUESTIONS).read_bytes()))))


def _message(message: Mapping[str, Any]) -> Message:
    speaker = PERSON if message["role"] == "user" else AGENT
    return Message(str(message["id"]), speaker, message["content"].rpartition("->->")[0] or message["content"])


def _questions(asked: Mapping[str, list[dict[str, Any]]]) -> Iterator[Question]:
    for ability, questions in asked.items():
        for question in questions:
            if sources := frozenset(_numbers(question.get("source_chat_ids"))):
                yield Question(question["question"], (ALL, ability.replace("_", " ")), messages=sources)


def _numbers(value: object) -> Iterator[str]:
    """Yield the ids in a list, or in an object of lists."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _numbers(item)
    elif value is not None:
        yield str(value)
