"""Writing the segments that a purge changes. Lines that are not affected stay byte for byte.

The new file replaces the old one in one step. The caller makes sure that nobody else appends.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import BinaryIO

from tacit.disk.files import open_fd, open_plain, stage_file, write_all
from tacit.log.log import Log
from tacit.log.reader import LogReader
from tacit.log.rewrite import replace_segment
from tacit.model.ids import EventId
from tacit.purge.remains import PurgeTarget
from tacit.purge.search import SharedRoots
from tacit.record import Record

_COPY_BYTES = 1 << 20


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

    def apply(self, log: Log, staged: StagedSegments) -> bool:
        """Replace the changed segments, with the staged file if it fits. Return whether all of them did.

        The caller holds the log's lock and has appended the tombstones.
        """
        fitting: set[str] = set()
        for segment in self.segments:
            name, size = segment.segment, log.size(segment.segment)
            path, start = staged.usable(segment)
            rest = _edited(log, name, [edit for edit in segment.edits if edit.offset >= start], start, size)
            if path:
                _extend_staged(log, path, rest)
                fitting.add(name)
            replace_segment(log, name, rest, _unsigned_end_after(log, segment), path)
        return fitting == staged.paths.keys() >= {segment.segment for segment in self.segments if segment.complete}

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


def _extend_staged(log: Log, path: str, data: Iterable[bytes]) -> None:
    """Append to a staged file what was added to its segment since. On return it is durable."""
    with open_fd(log.disk, path, os.O_WRONLY | os.O_APPEND) as fd:
        for block in data:
            write_all(log.disk, fd, block)
        log.disk.sync_data(fd)
