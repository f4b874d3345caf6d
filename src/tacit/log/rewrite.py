"""Rewriting segments: replacing one as a whole, and moving lines to quarantine that cannot be read or were not written
by this home.

Lines that are not affected stay byte for byte. The new file replaces the old one in one step. The caller makes sure
that nobody else appends.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from io import BytesIO

from tacit.disk.files import (
    OsDisk,
    commit_file,
    make_folder,
    read_file,
    replace_file,
    stage_file,
)
from tacit.log.codec import DamagedLine, decode
from tacit.log.log import Log
from tacit.log.reader import MAX_LINE_BYTES, LogReader, read_lines
from tacit.log.segment import is_sealed
from tacit.model.event import Event
from tacit.model.observation import LogSealed
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
