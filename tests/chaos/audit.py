"""What a log holds, compared with what was acknowledged. Counts only; the tests say which counts must be nought."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from hashlib import sha256
from typing import NamedTuple

from tacit.log.codec import DamagedLine
from tacit.log.log import Log
from tacit.log.reader import RawLine
from tacit.log.verify import verify
from tacit.model.event import Event
from tacit.model.observation import LogSealed


class Audit(NamedTuple):
    """`found` counts readable events; a fragment is an unreadable line that a seal describes exactly."""

    acknowledged: int
    found: int
    lost: int
    doubled: int
    fragments: int
    unreadable: int
    loose_seals: int
    disordered: int
    unended: int
    serious: int

    @property
    def faults(self) -> int:
        """Everything that must never be there."""
        wrong = (self.lost, self.doubled, self.unreadable, self.loose_seals, self.disordered, self.unended)
        return sum(wrong) + self.serious

    def __add__(self, other: object) -> Audit:
        """Both together, count by count."""
        assert isinstance(other, Audit)
        return Audit(*(one + two for one, two in zip(self, other, strict=True)))


NOTHING = Audit(*[0] * len(Audit._fields))


def audit(log: Log, acknowledged: Iterable[str]) -> Audit:
    """Read every line of every segment."""
    segments = [_Segment(log, name) for name in log.segments()]
    promised = list(acknowledged)
    held = Counter(name for segment in segments for name in segment.ids)
    return Audit(
        acknowledged=len(promised),
        found=held.total(),
        lost=sum(1 for name in promised if not held[name]),
        doubled=sum(1 for count in held.values() if count > 1),
        fragments=sum(segment.fragments for segment in segments),
        unreadable=sum(segment.unreadable for segment in segments),
        loose_seals=sum(segment.loose_seals for segment in segments),
        disordered=sum(segment.disordered for segment in segments),
        unended=sum(1 for segment in segments if _torn_tail_bytes(log, segment.name)),
        serious=sum(1 for finding in verify(log) if finding.serious),
    )


def _torn_tail_bytes(log: Log, segment: str) -> int:
    """How many bytes follow the last line feed: a write that was never acknowledged."""
    return log.size(segment) - max((line.end for line in log.lines(segment)), default=0)


def events(log: Log, segment: str) -> list[Event]:
    """The readable events of a segment, in the order of the file."""
    return [record.event for record in log.read(segment) if not isinstance(record.event, DamagedLine)]


class _Segment:
    """One file, read once, and then once more where seals point."""

    def __init__(self, log: Log, name: str) -> None:
        self.name = name
        self.ids: list[str] = []
        self.disordered = 0
        bad: list[RawLine] = []
        seals: list[LogSealed] = []
        last = ""
        for record in log.read(name):
            if isinstance(record.event, DamagedLine):
                bad.append(record.line)
                continue
            self.disordered += record.event.id <= last
            last = record.event.id
            if isinstance(record.event.body, LogSealed):
                seals.append(record.event.body)
            else:
                self.ids.append(record.event.id)
        true = [seal for seal in seals if _is_true(log.path(name), seal)]
        self.loose_seals = len(seals) - len(true)
        self.fragments = sum(1 for line in bad if any(_covers(seal, line) for seal in true))
        self.unreadable = len(bad) - self.fragments


def _is_true(path: str, seal: LogSealed) -> bool:
    """Whether the bytes it speaks of are there, just as it says."""
    with open(path, "rb") as file:
        file.seek(seal.offset)
        fragment = file.read(seal.length)
    return len(fragment) == seal.length and sha256(fragment).hexdigest() == seal.sha256


def _covers(seal: LogSealed, line: RawLine) -> bool:
    return seal.offset <= line.offset and line.end - 1 <= seal.offset + seal.length
