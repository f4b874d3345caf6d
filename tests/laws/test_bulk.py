"""A new index is built by sorting rows outside of memory: it is the index that events make one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import starmap
from typing import Any

import pytest
from hypothesis import given

from tacit.index import bulk, database, memories, reader
from tacit.index.bulk_steps import BulkSteps, LogChunk
from tacit.index.spill import Spill
from tacit.index.writer import IndexedEvent
from tacit.log.codec import must_decode
from tacit.model.event import Event
from tests.laws.filing import filed, indexed, logs_in_pieces
from tests.laws.strategies import law, quick_law

Pieces = tuple[list[Event], list[list[IndexedEvent]]]


def built(pieces: list[list[IndexedEvent]], ranges: int = 1) -> list[str]:
    """The dump of an index that is built of these pieces, each of them a chunk."""

    def read_chunk(chunk: LogChunk) -> tuple[list[IndexedEvent], None]:
        return pieces[chunk.lines], None

    def run(name: str, calls: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
        return starmap(getattr(steps, name), calls)

    steps = BulkSteps(read_chunk, lambda *_: None, must_decode, Spill())
    chunks = [LogChunk("memory/events.jsonl", 0, number, ranges) for number in range(len(pieces))]
    connection = database.create_index(":memory:")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bulk, "_RANGE_BYTES", len(pieces))
        bulk.build_index(connection, steps, run, chunks)
    return list(reader.dump(connection))


@law
@given(logs_in_pieces)
def test_an_index_built_at_once_is_that_of_catching_up(both: Pieces) -> None:
    log, pieces = both
    assert built(pieces) == list(reader.dump(indexed(*pieces)))
    assert built([filed(log)]) == list(reader.dump(indexed(filed(log))))


@quick_law
@given(logs_in_pieces)
def test_it_does_not_depend_on_how_keys_are_cut_into_ranges(both: Pieces) -> None:
    _, pieces = both
    assert built(pieces, ranges=1) == built(pieces, ranges=8) == built(pieces, ranges=100)


@quick_law
@given(logs_in_pieces)
def test_a_topic_that_is_too_common_is_left_out_in_both_ways(both: Pieces) -> None:
    _, pieces = both
    with pytest.MonkeyPatch.context() as patch:
        for module in (memories, bulk):
            patch.setattr(module, "MAX_TOPIC_MEMORIES", 2)
        assert built(pieces) == list(reader.dump(indexed(*pieces)))
