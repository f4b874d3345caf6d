"""Our block of lines in a text file, and files that belong to Tacit as a whole.

A block is enclosed by two marker lines: comments of a shell for `tacit install`, of Markdown for `tacit export` and
`tacit init --wrappers`.
"""

from __future__ import annotations

from functools import partial

from tacit.errors import RefusedError
from tacit.install.change import ConfigFile, InstallResult, Receipt, content_hash, encode_text
from tacit.record import Record


class BlockStates(Record):
    """The words for the state of a file before the block was added. The first marker line records it."""

    created: str = "created"
    empty: str = "empty"
    with_newline: str = "ended"
    without_newline: str = "unended"


_DEFAULT_STATES = BlockStates()


class BlockMarkers(Record):
    """The marker lines of a block. The first one is `opening`, the state of the file before, and `opening_end`.

    It is recognised by `opening`, and by `state_end` after the state. `command` has written the block. With
    `blank_line`, an empty line separates it from what is before it.
    """

    opening: str
    opening_end: str
    closing: str
    command: str
    removal_hint: str
    state_end: str = ") >>>"
    states: BlockStates = _DEFAULT_STATES
    blank_line: bool = False

    def gap(self, state: str) -> bytes:
        """Return what is put between a file in this state and the block."""
        line_end = b"\n" * (state == self.states.without_newline)
        is_separated = self.blank_line and state in (self.states.with_newline, self.states.without_newline)
        return line_end + b"\n" * is_separated


def install_markers(name: str) -> BlockMarkers:
    """Return the marker lines of `tacit install NAME`."""
    return BlockMarkers(
        f"# >>> tacit install {name} (",
        f") >>> taken out by: tacit uninstall {name}",
        f"# <<< tacit install {name} <<<",
        f"tacit install {name}",
        "take these lines out by hand, from “# >>> tacit” on",
    )


EXPORT_MARKERS = BlockMarkers(
    "<!-- >>> tacit export (",
    ") >>> taken out by: tacit export --as agents-md --remove -->",
    "<!-- <<< tacit export <<< -->",
    "tacit export",
    "take these lines out by hand, from “<!-- >>> tacit export” on",
)
WRAPPER_MARKERS = BlockMarkers(
    "<!-- tacit:begin ",
    " -->",
    "<!-- tacit:end -->",
    "tacit init --wrappers",
    "take these lines out by hand, from “<!-- tacit:begin” on",
    state_end=" -->",
    states=BlockStates(empty="first", with_newline="after"),
    blank_line=True,
)


def with_block(before: bytes | None, markers: BlockMarkers, lines: str) -> bytes:
    """Return the file with our block, updated in place or added at the end. RefusedError if a block has no end."""
    block = _find_block(before or b"", markers)
    states = markers.states
    if before is None:
        return _render_block(markers, states.created, lines)
    if block:
        return before[: block.start] + _render_block(markers, block.previous_state, lines) + before[block.end :]
    state = states.empty if not before else states.with_newline if before.endswith(b"\n") else states.without_newline
    return before + markers.gap(state) + _render_block(markers, state, lines)


def without_block(before: bytes | None, markers: BlockMarkers) -> bytes | None:
    """Return the file without our block and otherwise unchanged; None if nothing is left of a file that we created."""
    block = _find_block(before or b"", markers)
    if before is None or not block:
        return before
    head, tail = before[: block.start], before[block.end :]
    gap = markers.gap(block.previous_state)
    if block.previous_state == markers.states.without_newline and tail[:1] not in (b"", b"\n"):
        gap = gap[1:]  # lines that follow need the line feed
    head = head.removesuffix(gap)
    return None if block.previous_state == markers.states.created and not head + tail else head + tail


class _BlockSpan(Record):
    start: int
    end: int
    previous_state: str


def _find_block(content: bytes, markers: BlockMarkers) -> _BlockSpan | None:
    opening, state_end, closing = (text.encode() for text in (markers.opening, markers.state_end, markers.closing))
    position, block = 0, None
    for line in content.split(b"\n"):
        end = min(position + len(line) + 1, len(content))
        if block is None and line.startswith(opening) and state_end in line:
            state = line[len(opening) :].partition(state_end)[0].decode("ascii", "replace")
            block = _BlockSpan(position, end, state)
        elif block is not None and line == closing:
            return block._replace(end=end)
        position = end
    if block is not None:
        raise RefusedError(f"the lines of {markers.command} have no end any more", markers.removal_hint)
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
