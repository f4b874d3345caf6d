"""The history of bash: a command a line, or `#` and seconds on a line and the command on the lines until the next.

Bash writes times where HISTTIMEFORMAT is set. Nothing marks where it stopped to: of more lines behind one time than a
command has, each is taken for a command, the first with that time and the others without.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from tacit.capture.history.entry import LONGEST, NO_TIME, SECOND, TOO_LONG, Entry, Read, Unread, lines, text_of

_TIME = re.compile(rb"#(\d{1,18})\r?\Z")
_MOST_LINES = 200


def looks_like(head: bytes) -> bool:
    return re.search(rb"^#\d{9,11}\r?$", head, re.MULTILINE) is not None


def read(file: BinaryIO) -> Iterator[Read]:
    at, timed, held, size = NO_TIME, False, list[bytes](), 0
    for line in lines(file):
        if line is None:
            yield Unread(TOO_LONG)
            continue
        found = _TIME.match(line) if line[:1] == b"#" else None
        if found:
            yield from _entry(b"\n".join(held), at)
            at, timed, held, size = int(found[1]) * SECOND, True, [], 0
        elif not timed:
            yield from _entry(line, NO_TIME)
        else:
            held.append(line)
            size += len(line) + 1
            if len(held) > _MOST_LINES or size > LONGEST * 4:
                yield from _one_by_one(held, at)
                timed, held = False, []
    yield from _entry(b"\n".join(held), at)


def _one_by_one(held: list[bytes], at: int) -> Iterator[Read]:
    for line in held:
        yield from _entry(line, at)
        at = NO_TIME


def _entry(raw: bytes, at: int) -> Iterator[Read]:
    if not raw.strip():
        return
    text = text_of(raw)
    yield text if isinstance(text, Unread) else Entry(text, at)
