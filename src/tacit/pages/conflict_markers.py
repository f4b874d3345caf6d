"""Conflict markers that a git merge leaves in a file of lines: recognising them, and choosing a side.

Markers are at least seven characters long, as git writes them. A block that has no end reaches to the end of the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import Enum

from tacit.record import Record

_MARKER = re.compile(r"(?:<{7,}|>{7,}|\|{7,})(?: .*)?")
_OPENING, _CLOSING = re.compile(r"<{7,}(?: .*)?"), re.compile(r">{7,}(?: .*)?")
_BASE, _SEPARATOR = re.compile(r"\|{7,}(?: .*)?"), re.compile(r"={7,}")
_EDGE_BYTES = re.compile(rb"^(?:<{7,}|>{7,})(?: [^\n]*)?\r?$", re.MULTILINE)


class Side(Enum):
    """The sides of a conflict that can be kept."""

    OURS = "ours"
    THEIRS = "theirs"
    BOTH = "both"


class MergeConflict(Record):
    """A block of conflict markers: the lines of both sides, and the number of its first line in the file."""

    number: int
    ours: tuple[str, ...]
    theirs: tuple[str, ...]


def conflict_markers(lines: Sequence[str]) -> set[str]:
    """Return the lines that git put around two versions. Equal signs without other markers may underline a title."""
    markers = {line for line in lines if _MARKER.fullmatch(line.rstrip())}
    return markers | {line for line in lines if markers and _SEPARATOR.fullmatch(line.rstrip())}


def has_conflict_markers(data: bytes) -> bool:
    """Return whether a file has the first or the last line of a block. Quick: it is asked by every command."""
    return (b"<<<<<<<" in data or b">>>>>>>" in data) and _EDGE_BYTES.search(data) is not None


def split_conflicts(lines: Sequence[str]) -> Iterator[str | MergeConflict]:
    """Yield the lines outside of conflicts, and each conflict.

    The common ancestor, which git writes between the sides if `merge.conflictStyle` is `diff3`, is left out. A marker
    without its block (somebody removed the others) is left out as well.
    """
    ours: list[str] = []
    theirs: list[str] = []
    start, current = 0, None  # the first line of the block; the side that is read, None outside of a block
    ancestor: list[str] = []
    for number, line in enumerate(lines, 1):
        text = line.rstrip()
        if current is None:
            if _OPENING.fullmatch(text):
                start, ours, theirs, ancestor = number, [], [], []
                current = ours
            elif not _CLOSING.fullmatch(text):
                yield line
        elif _CLOSING.fullmatch(text):
            yield MergeConflict(start, tuple(ours), tuple(theirs))
            current = None
        elif _BASE.fullmatch(text) and current is ours:
            current = ancestor
        elif _SEPARATOR.fullmatch(text) and current is not theirs:
            current = theirs
        elif not _OPENING.fullmatch(text):
            current.append(line)
    if current is not None:
        yield MergeConflict(start, tuple(ours), tuple(theirs))


def find_conflicts(lines: Sequence[str]) -> list[MergeConflict]:
    return [part for part in split_conflicts(lines) if isinstance(part, MergeConflict)]


def without_markers(lines: Sequence[str]) -> list[str]:
    """Return the lines with both sides of every conflict."""
    result: list[str] = []
    for part in split_conflicts(lines):
        result += [part] if isinstance(part, str) else [*part.ours, *part.theirs]
    return result
