"""The index for writers: up to date, rebuilt if it has to be, and in memory if the disk does not take it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from harness.person import Person

from tacit.home import indexing
from tacit.home.store import Store
from tacit.index import reader
from tacit.model.claim import GLOBAL
from tacit.model.event import ClaimProposed, Draft, Verdict
from tacit.model.statement import claim_from

KNOWN, NEW = "never force push", "always run the linter"


@pytest.fixture
def store(person: Person) -> Iterator[Store]:
    """A home in which one memory is indexed, and one only in the log."""
    with person.vault() as vault:
        vault.add(KNOWN)
        store = vault.home.store
        draft = Draft(ClaimProposed(claim_from(NEW, GLOBAL), Verdict.ADDED, "user_direct"), GLOBAL)
        store.log.append([draft], store.actor.origin())
        yield store


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


def test_what_is_provisional_is_seen_and_never_written(store: Store) -> None:
    connection = store.writable_index.open_provisional()
    assert connection is not None and connection.in_transaction
    assert sentences(connection) == {KNOWN, NEW}
    connection.close()
    assert stored(store) == {KNOWN}


def test_a_long_backlog_is_not_indexed_only_to_be_thrown_away(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexing, "LONG_BACKLOG_BYTES", 10)
    assert store.writable_index.open_provisional() is None


def test_a_decision_is_taken_in_memory_if_the_index_cannot_be_written(store: Store) -> None:
    index = Path(store.paths.index)
    index.unlink()
    (index / "in the way").mkdir(parents=True)
    with closing(store.writable_index.open_for_decision()) as connection:
        assert sentences(connection) == {KNOWN, NEW}
        assert connection.execute("PRAGMA database_list").fetchone()[2] == ""
