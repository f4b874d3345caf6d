"""A list that is loaded as it is read: the entries that are shown, and how many there are in all (ADR 70)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Generic, TypeVar

from tacit.errors import IndexUnusableError

T = TypeVar("T")
S = TypeVar("S")
_CHUNK_SIZE = 100  # entries that are loaded together


class Listing(Generic[T]):
    """The first entries of a list, or all of them.

    `entries` can be iterated once and loads what it yields. `total` is the number of entries of the whole list. What
    is removed while somebody iterates is left out.
    """

    def __init__(self, entries: Iterable[T], total: int) -> None:
        self.entries = entries
        self.total = total


def load_in_chunks(keys: Sequence[S], load: Callable[[Sequence[S]], Iterable[T]]) -> Iterator[T]:
    """Yield what `load` returns for a part of the keys after the other, in order."""
    for start in range(0, len(keys), _CHUNK_SIZE):
        yield from load(keys[start : start + _CHUNK_SIZE])


def must_agree(doc_ids: Sequence[int], total: int, limit: int | None = None) -> None:
    """Raise IndexUnusableError if a list has not as many entries as were counted. SQLite does not notice lost pages."""
    if len(doc_ids) != (total if limit is None else min(limit, total)):
        raise IndexUnusableError("its tables disagree")
