"""The steps of building an index that need no index: from lines of the log to rows, ready to be inserted in order.

A step takes and returns plain values, so that it can run in another process (home/workers.py). What is large goes
through the spill. Every step gives the same result wherever it runs and however the log was cut into chunks.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Any

from tacit.contradiction.topics import share_enough, topics
from tacit.index.database import LineReader
from tacit.index.memories import ActiveMemory, OpposedPair, compare_memories, memory_agents, memory_content
from tacit.index.postings_writer import PostingRun, merged_blocks, posting_runs
from tacit.index.reader import Decode
from tacit.index.spill import Span, Spill
from tacit.index.writer import IndexedEvent
from tacit.model.event import ClaimDecided, ClaimProposed, EventsUndone
from tacit.model.ids import ClaimId, claim_number
from tacit.model.memory import claims_of_event, fold_memory
from tacit.record import Record
from tacit.text.words import STEMS

CLAIM_BITS = 60
_JUDGEMENTS = (ClaimProposed, ClaimDecided, EventsUndone)
_Row = tuple[Any, ...]


class LogChunk(Record):
    """Whole lines of a segment: where they begin and end, and how many lines are before them."""

    segment: str
    offset: int
    lines: int
    end: int


class PreparedChunk(Record):
    """The rows of a chunk. `fragments` are parts of memories by range of claims, `others` the events that are no
    judgements, and `cursor` is how far the segment was read; None if nothing was."""

    event_rows: Sequence[_Row]
    source_rows: Sequence[_Row]
    agent_rows: Sequence[_Row]
    fragments: Sequence[tuple[int, Span]]
    others: Sequence[IndexedEvent]
    has_undo: bool
    cursor: _Row | None


class MergedRange(Record):
    """The rows of all memories in a range of claims. `terms` and `topics` are spilled by range."""

    claim_event_rows: Sequence[_Row]
    memory_rows: Sequence[_Row]
    document_rows: Sequence[_Row]
    topics: Sequence[tuple[int, Span]]
    terms: Sequence[tuple[int, Span]]
    bounds: Sequence[str]
    total_length: int


class BulkSteps:
    """The steps. `read_chunk` returns the readable events of a chunk, and how far it goes."""

    def __init__(
        self,
        read_chunk: Callable[[LogChunk], tuple[list[IndexedEvent], _Row | None]],
        lines: LineReader,
        decode: Decode,
        spill: Spill,
    ) -> None:
        self.read_chunk = read_chunk
        self.lines = lines
        self.decode = decode
        self.spill = spill

    # From lines to parts of memories

    def prepare(self, chunk: LogChunk, range_bits: int) -> PreparedChunk:
        """Return the rows of a chunk of the log."""
        entries, cursor = self.read_chunk(chunk)
        return self.prepare_entries(entries, cursor, range_bits)

    def prepare_entries(self, entries: Sequence[IndexedEvent], cursor: _Row | None, range_bits: int) -> PreparedChunk:
        """Return the rows of these events."""
        by_claim: dict[ClaimId, list[IndexedEvent]] = {}
        event_rows: list[_Row] = []
        source_rows: list[_Row] = []
        others: list[IndexedEvent] = []
        for entry in entries:
            event = entry.event
            if not isinstance(event.body, _JUDGEMENTS):
                others.append(entry)
                if entry.is_folded:
                    event_rows.append(entry.row)
                continue
            event_rows.append(entry.row)
            claims = claims_of_event(event)
            for claim in claims:
                by_claim.setdefault(claim, []).append(entry)
            if isinstance(event.body, ClaimProposed) and event.body.events:
                source_rows += [(claims[0], source) for source in event.body.events]
        fragments = sorted([_fragment(claim, group) for claim, group in by_claim.items()], key=itemgetter(0))
        return PreparedChunk(
            event_rows,
            source_rows,
            memory_agents({claim: [entry.event for entry in group] for claim, group in by_claim.items()}),
            self._spill_by_number(fragments, CLAIM_BITS - range_bits),
            others,
            any(isinstance(entry.event.body, EventsUndone) for entry in entries),
            cursor,
        )

    def _spill_by_number(self, rows: Sequence[_Row], shift: int) -> list[tuple[int, Span]]:
        """Spill sorted rows by the highest bits of their first column."""
        spans = []
        low = 0
        while low < len(rows):
            number = rows[low][0] >> shift
            high = bisect_left(rows, number + 1 << shift, low, key=itemgetter(0))
            spans.append((number, self.spill.write(rows[low:high])))
            low = high
        return spans

    # From parts to memories

    def merge(self, parts: Sequence[Span], ranges: int, bounds: Sequence[str] | None) -> MergedRange:
        """Return the rows of the memories in a range of claims.

        `bounds` are the first terms of all ranges of terms but the first one. If None, they are chosen here.
        """
        fragments = sorted([row for span in parts for row in self.spill.read(span)], key=itemgetter(0))
        claim_events: list[_Row] = []
        memories: list[_Row] = []
        documents: list[_Row] = []
        members: list[tuple[int, int]] = []
        added: dict[str, list[int]] = defaultdict(list)
        length, stem = 0, STEMS.__getitem__
        for number, claim, positions, content in self._joined(fragments):
            claim_events += [(claim, position[0]) for position in positions]
            if content is None:
                continue
            _, row, text, extra, topic_hashes = content
            memories.append(row)
            documents.append((number, text, extra))
            members += [(topic, number) for topic in topic_hashes]
            words = text.split()
            words += extra.split()
            length += len(words)
            for term in set(map(stem, words)):
                added[term].append(number)
        if bounds is None:
            bounds = _term_bounds(added, ranges)
        runs = posting_runs(added, {})
        return MergedRange(
            claim_events,
            memories,
            documents,
            self._spill_topics(sorted(members), ranges),
            self.spill_runs(runs, bounds),
            bounds,
            length,
        )

    def _joined(self, fragments: Sequence[_Row]) -> Iterator[_Row]:
        """Yield the whole of each memory, which is folded again if its events were in several chunks."""
        for number, group in groupby(fragments, key=itemgetter(0)):
            first, *others = group
            if not others:
                yield first
                continue
            claim = first[1]
            positions = sorted({position[0]: position for part in (first, *others) for position in part[2]}.values())
            events = [self.decode(raw or self.lines(*place) or b"") for _, *place, raw in positions]
            memory = fold_memory(events, claim)
            yield number, claim, positions, tuple(memory_content(memory, number)) if memory else None

    def _spill_topics(self, members: Sequence[tuple[int, int]], ranges: int) -> list[tuple[int, Span]]:
        """Spill sorted pairs of topic and memory by range of topics."""
        spans = []
        low = 0
        for number in range(ranges):
            end = ((number + 1) * (1 << 64) // ranges - (1 << 63), 0)
            high = bisect_left(members, end, low)
            if low < high:
                flat = array("q", [value for member in members[low:high] for value in member])
                spans.append((number, self.spill.write(flat.tobytes())))
            low = high
        return spans

    def spill_runs(self, runs: Sequence[PostingRun], bounds: Sequence[str]) -> list[tuple[int, Span]]:
        """Spill sorted postings by range of terms."""
        cuts = [0, *(bisect_left(runs, bound, key=itemgetter(0)) for bound in bounds), len(runs)]
        return [
            (number, self.spill.write(runs[low:high]))
            for number, (low, high) in enumerate(pairwise(cuts))
            if low < high
        ]

    # Postings, and pairs that contradict each other

    def merge_postings(self, parts: Sequence[Span]) -> tuple[list[_Row], list[_Row]]:
        """Return the rows of `postings` and `terms` for a range of terms."""
        by_term: dict[str, list[PostingRun]] = {}
        for span in parts:
            for run in self.spill.read(span):
                by_term.setdefault(run[0], []).append(run)
        blocks: list[_Row] = []
        doc_freqs: list[_Row] = []
        for term in sorted(by_term):
            doc_freq, rows = merged_blocks(term, by_term[term])
            blocks += rows
            doc_freqs.append((term, doc_freq))
        return blocks, doc_freqs

    def compare(self, span: Span) -> list[OpposedPair]:
        """Return those of the spilled pairs of memories that contradict each other, or may do so."""
        rows, pairs = self.spill.read(span)
        memories = {row[0]: _Comparable.of(ActiveMemory(*row)) for row in rows}
        compared = ((memories[first], memories[second]) for first, second in pairs)
        return [
            pair
            for first, second in compared
            if first.shares_enough(second) and (pair := compare_memories(first.memory, second.memory))
        ]


class _Comparable(Record):
    """A memory and its topics. `with_any` says that one topic in common is enough to compare it with another one."""

    memory: ActiveMemory
    topics: frozenset[str]
    with_any: bool

    @classmethod
    def of(cls, memory: ActiveMemory) -> _Comparable:
        found = topics(memory.sentence)
        return cls(memory, found, share_enough(1, len(found), memory.sentence, ""))

    def shares_enough(self, other: _Comparable) -> bool:
        """Return whether two memories that share a topic are compared, as `share_enough` says of their sentences."""
        return self.with_any or other.with_any or len(self.topics & other.topics) > 1


def _fragment(claim: ClaimId, entries: Sequence[IndexedEvent]) -> _Row:
    """Return what these events say about a claim: its number and id, the events with their positions, the memory."""
    number = claim_number(claim)
    memory = fold_memory([entry.event for entry in entries], claim)
    positions = [(entry.event.id, entry.segment, entry.offset, entry.length, entry.raw) for entry in entries]
    return number, claim, positions, tuple(memory_content(memory, number)) if memory else None


def _term_bounds(added: Mapping[str, Sequence[int]], ranges: int) -> list[str]:
    """Return where the ranges of terms begin that have about the same number of postings each, but for the first."""
    share = sum(map(len, added.values())) / ranges
    bounds: list[str] = []
    gathered = 0
    for term in sorted(added):
        if gathered >= share * (len(bounds) + 1) and len(bounds) + 1 < ranges:
            bounds.append(term)
        gathered += len(added[term])
    return bounds
