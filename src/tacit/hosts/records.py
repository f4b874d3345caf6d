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

from tacit.disk.files import skip_hole
from tacit.model.observation import ConversationBody, SessionTitled
from tacit.record import Record

# What reading a transcript gives: things said and done, and a count of everything else.


class TranscriptEvent(Record):
    """One thing said or done.

    `key` names it within its host for ever: it is the same however often, and from wherever in the file, it is read.
    `place` orders what has the same time.
    """

    key: str
    at: datetime  # UTC
    session: str
    body: ConversationBody | SessionTitled
    ordinal: int = 0
    directory: str = ""  # where the agent stood
    remote: str = ""  # the address of the repository, where the transcript tells it
    timeless: bool = False  # the host may tell another time of it another day


@dataclass(slots=True)
class ReadStats:
    """What a transcript held. `settled` is the offset before which everything was heard for good: the beginning of
    the last turn. Reading from there again hears the rest with the same keys."""

    records: int = 0
    text_bytes: int = 0  # bytes of text that were heard
    bytes_read: int = 0  # bytes of the transcript that were looked at
    cursor: int = 0
    skipped: Counter[str] = field(default_factory=Counter)  # known and of no use, by type
    unknown: Counter[str] = field(default_factory=Counter)  # never seen before, by type
    damaged: Counter[str] = field(default_factory=Counter)  # could not be read, by reason


MAX_PROMPT_CHARS = 1 << 20  # characters: no host takes a longer one as a prompt


class CaptureLimits(Record):
    """Characters that are kept (B4), and the tools whose results are not. `text` is the limit of a reply; what the
    person wrote is kept whole, up to `LONGEST_PROMPT`."""

    input: int = 200
    result: int = 500
    reply: int = 10_000
    skipped_tools: frozenset[str] = frozenset()  # further names of tools, in lower case


class TranscriptSource(Record):
    """A host's transcripts.

    `places` are the folders or files in which they lie, from the environment and the person's folder.
    `recognises` tells from a path and the first bytes whether a file is one of them.
    `read` hears a transcript from an offset on, which is 0 or a `settled` of an earlier reading. Where `in_bytes` is
    false, that is no place in the file but a mark of the source's own.
    """

    name: str
    paths: Callable[[Mapping[str, str], str], list[str]]
    matches: Callable[[str, bytes], bool]
    read: Callable[[BinaryIO, int, CaptureLimits, ReadStats], Iterator[TranscriptEvent]]
    has_byte_offsets: bool = True


# What the name of a transcript tells about it. A stream may have none.

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
_GENERIC_STEMS = frozenset(("events", "session", "transcript"))


def stream_path(file: BinaryIO) -> str:
    name = getattr(file, "name", "")
    return os.fsdecode(name) if isinstance(name, str | bytes) else ""


def session_from_path(path: str) -> str:
    """The session that a path names: the last UUID in it, else the name of the file, or of its folder."""
    if found := _UUID.findall(path):
        return str(found[-1])
    folder, name = os.path.split(path)
    stem = os.path.splitext(name)[0]
    return os.path.basename(folder) if stem in _GENERIC_STEMS else stem


# Looking into what JSON gave: the value where it has the shape that is asked for, and nothing where it has not.

JsonDict = dict[str, object]


def as_object(value: object) -> JsonDict:
    return value if isinstance(value, dict) else {}


def as_list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def as_string(value: object) -> str:
    return value if isinstance(value, str) else ""


def content_text(value: object) -> str:
    """The text of a content: a string, a block with a text, or a list of these."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return as_string(value.get("text"))
    return (
        "\n".join(part for part in map(content_text, value) if part)
        if isinstance(value, list) and _is_flat(value)
        else ""
    )


def _is_flat(value: list[object]) -> bool:
    return not any(isinstance(part, list) for part in value)


# The records of a file with a JSON object a line, from an offset on.
#
# A line over 16 MiB is counted and passed over without being held. A broken line harms only itself: where two records
# stand glued together in one line, both are given if they can be told apart. The last line is read only when it is
# whole.

MAX_LINE_BYTES = 16 << 20
TOO_LONG = "longer than 16 MiB"
NOT_JSON = "not JSON"
NOT_OBJECT = "not an object"
_CHUNK_BYTES = 1 << 20
_RECORD_START = re.compile(r'\{"(?:parentUuid|type|timestamp|sessionId|uuid|id|isSidechain|payload)":')
_TYPE_KEY, _TYPE_WINDOW_BYTES = b'"type":"', 2000
_MAX_RECORD_STARTS = 32  # places at which a second record may begin
_DECODER = json.JSONDecoder()


class TranscriptRecord(Record):
    """A record and the offset at which its line begins."""

    offset: int
    body: JsonDict


class _TranscriptLine(Record):
    offset: int
    raw: bytes  # without anything where the line is too long to be held
    size: int
    is_complete: bool


class LineScan(Record):
    """What a look at the bytes of a line tells: the type of a record that is of no use, or what of it is needed."""

    skipped_type: str
    payload: bytes


def _scan_nothing(raw: bytes) -> LineScan:
    return LineScan("", raw)


def read_records(
    file: BinaryIO, offset: int, tally: ReadStats, glance: Callable[[bytes], LineScan] = _scan_nothing
) -> Iterator[TranscriptRecord]:
    """Every object from the offset on. What a glance at a line shows to be of no use is not parsed."""
    for line in _read_lines(file, offset):
        noise, needed = glance(line.raw) if line.is_complete else _scan_nothing(line.raw)
        if noise:
            tally.records += 1
            tally.skipped[noise] += 1
            tally.bytes_read += line.size
            continue
        found = _parse_line(line, needed)
        if not line.is_complete and any(isinstance(one, str) for one in found):
            return  # still being written
        tally.bytes_read += line.size
        for one in found:
            tally.records += 1
            if isinstance(one, str):
                tally.damaged[one] += 1
            else:
                yield TranscriptRecord(line.offset, one)


def _parse_line(line: _TranscriptLine, needed: bytes) -> list[JsonDict | str]:
    """What a line holds: objects, or why there is none."""
    if line.size > len(line.raw) + 1:
        return [TOO_LONG]
    try:
        value = _DECODER.decode(needed.decode())
    except (ValueError, RecursionError):
        return [] if line.raw.isspace() else _split_records(line.raw.decode("utf-8", "replace"))
    return [value if isinstance(value, dict) else NOT_OBJECT]


def record_type(raw: bytes) -> bytes:
    """The type of a record, where only plain values stand before it: there it is not the type of something inside."""
    at = raw.find(_TYPE_KEY, 0, _TYPE_WINDOW_BYTES)
    if at < 0 or raw.find(b"{", 1, at) >= 0 or raw.find(b"[", 1, at) >= 0:
        return b""
    begins = at + len(_TYPE_KEY)
    return raw[begins : raw.find(b'"', begins, begins + _TYPE_WINDOW_BYTES)]


def start_offset(file: BinaryIO, offset: int) -> int:
    """Where reading begins: at the offset if a line begins there, else, in a file that was rewritten, at the front."""
    if offset <= 0:
        return 0
    file.seek(offset - 1)
    return offset if file.read(1) == b"\n" else 0


def read_document(file: BinaryIO, tally: ReadStats) -> JsonDict:
    """A file that is one object; nothing where it is none or too long to be held."""
    file.seek(0)
    raw = file.read(MAX_LINE_BYTES + 1)
    tally.bytes_read += len(raw)
    try:
        value = json.loads(raw) if 0 < len(raw) <= MAX_LINE_BYTES else None
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, dict):
        return value
    if raw.strip():
        tally.damaged[TOO_LONG if len(raw) > MAX_LINE_BYTES else NOT_JSON] += 1
    return {}


def first_records(file: BinaryIO, count: int = 1) -> list[JsonDict]:
    """The records of the first lines of a file, which tell what it is."""
    some = [line for line, _ in zip(_read_lines(file, 0), range(count), strict=False)]
    file.seek(0)
    return [one for line in some for one in _parse_line(line, line.raw) if not isinstance(one, str)]


def _read_lines(file: BinaryIO, offset: int) -> Iterator[_TranscriptLine]:
    file.seek(offset)
    pending, skipped = b"", 0
    while chunk := file.read(_CHUNK_BYTES):
        pieces = (pending + chunk).split(b"\n") if pending else chunk.split(b"\n")
        pending = pieces.pop()
        for piece in pieces:
            size = skipped + len(piece) + 1
            yield _TranscriptLine(offset, b"" if size > MAX_LINE_BYTES else piece, size, True)
            offset, skipped = offset + size, 0
        if skipped + len(pending) > MAX_LINE_BYTES:
            skipped += len(pending) + (skip_hole(file) if pending.endswith(b"\0") else 0)
            pending = b""
    if pending or skipped:
        yield _TranscriptLine(offset, b"" if skipped else pending, skipped + len(pending), False)


def _split_records(line: str) -> list[JsonDict | str]:
    """The records of a line that is no JSON as a whole."""
    found: list[JsonDict | str] = []
    at, line = 0, line.strip()
    while at < len(line):
        value, end = _decode_at(line, at)
        if value is None:
            return [*found, NOT_JSON, *_trailing_record(line, at)]
        found.append(value)
        at = end
    return found


def _trailing_record(line: str, at: int) -> list[JsonDict]:
    """Behind a record that was cut off, the one that goes to the end of the line."""
    for begins, _ in zip(_RECORD_START.finditer(line, at + 1), range(_MAX_RECORD_STARTS), strict=False):
        value, end = _decode_at(line, begins.start())
        if value is not None and end == len(line):
            return [value]
    return []


def _decode_at(line: str, at: int) -> tuple[JsonDict | None, int]:
    try:
        value, end = _DECODER.raw_decode(line, at)
    except (ValueError, RecursionError):
        return None, at
    return (value, end) if isinstance(value, dict) else (None, at)


# The time of a record, in UTC: written out, or counted in seconds or milliseconds since 1970.

_PLAUSIBLE_YEARS = (1990, 2100)  # other times were written by a clock that had not been set
_MIN_SECONDS, _MAX_SECONDS = 631_152_000, 4_102_444_800
_MIN_MILLISECONDS = 100_000_000_000  # a count above this is no count of seconds
_MILLISECOND = timedelta(milliseconds=1)
NO_TIME = datetime(1990, 1, 1, tzinfo=UTC)


def parse_timestamp(stamp: object) -> datetime | None:
    """The time that a stamp tells, if it tells a possible one."""
    if isinstance(stamp, str):
        return _parse_iso(stamp)
    if isinstance(stamp, int | float) and not isinstance(stamp, bool):
        seconds = stamp / 1000 if stamp > _MIN_MILLISECONDS else stamp
        return datetime.fromtimestamp(seconds, UTC) if _MIN_SECONDS <= seconds < _MAX_SECONDS else None
    return None


def _parse_iso(stamp: str) -> datetime | None:
    try:
        at = datetime.fromisoformat(stamp)
        at = at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return at if _PLAUSIBLE_YEARS[0] <= at.year < _PLAUSIBLE_YEARS[1] else None


class RecordClock:
    """Gives each record a time: its own, or that of the record before it and a millisecond."""

    def __init__(self) -> None:
        self._last = NO_TIME

    def time_of(self, stamp: object) -> datetime:
        self._last = parse_timestamp(stamp) or self._last + _MILLISECOND
        return self._last

    @property
    def last_time(self) -> datetime | None:
        """The time of the last record; none before there was one that told it."""
        return self._last if self._last.year > NO_TIME.year else None
