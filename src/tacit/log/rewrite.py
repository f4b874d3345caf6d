"""The occasions on which a segment is written anew: a purge, and setting aside lines that cannot be read or believed.

What is not meant stays byte for byte. The new file takes the old one's place in one step, and whoever rewrites has
made sure before that nobody else appends.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from io import BytesIO
from typing import Any

from tacit.core.errors import Refused
from tacit.core.event import Event
from tacit.core.ids import EventId
from tacit.core.observation import Sealed, Stub, Unknown
from tacit.disk.ops import OsDisk, make_folder
from tacit.disk.replace import read_file, replace_file
from tacit.log.codec import Damaged, decode, encode, is_line_of, parted
from tacit.log.log import Log
from tacit.log.reader import MAX_LINE, lines
from tacit.record import Record

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
