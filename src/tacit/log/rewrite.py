"""Rewriting segments: replacing one as a whole, and moving lines to quarantine that cannot be read or were not written
by this home.

Lines that are not affected stay byte for byte. The new file replaces the old one in one step. The caller makes sure
that nobody else appends.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from io import BytesIO

from tacit.disk.files import OsDisk, commit_file, make_folder, read_file, replace_file, stage_file
from tacit.log import Log
from tacit.log.codec import DamagedLine, decode
from tacit.log.reader import MAX_LINE_BYTES, LogReader, read_lines
from tacit.log.segment import is_sealed
from tacit.model.event import Event
from tacit.model.observation import LogSealed
from tacit.record import Record

QUARANTINE_FOLDER = "quarantine"


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
    data = read_file(log.path(segment)) or b""
    end = 0
    for line in read_lines(BytesIO(data)):
        raw = data[line.offset : line.end]
        yield SegmentLine(line.number, raw, decode_raw(raw), line.offset)
        end = line.end
    if tail := data[end:]:
        yield SegmentLine(0, tail, decode_raw(tail), end)


def decode_raw(raw: bytes) -> Event | DamagedLine | None:
    """Return the event of a line; None if the line is blank."""
    if not raw.endswith(b"\n"):
        return DamagedLine("unfinished")
    if len(raw) > MAX_LINE_BYTES:
        return DamagedLine("longer than any line we write")
    return None if raw.isspace() else decode(raw[:-1])


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
    return quarantine_lines(log, segment, damaged, day) if damaged else []


def quarantine_lines(log: Log, segment: str, numbers: set[int], day: str) -> list[QuarantinedLine]:
    """Move these lines to files of their own, as they are. `day` becomes part of the file names."""
    lines = [*segment_lines(log, segment)]
    moved = [
        QuarantinedLine(segment, line.number, _save_copy(log, segment, line, day))
        for line in lines
        if line.number and line.number in numbers
    ]
    if moved:
        kept = [line for line in lines if line.number not in numbers]
        baseline = log.signer.read_baseline() if log.signer else None
        unsigned = [line.raw for line in kept if baseline and line.offset < baseline.end_of(segment)]
        unsigned_end = sum(map(len, unsigned)) if baseline else None
        replace_segment(log, segment, b"".join([line.raw for line in kept]), unsigned_end)
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
