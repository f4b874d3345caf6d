"""Our block of lines in a text file, and files that belong to Tacit as a whole.

A block is enclosed by two marker lines: comments of a shell for `tacit install`, of Markdown for `tacit export`.
"""

from __future__ import annotations

from functools import partial

from tacit.errors import RefusedError
from tacit.install.change import ConfigFile, InstallResult, Receipt, content_hash, encode_text
from tacit.record import Record

# The first marker line records the state of the file before:

_CREATED, _EMPTY, _WITH_NEWLINE, _WITHOUT_NEWLINE = "created", "empty", "ended", "unended"
MARKDOWN_OPENING, MARKDOWN_CLOSING = "<!-- >>> tacit export (", "<!-- <<< tacit export <<< -->"


class BlockMarkers(Record):
    """The marker lines of a block: the first one is `opening`, the state of the file before and `opening_end`."""

    opening: str
    opening_end: str
    closing: str
    removal_hint: str


def install_markers(name: str) -> BlockMarkers:
    """Return the marker lines of `tacit install NAME`."""
    return BlockMarkers(
        f"# >>> tacit install {name} (",
        f") >>> taken out by: tacit uninstall {name}",
        f"# <<< tacit install {name} <<<",
        "take these lines out by hand, from “# >>> tacit” on",
    )


EXPORT_MARKERS = BlockMarkers(
    MARKDOWN_OPENING,
    ") >>> taken out by: tacit export --as agents-md --remove -->",
    MARKDOWN_CLOSING,
    "take these lines out by hand, from “<!-- >>> tacit export” on",
)


def with_block(before: bytes | None, markers: BlockMarkers, lines: str) -> bytes:
    """Return the file with our block, updated in place or added at the end. RefusedError if a block has no end."""
    block = _find_block(before or b"", markers)
    if before is None:
        return _render_block(markers, _CREATED, lines)
    if block:
        return before[: block.start] + _render_block(markers, block.previous_state, lines) + before[block.end :]
    state = _EMPTY if not before else _WITH_NEWLINE if before.endswith(b"\n") else _WITHOUT_NEWLINE
    return before + b"\n" * (state == _WITHOUT_NEWLINE) + _render_block(markers, state, lines)


def without_block(before: bytes | None, markers: BlockMarkers) -> bytes | None:
    """Return the file without our block and otherwise unchanged; None if nothing is left of a file that we created."""
    block = _find_block(before or b"", markers)
    if before is None or not block:
        return before
    head, tail = before[: block.start], before[block.end :]
    if block.previous_state == _WITHOUT_NEWLINE and not tail:  # lines that follow need the line feed
        head = head.removesuffix(b"\n")
    return None if block.previous_state == _CREATED and not head + tail else head + tail


class _BlockSpan(Record):
    start: int
    end: int
    previous_state: str


def _find_block(content: bytes, markers: BlockMarkers) -> _BlockSpan | None:
    opening, closing = markers.opening.encode(), markers.closing.encode()
    position, block = 0, None
    for line in content.split(b"\n"):
        end = min(position + len(line) + 1, len(content))
        if block is None and line.startswith(opening) and b") >>>" in line:
            state = line[len(opening) :].partition(b")")[0].decode("ascii", "replace")
            block = _BlockSpan(position, end, state)
        elif block is not None and line == closing:
            return block._replace(end=end)
        position = end
    if block is not None:
        name = markers.opening.partition("tacit ")[2].rstrip(" (")
        raise RefusedError(f"the lines of tacit {name} have no end any more", markers.removal_hint)
    return None


def _render_block(markers: BlockMarkers, previous_state: str, lines: str) -> bytes:
    opening = f"{markers.opening}{previous_state}{markers.opening_end}\n"
    return f"{opening}{lines}{markers.closing}\n".encode("utf-8", "surrogateescape")


# Files of our own. The first line of one says so; any other file belongs to somebody else.

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
