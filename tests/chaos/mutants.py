"""The named broken variants: each leaves out one thing the protocol does. A test that passes on one is worthless."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress

from tacit.disk.files import Disk, OsDisk
from tacit.home import store
from tacit.index import database
from tacit.log import segment
from tacit.log.segment import SegmentTail

_PIECE = 512


@contextmanager
def no_seal() -> Iterator[None]:
    """Appending takes no notice of a torn tail, so the next line is glued to it."""
    read_tail = segment.read_tail

    def blind(disk: Disk, fd: int) -> SegmentTail:
        return read_tail(disk, fd)._replace(lacks_newline=False, fragments=())

    segment.read_tail = blind
    try:
        yield
    finally:
        segment.read_tail = read_tail


@contextmanager
def no_wellness() -> Iterator[None]:
    """What SQLite says of a damaged file is not understood, so nothing is made again."""
    kept = database.translate_sqlite_errors
    for module in (database, store):
        vars(module)["translate_sqlite_errors"] = nullcontext
    try:
        yield
    finally:
        for module in (database, store):
            vars(module)["translate_sqlite_errors"] = kept


class NoLock:
    """Keeps nobody out."""

    @contextmanager
    def acquire(self, timeout: float | None = None) -> Iterator[None]:
        yield


class PiecemealDisk(OsDisk):
    """A disk that takes a few bytes at a time, so that one record becomes many writes."""

    def write(self, fd: int, data: bytes) -> int:
        return super().write(fd, data[:_PIECE])


class BlindDisk(OsDisk):
    """A disk whose errors nobody looks at: what it did not take counts as written."""

    def write(self, fd: int, data: bytes) -> int:
        with suppress(OSError):
            super().write(fd, data)
        return len(data)
