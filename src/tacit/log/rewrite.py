"""Rewriting segments: for a purge, and to quarantine lines that cannot be read or were not written by this home.

Lines that are not affected stay byte for byte. The new file replaces the old one in one step. The caller makes sure
that nobody else appends.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from io import BytesIO
from typing import BinaryIO

from tacit.disk.files import (
    OsDisk,
    commit_file,
    make_folder,
    open_fd,
    open_plain,
    read_file,
    replace_file,
    stage_file,
    write_all,
)
from tacit.log.codec import DamagedLine, decode
from tacit.log.log import Log
from tacit.log.reader import MAX_LINE_BYTES, LogReader, read_lines
from tacit.log.search import SharedRoots
from tacit.log.segment import is_sealed
from tacit.model.event import Event
from tacit.model.ids import EventId
from tacit.model.observation import LogSealed
from tacit.model.purge import PurgeTarget
from tacit.record import Record

QUARANTINE_FOLDER = "quarantine"
_COPY_BYTES = 1 << 20


class SegmentLine(Record):
    """A line of a segment with all of its bytes, or a torn tail (which has no line feed, and 0 as its number)."""

    number: int
    raw: bytes
    event: Event | DamagedLine | None
    offset: int

    @property
    def data(self) -> bytes:
        return self.raw.removesuffix(b"\n")


def segment_lines(log: LogReader, segment: str) -> Iterator[SegmentLine]:
    """Yield every line of a segment, readable or not."""
    for number, raw, offset in _raw_lines(log, segment):
        yield SegmentLine(number, raw, decode_raw(raw), offset)


def _raw_lines(log: LogReader, segment: str) -> Iterator[tuple[int, bytes, int]]:
    """Yield number, bytes and offset of every line. A torn tail has the number 0."""
    data = read_file(log.path(segment)) or b""
    end = 0
    for line in read_lines(BytesIO(data)):
        yield line.number, data[line.offset : line.end], line.offset
        end = line.end
    if data[end:]:
        yield 0, data[end:], end


def decode_raw(raw: bytes) -> Event | DamagedLine | None:
    """Return the event of a line; None if the line is blank."""
    if not raw.endswith(b"\n"):
        return DamagedLine("unfinished")
    if len(raw) > MAX_LINE_BYTES:
        return DamagedLine("longer than any line we write")
    return None if raw.isspace() else decode(raw[:-1])


class _OutputLine(Record):
    """The old offset of a line and its new bytes."""

    offset: int
    line: bytes


def _unsigned_end(log: Log, segment: str, output: Sequence[_OutputLine]) -> int | None:
    """Return where the unsigned lines end if only these lines are kept; None if there is no baseline."""
    baseline = log.signer.read_baseline() if log.signer else None
    return sum(len(line) for offset, line in output if offset < baseline.end_of(segment)) if baseline else None


# Replacing


def replace_segment(
    log: Log, segment: str, data: bytes | Iterable[bytes], unsigned_end: int | None = None, staged: str = ""
) -> None:
    """Replace the content of a segment, all of it or none. The caller holds the log's lock.

    `staged` is a file that has the content already. `unsigned_end` is where the lines end now that were written
    before lines were signed. While the file is replaced, the baseline has the larger of the old and the new end:
    if the process is killed in between, some lines are not checked, but no line is reported wrongly.
    """
    signer = log.signer
    baseline = signer.read_baseline() if signer and unsigned_end is not None else None
    if signer and baseline and unsigned_end is not None and unsigned_end > baseline.end_of(segment):
        signer.move_end(segment, unsigned_end)
    commit_file(log.disk, staged or stage_file(log.disk, log.path(segment), data), log.path(segment))
    if signer and baseline and unsigned_end is not None:
        signer.move_end(segment, unsigned_end)


def _extend_staged(log: Log, path: str, data: Iterable[bytes]) -> None:
    """Append to a staged file what was added to its segment since. On return it is durable."""
    with open_fd(log.disk, path, os.O_WRONLY | os.O_APPEND) as fd:
        for block in data:
            write_all(log.disk, fd, block)
        log.disk.sync_data(fd)


# Quarantine


class QuarantinedLine(Record):
    """A line that was moved out of its segment, and the file it is in now."""

    segment: str
    number: int
    path: str


def quarantine_unreadable(log: Log, segment: str, day: str) -> list[QuarantinedLine]:
    """Move every unreadable line to a file of its own. `day` becomes part of the file names.

    Sealed fragments stay, and so does a torn tail: the next write closes it.
    """
    lines = [*segment_lines(log, segment)]
    events = [line.event for line in lines if isinstance(line.event, Event)]
    sealed = {event.body.sha256 for event in events if isinstance(event.body, LogSealed)}
    damaged = {
        line.number
        for line in lines
        if line.number and isinstance(line.event, DamagedLine) and not is_sealed(line.data, sealed)
    }
    return _quarantine(log, segment, lines, damaged, day)


def quarantine_lines(log: Log, segment: str, numbers: set[int], day: str) -> list[QuarantinedLine]:
    """Move these lines to files of their own, as they are. `day` becomes part of the file names."""
    return _quarantine(log, segment, [*segment_lines(log, segment)], numbers, day)


def _quarantine(
    log: Log, segment: str, lines: Sequence[SegmentLine], numbers: set[int], day: str
) -> list[QuarantinedLine]:
    moved = [
        QuarantinedLine(segment, line.number, _save_copy(log, segment, line, day))
        for line in lines
        if line.number and line.number in numbers
    ]
    if moved:
        output = [_OutputLine(line.offset, line.raw) for line in lines if line.number not in numbers]
        replace_segment(log, segment, b"".join([line for _, line in output]), _unsigned_end(log, segment, output))
    return moved


def _save_copy(log: Log, segment: str, line: SegmentLine, day: str) -> str:
    """Write the bytes of a line to a durable file and return its path. A run that was killed may have written it."""
    folder = log.path(QUARANTINE_FOLDER)
    home = os.path.dirname(folder)
    make_folder(folder, below=home)
    name = f"{segment.removesuffix('.jsonl').replace('/', '-')}-{line.number}-{day}"
    paths = (os.path.join(folder, f"{name}{suffix}.bad") for suffix in ("", *(f"-{n}" for n in range(2, 10_000))))
    path = next(path for path in paths if read_file(path) in (None, line.raw))
    replace_file(OsDisk(home), path, line.raw)
    return path


# Purges


class LineEdit(Record):
    """A line that a purge changes: where it is, the bytes it has then, and its event (None if it is unreadable).

    The number 0 is a torn tail.
    """

    number: int
    offset: int
    length: int
    data: bytes
    event: EventId | None


class SegmentEdits(Record):
    """What a purge changes in a segment, and where its last complete line ends."""

    segment: str
    edits: tuple[LineEdit, ...]
    end: int

    @property
    def complete(self) -> tuple[LineEdit, ...]:
        """The edits without that of a torn tail, which may grow into a line."""
        return tuple(edit for edit in self.edits if edit.number)


class PurgePlan(Record):
    """What a purge will do to a log. Nothing is written until `apply`.

    Attributes:
        target: what is purged, with the claims that turned out to be gone.
        segments: the segments that change.
        roots: the projects that the log knows, and which of them have or had a fact file.
        gone_claims: the claims that are removed entirely.
        matching_claims: the claims that contain a text and stay, if only some claims are purged.
    """

    target: PurgeTarget
    segments: tuple[SegmentEdits, ...]
    roots: SharedRoots
    gone_claims: frozenset[str] = frozenset()
    matching_claims: frozenset[str] = frozenset()

    @property
    def changed(self) -> list[EventId]:
        """The ids of the events that change."""
        return [edit.event for segment in self.segments for edit in segment.edits if edit.event is not None]

    @property
    def damaged(self) -> int:
        """How many unreadable lines are removed."""
        return sum(edit.event is None for segment in self.segments for edit in segment.edits)

    def stage(self, log: Log) -> dict[str, str]:
        """Write the changed segments beside the old ones, as far as they have complete lines.

        Return the path of each new file by its segment.
        """
        return {
            segment.segment: stage_file(
                log.disk,
                log.path(segment.segment),
                _edited(log, segment.segment, segment.complete, 0, segment.end),
            )
            for segment in self.segments
        }

    def apply(self, log: Log, staged: StagedSegments) -> None:
        """Replace the changed segments, with the staged file if it fits.

        The caller holds the log's lock and has appended the tombstones.
        """
        for segment in self.segments:
            name, size = segment.segment, log.size(segment.segment)
            path, start = staged.usable(segment)
            rest = _edited(log, name, [edit for edit in segment.edits if edit.offset >= start], start, size)
            if path:
                _extend_staged(log, path, rest)
            replace_segment(log, name, rest, _unsigned_end_after(log, segment), path)

    def limited_to(self, events: Sequence[EventId]) -> PurgePlan:
        """Return the plan without changes of other events, for tombstones that name these."""
        wanted = set(events)
        limited = [
            segment._replace(edits=tuple(edit for edit in segment.edits if edit.event in wanted))
            for segment in self.segments
        ]
        return self._replace(segments=tuple(limited))


class StagedSegments(Record):
    """Files that were staged for a plan, by their segments."""

    plan: PurgePlan
    paths: dict[str, str]

    def usable(self, segment: SegmentEdits) -> tuple[str, int]:
        """Return the staged file of a segment and how far it goes in the old one; "" and 0 if it does not fit.

        It fits if the plan of now has the same edits up to there: lines were only appended.
        """
        for planned in self.plan.segments:
            path = self.paths.get(segment.segment, "")
            if planned.segment == segment.segment and path and segment.end >= planned.end:
                same = tuple(edit for edit in segment.edits if edit.offset < planned.end) == planned.complete
                return (path, planned.end) if same else ("", 0)
        return "", 0


def _edited(log: LogReader, segment: str, edits: Sequence[LineEdit], start: int, end: int) -> Iterator[bytes]:
    """Yield the bytes of a segment between two offsets, with the edits carried out."""
    with open_plain(log.path(segment)) as file:
        file.seek(start)
        for edit in edits:
            yield from _copied(file, edit.offset - start)
            yield edit.data
            start = edit.offset + edit.length
            file.seek(start)
        yield from _copied(file, end - start)


def _copied(file: BinaryIO, size: int) -> Iterator[bytes]:
    while size > 0 and (data := file.read(min(size, _COPY_BYTES))):
        yield data
        size -= len(data)


def _unsigned_end_after(log: Log, segment: SegmentEdits) -> int | None:
    """Return where the unsigned lines end when the edits are carried out; None if there is no baseline."""
    baseline = log.signer.read_baseline() if log.signer else None
    if baseline is None:
        return None
    end = min(baseline.end_of(segment.segment), log.size(segment.segment))
    if end:
        with open_plain(log.path(segment.segment)) as file:  # to the end of its line
            file.seek(end - 1)
            while (data := file.read(_COPY_BYTES)) and b"\n" not in data:
                end += len(data)
            end += data.find(b"\n")
    return end + sum(len(edit.data) - edit.length for edit in segment.edits if edit.offset < end)
