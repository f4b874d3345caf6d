"""Meaning in a home: vectors are made where nobody waits, and a question is compared with those that are there.

Without the extra nothing of this is loaded, and without vectors the extra is not: what it costs is paid only by a home
that has them. A question encodes itself and nothing else.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from tacit.errors import LockBusyError, ReadOnlyError
from tacit.home.home import HomePart
from tacit.index import vectors
from tacit.index.database import transaction
from tacit.index.vectors import EmbeddingText, StoredVector, hash_text
from tacit.log.codec import must_decode
from tacit.record import Record
from tacit.search.semantic import _MODEL_ERRORS, _cached_model

if TYPE_CHECKING:
    from tacit.search.semantic import EmbeddingModel

_BATCH_SIZE = 16  # texts that are encoded before they are kept: half a second that may be lost
_MAX_SESSIONS = 8  # that are looked at each time, whether they are done


class EncodeResult(Record):
    """How many texts got a vector now, and how many have one."""

    new: int
    total: int


class Embeddings(HomePart):
    """The vectors of one home."""

    def count_encoded(self) -> int:
        """How many texts can be compared by meaning, as the index is: the doctor asks, and mends nothing by looking."""
        index = self._store.index_as_is()
        with suppress(sqlite3.Error):
            return vectors.count_vectors(index) if index else 0
        return 0

    @staticmethod
    def can_encode() -> bool:
        """Whether the extra is installed."""
        return _cached_model() is not None

    def encode(self, seconds: float) -> EncodeResult | None:
        """Make vectors for texts that have none, the latest first, for so long; nothing without the extra."""
        meaning = _cached_model()
        if meaning is None:
            return None
        until, new = time.monotonic() + seconds, 0
        try:
            self._write(lambda connection: vectors.use_model(connection, meaning.name))
            while time.monotonic() < until and (kept := self._encode_batch(meaning)):
                new += kept
        except (ReadOnlyError, LockBusyError, *_MODEL_ERRORS):
            pass  # it is made another time
        return EncodeResult(new, self.count_encoded())

    def _encode_batch(self, meaning: EmbeddingModel) -> int:
        """A batch of them; says how many were kept."""
        texts = self._store.read(lambda connection: vectors.texts_without_vector(connection, must_decode, _BATCH_SIZE))
        made = [_encode_text(meaning, text) for text in texts]
        kept: list[int] = []
        self._write(lambda connection: kept.append(_store_vectors(connection, made)))
        return kept[0]

    def _write(self, remember: vectors.VectorChange) -> None:
        def all_or_nothing(connection: sqlite3.Connection) -> None:
            with transaction(connection):
                remember(connection)

        self._store.append_chosen(lambda _connection, _unfiled: [], all_or_nothing)


def _encode_text(meaning: EmbeddingModel, text: EmbeddingText) -> StoredVector:
    return StoredVector(text.doc_id, hash_text(text.text), meaning.embed(text.text[: vectors.MAX_TEXT_CHARS]))


def _store_vectors(connection: sqlite3.Connection, made: Sequence[StoredVector]) -> int:
    kept = vectors.store_vectors(connection, made, must_decode)
    vectors.mark_complete_sessions(connection, must_decode, _MAX_SESSIONS)
    return kept
