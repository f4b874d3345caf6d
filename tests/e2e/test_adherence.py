"""What an agent was told is checked against what it did: `why`, `status` and `review` show it, and it survives."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from harness.person import NOW, Person
from harness.transcripts import Claude, Turn, lines, name_of, place

from tacit.hosts.tool_calls import STOP_PREFIX
from tests.support.hook_session import Sitting

RULE = "never use npm here, use pnpm"


@pytest.fixture
def person(tmp_path: Path) -> Person:
    folder = tmp_path / "person"
    folder.mkdir()
    somebody = Person(folder)
    work = somebody.repository("work", remote="git@example.org:kim/work.git")
    somebody.tacit("add", RULE, cwd=work)
    return somebody


def work(person: Person, name: str, *turns: Turn, hours: int = 0) -> None:
    """A session in which the agent is told the rules at its start, and then does this. It is captured and learned."""
    began = datetime.fromisoformat(NOW) + timedelta(hours=hours)
    folder = person.folder / "work"
    session = name_of(name)
    assert RULE in Sitting(person, session, folder).start(TACIT_NOW=began.isoformat())
    write(person, session, folder, began, turns)


def write(person: Person, session: str, folder: Path, began: datetime, turns: Sequence[Turn]) -> None:
    writer = Claude(session, str(folder), began)
    for turn in turns:
        writer.turn(turn)
    file = place(person.folder, "claude", session)
    file.write_bytes(lines(writer.records))
    now = (began + timedelta(minutes=30)).isoformat()
    person.tacit("import", "transcripts", str(file), now=now)
    person.tacit("learn", now=now)


def why(person: Person) -> dict[str, Any]:
    found: dict[str, Any] = person.tacit("why", person.id_of(RULE), "--json").json["adherence"]
    return found


def checks(person: Person) -> list[str]:
    return [
        line
        for file in person.home.rglob("*.jsonl")
        for line in file.read_text().splitlines()
        if "memory.checked" in line
    ]


def test_sessions_that_were_told_are_counted_with_the_command_that_violates(person: Person) -> None:
    work(person, "one", Turn("add the dependency", "pnpm add zod"))
    work(person, "two", Turn("add the dependency", "cd web && sudo npm install zod"), hours=1)
    work(person, "three", Turn("what is in the readme?", "cat README.md"), hours=2)

    found = why(person)
    assert found["injected_count"] == 3 and found["unknown_count"] == 0
    assert (found["followed_count"], found["violated_count"], found["not_applicable_count"]) == (1, 1, 1)
    (violation,) = found["violations"]
    assert violation["text"] == "cd web && sudo npm install zod"
    text = person.tacit("why", person.id_of(RULE)).out
    assert "told 3 times, followed 1, violated 1, not applicable 1\n" in text
    assert re.search(r"violated on 2026-03-02 in session \w{4}: cd web && sudo npm install zod", text)


def test_what_a_guard_stopped_is_told_apart_from_what_was_followed(person: Person) -> None:
    began, folder = datetime.fromisoformat(NOW), person.folder / "work"
    session = name_of("stopped")
    Sitting(person, session, folder).start(TACIT_NOW=began.isoformat())
    writer = Claude(session, str(folder), began)
    writer.ask("add the dependency")
    stop = f"{STOP_PREFIX}{person.id_of(RULE)[:6]}]: “{RULE}”. It runs `npm install`."
    writer.call("Bash", {"command": "npm install zod"}, stop, error=True)
    writer.call("Bash", {"command": "pnpm add zod"}, "done")
    file = place(person.folder, "claude", session)
    file.write_bytes(lines(writer.records))
    now = (began + timedelta(minutes=30)).isoformat()
    person.tacit("import", "transcripts", str(file), now=now)
    person.tacit("learn", now=now)

    found = why(person)
    assert (found["stopped_count"], found["followed_count"], found["violated_count"]) == (1, 0, 0)
    (stopped,) = found["stopped_calls"]
    assert stopped["text"] == "npm install zod"
    assert re.search(
        r"stopped by your rule on 2026-03-02 in session \w{4}: npm install zod",
        person.tacit("why", person.id_of(RULE)).out,
    )
    assert "; your rules stopped 1 session" in person.tacit("status", now=now).out


def test_a_session_without_the_memory_and_calls_before_it_count_for_nothing(person: Person) -> None:
    began = datetime.fromisoformat(NOW)
    write(person, name_of("untold"), person.folder / "work", began, [Turn("go", "npm install")])
    assert checks(person) == [] and why(person)["injected_count"] == 0

    session, late = name_of("late"), began + timedelta(hours=3)
    Sitting(person, session, person.folder / "work").start(TACIT_NOW=late.isoformat())
    write(person, session, person.folder / "work", began + timedelta(hours=2), [Turn("go", "npm install")])
    found = why(person)
    assert (found["injected_count"], found["violated_count"], found["not_applicable_count"]) == (1, 0, 1)


def test_learning_again_and_a_rebuild_change_nothing(person: Person) -> None:
    work(person, "one", Turn("add it", "npm install zod"))
    before = why(person)
    assert len(checks(person)) == 1

    person.tacit("learn", "--all")
    person.tacit("doctor", "--reindex")
    assert why(person) == before and len(checks(person)) == 1
    person.tacit("learn", "--all")
    assert len(checks(person)) == 1


def test_the_check_of_a_session_that_goes_on_replaces_the_earlier_one(person: Person) -> None:
    turns = [Turn("add it", "pnpm add zod")]
    work(person, "one", *turns)
    assert why(person)["followed_count"] == 1

    write(person, name_of("one"), person.folder / "work", datetime.fromisoformat(NOW), [*turns, Turn("more", "npm ci")])
    found = why(person)
    assert (found["followed_count"], found["violated_count"]) == (0, 1) and len(checks(person)) == 2


def test_two_violations_make_a_card_until_somebody_decides(person: Person) -> None:
    work(person, "one", Turn("add it", "npm install zod"))
    assert "told but not followed" not in person.tacit("review").out
    work(person, "two", Turn("add it", "npm install yup"), hours=1)

    shown = person.tacit("review").out
    short = person.tacit("show", person.id_of(RULE), "--json").json["short"]
    assert "1 of 1, told but not followed" in shown and RULE in shown and "npm install yup" in shown
    assert f"tacit guard on {short}" in shown and "Nothing to review" not in shown
    later = "2026-03-03T12:00:00+00:00"
    status = person.tacit("status", now=later)
    assert "told 2 times" in status.out and "violated 2" in status.out and "tacit review" in status.out
    assert person.tacit("status", "--json", now=later).json["ineffective_count"] == 1

    person.tacit("conflicts", "--keep-both", short, now=later)
    assert "told but not followed" not in person.tacit("review").out
    assert why(person)["violated_count"] == 2


def test_a_person_who_repeats_what_was_told_makes_a_card(person: Person) -> None:
    work(person, "one", Turn("add zod", "cat package.json"), Turn("Never use npm here, use pnpm."))
    found = why(person)
    assert found["not_applicable_count"] == 1 and len(found["corrections"]) == 1
    assert "corrected on 2026-03-02" in person.tacit("review").out


def test_the_week_counts_only_what_is_a_week_old_at_most(person: Person) -> None:
    work(person, "one", Turn("add it", "pnpm add zod"))
    week = person.tacit("status", "--json", now="2026-03-05T12:00:00+00:00").json["week"]
    assert (week["injected_count"], week["followed_count"], week["violated_count"]) == (1, 1, 0) and week["tokens"] > 0
    later = person.tacit("status", "--json", now="2026-04-05T12:00:00+00:00").json["week"]
    assert set(later.values()) == {0}
