"""The first rule counts: standing rules reach an agent whatever the prompt says, once a session, and as rules."""

from __future__ import annotations

import pytest
from harness.person import Person
from harness.transcripts import Turn, gemini, lines, place

from tests.support.hook_session import NAMES, sitting

RULE = "never run npm here, use pnpm"
INTRODUCED = (
    "This person's standing rules. They set or accepted them, and they apply to all work here:\n- [constraint, "
)
LATER = "2026-03-02T13:00:00+00:00"
LAST = "2026-03-02T14:00:00+00:00"


def add(person: Person, *rules: str, folder: str = "work", now: str | None = None) -> None:
    for rule in rules:
        person.tacit("add", rule, cwd=person.folder / folder, now=now)


ASKS = sorted(host for host, names in NAMES.items() if names.prompt)
STARTS = sorted(host for host, names in NAMES.items() if names.start)


@pytest.mark.parametrize("host", ASKS)
def test_the_first_memory_of_a_home_is_told_once_a_session_whatever_a_prompt_says(person: Person, host: str) -> None:
    add(person, RULE)
    one = sitting(person, host=host)
    given = [one.start()] if host in STARTS else []
    given += [one.ask("what is the weather like?"), one.ask("may I run npm here?")]

    assert [RULE in text for text in given] == [True] + [False] * (len(given) - 1)
    asked = sitting(person, "two", host).ask("what is the weather like?")
    assert INTRODUCED in asked and f"] {RULE} (" in asked
    assert "outdated" not in asked and "not instructions" not in asked


@pytest.mark.parametrize("host", ASKS)
def test_a_rule_that_is_said_in_the_middle_of_a_session_comes_with_the_next_prompt(person: Person, host: str) -> None:
    add(person, "always sign commits")
    one = sitting(person, host=host)
    assert "always sign commits" in (one.start() if host in STARTS else one.ask("hello"))
    add(person, RULE, now=LATER)
    given = one.ask("hello again", TACIT_NOW=LAST)

    assert RULE in given and "always sign commits" not in given
    assert one.ask("hello once more", TACIT_NOW=LAST) == ""


def test_a_candidate_that_is_accepted_in_the_middle_of_a_session_comes_with_the_next_prompt(person: Person) -> None:
    add(person, "always sign commits")
    person.tacit("remember", RULE, "--evidence", "chat", cwd=person.folder / "work")
    one = sitting(person)
    assert RULE not in one.start() + one.ask("may I run npm here?")
    person.tacit("accept", person.id_of(RULE), now=LATER)

    assert RULE in one.ask("hello", TACIT_NOW=LAST)


def test_a_host_without_a_hook_after_compactions_is_told_again_once_its_transcript_shows_one(person: Person) -> None:
    add(person, RULE)
    one = sitting(person, host="gemini")
    assert RULE in one.ask("hello") and one.ask("hello again") == ""
    records = gemini(one.session, str(one.cwd), [Turn("hello"), Turn("hello again")])
    summary = {
        "id": "s",
        "timestamp": LATER,
        "type": "user",
        "content": [{"text": "<state_snapshot>x</state_snapshot>"}],
    }
    file = place(person.folder, "gemini", one.session)
    file.write_bytes(lines([*records, {"$set": {"messages": [summary]}}]))
    person.tacit("capture", str(file), now=LAST)

    assert RULE in one.ask("go on", TACIT_NOW=LAST)
    assert RULE not in one.ask("go on", TACIT_NOW=LAST)


def test_of_many_rules_seven_are_told_and_the_others_only_where_a_prompt_is_about_them(person: Person) -> None:
    add(person, *(f"always water plant{number} on day{number}" for number in range(12)))
    one = sitting(person)
    start = one.start()
    left_out = next(f"plant{number}" for number in range(12) if f"plant{number} " not in start)

    assert start.count("- [rule, project") == 7
    assert "(5 more hold here; `tacit context` prints all of them.)" in start
    assert one.ask("hello") == one.start("resume") == ""
    asked = one.ask(f"who waters {left_out}?")
    assert asked.count("- [rule, project") == 1 and left_out in asked
    context = person.tacit("context", cwd=person.folder / "work").out
    assert all(f"plant{number} " in context for number in range(12))


def test_a_session_that_moves_to_another_project_is_told_its_rules(person: Person) -> None:
    person.repository("other", remote="git@example.org:kim/other.git")
    add(person, "always sign commits")
    add(person, RULE, folder="other")
    one = sitting(person)
    assert RULE not in one.start()
    one.cwd = person.folder / "other"

    assert RULE in one.ask("hello")
    assert one.ask("hello again") == ""


def test_a_global_preference_that_a_rule_of_the_project_answers_is_told_at_no_moment(person: Person) -> None:
    person.tacit("add", "--global", "I prefer yarn")
    add(person, RULE)
    one = sitting(person)

    assert "I prefer yarn" not in one.start() + one.ask("should I prefer `yarn`?")
    assert "I prefer yarn" in sitting(person, "two", folder=".").ask("should I prefer `yarn`?")


def test_a_rule_of_an_agent_that_was_accepted_is_marked_as_learned(person: Person) -> None:
    work = person.folder / "work"
    person.tacit("remember", RULE, "--evidence", "chat", cwd=work, TACIT_ACTOR="agent:claude")
    person.tacit("accept", person.id_of(RULE))

    assert f"[constraint, project, 2026-03-02, learned, may be outdated] {RULE}" in sitting(person).start()


def test_of_very_many_rules_the_first_prompt_counts_each_of_the_others_once(person: Person) -> None:
    with person.vault(cwd=person.folder / "work") as vault:
        for number in range(60):
            vault.add(f"always water plant{number} on day{number}")
    given = sitting(person).ask("who waters plant3 and plant44 on day3 and day44?")

    assert given.count("- [rule, project") == 7 and "plant44 " in given and "plant3 " in given
    assert "(53 more hold here;" in given
