"""One file of a host that we write into, by how it is written: which bytes it has with us in it, and without us."""

from __future__ import annotations

import os
from collections.abc import Callable

from tacit.core.errors import Refused
from tacit.record import Record
from tacit.surfaces.install.change import Change, bytes_of
from tacit.surfaces.install.receipt import Receipt


class Put(Record):
    """A file with us in it, and how to get back."""

    content: bytes | None
    receipt: Receipt | None = None


class Part(Record):
    """`put_in` and `take_out` get what the file holds, nothing for no file, and the receipt of an earlier time."""

    path: str
    put_in: Callable[[bytes | None, Receipt | None], Put]
    take_out: Callable[[bytes | None, Receipt | None], bytes | None]

    def installed(self, receipt: Receipt | None) -> Change:
        before = bytes_of(self.path)
        put = self.put_in(before, receipt)
        folders = _missing(self.path) if before is None else receipt.folders if receipt else ()
        return Change(self.path, before, put.content, put.receipt and put.receipt._replace(folders=folders))

    def removed(self, receipt: Receipt | None) -> Change:
        before = bytes_of(self.path)
        after = self.take_out(before, receipt)
        return Change(self.path, before, after, receipt, receipt.folders if receipt else ())


def _missing(path: str) -> tuple[str, ...]:
    """The folders that have to be made for a file, the inner ones first."""
    folder = os.path.dirname(path)
    return () if os.path.lexists(folder) else (folder, *_missing(folder))


def text_of(path: str, content: bytes) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise unreadable(path, f"line {line}: it is no UTF-8") from None


def bytes_from(path: str, text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise Refused(f"a path of this installation is no UTF-8, and so cannot stand in {path}") from None


def unreadable(path: str, why: str) -> Refused:
    return Refused(f"{path}: {why}", "nothing was changed; mend that file, and try again")
