"""What a purge will do to the log: every segment as it should be, and the tombstones to leave. Nothing is written."""

from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple, TypeVar

from tacit.core import purging
from tacit.core.claim import GLOBAL
from tacit.core.event import Draft, Event
from tacit.core.ids import EventId
from tacit.core.observation import Print, Purged
from tacit.core.purging import Cut, bound, purged
from tacit.core.traces import holds
from tacit.log.log import Log
from tacit.log.rewrite import Rewritten, rewritten
from tacit.log.tombstones import Tombstones

T = TypeVar("T")
_AT_ONCE = 2000  # ids in one tombstone: it has to fit into a line


class Plan(NamedTuple):
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

    def carry_out(self, log: Log) -> None:
        """Write the segments that change. The log is held, and the tombstones are in it."""
        for segment in self.segments:
            if segment.is_other:
                log.replace(segment.segment, segment.data, segment.unsigned)


def planned(log: Log, cut: Cut) -> Plan:
    """What becomes of the log. Claims that go with the cut go by their ids as well, as a tombstone will have it."""
    first = _plan(log, cut, lambda event: purged(event, cut))
    moved = purging.moves(first.before, cut)
    whole = cut._replace(moved=moved, claims=cut.claims | first._replace(cut=cut._replace(moved=moved)).gone)
    return _plan(log, whole, lambda event: purged(event, whole))


def planned_again(log: Log, dead: Tombstones) -> Plan:
    """What becomes of the log when all that was ever purged from it is purged once more."""
    texts = tuple(text for one in dead.all for text in one.cut.texts)
    return _plan(log, Cut(texts), dead.thoroughly)


def _plan(log: Log, cut: Cut, change: Callable[[Event], Event]) -> Plan:
    def has(text: str) -> bool:
        return holds(text, cut.texts)

    return Plan(cut, tuple(rewritten(log, segment, change, has) for segment in log.segments()))


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
