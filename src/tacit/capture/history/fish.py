"""The history of fish: almost YAML, and read as fish reads it. A line break is written `\\n`, a backslash `\\\\`.

- cmd: git status
  when: 1700000000
  paths:
    - README.md
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from tacit.capture.history.entry import NO_ENTRY, NO_TIME, SECOND, TOO_LONG, Entry, Read, Unread, lines, text_of

_COMMAND = b"- cmd: "
_WHEN = re.compile(rb"  when: (\d{1,18})\r?\Z")
_OF_ENTRY = (b"  ", b"\t")
_ESCAPE = re.compile(rb"\\([\\n])")
_MEANT = {b"n": b"\n", b"\\": b"\\"}


def looks_like(head: bytes) -> bool:
    return head.startswith(_COMMAND) or b"\n" + _COMMAND in head


def read(file: BinaryIO) -> Iterator[Read]:
    held: bytes | None = None
    at, inside = NO_TIME, False
    for line in lines(file):
        if line is None:
            yield Unread(TOO_LONG)
        elif line.startswith(_COMMAND):
            yield from _entry(held, at)
            held, at, inside = line[len(_COMMAND) :], NO_TIME, True
        elif inside and line.startswith(_OF_ENTRY):
            found = _WHEN.match(line)
            at = int(found[1]) * SECOND if found else at
        elif line.strip():
            yield Unread(NO_ENTRY)
    yield from _entry(held, at)


def _entry(raw: bytes | None, at: int) -> Iterator[Read]:
    if raw is None or not raw.strip():
        return
    text = text_of(_ESCAPE.sub(lambda escape: _MEANT[escape[1]], raw))
    yield text if isinstance(text, Unread) else Entry(text, at)
