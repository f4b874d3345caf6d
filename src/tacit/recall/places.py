"""Where a memory can be read: the real line of a real file, looked up in the file itself."""

from __future__ import annotations

import os
from typing import NamedTuple

from tacit.disk.ops import open_plain


class Place(NamedTuple):
    path: str
    line: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"


class Lines:
    """Line numbers of a file, read once and again only when the file changed."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._seen: tuple[int, int, int] | None = None
        self._by_id: dict[bytes, int] = {}
        self._by_text: dict[bytes, list[int]] = {}

    def fresh(self) -> Lines:
        """These lines, read again if the file has changed."""
        self._refresh()
        return self

    def of_id(self, claim: str) -> Place | None:
        """The line that ends in this memory's id."""
        return self._place(self._by_id.get(claim.encode()))

    def of_heading(self, heading: str, nth: int) -> Place | None:
        """The nth line, from 0, that reads just so."""
        found = self._by_text.get(heading.encode("utf-8", "surrogateescape"), [])
        return self._place(found[nth] if nth < len(found) else None)

    def _place(self, number: int | None) -> Place | None:
        return None if number is None else Place(self.path, number)

    def _refresh(self) -> None:
        try:
            now = os.stat(self.path)
        except OSError:
            self._seen, self._by_id, self._by_text = None, {}, {}
            return
        signature = (now.st_ino, now.st_size, now.st_mtime_ns)
        if signature != self._seen:
            self._read(self._content().split(b"\n"))
            self._seen = signature

    def _content(self) -> bytes:
        """Nothing where it cannot be read: an answer without its place is still an answer."""
        try:
            with open_plain(self.path) as file:
                return file.read()
        except OSError:
            return b""

    def _read(self, lines: list[bytes]) -> None:
        self._by_id = {line[-12:]: at for at, line in enumerate(lines, 1) if line[-14:-12] == b" ^"}
        self._by_text = {}
        for at, line in enumerate(lines, 1):
            if line[:1] == b"#":
                self._by_text.setdefault(line, []).append(at)
