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
from tacit.errors import Refused
from tacit.log.codec import Damaged, decode, encode, is_line_of, parted
from tacit.log.log import MAX_LINE, Log, lines
from tacit.log.tombstones import Tombstones
from tacit.model import purge as purging
from tacit.model.claim import GLOBAL
from tacit.model.event import Draft, Event
from tacit.model.ids import EventId
from tacit.model.observation import Print, Purged, Sealed, Stub, Unknown
from tacit.model.purge import Cut, bound, purged
from tacit.record import Record
from tacit.text.match import holds

# The occasions on which a segment is written anew: a purge, and setting aside lines that cannot be read or believed.
#
# What is not meant stays byte for byte. The new file takes the old one's place in one step, and whoever rewrites has
# made sure before that nobody else appends.

QUARANTINE = "quarantine"
_ENVELOPE = ("id", "op", "ts", "m", "c", "type", "src")

Change = Callable[[Event], Event]
Holds = Callable[[str], bool]


class Piece(Record):
    """A line of a segment with every byte of it, or the unfinished end (which has no line feed and no number)."""

    number: int
    raw: bytes
    event: Event | Damaged | None
    offset: int

    @property
    def data(self) -> bytes:
        return self.raw.removesuffix(b"\n")


class Rewritten(Record):
    """A segment as it should be: which events changed, what they were and are, how many unreadable lines went, and
    where the lines end now that were written before there were codes."""

    segment: str
    data: bytes
    before: tuple[Event, ...]
    after: tuple[Event, ...]
    changed: tuple[EventId, ...]
    damaged: int
    unsigned: int | None = None

    @property
    def is_other(self) -> bool:
        return bool(self.changed or self.damaged)


def pieces(log: Log, segment: str) -> Iterator[Piece]:
    for number, raw, offset in _raw_lines(log, segment):
        yield Piece(number, raw, _decoded(raw), offset)


def _raw_lines(log: Log, segment: str) -> Iterator[tuple[int, bytes, int]]:
    """Every line with its number, all of its bytes and its offset; the unfinished end has the number 0."""
    data = read_file(log.path(segment)) or b""
    end = 0
    for line in lines(BytesIO(data)):
        yield line.number, data[line.offset : line.end], line.offset
        end = line.end
    if data[end:]:
        yield 0, data[end:], end


def _decoded(raw: bytes) -> Event | Damaged | None:
    """The event of a line; None for an empty one."""
    if not raw.endswith(b"\n"):
        return Damaged("unfinished")
    if len(raw) > MAX_LINE:
        return Damaged("longer than any line we write")
    return decode(raw[:-1]) if raw != b"\n" else None


class _Outcome(Record):
    """What becomes of a line: its event and what is left of it; or whether an unreadable line is dropped."""

    event: Event | None = None
    left: Event | None = None
    is_lost: bool = False


class Rewriter:
    """Changes every event of a segment, and drops unreadable lines that hold what is to go. Nothing is written.

    The outcome for a line is kept by its bytes: lines never change, so looking at a log again costs no more than
    reading it. That is how a purge searches before it takes the lock, and looks once more when it has it.
    """

    def __init__(self, change: Change, holds: Holds) -> None:
        self._change = change
        self._holds = holds
        self._known: dict[bytes, _Outcome] = {}

    def rewritten(self, log: Log, segment: str) -> Rewritten:
        """The segment as it should be.

        Raises `Refused` where a line holds what is to go and this version does not understand all of that line.
        """
        kept: list[_Kept] = []
        before: list[Event] = []
        after: list[Event] = []
        lost: set[str] = set()
        for number, raw, offset in _raw_lines(log, segment):
            outcome = self._known.get(raw) or self._outcome(Piece(number, raw, _decoded(raw), offset), segment)
            if outcome.event is None or outcome.left is None:
                if outcome.is_lost:
                    lost.add(sha256(raw.removesuffix(b"\n")).hexdigest())
                else:
                    kept.append(_Kept(offset, raw))
                continue
            left = _without_seal(outcome.left, lost)
            before.append(outcome.event)
            after.append(left)
            kept.append(_Kept(offset, raw if left == outcome.event else _line(log, raw, left)))
        changed = [old.id for old, new in zip(before, after, strict=True) if old != new]
        data = b"".join([line for _, line in kept])
        end = _unsigned_end(log, segment, kept)
        return Rewritten(segment, data, tuple(before), tuple(after), tuple(changed), len(lost), end)

    def _outcome(self, piece: Piece, segment: str) -> _Outcome:
        if isinstance(piece.event, Event):
            _must_understand(piece, segment, self._holds)
            outcome = _Outcome(piece.event, self._change(piece.event))
        else:
            held = piece.event is not None and self._holds(piece.raw.decode("utf-8", "surrogateescape"))
            outcome = _Outcome(is_lost=held)
        if piece.raw.endswith(b"\n"):  # an unfinished end may be another line the next time
            self._known[piece.raw] = outcome
        return outcome


class _Kept(Record):
    """Where a line stood, and its bytes now."""

    offset: int
    line: bytes


def _unsigned_end(log: Log, segment: str, kept: Sequence[_Kept]) -> int | None:
    """Where the lines that were written before there were codes end, when these are left; None where none is noted."""
    known = log.signing.baseline() if log.signing else None
    return sum(len(line) for offset, line in kept if offset < known.end(segment)) if known else None


def _line(log: Log, raw: bytes, left: Event) -> bytes:
    """What is left of a line. It has a code if the line had one that holds: a purge vouches for nothing."""
    has_code = log.signing and log.signing.verifies(*parted(raw.removesuffix(b"\n")))
    return encode(left, log.sign if has_code else None)


def _without_seal(event: Event, lost: set[str]) -> Event:
    """The seal of a fragment that went tells its hash, which a guess could be compared with."""
    if isinstance(event.body, Sealed) and event.body.sha256 in lost:
        return event._replace(body=Stub("log.sealed"))
    return event


def _must_understand(piece: Piece, segment: str, holds: Holds) -> None:
    assert isinstance(piece.event, Event)
    if not isinstance(piece.event.body, Unknown) and is_line_of(piece.event, piece.data):
        return
    fields = json.loads(piece.data)
    if any(holds(text) for name, value in fields.items() if name not in _ENVELOPE for text in _texts(value)):
        raise Refused(
            f"{segment}:{piece.number} holds it too, and a newer version of Tacit wrote that line; nothing was changed",
            "update Tacit, then purge again",
        )


def _texts(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            for name, inner in value.items():
                yield name
                yield from _texts(inner)
        case list():
            for inner in value:
                yield from _texts(inner)


# Lines that cannot be read, or that this home did not write


class Aside(Record):
    """A line that was set aside, and the file it is in now."""

    segment: str
    number: int
    path: str


def set_aside(log: Log, segment: str, day: str) -> list[Aside]:
    """Move every unreadable line to a file of its own, then write the segment without them. Readable lines stay.

    Fragments that a seal explains stay as well, and so does an unfinished end: the next write closes it.
    """
    found = [*pieces(log, segment)]
    events = [piece.event for piece in found if isinstance(piece.event, Event)]
    sealed = {event.body.sha256 for event in events if isinstance(event.body, Sealed)}
    bad = [
        piece
        for piece in found
        if piece.number and isinstance(piece.event, Damaged) and sha256(piece.data).hexdigest() not in sealed
    ]
    return _moved(log, segment, found, {piece.number for piece in bad}, day)


def set_lines_aside(log: Log, segment: str, numbers: set[int], day: str) -> list[Aside]:
    """Move these lines to files of their own, as they are. All others stay."""
    return _moved(log, segment, [*pieces(log, segment)], numbers, day)


def _moved(log: Log, segment: str, found: Sequence[Piece], numbers: set[int], day: str) -> list[Aside]:
    moved = [
        Aside(segment, piece.number, _kept_copy(log, segment, piece, day))
        for piece in found
        if piece.number and piece.number in numbers
    ]
    if moved:
        kept = [_Kept(piece.offset, piece.raw) for piece in found if piece.number not in numbers]
        log.replace(segment, b"".join([line for _, line in kept]), _unsigned_end(log, segment, kept))
    return moved


def _kept_copy(log: Log, segment: str, piece: Piece, day: str) -> str:
    """The bytes of a line, durable before the line goes. A run that was cut short has left the same file already."""
    folder = log.path(QUARANTINE)
    home = os.path.dirname(folder)
    make_folder(folder, below=home)
    name = f"{segment.removesuffix('.jsonl').replace('/', '-')}-{piece.number}-{day}"
    copies = (os.path.join(folder, f"{name}{again}.bad") for again in ("", *(f"-{n}" for n in range(2, 10_000))))
    path = next(path for path in copies if read_file(path) in (None, piece.raw))
    replace_file(OsDisk(home), path, piece.raw)
    return path


# What a purge will do to the log: every segment as it should be, and the tombstones to leave. Nothing is written.

T = TypeVar("T")
_AT_ONCE = 2000  # ids in one tombstone: it has to fit into a line


class Plan(Record):
    """All segments of a log, before and after."""

    cut: Cut
    segments: tuple[Rewritten, ...]

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
    def gone(self) -> set[str]:
        """The claims of which nothing is left."""
        return purging.gone(self.before, self.after) - self.cut.moved.keys()

    def stage(self, log: Log) -> dict[str, str]:
        """Write the segments that change beside the old ones; the path of each new file by its segment."""
        return {one.segment: log.stage(one.segment, one.data) for one in self.segments if one.is_other}

    def carry_out(self, log: Log, staged: dict[str, str]) -> None:
        """Put the segments that change in their places: staged files, and the others as they should be.

        The log is held, and the tombstones are in it.
        """
        for segment in self.segments:
            if segment.is_other:
                log.replace(segment.segment, segment.data, segment.unsigned, staged.get(segment.segment, ""))

    def data(self, segment: str) -> bytes:
        """A segment as it should be."""
        return next((one.data for one in self.segments if one.segment == segment), b"")

    def only(self, events: Sequence[EventId]) -> Plan:
        """The same plan, as far as it changes these events: for tombstones that name them."""
        wanted = set(events)
        less = [one._replace(changed=tuple(name for name in one.changed if name in wanted)) for one in self.segments]
        return Plan(self.cut, tuple(one._replace(damaged=0) for one in less))


class Search:
    """Looks for what is to be purged, as often as needed: what was seen before is not searched again.

    The long first look needs no lock. The one under the lock has only the lines that came in between to search.
    """

    def __init__(self, cut: Cut) -> None:
        self._cut = cut
        self._first = _rewriter(cut, lambda event: purged(event, cut))
        self._whole: Cut | None = None
        self._second = self._first

    def plan(self, log: Log) -> Plan:
        """What becomes of the log as it is now. Claims that go with the cut go by their ids, as a tombstone has it."""
        first = _plan(log, self._cut, self._first)
        moved = purging.moves(first.before, self._cut)
        gone = first._replace(cut=self._cut._replace(moved=moved)).gone
        whole = self._cut._replace(moved=moved, claims=self._cut.claims | gone)
        if self._whole is None or (whole.moved, whole.claims) != (self._whole.moved, self._whole.claims):
            self._whole = whole
            self._second = _rewriter(whole, lambda event: purged(event, whole))
        return _plan(log, whole, self._second)


class SearchAgain:
    """The same for all that was ever purged from a log."""

    def __init__(self, dead: Tombstones) -> None:
        self._cut = Cut(tuple(text for one in dead.all for text in one.cut.texts))
        self._rewriter = _rewriter(self._cut, dead.thoroughly)

    def plan(self, log: Log) -> Plan:
        return _plan(log, self._cut, self._rewriter)


def _rewriter(cut: Cut, change: Callable[[Event], Event]) -> Rewriter:
    return Rewriter(change, lambda text: holds(text, cut.texts))


def _plan(log: Log, cut: Cut, rewriter: Rewriter) -> Plan:
    return Plan(cut, tuple(rewriter.rewritten(log, segment) for segment in log.segments()))


def graves(plan: Plan, prints: Sequence[Print], reason: str) -> list[Draft]:
    """The tombstones of a plan: one, or as many of one operation as its ids need."""
    whole = Purged(reason, prints=tuple(prints), everywhere=plan.cut.everywhere)
    parts = zip_longest(
        _parts(plan.changed), _parts(sorted(plan.cut.claims)), _parts(sorted(plan.cut.moved.items())), fillvalue=()
    )
    bodies = [
        whole._replace(events=tuple(events), claims=tuple(claims), moved=tuple(moved))
        for events, claims, moved in parts
    ] or [whole]
    bodies[0] = bodies[0]._replace(damaged=plan.damaged)
    return [Draft(body, GLOBAL) for body in bodies]


def more_graves(plan: Plan, dead: Tombstones) -> Iterator[Draft]:
    """Tombstones for events that older ones did not name. They speak of no more than the older ones did."""
    for one in dead.all:
        unnamed = [
            event.id
            for event in plan.before
            if one.is_about(event) and event.id not in one.body.events and purged(event, one.cut) is not event
        ]
        for names in _parts(unnamed):
            before = bound(one.id, one.body)
            yield Draft(one.body._replace(events=tuple(names), claims=(), damaged=0, before=before), GLOBAL)


def _parts(all_of_them: Sequence[T]) -> list[Sequence[T]]:
    return [all_of_them[start : start + _AT_ONCE] for start in range(0, len(all_of_them), _AT_ONCE)]
