"""The files of the model, read when a text first needs them, and what is computed with them."""

from __future__ import annotations

from functools import cached_property


class Model:
    def __init__(self, weights: str, vocabulary: str) -> None:
        from tacit.meaning.network import read  # imports numpy
        from tacit.meaning.wordpiece import Pieces

        self._network = read(weights)
        self._pieces = Pieces(vocabulary)

    @cached_property
    def size(self) -> int:
        return self._network.width

    def vector(self, text: str) -> bytes:
        from tacit.meaning.network import mean_vector
        from tacit.meaning.vectors import packed

        return packed(mean_vector(self._network, self._pieces.numbers(text)))

    def closenesses(self, query: bytes, vectors: bytes) -> list[float]:
        from tacit.meaning.vectors import closenesses

        return closenesses(query, vectors)
