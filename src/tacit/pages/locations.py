"""Where a memory or page can be read: file and line, looked up in the file itself."""

from __future__ import annotations

import os

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
        self._by_heading: dict[bytes, list[int]] | None = None

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
            self._content = self._read_file() if status.st_size <= MAX_FILE_BYTES else b""
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
        numbers = self._heading_lines().get(heading.encode("utf-8", "surrogateescape"), [])
        return self._location(numbers[nth] if nth < len(numbers) else None)

    def locate_ending(self, mark: str, ending: str, nth: int) -> FileLocation | None:
        """Return the nth heading, from 0, with this mark and this ending; None if there are fewer."""
        prefix, suffix = mark.encode(), ending.encode("utf-8", "surrogateescape")
        numbers = sorted(
            number
            for line, line_numbers in self._heading_lines().items()
            if line.startswith(prefix) and line.endswith(suffix)
            for number in line_numbers
        )
        return self._location(numbers[nth] if nth < len(numbers) else None)

    def _heading_lines(self) -> dict[bytes, list[int]]:
        if self._by_heading is None:
            self._by_heading = {}
            for number, line in enumerate(self._content.split(b"\n"), 1):
                if line[:1] == b"#":
                    self._by_heading.setdefault(line, []).append(number)
        return self._by_heading

    def _location(self, number: int | None) -> FileLocation | None:
        return None if number is None else FileLocation(self.path, number)

    def _read_file(self) -> bytes:
        """Return the content, or b"" if it cannot be read: a result without its location is still a result."""
        try:
            with open_plain(self.path) as file:
                return file.read() + b"\n"  # so that the last line ends, too
        except OSError:
            return b""
