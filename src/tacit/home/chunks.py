"""Reading the log for the index: whole lines as events, in chunks, without what was purged."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from tacit.index.writer import IndexedEvent
from tacit.log.codec import DamagedLine, decode, encode, event_type
from tacit.log.reader import Cursor, LogReader, RawLine, cursor_after
from tacit.model.event import timestamp
from tacit.model.ids import EventId

if TYPE_CHECKING:
    from tacit.index.bulk_steps import LogChunk
    from tacit.purge.tombstones import Tombstones


_FEW_LINES = 250  # for so many, loading the decoder of commands takes as long as it saves


class ChunkReader:
    """Reads lines of a log as events for the index: those up to the timestamp `until`, without the `excluded` ones."""

    def __init__(self, log: LogReader, until: str | None = None, excluded: frozenset[EventId] = frozenset()) -> None:
        self._log = log
        self._until = until
        self._excluded = excluded
        self._lines_read = 0
        self._decode = decode

    @cached_property
    def _tombstones(self) -> Tombstones | None:
        if not self._log.tombstone_segments():
            return None
        from tacit.purge.tombstones import load_tombstones

        return load_tombstones(self._log)

    def read(self, chunk: LogChunk) -> tuple[list[IndexedEvent], Cursor | None]:
        """Return the events of a chunk, and how far it goes."""
        entries: list[IndexedEvent] = []
        last: RawLine | None = None
        for last in self._log.lines_between(chunk.segment, Cursor(chunk.offset, chunk.lines), chunk.end):
            if (entry := self.indexed(chunk.segment, last)) is not None:
                entries.append(entry)
        return entries, cursor_after(last) if last else None

    def indexed(self, segment: str, line: RawLine) -> IndexedEvent | None:
        """Return the event of a line, as tombstones leave it; None if it is damaged or left out."""
        if line.too_long:
            return None
        self._lines_read += 1
        if self._lines_read == _FEW_LINES:
            from tacit.log.command_lines import decode_line

            self._decode = decode_line
        event = self._decode(line.data)
        if isinstance(event, DamagedLine) or event.id in self._excluded:
            return None
        if self._until is not None and timestamp(event.at) > self._until:
            return None
        left, raw = event, None
        if self._tombstones and (left := self._tombstones.apply(event)) is not event:
            raw = encode(left).rstrip(b"\n")
        return IndexedEvent(left, event_type(left.body), segment, line.number, line.offset, line.length, raw)
