"""Where a memory or page can be read: file and line, looked up in the file itself."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from itertools import islice

from tacit.disk.files import open_plain
from tacit.record import Record

_MAX_SINGLE_LOOKUPS = 12  # ids that are searched for in the file; for more, all lines with ids are indexed
MAX_FILE_BYTES = 4 << 20  # nothing is looked up in larger files; callers then show the line of the log


class FileLocation(Record):
    path: str
    line: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"


class LineIndex:
    """Line numbers of a file, which is read again only if it changed."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._reset()

    def _reset(self) -> None:
        self._signature: tuple[int, int, int] | None = None
        self._content = b""
        self._lookups = 0
        self._by_id: dict[bytes, int] = {}
        self._headings: list[tuple[bytes, int]] | None = None

    def refreshed(self) -> LineIndex:
        """Read the file again if it has changed, and return this index."""
        try:
            status = os.stat(self.path)
        except OSError:
            self._reset()
            return self
        signature = (status.st_ino, status.st_size, status.st_mtime_ns)
        if signature != self._signature:
            self._reset()
            self._signature = signature
            if status.st_size <= MAX_FILE_BYTES:
                with suppress(OSError), open_plain(self.path) as file:  # a result without its location is still one
                    self._content = file.read() + b"\n"  # so that the last line ends, too
        return self

    def locate_id(self, claim: str) -> FileLocation | None:
        """Return the line that ends with this memory's id; None if there is none."""
        self._lookups += 1
        if self._lookups < _MAX_SINGLE_LOOKUPS:
            position = self._content.find(b" ^" + claim.encode() + b"\n")
            return self._location(self._content.count(b"\n", 0, position) + 1 if position >= 0 else None)
        if self._lookups == _MAX_SINGLE_LOOKUPS:
            lines = enumerate(self._content.split(b"\n"), 1)
            self._by_id = {line[-12:]: number for number, line in lines if line[-14:-12] == b" ^"}
        return self._location(self._by_id.get(claim.encode()))

    def locate_heading(self, heading: str, nth: int) -> FileLocation | None:
        """Return the nth line, from 0, with exactly this heading; None if there are fewer."""
        wanted = heading.encode("utf-8", "surrogateescape")
        return self._locate_nth(nth, lambda line: line == wanted)

    def locate_ending(self, mark: str, ending: str, nth: int) -> FileLocation | None:
        """Return the nth heading, from 0, with this mark and this ending; None if there are fewer."""
        prefix, suffix = mark.encode(), ending.encode("utf-8", "surrogateescape")
        return self._locate_nth(nth, lambda line: line.startswith(prefix) and line.endswith(suffix))

    def _locate_nth(self, nth: int, is_wanted: Callable[[bytes], bool]) -> FileLocation | None:
        if self._headings is None:
            lines = enumerate(self._content.split(b"\n"), 1)
            self._headings = [(line, number) for number, line in lines if line[:1] == b"#"]
        numbers = (number for line, number in self._headings if is_wanted(line))
        return self._location(next(islice(numbers, nth, None), None))

    def _location(self, number: int | None) -> FileLocation | None:
        return None if number is None else FileLocation(self.path, number)
