"""An empty index, the index of a few events, and what more events change in one."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest

from tacit.index import database, reader, writer
from tacit.log.codec import must_decode
from tacit.model.event import Event, EventBody
from tests.laws.filing import filed, indexed
from tests.support.events import event


@pytest.fixture
def index() -> Iterator[sqlite3.Connection]:
    with closing(database.create_index(database.IN_MEMORY)) as connection:
        yield connection


def index_of(*said: Event | EventBody) -> sqlite3.Connection:
    """The index of events, and of what a person said one after the other."""
    log = [each if isinstance(each, Event) else event(number, each) for number, each in enumerate(said, 1)]
    return indexed(filed(log))


def add(index: sqlite3.Connection, *events: Event) -> list[str]:
    """Apply events to an index and return the views that became stale."""
    index.execute("DELETE FROM stale_views")
    writer.apply_events(index, filed(events), [], must_decode)
    return reader.stale_views(index)
