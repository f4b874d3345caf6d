"""Rewriting segments: for a purge, and to quarantine lines that cannot be read or were not written by this home.

Lines that are not affected stay byte for byte. The new file replaces the old one in one step. The caller makes sure
that nobody else appends.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from io import BytesIO
from itertools import zip_longest
from typing import Any, TypeVar

from tacit.disk.files import OsDisk, make_folder, read_file, replace_file
from tacit.errors import RefusedError
from tacit.log.codec import DamagedLine, decode, encode, is_encoding_of, split_mac
from tacit.log.log import MAX_LINE_BYTES, Log, read_lines
from tacit.log.tombstones import Tombstones
from tacit.model import purge
from tacit.model.claim import GLOBAL
from tacit.model.event import Draft, Event
from tacit.model.ids import EventId
from tacit.model.observation import Fingerprint, LogSealed, MemoryPurged, PurgedStub, UnknownBody
from tacit.model.purge import PurgeTarget, purge_bound, purge_event
from tacit.record import Record
from tacit.text.match import matches_any

QUARANTINE_FOLDER = "quarantine"
_ENVELOPE_KEYS = ("id", "op", "ts", "m", "c", "type", "src")

T = TypeVar("T")
ChangeEvent = Callable[[Event], Event]
ContainsText = Callable[[str], bool]


class SegmentLine(Record):
    """A line of a segment with all of its bytes, or a torn tail (which has no line feed, and 0 as its number)."""

    number: int
    raw: bytes
    event: Event | DamagedLine | None
    offset: int

    @property
    def data(self) -> bytes:
        return self.raw.removesuffix(b"\n")


class RewrittenSegment(Record):
    """A segment as it should be.

    Attributes:
        segment: its name.
        data: its new content.
        before: all of its events before the change.
        after: the same events after the change.
        changed: the ids of those that differ.
        damaged: how many unreadable lines were removed.
        unsigned_end: where the lines end now that were written before lines were signed; None if there is no baseline.
    """

    segment: str
    data: bytes
    before: tuple[Event, ...]
    after: tuple[Event, ...]
    changed: tuple[EventId, ...]
    damaged: int
    unsigned_end: int | None = None

    @property
    def is_changed(self) -> bool:
        return bool(self.changed or self.damaged)


def segment_lines(log: Log, segment: str) -> Iterator[SegmentLine]:
    """Yield every line of a segment, readable or not."""
    for number, raw, offset in _raw_lines(log, segment):
        yield SegmentLine(number, raw, _decode_raw(raw), offset)


def _raw_lines(log: Log, segment: str) -> Iterator[tuple[int, bytes, int]]:
    """Yield number, bytes and offset of every line. A torn tail has the number 0."""
    data = read_file(log.path(segment)) or b""
    end = 0
    for line in read_lines(BytesIO(data)):
        yield line.number, data[line.offset : line.end], line.offset
        end = line.end
    if data[end:]:
        yield 0, data[end:], end


def _decode_raw(raw: bytes) -> Event | DamagedLine | None:
    """Return the event of a line; None if the line is empty."""
    if not raw.endswith(b"\n"):
        return DamagedLine("unfinished")
    if len(raw) > MAX_LINE_BYTES:
        return DamagedLine("longer than any line we write")
    return decode(raw[:-1]) if raw != b"\n" else None


class _LineOutcome(Record):
    """What becomes of a line: its event and what is left of it; for an unreadable line, whether it is dropped."""

    event: Event | None = None
    remaining: Event | None = None
    is_dropped: bool = False


class Rewriter:
    """Applies `change` to every event of a segment, and drops unreadable lines for which `contains` is true.

    Nothing is written. Outcomes are cached by the bytes of a line, so that a second pass over a log costs no more than
    reading it: a purge searches before it takes the lock, and again when it holds it.
    """

    def __init__(self, change: ChangeEvent, contains: ContainsText) -> None:
        self._change = change
        self._contains = contains
        self._outcomes: dict[bytes, _LineOutcome] = {}

    def rewrite(self, log: Log, segment: str) -> RewrittenSegment:
        """Return the segment as it should be.

        Raise RefusedError if a line holds text that is to go in a field that this version does not know.
        """
        output: list[_OutputLine] = []
        before: list[Event] = []
        after: list[Event] = []
        dropped: set[str] = set()
        for number, raw, offset in _raw_lines(log, segment):
            outcome = self._outcomes.get(raw) or self._line_outcome(
                SegmentLine(number, raw, _decode_raw(raw), offset), segment
            )
            if outcome.event is None or outcome.remaining is None:
                if outcome.is_dropped:
                    dropped.add(sha256(raw.removesuffix(b"\n")).hexdigest())
                else:
                    output.append(_OutputLine(offset, raw))
                continue
            remaining = _without_seal(outcome.remaining, dropped)
            before.append(outcome.event)
            after.append(remaining)
            is_same = remaining == outcome.event
            output.append(_OutputLine(offset, raw if is_same else _encode_remaining(log, raw, remaining)))
        changed = [old.id for old, new in zip(before, after, strict=True) if old != new]
        data = b"".join([line for _, line in output])
        end = _unsigned_end(log, segment, output)
        return RewrittenSegment(segment, data, tuple(before), tuple(after), tuple(changed), len(dropped), end)

    def _line_outcome(self, line: SegmentLine, segment: str) -> _LineOutcome:
        if isinstance(line.event, Event):
            _refuse_unknown_fields(line, line.event, segment, self._contains)
            outcome = _LineOutcome(line.event, self._change(line.event))
        else:
            is_dropped = line.event is not None and self._contains(line.raw.decode("utf-8", "surrogateescape"))
            outcome = _LineOutcome(is_dropped=is_dropped)
        if line.raw.endswith(b"\n"):  # a torn tail may be another line the next time
            self._outcomes[line.raw] = outcome
        return outcome


class _OutputLine(Record):
    """The old offset of a line and its new bytes."""

    offset: int
    line: bytes


def _unsigned_end(log: Log, segment: str, output: Sequence[_OutputLine]) -> int | None:
    """Return where the unsigned lines end if only these lines are kept; None if there is no baseline."""
    baseline = log.signer.read_baseline() if log.signer else None
    return sum(len(line) for offset, line in output if offset < baseline.end_of(segment)) if baseline else None


def _encode_remaining(log: Log, raw: bytes, remaining: Event) -> bytes:
    """Encode what is left of a line. It is signed only if the line had a correct MAC: a purge vouches for nothing."""
    was_signed = log.signer and log.signer.verifies(*split_mac(raw.removesuffix(b"\n")))
    return encode(remaining, log.sign if was_signed else None)


def _without_seal(event: Event, dropped: set[str]) -> Event:
    """Remove the seal of a dropped fragment: guesses at its text could be compared with the hash."""
    if isinstance(event.body, LogSealed) and event.body.sha256 in dropped:
        return event._replace(body=PurgedStub("log.sealed"))
    return event


def _refuse_unknown_fields(line: SegmentLine, event: Event, segment: str, contains: ContainsText) -> None:
    """Raise RefusedError if a line of a newer version contains text that is to go."""
    if not isinstance(event.body, UnknownBody) and is_encoding_of(event, line.data):
        return
    values = [value for name, value in json.loads(line.data).items() if name not in _ENVELOPE_KEYS]
    if any(contains(text) for text in _strings_in_json(values)):
        raise RefusedError(
            f"{segment}:{line.number} holds it too, and a newer version of Tacit wrote that line; nothing was changed",
            "update Tacit, then purge again",
        )


def _strings_in_json(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            for name, inner in value.items():
                yield name
                yield from _strings_in_json(inner)
        case list():
            for inner in value:
                yield from _strings_in_json(inner)


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
        if line.number and isinstance(line.event, DamagedLine) and sha256(line.data).hexdigest() not in sealed
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
        log.replace(segment, b"".join([line for _, line in output]), _unsigned_end(log, segment, output))
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

_MAX_IDS_PER_TOMBSTONE = 2000  # a tombstone has to fit into a line


class PurgePlan(Record):
    """What a purge will do to a log: all segments, before and after. Nothing is written until `apply`."""

    target: PurgeTarget
    segments: tuple[RewrittenSegment, ...]

    @property
    def before(self) -> list[Event]:
        return [event for segment in self.segments for event in segment.before]

    @property
    def after(self) -> list[Event]:
        return [event for segment in self.segments for event in segment.after]

    @property
    def changed(self) -> list[EventId]:
        return [event_id for segment in self.segments for event_id in segment.changed]

    @property
    def damaged(self) -> int:
        return sum(segment.damaged for segment in self.segments)

    @property
    def gone_claims(self) -> set[str]:
        """The claims that are removed entirely."""
        return purge.removed_claims(self.before, self.after) - self.target.moved.keys()

    def stage(self, log: Log) -> dict[str, str]:
        """Write the changed segments beside the old ones. Return the path of each new file by its segment."""
        return {
            segment.segment: log.stage(segment.segment, segment.data) for segment in self.segments if segment.is_changed
        }

    def apply(self, log: Log, staged: dict[str, str]) -> None:
        """Replace the changed segments, with the staged file if there is one.

        The caller holds the log's lock and has appended the tombstones.
        """
        for segment in self.segments:
            if segment.is_changed:
                log.replace(segment.segment, segment.data, segment.unsigned_end, staged.get(segment.segment, ""))

    def segment_data(self, segment: str) -> bytes:
        """Return the new content of a segment."""
        return next((rewritten.data for rewritten in self.segments if rewritten.segment == segment), b"")

    def limited_to(self, events: Sequence[EventId]) -> PurgePlan:
        """Return the plan without changes of other events, for tombstones that name these."""
        wanted = set(events)
        limited = [
            segment._replace(changed=tuple(event for event in segment.changed if event in wanted), damaged=0)
            for segment in self.segments
        ]
        return PurgePlan(self.target, tuple(limited))


class PurgeSearch:
    """Plans a purge, repeatedly: lines that were searched before are not searched again.

    The first, long search needs no lock. The one under the lock only searches lines that were appended since.
    """

    def __init__(self, target: PurgeTarget) -> None:
        self._target = target
        self._first_rewriter = _make_rewriter(target, lambda event: purge_event(event, target))
        self._full_target: PurgeTarget | None = None
        self._second_rewriter = self._first_rewriter

    def plan(self, log: Log) -> PurgePlan:
        """Return the plan for the log as it is now.

        The first pass finds the claims that the purge removes or moves. The second pass removes them by their ids, too,
        as a tombstone will.
        """
        first = _plan_segments(log, self._target, self._first_rewriter)
        moved = purge.moved_claims(first.before, self._target)
        gone = first._replace(target=self._target._replace(moved=moved)).gone_claims
        full = self._target._replace(moved=moved, claims=self._target.claims | gone)
        known = self._full_target
        if known is None or (full.moved, full.claims) != (known.moved, known.claims):
            self._full_target = full
            self._second_rewriter = _make_rewriter(full, lambda event: purge_event(event, full))
        return _plan_segments(log, full, self._second_rewriter)


class TombstoneSearch:
    """Plans the removal of everything that was ever purged from a log."""

    def __init__(self, tombstones: Tombstones) -> None:
        matchers = (matcher for tombstone in tombstones.all for matcher in tombstone.target.matchers)
        self._target = PurgeTarget(tuple(matchers))
        self._rewriter = _make_rewriter(self._target, tombstones.apply_fully)

    def plan(self, log: Log) -> PurgePlan:
        return _plan_segments(log, self._target, self._rewriter)


def _make_rewriter(target: PurgeTarget, change: ChangeEvent) -> Rewriter:
    return Rewriter(change, lambda text: matches_any(text, target.matchers))


def _plan_segments(log: Log, target: PurgeTarget, rewriter: Rewriter) -> PurgePlan:
    return PurgePlan(target, tuple(rewriter.rewrite(log, segment) for segment in log.segments()))


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


def additional_tombstones(plan: PurgePlan, tombstones: Tombstones) -> Iterator[Draft]:
    """Yield tombstones for events that earlier ones apply to and do not name. They remove no more than those."""
    for tombstone in tombstones.all:
        unnamed = [
            event.id
            for event in plan.before
            if tombstone.applies_to(event)
            and event.id not in tombstone.body.events
            and purge_event(event, tombstone.target) is not event
        ]
        before = purge_bound(tombstone.id, tombstone.body)
        for events in _chunks(unnamed):
            body = tombstone.body._replace(events=tuple(events), claims=(), damaged=0, before=before)
            yield Draft(body, GLOBAL)


def _chunks(items: Sequence[T]) -> list[Sequence[T]]:
    return [items[start : start + _MAX_IDS_PER_TOMBSTONE] for start in range(0, len(items), _MAX_IDS_PER_TOMBSTONE)]
