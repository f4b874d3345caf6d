"""recall narrowed: --kind, --scope, --since, --as-of, --all."""

from __future__ import annotations

import pytest
from harness.person import Person

MONDAY, TUESDAY, FRIDAY = "2026-03-02T12:00:00+00:00", "2026-03-03T12:00:00+00:00", "2026-03-06T12:00:00+00:00"


@pytest.fixture
def week(person: Person) -> Person:
    person.tacit("add", "never deploy on Fridays", now=MONDAY)
    person.tacit("remember", "Prefer to deploy at noon", "--evidence", "chat", now=TUESDAY)
    person.tacit("log", "--task", "T-1", "--summary", "First deploy", now=FRIDAY)
    person.now = FRIDAY
    return person


def test_kind_narrows_to_one_kind(week: Person) -> None:
    assert week.texts("deploy", "--kind", "constraint") == ["never deploy on Fridays"]
    assert week.texts("deploy", "--kind", "preference") == ["Prefer to deploy at noon"]
    assert week.texts("deploy", "--kind", "worklog") == ["T-1: First deploy"]
    assert week.texts("deploy", "--kind", "rule") == []


@pytest.mark.parametrize("since", ["2026-03-03", "2026-03-03T00:00:00+00:00", "80h", "80 hours ago"])
def test_since_leaves_out_what_is_older(week: Person, since: str) -> None:
    assert set(week.texts("deploy", "--since", since)) == {"Prefer to deploy at noon", "T-1: First deploy"}


def test_since_today_is_the_whole_day(week: Person) -> None:
    assert week.texts("deploy", "--since", "today") == ["T-1: First deploy"]
    assert week.texts("deploy", "--since", "yesterday") == ["T-1: First deploy"]


@pytest.mark.parametrize("moment", ["2026-03-02", "2026-03-02T23:00:00+00:00", "2026-03-03T11:59:59+00:00"])
def test_as_of_is_memory_as_it_was(week: Person, moment: str) -> None:
    assert week.texts("deploy", "--as-of", moment) == ["never deploy on Fridays"]


def test_as_of_a_day_counts_to_its_end(week: Person) -> None:
    assert len(week.texts("deploy", "--as-of", "2026-03-03")) == 2
    assert len(week.texts("deploy", "--as-of", "today")) == 3
    assert len(week.texts("deploy", "--as-of", "yesterday")) == 2


def test_as_of_knows_the_words_of_then(week: Person) -> None:
    name = week.id_of("never deploy on Fridays")
    week.tacit("edit", name, "--text", "never deploy on Fridays or Sundays")
    assert week.texts("never deploy", "--kind", "constraint") == ["never deploy on Fridays or Sundays"]
    assert week.texts("never deploy", "--as-of", "yesterday", "--kind", "constraint") == ["never deploy on Fridays"]


def test_all_shows_what_was_forgotten_dismissed_or_overruled(person: Person) -> None:
    person.tacit("add", "I prefer npm")
    person.tacit("add", "I prefer pnpm")
    person.tacit("add", "I prefer dark mode")
    person.tacit("note", "I prefer loud music")
    person.tacit("forget", "--text", "I prefer dark mode", "--reason", "r", "--evidence", "e")
    person.tacit("dismiss", person.id_of("I prefer loud music"))
    assert person.texts("prefer") == ["I prefer pnpm"]
    hits = {hit["text"]: (hit["status"], hit["overruled_by"]) for hit in person.recalled("prefer", "--all")}
    assert hits == {
        "I prefer npm": ("active", person.id_of("I prefer pnpm")),
        "I prefer pnpm": ("active", None),
        "I prefer dark mode": ("retired", None),
        "I prefer loud music": ("dismissed", None),
    }
    assert "forgotten" in person.tacit("recall", "dark", "--all").out


def test_scope_narrows_and_widens(person: Person) -> None:
    here, there = person.repository("here"), person.repository("there")
    person.tacit("add", "never deploy from here", cwd=here)
    person.tacit("add", "never deploy from there", cwd=there)
    person.tacit("add", "never deploy blindly")
    own, world, other = "never deploy from here", "never deploy blindly", "never deploy from there"
    assert set(person.texts("deploy", cwd=here)) == {own, world}
    assert person.texts("deploy", "--scope", "local", cwd=here) == [own]
    assert person.texts("deploy", "--scope", "global", cwd=here) == [world]
    assert set(person.texts("deploy", "--scope", "all", cwd=here)) == {own, world, other}
    assert set(person.texts("deploy")) == {own, world, other}
    assert "no project" in person.tacit("recall", "deploy", "--scope", "local", code=2).err
