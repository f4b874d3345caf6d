"""The index may be deleted at any time: what is made again from the log is what was kept all along."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from tacit.index import database, reader, writer
from tacit.log.codec import DamagedLine, event_type, must_decode
from tacit.model.event import ClaimDecided, ClaimProposed
from tacit.model.ids import EventId
from tacit.model.observation import WorkLogged
from tacit.search.rank import Query, SearchResult, search
from tests.chaos.apart import apart
from tests.chaos.outcome import Outcome, Row, mutant_row
from tests.chaos.workload import VERBS, Plan, catch_up, fingerprint, live, open_store, question

_QUESTIONS = 200


def answers(connection: sqlite3.Connection) -> list[list[SearchResult]]:
    """What is found for random questions, the same ones every time."""
    rng = random.Random(7)
    asked = [Query(question(rng), rng.randint(1, 20), everything=rng.random() < 0.3) for _ in range(_QUESTIONS)]
    return [search(connection, query) for query in asked]


def compare(home: str) -> tuple[list[str], int, int]:
    """In what the index that was kept differs from one made again from the log; its memories; questions answered."""
    with closing(open_store(home)) as store, closing(store.indexer.in_memory_index()) as fresh:
        catch_up(store)
        found = answers(fresh)
        differences = ["other rows"] * (store.read(fingerprint) != fingerprint(fresh))
        differences += ["other answers"] * (store.read(answers) != found)
        return differences, sum(1 for _ in reader.memory_rows(fresh)), sum(map(bool, found))


def filed(home: str) -> Iterator[writer.IndexedEvent]:
    """Every readable line of the log, ready for an index."""
    log = open_store(home).log
    for segment in log.segments():
        for line, event in ((record.line, record.event) for record in log.read(segment)):
            if not isinstance(event, DamagedLine):
                place = (segment, line.number, line.offset, line.length, line.data)
                yield writer.IndexedEvent(event, event_type(event.body), *place)


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


def missed(home: str, count: int) -> Outcome:
    """Some events are left out, one at a time; a fault for each index that looks different, as all must."""
    entries = list(filed(home))
    whole = index_of(entries)
    assert index_of(entries) == whole
    # These leave a trace in any case; an undo of an undo may leave none.
    traced = [one.event.id for one in entries if isinstance(one.event.body, ClaimProposed | ClaimDecided | WorkLogged)]
    faults = [
        f"without {event}"
        for event in random.Random(1).sample(traced, count)
        if whole not in (index_of(entries, left_out=event), index_of(entries, unheard=event))
    ]
    return Outcome(count, len(entries), 0, tuple(faults))


def test_the_kept_index_equals_a_fresh_rebuild(memory_home: str) -> None:
    done = apart(live, Plan(memory_home, f"{memory_home}-project", processes=4, operations=30))
    assert set(done) == set(VERBS), "a workload in which a verb never works shows little"
    differences, memories, answered = compare(memory_home)
    assert differences == []
    assert memories > 20
    assert answered > 100


def test_what_one_process_undoes_breaks_no_answer_of_another(memory_home: str) -> None:
    verbs = ("add", "undo", "list", "remember")
    done = apart(live, Plan(memory_home, f"{memory_home}-project", processes=6, operations=20, verbs=verbs))
    assert set(done) == set(verbs)


def rows(short: bool) -> Iterator[Row]:
    operations, count = (30, 5) if short else (300, 50)

    def rebuilt(at: Path) -> Outcome:
        done = apart(live, Plan(str(at / "home"), str(at / "project"), 4, operations))
        differences, memories, answered = compare(str(at / "home"))
        note = f"{memories} memories; {answered} of {_QUESTIONS} questions answered, all alike"
        return Outcome(4 * operations, done.total(), 0, tuple(differences), note)

    def told_apart(at: Path) -> Outcome:
        apart(live, Plan(str(at / "home"), str(at / "project"), 4, operations))
        return missed(str(at / "home"), count)

    yield Row("T06 rebuild after random work", rebuilt)
    yield mutant_row("T06 mutant: one event not applied", told_apart, least=count)
