"""The log of a home: memory operations in one file, observations in one file a month."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import datetime
from typing import BinaryIO

from tacit.disk.files import Disk, commit_file, make_folder, open_fd, open_plain, read_file, skip_hole, stage_file
from tacit.disk.lock import Lock
from tacit.errors import StoreError
from tacit.log.codec import DamagedLine, decode, encode, id_in_line
from tacit.log.redact import redact_body, redact_events
from tacit.log.segment import AppendResult, append, read_tail, roll_back, suspect_path
from tacit.log.signing import LineSigner, SignLine, file_sizes
from tacit.log.strays import is_own_segment, stray_segments
from tacit.model.event import ClaimDecided, ClaimProposed, Draft, Event, EventBody, EventOrigin, EventsUndone, timestamp
from tacit.model.ids import EventId, next_event_id
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

# Lines of a segment, read as bytes. A torn tail is not yielded; a line of any length costs bounded memory.

_CHUNK_BYTES = 1 << 20
MAX_LINE_BYTES = 1 << 20


class RawLine(Record):
    """A complete line. `data` is empty and `too_long` true where it was larger than any we write."""

    number: int
    offset: int
    length: int
    data: bytes
    too_long: bool = False

    @property
    def end(self) -> int:
        return self.offset + self.length


def read_lines(file: BinaryIO, *, offset: int = 0, number: int = 0) -> Iterator[RawLine]:
    """The complete lines from `offset` on; `number` is how many lines lie before it."""
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


# The log of a home: memory operations in one file, what happened in one file a month.
#
# Whoever appends holds the log's lock for the length of one write; readers need none.

MEMORY_SEGMENT = "memory/events.jsonl"
# What was purged has a file of its own: an old copy of another one, put back, must not take it away.
PURGED_SEGMENT = "memory/purged.jsonl"
_ACTIVITY_FOLDER = "activity"
IMPORTED_FOLDER = "imported"
# What agents' transcripts hold has files of its own: its ids are made of what it says, so they come in any order.
_AGENTS_SUFFIX = "-agents.jsonl"
# Commands that were spooled have files of their own, too: they got their ids before they were appended.
_LATE_SUFFIX = "-late.jsonl"
SPOOL_FOLDER = ".tacit/spool"
_TOMBSTONE_TIME = re.compile(rb'"ts":"([^"]{27})","type":"memory\.purged"')
_MAX_DRAINED = 256  # spooled commands that are filed by somebody who came for something else
# What nobody waits for: durable within a second by the system's own writing, not before the command returns.
_DEFERRED_SYNC_BODIES = (RecallAsked, BriefInjected, ProjectSeen, CommandRan)


# Memory operations: what a person or somebody else concluded.
_MEMORY_BODIES = (
    ClaimProposed,
    ClaimDecided,
    EventsUndone,
    EvaluationCreated,
    RepositoryTrusted,
    RepositoryDistrusted,
    WorkflowSaved,
    WorkflowDropped,
)

# Lines that no answer shows, known by their bytes: inside a text the quotes would be escaped.
_DEFERRABLE_TYPES = (b'"type":"recall.asked"', b'"type":"command.ran"', b'"type":"brief.given"')


class _NoopLock:
    """The lock of somebody who holds it already."""

    def acquire(self, _patience: float | None = None) -> AbstractContextManager[None]:
        return nullcontext()


class Cursor(Record):
    """How far a segment was read: bytes, lines, and the last bytes before that point to recognise it by."""

    offset: int = 0
    lines: int = 0
    tail: str = ""


class LogLine(Record):
    """A line of a segment and what it says."""

    segment: str
    line: RawLine
    event: Event | DamagedLine

    @property
    def cursor(self) -> Cursor:
        return _cursor_after(self.line)


class Log:
    """Append and read. `entropy` gives ten random bytes, `mark` what a secret that slipped in is known again by,
    `signing` the codes of lines that this home writes."""

    def __init__(
        self,
        home: str,
        disk: Disk,
        lock: Lock,
        entropy: Callable[[], bytes],
        mark: Callable[[str], str] | None = None,
        signing: LineSigner | None = None,
    ) -> None:
        self._home = home
        self._disk = disk
        self._lock = lock
        self._entropy = entropy
        self.secret_digest = mark
        self.signer = signing
        self._staged: dict[str, str] = {}

    def path(self, segment: str) -> str:
        return self._staged.get(segment) or os.path.join(self._home, segment)

    def segments(self) -> list[str]:
        """The names of all segments: our own, and behind them copies that other programs left. Of an event that stands
        in several, the first counts."""
        return [*self.own_segments(), *self.strays()]

    def own_segments(self) -> list[str]:
        """What was purged, memory, what came from the person's other homes, activity."""
        found = [name for name in (PURGED_SEGMENT, MEMORY_SEGMENT) if os.path.exists(self.path(name))]
        return found + [
            f"{folder}/{name}" for folder in (IMPORTED_FOLDER, _ACTIVITY_FOLDER) for name in self._segments_in(folder)
        ]

    def strays(self) -> list[str]:
        """Copies of segments that sync programs and editors left, known by the events in them."""
        return list(stray_segments(self._home))

    def tombstone_segments(self) -> list[str]:
        """The segments that may hold tombstones: our own, and copies that lie beside it."""
        own = [PURGED_SEGMENT] if os.path.exists(self.path(PURGED_SEGMENT)) else []
        return own + [name for name in self.strays() if name.startswith("memory/")]

    def _segments_in(self, folder: str) -> list[str]:
        return sorted(name for name in _file_names(os.path.join(self._home, folder)) if is_own_segment(folder, name))

    def append(
        self, drafts: Sequence[Draft], origin: EventOrigin, patience: float | None = None, op: EventId | None = None
    ) -> list[Event]:
        """Record one operation: all of it, or nothing. On return its judgements are durable.

        `patience` is how long to wait for the log's lock, if not as long as usual; `op` an operation that was recorded
        before and that this belongs to. What is only observed beside a judgement (that a project was seen) may be
        missing where its own segment cannot be written.
        """
        by_segment: dict[str, list[Draft]] = {}
        for draft in drafts:
            guarded = draft._replace(body=redact_body(draft.body, self.secret_digest))
            by_segment.setdefault(segment_for(draft.body, origin), []).append(guarded)
        written: list[tuple[str, AppendResult]] = []
        with self._locked(patience=patience):
            self.begin_signing()
            for segment, group in by_segment.items():
                try:
                    written.append((segment, self._append_drafts(segment, group, origin, op)))
                    op = op or written[0][1].events[-1].op
                except (StoreError, OSError) as error:
                    if written and _may_sync_later(group):
                        continue
                    for name, done in reversed(written):
                        roll_back(self._disk, self.path(name), done.offset, done.length, error)
                    raise
        return [event for _, done in written for event in done.events if not isinstance(event.body, LogSealed)]

    def append_events(self, events: Sequence[Event]) -> None:
        """Record events whose ids are made of what they say. On return they are durable; nobody sees half a line."""
        by_segment: dict[str, list[Event]] = {}
        for event in redact_events(events, self.secret_digest):
            by_segment.setdefault(segment_for(event.body, event.origin), []).append(event)
        with self._locked():
            self.begin_signing()
            for segment, group in sorted(by_segment.items()):
                self._append_events(segment, group)

    def append_late(self, events: Sequence[Event]) -> None:
        """Record spooled commands, durably. Only for who files them; the lock is held."""
        by_segment: dict[str, list[Event]] = {}
        for event in redact_events(events, self.secret_digest):
            by_segment.setdefault(late_segment(event.origin), []).append(event)
        for segment, group in sorted(by_segment.items()):
            self._append_events(segment, group)

    def spool(self, draft: Draft, origin: EventOrigin) -> bool:
        """Keep a command that cannot be appended now; whoever holds the lock next files it. False when it is lost."""
        from tacit.log.spool import Spool

        return Spool(self).add(draft, origin)

    @contextmanager
    def _locked(self, most: int | None = _MAX_DRAINED, patience: float | None = None) -> Iterator[None]:
        """The lock; whoever has it files what was spooled before."""
        with self._lock.acquire(patience):
            if not isinstance(self._lock, _NoopLock) and self.has_spooled():
                from tacit.log.spool import Spool

                Spool(self).drain(most)
            yield

    def drain_spool(self, patience: float, most: int | None = _MAX_DRAINED) -> None:
        """File what was spooled, if anything. Raises LockBusy and ReadOnly as any append does."""
        if self.has_spooled():
            with self._locked(most, patience):
                pass

    def has_spooled(self) -> bool:
        """Whether commands wait in the spool; its other files begin with a dot."""
        try:
            with os.scandir(self.path(SPOOL_FOLDER)) as entries:
                return any(not entry.name.startswith(".") for entry in entries)
        except OSError:
            return False

    def _append_events(self, segment: str, events: Sequence[Event]) -> None:
        def compose(here: EventId | None, seals: Sequence[LogSealed]) -> list[Event]:
            sealed = [Draft(seal, events[0].scope) for seal in seals]
            return [*self._assign_ids(sealed, events[0].origin, here, None), *events]

        append(self._disk, self.path(segment), compose, durable=True, sign=self.sign)

    @property
    def sign(self) -> SignLine | None:
        """Makes the code of a line, in a home that signs."""
        return self.signer.sign if self.signer else None

    def begin_signing(self) -> None:
        """Note how far the segments go before the first line with a code is written."""
        if self.signer:
            self.signer.ensure_baseline(self.segment_sizes)

    def segment_sizes(self) -> dict[str, int]:
        return file_sizes((segment, self.path(segment)) for segment in self.segments())

    def _append_drafts(
        self, segment: str, drafts: Sequence[Draft], origin: EventOrigin, op: EventId | None
    ) -> AppendResult:
        elsewhere = self._last_id_of_others(segment)

        def compose(here: EventId | None, seals: Sequence[LogSealed]) -> list[Event]:
            sealed = [Draft(seal, drafts[0].scope) for seal in seals]
            last = max((name for name in (here, elsewhere) if name), default=None)
            return self._assign_ids([*sealed, *drafts], origin, last, op)

        return append(self._disk, self.path(segment), compose, durable=not _may_sync_later(drafts), sign=self.sign)

    def _last_id_of_others(self, segment: str) -> EventId | None:
        """The last id of the other segments in use: order must not depend on which file a line goes to."""
        known = self.own_segments()  # a copy may bear any name, and sort last
        latest = [
            name
            for name in known
            if name.startswith(_ACTIVITY_FOLDER) and not name.endswith((_AGENTS_SUFFIX, _LATE_SUFFIX))
        ][-1:]
        imported = [name for name in known if name.startswith(IMPORTED_FOLDER)]
        others = [
            name for name in (PURGED_SEGMENT, MEMORY_SEGMENT, *imported, *latest) if name in known and name != segment
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

    def read(self, segment: str, cursor: Cursor | None = None) -> Iterator[LogLine]:
        """The complete lines after `cursor`, good and bad."""
        start = cursor or Cursor()
        with open_plain(self.path(segment)) as file:
            for line in read_lines(file, offset=start.offset, number=start.lines):
                if line.data or line.too_long:
                    yield LogLine(
                        segment,
                        line,
                        DamagedLine("longer than any line we write") if line.too_long else decode(line.data),
                    )

    def line_reader(self) -> Callable[[str, int, int], bytes | None]:
        """Single lines by segment, offset and length. Segments stay open for as long as this is held."""
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
        """Every event of the log that can be read, segment by segment."""
        for segment in self.segments():
            yield from (record.event for record in self.read(segment) if isinstance(record.event, Event))

    @contextmanager
    def exclusive(self, patience: float | None = None) -> Iterator[Log]:
        """The same log while nobody else can append: for what has to see it whole and change it."""
        with self._locked(None, patience):
            yield Log(self._home, self._disk, _NoopLock(), self._entropy, self.secret_digest, self.signer)

    def replace(self, segment: str, data: bytes, unsigned: int | None = None, staged: str = "") -> None:
        """Other content for a segment, all of it or none; `staged` is a file that has it already. Only when alone.

        `unsigned` is where its lines from before there were codes end now. Of both ends the farther one is on the
        disk while the file is replaced: whoever is killed in between leaves lines unasked for a code, and none accused.
        """
        known = self.signer.read_baseline() if self.signer and unsigned is not None else None
        if self.signer and known and unsigned is not None and unsigned > known.end_of(segment):
            self.signer.move_end(segment, unsigned)
        commit_file(self._disk, staged or self.stage(segment, data), self.path(segment))
        if self.signer and known and unsigned is not None:
            self.signer.move_end(segment, unsigned)

    def stage(self, segment: str, data: bytes) -> str:
        """Other content for a segment in a file beside it, durable and not yet in its place. Returns its path."""
        return stage_file(self._disk, self.path(segment), data)

    def with_staged(self, staged: dict[str, str]) -> Log:
        """The log as it will be once these files are in the places of their segments; to read from."""
        log = Log(self._home, self._disk, self._lock, self._entropy, self.secret_digest, self.signer)
        log._staged = staged
        return log

    def import_events(self, name: str, events: Sequence[Event]) -> None:
        """Events of another home of the same person, sorted by id, as a segment of their own: the person vouches for
        them, so this home signs them."""
        make_folder(os.path.join(self._home, IMPORTED_FOLDER), below=self._home)
        with self.exclusive() as log:
            log.begin_signing()
            log.replace(f"{IMPORTED_FOLDER}/{name}.jsonl", b"".join([encode(event, self.sign) for event in events]))

    def import_tombstones(self, graves: Sequence[Event]) -> None:
        """Tombstones of another home of the same person, signed by this one."""
        with self.exclusive() as log:
            log.begin_signing()
            before = read_file(self.path(PURGED_SEGMENT)) or b""
            ended = before if before.endswith(b"\n") or not before else before + b"\n"
            log.replace(PURGED_SEGMENT, ended + b"".join([encode(event, self.sign) for event in graves]))

    def skip_deferrable(self, segment: str, cursor: Cursor) -> tuple[Cursor, bool]:
        """How far all that follows `cursor` is only counted (see `_COUNTED`), and whether anything else comes then."""
        last, more = None, False
        with open_plain(self.path(segment)) as file:
            for line in read_lines(file, offset=cursor.offset, number=cursor.lines):
                if more := not any(map(line.data.__contains__, _DEFERRABLE_TYPES)):
                    break
                last = line
        return _cursor_after(last) if last else cursor, more

    def ids(self, segment: str, cursor: Cursor) -> Iterator[EventId]:
        """The ids of the lines after `cursor` whose checksums hold."""
        with open_plain(self.path(segment)) as file:
            for line in read_lines(file, offset=cursor.offset, number=cursor.lines):
                if (name := id_in_line(line.data)) is not None:
                    yield name

    def events_containing(self, segment: str, cursor: Cursor, mark: bytes) -> Iterator[Event]:
        """The events after `cursor` whose lines hold these bytes; the others are not read."""
        with open_plain(self.path(segment)) as file:
            for line in read_lines(file, offset=cursor.offset, number=cursor.lines):
                event = decode(line.data) if mark in line.data else None
                if isinstance(event, Event):
                    yield event

    def has_tombstone_since(self, moment: datetime) -> bool:
        """Whether a tombstone is of this moment or later by its own time, or has none that can be compared.

        Told by the lines' bytes: the recorder asks this after every command.
        """
        data = read_file(self.path(PURGED_SEGMENT))
        if not data:
            return False
        times = _TOMBSTONE_TIME.findall(data)
        return len(times) < data.count(b"\n") or max(times) >= timestamp(moment).encode("ascii")

    def size(self, segment: str) -> int:
        try:
            return os.stat(self.path(segment)).st_size
        except FileNotFoundError:
            return 0

    def is_cursor_valid(self, segment: str, cursor: Cursor) -> bool:
        """Whether the segment still holds what was read up to the cursor (and was not cut, swapped or purged)."""
        if cursor.offset == 0:
            return True
        mark = bytes.fromhex(cursor.tail)
        try:
            with open_plain(self.path(segment)) as file:
                file.seek(cursor.offset - 1 - len(mark))
                return file.read(len(mark) + 1) == mark + b"\n"
        except (OSError, ValueError):
            return False

    def suspect_file(self, segment: str) -> str | None:
        """The path of the note that the disk refused to keep this segment, if it ever did."""
        path = suspect_path(self.path(segment))
        return path if os.path.exists(path) else None

    def torn_tail_bytes(self, segment: str) -> int:
        """How many bytes stand after the last line feed (a write that was never acknowledged)."""
        size = self.size(segment)
        end = 0
        with open_plain(self.path(segment)) as file:
            for line in read_lines(file):
                end = line.end
        return size - end


def _may_sync_later(drafts: Sequence[Draft]) -> bool:
    return all(isinstance(draft.body, _DEFERRED_SYNC_BODIES) for draft in drafts)


def _cursor_after(line: RawLine) -> Cursor:
    """Where one stands when this line was the last that was read."""
    return Cursor(line.end, line.number, line_tail(line.data))


def line_tail(data: bytes) -> str:
    """The end of a line, checksum included: enough to know it again."""
    return data[-24:].hex()


def segment_for(body: EventBody, origin: EventOrigin) -> str:
    """Judgements and evaluations are memory operations; everything else is activity, filed by its month."""
    if isinstance(body, MemoryPurged):
        return PURGED_SEGMENT
    if isinstance(body, _MEMORY_BODIES):
        return MEMORY_SEGMENT
    return f"{_ACTIVITY_FOLDER}/{_month(origin)}{_AGENTS_SUFFIX if isinstance(body, TRANSCRIPT_TYPES) else '.jsonl'}"


def late_segment(origin: EventOrigin) -> str:
    """Where a spooled command is filed."""
    return f"{_ACTIVITY_FOLDER}/{_month(origin)}{_LATE_SUFFIX}"


def _month(origin: EventOrigin) -> str:
    return f"{origin.at.year:04d}-{origin.at.month:02d}"


def _file_names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return []
