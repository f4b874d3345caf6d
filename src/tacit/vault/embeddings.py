"""Vectors for semantic search. They are made where nobody waits; a question is compared with those that exist.

The model is an optional extra. It is loaded only by a home that has vectors, so that no other home pays for it. A
question encodes itself and nothing else.
"""

from __future__ import annotations

import sqlite3
import time
from contextlib import suppress

from tacit.errors import LockBusyError, ReadOnlyError
from tacit.home.home import HomePart
from tacit.index import vectors
from tacit.index.database import transaction
from tacit.index.vectors import StoredVector, hash_text
from tacit.log.codec import must_decode
from tacit.record import Record
from tacit.search.semantic import MODEL_ERRORS, cached_model

TYPE_CHECKING = False

if TYPE_CHECKING:
    from tacit.search.semantic import EmbeddingModel

_BATCH_SIZE = 16  # texts that are encoded before they are stored: half a second of work that may be lost
_MAX_SESSIONS = 8  # that are checked for completeness after each batch


class EncodeResult(Record):
    """How many texts got a vector now, and how many have one in all."""

    new: int
    total: int


class Embeddings(HomePart):
    """The vectors of one home."""

    def count_encoded(self) -> int:
        """Return how many texts have a vector. The index is read as it is: the doctor asks, and repairs nothing."""
        index = self._store.index_as_is()
        with suppress(sqlite3.Error):
            return vectors.count_vectors(index) if index else 0
        return 0

    @staticmethod
    def can_encode() -> bool:
        """Return whether the extra is installed."""
        return cached_model() is not None

    def encode(self, seconds: float) -> EncodeResult | None:
        """Make vectors for texts that have none, the latest first, for `seconds`. None without the extra."""
        model = cached_model()
        if model is None:
            return None
        deadline, new = time.monotonic() + seconds, 0
        try:
            self._write(lambda connection: vectors.use_model(connection, model.name))
            while time.monotonic() < deadline and (stored := self._encode_batch(model)):
                new += stored
        except (ReadOnlyError, LockBusyError, *MODEL_ERRORS):
            pass  # the next call goes on
        return EncodeResult(new, self.count_encoded())

    def _encode_batch(self, model: EmbeddingModel) -> int:
        """Encode and store a batch. Return how many vectors were stored."""
        texts = self._store.read(lambda connection: vectors.texts_without_vector(connection, must_decode, _BATCH_SIZE))
        encoded = [
            StoredVector(text.doc_id, hash_text(text.text), model.embed(text.text[: vectors.MAX_TEXT_CHARS]))
            for text in texts
        ]
        stored: list[int] = []

        def store(connection: sqlite3.Connection) -> None:
            stored.append(vectors.store_vectors(connection, encoded, must_decode))
            vectors.mark_complete_sessions(connection, must_decode, _MAX_SESSIONS)

        self._write(store)
        return stored[0]

    def _write(self, change: vectors.VectorChange) -> None:
        def in_transaction(connection: sqlite3.Connection) -> None:
            with transaction(connection):
                change(connection)

        self._store.append_chosen(lambda _connection, _unindexed: [], in_transaction)
