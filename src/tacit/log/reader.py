"""Lines of a segment, read as bytes. A torn tail is not yielded; a line of any length costs bounded memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from tacit.disk.ops import past_hole
from tacit.record import Record

_CHUNK = 1 << 20
MAX_LINE = 1 << 20


class Line(Record):
    """A complete line. `data` is empty and `too_long` true where it was larger than any we write."""

    number: int
    offset: int
    length: int
    data: bytes
    too_long: bool = False

    @property
    def end(self) -> int:
        return self.offset + self.length


def lines(file: BinaryIO, *, offset: int = 0, number: int = 0) -> Iterator[Line]:
    """The complete lines from `offset` on; `number` is how many lines lie before it."""
    file.seek(offset)
    pending, skipped = b"", 0
    while chunk := file.read(_CHUNK):
        pieces = (pending + chunk).split(b"\n")
        pending = pieces.pop()
        for piece in pieces:
            number += 1
            length = skipped + len(piece) + 1
            too_long = length > MAX_LINE
            yield Line(number, offset, length, b"" if too_long else piece, too_long)
            offset, skipped = offset + length, 0
        if skipped + len(pending) > MAX_LINE:
            skipped += len(pending) + (past_hole(file) if pending.endswith(b"\0") else 0)
            pending = b""
