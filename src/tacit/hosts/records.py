"""Transcript events, and how JSON transcripts are read: lines, records, typed access to fields, timestamps."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import islice

from tacit.disk.files import skip_hole
from tacit.model.observation import ConversationBody, SessionTitled
from tacit.record import Record

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import BinaryIO


class TranscriptEvent(Record):
    """One thing that was said or done in a session.

    `key` identifies the event within its host. It is the same however often, and from whichever offset, a file is read.
    `ordinal` orders events that have the same time.
    """

    key: str
    at: datetime  # UTC
    session: str
    body: ConversationBody | SessionTitled
    ordinal: int = 0
    directory: str = ""  # working directory of the agent
    remote: str = ""  # URL of the repository, if the transcript has it
    timeless: bool = False  # the host may report another time for the same event later


@dataclass(slots=True)
class ReadStats:
    """Counts of one reading of a transcript.

    `cursor` is the offset before which every event is final: the start of the last turn. A reading that starts there
    yields the remaining events again, with the same keys.
    """

    records: int = 0
    text_bytes: int = 0  # bytes of text in the events
    bytes_read: int = 0  # bytes of the transcript that were read
    cursor: int = 0
    skipped: Counter[str] = field(default_factory=Counter)  # known types that are not captured
    unknown: Counter[str] = field(default_factory=Counter)  # types that no reader knows
    damaged: Counter[str] = field(default_factory=Counter)  # records that cannot be parsed, by reason


MAX_NAME_CHARS = 1024  # of an id or a file name


class CaptureLimits(Record):
    """How many characters of a tool input, a tool result and a reply are captured (B4).

    Prompts are captured whole, as far as they fit into one event of the log.
    """

    input: int = 200
    result: int = 500
    reply: int = 10_000
    skipped_tools: frozenset[str] = frozenset()  # lower-case names of further tools whose results are not captured


# Sessions named by paths

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
_GENERIC_STEMS = frozenset(("events", "session", "transcript"))


def stream_path(file: BinaryIO) -> str:
    """Return the path of an open file, or "" if the stream has none."""
    name = getattr(file, "name", "")
    return os.fsdecode(name) if isinstance(name, str | bytes) else ""


def session_from_path(path: str) -> str:
    """Return the session that a path names: the last UUID in it, else the stem or the folder of the file."""
    if uuids := UUID.findall(path):
        return str(uuids[-1])
    folder, name = os.path.split(path)
    stem = os.path.splitext(name)[0]
    return os.path.basename(folder) if stem in _GENERIC_STEMS else stem


# Typed access to parsed JSON: the value if it has the expected type, else an empty one

JsonDict = dict[str, object]


def as_object(value: object) -> JsonDict:
    return value if isinstance(value, dict) else {}


def as_list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def as_string(value: object) -> str:
    return value if isinstance(value, str) else ""


def parse_object(text: object) -> JsonDict | None:
    """Parse a JSON object. None if the value is not a string with one."""
    try:
        value = json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def content_text(value: object) -> str:
    """Return the text of a message content: a string, a block with a `text`, or a flat list of these."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return as_string(value.get("text"))
    if isinstance(value, list) and not any(isinstance(part, list) for part in value):
        return "\n".join(text for part in value if (text := content_text(part)))
    return ""


# Records: one JSON object per line

MAX_LINE_BYTES = 16 << 20
TOO_LONG = "longer than 16 MiB"
NOT_JSON = "not JSON"
NOT_OBJECT = "not an object"
_CHUNK_BYTES = 1 << 20
_RECORD_START = re.compile(r'\{"(?:parentUuid|type|timestamp|sessionId|uuid|id|isSidechain|payload)":')
_TYPE_KEY, _TYPE_WINDOW_BYTES = b'"type":"', 2000
_MAX_RECORD_STARTS = 32  # how often the start of a second record is looked for in a line
_DECODER = json.JSONDecoder()


class _TranscriptLine(Record):
    offset: int
    raw: bytes  # empty if the line is too long
    size: int
    is_complete: bool


# What a look at the raw bytes of a line finds: the type of a record to skip (or ""), and the bytes to parse.
LineScan = tuple[str, bytes]


def read_records(
    file: BinaryIO, offset: int, stats: ReadStats, scan: Callable[[bytes], LineScan] = lambda raw: ("", raw)
) -> Iterator[tuple[int, JsonDict]]:
    """Yield every JSON object from an offset on, with the offset of its line.

    Lines whose `scan` names a type to skip are counted but not parsed. Lines over MAX_LINE_BYTES are counted as damaged
    and never held in memory. A damaged line affects no other line; if several records are joined in one line, each that
    can be separated is yielded. A last line without a newline may still be being written: it is yielded only if it
    parses as a whole.
    """
    for line in _read_lines(file, offset):
        skipped_type, payload = scan(line.raw) if line.is_complete else ("", line.raw)
        if skipped_type:
            stats.records += 1
            stats.skipped[skipped_type] += 1
            stats.bytes_read += line.size
            continue
        parsed = _parse_line(line, payload)
        if not line.is_complete and any(isinstance(record, str) for record in parsed):
            return
        stats.bytes_read += line.size
        for record in parsed:
            stats.records += 1
            if isinstance(record, str):
                stats.damaged[record] += 1
            else:
                yield line.offset, record


def _parse_line(line: _TranscriptLine, payload: bytes) -> list[JsonDict | str]:
    """Return the objects in a line, and a reason for each part that is not one."""
    if line.size > len(line.raw) + 1:
        return [TOO_LONG]
    try:
        value = _DECODER.decode(payload.decode())
    except (ValueError, RecursionError):
        return [] if line.raw.isspace() else _split_records(line.raw.decode("utf-8", "replace"))
    return [value if isinstance(value, dict) else NOT_OBJECT]


def record_type(raw: bytes) -> str:
    """Return the `type` of a record without parsing it.

    Returns "" unless only scalar values come before the field: otherwise it may be the type of a nested object.
    """
    key = raw.find(_TYPE_KEY, 0, _TYPE_WINDOW_BYTES)
    if key < 0 or raw.find(b"{", 1, key) >= 0 or raw.find(b"[", 1, key) >= 0:
        return ""
    start = key + len(_TYPE_KEY)
    return raw[start : raw.find(b'"', start, start + _TYPE_WINDOW_BYTES)].decode("ascii", "replace")


def start_offset(file: BinaryIO, offset: int) -> int:
    """Return the offset if a line starts there, else 0: the file was rewritten."""
    if offset <= 0:
        return 0
    file.seek(offset - 1)
    return offset if file.read(1) == b"\n" else 0


def read_document(file: BinaryIO, stats: ReadStats) -> JsonDict:
    """Parse a file that is one JSON object. Returns {} if it is not, or is longer than MAX_LINE_BYTES."""
    file.seek(0)
    raw = file.read(MAX_LINE_BYTES + 1)
    stats.bytes_read += len(raw)
    try:
        value = json.loads(raw) if 0 < len(raw) <= MAX_LINE_BYTES else None
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, dict):
        return value
    if raw.strip():
        stats.damaged[TOO_LONG if len(raw) > MAX_LINE_BYTES else NOT_JSON] += 1
    return {}


def first_records(file: BinaryIO, count: int = 1) -> list[JsonDict]:
    """Return the records of the first `count` lines."""
    lines = islice(_read_lines(file, 0), count)
    return [record for line in lines for record in _parse_line(line, line.raw) if not isinstance(record, str)]


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
    """Return the records of a line that is not one JSON value."""
    records: list[JsonDict | str] = []
    position, line = 0, line.strip()
    while position < len(line):
        record, end = _decode_at(line, position)
        if record is None:  # a truncated one, behind which another may reach to the end of the line
            starts = islice(_RECORD_START.finditer(line, position + 1), _MAX_RECORD_STARTS)
            behind = (_decode_at(line, start.start()) for start in starts)
            last = next((record for record, end in behind if record is not None and end == len(line)), None)
            return [*records, NOT_JSON] if last is None else [*records, NOT_JSON, last]
        records.append(record)
        position = end
    return records


def _decode_at(line: str, position: int) -> tuple[JsonDict | None, int]:
    try:
        value, end = _DECODER.raw_decode(line, position)
    except (ValueError, RecursionError):
        return None, position
    return (value, end) if isinstance(value, dict) else (None, position)


# Timestamps

_PLAUSIBLE_YEARS = (1990, 2100)  # other times come from a clock that was not set
_MIN_SECONDS, _MAX_SECONDS = 631_152_000, 4_102_444_800
_MIN_MILLISECONDS = 100_000_000_000  # a larger number does not count seconds
_MILLISECOND = timedelta(milliseconds=1)
NO_TIME = datetime(1990, 1, 1, tzinfo=UTC)


def parse_timestamp(value: object) -> datetime | None:
    """Parse an ISO 8601 string, or seconds or milliseconds since 1970, into UTC. None if implausible or not a time."""
    if isinstance(value, str):
        try:
            at = datetime.fromisoformat(value)
            at = at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
        except (ValueError, OverflowError):
            return None
        return at if _PLAUSIBLE_YEARS[0] <= at.year < _PLAUSIBLE_YEARS[1] else None
    if isinstance(value, int | float) and not isinstance(value, bool):
        seconds = value / 1000 if value > _MIN_MILLISECONDS else value
        return datetime.fromtimestamp(seconds, UTC) if _MIN_SECONDS <= seconds < _MAX_SECONDS else None
    return None


class RecordClock:
    """Gives each record a time: its own, or one millisecond after the record before it."""

    def __init__(self) -> None:
        self._last = NO_TIME

    def time_of(self, timestamp: object) -> datetime:
        self._last = parse_timestamp(timestamp) or self._last + _MILLISECOND
        return self._last

    @property
    def last_time(self) -> datetime | None:
        """Time of the last record. None until a record had a timestamp."""
        return self._last if self._last.year > NO_TIME.year else None
