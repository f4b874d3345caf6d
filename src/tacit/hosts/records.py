"""What reading a transcript yields, and typed access to the JSON records in it."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import BinaryIO

from tacit.disk.files import past_hole
from tacit.model.observation import Conversation, Titled
from tacit.record import Record

# What reading a transcript gives: things said and done, and a count of everything else.


class Heard(Record):
    """One thing said or done.

    `key` names it within its host for ever: it is the same however often, and from wherever in the file, it is read.
    `place` orders what has the same time.
    """

    key: str
    at: datetime  # UTC
    session: str
    body: Conversation | Titled
    place: int = 0
    directory: str = ""  # where the agent stood
    remote: str = ""  # the address of the repository, where the transcript tells it
    timeless: bool = False  # the host may tell another time of it another day


@dataclass(slots=True)
class Tally:
    """What a transcript held. `settled` is the offset before which everything was heard for good: the beginning of
    the last turn. Reading from there again hears the rest with the same keys."""

    records: int = 0
    kept: int = 0  # bytes of text that were heard
    read: int = 0  # bytes of the transcript that were looked at
    settled: int = 0
    passed: Counter[str] = field(default_factory=Counter)  # known and of no use, by type
    unknown: Counter[str] = field(default_factory=Counter)  # never seen before, by type
    damaged: Counter[str] = field(default_factory=Counter)  # could not be read, by reason


LONGEST_PROMPT = 1 << 20  # characters: no host takes a longer one as a prompt


class Limits(Record):
    """Characters that are kept (B4), and the tools whose results are not. `text` is the limit of a reply; what the
    person wrote is kept whole, up to `LONGEST_PROMPT`."""

    input: int = 200
    result: int = 500
    text: int = 10_000
    skipped: frozenset[str] = frozenset()  # further names of tools, in lower case


class Source(Record):
    """A host's transcripts.

    `places` are the folders or files in which they lie, from the environment and the person's folder.
    `recognises` tells from a path and the first bytes whether a file is one of them.
    `read` hears a transcript from an offset on, which is 0 or a `settled` of an earlier reading. Where `in_bytes` is
    false, that is no place in the file but a mark of the source's own.
    """

    name: str
    places: Callable[[Mapping[str, str], str], list[str]]
    recognises: Callable[[str, bytes], bool]
    read: Callable[[BinaryIO, int, Limits, Tally], Iterator[Heard]]
    in_bytes: bool = True


# What the name of a transcript tells about it. A stream may have none.

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
_SAME_EVERYWHERE = frozenset(("events", "session", "transcript"))


def path_of(file: BinaryIO) -> str:
    name = getattr(file, "name", "")
    return os.fsdecode(name) if isinstance(name, str | bytes) else ""


def session_of(path: str) -> str:
    """The session that a path names: the last UUID in it, else the name of the file, or of its folder."""
    if found := _UUID.findall(path):
        return str(found[-1])
    folder, name = os.path.split(path)
    stem = os.path.splitext(name)[0]
    return os.path.basename(folder) if stem in _SAME_EVERYWHERE else stem


# Looking into what JSON gave: the value where it has the shape that is asked for, and nothing where it has not.

Object = dict[str, object]


def mapping(value: object) -> Object:
    return value if isinstance(value, dict) else {}


def listing(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def string(value: object) -> str:
    return value if isinstance(value, str) else ""


def texts(value: object) -> str:
    """The text of a content: a string, a block with a text, or a list of these."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return string(value.get("text"))
    return "\n".join(part for part in map(texts, value) if part) if isinstance(value, list) and _is_flat(value) else ""


def _is_flat(value: list[object]) -> bool:
    return not any(isinstance(part, list) for part in value)


# The records of a file with a JSON object a line, from an offset on.
#
# A line over 16 MiB is counted and passed over without being held. A broken line harms only itself: where two records
# stand glued together in one line, both are given if they can be told apart. The last line is read only when it is
# whole.

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


# The time of a record, in UTC: written out, or counted in seconds or milliseconds since 1970.

_YEARS = (1990, 2100)  # other times were written by a clock that had not been set
_FIRST, _LAST = 631_152_000, 4_102_444_800
_MILLISECONDS = 100_000_000_000  # a count above this is no count of seconds
_STEP = timedelta(milliseconds=1)
NO_TIME = datetime(1990, 1, 1, tzinfo=UTC)


def when(stamp: object) -> datetime | None:
    """The time that a stamp tells, if it tells a possible one."""
    if isinstance(stamp, str):
        return _written(stamp)
    if isinstance(stamp, int | float) and not isinstance(stamp, bool):
        seconds = stamp / 1000 if stamp > _MILLISECONDS else stamp
        return datetime.fromtimestamp(seconds, UTC) if _FIRST <= seconds < _LAST else None
    return None


def _written(stamp: str) -> datetime | None:
    try:
        at = datetime.fromisoformat(stamp)
        at = at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return at if _YEARS[0] <= at.year < _YEARS[1] else None


class Clock:
    """Gives each record a time: its own, or that of the record before it and a millisecond."""

    def __init__(self) -> None:
        self._last = NO_TIME

    def at(self, stamp: object) -> datetime:
        self._last = when(stamp) or self._last + _STEP
        return self._last

    @property
    def last(self) -> datetime | None:
        """The time of the last record; none before there was one that told it."""
        return self._last if self._last.year > NO_TIME.year else None
