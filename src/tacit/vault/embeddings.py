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

from tacit.errors import LockBusy, ReadOnly
from tacit.home.home import Part
from tacit.index import vectors
from tacit.index.database import transaction
from tacit.index.vectors import Text, Vector, print_of
from tacit.log.codec import must_decode
from tacit.record import Record
from tacit.search.semantic import _BROKEN, _meaning

if TYPE_CHECKING:
    from tacit.search.semantic import Meaning

_BATCH = 16  # texts that are encoded before they are kept: half a second that may be lost
_SESSIONS = 8  # that are looked at each time, whether they are done


class Encoded(Record):
    """How many texts got a vector now, and how many have one."""

    new: int
    all: int


class Embeddings(Part):
    """The vectors of one home."""

    def meanings(self) -> int:
        """How many texts can be compared by meaning, as the index is: the doctor asks, and mends nothing by looking."""
        index = self._store.as_it_is()
        with suppress(sqlite3.Error):
            return vectors.how_many(index) if index else 0
        return 0

    @staticmethod
    def can_encode() -> bool:
        """Whether the extra is installed."""
        return _meaning() is not None

    def encode(self, seconds: float) -> Encoded | None:
        """Make vectors for texts that have none, the latest first, for so long; nothing without the extra."""
        meaning = _meaning()
        if meaning is None:
            return None
        until, new = time.monotonic() + seconds, 0
        try:
            self._change(lambda connection: vectors.begin(connection, meaning.name))
            while time.monotonic() < until and (kept := self._some(meaning)):
                new += kept
        except (ReadOnly, LockBusy, *_BROKEN):
            pass  # it is made another time
        return Encoded(new, self.meanings())

    def _some(self, meaning: Meaning) -> int:
        """A batch of them; says how many were kept."""
        texts = self._store.read(lambda connection: vectors.missing(connection, must_decode, _BATCH))
        made = [_made(meaning, text) for text in texts]
        kept: list[int] = []
        self._change(lambda connection: kept.append(_put(connection, made)))
        return kept[0]

    def _change(self, remember: vectors.Change) -> None:
        def all_or_nothing(connection: sqlite3.Connection) -> None:
            with transaction(connection):
                remember(connection)

        self._store.keep(lambda _connection, _unfiled: [], all_or_nothing)


def _made(meaning: Meaning, text: Text) -> Vector:
    return Vector(text.number, print_of(text.text), meaning.vector(text.text[: vectors.LONGEST]))


def _put(connection: sqlite3.Connection, made: Sequence[Vector]) -> int:
    kept = vectors.put(connection, made, must_decode)
    vectors.close_sessions(connection, must_decode, _SESSIONS)
    return kept
