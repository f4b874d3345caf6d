"""Planning a purge: which lines of the log change, and how. Nothing is written here.

The first, long search needs no lock. The one under the lock reads only lines that were appended since.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import zip_longest
from typing import Any, TypeVar

from tacit.errors import RefusedError
from tacit.log.codec import decode, encode, is_encoding_of, split_mac
from tacit.log.log import Log
from tacit.log.reader import LocatedLine, SegmentProgress, read_torn_tail
from tacit.log.rewrite import decode_raw
from tacit.model.claim import GLOBAL, Claim
from tacit.model.event import Draft, Event
from tacit.model.memory import touched_claims
from tacit.model.observation import Fingerprint, LogSealed, MemoryPurged, PurgedStub, UnknownBody
from tacit.purge.match import LiteralMatcher, matches_any
from tacit.purge.remains import PurgeTarget, claims_of, moved_claims, purge_bound, purge_event
from tacit.purge.rewrite import LineEdit, PurgePlan, SegmentEdits
from tacit.purge.search import (
    LineFilter,
    LinePosition,
    SegmentState,
    SharedRoots,
    claim_word,
    lines_at,
    lines_with_claims,
    position_of,
    refers_to,
)
from tacit.purge.tombstones import Tombstones

_ENVELOPE_KEYS = ("id", "op", "ts", "m", "c", "type", "src")
_MAX_IDS_PER_TOMBSTONE = 2000  # a tombstone has to fit into a line
_MAX_CLAIM_WORDS = 24  # more words than this are not searched for: all claims are decoded instead
SEARCH_TASK = "searching the log"

T = TypeVar("T")
ChangeEvent = Callable[[Event], Event]
ContainsText = Callable[[str], bool]


class _SegmentFindings(SegmentState):
    """What the search knows of a segment."""

    def __init__(self) -> None:
        super().__init__()
        self.candidates: list[LinePosition] = []
        self.referring: list[LinePosition] = []
        self.claims_before: dict[str, Claim] = {}  # claims that are touched by candidates
        self.claims_after: set[str] = set()  # and by what is left of them
        self.moved: dict[str, str] = {}
        self.matching: set[str] = set()  # claims that contain a text and stay
        self.roots = SharedRoots({}, set())
        self.claims_searched = 0  # up to where the other lines of claims were looked at
        self.edits: dict[int, LineEdit | None] = {}  # by offset, for the last full target
        self.changes: LineChanges | None = None


class PurgeSearch:
    """Plans a purge of known texts and claims, repeatedly.

    Args:
        target: what is to be purged.
        claim_keys: the keys of the claims in `target`, by which their lines are found.
    """

    def __init__(self, target: PurgeTarget, claim_keys: Sequence[str] = ()) -> None:
        self._target = target
        self._filter = LineFilter(
            [matcher.normalized for matcher in target.matchers if isinstance(matcher, LiteralMatcher)],
            [claim_word(key) for key in claim_keys],
        )
        self._segments: dict[str, _SegmentFindings] = {}
        self._suspects: dict[str, Claim] = {}  # claims that seem to be gone
        self._survivors: set[str] = set()  # those of them that other lines are about
        self._full_target = target

    def plan(self, log: Log) -> PurgePlan:
        """Return the plan for the log as it is now.

        First the claims are found that the purge removes or moves. Then they are removed by their ids, too, as a
        tombstone will. Raise RefusedError if a line holds a text in a field that this version does not know.
        """
        names = log.segments()
        progress = SegmentProgress(log, SEARCH_TASK, names)
        found_before, self._segments = self._segments, {}
        for name in names:
            self._segments[name] = self._search_segment(log, name, found_before.get(name), progress)
            progress.next_segment(name)
        moved = {old: new for found in self._segments.values() for old, new in found.moved.items()}
        gone = self._gone_claims(log) - moved.keys()
        full = self._target._replace(moved=moved, claims=self._target.claims | gone)
        if (full.moved, full.claims) != (self._full_target.moved, self._full_target.claims):
            self._full_target = full
            for found in self._segments.values():
                found.edits, found.changes = {}, None
        edits = [self._segment_edits(log, name, found) for name, found in self._segments.items()]
        roots = SharedRoots({}, set())
        for found in self._segments.values():
            roots.seen.update(found.roots.seen)
            roots.shared_scopes.update(found.roots.shared_scopes)
        matching = frozenset(claim for found in self._segments.values() for claim in found.matching)
        changed = tuple(segment for segment in edits if segment.edits)
        return PurgePlan(full, changed, roots, frozenset(gone), matching - full.claims)

    def _search_segment(
        self, log: Log, name: str, found: _SegmentFindings | None, progress: SegmentProgress
    ) -> _SegmentFindings:
        """Return what is known of a segment, with the lines that were appended since it was `found`."""
        path = log.path(name)
        if found is None or not found.is_current(path):
            found = _SegmentFindings()
        for block in found.advance(path, progress):
            candidates, referring = self._filter.candidates(block, found.roots)
            for line in candidates:
                self._add_candidate(found, line, name)
            found.referring += map(position_of, referring)
        return found

    def _add_candidate(self, found: _SegmentFindings, line: LocatedLine, segment: str) -> None:
        event = decode_raw(line.data + b"\n")
        if not isinstance(event, Event):
            if event is not None:
                found.candidates.append(position_of(line))
            return
        found.roots.add(event)
        _refuse_unknown_fields(line, event, segment, self._contains)
        claims = claims_of(event.body)
        for claim in claims:
            if not self._target.everywhere and matches_any(claim.sentence, self._target.matchers):
                found.matching.add(claim.id)
        remaining = purge_event(event, self._target)
        if remaining is event and not claims:
            return
        found.candidates.append(position_of(line))
        found.moved.update(moved_claims([event], self._target))
        found.claims_before.update((claim.id, claim) for claim in claims)
        found.claims_after.update(touched_claims(remaining))

    def _contains(self, text: str) -> bool:
        return matches_any(text, self._target.matchers)

    def _gone_claims(self, log: Log) -> set[str]:
        """Return the claims of which nothing is left, in any line."""
        suspects: dict[str, Claim] = {}
        for found in self._segments.values():
            suspects.update(found.claims_before)
        for found in self._segments.values():
            for claim_id in found.claims_after:
                suspects.pop(claim_id, None)
        if suspects.keys() != self._suspects.keys():
            self._suspects, self._survivors = suspects, set()
            for found in self._segments.values():
                found.claims_searched = 0
        for name, found in self._segments.items() if suspects else ():
            known = {position.offset for position in found.candidates}
            self._survivors.update(surviving_claims(log, name, suspects, known, (found.claims_searched, found.end)))
            found.claims_searched = found.end
        return suspects.keys() - self._survivors

    def _segment_edits(self, log: Log, name: str, found: _SegmentFindings) -> SegmentEdits:
        if found.changes is None:
            found.changes = LineChanges(log, name, self._purge_fully, self._contains)
        found.changes.log = log
        positions = sorted({*found.candidates, *found.referring}, key=lambda position: position.offset)
        unknown = [position for position in positions if position.offset not in found.edits]
        named = {name.encode("ascii") for name in (*self._full_target.claims, *self._full_target.moved)}
        candidates = {position.offset for position in found.candidates}
        for line in lines_at(log.path(name), unknown):
            is_named = line.offset in candidates or b'"log.sealed"' in line.data or refers_to(line.data, named)
            found.edits[line.offset] = found.changes.edit_of(line) if is_named else None
        edits = (edit for position in positions if (edit := found.edits[position.offset]))
        return SegmentEdits(name, (*edits, *found.changes.tail_edits(found.end)), found.end)

    def _purge_fully(self, event: Event) -> Event:
        return purge_event(event, self._full_target)


def surviving_claims(
    log: Log, segment: str, suspects: Mapping[str, Claim], known: Collection[int], span: tuple[int, int]
) -> Iterator[str]:
    """Yield the claims of `suspects` that are in lines of a segment between two offsets, but for those at `known`."""
    words: list[str] | None = list({claim_word(claim.key) for claim in suspects.values()})
    if len(words or ()) > _MAX_CLAIM_WORDS or not all(words or ()):
        words = None
    start, end = span
    for line in lines_with_claims(log, segment, words, start):
        event = decode(line.data) if line.offset not in known and line.offset < end else None
        if isinstance(event, Event):
            yield from (claim for claim in touched_claims(event) if claim in suspects)


class LineChanges:
    """Makes the edits of a segment, line by line in order. `event` and `remaining` are those of the last line."""

    def __init__(self, log: Log, segment: str, change: ChangeEvent, contains: ContainsText) -> None:
        self.log = log
        self._segment = segment
        self._change = change
        self._contains = contains
        self._dropped: set[str] = set()
        self.event: Event | None = None
        self.remaining: Event | None = None

    def edit_of(self, line: LocatedLine) -> LineEdit | None:
        """Return what becomes of a line; None if it stays."""
        decoded = decode_raw(line.data + b"\n")
        self.event, self.remaining = decoded if isinstance(decoded, Event) else None, None
        length = len(line.data) + 1
        if self.event is None:
            if decoded is None or not self._contains(line.data.decode("utf-8", "surrogateescape")):
                return None
            self._dropped.add(sha256(line.data).hexdigest())
            return LineEdit(line.number, line.offset, length, b"", None)
        _refuse_unknown_fields(line, self.event, self._segment, self._contains)
        self.remaining = _without_seal(self._change(self.event), self._dropped)
        if self.remaining == self.event:
            return None
        data = _encode_remaining(self.log, line.data, self.remaining)
        return LineEdit(line.number, line.offset, length, data, self.event.id)

    def tail_edits(self, end: int) -> Iterator[LineEdit]:
        """Yield the removal of a torn tail, if it contains a text."""
        tail = read_torn_tail(self.log.path(self._segment), end)
        if tail and b"\n" not in tail and self._contains(tail.decode("utf-8", "surrogateescape")):
            yield LineEdit(0, end, len(tail), b"", None)


def _encode_remaining(log: Log, line: bytes, remaining: Event) -> bytes:
    """Encode what is left of a line. It is signed only if the line had a correct MAC: a purge vouches for nothing."""
    was_signed = log.signer and log.signer.verifies(*split_mac(line))
    return encode(remaining, log.sign if was_signed else None)


def _without_seal(event: Event, dropped: set[str]) -> Event:
    """Remove the seal of a dropped fragment: guesses at its text could be compared with the hash."""
    if isinstance(event.body, LogSealed) and event.body.sha256 in dropped:
        return event._replace(body=PurgedStub("log.sealed"))
    return event


def _refuse_unknown_fields(line: LocatedLine, event: Event, segment: str, contains: ContainsText) -> None:
    """Raise RefusedError if a line of a newer version contains text that is to go."""
    if not isinstance(event.body, UnknownBody) and is_encoding_of(event, line.data):
        return
    values = [value for name, value in json.loads(line.data).items() if name not in _ENVELOPE_KEYS]
    if any(contains(text) for text in _strings_in_json(values)):
        raise RefusedError(
            f"{segment}:{line.number} holds it too, and a newer version of Tacit wrote that line; nothing was changed",
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


# Tombstones


def make_tombstones(plan: PurgePlan, prints: Sequence[Fingerprint], reason: str) -> list[Draft]:
    """Return the tombstones of a plan: one, or as many as its ids need."""
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


def additional_tombstones(log: Log, plan: PurgePlan, tombstones: Tombstones) -> Iterator[Draft]:
    """Yield tombstones for events that earlier ones apply to and do not name. They remove no more than those."""
    changed = [event for segment in plan.segments for event in _changed_events(log, segment)]
    for tombstone in tombstones.all:
        unnamed = [
            event.id
            for event in changed
            if tombstone.applies_to(event)
            and event.id not in tombstone.body.events
            and tombstones.purge(event, tombstone) is not event
        ]
        before = purge_bound(tombstone.id, tombstone.body)
        for events in _chunks(unnamed):
            body = tombstone.body._replace(events=tuple(events), claims=(), damaged=0, before=before)
            yield Draft(body, GLOBAL)


def _changed_events(log: Log, segment: SegmentEdits) -> Iterator[Event]:
    positions = [LinePosition(edit.number, edit.offset, edit.length) for edit in segment.edits if edit.event]
    for line in lines_at(log.path(segment.segment), positions):
        if isinstance(event := decode(line.data), Event):
            yield event


def _chunks(items: Sequence[T]) -> list[Sequence[T]]:
    return [items[start : start + _MAX_IDS_PER_TOMBSTONE] for start in range(0, len(items), _MAX_IDS_PER_TOMBSTONE)]
