"""The counts of a home: each counts its own thing and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.person import Person
from harness.transcripts import Claude, Turn, lines, name_of, place

import tacit
from tacit.disk.lock import FileLock
from tacit.home.paths import HomePaths
from tacit.model.claim import GLOBAL, Kind
from tacit.model.event import Draft
from tacit.model.observation import CommandRan, WorkLogged
from tacit.vault.status import HomeStatus, home_status


def status(person: Person, cwd: Path | None = None) -> HomeStatus:
    with person.vault(cwd=cwd) as vault:
        return home_status(vault.home)


def test_a_home_that_does_not_exist_has_nothing_and_is_not_made(person: Person) -> None:
    assert status(person) == HomeStatus(str(person.home), None, 0, 0, 0, 0, (), 0, 0, 0, None, 0, 0, 0)
    assert not person.home.exists()


def test_memories_are_counted_by_status_and_those_that_hold_by_kind(person: Person) -> None:
    with person.vault() as vault:
        vault.add("never force push", kind=Kind.CONSTRAINT)
        vault.add("I prefer tea", kind=Kind.PREFERENCE)
        vault.memories.forget(vault.add("the build takes an hour", kind=Kind.GUIDANCE).memory.id)
        vault.memories.remember("deploys need a ticket", evidence="seen once")
        vault.memories.dismiss(vault.memories.remember("tests need a database", evidence="seen once").memory.id)
    now = status(person)
    assert (now.active, now.pending, now.forgotten, now.dismissed) == (2, 1, 1, 1)
    assert now.kinds == (("constraint", 1), ("preference", 1))


def test_questions_are_counted_with_those_that_found_nothing(person: Person) -> None:
    with person.vault() as vault:
        vault.add("never force push")
        for query in ("force push", "zebra", "push"):
            vault.recall(query)
        vault.search.recall("walrus", observe=False)
    now = status(person)
    assert (now.asked, now.missed) == (3, 1)


def test_work_evaluations_and_contradictions_are_counted(person: Person) -> None:
    with person.vault() as vault:
        with vault.home.store.change() as change:
            change.record([Draft(WorkLogged("T-1", "moved the parser"), GLOBAL)])
        for text in ("always use tabs", "always use spaces"):
            vault.add(text, kind=Kind.CONSTRAINT)
        vault.maintenance.evaluate()
    now = status(person)
    assert (now.worklog, now.undecided, now.evaluated) == (1, 1, "2026-03-02")
    with person.vault(now="2026-03-05T12:00:00+00:00") as vault:
        vault.maintenance.evaluate()
        assert home_status(vault.home).evaluated == "2026-03-05"


def test_a_session_in_which_nothing_was_asked_does_not_count(person: Person) -> None:
    spoken, silent = (Claude(name_of(name), "/nowhere/shop") for name in ("spoken", "silent"))
    spoken.turn(Turn("rename the cart table"))
    silent.call("Read", {"file_path": "/nowhere/shop/a.py"})
    files = []
    for teller in (spoken, silent):
        files.append(place(person.folder, "claude", teller.session))
        files[-1].write_bytes(lines(teller.records))
    with person.vault() as vault:
        captured = vault.transcripts.capture(list(map(str, files)))
        assert [len(one.sessions) for one in captured] == [1, 1]
    assert status(person).sessions == 1


def test_commands_that_wait_for_the_log_are_counted_and_are_no_part_of_it(person: Person) -> None:
    person.tacit("add", "never force push")
    before = status(person)
    with person.vault() as vault, FileLock(HomePaths(str(person.home)).log_lock, 1.0).acquire():
        store = vault.home.store
        assert store.log.spool(Draft(CommandRan("make test"), GLOBAL), store.actor.origin())
        waiting = home_status(vault.home)
    assert (before.spooled, waiting.spooled, waiting.log_bytes) == (0, 1, before.log_bytes)
    after = status(person)
    assert after.spooled == 0 and after.log_bytes > before.log_bytes


def test_commands_that_were_lost_are_counted(person: Person) -> None:
    person.tacit("add", "never force push")
    spool = person.home / ".tacit" / "spool"
    spool.mkdir(exist_ok=True)
    at = "2026-03-01T10:00:00.000000Z"
    (spool / ".dropped").write_text(f"3\n{at}\n{at}\nthere was no room on the disk")
    assert status(person).dropped == 3


def test_facts_of_a_repository_that_nobody_trusted_are_counted_there_alone(person: Person, tmp_path: Path) -> None:
    other = Person(tmp_path)
    shared = other.repository("shared")
    other.tacit("add", "never force push", cwd=shared)
    other.tacit("add", "always sign commits", cwd=shared)
    now = status(person, cwd=shared)
    assert (now.untrusted, now.active, now.project) == (2, 0, str(shared))
    assert (status(person).untrusted, status(person).project) == (0, None)


@pytest.mark.parametrize("actor", ["", "codex"])
def test_an_agent_is_told_the_same_counts_as_the_person(person: Person, actor: str) -> None:
    person.tacit("add", "never force push")
    person.tacit("remember", "deploys need a ticket", "--evidence", "seen once")
    with person.at(TACIT_ACTOR=actor), tacit.open(person.home) as vault:
        assert (vault.status().active, vault.status().pending) == (1, 1)
