"""Where a memory can be read: the real line of a real file, looked up in the file itself."""

from __future__ import annotations

import os

from tacit.disk.files import open_plain
from tacit.record import Record


class FileLocation(Record):
    path: str
    line: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"


_MAX_SINGLE_LOOKUPS = 12  # memories that are looked for in the file; whoever looks for more has its lines listed
MAX_FILE_BYTES = 4 << 20  # bytes of a file in which lines are looked up at all; else the line of the log is told


class LineIndex:
    """Line numbers of a file, read once and again only when the file changed."""

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
        """These lines, read again if the file has changed."""
        try:
            now = os.stat(self.path)
        except OSError:
            self._reset()
            return self
        signature = (now.st_ino, now.st_size, now.st_mtime_ns)
        if signature != self._signature:
            self._reset()
            self._signature, self._content = signature, self._read_file() if now.st_size <= MAX_FILE_BYTES else b""
        return self

    def locate_id(self, claim: str) -> FileLocation | None:
        """The line that ends in this memory's id."""
        self._lookups += 1
        if self._lookups < _MAX_SINGLE_LOOKUPS:
            at = self._content.find(b" ^" + claim.encode() + b"\n")
            return self._location(self._content.count(b"\n", 0, at) + 1 if at >= 0 else None)
        if self._lookups == _MAX_SINGLE_LOOKUPS:
            lines = enumerate(self._content.split(b"\n"), 1)
            self._by_id = {line[-12:]: at for at, line in lines if line[-14:-12] == b" ^"}
        return self._location(self._by_id.get(claim.encode()))

    def locate_heading(self, heading: str, nth: int) -> FileLocation | None:
        """The nth line, from 0, that reads just so."""
        found = self._heading_lines().get(heading.encode("utf-8", "surrogateescape"), [])
        return self._location(found[nth] if nth < len(found) else None)

    def locate_ending(self, mark: str, ending: str, nth: int) -> FileLocation | None:
        """The nth line, from 0, that begins and ends so."""
        begins, ends = mark.encode(), ending.encode("utf-8", "surrogateescape")
        every = self._heading_lines().items()
        found = sorted(at for line, there in every if line.startswith(begins) and line.endswith(ends) for at in there)
        return self._location(found[nth] if nth < len(found) else None)

    def _heading_lines(self) -> dict[bytes, list[int]]:
        if self._by_heading is None:
            self._by_heading = {}
            for at, line in enumerate(self._content.split(b"\n"), 1):
                if line[:1] == b"#":
                    self._by_heading.setdefault(line, []).append(at)
        return self._by_heading

    def _location(self, number: int | None) -> FileLocation | None:
        return None if number is None else FileLocation(self.path, number)

    def _read_file(self) -> bytes:
        """Nothing where it cannot be read: an answer without its place is still an answer."""
        try:
            with open_plain(self.path) as file:
                return file.read() + b"\n"  # the last line, too, ends
        except OSError:
            return b""
