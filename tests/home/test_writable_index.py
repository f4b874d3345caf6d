"""The index for writers: up to date, rebuilt if it has to be, and in memory if the disk does not take it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from harness.person import Person

from tacit.home import indexing
from tacit.home.follower import wait_for_threads
from tacit.home.store import Store
from tacit.index import reader
from tacit.model.claim import GLOBAL
from tacit.model.event import ClaimProposed, Draft, Verdict
from tacit.model.statement import claim_from

KNOWN, NEW, LATER = "never force push", "always run the linter", "name the ticket in every commit"


@pytest.fixture
def store(person: Person) -> Iterator[Store]:
    """A home in which one memory is indexed, and one only in the log."""
    with person.vault() as vault:
        vault.add(KNOWN)
        wait_for_threads()
        store = vault.home.store
        store.log.append([added(NEW)], store.actor.origin())
        yield store


def added(text: str) -> Draft:
    return Draft(ClaimProposed(claim_from(text, GLOBAL), Verdict.ADDED, "user_direct"), GLOBAL)


def sentences(connection: sqlite3.Connection) -> set[str]:
    return {row.sentence for row in reader.memory_rows(connection)}


def stored(store: Store) -> set[str]:
    """What the next process finds in the file, before it catches up."""
    with closing(store.writable_index.open_as_is()) as connection:
        return sentences(connection)


def test_it_is_up_to_date_when_it_is_opened(store: Store) -> None:
    assert stored(store) == {KNOWN}
    store.writable_index.open().close()
    assert stored(store) == {KNOWN, NEW}


@pytest.mark.parametrize("content", [b"", b"no database"])
def test_an_index_that_cannot_be_used_is_rebuilt(store: Store, content: bytes) -> None:
    Path(store.paths.index).write_bytes(content)
    assert stored(store) == {KNOWN, NEW}


def test_a_snapshot_shows_what_is_in_the_log_and_is_never_written(store: Store) -> None:
    with closing(store.writable_index.snapshot()) as snapshot:
        assert sentences(snapshot.connection) == {KNOWN, NEW}
    assert stored(store) == {KNOWN}


def test_a_snapshot_refuses_what_would_be_lost_with_it(store: Store) -> None:
    with closing(store.writable_index.snapshot()) as snapshot:
        for _ in range(2):
            with pytest.raises(sqlite3.OperationalError, match="readonly"):
                snapshot.connection.execute("DELETE FROM memories")
            snapshot.advance()


def test_a_snapshot_advances_with_the_log(store: Store) -> None:
    with closing(store.writable_index.snapshot()) as snapshot:
        store.log.append([added(LATER)], store.actor.origin())
        assert sentences(snapshot.connection) == {KNOWN, NEW}
        snapshot.advance()
        assert sentences(snapshot.connection) == {KNOWN, NEW, LATER}
    assert stored(store) == {KNOWN}


def test_a_long_backlog_is_not_indexed_only_to_be_thrown_away(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexing, "LONG_BACKLOG_BYTES", 10)
    with closing(store.writable_index.snapshot()) as snapshot:
        store.log.append([added(LATER)], store.actor.origin())
        snapshot.advance()
        assert sentences(snapshot.connection) == {KNOWN, NEW, LATER}
    assert stored(store) == {KNOWN, NEW, LATER}


def test_a_decision_is_taken_in_memory_if_the_index_cannot_be_written(store: Store) -> None:
    index = Path(store.paths.index)
    index.unlink()
    (index / "in the way").mkdir(parents=True)
    with closing(store.writable_index.snapshot()) as snapshot:
        assert sentences(snapshot.connection) == {KNOWN, NEW}
        assert snapshot.connection.execute("PRAGMA database_list").fetchone()[2] == ""
        store.log.append([added(LATER)], store.actor.origin())
        snapshot.advance()
        assert sentences(snapshot.connection) == {KNOWN, NEW, LATER}
