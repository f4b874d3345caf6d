"""Which memories can be tried, who may start and stop a trial, and what ends one."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.person import Person

from tests.support.trials import BAD, GOOD, OTHER, RULE, Trialist


@pytest.fixture
def kim(tmp_path: Path) -> Person:
    """Somebody whose sessions are captured in one project, with a rule."""
    folder = tmp_path / "kim"
    folder.mkdir()
    person = Person(folder)
    work = person.repository("work", remote="git@example.org:kim/work.git")
    person.tacit("autocapture", "on")
    person.tacit("add", RULE, cwd=work)
    return person


def refused(person: Person, reference: str, **environment: str) -> str:
    """Why a memory cannot be tried. Nothing is recorded."""
    said = person.tacit("trial", reference, cwd=person.folder / "work", code=1, **environment)
    assert "trial.started" not in (person.home / "memory" / "events.jsonl").read_text()
    return said.err


@pytest.mark.parametrize(
    "rule", ["never force push", "never edit migrations/", "ask me before pushing", "never log passwords"]
)
def test_a_safety_rule_is_not_tried_whether_or_not_a_guard_is_switched_on(kim: Person, rule: str) -> None:
    kim.tacit("add", rule, cwd=kim.folder / "work")
    assert "is a safety rule" in refused(kim, kim.id_of(rule))


def test_what_guards_is_not_tried_and_a_guard_ends_a_trial(kim: Person) -> None:
    name, work = kim.id_of(RULE), kim.folder / "work"
    kim.tacit("guard", "on", name, "--yes")
    assert "is guarded" in refused(kim, name) and "tacit guard off" in refused(kim, name)
    kim.tacit("guard", "off", name)
    kim.tacit("trial", name, cwd=work)
    kim.tacit("guard", "on", name, "--yes")
    (report,) = kim.tacit("trial", "--json").json
    assert report["verdict"] == "guarded" and not report["is_open"]


def test_what_no_agent_is_told_here_is_not_tried(kim: Person) -> None:
    work = kim.folder / "work"
    kim.tacit("remember", "use tabs", "--evidence", "seen", cwd=work)
    waiting = kim.id_of("use tabs")
    assert "is pending" in refused(kim, waiting) and "tacit accept" in refused(kim, waiting)
    kim.tacit("accept", waiting)
    kim.tacit("forget", waiting)
    assert "is retired" in refused(kim, waiting)
    elsewhere = kim.repository("elsewhere", remote="git@example.org:kim/elsewhere.git")
    said = kim.tacit("trial", kim.id_of(RULE), cwd=elsewhere, code=1).err
    assert "another project" in said and f"cd {work}" in said


def test_a_trial_needs_sessions_that_are_captured_and_told(kim: Person) -> None:
    kim.tacit("config", "set", "autocapture.inject_on_start", "false")
    kim.tacit("config", "set", "autocapture.inject_on_prompt", "false")
    assert "told nothing here" in refused(kim, kim.id_of(RULE))
    kim.tacit("config", "unset", "autocapture.inject_on_start")
    kim.tacit("autocapture", "off")
    assert "not captured" in refused(kim, kim.id_of(RULE))


def test_what_a_rule_file_says_anyway_is_not_tried(kim: Person) -> None:
    (kim.folder / "work" / "CLAUDE.md").write_text(f"# Rules\n\n- {RULE}\n")
    assert "a rule file tells claude" in refused(kim, kim.id_of(RULE))


def test_an_agent_neither_starts_nor_stops_a_trial(kim: Person) -> None:
    assert "only a person" in refused(kim, kim.id_of(RULE), CLAUDECODE="1")
    kim.tacit("trial", kim.id_of(RULE), cwd=kim.folder / "work")
    assert "only a person" in kim.tacit("trial", kim.id_of(RULE), "--stop", code=1, CLAUDECODE="1").err
    assert kim.tacit("trial", "--json", CLAUDECODE="1").json[0]["verdict"] == ""


def test_at_most_three_memories_are_tried_at_once_and_each_once(kim: Person) -> None:
    work = kim.folder / "work"
    for number in range(3):
        kim.tacit("add", f"use port 90{number} for the service s{number}", cwd=work)
        kim.tacit("trial", kim.id_of(f"use port 90{number} for the service s{number}"), cwd=work)
    said = kim.tacit("trial", kim.id_of(RULE), cwd=work, code=1).err
    assert "3 memories are on trial already" in said
    again = kim.id_of("use port 900 for the service s0")
    assert "is on trial already" in kim.tacit("trial", again, cwd=work, code=1).err


def test_undo_takes_a_start_and_a_stop_back_and_redo_repeats_it(kim: Person) -> None:
    name, work = kim.id_of(RULE), kim.folder / "work"

    def states() -> list[str]:
        return [report["verdict"] for report in kim.tacit("trial", "--json").json]

    kim.tacit("trial", name, cwd=work)
    kim.tacit("trial", name, "--stop")
    assert states() == ["stopped"]
    assert "ended the trial" in kim.tacit("undo").out and states() == [""]
    assert "on trial" in kim.tacit("undo").out and states() == []
    kim.tacit("redo")
    assert states() == [""]
    assert kim.tacit("trial", name, "--stop", code=0).out
    assert "is not on trial" in kim.tacit("trial", name, "--stop", code=1).err


def test_a_trial_rests_while_its_memory_does_not_hold_and_is_gone_with_it(tmp_path: Path) -> None:
    kim = Trialist(tmp_path / "kim")
    person, name = kim.person, kim.person.id_of(RULE)
    person.tacit("forget", name)
    assert kim.report["is_resting"] and "resting" in person.tacit("trial").out
    person.tacit("restore", name)
    assert RULE not in kim.work_in(BAD, told=False)
    person.tacit("purge", name, "--yes")
    assert "No memory is on trial" in person.tacit("trial").out
    assert "The home is well" in person.tacit("doctor", now="2026-03-03T12:00:00+00:00").out
    assert OTHER in kim.work_in(GOOD, told=False)


def test_the_log_decides_and_from_then_on_everybody_is_told(tmp_path: Path) -> None:
    kim = Trialist(tmp_path / "kim")
    for _ in range(11):
        kim.work_in(GOOD, told=True)
        kim.work_in(BAD, told=False)
        if kim.report["verdict"]:
            break
    person = kim.person
    assert kim.report["verdict"] == "helps" and kim.report["is_open"]
    assert RULE in kim.work_in(GOOD, told=False)
    later = "2026-03-05T12:00:00+00:00"
    card, *_ = person.tacit("review", "--json", now=later).json
    assert (card["card"], card["label"], card["trial"]["verdict"]) == ("tried", RULE, "helps")
    assert "telling it helps. Keep it?" in person.tacit("review", now=later).out
    assert person.tacit("status", "--json", now=later).json["verdict_count"] == 1
    assert "Trials" in person.tacit("week", now=later).out
    person.tacit("why", person.id_of(RULE), "--html", str(tmp_path / "why.html"))
    page = (tmp_path / "why.html").read_text()
    assert "Put on trial by the person" in page and "Telling it helps" in page
    person.tacit("conflicts", "--keep-both", person.id_of(RULE), now=later)
    assert "tried" not in [card["card"] for card in person.tacit("review", "--json", now=later).json]
    person.tacit("undo", now=later)
    assert "tried" in [card["card"] for card in person.tacit("review", "--json", now=later).json]
    person.tacit("undo", now=later)  # what Tacit decided is no step of the person: this takes back the start
    assert person.tacit("trial", "--json").json == []


def test_a_memory_that_nobody_heeds_is_found_out_and_forgotten(tmp_path: Path) -> None:
    kim = Trialist(tmp_path / "kim")
    for number in range(40):
        kim.work_in(BAD, told=number % 2 == 0)
        if kim.report["verdict"]:
            break
    person, report = kim.person, kim.report
    assert report["verdict"] == "no_difference" and report["remaining"] == 0
    assert sum(report[arm]["bad_count"] for arm in ("told_sessions", "other_sessions")) == number + 1
    person.tacit("forget", person.id_of(RULE), now="2026-03-05T12:00:00+00:00")
    cards = person.tacit("review", "--json", now="2026-03-05T13:00:00+00:00").json
    assert "tried" not in [card["card"] for card in cards]


def test_two_machines_of_a_person_share_a_trial_and_its_coin(tmp_path: Path) -> None:
    """Sessions of both count, each once, and one of them ends it for both."""
    desk = Trialist(tmp_path / "desk")
    remote = tmp_path / "remote"
    remote.mkdir()
    shown = desk.person.tacit("remote", "add", "home", str(remote)).out
    (tmp_path / "phrase").write_text("\n".join(line for line in shown.splitlines() if line.startswith("    ")))
    laptop = desk.beside(tmp_path / "laptop")
    desk.person.tacit("sync")
    laptop.person.tacit("remote", "add", "home", str(remote), "--phrase-file", str(tmp_path / "phrase"))
    laptop.person.tacit("sync")
    assert laptop.report["trial_id"] == desk.report["trial_id"]
    for _ in range(6):
        assert RULE in desk.work_in(GOOD, told=True) and RULE not in desk.work_in(BAD, told=False)
        assert RULE in laptop.work_in(GOOD, told=True) and RULE not in laptop.work_in(BAD, told=False)
    for machine in (desk, laptop, desk):
        machine.person.tacit("sync", now="2026-03-04T12:00:00+00:00")
    desk.work_in(GOOD, told=True)
    report = desk.report
    assert [report[arm]["applied_count"] for arm in ("told_sessions", "other_sessions")] == [13, 12]
    assert report["verdict"] == "helps"
    for machine in (desk, laptop):
        machine.person.tacit("sync", now="2026-03-04T14:00:00+00:00")
    assert laptop.report == report
    assert RULE in laptop.work_in(GOOD, told=False)
