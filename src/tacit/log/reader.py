"""Reading the log of a home: its segments, their lines, and the events in these. Nothing is written here.

Readers need no lock: a segment only grows, and is replaced as a whole. Copies of segments that sync programs and
editors leave may hold events that are nowhere else, so they are read like segments. They are recognised by their
content, not by their names: every program has names of its own, in every language. Nothing is appended to them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from itertools import accumulate, takewhile

from tacit.disk.files import list_folder, open_plain, read_file, skip_hole
from tacit.log.codec import DamagedLine, decode, id_in_line
from tacit.log.segment import (
    ACTIVITY_FOLDER,
    IMPORTED_FOLDER,
    MEMORY_SEGMENT,
    NOT_SEGMENT_SUFFIXES,
    PURGED_SEGMENT,
    SEGMENT_NAMES,
    SPOOL_FOLDER,
    is_own_segment,
    suspect_path,
)
from tacit.model.event import Event, timestamp
from tacit.model.ids import EventId
from tacit.model.observation import MemoryPurged
from tacit.record import Record

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import BinaryIO, Protocol
else:
    Protocol = object

MAX_LINE_BYTES = 1 << 20
_CHUNK_BYTES = 1 << 20
_HEAD_BYTES, _MAX_FIRST_LINE_BYTES = 64 * 1024, 512 * 1024  # of a file that may be a copy of a segment
_TOMBSTONE_TIME = re.compile(rb'"ts":"([^"]{27})","type":"memory\.purged"')
# Lines are recognised by these bytes before they are decoded: inside a text the quotes would be escaped.
TOMBSTONE_TYPE = b'"type":"memory.purged"'
# Lines that no answer shows.
_DEFERRABLE_TYPES = (b'"type":"recall.asked"', b'"type":"command.ran"', b'"type":"brief.given"')
# Shows how far long work is: its name, the bytes that are done, and the bytes to do.
ReportProgress = Callable[[str, int, int], None]


def ignore_progress(_task: str, _done: int, _total: int) -> None:
    """Show nothing."""


class RawLine(Record):
    """A complete line. `data` is empty if the line is blank, or `too_long`: larger than any that Tacit writes."""

    number: int
    offset: int
    length: int
    data: bytes
    too_long: bool = False

    @property
    def end(self) -> int:
        return self.offset + self.length


def read_lines(file: BinaryIO, *, offset: int = 0, number: int = 0) -> Iterator[RawLine]:
    """Yield the complete lines from `offset` on. A torn tail is not yielded.

    `number` is the count of lines before `offset`. Memory use is bounded, however long a line is.
    """
    file.seek(offset)
    pending, skipped = b"", 0
    while chunk := file.read(_CHUNK_BYTES):
        pieces = (pending + chunk).split(b"\n")
        pending = pieces.pop()
        for piece in pieces:
            number += 1
            length = skipped + len(piece) + 1
            too_long = length > MAX_LINE_BYTES
            yield RawLine(number, offset, length, b"" if too_long or piece.isspace() else piece, too_long)
            offset, skipped = offset + length, 0
        if skipped + len(pending) > MAX_LINE_BYTES:
            skipped += len(pending) + (skip_hole(file) if pending.endswith(b"\0") else 0)
            pending = b""


class LogBlock(Record):
    """Complete lines that follow each other in a segment, without their line feeds."""

    first_number: int
    offset: int
    lines: tuple[bytes, ...]

    @property
    def end(self) -> int:
        return self.offset + sum(map(len, self.lines)) + len(self.lines)

    def located(self, indices: Iterable[int]) -> list[LocatedLine]:
        """Return the lines with these indices, in order."""
        starts = list(accumulate((len(line) + 1 for line in self.lines), initial=self.offset))
        return [LocatedLine(self.first_number + at, starts[at], self.lines[at]) for at in sorted(indices)]


class LocatedLine(Record):
    """A line, its number in the segment, and the offset it begins at."""

    number: int
    offset: int
    data: bytes


def read_blocks(path: str, offset: int = 0, lines: int = 0) -> Iterator[LogBlock]:
    """Yield the complete lines of a file from `offset` on, before which there are so many `lines`."""
    with open_plain(path) as file:
        file.seek(offset)
        pending: list[bytes] = []
        while data := file.read(_CHUNK_BYTES):
            end = data.rfind(b"\n")
            if end < 0:
                pending.append(data)
                continue
            block = b"".join([*pending, data[:end]])
            pending = [data[end + 1 :]]
            found = tuple(block.split(b"\n"))
            yield LogBlock(lines + 1, offset, found)
            offset, lines = offset + len(block) + 1, lines + len(found)


def read_torn_tail(path: str, end: int) -> bytes:
    """Return what is behind the last line feed, which is at `end` - 1."""
    with open_plain(path) as file:
        file.seek(end)
        return file.read()


class Cursor(Record):
    """How far a segment was read: bytes, lines, and the last bytes before that point, which identify it."""

    offset: int = 0
    lines: int = 0
    tail: str = ""


def cursor_after(line: RawLine) -> Cursor:
    """Return how far a segment was read if this is the last line."""
    return Cursor(line.end, line.number, line_tail(line.data))


def line_tail(data: bytes) -> str:
    """Return the end of a line in hexadecimal, with its checksum: enough to recognise the line."""
    return data[-24:].hex()


class LogLine(Record):
    """A line of a segment and its event."""

    segment: str
    line: RawLine
    event: Event | DamagedLine

    @property
    def cursor(self) -> Cursor:
        return cursor_after(self.line)


def stray_segments(home: str) -> Iterator[str]:
    """Yield `folder/name` of each copy of a segment: it begins with lines of events whose checksums match."""
    for folder in SEGMENT_NAMES:
        for name in list_folder(os.path.join(home, folder)):
            own_or_view = is_own_segment(folder, name) or name.endswith(NOT_SEGMENT_SUFFIXES)
            if not own_or_view and _has_events(os.path.join(home, folder, name)):
                yield f"{folder}/{name}"


def _has_events(path: str) -> bool:
    try:
        with open_plain(path) as file:
            data = file.read(_HEAD_BYTES)
            if b"\n" not in data:
                data += file.read(_MAX_FIRST_LINE_BYTES)
    except OSError:  # a link, a folder, a named pipe, or deleted meanwhile
        return False
    return any(id_in_line(line) for line in data.split(b"\n"))


class KnownForm(Record):
    """What is known of a line without decoding it.

    Attributes:
        event: the id of its event.
        has_claims: it is about claims.
        claim: scope, subject, predicate and object of its only claim, as JSON writes them; None if that is not known.
        is_plain: the line is what Tacit writes for its event, byte for byte. Otherwise only its end is known.
    """

    event: EventId
    has_claims: bool
    claim: tuple[bytes, bytes, bytes, bytes] | None
    is_plain: bool


class PurgeFilter(Protocol):
    """What tombstones leave of events: see `tacit.purge.tombstones`, which is above the log."""

    def apply(self, event: Event) -> Event: ...
    def apply_fully(self, event: Event) -> Event: ...
    def filter_import(self, event: Event) -> Event | None: ...
    def ignores(self, form: KnownForm) -> bool: ...


LoadPurges = Callable[["LogReader"], PurgeFilter | None]


def _refuse_purges(log: LogReader) -> PurgeFilter | None:
    raise AssertionError(f"whoever opened {log.home} did not say how purges are loaded")


class FileLocation(Record):
    """A line of a file, where something can be read."""

    path: str
    line: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"


class LogReader:
    """Reads the log of one home.

    `staged` are files (path by segment) that stand for their segments. `load_purges` is what `purges` asks. `progress`
    is called during long work.
    """

    def __init__(
        self, home: str, staged: Mapping[str, str] | None = None, load_purges: LoadPurges = _refuse_purges
    ) -> None:
        self.home = home
        self._load_purges = load_purges
        self.staged = staged or {}
        self.progress: ReportProgress = ignore_progress

    def with_staged(self, staged: Mapping[str, str]) -> LogReader:
        """Return a reader of the same log in which these files stand for their segments."""
        reader = LogReader(self.home, staged, self._load_purges)
        reader.progress = self.progress
        return reader

    # Segments

    def path(self, segment: str) -> str:
        return self.staged.get(segment) or os.path.join(self.home, segment)

    def location(self, segment: str, line: int) -> FileLocation:
        return FileLocation(self.path(segment), line)

    def segments(self) -> list[str]:
        """Return the names of all segments: own ones first, then copies that other programs left.

        If an event is in several segments, the first one counts.
        """
        return [*self.own_segments(), *self.strays()]

    def own_segments(self) -> list[str]:
        """Return the segments that Tacit named, in this order: tombstones, memory, imported, activity."""
        names = [name for name in (PURGED_SEGMENT, MEMORY_SEGMENT) if os.path.exists(self.path(name))]
        for folder in (IMPORTED_FOLDER, ACTIVITY_FOLDER):
            with suppress(FileNotFoundError, NotADirectoryError):
                files = sorted(os.listdir(os.path.join(self.home, folder)))
                names += [f"{folder}/{file}" for file in files if is_own_segment(folder, file)]
        return names

    def strays(self) -> list[str]:
        """Return copies of segments that sync programs and editors left, recognised by the events in them."""
        return list(stray_segments(self.home))

    def tombstone_segments(self) -> list[str]:
        """Return the segments that may hold tombstones: our own, and copies in its folder."""
        own = [PURGED_SEGMENT] if os.path.exists(self.path(PURGED_SEGMENT)) else []
        return own + [name for name in self.strays() if name.startswith("memory/")]

    def size(self, segment: str) -> int:
        """Return the size of a segment in bytes, 0 if there is none."""
        try:
            return os.stat(self.path(segment)).st_size
        except FileNotFoundError:
            return 0

    def suspect_file(self, segment: str) -> str | None:
        """Return the path of the file that records a failed sync of this segment; None if no sync failed."""
        path = suspect_path(self.path(segment))
        return path if os.path.exists(path) else None

    def has_spooled(self) -> bool:
        """Return whether events wait in the spool. Its other files begin with a dot."""
        try:
            with os.scandir(self.path(SPOOL_FOLDER)) as entries:
                return any(not entry.name.startswith(".") for entry in entries)
        except OSError:
            return False

    # Lines and events

    def lines(self, segment: str, cursor: Cursor | None = None) -> Iterator[RawLine]:
        """Yield the complete lines after `cursor`, not decoded."""
        offset, number, _ = cursor or Cursor()
        with open_plain(self.path(segment)) as file:
            yield from read_lines(file, offset=offset, number=number)

    def read(self, segment: str, cursor: Cursor | None = None) -> Iterator[LogLine]:
        """Yield the complete lines after `cursor`, readable and damaged. Blank lines are skipped."""
        for line in self.lines(segment, cursor):
            if line.too_long:
                yield LogLine(segment, line, DamagedLine("longer than any line we write"))
            elif line.data:
                yield LogLine(segment, line, decode(line.data))

    def lines_between(self, segment: str, cursor: Cursor, end: int) -> Iterator[RawLine]:
        """Yield the lines from `cursor` to `end`, where a line ends, without blank ones."""
        lines = takewhile(lambda line: line.offset < end, self.lines(segment, cursor))
        return (line for line in lines if line.data or line.too_long)

    def line_reader(self) -> Callable[[str, int, int], bytes | None]:
        """Return a function that reads one line by segment, offset and length. It keeps the segments open."""
        files: dict[str, BinaryIO] = {}

        def line_at(segment: str, offset: int, length: int) -> bytes | None:
            try:
                if segment not in files:
                    files[segment] = open_plain(self.path(segment))
                return os.pread(files[segment].fileno(), length - 1, offset)
            except (OSError, ValueError):
                return None

        return line_at

    def events(self) -> Iterator[Event]:
        """Yield every readable event of the log, segment by segment."""
        for segment in self.segments():
            yield from (line.event for line in self.read(segment) if isinstance(line.event, Event))

    def ids(self, segment: str, cursor: Cursor) -> Iterator[EventId]:
        """Yield the ids of the lines after `cursor` whose checksums match."""
        for line in self.lines(segment, cursor):
            if (event_id := id_in_line(line.data)) is not None:
                yield event_id

    def events_containing(self, segment: str, cursor: Cursor, marker: bytes) -> Iterator[Event]:
        """Yield the events after `cursor` whose lines contain `marker`. Other lines are not decoded."""
        for line in self.lines(segment, cursor):
            event = decode(line.data) if marker in line.data else None
            if isinstance(event, Event):
                yield event

    def tombstones(self, cursors: Mapping[str, Cursor] | None = None) -> Iterator[Event]:
        """Yield the tombstones, in each segment those after its cursor."""
        for segment in self.tombstone_segments():
            cursor = (cursors or {}).get(segment, Cursor())
            events = self.events_containing(segment, cursor, TOMBSTONE_TYPE)
            yield from (event for event in events if isinstance(event.body, MemoryPurged))

    def purges(self) -> PurgeFilter | None:
        """Return what was ever purged; None if nothing was."""
        return self._load_purges(self) if self.tombstone_segments() else None

    def skip_deferrable(self, segment: str, cursor: Cursor) -> tuple[Cursor, bool]:
        """Skip the lines after `cursor` that no answer shows (see `_DEFERRABLE_TYPES`).

        Return the cursor after them, and whether another line follows.
        """
        last, more = None, False
        for line in self.lines(segment, cursor):
            if more := not any(map(line.data.__contains__, _DEFERRABLE_TYPES)):
                break
            last = line
        return cursor_after(last) if last else cursor, more

    def has_tombstone_since(self, moment: datetime) -> bool:
        """Return whether a tombstone has this time or a later one, or a time that cannot be compared.

        Only the bytes of the lines are searched: the recorder calls this after every command.
        """
        data = read_file(self.path(PURGED_SEGMENT))
        if not data:
            return False
        times = _TOMBSTONE_TIME.findall(data)
        return len(times) < data.count(b"\n") or max(times) >= timestamp(moment).encode("ascii")

    def is_cursor_valid(self, segment: str, cursor: Cursor) -> bool:
        """Return whether the segment still holds what was read up to `cursor`: it was not cut, replaced or purged."""
        if cursor.offset == 0:
            return True
        tail = bytes.fromhex(cursor.tail)
        try:
            with open_plain(self.path(segment)) as file:
                file.seek(cursor.offset - 1 - len(tail))
                return file.read(len(tail) + 1) == tail + b"\n"
        except (OSError, ValueError):
            return False


class SegmentProgress:
    """Reports how far all segments were read, while they are read one after the other."""

    def __init__(self, log: LogReader, task: str, segments: Sequence[str]) -> None:
        self._log = log
        self._task = task
        self._before = 0
        self._total = sum(map(log.size, segments))

    def show(self, offset: int) -> None:
        """Report the offset in the current segment."""
        self._log.progress(self._task, min(self._before + offset, self._total - 1), self._total)

    def next_segment(self, read: str) -> None:
        """Go on after a segment was read to its end. After the last one the work is done."""
        self._before += self._log.size(read)
        self._log.progress(self._task, self._before, self._total)
