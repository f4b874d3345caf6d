"""What a history file yields: an entry for each command, or why something in it is none. Values only, never an error.

A command is kept as it was typed, but for what nobody can type or print: bytes that are no UTF-8 and control characters
become the replacement character. A line that is mostly such is no command, and one of more than 8,000 characters is
left out whole, because half a command is another command.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import BinaryIO

from tacit.core.observation import UNKNOWN_STATUS
from tacit.record import Record

LONGEST = 8_000  # characters of a command
LONGEST_LINE = 65_536  # bytes: as many characters of four bytes, each of which zsh may have written as two
SECOND = 1_000_000  # times are whole microseconds since 1970
NO_TIME = 0
EARLIEST = 631_152_000 * SECOND  # 1990: what is older was written by a clock that had not been set
_AHEAD = 86_400 * SECOND

TOO_LONG = f"longer than {LONGEST:,} characters"
NOT_TEXT = "not text"
NO_ENTRY = "not part of an entry"
UNREADABLE = "damaged in the database"
BLANK_FIRST = "began with a blank"

_CHUNK = 1 << 18
_UNPRINTABLE = "[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]"
_REPLACED = "\ufffd"


class Entry(Record):
    """A command of a history. What a history does not tell is left at its default."""

    command: str
    at: int = NO_TIME
    milliseconds: int = 0
    status: int = UNKNOWN_STATUS
    directory: str = ""
    session: str = ""
    host: str = ""


class Unread(Record):
    """Something that is no command, and why. Hidden lines are the person's wish; the others could not be read."""

    reason: str

    @property
    def is_hidden(self) -> bool:
        return self.reason == BLANK_FIRST


Read = Entry | Unread


def text_of(raw: bytes) -> str | Unread:
    """The text of a command, or why it is none."""
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        text = raw.decode("utf-8", "replace")
    if not text.isprintable():
        text = _printable(text)
    if len(text) > LONGEST:
        return Unread(TOO_LONG)
    if _REPLACED in text and text.count(_REPLACED) * 3 > len(text):
        return Unread(NOT_TEXT)
    return Unread(BLANK_FIRST) if text[:1] in (" ", "\t") else text


def _printable(text: str) -> str:
    return _unprintable().sub(_REPLACED, text.rstrip("\r\n"))


@cache
def _unprintable() -> re.Pattern[str]:
    return re.compile(_UNPRINTABLE)


def is_possible(at: int, now: int) -> bool:
    """Whether a command can have run then: not before 1990, and not more than a day from now."""
    return EARLIEST <= at <= latest(now)


def latest(now: int) -> int:
    """No clock is so far ahead."""
    return now + _AHEAD


def lines(file: BinaryIO) -> Iterator[bytes | None]:
    """The lines of a stream without their line feed; nothing in the place of one that is too long to be held."""
    pending, skipping = b"", False
    while chunk := file.read(_CHUNK):
        pieces = (pending + chunk).split(b"\n")
        pending = pieces.pop()
        for piece in pieces:
            yield None if skipping or len(piece) > LONGEST_LINE else piece
            skipping = False
        if len(pending) > LONGEST_LINE:
            pending, skipping = b"", True
    if pending or skipping:
        yield None if skipping else pending
