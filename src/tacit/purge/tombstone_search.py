"""Searching a log for everything that was ever purged: to purge it again, and when a tombstone comes from elsewhere.

Of a purged text only the fingerprint is known. Each block of the log is searched for all fingerprints at once; those
that occur in it are known texts from then on, and only lines that may contain a known text, or a purged claim, are
decoded (`purge/search.py`). The result is that of decoding every line (tests/purge/test_tombstone_search.py).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import chain

from tacit.log.log import Log
from tacit.log.reader import LocatedLine, LogBlock, LogReader, SegmentProgress, read_blocks
from tacit.log.rewrite import decode_raw
from tacit.model.claim import GLOBAL, Claim
from tacit.model.event import Draft, Event
from tacit.model.ids import EventId
from tacit.model.memory import touched_claims
from tacit.model.observation import MemoryPurged
from tacit.purge.match import matches_any
from tacit.purge.plan import SEARCH_TASK, LineChanges, surviving_claims
from tacit.purge.remains import PurgeTarget, claims_of, purge_bound
from tacit.purge.rewrite import LineEdit, PurgePlan, SegmentEdits
from tacit.purge.search import (
    LineFilter,
    SegmentState,
    SharedRoots,
    claims_in,
    distinct_texts,
    read_texts,
    refers_to,
)
from tacit.purge.tombstones import Tombstone, Tombstones, is_purge

_MAX_LATE_IDS = 1000  # in one tombstone: a line has at most 256 KiB
_SEALED = b'"log.sealed"'


class TombstoneFilter:
    """Names the lines of a block that have to be decoded, because a tombstone may mean them."""

    def __init__(self, tombstones: Tombstones) -> None:
        self._tombstones = tombstones
        self._target = PurgeTarget(tuple(matcher for each in tombstones.all for matcher in each.target.matchers))
        self._claims = tombstones.claims
        self._claim_bytes = {claim.encode("ascii", "replace") for claim in self._claims}
        self._known_texts: list[str] = []
        self._lines = LineFilter([])

    def candidates(self, block: LogBlock, roots: SharedRoots) -> list[LocatedLine]:
        """Return these lines. What the other lines say of projects is added to `roots`."""
        texts, named, referring = read_texts(block, roots)
        distinct: set[str] = set()
        for index, text in enumerate(texts):
            claims = claims_in(text)
            if claims is None or (self._claims and any(claim.id in self._claims for claim in claims)):
                named.add(index)
            distinct |= distinct_texts(text, claims or ())
        self._tombstones.prints.learn(distinct)
        named |= self._known_filter().containing(texts)
        for index in referring:
            line = block.lines[index]
            if _SEALED in line or refers_to(line, self._claim_bytes):
                named.add(index)
        return block.located(index for index in named if block.lines[index])

    def contains(self, text: str) -> bool:
        """Return whether a text contains one that was purged."""
        self._tombstones.prints.learn([text])
        return matches_any(text, self._target.known().matchers)

    def _known_filter(self) -> LineFilter:
        """Return a filter for the texts that were found up to now."""
        known = [matcher.text for matcher in self._target.fingerprints if matcher.text]
        if known != self._known_texts:
            self._known_texts, self._lines = known, LineFilter(known)
        return self._lines


class TombstoneSearch:
    """Plans the removal of everything that was ever purged from a log, repeatedly."""

    def __init__(self, tombstones: Tombstones) -> None:
        matchers = (matcher for tombstone in tombstones.all for matcher in tombstone.target.matchers)
        self._target = PurgeTarget(tuple(matchers))
        self._tombstones = tombstones
        self._filter = TombstoneFilter(tombstones)
        self._segments: dict[str, _TombstoneFindings] = {}

    def plan(self, log: Log) -> PurgePlan:
        names, roots = log.segments(), SharedRoots({}, set())
        progress = SegmentProgress(log, SEARCH_TASK, names)
        changed: list[SegmentEdits] = []
        for name in names:
            found = self._search_segment(log, name, progress)
            progress.next_segment(name)
            tail = found.changes.tail_edits(found.end)
            changed.append(SegmentEdits(name, tuple(chain(found.edits, tail)), found.end))
            roots.seen.update(found.roots.seen)
            roots.shared_scopes.update(found.roots.shared_scopes)
        self._segments = {name: self._segments[name] for name in names}
        edits = tuple(segment for segment in changed if segment.edits)
        return PurgePlan(self._target, edits, roots, frozenset(self._gone_claims(log)))

    def still_purged(self) -> PurgeTarget:
        """Return what was ever purged and was not recorded anew since, according to the last plan."""
        anew = {tombstone for found in self._segments.values() for tombstone in found.recorded_anew}
        targets = [each.target for each in self._tombstones.all if each.id not in anew]
        matchers = tuple(matcher for target in targets for matcher in target.matchers)
        return PurgeTarget(matchers, frozenset(claim for target in targets for claim in target.claims))

    def _search_segment(self, log: Log, name: str, progress: SegmentProgress) -> _TombstoneFindings:
        path = log.path(name)
        found = self._segments.get(name)
        if found is None or not found.is_current(path):
            changes = LineChanges(log, name, self._tombstones.apply_fully, self._filter.contains)
            found = self._segments[name] = _TombstoneFindings(self._tombstones, changes)
        found.changes.log = log
        for block in found.advance(path, progress):
            for line in self._filter.candidates(block, found.roots):
                found.add(line)
        return found

    def _gone_claims(self, log: Log) -> set[str]:
        """Return the claims of changed lines of which nothing is left, in any line."""
        suspects: dict[str, Claim] = {}
        for found in self._segments.values():
            suspects.update(found.claims_before)
        for found in self._segments.values():
            for claim in found.claims_after:
                suspects.pop(claim, None)
        survivors: set[str] = set()
        for name, found in self._segments.items() if suspects else ():
            survivors.update(surviving_claims(log, name, suspects, found.offsets, (0, found.end)))
        return suspects.keys() - survivors


class _TombstoneFindings(SegmentState):
    """The edits of a segment, and the claims of its candidates before and after them.

    `recorded_anew` are the tombstones of which something stays in the segment, because it was recorded later.
    """

    def __init__(self, tombstones: Tombstones, changes: LineChanges) -> None:
        super().__init__()
        self._tombstones = tombstones
        self.changes = changes
        self.edits: list[LineEdit] = []
        self.offsets: set[int] = set()
        self.claims_before: dict[str, Claim] = {}
        self.claims_after: set[str] = set()
        self.recorded_anew: set[EventId] = set()
        self.roots = SharedRoots({}, set())

    def add(self, line: LocatedLine) -> None:
        edit = self.changes.edit_of(line)
        self.offsets.add(line.offset)
        event, remaining = self.changes.event, self.changes.remaining
        if event:
            self.roots.add(event)
            self.claims_before.update((claim.id, claim) for claim in claims_of(event.body))
        if remaining:
            self.claims_after.update(touched_claims(remaining))
            for tombstone in self._tombstones.all:
                if tombstone.id not in self.recorded_anew and self._means(tombstone, remaining):
                    self.recorded_anew.add(tombstone.id)
        if edit:
            self.edits.append(edit)

    def _means(self, tombstone: Tombstone, event: Event) -> bool:
        return self._tombstones.purge(event, tombstone) is not event


# Tombstones from elsewhere


def late_tombstones(log: LogReader, imported: Iterable[Event], knew: Callable[[str], Collection[str]]) -> list[Draft]:
    """Return tombstones for events of this log that `imported` ones would purge if they were older.

    Whoever wrote these events did not know of the purge: deletion wins, whatever the clocks say. `knew` returns the
    segments of machines that had applied a purge, by its operation: they may have said the same again on purpose. A
    tombstone that adds events to an earlier one (it has `before`) means these events alone.
    """
    purges = [event for event in imported if is_purge(event)]
    tombstones = Tombstones(purges)
    operations = {event.id: event.op for event in purges}
    knowing = {each.id: knew(operations[each.id]) for each in tombstones.all}
    late: dict[EventId, list[EventId]] = {each.id: [] for each in tombstones.all}
    for segment, event in _events_that_tombstones_may_mean(log, tombstones):
        for tombstone in tombstones.all:
            if segment in knowing[tombstone.id] or tombstone.applies_to(event):
                continue
            if tombstones.purge(event, tombstone) is not event:
                late[tombstone.id].append(event.id)
    return [draft for tombstone in tombstones.all for draft in _naming(tombstone, late[tombstone.id])]


def _events_that_tombstones_may_mean(log: LogReader, tombstones: Tombstones) -> Iterator[tuple[str, Event]]:
    """Yield every event that a tombstone means, but for its time, with its segment, and few others."""
    if not tombstones.all:
        return
    search, roots = TombstoneFilter(tombstones), SharedRoots({}, set())
    for segment in log.segments():
        for block in read_blocks(log.path(segment)):
            for line in search.candidates(block, roots):
                event = decode_raw(line.data + b"\n")
                if isinstance(event, Event) and not isinstance(event.body, MemoryPurged):
                    yield segment, event


def _naming(tombstone: Tombstone, late: list[EventId]) -> Iterator[Draft]:
    bound = purge_bound(tombstone.id, tombstone.body)
    for start in range(0, len(late), _MAX_LATE_IDS):
        named = tuple(late[start : start + _MAX_LATE_IDS])
        yield Draft(tombstone.body._replace(events=named, damaged=0, before=bound), GLOBAL)
