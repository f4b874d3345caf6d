"""The history of zsh: a command a line, plain or extended as `: SECONDS:DURATION;COMMAND`.

A line break inside a command has a backslash before it. Some bytes, among them parts of many letters, are *metafied*:
written as 0x83 and the byte with its sixth bit turned. A command that ends in a backslash has a blank behind it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from tacit.capture.history.entry import (
    LONGEST,
    LONGEST_LINE,
    NO_TIME,
    SECOND,
    TOO_LONG,
    Entry,
    Read,
    Unread,
    lines,
    text_of,
)
from tacit.core.observation import UNKNOWN_STATUS

_HEAD = re.compile(rb": {0,10}(\d{1,18}):(\d{1,18});")
# Nearly all lines: printable, of one byte a letter, with neither a blank before nor a blank or backslash behind.
_ORDINARY = re.compile(rb": (\d{1,12}):(\d{1,6});([!-~](?:[ -~]*[!-\[\]-~])?)")
_META = re.compile(rb"\x83(.)", re.DOTALL)
_BACKSLASHED_END = re.compile(rb"\\ +\Z")
_LONGEST_RUN = 10**12  # milliseconds: thirty years


def looks_like(head: bytes) -> bool:
    return re.search(rb"^: \d{9,11}:\d{1,9};", head, re.MULTILINE) is not None


def read(file: BinaryIO) -> Iterator[Read]:
    ordinary, made = _ORDINARY.fullmatch, tuple.__new__
    held = _Held()
    for line in lines(file):
        if line and not held.waits and (found := ordinary(line)) and len(line) < LONGEST:
            at, seconds, command = found.groups()
            told = (str(command, "ascii"), int(at) * SECOND, int(seconds) * 1000, UNKNOWN_STATUS, "", "", "")
            yield made(Entry, told)  # half of what the constructor with its defaults takes
        elif (whole := held.joined(line)) and (entry := _entry(whole)):
            yield entry
        elif held.was_too_long:
            yield Unread(TOO_LONG)
    if (whole := held.ended()) and (entry := _entry(whole)):
        yield entry


def _entry(line: bytes) -> Read | None:
    at, milliseconds = NO_TIME, 0
    found = _HEAD.match(line) if line[:1] == b":" else None
    if found:
        at, milliseconds = int(found[1]) * SECOND, min(int(found[2]) * 1000, _LONGEST_RUN)
        line = line[found.end() :]
    elif line[:2] == b"\\:":
        line = line[1:]
    if b"\x83" in line:
        line = _META.sub(lambda meta: bytes((meta[1][0] ^ 0x20,)), line)
    if line[-1:] == b" " and _BACKSLASHED_END.search(line):
        line = line[:-1]
    text = text_of(line)
    if isinstance(text, Unread):
        return text if line.strip() else None
    return Entry(text, at, milliseconds) if text.strip() else None


class _Held:
    """Lines that wait for what continues them. What grows too long is let go, and only its end is waited for."""

    def __init__(self) -> None:
        self.waits = self.was_too_long = False
        self._parts: list[bytes] = []
        self._size = 0

    def joined(self, line: bytes | None) -> bytes | None:
        """All of a command when this is its last line; nothing where there is more to come, or it was too long."""
        self.waits = line is not None and line[-1:] == b"\\"
        self._size += LONGEST_LINE + 1 if line is None else len(line)
        if self._size <= LONGEST_LINE:
            self._parts.append(line or b"")
        else:
            self._parts.clear()
        self.was_too_long = not self.waits and self._size > LONGEST_LINE
        return None if self.waits else self.ended()

    def ended(self) -> bytes | None:
        """What was held, a line break in the place of each backslash at the end of a line."""
        whole = b"\n".join([part[:-1] for part in self._parts[:-1]] + self._parts[-1:])
        self.waits, self._parts, self._size = False, [], 0
        return whole
