"""An index of a random log, filed at once or in pieces."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from itertools import pairwise

from hypothesis import strategies as st

from tacit.index import database, writer
from tacit.log.codec import encode, event_type, must_decode
from tacit.model.event import Event
from tests.laws.strategies import logs


def filed(log: Sequence[Event]) -> list[writer.IndexedEvent]:
    """Each event with the line of the log it stands in."""
    return [
        writer.IndexedEvent(
            event, event_type(event.body), "memory/events.jsonl", line, 0, 0, encode(event).rstrip(b"\n")
        )
        for line, event in enumerate(log, 1)
    ]


def indexed(*pieces: Iterable[writer.IndexedEvent]) -> sqlite3.Connection:
    connection = database.create_index(":memory:")
    for piece in pieces:
        writer.apply_events(connection, piece, [], must_decode)
    return connection


def _pieces(log: Sequence[Event]) -> st.SearchStrategy[list[list[writer.IndexedEvent]]]:
    """The lines of a log in pieces that come in any order, some of them more than once."""
    lines = filed(log)
    repeated = st.lists(st.sampled_from(lines), max_size=4) if lines else st.just([])
    shuffled = repeated.flatmap(lambda again: st.permutations(lines + again))
    cuts = st.lists(st.integers(0, len(lines)), max_size=4).map(sorted)
    return st.builds(_cut, shuffled, cuts)


def _cut(lines: list[writer.IndexedEvent], cuts: list[int]) -> list[list[writer.IndexedEvent]]:
    edges = [0, *cuts, len(lines)]
    return [lines[start:end] for start, end in pairwise(edges)]


logs_in_pieces = logs.flatmap(lambda log: st.tuples(st.just(log), _pieces(log)))
