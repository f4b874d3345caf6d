"""Trust in a fact file holds while the file is the person's own, whichever lines a branch has."""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from harness.person import Person

from tacit.home.trusted_files import (
    active_trust,
    broken_trust_drafts,
    distrusted_event_ids,
    is_trust_stale,
    last_trust_end,
    save_file_signatures,
)
from tacit.model.event import POLICY, ClaimProposed, EventsUndone
from tacit.model.observation import RepositoryDistrusted

LINT, FORCE = "always lint before a push", "never force push to main"
CLOCK_TICK_SECONDS = 0.05


def fact(text: str) -> str:
    return json.dumps({"canonical": text}) + "\n"


@pytest.fixture
def file(person: Person) -> Path:
    """The fact file of a repository, whose two lines the person accepted."""
    root = person.folder.resolve() / "clone"
    path = root / "docs" / "memory" / "memories.ndjson"
    path.parent.mkdir(parents=True)
    (root / ".git").mkdir()
    path.write_text(fact(LINT) + fact(FORCE))
    path.chmod(0o644)
    with person.vault(root) as vault:
        vault.repository.trust(vault.repository.inspect())
    return path


@pytest.fixture
def index(person: Person, file: Path) -> Iterator[sqlite3.Connection]:
    """An index of the log as it is. Nothing looks at the file for it."""
    with person.vault() as vault:
        connection = vault.home.store.indexer.in_memory_index()
        yield connection
        connection.close()


def reasons(index: sqlite3.Connection) -> list[str]:
    bodies = [draft.body for draft in broken_trust_drafts(index)]
    return [body.reason for body in bodies if isinstance(body, RepositoryDistrusted)]


def test_the_trust_in_a_file_is_known_by_its_path(index: sqlite3.Connection, file: Path) -> None:
    (trust,) = active_trust(index).values()
    assert list(active_trust(index)) == [trust.trusted.path] == [str(file)]
    assert (len(trust.trusted.lines), trust.trusted.owner, trust.trusted.writers) == (2, os.geteuid(), 0)
    assert last_trust_end(index, str(file)) == ""


BRANCHES: dict[str, Callable[[Path], object]] = {
    "lines in another order, and a new one": lambda file: file.write_text(
        fact("name the ticket") + fact(FORCE) + "\n" + fact(LINT)
    ),
    "a line less": lambda file: file.write_text(fact(LINT)),
    "a line with other words": lambda file: file.write_text(fact(LINT) + fact(FORCE + "!")),
    "no file": lambda file: file.unlink(),
    "no folder": lambda file: file.parent.rename(file.parents[1] / "elsewhere"),
    "fewer writers": lambda file: file.chmod(0o600),
}


@pytest.mark.parametrize("branch", BRANCHES)
def test_what_another_branch_has_does_not_end_the_trust(index: sqlite3.Connection, file: Path, branch: str) -> None:
    BRANCHES[branch](file)
    assert broken_trust_drafts(index) == [] and distrusted_event_ids(index) == frozenset()


CHANGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "a link in its place": (lambda file: file.symlink_to(file.rename(file.with_name("elsewhere"))), "cannot be read"),
    "a link in the place of its folder": (
        lambda file: file.parent.symlink_to(file.parent.rename(file.parents[1] / "elsewhere")),
        "cannot be read",
    ),
    "a repository that moved behind a link": (
        lambda file: file.parents[2].symlink_to(file.parents[2].rename(file.parents[3] / "moved")),
        "cannot be read",
    ),
    "another writer": (lambda file: file.chmod(0o664), "more people can write the file"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_ends_the_trust_in_all_lines_and_says_why(index: sqlite3.Connection, file: Path, change: str) -> None:
    act, reason = CHANGES[change]
    act(file)
    drafts = broken_trust_drafts(index)
    assert len(reasons(index)) == 1 and reason in reasons(index)[0]
    assert {draft.attribution.actor for draft in drafts if draft.attribution} == {POLICY}
    (undone,) = [draft.body.targets for draft in drafts if isinstance(draft.body, EventsUndone)]
    assert len(undone) == 2 and set(undone) <= distrusted_event_ids(index)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives a file away")
def test_a_file_of_another_user_ends_the_trust(index: sqlite3.Connection, file: Path) -> None:
    os.chown(file, 12345, 12345)
    assert reasons(index) == ["the file cannot be read, or is another user's"]


def test_without_the_distrusted_events_nothing_of_the_file_is_believed(person: Person, file: Path) -> None:
    file.chmod(0o666)
    with person.vault() as vault:
        indexer = vault.home.store.indexer
        excluded = distrusted_event_ids(indexer.in_memory_index())
        events = [event for event in vault.home.store.log.events() if isinstance(event.body, ClaimProposed)]
        assert {event.id for event in events} <= excluded
        left = indexer.in_memory_index(excluded=excluded)
    assert active_trust(left) == {} and left.execute("SELECT count(*) FROM memories").fetchone() == (0,)


def test_the_end_of_a_trust_is_told_with_its_day_and_reason(person: Person, file: Path) -> None:
    file.chmod(0o666)
    with person.vault(now="2026-03-05T12:00:00+00:00") as vault:
        assert list(vault.search.listing(scope="all")) == []
        connection = vault.home.store.indexer.in_memory_index()
    assert active_trust(connection) == {}
    assert last_trust_end(connection, str(file)) == "2026-03-05: more people can write the file now"


def test_a_file_is_read_again_only_after_it_changed(index: sqlite3.Connection, file: Path) -> None:
    assert is_trust_stale(index)
    time.sleep(CLOCK_TICK_SECONDS)
    save_file_signatures(index)
    assert not is_trust_stale(index)
    file.touch()
    assert is_trust_stale(index)


def test_a_file_that_changed_a_moment_ago_is_read_again_each_time(index: sqlite3.Connection, file: Path) -> None:
    while True:
        file.write_text(fact(FORCE) + fact(LINT))
        save_file_signatures(index)
        if time.time() - file.stat().st_ctime < CLOCK_TICK_SECONDS:  # a busy machine may take longer
            break
    assert is_trust_stale(index)


def test_the_signature_of_a_file_that_broke_its_trust_is_not_saved(index: sqlite3.Connection, file: Path) -> None:
    file.chmod(0o666)
    time.sleep(CLOCK_TICK_SECONDS)
    save_file_signatures(index)
    assert is_trust_stale(index)
