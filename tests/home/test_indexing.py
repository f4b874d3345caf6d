"""The index follows the log: what it lacks, when it cannot follow, and which views are missing."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from harness.person import Person

from tacit.errors import IndexUnusableError
from tacit.home.follower import wait_for_threads
from tacit.home.indexing import is_memory_view_missing, is_view_missing, mark_missing_pages
from tacit.home.store import Store
from tacit.index import reader
from tacit.index.compare import dump_rows
from tacit.log.reader import Cursor, RawLine
from tacit.log.segment import MEMORY_SEGMENT
from tacit.model.claim import GLOBAL
from tacit.model.event import ClaimProposed, Draft, Event, Verdict, timestamp
from tacit.model.observation import CommandRan, MemoryPurged, RecallAsked, WorkLogged
from tacit.model.statement import claim_from

FORCE, LINT, TICKET = "never force push", "always lint before a push", "name the ticket"
QUESTION = Draft(RecallAsked("push", 1), GLOBAL)


@pytest.fixture
def store(person: Person) -> Iterator[Store]:
    """A home with two memories and a page of the worklog."""
    with person.vault() as vault:
        vault.add(FORCE)
        vault.add(LINT)
        vault.memories.log(WorkLogged("T-1", "Moved the parser"))
        wait_for_threads()
        yield vault.home.store


@pytest.fixture
def index(store: Store) -> Iterator[sqlite3.Connection]:
    """An index in memory of the log so far."""
    with closing(store.indexer.in_memory_index()) as connection:
        yield connection


def claim(text: str) -> Draft:
    return Draft(ClaimProposed(claim_from(text, GLOBAL), Verdict.ADDED, "user_direct"), GLOBAL)


def append(store: Store, *drafts: Draft) -> list[Event]:
    return store.log.append(drafts, store.actor.origin())


def sentences(connection: sqlite3.Connection) -> set[str]:
    return {row.sentence for row in reader.memory_rows(connection)}


def test_a_new_judgement_is_missing_from_the_index_until_it_catches_up(store: Store, index: sqlite3.Connection) -> None:
    indexer, before = store.indexer, store.log.size(MEMORY_SEGMENT)
    assert not indexer.is_behind(index) and indexer.backlog_bytes(index) == 0
    (event,) = append(store, claim(TICKET))
    assert indexer.is_behind(index) and indexer.is_index_of_log(index)
    assert indexer.unindexed_ids(index) == {event.id}
    assert indexer.backlog_bytes(index) == store.log.size(MEMORY_SEGMENT) - before
    indexer.catch_up(index)
    assert sentences(index) == {FORCE, LINT, TICKET}
    assert not indexer.is_behind(index) and indexer.unindexed_ids(index) == set()


def test_unindexed_events_are_those_of_one_type(store: Store, index: sqlite3.Connection) -> None:
    ran = CommandRan('echo \'"type":"recall.asked"\'')
    append(store, claim(TICKET), Draft(ran, GLOBAL), QUESTION)
    assert [event.body for event in store.indexer.unindexed_events(index, "command.ran")] == [ran]
    assert [event.body for event in store.indexer.unindexed_events(index, "recall.asked")] == [QUESTION.body]


def test_what_no_answer_shows_is_left_unindexed_until_it_is_much(store: Store, index: sqlite3.Connection) -> None:
    append(store, QUESTION)
    assert not store.indexer.is_behind(index) and store.indexer.backlog_bytes(index) > 0
    append(store, *[Draft(CommandRan("echo " + "word " * 10_000), GLOBAL)] * 6)
    assert store.indexer.is_behind(index)


def test_what_comes_after_a_question_that_was_skipped_is_noticed(store: Store, index: sqlite3.Connection) -> None:
    for _ in range(2):
        append(store, QUESTION)
        assert not store.indexer.is_behind(index)
    append(store, Draft(WorkLogged("T-2", "Moved the lexer"), GLOBAL))
    assert store.indexer.is_behind(index)


def test_a_log_that_was_changed_before_the_cursor_needs_a_new_index(store: Store, index: sqlite3.Connection) -> None:
    path = Path(store.log.path(MEMORY_SEGMENT))
    first, second = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(first)
    assert not store.indexer.is_index_of_log(index) and store.indexer.is_behind(index)
    path.write_bytes(second + first)
    assert not store.indexer.is_index_of_log(index)
    path.unlink()
    assert not store.indexer.is_index_of_log(index) and store.indexer.is_behind(index)


def test_a_log_that_an_editor_saves_meanwhile_needs_a_new_index(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    append(store, claim(TICKET))
    events = Path(store.log.path(MEMORY_SEGMENT))
    read = store.log.lines_between

    def saved_before_it_is_read(segment: str, start: Cursor, end: int) -> Iterator[RawLine]:
        if segment == MEMORY_SEGMENT:
            events.write_bytes(events.read_bytes().replace(b"\n", b"\r\n"))
        return read(segment, start, store.log.size(segment))

    with closing(store.writable_index.open_as_is()) as connection:
        monkeypatch.setattr(store.log, "lines_between", saved_before_it_is_read)
        with pytest.raises(IndexUnusableError, match="rewritten"):
            store.indexer.catch_up(connection)


def test_a_new_tombstone_needs_a_new_index_without_what_it_purged(store: Store, index: sqlite3.Connection) -> None:
    (event,) = append(store, claim(TICKET))
    store.indexer.catch_up(index)
    purged = MemoryPurged(events=(event.id,), claims=(claim_from(TICKET, GLOBAL).id,))
    append(store, Draft(purged, GLOBAL))
    assert not store.indexer.is_index_of_log(index)
    with closing(store.indexer.in_memory_index()) as new:
        assert store.indexer.is_index_of_log(new)
        assert sentences(new) == {FORCE, LINT}


def test_an_index_can_end_at_a_time_and_leave_events_out(store: Store) -> None:
    origin = store.actor.origin()
    later = origin._replace(at=origin.at + timedelta(microseconds=1))
    (event,) = store.log.append([claim(TICKET)], later)
    with closing(store.indexer.in_memory_index(until=timestamp(origin.at))) as before:
        assert sentences(before) == {FORCE, LINT}
    with closing(store.indexer.in_memory_index(until=timestamp(later.at))) as now:
        assert sentences(now) == {FORCE, LINT, TICKET}
    with closing(store.indexer.in_memory_index(excluded=frozenset([event.id]))) as without:
        assert sentences(without) == {FORCE, LINT}


def test_a_damaged_line_is_passed_over_and_not_read_again(store: Store) -> None:
    path = Path(store.log.path(MEMORY_SEGMENT))
    first, second = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(first + second.replace(b"lint", b"lurk"))
    with closing(store.indexer.in_memory_index()) as index:
        assert sentences(index) == {FORCE}
        assert store.indexer.backlog_bytes(index) == 0 and not store.indexer.is_behind(index)


def test_a_new_index_is_built_beside_the_old_one_and_has_every_view_written_again(store: Store) -> None:
    store.read(sentences)
    append(store, claim(TICKET))
    old = os.stat(store.paths.index).st_ino
    store.indexer.build()
    assert os.stat(store.paths.index).st_ino == old
    with closing(store.indexer.rebuild()) as index:
        assert os.stat(store.paths.index).st_ino != old
        assert sentences(index) == {FORCE, LINT, TICKET}
        assert reader.stale_views(index)[:1] == ["everything"]


_REBUILD = """
import sys, tacit
with tacit.open(sys.argv[1], cwd=sys.argv[2]) as vault:
    print("ready", flush=True)
    while True:
        vault.doctor.reindex()
"""


def test_a_rebuild_that_is_killed_leaves_a_sound_home(store: Store, tmp_path: Path) -> None:
    append(store, *(claim(f"use tool-{number} for the release of service-{number}") for number in range(300)))
    store.rebuild()
    with closing(store.indexer.in_memory_index()) as fresh:
        expected = list(dump_rows(fresh))
    command = [sys.executable, "-c", _REBUILD, store.paths.root, str(tmp_path)]
    for delay in (0.05, 0.2, 0.4):
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout and process.stdout.readline() == "ready\n"
            time.sleep(delay)
            process.kill()
        assert store.read(lambda connection: list(dump_rows(connection))) == expected


def test_a_rebuild_reports_how_far_it_is(store: Store) -> None:
    append(store, *(claim(f"use tool-{number}") for number in range(2_000)))
    reported: list[tuple[str, int, int]] = []
    store.log.progress = lambda *report: reported.append(report)
    store.indexer.build()
    done = [report[1] for report in reported]
    assert {report[0] for report in reported} == {"making the index"}
    assert len(done) >= 3 and done == sorted(done) and done[-1] == reported[-1][2]


def test_pages_that_are_gone_are_missing(person: Person, store: Store, index: sqlite3.Connection) -> None:
    page = person.home / "worklog" / "2026-03-02.md"
    assert page.exists() and not is_view_missing(index, store.paths)
    page.unlink()
    assert is_view_missing(index, store.paths)
    page.parent.rmdir()
    assert is_view_missing(index, store.paths)
    assert not is_memory_view_missing(store.paths)
    index.execute("DELETE FROM stale_views")
    mark_missing_pages(index, store.paths)
    assert reader.stale_views(index) == ["worklog 2026-03-02"]


def test_a_folder_is_listed_again_only_when_it_changed_since_it_had_all_pages(
    person: Person, store: Store, index: sqlite3.Connection
) -> None:
    page = person.home / "worklog" / "2026-03-02.md"
    os.utime(page.parent)
    mark_missing_pages(index, store.paths)
    assert reader.complete_folders(index) == {}  # changed too recently to tell
    os.utime(page.parent, (1_000_000_000, 1_000_000_000))
    mark_missing_pages(index, store.paths)
    assert reader.complete_folders(index) == {"worklog": 1_000_000_000 * 10**9}
    index.execute("UPDATE pages SET page_name = '2026-03-03' WHERE kind = 'worklog'")
    assert not is_view_missing(index, store.paths)
    (page.parent / "note.md").touch()
    assert is_view_missing(index, store.paths)


def test_a_page_that_is_deleted_later_comes_back_with_the_next_command(person: Person, store: Store) -> None:
    page = person.home / "worklog" / "2026-03-02.md"
    os.utime(page.parent, (1_000_000_000, 1_000_000_000))
    person.tacit("add", "use pnpm")  # stores that the folder is complete
    page.unlink()
    person.tacit("list")
    assert page.exists()


@pytest.mark.parametrize("name", ["long-term.md", "memories.ndjson"])
def test_a_lost_file_of_memories_is_missing(person: Person, store: Store, index: sqlite3.Connection, name: str) -> None:
    (person.home / "memory" / name).unlink()
    assert is_memory_view_missing(store.paths)
