"""Writing segments anew: for a purge, and to set aside lines that cannot be read or believed."""

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
from tacit.model import purge as purging
from tacit.model.claim import GLOBAL
from tacit.model.event import Draft, Event
from tacit.model.ids import EventId
from tacit.model.observation import Fingerprint, LogSealed, MemoryPurged, PurgedStub, UnknownBody
from tacit.model.purge import PurgeTarget, purge_bound, purge_event
from tacit.record import Record
from tacit.text.match import matches_any

# The occasions on which a segment is written anew: a purge, and setting aside lines that cannot be read or believed.
#
# What is not meant stays byte for byte. The new file takes the old one's place in one step, and whoever rewrites has
# made sure before that nobody else appends.

QUARANTINE_FOLDER = "quarantine"
_ENVELOPE_KEYS = ("id", "op", "ts", "m", "c", "type", "src")

ChangeEvent = Callable[[Event], Event]
ContainsText = Callable[[str], bool]


class SegmentLine(Record):
    """A line of a segment with every byte of it, or the unfinished end (which has no line feed and no number)."""

    number: int
    raw: bytes
    event: Event | DamagedLine | None
    offset: int

    @property
    def data(self) -> bytes:
        return self.raw.removesuffix(b"\n")


class RewrittenSegment(Record):
    """A segment as it should be: which events changed, what they were and are, how many unreadable lines went, and
    where the lines end now that were written before there were codes."""

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
    for number, raw, offset in _raw_lines(log, segment):
        yield SegmentLine(number, raw, _decode_raw(raw), offset)


def _raw_lines(log: Log, segment: str) -> Iterator[tuple[int, bytes, int]]:
    """Every line with its number, all of its bytes and its offset; the unfinished end has the number 0."""
    data = read_file(log.path(segment)) or b""
    end = 0
    for line in read_lines(BytesIO(data)):
        yield line.number, data[line.offset : line.end], line.offset
        end = line.end
    if data[end:]:
        yield 0, data[end:], end


def _decode_raw(raw: bytes) -> Event | DamagedLine | None:
    """The event of a line; None for an empty one."""
    if not raw.endswith(b"\n"):
        return DamagedLine("unfinished")
    if len(raw) > MAX_LINE_BYTES:
        return DamagedLine("longer than any line we write")
    return decode(raw[:-1]) if raw != b"\n" else None


class _LineOutcome(Record):
    """What becomes of a line: its event and what is left of it; or whether an unreadable line is dropped."""

    event: Event | None = None
    remaining: Event | None = None
    is_dropped: bool = False


class Rewriter:
    """Changes every event of a segment, and drops unreadable lines that hold what is to go. Nothing is written.

    The outcome for a line is kept by its bytes: lines never change, so looking at a log again costs no more than
    reading it. That is how a purge searches before it takes the lock, and looks once more when it has it.
    """

    def __init__(self, change: ChangeEvent, holds: ContainsText) -> None:
        self._change = change
        self._contains = holds
        self._outcomes: dict[bytes, _LineOutcome] = {}

    def rewrite(self, log: Log, segment: str) -> RewrittenSegment:
        """The segment as it should be.

        Raises `Refused` where a line holds what is to go and this version does not understand all of that line.
        """
        kept: list[_OutputLine] = []
        before: list[Event] = []
        after: list[Event] = []
        lost: set[str] = set()
        for number, raw, offset in _raw_lines(log, segment):
            outcome = self._outcomes.get(raw) or self._line_outcome(
                SegmentLine(number, raw, _decode_raw(raw), offset), segment
            )
            if outcome.event is None or outcome.remaining is None:
                if outcome.is_dropped:
                    lost.add(sha256(raw.removesuffix(b"\n")).hexdigest())
                else:
                    kept.append(_OutputLine(offset, raw))
                continue
            left = _without_seal(outcome.remaining, lost)
            before.append(outcome.event)
            after.append(left)
            kept.append(_OutputLine(offset, raw if left == outcome.event else _encode_remaining(log, raw, left)))
        changed = [old.id for old, new in zip(before, after, strict=True) if old != new]
        data = b"".join([line for _, line in kept])
        end = _unsigned_end(log, segment, kept)
        return RewrittenSegment(segment, data, tuple(before), tuple(after), tuple(changed), len(lost), end)

    def _line_outcome(self, piece: SegmentLine, segment: str) -> _LineOutcome:
        if isinstance(piece.event, Event):
            _refuse_unknown_fields(piece, segment, self._contains)
            outcome = _LineOutcome(piece.event, self._change(piece.event))
        else:
            held = piece.event is not None and self._contains(piece.raw.decode("utf-8", "surrogateescape"))
            outcome = _LineOutcome(is_dropped=held)
        if piece.raw.endswith(b"\n"):  # an unfinished end may be another line the next time
            self._outcomes[piece.raw] = outcome
        return outcome


class _OutputLine(Record):
    """Where a line stood, and its bytes now."""

    offset: int
    line: bytes


def _unsigned_end(log: Log, segment: str, kept: Sequence[_OutputLine]) -> int | None:
    """Where the lines that were written before there were codes end, when these are left; None where none is noted."""
    known = log.signer.read_baseline() if log.signer else None
    return sum(len(line) for offset, line in kept if offset < known.end_of(segment)) if known else None


def _encode_remaining(log: Log, raw: bytes, left: Event) -> bytes:
    """What is left of a line. It has a code if the line had one that holds: a purge vouches for nothing."""
    has_code = log.signer and log.signer.verifies(*split_mac(raw.removesuffix(b"\n")))
    return encode(left, log.sign if has_code else None)


def _without_seal(event: Event, lost: set[str]) -> Event:
    """The seal of a fragment that went tells its hash, which a guess could be compared with."""
    if isinstance(event.body, LogSealed) and event.body.sha256 in lost:
        return event._replace(body=PurgedStub("log.sealed"))
    return event


def _refuse_unknown_fields(piece: SegmentLine, segment: str, holds: ContainsText) -> None:
    assert isinstance(piece.event, Event)
    if not isinstance(piece.event.body, UnknownBody) and is_encoding_of(piece.event, piece.data):
        return
    fields = json.loads(piece.data)
    if any(
        holds(text) for name, value in fields.items() if name not in _ENVELOPE_KEYS for text in _strings_in_json(value)
    ):
        raise RefusedError(
            f"{segment}:{piece.number} holds it too, and a newer version of Tacit wrote that line; nothing was changed",
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


# Lines that cannot be read, or that this home did not write


class QuarantinedLine(Record):
    """A line that was set aside, and the file it is in now."""

    segment: str
    number: int
    path: str


def quarantine_unreadable(log: Log, segment: str, day: str) -> list[QuarantinedLine]:
    """Move every unreadable line to a file of its own, then write the segment without them. Readable lines stay.

    Fragments that a seal explains stay as well, and so does an unfinished end: the next write closes it.
    """
    found = [*segment_lines(log, segment)]
    events = [piece.event for piece in found if isinstance(piece.event, Event)]
    sealed = {event.body.sha256 for event in events if isinstance(event.body, LogSealed)}
    bad = [
        piece
        for piece in found
        if piece.number and isinstance(piece.event, DamagedLine) and sha256(piece.data).hexdigest() not in sealed
    ]
    return _quarantine(log, segment, found, {piece.number for piece in bad}, day)


def quarantine_lines(log: Log, segment: str, numbers: set[int], day: str) -> list[QuarantinedLine]:
    """Move these lines to files of their own, as they are. All others stay."""
    return _quarantine(log, segment, [*segment_lines(log, segment)], numbers, day)


def _quarantine(
    log: Log, segment: str, found: Sequence[SegmentLine], numbers: set[int], day: str
) -> list[QuarantinedLine]:
    moved = [
        QuarantinedLine(segment, piece.number, _save_copy(log, segment, piece, day))
        for piece in found
        if piece.number and piece.number in numbers
    ]
    if moved:
        kept = [_OutputLine(piece.offset, piece.raw) for piece in found if piece.number not in numbers]
        log.replace(segment, b"".join([line for _, line in kept]), _unsigned_end(log, segment, kept))
    return moved


def _save_copy(log: Log, segment: str, piece: SegmentLine, day: str) -> str:
    """The bytes of a line, durable before the line goes. A run that was cut short has left the same file already."""
    folder = log.path(QUARANTINE_FOLDER)
    home = os.path.dirname(folder)
    make_folder(folder, below=home)
    name = f"{segment.removesuffix('.jsonl').replace('/', '-')}-{piece.number}-{day}"
    copies = (os.path.join(folder, f"{name}{again}.bad") for again in ("", *(f"-{n}" for n in range(2, 10_000))))
    path = next(path for path in copies if read_file(path) in (None, piece.raw))
    replace_file(OsDisk(home), path, piece.raw)
    return path


# What a purge will do to the log: every segment as it should be, and the tombstones to leave. Nothing is written.

T = TypeVar("T")
_MAX_IDS_PER_TOMBSTONE = 2000  # ids in one tombstone: it has to fit into a line


class PurgePlan(Record):
    """All segments of a log, before and after."""

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
        return [name for segment in self.segments for name in segment.changed]

    @property
    def damaged(self) -> int:
        return sum(segment.damaged for segment in self.segments)

    @property
    def gone_claims(self) -> set[str]:
        """The claims of which nothing is left."""
        return purging.removed_claims(self.before, self.after) - self.target.moved.keys()

    def stage(self, log: Log) -> dict[str, str]:
        """Write the segments that change beside the old ones; the path of each new file by its segment."""
        return {one.segment: log.stage(one.segment, one.data) for one in self.segments if one.is_changed}

    def apply(self, log: Log, staged: dict[str, str]) -> None:
        """Put the segments that change in their places: staged files, and the others as they should be.

        The log is held, and the tombstones are in it.
        """
        for segment in self.segments:
            if segment.is_changed:
                log.replace(segment.segment, segment.data, segment.unsigned_end, staged.get(segment.segment, ""))

    def segment_data(self, segment: str) -> bytes:
        """A segment as it should be."""
        return next((one.data for one in self.segments if one.segment == segment), b"")

    def limited_to(self, events: Sequence[EventId]) -> PurgePlan:
        """The same plan, as far as it changes these events: for tombstones that name them."""
        wanted = set(events)
        less = [one._replace(changed=tuple(name for name in one.changed if name in wanted)) for one in self.segments]
        return PurgePlan(self.target, tuple(one._replace(damaged=0) for one in less))


class PurgeSearch:
    """Looks for what is to be purged, as often as needed: what was seen before is not searched again.

    The long first look needs no lock. The one under the lock has only the lines that came in between to search.
    """

    def __init__(self, cut: PurgeTarget) -> None:
        self._target = cut
        self._first_rewriter = _make_rewriter(cut, lambda event: purge_event(event, cut))
        self._full_target: PurgeTarget | None = None
        self._second_rewriter = self._first_rewriter

    def plan(self, log: Log) -> PurgePlan:
        """What becomes of the log as it is now. Claims that go with the cut go by their ids, as a tombstone has it."""
        first = _plan_segments(log, self._target, self._first_rewriter)
        moved = purging.moved_claims(first.before, self._target)
        gone = first._replace(target=self._target._replace(moved=moved)).gone_claims
        whole = self._target._replace(moved=moved, claims=self._target.claims | gone)
        if self._full_target is None or (whole.moved, whole.claims) != (
            self._full_target.moved,
            self._full_target.claims,
        ):
            self._full_target = whole
            self._second_rewriter = _make_rewriter(whole, lambda event: purge_event(event, whole))
        return _plan_segments(log, whole, self._second_rewriter)


class TombstoneSearch:
    """The same for all that was ever purged from a log."""

    def __init__(self, dead: Tombstones) -> None:
        self._target = PurgeTarget(tuple(text for one in dead.all for text in one.target.matchers))
        self._rewriter = _make_rewriter(self._target, dead.apply_fully)

    def plan(self, log: Log) -> PurgePlan:
        return _plan_segments(log, self._target, self._rewriter)


def _make_rewriter(cut: PurgeTarget, change: Callable[[Event], Event]) -> Rewriter:
    return Rewriter(change, lambda text: matches_any(text, cut.matchers))


def _plan_segments(log: Log, cut: PurgeTarget, rewriter: Rewriter) -> PurgePlan:
    return PurgePlan(cut, tuple(rewriter.rewrite(log, segment) for segment in log.segments()))


def make_tombstones(plan: PurgePlan, prints: Sequence[Fingerprint], reason: str) -> list[Draft]:
    """The tombstones of a plan: one, or as many of one operation as its ids need."""
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


def additional_tombstones(plan: PurgePlan, dead: Tombstones) -> Iterator[Draft]:
    """Tombstones for events that older ones did not name. They speak of no more than the older ones did."""
    for one in dead.all:
        unnamed = [
            event.id
            for event in plan.before
            if one.applies_to(event) and event.id not in one.body.events and purge_event(event, one.target) is not event
        ]
        for names in _chunks(unnamed):
            before = purge_bound(one.id, one.body)
            yield Draft(one.body._replace(events=tuple(names), claims=(), damaged=0, before=before), GLOBAL)


def _chunks(all_of_them: Sequence[T]) -> list[Sequence[T]]:
    return [
        all_of_them[start : start + _MAX_IDS_PER_TOMBSTONE]
        for start in range(0, len(all_of_them), _MAX_IDS_PER_TOMBSTONE)
    ]
