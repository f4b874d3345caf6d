"""The log of a home: segments of lines, one event per line.

Memory operations are in one segment, observations in one segment per month. A writer holds the log's lock for the
length of one write; readers need no lock.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from datetime import datetime
from itertools import takewhile
from typing import BinaryIO

from tacit.disk.files import (
    Disk,
    OsDisk,
    commit_file,
    make_folder,
    open_fd,
    open_plain,
    read_file,
    skip_hole,
    stage_file,
    write_all,
)
from tacit.disk.lock import Lock
from tacit.errors import StoreError
from tacit.log.codec import DamagedLine, decode, encode, id_in_line
from tacit.log.redact import redact_body, redact_events
from tacit.log.segment import AppendResult, append, read_tail, roll_back, suspect_path
from tacit.log.signing import LineSigner, SignLine, file_sizes
from tacit.log.strays import is_own_segment, stray_segments
from tacit.model.event import ClaimDecided, ClaimProposed, Draft, Event, EventBody, EventOrigin, EventsUndone, timestamp
from tacit.model.ids import EventId, next_event_id, sha256
from tacit.model.observation import (
    TRANSCRIPT_TYPES,
    BriefInjected,
    CommandRan,
    EvaluationCreated,
    LogSealed,
    MemoryPurged,
    ProjectSeen,
    RecallAsked,
    RepositoryDistrusted,
    RepositoryTrusted,
    WorkflowDropped,
    WorkflowSaved,
)
from tacit.record import Record

_CHUNK_BYTES = 1 << 20
_MAX_BYTES_AT_ONCE = 8 << 20
MAX_LINE_BYTES = 1 << 20
# Shows how far long work is: its name, the bytes that are done, and the bytes to do.
ReportProgress = Callable[[str, int, int], None]


def ignore_progress(_task: str, _done: int, _total: int) -> None:
    """Show nothing."""


class RawLine(Record):
    """A complete line. `data` is empty if the line is `too_long`: larger than any that Tacit writes."""

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
            yield RawLine(number, offset, length, b"" if too_long else piece, too_long)
            offset, skipped = offset + length, 0
        if skipped + len(pending) > MAX_LINE_BYTES:
            skipped += len(pending) + (skip_hole(file) if pending.endswith(b"\0") else 0)
            pending = b""


MEMORY_SEGMENT = "memory/events.jsonl"
# Tombstones have a segment of their own, so that restoring an old copy of another segment does not remove them.
PURGED_SEGMENT = "memory/purged.jsonl"
_ACTIVITY_FOLDER = "activity"
IMPORTED_FOLDER = "imported"
# Events of transcripts have segments of their own: their ids are derived from their content and come in any order.
_AGENTS_SUFFIX = "-agents.jsonl"
# So have spooled commands, which get their ids before they are appended.
_LATE_SUFFIX = "-late.jsonl"
# Of other machines of the person, what is no judgement has a segment of its own, for the same reason.
_RECEIVED_PREFIX, _RECEIVED_ACTIVITY_SUFFIX = f"{IMPORTED_FOLDER}/machine-", "-activity.jsonl"
SPOOL_FOLDER = ".tacit/spool"
_TOMBSTONE_TIME = re.compile(rb'"ts":"([^"]{27})","type":"memory\.purged"')
_MAX_DRAINED = 256  # spooled commands that a writer files before its own write
# Nobody waits for these to be durable: the system writes them within seconds, without a sync by the command.
_DEFERRED_SYNC_BODIES = (RecallAsked, BriefInjected, ProjectSeen, CommandRan)
MEMORY_BODIES = (
    ClaimProposed,
    ClaimDecided,
    EventsUndone,
    EvaluationCreated,
    RepositoryTrusted,
    RepositoryDistrusted,
    WorkflowSaved,
    WorkflowDropped,
)
# Lines that no answer shows, recognised by their bytes: inside a text the quotes would be escaped.
_DEFERRABLE_TYPES = (b'"type":"recall.asked"', b'"type":"command.ran"', b'"type":"brief.given"')


class _NoopLock:
    """The lock for a caller that holds the log's lock already."""

    def acquire(self, _timeout: float | None = None) -> AbstractContextManager[None]:
        return nullcontext()


class Cursor(Record):
    """How far a segment was read: bytes, lines, and the last bytes before that point, which identify it."""

    offset: int = 0
    lines: int = 0
    tail: str = ""


class LogLine(Record):
    """A line of a segment and its event."""

    segment: str
    line: RawLine
    event: Event | DamagedLine

    @property
    def cursor(self) -> Cursor:
        return cursor_after(self.line)


class Log:
    """Appends to and reads the log of one home.

    `entropy` returns ten random bytes. `secret_digest` maps a redacted secret to what it can be recognised by.
    `signer` signs the lines that this home writes.
    """

    def __init__(
        self,
        home: str,
        disk: Disk,
        lock: Lock,
        entropy: Callable[[], bytes],
        secret_digest: Callable[[str], str] | None = None,
        signer: LineSigner | None = None,
    ) -> None:
        self._home = home
        self._disk = disk
        self._lock = lock
        self._entropy = entropy
        self.secret_digest = secret_digest
        self.signer = signer
        self._staged: dict[str, str] = {}
        self.progress: ReportProgress = ignore_progress

    @classmethod
    def for_reading(cls, home: str, staged: dict[str, str]) -> Log:
        """Return the log of a home in a process that only reads it. `staged` is as in `with_staged`."""
        log = cls(home, OsDisk(home), _NoopLock(), lambda: os.urandom(10))
        log._staged = staged
        return log

    @property
    def home(self) -> str:
        """The root of the home."""
        return self._home

    @property
    def staged(self) -> dict[str, str]:
        """The files that stand for segments, by segment."""
        return self._staged

    def path(self, segment: str) -> str:
        return self._staged.get(segment) or os.path.join(self._home, segment)

    def segments(self) -> list[str]:
        """Return the names of all segments: own ones first, then copies that other programs left.

        If an event is in several segments, the first one counts.
        """
        return [*self.own_segments(), *self.strays()]

    def own_segments(self) -> list[str]:
        """Return the segments that Tacit named, in this order: tombstones, memory, imported, activity."""
        names = [name for name in (PURGED_SEGMENT, MEMORY_SEGMENT) if os.path.exists(self.path(name))]
        for folder in (IMPORTED_FOLDER, _ACTIVITY_FOLDER):
            with suppress(FileNotFoundError, NotADirectoryError):
                files = sorted(os.listdir(os.path.join(self._home, folder)))
                names += [f"{folder}/{file}" for file in files if is_own_segment(folder, file)]
        return names

    def strays(self) -> list[str]:
        """Return copies of segments that sync programs and editors left, recognised by the events in them."""
        return list(stray_segments(self._home))

    def tombstone_segments(self) -> list[str]:
        """Return the segments that may hold tombstones: our own, and copies in its folder."""
        own = [PURGED_SEGMENT] if os.path.exists(self.path(PURGED_SEGMENT)) else []
        return own + [name for name in self.strays() if name.startswith("memory/")]

    # Appending

    def append(
        self, drafts: Sequence[Draft], origin: EventOrigin, timeout: float | None = None, op: EventId | None = None
    ) -> list[Event]:
        """Append one operation, all of it or nothing, and return its events. On return its judgements are durable.

        `timeout` replaces the usual one of the log's lock. `op` is an earlier operation that the events belong to.
        Observations that accompany a judgement (a project was seen) may be missing if their own segment cannot be
        written. Raise StoreError or OSError if nothing was appended.
        """
        by_segment: dict[str, list[Draft]] = {}
        for draft in drafts:
            redacted = draft._replace(body=redact_body(draft.body, self.secret_digest))
            by_segment.setdefault(segment_for(draft.body, origin), []).append(redacted)
        written: list[tuple[str, AppendResult]] = []
        with self._locked(timeout=timeout):
            self.begin_signing()
            for segment, group in by_segment.items():
                try:
                    written.append((segment, self._append_drafts(segment, group, origin, op)))
                    op = op or written[0][1].events[-1].op
                except (StoreError, OSError) as error:
                    if written and _may_sync_later(group):
                        continue
                    for name, result in reversed(written):
                        roll_back(self._disk, self.path(name), result.offset, result.length, error)
                    raise
        return [event for _, result in written for event in result.events if not isinstance(event.body, LogSealed)]

    def append_events(self, events: Sequence[Event]) -> None:
        """Append events whose ids are derived from their content. On return they are durable."""
        redacted = redact_events(events, self.secret_digest)
        with self._locked():
            self.begin_signing()
            self._append_grouped((segment_for(event.body, event.origin), event) for event in redacted)

    def append_late(self, events: Sequence[Event]) -> None:
        """Append spooled commands durably. The caller holds the lock."""
        redacted = redact_events(events, self.secret_digest)
        self._append_grouped((late_segment(event.origin), event) for event in redacted)

    def _append_grouped(self, pairs: Iterable[tuple[str, Event]]) -> None:
        by_segment: dict[str, list[Event]] = {}
        for segment, event in pairs:
            by_segment.setdefault(segment, []).append(event)
        for segment, group in sorted(by_segment.items()):
            self._append_events(segment, group)

    def _append_events(self, segment: str, events: Sequence[Event]) -> None:
        def compose(last_id: EventId | None, seals: Sequence[LogSealed]) -> list[Event]:
            sealed = [Draft(seal, events[0].scope) for seal in seals]
            return [*self._assign_ids(sealed, events[0].origin, last_id, None), *events]

        append(self._disk, self.path(segment), compose, durable=True, sign=self.sign)

    def _append_drafts(
        self, segment: str, drafts: Sequence[Draft], origin: EventOrigin, op: EventId | None
    ) -> AppendResult:
        last_of_others = self._last_id_of_others(segment)

        def compose(last_id: EventId | None, seals: Sequence[LogSealed]) -> list[Event]:
            sealed = [Draft(seal, drafts[0].scope) for seal in seals]
            last = max((event_id for event_id in (last_id, last_of_others) if event_id), default=None)
            return self._assign_ids([*sealed, *drafts], origin, last, op)

        return append(self._disk, self.path(segment), compose, durable=not _may_sync_later(drafts), sign=self.sign)

    def _last_id_of_others(self, segment: str) -> EventId | None:
        """Return the last id of the other segments in use: order must not depend on the file a line goes to."""
        names = self.own_segments()  # a copy may have any name, and sort last
        latest = [
            name
            for name in names
            if name.startswith(_ACTIVITY_FOLDER) and not name.endswith((_AGENTS_SUFFIX, _LATE_SUFFIX))
        ][-1:]
        imported = [
            name for name in names if name.startswith(IMPORTED_FOLDER) and not name.endswith(_RECEIVED_ACTIVITY_SUFFIX)
        ]
        others = [
            name for name in (PURGED_SEGMENT, MEMORY_SEGMENT, *imported, *latest) if name in names and name != segment
        ]
        return max((last for name in others if (last := self._last_id(name))), default=None)

    def _last_id(self, segment: str) -> EventId | None:
        with open_fd(self._disk, self.path(segment), os.O_RDONLY) as fd:
            return read_tail(self._disk, fd).last_id

    def _assign_ids(
        self, drafts: Sequence[Draft], origin: EventOrigin, last: EventId | None, op: EventId | None
    ) -> list[Event]:
        milliseconds = max(int(origin.at.timestamp() * 1000), 0)
        events: list[Event] = []
        for draft in drafts:
            last = next_event_id(last, milliseconds, self._entropy())
            if isinstance(draft.body, LogSealed):
                events.append(Event(last, last, origin, draft.scope, draft.body))
                continue
            op = op or last
            events.append(Event(last, op, origin.attributed_to(draft.attribution), draft.scope, draft.body))
        return events

    # Lock and spool

    @contextmanager
    def _locked(self, limit: int | None = _MAX_DRAINED, timeout: float | None = None) -> Iterator[None]:
        """Hold the lock. At most `limit` commands that were spooled before are filed first."""
        with self._lock.acquire(timeout):
            if not isinstance(self._lock, _NoopLock) and self.has_spooled():
                from tacit.log.spool import Spool

                Spool(self).drain(limit)
            yield

    @contextmanager
    def exclusive(self, timeout: float | None = None) -> Iterator[Log]:
        """Hold the lock and yield a log that can be read and changed as a whole, because nobody else can append."""
        with self._locked(None, timeout):
            yield self._with_lock(_NoopLock())

    def spool(self, draft: Draft, origin: EventOrigin) -> bool:
        """Keep a command that cannot be appended now, for the next holder of the lock. Return False if it is lost."""
        from tacit.log.spool import Spool

        return Spool(self).add(draft, origin)

    def drain_spool(self, timeout: float, limit: int | None = _MAX_DRAINED) -> None:
        """File spooled commands, if there are any. Raise LockBusyError or ReadOnlyError as an append does."""
        if self.has_spooled():
            with self._locked(limit, timeout):
                pass

    def has_spooled(self) -> bool:
        """Return whether commands wait in the spool. Its other files begin with a dot."""
        try:
            with os.scandir(self.path(SPOOL_FOLDER)) as entries:
                return any(not entry.name.startswith(".") for entry in entries)
        except OSError:
            return False

    # Signing

    @property
    def sign(self) -> SignLine | None:
        """The function that signs a line; None in a home that does not sign."""
        return self.signer.sign if self.signer else None

    def begin_signing(self) -> None:
        """Record how far the segments go, before the first signed line is written."""
        if self.signer:
            self.signer.ensure_baseline(self.segment_sizes)

    def segment_sizes(self) -> dict[str, int]:
        return file_sizes((segment, self.path(segment)) for segment in self.segments())

    # Reading

    def _lines(self, segment: str, cursor: Cursor) -> Iterator[RawLine]:
        with open_plain(self.path(segment)) as file:
            yield from read_lines(file, offset=cursor.offset, number=cursor.lines)

    def lines(self, segment: str) -> Iterator[RawLine]:
        """Yield the complete lines of a segment, not decoded."""
        return self._lines(segment, Cursor())

    def read(self, segment: str, cursor: Cursor | None = None) -> Iterator[LogLine]:
        """Yield the complete lines after `cursor`, readable and damaged. Empty lines are skipped."""
        for line in self._lines(segment, cursor or Cursor()):
            if line.too_long:
                yield LogLine(segment, line, DamagedLine("longer than any line we write"))
            elif line.data:
                yield LogLine(segment, line, decode(line.data))

    def lines_between(self, segment: str, cursor: Cursor, end: int) -> Iterator[RawLine]:
        """Yield the lines from `cursor` to `end`, where a line ends, without empty ones. They are read at once."""
        if end - cursor.offset > _MAX_BYTES_AT_ONCE:
            lines = takewhile(lambda line: line.offset < end, self._lines(segment, cursor))
            yield from (line for line in lines if line.data or line.too_long)
            return
        with open_plain(self.path(segment)) as file:
            file.seek(cursor.offset)
            data = file.read(end - cursor.offset)
        offset, number = cursor.offset, cursor.lines
        for piece in data.split(b"\n")[:-1]:
            number += 1
            length = len(piece) + 1
            if length > MAX_LINE_BYTES:
                yield RawLine(number, offset, length, b"", True)
            elif piece:
                yield RawLine(number, offset, length, piece)
            offset += length

    def cut(self, segment: str, size: int) -> Iterator[tuple[Cursor, int]]:
        """Yield where pieces of about `size` bytes begin and end, each of complete lines."""
        with open_plain(self.path(segment)) as file:
            start = lines = offset = 0
            while data := file.read(size):
                last = data.rfind(b"\n") + 1
                if last:
                    yield Cursor(start, lines), offset + last
                    lines += data.count(b"\n", 0, last)
                    start = offset + last
                offset += len(data)

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
        for line in self._lines(segment, cursor):
            if (event_id := id_in_line(line.data)) is not None:
                yield event_id

    def events_containing(self, segment: str, cursor: Cursor, marker: bytes) -> Iterator[Event]:
        """Yield the events after `cursor` whose lines contain `marker`. Other lines are not decoded."""
        for line in self._lines(segment, cursor):
            event = decode(line.data) if marker in line.data else None
            if isinstance(event, Event):
                yield event

    def skip_deferrable(self, segment: str, cursor: Cursor) -> tuple[Cursor, bool]:
        """Skip the lines after `cursor` that no answer shows (see `_DEFERRABLE_TYPES`).

        Return the cursor after them, and whether another line follows.
        """
        last, more = None, False
        for line in self._lines(segment, cursor):
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

    def size(self, segment: str) -> int:
        """Return the size of a segment in bytes, 0 if there is none."""
        try:
            return os.stat(self.path(segment)).st_size
        except FileNotFoundError:
            return 0

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

    def suspect_file(self, segment: str) -> str | None:
        """Return the path of the file that records a failed sync of this segment; None if no sync failed."""
        path = suspect_path(self.path(segment))
        return path if os.path.exists(path) else None

    def torn_tail_bytes(self, segment: str) -> int:
        """Return the count of bytes after the last line feed: a write that was never acknowledged."""
        size = self.size(segment)
        end = 0
        for line in self._lines(segment, Cursor()):
            end = line.end
        return size - end

    # Replacing and importing

    def replace(
        self, segment: str, data: bytes | Iterable[bytes], unsigned_end: int | None = None, staged: str = ""
    ) -> None:
        """Replace the content of a segment, all of it or none. The caller holds the lock.

        `staged` is a file that has the content already. `unsigned_end` is where the lines end now that were written
        before lines were signed. While the file is replaced, the baseline has the larger of the old and the new end:
        if the process is killed in between, some lines are not checked, but no line is reported wrongly.
        """
        signer = self.signer
        baseline = signer.read_baseline() if signer and unsigned_end is not None else None
        if signer and baseline and unsigned_end is not None and unsigned_end > baseline.end_of(segment):
            signer.move_end(segment, unsigned_end)
        commit_file(self._disk, staged or self.stage(segment, data), self.path(segment))
        if signer and baseline and unsigned_end is not None:
            signer.move_end(segment, unsigned_end)

    def stage(self, segment: str, data: bytes | Iterable[bytes]) -> str:
        """Write new content for a segment to a durable file beside it, and return the path of that file."""
        return stage_file(self._disk, self.path(segment), data)

    def extend_staged(self, path: str, data: Iterable[bytes]) -> None:
        """Append to a staged file what was added to its segment since. On return it is durable."""
        with open_fd(self._disk, path, os.O_WRONLY | os.O_APPEND) as fd:
            for block in data:
                write_all(self._disk, fd, block)
            self._disk.sync_data(fd)

    def with_staged(self, staged: dict[str, str]) -> Log:
        """Return a log, for reading, in which these files (path by segment) stand for their segments."""
        log = self._with_lock(self._lock)
        log._staged = staged
        return log

    def _with_lock(self, lock: Lock) -> Log:
        log = Log(self._home, self._disk, lock, self._entropy, self.secret_digest, self.signer)
        log.progress = self.progress
        return log

    def import_events(self, name: str, events: Sequence[Event]) -> None:
        """Write events of another home of the same person, sorted by id, to a segment of their own.

        The person vouches for them, so this home signs them.
        """
        make_folder(os.path.join(self._home, IMPORTED_FOLDER), below=self._home)
        with self.exclusive() as log:
            log.begin_signing()
            log.replace(f"{IMPORTED_FOLDER}/{name}.jsonl", b"".join([encode(event, self.sign) for event in events]))

    def append_received(self, machine: str, events: Sequence[Event], day: str) -> None:
        """Append events of another machine of the same person to the segments of that machine. They are durable then.

        The last judgement in a segment must have the greatest id of it, because new ids are made greater than the last
        one. Judgements that come late, with smaller ids, get a sorted segment of their own, named after the `day`.
        """
        judgements = sorted(
            (event for event in events if isinstance(event.body, MEMORY_BODIES)), key=lambda event: event.id
        )
        others = [event for event in events if not isinstance(event.body, MEMORY_BODIES)]
        segment = received_segment(machine)
        with self._locked():
            self.begin_signing()
            last = self._last_id(segment) if os.path.exists(self.path(segment)) else None
            late = [event for event in judgements if last is not None and event.id < last]
            if late:
                data = b"".join([encode(event, self.sign) for event in late])
                self.replace(f"{IMPORTED_FOLDER}/{day}-{sha256(data).hexdigest()[:12]}.jsonl", data)
            for name, group in (
                (segment, judgements[len(late) :]),
                (received_segment(machine, activity=True), others),
            ):
                if group:
                    self._append_events(name, group)

    def import_tombstones(self, tombstones: Sequence[Event]) -> None:
        """Add tombstones of another home of the same person, signed by this home."""
        with self.exclusive() as log:
            log.begin_signing()
            data = read_file(self.path(PURGED_SEGMENT)) or b""
            if data and not data.endswith(b"\n"):
                data += b"\n"
            log.replace(PURGED_SEGMENT, data + b"".join([encode(event, self.sign) for event in tombstones]))


def _may_sync_later(drafts: Sequence[Draft]) -> bool:
    return all(isinstance(draft.body, _DEFERRED_SYNC_BODIES) for draft in drafts)


def cursor_after(line: RawLine) -> Cursor:
    """Return how far a segment was read if this is the last line."""
    return Cursor(line.end, line.number, line_tail(line.data))


def line_tail(data: bytes) -> str:
    """Return the end of a line in hexadecimal, with its checksum: enough to recognise the line."""
    return data[-24:].hex()


def segment_for(body: EventBody, origin: EventOrigin) -> str:
    """Return the segment of an event: judgements and evaluations go to memory, the rest to activity by month."""
    if isinstance(body, MemoryPurged):
        return PURGED_SEGMENT
    if isinstance(body, MEMORY_BODIES):
        return MEMORY_SEGMENT
    return _activity_segment(origin, _AGENTS_SUFFIX if isinstance(body, TRANSCRIPT_TYPES) else ".jsonl")


def received_segment(machine: str, *, activity: bool = False) -> str:
    """Return the segment of judgements that another machine sent, or that of everything else."""
    return f"{_RECEIVED_PREFIX}{machine}{_RECEIVED_ACTIVITY_SUFFIX if activity else '.jsonl'}"


def late_segment(origin: EventOrigin) -> str:
    """Return the segment of a spooled command."""
    return _activity_segment(origin, _LATE_SUFFIX)


def _activity_segment(origin: EventOrigin, suffix: str) -> str:
    return f"{_ACTIVITY_FOLDER}/{origin.at.year:04d}-{origin.at.month:02d}{suffix}"


class SegmentProgress:
    """Reports how far all segments were read, while they are read one after the other."""

    def __init__(self, log: Log, task: str, segments: Sequence[str]) -> None:
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
