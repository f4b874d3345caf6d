"""The records of a file with a JSON object a line, from an offset on.

A line over 16 MiB is counted and passed over without being held. A broken line harms only itself: where two records
stand glued together in one line, both are given if they can be told apart. The last line is read only when it is whole.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import BinaryIO

from tacit.capture.agents.heard import Tally
from tacit.capture.agents.shape import Object
from tacit.disk.ops import past_hole
from tacit.record import Record

LONGEST = 16 << 20
TOO_LONG = "longer than 16 MiB"
NOT_JSON = "not JSON"
NO_OBJECT = "not an object"
_CHUNK = 1 << 20
_BEGINS = re.compile(r'\{"(?:parentUuid|type|timestamp|sessionId|uuid|id|isSidechain|payload)":')
_TYPE, _FAR = b'"type":"', 2000
_TRIES = 32  # places at which a second record may begin
_DECODER = json.JSONDecoder()


class TranscriptRecord(Record):
    """A record and the offset at which its line begins."""

    offset: int
    body: Object


class _Line(Record):
    offset: int
    raw: bytes  # without anything where the line is too long to be held
    size: int
    is_whole: bool


class Glance(Record):
    """What a look at the bytes of a line tells: the type of a record that is of no use, or what of it is needed."""

    noise: str
    needed: bytes


def _whole(raw: bytes) -> Glance:
    return Glance("", raw)


def records(
    file: BinaryIO, offset: int, tally: Tally, glance: Callable[[bytes], Glance] = _whole
) -> Iterator[TranscriptRecord]:
    """Every object from the offset on. What a glance at a line shows to be of no use is not parsed."""
    for line in _lines(file, offset):
        noise, needed = glance(line.raw) if line.is_whole else _whole(line.raw)
        if noise:
            tally.records += 1
            tally.passed[noise] += 1
            tally.read += line.size
            continue
        found = _found(line, needed)
        if not line.is_whole and any(isinstance(one, str) for one in found):
            return  # still being written
        tally.read += line.size
        for one in found:
            tally.records += 1
            if isinstance(one, str):
                tally.damaged[one] += 1
            else:
                yield TranscriptRecord(line.offset, one)


def _found(line: _Line, needed: bytes) -> list[Object | str]:
    """What a line holds: objects, or why there is none."""
    if line.size > len(line.raw) + 1:
        return [TOO_LONG]
    try:
        value = _DECODER.decode(needed.decode())
    except (ValueError, RecursionError):
        return [] if line.raw.isspace() else _apart(line.raw.decode("utf-8", "replace"))
    return [value if isinstance(value, dict) else NO_OBJECT]


def type_of(raw: bytes) -> bytes:
    """The type of a record, where only plain values stand before it: there it is not the type of something inside."""
    at = raw.find(_TYPE, 0, _FAR)
    if at < 0 or raw.find(b"{", 1, at) >= 0 or raw.find(b"[", 1, at) >= 0:
        return b""
    begins = at + len(_TYPE)
    return raw[begins : raw.find(b'"', begins, begins + _FAR)]


def start(file: BinaryIO, offset: int) -> int:
    """Where reading begins: at the offset if a line begins there, else, in a file that was rewritten, at the front."""
    if offset <= 0:
        return 0
    file.seek(offset - 1)
    return offset if file.read(1) == b"\n" else 0


def whole(file: BinaryIO, tally: Tally) -> Object:
    """A file that is one object; nothing where it is none or too long to be held."""
    file.seek(0)
    raw = file.read(LONGEST + 1)
    tally.read += len(raw)
    try:
        value = json.loads(raw) if 0 < len(raw) <= LONGEST else None
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, dict):
        return value
    if raw.strip():
        tally.damaged[TOO_LONG if len(raw) > LONGEST else NOT_JSON] += 1
    return {}


def first(file: BinaryIO, count: int = 1) -> list[Object]:
    """The records of the first lines of a file, which tell what it is."""
    some = [line for line, _ in zip(_lines(file, 0), range(count), strict=False)]
    file.seek(0)
    return [one for line in some for one in _found(line, line.raw) if not isinstance(one, str)]


def _lines(file: BinaryIO, offset: int) -> Iterator[_Line]:
    file.seek(offset)
    pending, skipped = b"", 0
    while chunk := file.read(_CHUNK):
        pieces = (pending + chunk).split(b"\n") if pending else chunk.split(b"\n")
        pending = pieces.pop()
        for piece in pieces:
            size = skipped + len(piece) + 1
            yield _Line(offset, b"" if size > LONGEST else piece, size, True)
            offset, skipped = offset + size, 0
        if skipped + len(pending) > LONGEST:
            skipped += len(pending) + (past_hole(file) if pending.endswith(b"\0") else 0)
            pending = b""
    if pending or skipped:
        yield _Line(offset, b"" if skipped else pending, skipped + len(pending), False)


def _apart(line: str) -> list[Object | str]:
    """The records of a line that is no JSON as a whole."""
    found: list[Object | str] = []
    at, line = 0, line.strip()
    while at < len(line):
        value, end = _decoded(line, at)
        if value is None:
            return [*found, NOT_JSON, *_later(line, at)]
        found.append(value)
        at = end
    return found


def _later(line: str, at: int) -> list[Object]:
    """Behind a record that was cut off, the one that goes to the end of the line."""
    for begins, _ in zip(_BEGINS.finditer(line, at + 1), range(_TRIES), strict=False):
        value, end = _decoded(line, begins.start())
        if value is not None and end == len(line):
            return [value]
    return []


def _decoded(line: str, at: int) -> tuple[Object | None, int]:
    try:
        value, end = _DECODER.raw_decode(line, at)
    except (ValueError, RecursionError):
        return None, at
    return (value, end) if isinstance(value, dict) else (None, at)
