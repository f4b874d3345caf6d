"""Broken variants of the log and the index in this process: each leaves out one thing the protocol does.

Those of the whole program are in `mutated.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext

from tacit.disk.files import Disk
from tacit.home import store
from tacit.index import database
from tacit.log import segment
from tacit.log.segment import SegmentTail
from tests.chaos.outcome import replaced


def no_seal() -> AbstractContextManager[None]:
    """Appending takes no notice of a torn tail, so the next line is glued to it."""
    read_tail = segment.read_tail

    def blind(disk: Disk, fd: int) -> SegmentTail:
        return read_tail(disk, fd)._replace(lacks_newline=False, fragments=())

    return replaced(segment, "read_tail", blind)


@contextmanager
def no_wellness() -> Iterator[None]:
    """What SQLite says of a damaged file is not understood, so nothing is made again."""
    with ExitStack() as stack:
        for module in (database, store):
            stack.enter_context(replaced(module, "translate_sqlite_errors", nullcontext))
        yield


class NoLock:
    """Keeps nobody out."""

    @contextmanager
    def acquire(self, timeout: float | None = None) -> Iterator[None]:
        yield
