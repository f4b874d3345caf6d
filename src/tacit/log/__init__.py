"""The log, which is the truth: append-only files with one JSON object a line, specified in docs/FORMAT.md.

Who appends holds the lock of the log for the length of one write, and first appends what others had to spool because
they did not get it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext

from tacit.disk.files import Disk, open_fd
from tacit.disk.lock import Lock
from tacit.errors import StoreError
from tacit.log.reader import LoadPurges, LogReader
from tacit.log.segment import (
    ACTIVITY_FOLDER,
    AppendResult,
    append,
    has_ordered_ids,
    late_segment,
    read_tail,
    redact_body,
    redact_events,
    roll_back,
    segment_for,
)
from tacit.log.signing import LineSigner, SignLine, file_sizes
from tacit.model.event import Draft, Event, EventOrigin
from tacit.model.ids import EventId, next_event_id
from tacit.model.observation import BriefInjected, CommandRan, LogSealed, ProjectSeen, RecallAsked

_MAX_DRAINED = 256  # spooled events that a writer appends before its own
# Nobody waits for these to be durable: the system writes them within seconds, without a sync by the command.
_DEFERRED_SYNC_BODIES = (RecallAsked, BriefInjected, ProjectSeen, CommandRan)


class _NoopLock:
    """The lock for a caller that holds the log's lock already."""

    def acquire(self, _timeout: float | None = None) -> AbstractContextManager[None]:
        return nullcontext()


class Log(LogReader):
    """Appends to the log of one home, and reads it.

    `entropy` returns ten random bytes. `secret_digest` maps a redacted secret to what it can be recognised by.
    `signer` signs the lines that this home writes. `load_purges` returns what was ever purged, None if nothing was.
    """

    def __init__(
        self,
        home: str,
        disk: Disk,
        lock: Lock,
        entropy: Callable[[], bytes],
        secret_digest: Callable[[str], str] | None = None,
        signer: LineSigner | None = None,
        *,
        load_purges: LoadPurges,
    ) -> None:
        super().__init__(home, load_purges=load_purges)
        self.disk = disk
        self._lock = lock
        self._entropy = entropy
        self.secret_digest = secret_digest
        self.signer = signer

    # Appending

    def append(
        self, drafts: Sequence[Draft], origin: EventOrigin, timeout: float | None = None, op: EventId | None = None
    ) -> list[Event]:
        """Append one operation, all of it or nothing, and return its events. On return its judgements are durable.

        `timeout` replaces the usual one of the log's lock. `op` is an earlier operation that the events belong to.
        Observations that accompany a judgement (a project was seen) may be missing if their own segment cannot be
        written. Raise StoreError or OSError if nothing was appended.
        """
        by_segment: dict[str, list[Draft]] = {}
        for draft in drafts:
            redacted = draft._replace(body=redact_body(draft.body, self.secret_digest))
            by_segment.setdefault(segment_for(draft.body, origin), []).append(redacted)
        written: list[tuple[str, AppendResult]] = []
        with self.locked(timeout=timeout):
            self.begin_signing()
            for segment, group in by_segment.items():
                try:
                    written.append((segment, self._append_drafts(segment, group, origin, op)))
                    op = op or written[0][1].events[-1].op
                except (StoreError, OSError) as error:
                    if written and _may_sync_later(group):
                        continue
                    for name, result in reversed(written):
                        roll_back(self.disk, self.path(name), result.offset, result.length, error)
                    raise
        return [event for _, result in written for event in result.events if not isinstance(event.body, LogSealed)]

    def append_events(self, events: Sequence[Event]) -> None:
        """Append events whose ids are derived from their content. On return they are durable."""
        redacted = redact_events(events, self.secret_digest)
        with self.locked():
            self.begin_signing()
            self._append_grouped((segment_for(event.body, event.origin), event) for event in redacted)

    def append_late(self, events: Sequence[Event]) -> None:
        """Append spooled commands durably. The caller holds the lock."""
        redacted = redact_events(events, self.secret_digest)
        self._append_grouped((late_segment(event.origin), event) for event in redacted)

    def _append_grouped(self, pairs: Iterable[tuple[str, Event]]) -> None:
        by_segment: dict[str, list[Event]] = {}
        for segment, event in pairs:
            by_segment.setdefault(segment, []).append(event)
        for segment, group in sorted(by_segment.items()):
            self.append_to(segment, group)

    def append_to(self, segment: str, events: Sequence[Event]) -> None:
        """Append redacted events to a segment durably. The caller holds the lock."""

        def compose(last_id: EventId | None, seals: Sequence[LogSealed]) -> list[Event]:
            sealed = [Draft(seal, events[0].scope) for seal in seals]
            return [*self._assign_ids(sealed, events[0].origin, last_id, None), *events]

        append(self.disk, self.path(segment), compose, durable=True, sign=self.sign)

    def _append_drafts(
        self, segment: str, drafts: Sequence[Draft], origin: EventOrigin, op: EventId | None
    ) -> AppendResult:
        # Order must not depend on the file a line goes to. Copies do not count: they may sort last.
        names = [name for name in self.own_segments() if has_ordered_ids(name)]
        earlier_months = [name for name in names if name.startswith(ACTIVITY_FOLDER)][:-1]
        others = [name for name in names if name != segment and name not in earlier_months]
        last_of_others = max((last for name in others if (last := self.last_id(name))), default=None)

        def compose(last_id: EventId | None, seals: Sequence[LogSealed]) -> list[Event]:
            sealed = [Draft(seal, drafts[0].scope) for seal in seals]
            last = max((event_id for event_id in (last_id, last_of_others) if event_id), default=None)
            return self._assign_ids([*sealed, *drafts], origin, last, op)

        return append(self.disk, self.path(segment), compose, durable=not _may_sync_later(drafts), sign=self.sign)

    def last_id(self, segment: str) -> EventId | None:
        """Return the id of the last readable line of a segment. Raise FileNotFoundError if there is none."""
        with open_fd(self.disk, self.path(segment), os.O_RDONLY) as fd:
            return read_tail(self.disk, fd).last_id

    def _assign_ids(
        self, drafts: Sequence[Draft], origin: EventOrigin, last: EventId | None, op: EventId | None
    ) -> list[Event]:
        milliseconds = max(int(origin.at.timestamp() * 1000), 0)
        events: list[Event] = []
        for draft in drafts:
            last = next_event_id(last, milliseconds, self._entropy())
            if isinstance(draft.body, LogSealed):
                events.append(Event(last, last, origin, draft.scope, draft.body))
                continue
            op = op or last
            events.append(Event(last, op, origin.attributed_to(draft.attribution), draft.scope, draft.body))
        return events

    # Lock and spool

    @contextmanager
    def locked(self, limit: int | None = _MAX_DRAINED, timeout: float | None = None) -> Iterator[None]:
        """Hold the lock. At most `limit` commands that were spooled before are filed first."""
        with self._lock.acquire(timeout):
            if not isinstance(self._lock, _NoopLock) and self.has_spooled():
                from tacit.log.spool import Spool  # seldom needed, because the lock is seldom busy

                Spool(self).drain(self.append_late, limit)
            yield

    @contextmanager
    def exclusive(self, timeout: float | None = None) -> Iterator[Log]:
        """Hold the lock and yield a log that can be read and changed as a whole, because nobody else can append."""
        with self.locked(None, timeout):
            log = Log(
                *(self.home, self.disk, _NoopLock(), self._entropy, self.secret_digest, self.signer),
                load_purges=self._load_purges,
            )
            log.progress = self.progress
            yield log

    def spool(self, draft: Draft, origin: EventOrigin) -> bool:
        """Keep a command that cannot be appended now, for the next holder of the lock. Return False if it is lost."""
        from tacit.log.spool import Spool

        return Spool(self).add(draft, origin, self.secret_digest)

    def drain_spool(self, timeout: float, limit: int | None = _MAX_DRAINED) -> None:
        """File spooled commands, if there are any. Raise LockBusyError or ReadOnlyError as an append does."""
        if self.has_spooled():
            with self.locked(limit, timeout):
                pass

    # Signing

    @property
    def sign(self) -> SignLine | None:
        """The function that signs a line; None in a home that does not sign."""
        return self.signer.sign if self.signer else None

    def digest(self, content: bytes) -> str:
        """Return a keyed hash, to recognise bytes that must not be stored; "" in a home that has no key."""
        return self.signer.digest(content) if self.signer else ""

    def begin_signing(self) -> None:
        """Record how far the segments go, before the first signed line is written."""
        if self.signer:
            self.signer.ensure_baseline(self.segment_sizes)

    def segment_sizes(self) -> dict[str, int]:
        return file_sizes((segment, self.path(segment)) for segment in self.segments())


def _may_sync_later(drafts: Sequence[Draft]) -> bool:
    return all(isinstance(draft.body, _DEFERRED_SYNC_BODIES) for draft in drafts)
