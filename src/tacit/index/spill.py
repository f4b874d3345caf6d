"""Data that is sorted outside of memory: files without a name, and what belongs to each range of keys.

The files are deleted as soon as they are open, so a process that is killed leaves nothing of a person's memories.
"""

from __future__ import annotations

import marshal
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from tacit.disk.files import PRIVATE_FILE

Span = tuple[int, int, int]  # file, offset and length of data that was spilled


def open_unnamed(folder: str) -> int:
    """Return the descriptor of a new file in `folder` that no other process can open by a name."""
    path = os.path.join(folder, f".spill-{os.getpid()}-{os.urandom(8).hex()}")
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, PRIVATE_FILE)
    os.unlink(path)
    return fd


class Spill:
    """Appends to one of several files and reads all of them. Without files, it keeps the data in memory.

    Each process writes to a file of its own, `own`, and reads those of the others. Only plain values are stored:
    numbers, texts, bytes, None, and tuples and lists of them.
    """

    def __init__(self, files: Sequence[int] = (), own: int = 0) -> None:
        self._files = files
        self._own = own
        self._end = 0
        self._kept: list[bytes] = []

    def write(self, value: Any) -> Span:
        """Store a value and return where it is."""
        data = marshal.dumps(value)
        if not self._files:
            self._kept.append(data)
            return self._own, len(self._kept) - 1, len(data)
        span = (self._own, self._end, len(data))
        view = memoryview(data)
        while view:
            view = view[os.pwrite(self._files[self._own], view, self._end + len(data) - len(view)) :]
        self._end += len(data)
        return span

    def read(self, span: Span) -> Any:
        """Return a stored value."""
        file, offset, length = span
        if not self._files:
            return marshal.loads(self._kept[offset])
        data = os.pread(self._files[file], length, offset)
        if len(data) != length:
            raise OSError("a file with intermediate data is shorter than it should be")
        return marshal.loads(data)


class SpilledRanges:
    """The parts of each range of keys, in the order in which they were added."""

    def __init__(self, size: int) -> None:
        self._parts: list[list[Span]] = [[] for _ in range(size)]

    def add(self, spans: Iterable[tuple[int, Span]]) -> None:
        """Add parts, each with the number of its range."""
        for number, span in spans:
            self._parts[number].append(span)

    def __iter__(self) -> Iterator[list[Span]]:
        return iter(self._parts)
