"""Our lines in somebody's text file, between two markers, and files that are ours as a whole."""

from __future__ import annotations

from functools import partial

from tacit.errors import Refused
from tacit.install.change import Part, Put, Receipt, bytes_from, known_by
from tacit.record import Record

# Lines of ours at the end of a text file, between two markers. The first remembers how the file was before.

# How the file was: not there; empty; ended by a line feed; not ended by one, so that we had to.
_CREATED, _EMPTY, _ENDED, _UNENDED = "created", "empty", "ended", "unended"
_FIX = "take these lines out by hand, from “# >>> tacit” on"


def with_block(before: bytes | None, name: str, lines: str) -> bytes:
    """The file with our lines at its end, or brought up to date where they stand."""
    if found := _find(before or b"", name):
        assert before is not None
        return before[: found.start] + _block(name, found.was, lines) + before[found.end :]
    if before is None:
        return _block(name, _CREATED, lines)
    was = _EMPTY if not before else _ENDED if before.endswith(b"\n") else _UNENDED
    return before + b"\n" * (was == _UNENDED) + _block(name, was, lines)


def without_block(before: bytes | None, name: str) -> bytes | None:
    """The file as it was, with whatever a person has changed around our lines; nothing where we had made it."""
    found = _find(before or b"", name)
    if before is None or not found:
        return before
    first, rest = before[: found.start], before[found.end :]
    was = found.was
    if was == _UNENDED and not rest:  # with something behind it, the line feed is needed
        first = first.removesuffix(b"\n")
    return None if was == _CREATED and not first + rest else first + rest


class _Found(Record):
    """Where our lines begin and end, and how the file was before."""

    start: int
    end: int
    was: str


def _find(content: bytes, name: str) -> _Found | None:
    opening, closing = f"# >>> tacit install {name} (".encode(), f"# <<< tacit install {name} <<<".encode()
    at, begun = 0, None
    for line in content.split(b"\n"):
        end = min(at + len(line) + 1, len(content))
        if begun is None and line.startswith(opening) and b") >>>" in line:
            begun = at, line[len(opening) :].partition(b")")[0].decode("ascii", "replace")
        elif begun is not None and line == closing:
            return _Found(begun[0], end, begun[1])
        at = end
    if begun is not None:
        raise Refused(f"the lines of tacit install {name} have no end any more", _FIX)
    return None


def _block(name: str, was: str, lines: str) -> bytes:
    begin = f"# >>> tacit install {name} ({was}) >>> taken out by: tacit uninstall {name}\n"
    return f"{begin}{lines}# <<< tacit install {name} <<<\n".encode("utf-8", "surrogateescape")


# A file that is ours as a whole. Its first line says so; one that does not is somebody else's.

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
