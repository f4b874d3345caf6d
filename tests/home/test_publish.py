"""Pages of a home are written only when stale, and an interrupted sync is finished exactly once."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from harness.person import Person, facts_in, tree

from tacit.disk.files import OsDisk
from tacit.home.follower import wait_for_threads
from tacit.home.publish import Publisher, SyncJournalEntry, memory_views, render_page
from tacit.home.store import Store
from tacit.index import reader
from tacit.index.database import mark_stale
from tacit.log.reader import Cursor
from tacit.log.segment import MEMORY_SEGMENT
from tacit.model.claim import GLOBAL
from tacit.model.event import ClaimProposed, Draft, Verdict
from tacit.model.ids import ClaimId
from tacit.model.observation import RecallAsked, WorkLogged
from tacit.model.statement import claim_from
from tacit.pages.view_store import ViewStore

RULE, OTHER = "always deploy from the release branch", "never force push"
REMOTE = "https://example.org/team/app.git"
EMPTY_DAY = "2026-01-01"


@pytest.fixture
def store(person: Person) -> Iterator[Store]:
    """A home with one memory and a page of the worklog."""
    with person.vault() as vault:
        vault.add(RULE)
        vault.memories.log(WorkLogged("T-1", "Moved the parser"))
        wait_for_threads()
        yield vault.home.store


@pytest.fixture
def index(store: Store) -> Iterator[sqlite3.Connection]:
    with closing(store.indexer.in_memory_index()) as connection:
        yield connection


def publisher_of(store: Store) -> Publisher:
    disk = OsDisk(store.paths.root)
    return Publisher(store.paths, ViewStore(store.paths.view_copies, disk), disk, 5_000, None)


def publish(store: Store, connection: sqlite3.Connection) -> None:
    publisher_of(store).publish(connection)


def fact_file(root: Path) -> Path:
    return root / "docs" / "memory" / "memories.ndjson"


def texts(path: Path) -> list[str]:
    return [fact["canonical"] for fact in facts_in(path)]


# The journal of a sync


def last_cursor(store: Store) -> Cursor:
    return list(store.log.read(MEMORY_SEGMENT))[-1].cursor


def judgement(text: str) -> Draft:
    return Draft(ClaimProposed(claim_from(text, GLOBAL), Verdict.ADDED, "user_direct"), GLOBAL)


def interrupt_sync(store: Store, judgements: int, after: Cursor | None = None) -> Path:
    """Edit a page, and leave the journal of a sync that read the edit. Return the page."""
    page = Path(store.paths.long_term)
    page.write_bytes(page.read_bytes() + b"caf\xe9\n")
    entry = SyncJournalEntry(after or last_cursor(store), judgements, {str(page): page.read_bytes()})
    store.sync_journal.write(entry)
    return page


def is_edit_unread(store: Store, page: Path) -> bool:
    """Finish the sync, and return whether the edit of the page still has to be read."""
    store.sync_journal.finish(store.log, store.view_store)
    assert not Path(store.paths.sync_journal).exists()
    return store.view_store.edited_versions(str(page)) is not None


def test_edits_whose_judgements_are_in_the_log_are_not_read_twice(store: Store) -> None:
    page = interrupt_sync(store, 2)
    drafts = [judgement(OTHER), Draft(RecallAsked("push", 1), GLOBAL), judgement("name the ticket")]
    store.log.append(drafts, store.actor.origin())
    assert not is_edit_unread(store, page)


def test_edits_that_needed_no_judgement_are_read(store: Store) -> None:
    assert not is_edit_unread(store, interrupt_sync(store, 0))


def test_edits_whose_judgements_were_not_recorded_are_read_again(store: Store) -> None:
    page = interrupt_sync(store, 2)
    store.log.append([judgement(OTHER)], store.actor.origin())
    assert is_edit_unread(store, page)


def test_judgements_after_another_log_do_not_count(store: Store) -> None:
    after = last_cursor(store)
    page = interrupt_sync(store, 1, after._replace(tail="00" * (len(after.tail) // 2)))
    store.log.append([judgement(OTHER)], store.actor.origin())
    assert is_edit_unread(store, page)


@pytest.mark.parametrize("data", [b"", b"\xff", b"[]", b'{"after": [0, 0, ""]}', b"[" * 100_000])
def test_a_journal_that_tacit_did_not_write_is_removed_and_changes_nothing(store: Store, data: bytes) -> None:
    page = interrupt_sync(store, 0)
    Path(store.paths.sync_journal).write_bytes(data)
    assert is_edit_unread(store, page)


# Views of the home


def test_views_that_are_not_stale_are_left_alone(person: Person, store: Store, index: sqlite3.Connection) -> None:
    publish(store, index)
    person.long_term.write_text("mine")
    before = tree(person.home)
    publish(store, index)
    assert tree(person.home) == before


def test_a_lost_view_is_written_again_and_unmarked(person: Person, store: Store, index: sqlite3.Connection) -> None:
    publish(store, index)
    page = person.home / "worklog" / "2026-03-02.md"
    before = {path: path.read_bytes() for path in (person.long_term, person.facts, page)}
    for path in before:
        path.unlink()
    publish(store, index)
    assert {path: path.read_bytes() for path in before} == before
    assert reader.stale_views(index) == []


def test_a_page_without_content_is_removed_unless_a_person_wrote_in_it(store: Store, index: sqlite3.Connection) -> None:
    page = Path(store.paths.page("worklog", EMPTY_DAY))
    publisher = publisher_of(store)
    for remark in ("a remark of mine\n", ""):
        store.view_store.write_page(str(page), ["# Worklog"])
        page.write_text(page.read_text() + remark)
        mark_stale(index, [f"worklog {EMPTY_DAY}"])
        publisher.publish(index)
        assert page.exists() == bool(remark)
        page.unlink(missing_ok=True)


@pytest.mark.parametrize("kind", ["worklog", "evaluation", "session"])
def test_a_page_without_events_has_no_lines(index: sqlite3.Connection, kind: str) -> None:
    assert render_page(index, kind, EMPTY_DAY, None) == []


def test_a_page_shows_the_events_of_its_day(index: sqlite3.Connection) -> None:
    assert any("Moved the parser" in line for line in render_page(index, "worklog", "2026-03-02", None))


def test_an_unknown_memory_has_no_view(index: sqlite3.Connection) -> None:
    known = claim_from(RULE, GLOBAL).id
    assert [view.memory.id for view in memory_views(index, [known, ClaimId("0" * len(known))])] == [known]
