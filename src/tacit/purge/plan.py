"""Planning a purge: which lines of the log change, and how; and writing the segments with these changes.

The first, long search needs no lock. The one under the lock reads only lines that were appended since. Lines that are
not affected stay byte for byte. A new file replaces the old one in one step; the caller makes sure that nobody else
appends.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import zip_longest
from typing import BinaryIO, TypeVar

from tacit.disk.files import open_fd, open_plain, stage_file, write_all
from tacit.errors import RefusedError
from tacit.log import Log
from tacit.log.codec import decode, encode, is_encoding_of, split_mac
from tacit.log.reader import LocatedLine, LogBlock, LogReader, SegmentProgress, read_blocks, read_torn_tail
from tacit.log.rewrite import decode_raw, replace_segment
from tacit.model.claim import GLOBAL, Claim
from tacit.model.event import Draft, Event
from tacit.model.ids import EventId
from tacit.model.memory import touched_claims
from tacit.model.observation import Fingerprint, LogSealed, MemoryPurged, PurgedStub, UnknownBody
from tacit.purge.remains import PurgeTarget, claims_of, moved_claims, texts_of
from tacit.purge.search import LineSearch, LineStrings, Purge, SharedRoots, claim_words, lines_with_claims, refers_to
from tacit.purge.tombstones import Tombstone, Tombstones, is_purge
from tacit.record import Record

_SEARCH_TASK = "searching the log"
_MAX_IDS_PER_TOMBSTONE = 2000  # a tombstone has to fit into a line
_MAX_LATE_IDS = 1000  # the same, with the prints of a purge
_COPY_BYTES = 1 << 20
_IDS = re.compile(rb'"id":"([0-9a-f-]{36})","op":"')

T = TypeVar("T")


# Changes of segments


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
                log.disk, log.path(segment.segment), _edited(log, segment.segment, segment.complete, 0, segment.end)
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
            if path:  # what was added to the segment since is durable before the file replaces it
                with open_fd(log.disk, path, os.O_WRONLY | os.O_APPEND) as fd:
                    for block in rest:
                        write_all(log.disk, fd, block)
                    log.disk.sync_data(fd)
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


# The search


class LinePosition(Record):
    """Where a line is; its length includes the line feed."""

    number: int
    offset: int
    length: int


def _lines_at(path: str, positions: Iterable[LinePosition]) -> Iterator[LocatedLine]:
    """Yield the lines at these positions, which are in order."""
    with open_plain(path) as file:
        for number, offset, length in positions:
            file.seek(offset)
            yield LocatedLine(number, offset, file.read(length)[:-1])


class _SegmentFindings:
    """What a search knows of a segment, and how far it was read.

    An append leaves it valid. If the file was replaced or changed in place, the segment is searched again.
    """

    def __init__(self) -> None:
        self.end = self.lines = 0
        self._inode = self._modified = -1
        self._tail = b""
        self.candidates: list[LinePosition] = []
        self.referring: list[LinePosition] = []
        self.claims_before: dict[str, Claim] = {}  # claims that are touched by candidates
        self.claims_after: set[str] = set()  # and by what is left of them
        self.moved: dict[str, str] = {}
        self.matching: set[str] = set()  # claims that contain a text and stay
        self.recorded_anew: set[EventId] = set()  # tombstones of which something stays, because it was recorded later
        self.roots = SharedRoots({}, set())
        self.claims_searched = 0  # up to where the other lines of claims were looked at
        self.edits: dict[int, LineEdit | None] = {}  # by offset, for the last full target
        self.dropped: set[str] = set()  # the hashes of unreadable lines that are removed

    def is_current(self, path: str) -> bool:
        """Return whether the part that was read is still there. Raise OSError if the file cannot be read."""
        status = os.stat(path)
        if status.st_ino != self._inode or status.st_size < self.end:
            return False
        with open_plain(path) as file:
            file.seek(self.end - len(self._tail))
            is_same = file.read(len(self._tail)) == self._tail
        return is_same and (status.st_size > self.end or status.st_mtime_ns == self._modified)

    def advance(self, path: str, progress: SegmentProgress) -> Iterator[LogBlock]:
        """Yield the lines that were appended since the last time."""
        with open_plain(path) as file:
            status = os.fstat(file.fileno())
            self._inode, self._modified = status.st_ino, status.st_mtime_ns
        for block in read_blocks(path, self.end, self.lines):
            yield block
            self.lines = block.first_number + len(block.lines) - 1
            self.end = block.end
            self._tail = block.lines[-1][-64:] + b"\n"
            progress.show(self.end)


class LogSearch:
    """Plans the removal of something from a log, repeatedly.

    Args:
        purge: a target, or tombstones of the log.
        claim_keys: the keys of its claims, by which their lines are found; None if they are not known.
    """

    def __init__(self, purge: PurgeTarget | Tombstones, claim_keys: Sequence[str] | None = None) -> None:
        self._given = purge
        self._purge: PurgeTarget | Tombstones = purge  # with the claims that turned out to be gone
        self._lines = LineSearch(purge, None if claim_keys is None else claim_words(claim_keys))
        self._segments: dict[str, _SegmentFindings] = {}
        self._suspects: dict[str, Claim] = {}  # claims that seem to be gone
        self._survivors: set[str] = set()  # those of them that other lines are about

    def plan(self, log: Log) -> PurgePlan:
        """Return the plan for the log as it is now.

        First the claims are found that the purge removes or moves. Then they are removed by their ids, too, as a
        tombstone will. Raise RefusedError if a line holds a text in a field that this version does not know.
        """
        names = log.segments()
        progress = SegmentProgress(log, _SEARCH_TASK, names)
        found_before, self._segments = self._segments, {}
        for name in names:
            self._segments[name] = self._search_segment(log, name, found_before.get(name), progress)
            progress.next_segment(name)
        findings = self._segments.values()
        moved = {old: new for found in findings for old, new in found.moved.items()}
        gone = self._gone_claims(log) - moved.keys()
        if isinstance(self._purge, PurgeTarget):
            claims = self._given.claims | gone
            if (self._purge.moved, self._purge.claims) != (moved, claims):
                self._purge = self._purge._replace(moved=moved, claims=claims)
                for found in findings:
                    found.edits, found.dropped = {}, set()
        edits = [self._segment_edits(log, name, found) for name, found in self._segments.items()]
        roots = SharedRoots({}, set())
        for found in findings:
            roots.seen.update(found.roots.seen)
            roots.shared_scopes.update(found.roots.shared_scopes)
        matching = frozenset(claim for found in findings for claim in found.matching) - self._purge.claims
        changed = tuple(segment for segment in edits if segment.edits)
        target = self._purge if isinstance(self._purge, PurgeTarget) else PurgeTarget()
        return PurgePlan(target, changed, roots, frozenset(gone), matching)

    def still_purged(self) -> Tombstones:
        """Return the tombstones of which nothing was recorded anew since, according to the last plan."""
        assert isinstance(self._given, Tombstones)
        anew = {name for found in self._segments.values() for name in found.recorded_anew}
        return self._given.only(each for each in self._given.all if each.id not in anew)

    def _search_segment(
        self, log: Log, name: str, found: _SegmentFindings | None, progress: SegmentProgress
    ) -> _SegmentFindings:
        """Return what is known of a segment, with the lines that were appended since it was `found`."""
        path = log.path(name)
        if found is None or not found.is_current(path):
            found = _SegmentFindings()
        for block in found.advance(path, progress):
            candidates, referring = self._lines.candidates(block, found.roots)
            for line in candidates:
                if self._is_affected(found, line, name):
                    found.candidates.append(_position_of(line))
            found.referring += map(_position_of, referring)
        return found

    def _is_affected(self, found: _SegmentFindings, line: LocatedLine, segment: str) -> bool:
        """Return whether a line may change, and note what it says of claims and projects."""
        event = decode_raw(line.data + b"\n")
        if not isinstance(event, Event):
            return event is not None
        found.roots.add(event)
        _refuse_unknown_fields(line, event, segment, self._given)
        claims, remaining = claims_of(event.body), self._given.apply_fully(event)
        if isinstance(self._given, PurgeTarget):
            found.moved.update(moved_claims([event], self._given))
            if not self._given.everywhere:
                found.matching.update(claim.id for claim in claims if self._given.texts.contains(claim.sentence))
        else:
            for tombstone in self._given.all:
                if tombstone.id not in found.recorded_anew and self._given.means(remaining, tombstone):
                    found.recorded_anew.add(tombstone.id)
        found.claims_before.update((claim.id, claim) for claim in claims)
        found.claims_after.update(touched_claims(remaining))
        return remaining is not event or bool(claims)

    def _gone_claims(self, log: Log) -> set[str]:
        """Return the claims of which nothing is left, in any line."""
        suspects: dict[str, Claim] = {}
        for found in self._segments.values():
            suspects.update(found.claims_before)
        for found in self._segments.values():
            for claim_id in found.claims_after:
                suspects.pop(claim_id, None)
        if suspects.keys() != self._suspects.keys():
            self._suspects, self._survivors = suspects, set()
            for found in self._segments.values():
                found.claims_searched = 0
        words = claim_words(claim.key for claim in suspects.values())
        for name, found in self._segments.items() if suspects else ():
            known = {position.offset for position in found.candidates}
            for line in lines_with_claims(log, name, words, found.claims_searched):
                event = decode(line.data) if line.offset not in known and line.offset < found.end else None
                if isinstance(event, Event):
                    self._survivors.update(suspects.keys() & set(touched_claims(event)))
            found.claims_searched = found.end
        return suspects.keys() - self._survivors

    def _segment_edits(self, log: Log, name: str, found: _SegmentFindings) -> SegmentEdits:
        positions = sorted({*found.candidates, *found.referring}, key=lambda position: position.offset)
        unknown = [position for position in positions if position.offset not in found.edits]
        candidates = {position.offset for position in found.candidates}
        named = _named_claims(self._purge)
        for line in _lines_at(log.path(name), unknown):
            is_named = line.offset in candidates or refers_to(line.data, named)
            found.edits[line.offset] = self._edit_of(log, name, line, found.dropped) if is_named else None
        edits = [edit for position in positions if (edit := found.edits[position.offset])]
        tail = read_torn_tail(log.path(name), found.end)
        if tail and b"\n" not in tail and _contains(self._purge, tail.decode("utf-8", "surrogateescape")):
            edits.append(LineEdit(0, found.end, len(tail), b"", None))
        return SegmentEdits(name, tuple(edits), found.end)

    def _edit_of(self, log: Log, segment: str, line: LocatedLine, dropped: set[str]) -> LineEdit | None:
        """Return what becomes of a line; None if it stays. Hashes of `dropped` lines are added."""
        event, length = decode_raw(line.data + b"\n"), len(line.data) + 1
        if not isinstance(event, Event):
            if event is None or not _contains(self._purge, line.data.decode("utf-8", "surrogateescape")):
                return None
            dropped.add(sha256(line.data).hexdigest())
            return LineEdit(line.number, line.offset, length, b"", None)
        _refuse_unknown_fields(line, event, segment, self._purge)
        remaining = self._purge.apply_fully(event)
        if isinstance(remaining.body, LogSealed) and remaining.body.sha256 in dropped:
            # Guesses at the text of a dropped fragment could be compared with the hash.
            remaining = remaining._replace(body=PurgedStub("log.sealed"))
        if remaining == event:
            return None
        # It is signed only if the line had a correct MAC: a purge vouches for nothing.
        was_signed = log.signer and log.signer.verifies(*split_mac(line.data))
        data = encode(remaining, log.sign if was_signed else None)
        return LineEdit(line.number, line.offset, length, data, event.id)


def _position_of(line: LocatedLine) -> LinePosition:
    return LinePosition(line.number, line.offset, len(line.data) + 1)


def _named_claims(purge: PurgeTarget | Tombstones) -> set[bytes]:
    """Return the ids of claims that are removed or renamed."""
    moved = purge.moved if isinstance(purge, PurgeTarget) else ()
    return {claim.encode("ascii", "replace") for claim in (*purge.claims, *moved)}


def _contains(purge: Purge, text: str) -> bool:
    purge.learn([text])
    return purge.texts.contains(text)


def _refuse_unknown_fields(line: LocatedLine, event: Event, segment: str, purge: Purge) -> None:
    """Raise RefusedError if a line of a newer version contains text that is to go."""
    if not isinstance(event.body, UnknownBody) and is_encoding_of(event, line.data):
        return
    if any(_contains(purge, text) for text in LineStrings(line.data).strings):
        raise RefusedError(
            f"{segment}:{line.number} holds it too, and a newer version of Tacit wrote that line; nothing was changed",
            "update Tacit, then purge again",
        )


# Tombstones


def make_tombstones(plan: PurgePlan, prints: Sequence[Fingerprint], reason: str) -> list[Draft]:
    """Return the tombstones of a plan: one, or as many as its ids need."""
    whole = MemoryPurged(reason, prints=tuple(prints), everywhere=plan.target.everywhere)
    parts = zip_longest(
        _chunks(plan.changed),
        _chunks(sorted(plan.target.claims)),
        _chunks(sorted(plan.target.moved.items())),
        fillvalue=(),
    )
    bodies = [
        whole._replace(events=tuple(events), claims=tuple(claims), moved=tuple(moved))
        for events, claims, moved in parts
    ] or [whole]
    bodies[0] = bodies[0]._replace(damaged=plan.damaged)
    return [Draft(body, GLOBAL) for body in bodies]


def additional_tombstones(log: Log, plan: PurgePlan, tombstones: Tombstones) -> list[Draft]:
    """Return tombstones for events that earlier ones apply to and do not name. They remove no more than those."""
    changed: list[Event] = []
    for segment in plan.segments:
        positions = [LinePosition(edit.number, edit.offset, edit.length) for edit in segment.edits if edit.event]
        events = (decode(line.data) for line in _lines_at(log.path(segment.segment), positions))
        changed += (event for event in events if isinstance(event, Event))
    drafts: list[Draft] = []
    for tombstone in tombstones.all:
        unnamed = [
            event.id
            for event in changed
            if tombstone.applies_to(event)
            and event.id not in tombstone.body.events
            and tombstones.means(event, tombstone)
        ]
        drafts += _naming(tombstone, unnamed, ())
    return drafts


def meet_named(log: LogReader, tombstones: Tombstones) -> list[str] | None:
    """Look at the events that tombstones name, as they came from another machine: their texts are known afterwards.

    Return the keys of their claims; None if not all of these were found. Other lines are not decoded.
    """
    named = {event.encode("ascii") for each in tombstones.all for event in each.body.events}
    keys: dict[str, str] = {}
    for segment in log.segments() if named else ():
        for block in read_blocks(log.path(segment)):
            if named.isdisjoint(_IDS.findall(b"\n".join(block.lines))):
                continue
            events = [decode(line) for line in block.lines if not named.isdisjoint(_IDS.findall(line))]
            for event in events:
                if isinstance(event, Event):
                    tombstones.learn(texts_of(event))
                    keys.update((claim.id, claim.key) for claim in claims_of(event.body))
    return [keys[claim] for claim in tombstones.claims] if keys.keys() >= tombstones.claims else None


def late_tombstones(
    log: LogReader,
    imported: Iterable[Event],
    knew: Callable[[str], Collection[str]],
    known: Tombstones | None = None,
    claim_keys: Sequence[str] | None = None,
) -> list[Draft]:
    """Return tombstones for events of this log that `imported` ones would purge if they were older.

    Whoever wrote these events did not know of the purge: deletion wins, whatever the clocks say. `knew` returns the
    segments of machines that had applied a purge, by its operation: they may have said the same again on purpose. A
    tombstone that adds events to an earlier one (it has `before`) means these events alone. `known` are the same
    tombstones with what they have learned, and `claim_keys` the keys of their claims.
    """
    purges = [event for event in imported if is_purge(event)]
    tombstones = Tombstones(purges, known)
    operations = {event.id: event.op for event in purges}
    knowing = {each.id: knew(operations[each.id]) for each in tombstones.all}
    late: dict[EventId, list[EventId]] = {each.id: [] for each in tombstones.all}
    for segment, event in _events_that_tombstones_may_mean(log, tombstones, claim_keys):
        for tombstone in tombstones.all:
            if segment in knowing[tombstone.id] or tombstone.applies_to(event):
                continue
            if tombstones.means(event, tombstone):
                late[tombstone.id].append(event.id)
    return [draft for each in tombstones.all for draft in _naming(each, late[each.id], each.body.claims)]


def _events_that_tombstones_may_mean(
    log: LogReader, tombstones: Tombstones, claim_keys: Sequence[str] | None
) -> Iterator[tuple[str, Event]]:
    """Yield every event that a tombstone means, but for its time, with its segment, and few others."""
    if not tombstones.all:
        return
    words = None if claim_keys is None else claim_words(claim_keys)
    search, roots, named = LineSearch(tombstones, words), SharedRoots({}, set()), _named_claims(tombstones)
    for segment in log.segments():
        for block in read_blocks(log.path(segment)):
            candidates, referring = search.candidates(block, roots)
            for line in sorted({*candidates, *(line for line in referring if refers_to(line.data, named))}):
                event = decode_raw(line.data + b"\n")
                if isinstance(event, Event) and not isinstance(event.body, MemoryPurged):
                    yield segment, event


def _naming(tombstone: Tombstone, events: Sequence[EventId], claims: tuple[str, ...]) -> list[Draft]:
    """Return tombstones that add events to an earlier one, with these claims of it."""
    body = tombstone.body._replace(claims=claims, damaged=0, before=tombstone.bound)
    return [Draft(body._replace(events=tuple(some)), GLOBAL) for some in _chunks(events, _MAX_LATE_IDS)]


def _chunks(items: Sequence[T], size: int = _MAX_IDS_PER_TOMBSTONE) -> list[Sequence[T]]:
    return [items[start : start + size] for start in range(0, len(items), size)]
