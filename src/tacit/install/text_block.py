"""Our lines in somebody's text file, between two markers, and files that are ours as a whole."""

from __future__ import annotations

from functools import partial

from tacit.errors import RefusedError
from tacit.install.change import ConfigFile, InstallResult, Receipt, content_hash, encode_text
from tacit.record import Record

# Lines of ours at the end of a text file, between two markers. The first remembers how the file was before.

# How the file was: not there; empty; ended by a line feed; not ended by one, so that we had to.
_CREATED, _EMPTY, _WITH_NEWLINE, _WITHOUT_NEWLINE = "created", "empty", "ended", "unended"
_REMOVAL_HINT = "take these lines out by hand, from “# >>> tacit” on"


def with_block(before: bytes | None, name: str, lines: str) -> bytes:
    """The file with our lines at its end, or brought up to date where they stand."""
    if found := _find_block(before or b"", name):
        assert before is not None
        return before[: found.start] + _render_block(name, found.previous_state, lines) + before[found.end :]
    if before is None:
        return _render_block(name, _CREATED, lines)
    was = _EMPTY if not before else _WITH_NEWLINE if before.endswith(b"\n") else _WITHOUT_NEWLINE
    return before + b"\n" * (was == _WITHOUT_NEWLINE) + _render_block(name, was, lines)


def without_block(before: bytes | None, name: str) -> bytes | None:
    """The file as it was, with whatever a person has changed around our lines; nothing where we had made it."""
    found = _find_block(before or b"", name)
    if before is None or not found:
        return before
    first, rest = before[: found.start], before[found.end :]
    was = found.previous_state
    if was == _WITHOUT_NEWLINE and not rest:  # with something behind it, the line feed is needed
        first = first.removesuffix(b"\n")
    return None if was == _CREATED and not first + rest else first + rest


class _BlockSpan(Record):
    """Where our lines begin and end, and how the file was before."""

    start: int
    end: int
    previous_state: str


def _find_block(content: bytes, name: str) -> _BlockSpan | None:
    opening, closing = f"# >>> tacit install {name} (".encode(), f"# <<< tacit install {name} <<<".encode()
    at, begun = 0, None
    for line in content.split(b"\n"):
        end = min(at + len(line) + 1, len(content))
        if begun is None and line.startswith(opening) and b") >>>" in line:
            begun = at, line[len(opening) :].partition(b")")[0].decode("ascii", "replace")
        elif begun is not None and line == closing:
            return _BlockSpan(begun[0], end, begun[1])
        at = end
    if begun is not None:
        raise RefusedError(f"the lines of tacit install {name} have no end any more", _REMOVAL_HINT)
    return None


def _render_block(name: str, was: str, lines: str) -> bytes:
    begin = f"# >>> tacit install {name} ({was}) >>> taken out by: tacit uninstall {name}\n"
    return f"{begin}{lines}# <<< tacit install {name} <<<\n".encode("utf-8", "surrogateescape")


# A file that is ours as a whole. Its first line says so; one that does not is somebody else's.

_OWNER_MARK = b"tacit uninstall"


def owned_file(path: str, text: str) -> ConfigFile:
    return ConfigFile(path, partial(_write_owned, path, text), _remove_owned)


def _write_owned(path: str, text: str, content: bytes | None, _receipt: Receipt | None) -> InstallResult:
    if content is not None and not _is_owned(content):
        raise RefusedError(f"{path} is there, and not from Tacit", "move it away, and try again")
    after = encode_text(path, text)
    return InstallResult(after, Receipt(path, content_hash(content), content_hash(after)))


def _remove_owned(content: bytes | None, _receipt: Receipt | None) -> bytes | None:
    return None if content is None or _is_owned(content) else content


def _is_owned(content: bytes) -> bool:
    return _OWNER_MARK in content.split(b"\n", 1)[0]
