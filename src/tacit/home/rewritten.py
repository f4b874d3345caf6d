"""The index after a purge, made of the one before and the rewritten lines: the rest of the log is not read.

All of this is done in a copy that has no name. The file beside the index is without what was removed from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing

from tacit.disk.files import open_plain, read_file
from tacit.errors import IndexUnusableError
from tacit.home.indexing import Backlog
from tacit.index import database, reader
from tacit.index.database import translate_sqlite_errors
from tacit.index.writer import IndexedEvent, ReplacedEvent, RewrittenLine, SegmentCursor, apply_rewritten
from tacit.log.codec import event_type, must_decode
from tacit.log.reader import Cursor, LogReader, RawLine, line_tail
from tacit.log.segment import PURGED_SEGMENT
from tacit.purge.plan import SegmentEdits
from tacit.purge.tombstones import Tombstones
from tacit.record import Record

_TAIL_BYTES = 64  # more than a cursor has of the last line


def build_rewritten(
    path: str, folder: str, log: LogReader, staged: LogReader, segments: Sequence[SegmentEdits]
) -> None:
    """Build an index beside the one at `path`, for a log of which lines were rewritten in `staged` files.

    `folder` is for a file without a name. Raise IndexUnusableError if the index has to be built from the whole log.
    """
    with database.temporary_files_in(folder), translate_sqlite_errors():
        with closing(database.open_for_reading(path)) as index:
            cursors = {segment: Cursor(*cursor) for segment, cursor in reader.log_cursors(index).items()}
            rewritten = _read_rewritten(log, staged, segments, cursors)
            copy = database.copy_index(index, database.TEMPORARY, staged.line_reader())
        with closing(copy):
            apply_rewritten(copy, *rewritten, must_decode)
            database.write_compacted(copy, database.new_index_path(path))


class _Rewritten(Record):
    """Which lines of segments were rewritten, the events in them before and after, and how far segments go now."""

    lines: dict[str, list[RewrittenLine]]
    replaced: list[ReplacedEvent]
    cursors: list[SegmentCursor]


def _read_rewritten(
    log: LogReader, staged: LogReader, segments: Iterable[SegmentEdits], cursors: Mapping[str, Cursor]
) -> _Rewritten:
    """Return what was rewritten of the lines before `cursors`, up to which they are indexed.

    The segments as they were are in `log`, and as they will be in `staged`. The tombstones of the purge are in the log
    and not indexed yet. Raise IndexUnusableError if earlier tombstones have already hidden one of the events.
    """
    new_stones = {event.id for event in log.tombstones(cursors)}
    earlier = Tombstones(event for event in log.tombstones() if event.id not in new_stones)
    old_line, backlog = log.line_reader(), Backlog(staged, {})
    found = _Rewritten({}, [], [_end_of(staged, PURGED_SEGMENT)])
    for segment, edits, _ in segments:
        cursor, bytes_more, lines_more = cursors.get(segment, Cursor()), 0, 0
        for edit in edits:
            if not edit.number or edit.offset >= cursor.offset:
                break
            if edit.event is not None:
                event = must_decode(old_line(segment, edit.offset, edit.length) or b"")
                if earlier.apply(event) is not event:
                    raise IndexUnusableError("a line came back that was purged")
                line = RawLine(edit.number + lines_more, edit.offset + bytes_more, len(edit.data), edit.data[:-1])
                old = IndexedEvent(event, event_type(event.body), segment, edit.number, edit.offset, edit.length, None)
                if (new := backlog.indexed(segment, line)) is not None:
                    found.replaced.append(ReplacedEvent(old, new))
            growth = RewrittenLine(edit.offset, edit.number, len(edit.data) - edit.length, 0 if edit.data else -1)
            found.lines.setdefault(segment, []).append(growth)
            bytes_more, lines_more = bytes_more + growth.bytes_more, lines_more + growth.lines_more
        if segment in found.lines and segment != PURGED_SEGMENT:
            offset = cursor.offset + bytes_more
            found.cursors.append(
                SegmentCursor(segment, offset, cursor.lines + lines_more, _tail(staged, segment, offset))
            )
    return found


def _end_of(log: LogReader, segment: str) -> SegmentCursor:
    data = read_file(log.path(segment)) or b""
    offset = data.rfind(b"\n") + 1
    return SegmentCursor(segment, offset, data.count(b"\n", 0, offset), _tail(log, segment, offset))


def _tail(log: LogReader, segment: str, offset: int) -> str:
    """Return the end of the line that ends at `offset`, as a cursor has it."""
    with open_plain(log.path(segment)) as file:
        file.seek(max(0, offset - 1 - _TAIL_BYTES))
        return line_tail(file.read(offset - 1 - file.tell()).rpartition(b"\n")[2])
