"""Build an index from a whole log: rows are sorted outside of memory and inserted in the order of their keys.

Ids of claims, topics and terms come in any order, and a table of a million rows that grows in any order is written many
times over. So each kind of row is first spilled by range of its key, and then read, sorted and inserted range by range.
The memory this takes does not grow with the log. The result is that of `writer.apply_events`, which applies what is new
to an index that exists already (tests/laws/test_bulk.py).
"""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations, groupby
from operator import itemgetter
from typing import Any

from tacit.index.bulk_steps import CLAIM_BITS, BulkSteps, LogChunk, MergedRange, PreparedChunk
from tacit.index.database import mark_stale, transaction
from tacit.index.memories import (
    COUNT_MEMORIES,
    MAX_TOPIC_MEMORIES,
    ConflictIndex,
    OpposedPair,
    insert_memories,
    load_active,
)
from tacit.index.postings_writer import PostingRun, SpilledPostings, add_to_corpus, insert_postings
from tacit.index.spill import SpilledRanges
from tacit.index.writer import OtherEventsWriter, create_indexes, insert_events, new_entries

_RANGE_BYTES = 6 << 20  # of the log, whose memories are merged at once
_MAX_RANGE_BITS = 8
_READ, _MERGED, _WITH_POSTINGS = 0.45, 0.7, 0.8  # how much is done after each phase
_Pair = tuple[int, int]

# Runs a method of `BulkSteps` for each tuple of arguments, perhaps in other processes. Results are in order.
RunSteps = Callable[[str, Iterable[tuple[Any, ...]]], Iterator[Any]]


def build_index(
    connection: sqlite3.Connection,
    steps: BulkSteps,
    run: RunSteps,
    chunks: Sequence[LogChunk],
    report: Callable[[int, int], None] = lambda _done, _total: None,
) -> None:
    """Fill a new index with these chunks of the log, in one transaction.

    `report` is told how many bytes of the log are done, and how many there are. The shares of the phases are rough.
    """
    size = sum(chunk.end - chunk.offset for chunk in chunks)
    range_bits = min((size // _RANGE_BYTES).bit_length(), _MAX_RANGE_BITS)
    with transaction(connection):
        _Builder(connection, steps, run, range_bits, lambda share: report(int(share * size), size)).build(chunks)


class _Builder:
    def __init__(
        self,
        connection: sqlite3.Connection,
        steps: BulkSteps,
        run: RunSteps,
        range_bits: int,
        report: Callable[[float], None],
    ) -> None:
        self._connection = connection
        self._steps = steps
        self._run = run
        self._report = report  # how much is done, 0 to 1
        self._range_bits = range_bits
        self._ranges = 1 << range_bits
        self._fragments = SpilledRanges(self._ranges)
        self._topics = SpilledRanges(self._ranges)
        self._terms = SpilledRanges(self._ranges)
        self._bounds: Sequence[str] | None = None  # of the ranges of terms
        self._postings = SpilledPostings(connection, self._spill_postings)
        self._others = OtherEventsWriter(connection, self._postings, steps.decode)

    def build(self, chunks: Sequence[LogChunk]) -> None:
        self._read_chunks(chunks)
        self._merge_memories()
        self._others.flush()
        self._postings.flush()
        self._merge_postings()
        self._report(_WITH_POSTINGS)
        create_indexes(self._connection)
        ConflictIndex(self._connection).resolve_all(self._opposed_pairs())
        self._report(1)
        mark_stale(self._connection, ["everything"])

    # Events, and parts of memories

    def _read_chunks(self, chunks: Sequence[LogChunk]) -> None:
        cursors: dict[str, tuple[Any, ...]] = {}
        size, read = sum(chunk.end - chunk.offset for chunk in chunks), 0
        calls = ((chunk, self._range_bits) for chunk in chunks)
        for chunk, prepared in zip(chunks, self._run("prepare", calls), strict=True):
            self._add_chunk(chunk, prepared)
            read += chunk.end - chunk.offset
            self._report(_READ * read / size)
            if prepared.cursor:
                cursors[chunk.segment] = prepared.cursor
        rows = [(segment, *cursor) for segment, cursor in cursors.items()]
        self._connection.executemany("INSERT OR REPLACE INTO log_cursors VALUES (?, ?, ?, ?)", rows)

    def _add_chunk(self, chunk: LogChunk, prepared: PreparedChunk) -> None:
        is_new = insert_events(self._connection, prepared.event_rows)
        if is_new is not None:  # some events are in the log twice, and the first line counts
            entries = new_entries(self._steps.read_chunk(chunk)[0], is_new)
            prepared = self._steps.prepare_entries(entries, prepared.cursor, self._range_bits)
        self._connection.executemany("INSERT OR IGNORE INTO claim_sources VALUES (?, ?)", prepared.source_rows)
        self._connection.executemany("INSERT OR IGNORE INTO memory_agents VALUES (?, ?)", prepared.agent_rows)
        self._fragments.add(prepared.fragments)
        self._others.add_events(prepared.others, has_undo=prepared.has_undo)

    def _merge_memories(self) -> None:
        parts = iter(self._fragments)
        # The first range is merged here, because its terms tell where the ranges of terms begin.
        first: MergedRange = self._steps.merge(next(parts), self._ranges, None)
        self._bounds = first.bounds
        self._add_memories(first)
        for number, merged in enumerate(self._run("merge", ((spans, self._ranges, self._bounds) for spans in parts))):
            self._add_memories(merged)
            self._report(_READ + (_MERGED - _READ) * (number + 2) / self._ranges)
        self._connection.execute(COUNT_MEMORIES)

    def _add_memories(self, merged: MergedRange) -> None:
        run = self._connection.executemany
        run("INSERT OR IGNORE INTO claim_events VALUES (?, ?)", merged.claim_event_rows)
        insert_memories(self._connection, merged.memory_rows)
        run("INSERT INTO documents VALUES (?, ?, ?)", merged.document_rows)
        add_to_corpus(self._connection, len(merged.document_rows), merged.total_length)
        self._topics.add(merged.topics)
        self._terms.add(merged.terms)

    # Postings

    def _spill_postings(self, runs: list[PostingRun]) -> None:
        assert self._bounds is not None  # memories are merged first
        self._terms.add(self._steps.spill_runs(runs, self._bounds))

    def _merge_postings(self) -> None:
        for blocks, doc_freqs in self._run("merge_postings", ((spans,) for spans in self._terms)):
            insert_postings(self._connection, blocks, doc_freqs)

    # Conflicts

    def _opposed_pairs(self) -> Iterator[OpposedPair]:
        calls = ((self._steps.spill.write(group),) for group in self._compared_pairs())
        for pairs in self._run("compare", calls):
            yield from pairs

    def _compared_pairs(self) -> Iterator[tuple[list[tuple[Any, ...]], list[_Pair]]]:
        """Yield the pairs of active memories that share a topic, in groups, with what is compared of each."""
        for spans in self._pairs_by_range():
            flat = array("q", b"".join([self._steps.spill.read(span) for span in spans]))
            pairs = sorted(set(zip(flat[::2], flat[1::2], strict=True)))
            if pairs:
                memories = load_active(self._connection, {doc_id for pair in pairs for doc_id in pair})
                yield [tuple(memory) for memory in memories], pairs

    def _pairs_by_range(self) -> SpilledRanges:
        """Insert the topics, and spill the pairs of memories that share one by the range of the first memory."""
        ranges = SpilledRanges(self._ranges)
        shift = CLAIM_BITS - self._range_bits
        for spans in self._topics:
            flat = array("q", b"".join([self._steps.spill.read(span) for span in spans]))
            rows = sorted(zip(flat[::2], flat[1::2], strict=True))
            self._connection.executemany("INSERT INTO memory_topics VALUES (?, ?)", rows)
            by_range: dict[int, array[int]] = {}
            for pair in _pairs_sharing_a_topic(rows):
                by_range.setdefault(pair[0] >> shift, array("q")).extend(pair)
            ranges.add((number, self._steps.spill.write(pairs.tobytes())) for number, pairs in by_range.items())
        return ranges


def _pairs_sharing_a_topic(rows: Iterable[_Pair]) -> Iterator[_Pair]:
    """Yield the pairs of memories that share a topic which is not too common. `rows` are sorted topics and memories."""
    for _, group in groupby(rows, key=itemgetter(0)):
        members = [doc_id for _, doc_id in group]
        if 1 < len(members) <= MAX_TOPIC_MEMORIES:
            yield from combinations(members, 2)
