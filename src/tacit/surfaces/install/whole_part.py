"""A file that is ours as a whole. Its first line says so; one that does not is somebody else's."""

from __future__ import annotations

from functools import partial

from tacit.core.errors import Refused
from tacit.surfaces.install.part import Part, Put, bytes_from
from tacit.surfaces.install.receipt import Receipt, known_by

_MARK = b"tacit uninstall"


def whole_part(path: str, text: str) -> Part:
    return Part(path, partial(_put_in, path, text), _take_out)


def _put_in(path: str, text: str, content: bytes | None, _receipt: Receipt | None) -> Put:
    if content is not None and not _is_ours(content):
        raise Refused(f"{path} is there, and not from Tacit", "move it away, and try again")
    after = bytes_from(path, text)
    return Put(after, Receipt(path, known_by(content), known_by(after)))


def _take_out(content: bytes | None, _receipt: Receipt | None) -> bytes | None:
    return None if content is None or _is_ours(content) else content


def _is_ours(content: bytes) -> bool:
    return _MARK in content.split(b"\n", 1)[0]
