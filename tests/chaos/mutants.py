"""The named broken variants: each leaves out one thing the protocol does. A test that passes on one is worthless."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tacit.disk.ops import Disk, OsDisk
from tacit.log import segment
from tacit.log.segment import Tail

_PIECE = 512


@contextmanager
def no_seal() -> Iterator[None]:
    """Appending takes no notice of a torn tail, so the next line is glued to it."""
    read_tail = segment.read_tail

    def blind(disk: Disk, fd: int) -> Tail:
        return read_tail(disk, fd)._replace(unended=False, fragments=())

    segment.read_tail = blind
    try:
        yield
    finally:
        segment.read_tail = read_tail


class NoLock:
    """Keeps nobody out."""

    @contextmanager
    def held(self) -> Iterator[None]:
        yield


class PiecemealDisk(OsDisk):
    """A disk that takes a few bytes at a time, so that one record becomes many writes."""

    def write(self, fd: int, data: bytes) -> int:
        return super().write(fd, data[:_PIECE])
