"""Tombstones: what was purged stays purged, even if an old copy of a line comes back.

A replay of the home's own log checks the events and the claims that a tombstone names. In lines from elsewhere every
text is checked, because the same text may be there under ids that this home has never seen.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import datetime

from tacit.log.reader import KnownForm, LogReader
from tacit.model.claim import Scope, Triple, triple_key
from tacit.model.event import Event
from tacit.model.ids import EventId, claim_id
from tacit.model.memory import touched_claims
from tacit.model.observation import MemoryPurged, PurgedStub
from tacit.purge.matcher import TextFinder
from tacit.purge.prints import PrintSearch, PurgedText
from tacit.purge.remains import PurgeTarget, purge_event, texts_of
from tacit.record import Record


class Tombstone(Record):
    """One purge: its id, which gives its place in the order, its body, and the texts that it removes."""

    id: EventId
    body: MemoryPurged
    purged: tuple[PurgedText, ...]

    @property
    def bound(self) -> EventId:
        """The id before which events are purged: a person may say the same again later."""
        return EventId(self.body.before or self.id)

    def applies_to(self, event: Event) -> bool:
        """Return whether an event is older than the purge."""
        return event.id < self.bound


class ReceivedPurges(Record):
    """New tombstones of other machines of the person.

    `knew` returns the segments of machines that had applied a purge, by its operation.
    """

    tombstones: Sequence[Event]
    knew: Callable[[str], Collection[str]]


class Tombstones:
    """All tombstones of a log. Other events are ignored.

    Of a purged text only the fingerprint is known until it was met once. `claims` are those that are named, as purged
    or as moved. What `earlier` ones have learned of the same texts, and where these are not, need not be found again.
    """

    def __init__(self, events: Iterable[Event], earlier: Tombstones | None = None) -> None:
        texts = {text.fingerprint: text for each in earlier.all for text in each.purged} if earlier else {}
        merged = list(_merge_tombstones(events))
        is_same = {fingerprint for _, body in merged for fingerprint in body.prints} == texts.keys()
        self._take(
            (
                Tombstone(id_, body, tuple(texts.get(each) or PurgedText(each) for each in body.prints))
                for id_, body in merged
            ),
            earlier._prints if earlier and is_same else None,
        )

    def only(self, tombstones: Iterable[Tombstone]) -> Tombstones:
        """Return some of these tombstones."""
        some = Tombstones(())
        some._take(tombstones)
        return some

    def _take(self, tombstones: Iterable[Tombstone], prints: PrintSearch | None = None) -> None:
        self.all = list(tombstones)
        self.claims = frozenset(
            name for each in self.all for name in (*each.body.claims, *(old for old, _ in each.body.moved))
        )
        self._prints = prints or PrintSearch(text for each in self.all for text in each.purged)
        self._finders: dict[tuple[str, ...], TextFinder] = {}
        self._by_event: dict[EventId, list[Tombstone]] = {}
        self._by_claim: dict[str, list[Tombstone]] = {}
        for tombstone in self.all:
            for event_id in tombstone.body.events:
                self._by_event.setdefault(event_id, []).append(tombstone)
            for claim in tombstone.body.claims:
                self._by_claim.setdefault(claim, []).append(tombstone)

    # Texts

    def learn(self, texts: Iterable[str]) -> None:
        """Look for all purged texts in these. Those that are there are known from then on."""
        self._prints.learn(texts)

    @property
    def has_unknown(self) -> bool:
        """Whether of some texts only the fingerprint is known."""
        return not self._prints.is_done

    @property
    def texts(self) -> TextFinder:
        """What finds all texts that are known by now."""
        return self._finder(text for each in self.all for text in each.purged)

    def target_of(self, tombstone: Tombstone) -> PurgeTarget:
        """Return what a tombstone purges, as far as its texts are known by now."""
        body = tombstone.body
        return PurgeTarget(self._finder(tombstone.purged), frozenset(body.claims), body.everywhere, dict(body.moved))

    def _finder(self, purged: Iterable[PurgedText]) -> TextFinder:
        known = tuple(each.text for each in purged if each.text)
        return self._finders.setdefault(known, TextFinder(known))

    # Events

    def apply(self, event: Event) -> Event:
        """Return what is left of an event of this log. Cheap: only named events and claims are checked."""
        for tombstone in self._by_event.get(event.id, ()):
            event = self.purge(event, tombstone)
        if self._by_claim:
            named = [tombstone for claim in touched_claims(event) for tombstone in self._by_claim.get(claim, ())]
            for tombstone in named:
                event = self.purge(event, tombstone) if tombstone.applies_to(event) else event
        return event

    def purge(self, event: Event, tombstone: Tombstone) -> Event:
        """Return what a tombstone leaves of an event, whatever its time; the event itself if it changes nothing."""
        while True:
            self.learn(texts_of(event))
            left = purge_event(event, self.target_of(tombstone))
            if left is event:
                return event
            event = left  # a mark in the place of one text may complete another one

    def means(self, event: Event, tombstone: Tombstone) -> bool:
        """Return whether a tombstone would change an event, whatever its time."""
        return self.purge(event, tombstone) is not event

    def ignores(self, form: KnownForm) -> bool:
        """Return whether `apply` would leave an event as it is, by the form of its line. False if that is not known."""
        if form.event in self._by_event:
            return False
        if not (self._by_claim and form.has_claims):
            return True
        if form.claim is None:
            return False
        import json

        scope, *triple = (str(json.loads(part)) if b"\\" in part else part[1:-1].decode("ascii") for part in form.claim)
        return claim_id(Scope(scope), triple_key(Triple(*triple))) not in self._by_claim

    def apply_fully(self, event: Event) -> Event:
        """Return what is left of an event if all of its texts are compared with all fingerprints."""
        for tombstone in self.all:
            if tombstone.applies_to(event) or tombstone in self._by_event.get(event.id, ()):
                event = self.purge(event, tombstone)
        return event

    def filter_import(self, event: Event) -> Event | None:
        """Return what is left of an event from elsewhere, whatever its time: deletion wins.

        None if it is about a purged claim.
        """
        left = event
        for tombstone in self.all:
            left = self.purge(left, tombstone)
        return None if isinstance(left.body, PurgedStub) and not isinstance(event.body, PurgedStub) else left

    def rejects(self, event: Event) -> bool:
        """Return whether an event from elsewhere holds anything that was purged here."""
        return self.filter_import(event) != event


def _merge_tombstones(events: Iterable[Event]) -> Iterator[tuple[EventId, MemoryPurged]]:
    """Yield each tombstone once. A large purge is spread over several lines, which are joined here."""
    merged: dict[tuple[str, str], tuple[EventId, MemoryPurged]] = {}
    for event in sorted(events, key=lambda event: event.id):
        if isinstance(event.body, MemoryPurged):
            key = event.op, event.body.before
            first_id, body = merged.get(key, (event.id, MemoryPurged()))
            merged[key] = (
                first_id,
                event.body._replace(
                    events=body.events + event.body.events,
                    claims=body.claims + event.body.claims,
                    moved=body.moved + event.body.moved,
                    prints=tuple(dict.fromkeys(body.prints + event.body.prints)),
                ),
            )
    return iter(merged.values())


def is_purge(event: Event) -> bool:
    """Return whether a line is a tombstone of a purge itself, and not one that adds events to an earlier one."""
    return isinstance(event.body, MemoryPurged) and not event.body.before


def load_tombstones(log: LogReader, since: datetime | None = None) -> Tombstones | None:
    """Return the tombstones of a log that are dated `since` or later; None if there are none."""
    tombstones = Tombstones(event for event in log.tombstones() if since is None or event.at >= since)
    return tombstones if tombstones.all else None
