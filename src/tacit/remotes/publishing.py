"""Which lines of the log a remote gets, cut into segments: a decision from what was published before.

A machine publishes everything in its log but the lines that other machines of the same remote publish themselves. So
lines of a machine that was lost, or that only meets this one on another remote, are passed on. A segment on the remote
covers a range of one file of the log; small ones at the end are joined from time to time, so that their number stays
small and a sync still sends little more than what is new.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import islice

from tacit.disk.files import open_plain
from tacit.log.codec import decode, split_mac, with_checksum
from tacit.log.incoming import is_about_memory, is_portable
from tacit.log.log import Log
from tacit.log.reader import Cursor, RawLine, line_tail, read_lines
from tacit.model.event import Event
from tacit.record import Record
from tacit.remotes.state import PublishedPart

_MAX_PLAIN_BYTES = 1 << 20  # of a segment, before it is compressed
_SMALL_BYTES = 256 << 10  # segments below this are joined
_MAX_SMALL = 8  # small segments that a file may have at its end
_MAX_INFLATED_BYTES = 16 << 20
# Files of the log that have no judgements.
_ACTIVITY = ("activity/", "imported/history-")
_ACTIVITY_SUFFIX = "-activity.jsonl"

NameSegment = Callable[[bytes], str]


class OutgoingPart(Record):
    """A part to publish. `content` are its lines, None if the remote has them already."""

    part: PublishedPart
    content: bytes | None = None


class SegmentReader:
    """Reads the lines of a log that are for other machines. `name_segment` names a segment by its content."""

    def __init__(self, log: Log, name_segment: NameSegment, *, everything: bool) -> None:
        self._log = log
        self._name_segment = name_segment
        self._everything = everything

    def plan(
        self, published: Sequence[PublishedPart], skipped: Collection[str], *, verify: bool
    ) -> Iterator[OutgoingPart]:
        """Yield all parts that the remote should have, old and new.

        `skipped` are files of the log to leave out. With `verify`, parts that were published are compared with the log,
        because a purge may have changed any of its lines.
        """
        for segment in self._log.segments():
            if segment not in skipped and (self._everything or not _is_activity(segment)):
                known = [part for part in published if part.segment == segment]
                yield from self._plan_segment(segment, _without_small_tail(known), verify)

    def content(self, part: PublishedPart) -> bytes:
        """Return the lines of a part that was published, to publish it once more."""
        with open_plain(self._log.path(part.segment)) as file:
            lines = (line for line in read_lines(file, offset=part.start) if line.end <= part.end)
            return b"".join(self._published_lines(lines))

    def _plan_segment(self, segment: str, known: list[PublishedPart], verify: bool) -> Iterator[OutgoingPart]:
        end = known[-1] if known else None
        valid = end is None or self._log.is_cursor_valid(segment, Cursor(end.end, 0, end.tail))
        with open_plain(self._log.path(segment)) as file:
            if valid and not verify:
                yield from (OutgoingPart(part) for part in known)
                lines = read_lines(file, offset=end.end if end else 0)
            else:
                lines = read_lines(file)
                for part in known:
                    yield from self._compare(part, lines)
            yield from self._new_parts(segment, lines)

    def _compare(self, part: PublishedPart, lines: Iterator[RawLine]) -> Iterator[OutgoingPart]:
        """Yield a part as it is now. A purge changes lines and seldom removes one, so most others are as they were."""
        raw = list(islice(lines, part.raw))
        if raw:
            now = self._make_part(part.segment, raw)
            is_same = now.part.name == part.name
            yield OutgoingPart(now.part._replace(size=part.size)) if is_same else now

    def _new_parts(self, segment: str, lines: Iterable[RawLine]) -> Iterator[OutgoingPart]:
        batch: list[RawLine] = []
        size = 0
        for line in lines:
            batch.append(line)
            size += line.length
            if size >= _MAX_PLAIN_BYTES:
                yield self._make_part(segment, batch)
                batch, size = [], 0
        if batch:
            yield self._make_part(segment, batch)

    def _make_part(self, segment: str, raw: Sequence[RawLine]) -> OutgoingPart:
        lines = list(self._published_lines(raw))
        content = b"".join(lines)
        name = self._name_segment(content) if content else ""
        last = raw[-1]
        part = PublishedPart(
            segment, raw[0].offset, last.end, len(raw), line_tail(last.data), name, len(lines), len(content), 0
        )
        return OutgoingPart(part, content)

    def _published_lines(self, lines: Iterable[RawLine]) -> Iterator[bytes]:
        """Yield the lines for others, without the MAC of this home."""
        for line in lines:
            event = decode(line.data)
            if isinstance(event, Event) and is_portable(event) and (self._everything or is_about_memory(event)):
                yield with_checksum(split_mac(line.data)[0] + b"}")


def _is_activity(segment: str) -> bool:
    return segment.startswith(_ACTIVITY) or segment.endswith(_ACTIVITY_SUFFIX)


def _without_small_tail(parts: list[PublishedPart]) -> list[PublishedPart]:
    """Return the parts without small ones at the end, if these are so many that they should become one."""
    small = 0
    while small < len(parts) and parts[len(parts) - 1 - small].plain < _SMALL_BYTES:
        small += 1
    return parts[: len(parts) - small] if small > _MAX_SMALL else parts


def pack(content: bytes) -> bytes:
    """Return the lines of a segment as they are encrypted."""
    return zlib.compress(content, 6)


def unpack(data: bytes) -> bytes | None:
    """Return the lines of a segment; None if it is none, or larger than any that is written."""
    inflater = zlib.decompressobj()
    try:
        content = inflater.decompress(data, _MAX_INFLATED_BYTES)
    except zlib.error:
        return None
    return content if inflater.eof else None
