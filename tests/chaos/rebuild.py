"""Whether two indexes of one log are the same: every derived row, and the answers to many questions."""

from __future__ import annotations

import os
import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from hashlib import sha256
from typing import NamedTuple

from tacit.disk.files import OsDisk
from tacit.home.actor import current_actor
from tacit.home.paths import HomePaths
from tacit.home.store import Store, StoreOptions
from tacit.index import database, reader, writer
from tacit.index.compare import dump_rows
from tacit.log.codec import DamagedLine, event_type, must_decode
from tacit.model.event import ClaimDecided, ClaimProposed
from tacit.model.ids import EventId
from tacit.model.observation import WorkLogged
from tacit.search.rank import Query, SearchResult, search
from tests.chaos.workload import question

_INLINE = StoreOptions()


def open_store(home: str, options: StoreOptions = _INLINE) -> Store:
    """Log, index and notes of a home, outside of any project."""
    return Store(HomePaths(home), OsDisk(), current_actor({}), None, lambda: os.urandom(10), options=options)


def catch_up(store: Store) -> None:
    """File everything, also what nobody waits for."""
    with store.change():
        pass


def fingerprint(connection: sqlite3.Connection) -> str:
    """A hash of the logical dump."""
    digest = sha256()
    for row in dump_rows(connection):
        digest.update(repr(row).encode("utf-8", "surrogatepass") + b"\n")
    return digest.hexdigest()


def answers(connection: sqlite3.Connection, questions: int) -> list[list[SearchResult]]:
    """What is found for so many random questions, the same ones every time."""
    rng = random.Random(7)
    asked = [Query(question(rng), rng.randint(1, 20), everything=rng.random() < 0.3) for _ in range(questions)]
    return [search(connection, query) for query in asked]


class Comparison(NamedTuple):
    """The index that was kept, beside one made again from the log."""

    same_rows: bool
    same_answers: bool
    memories: int
    answered: int


def compare(home: str, questions: int = 200) -> Comparison:
    with closing(open_store(home)) as store, closing(store.in_memory_index()) as fresh:
        catch_up(store)
        found = answers(fresh, questions)
        return Comparison(
            same_rows=store.read(fingerprint) == fingerprint(fresh),
            same_answers=store.read(lambda kept: answers(kept, questions)) == found,
            memories=sum(1 for _ in reader.memory_rows(fresh)),
            answered=sum(1 for matches in found if matches),
        )


def filed(store: Store) -> Iterator[writer.IndexedEvent]:
    """Every readable line of the log, ready for an index."""
    for segment in store.log.segments():
        for record in store.log.read(segment):
            if not isinstance(record.event, DamagedLine):
                line, event = record.line, record.event
                yield writer.IndexedEvent(
                    event, event_type(event.body), segment, line.number, line.offset, line.length, line.data
                )


def folded(entries: list[writer.IndexedEvent]) -> list[EventId]:
    """The events that leave a trace in the index in any case (an undo of an undo may leave none)."""
    return [
        entry.event.id for entry in entries if isinstance(entry.event.body, ClaimProposed | ClaimDecided | WorkLogged)
    ]


def index_of(
    entries: list[writer.IndexedEvent], *, left_out: EventId | None = None, unheard: EventId | None = None
) -> str:
    """The fingerprint of an index of these lines; the mutants leave one out, or file it without listening to it."""
    with closing(database.create_index(":memory:")) as connection:
        for entry in entries:
            if entry.event.id == unheard:
                connection.execute("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", entry.row)
        writer.apply_events(connection, [entry for entry in entries if entry.event.id != left_out], [], must_decode)
        return fingerprint(connection)
