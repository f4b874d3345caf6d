"""What a purge will do to the log: every segment as it should be, and the tombstones to leave. Nothing is written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from typing import TypeVar

from tacit.core import purging
from tacit.core.claim import GLOBAL
from tacit.core.event import Draft, Event
from tacit.core.ids import EventId
from tacit.core.observation import Print, Purged
from tacit.core.purging import Cut, bound, purged
from tacit.core.traces import holds
from tacit.log.log import Log
from tacit.log.rewrite import Rewriter, Rewritten
from tacit.log.tombstones import Tombstones
from tacit.record import Record

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
