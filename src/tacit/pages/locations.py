"""Where a memory can be read: the real line of a real file, looked up in the file itself."""

from __future__ import annotations

import os

from tacit.disk.files import open_plain
from tacit.record import Record


class Place(Record):
    path: str
    line: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"


_ENOUGH = 12  # memories that are looked for in the file; whoever looks for more has its lines listed
LONGEST = 4 << 20  # bytes of a file in which lines are looked up at all; else the line of the log is told


class Lines:
    """Line numbers of a file, read once and again only when the file changed."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._forget()

    def _forget(self) -> None:
        self._seen: tuple[int, int, int] | None = None
        self._content = b""
        self._asked = 0
        self._by_id: dict[bytes, int] = {}
        self._by_text: dict[bytes, list[int]] | None = None

    def fresh(self) -> Lines:
        """These lines, read again if the file has changed."""
        try:
            now = os.stat(self.path)
        except OSError:
            self._forget()
            return self
        signature = (now.st_ino, now.st_size, now.st_mtime_ns)
        if signature != self._seen:
            self._forget()
            self._seen, self._content = signature, self._read() if now.st_size <= LONGEST else b""
        return self

    def of_id(self, claim: str) -> Place | None:
        """The line that ends in this memory's id."""
        self._asked += 1
        if self._asked < _ENOUGH:
            at = self._content.find(b" ^" + claim.encode() + b"\n")
            return self._place(self._content.count(b"\n", 0, at) + 1 if at >= 0 else None)
        if self._asked == _ENOUGH:
            lines = enumerate(self._content.split(b"\n"), 1)
            self._by_id = {line[-12:]: at for at, line in lines if line[-14:-12] == b" ^"}
        return self._place(self._by_id.get(claim.encode()))

    def of_heading(self, heading: str, nth: int) -> Place | None:
        """The nth line, from 0, that reads just so."""
        found = self._headings().get(heading.encode("utf-8", "surrogateescape"), [])
        return self._place(found[nth] if nth < len(found) else None)

    def of_ending(self, mark: str, ending: str, nth: int) -> Place | None:
        """The nth line, from 0, that begins and ends so."""
        begins, ends = mark.encode(), ending.encode("utf-8", "surrogateescape")
        every = self._headings().items()
        found = sorted(at for line, there in every if line.startswith(begins) and line.endswith(ends) for at in there)
        return self._place(found[nth] if nth < len(found) else None)

    def _headings(self) -> dict[bytes, list[int]]:
        if self._by_text is None:
            self._by_text = {}
            for at, line in enumerate(self._content.split(b"\n"), 1):
                if line[:1] == b"#":
                    self._by_text.setdefault(line, []).append(at)
        return self._by_text

    def _place(self, number: int | None) -> Place | None:
        return None if number is None else Place(self.path, number)

    def _read(self) -> bytes:
        """Nothing where it cannot be read: an answer without its place is still an answer."""
        try:
            with open_plain(self.path) as file:
                return file.read() + b"\n"  # the last line, too, ends
        except OSError:
            return b""
