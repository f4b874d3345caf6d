"""Answers of a language model that were recorded, each for one question, and the questions to be answered.

A memory that asks a model gets what the model said once to just this text. A text that has changed since has no answer:
then nothing is scored, rather than an answer to something else.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

FILE = Path(__file__).with_name("answers") / "judge.jsonl"
_ID_CHARS = 16


class Unanswered(Exception):
    """There is no answer to a question."""


class Recorded:
    """Answers from a file: one JSON object a line, with the `id` of a question and its `answer`."""

    def __init__(self, file: Path = FILE) -> None:
        self._answers: dict[str, str] = {}
        for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
            try:
                row = json.loads(line)
                self._answers[str(row["id"])] = json.dumps(row["answer"], ensure_ascii=False)
            except (KeyError, TypeError, ValueError) as why:
                raise ValueError(f"{file}, line {number}: {why!r}") from why

    def __call__(self, question: str) -> str:
        """Return the answer to a question. Raises Unanswered if it was never put, or put in other words."""
        try:
            return self._answers[question_id(question)]
        except KeyError:
            raise Unanswered(question_id(question)) from None


class Written:
    """Writes every question to a file of its own in a folder; nobody answers."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder

    def __call__(self, question: str) -> str:
        (self._folder / f"{question_id(question)}.txt").write_text(question, "utf-8")
        raise Unanswered(question_id(question))


def question_id(question: str) -> str:
    """A hash of the whole text: it says nothing of the case, and another text has another one."""
    return hashlib.sha256(question.encode()).hexdigest()[:_ID_CHARS]
