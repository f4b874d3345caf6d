"""`tacit week`: lines that end with what to type, and numbers that every other surface has, too."""

from __future__ import annotations

import re
from shlex import split

from harness.person import Person

from tests.support.hook_session import Sitting

RULE = "never force push to main"


def lines(person: Person, *options: str) -> list[str]:
    return person.tacit("week", *options).out.splitlines()


def test_an_empty_week_is_one_line(person: Person) -> None:
    assert lines(person) == ["Since 2026-02-23 nothing was learned, told or forgotten, and nothing waits for you."]


def test_only_what_there_is_to_tell_has_a_line_and_each_ends_with_a_command_that_works(person: Person) -> None:
    person.tacit("add", RULE)
    person.tacit("add", "I prefer tabs")
    person.tacit("forget", person.id_of("I prefer tabs"))
    person.tacit("note", "use pnpm instead of npm")
    Sitting(person, "one", person.folder).ask("may I force push to main?")
    first, *told = lines(person)
    assert first.startswith("Since Monday, 2026-02-23")
    assert [line.split()[0] for line in told] == ["Learned", "Forgotten", "Waiting", "Told"]
    assert "1 memory: “never force push to main”" in told[0] and "“I prefer tabs”" in told[1]
    assert "1 candidate (1 new)" in told[2] and re.search(r"1 time, \d+ tokens", told[3])
    for line in told:
        person.tacit(*split(line.rpartition(": tacit ")[2]))


def test_a_time_that_is_given_is_the_one_of_the_commands(person: Person) -> None:
    person.tacit("add", RULE)
    (learned,) = lines(person, "--since", "2 weeks ago")[1:]
    assert learned.endswith("tacit list --scope all --since '2 weeks ago'")
    assert RULE in person.tacit(*split(learned.rpartition(": tacit ")[2])).out


def test_programs_get_all_numbers(person: Person) -> None:
    person.tacit("add", RULE)
    digest = person.tacit("week", "--json").json
    assert [(one["what"], one["text"], one["count"]) for one in digest["highlights"]] == [("learned", RULE, 1)]
    assert (digest["learned_count"], digest["pending"], digest["judge_tokens"]) == (1, 0, 0)


def test_what_somebody_wrote_cannot_move_the_cursor(person: Person) -> None:
    person.tacit("add", "never use the \x1b[2J otter")
    assert "\x1b" not in person.tacit("week").out
