"""Lines that came from other machines, on their way into the log: tombstones first, then what they do not hold for."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Protocol, TypeVar

from tacit.errors import NotFoundError
from tacit.home.home import Home, HomePart
from tacit.index.database import without_garbage_collection
from tacit.log.incoming import IncomingFilter, append_received
from tacit.model.ids import EventId, event_id
from tacit.purge.tombstones import ReceivedPurges, Tombstones, is_purge
from tacit.record import Record
from tacit.remotes.segments import Received, received_segments
from tacit.remotes.state import RemoteStore

T = TypeVar("T")
# Ids are times: one that is further ahead is held back, because all later ids of this home would have to be greater.
_MAX_AHEAD = timedelta(days=3650)


class AppliesPurges(Protocol):
    """What removes from a home whatever tombstones name."""

    def purge_again(self) -> object: ...
    def purge_received(self, received: ReceivedPurges, then: Callable[[], T]) -> T: ...


class TakenLines(Record):
    """How many lines of a machine were new, and how many wait, by segment."""

    new: int
    held: Mapping[str, int]


class IncomingLines(HomePart):
    """Takes lines of other machines into the log of this home, and purges what they say was purged."""

    def __init__(self, home: Home, remotes: RemoteStore, purger: AppliesPurges) -> None:
        super().__init__(home)
        self._remotes = remotes
        self._purger = purger

    def take(self, received: Sequence[Received]) -> dict[str, TakenLines]:
        """Append what is new to the log, apply new tombstones, and update index and pages. Return what was taken by
        machine.

        Tombstones come first. They hold for lines of a machine that had not applied them when it wrote, whatever the
        time of those lines. A machine that had applied them may have said the same again, on purpose.
        """
        if not any(found.segments for found in received):
            return {}
        with without_garbage_collection():
            taken = self._append(received)  # what that needed in memory is free again when the index is made
        self.finish_purges()
        self._store.make()
        return taken

    def _append(self, received: Sequence[Received]) -> dict[str, TakenLines]:
        incoming = IncomingFilter(self._store.log, self.latest_id())
        marked = (event for found in received for part in found.segments for event in part.tombstones)
        manifests = [manifest for found in received for manifest in found.area.manifests]
        manifests += [peer.manifest for state in self._remotes.all() for peer in state.peers]

        def segments_that_knew(op: str) -> set[str]:  # of machines that had applied a purge, as far as is known
            return received_segments(manifest.machine for manifest in manifests if op in manifest.purges)

        def append() -> dict[str, TakenLines]:
            return {found.area.machine: self._append_received(incoming, found) for found in received}

        if tombstones := incoming.new_tombstones(marked):
            return self._purger.purge_received(ReceivedPurges(tombstones, segments_that_knew), append)
        return append()

    def _append_received(self, incoming: IncomingFilter, found: Received) -> TakenLines:
        """Append the new lines of a machine, a segment at a time. Those with the greatest ids come last, so that few
        lines are late."""
        lines, count, held = [*self._store.log.tombstones()], 0, dict[str, int]()
        day = self._store.actor.origin().at.date().isoformat()
        for manifest in found.area.manifests:
            applied = set(manifest.purges)
            unknown = Tombstones(line for line in lines if line.op not in applied and is_purge(line))
            known = Tombstones(line for line in lines if line.op in applied or not is_purge(line))
            parts = [part for part in found.segments if part.manifest is manifest]
            for part in sorted(parts, key=lambda part: part.last):
                records, held[part.name] = part.read(incoming.is_known)
                if events := incoming.new_events(records, unknown if unknown.all else None, known):
                    append_received(self._store.log, found.area.machine, events, day)
                    count += len(events)
        return TakenLines(count, held)

    def finish_purges(self) -> None:
        """Apply tombstones that are in the log and were not applied, because they just came or a purge was killed."""
        if self.is_purging:
            with suppress(NotFoundError):  # it was killed before it wrote a tombstone
                self._purger.purge_again()

    @property
    def is_purging(self) -> bool:
        return os.path.lexists(self._store.paths.purge_marker)

    def latest_id(self) -> EventId:
        """Return the greatest id that is taken now."""
        return event_id(int((self._store.actor.origin().at + _MAX_AHEAD).timestamp() * 1000), b"\xff" * 10)
