"""What the last word of a command line can become: `tacit completion words`, from the declarations of commands."""

from __future__ import annotations

import pytest
from harness.person import Person

from tacit.cli.commands import ALIASES, FORMER, SUMMARIES


def words(person: Person, *line: str) -> list[str]:
    return [shown.split("\t")[0] for shown in person.tacit("completion", "words", "--", *line).out.splitlines()]


def test_the_first_word_is_a_command_or_an_alias(person: Person) -> None:
    assert set(words(person, "")) == {*SUMMARIES, *ALIASES, "help"} - FORMER.keys()
    assert words(person, "rec") == ["recall"]
    assert words(person) == words(person, "")


def test_commands_come_with_their_summaries(person: Person) -> None:
    assert person.tacit("completion", "words", "--", "recal").out == f"recall\t{SUMMARIES['recall']}\n"


@pytest.mark.parametrize(
    ("line", "completed"),
    {
        "list --pen": ["--pending"],
        "suggestions --exit": ["--exit-code"],
        "list --status for": ["forgotten"],
        "add x --kind con": ["constraint", "convention"],
        "config ge": ["get"],
        "config set recall.l": ["recall.limit"],
        "install cl": ["claude"],
        "hook z": ["zsh"],
        "autocapture o": ["on", "off"],
        "guard o": ["on", "off"],
        "team re": ["review", "retire", "remove-member"],
        "remote fo": ["forget-machine"],
        "workflow ru": ["run", "runs"],
        "import history --shell at": ["atuin"],
        "export --to ": [":files"],
        "import his": ["history"],
        "capture ": [":files"],
        "nonsense ": [],
        "recall ": [],
    }.items(),
)
def test_options_values_and_subcommands(person: Person, line: str, completed: list[str]) -> None:
    assert words(person, *line.split(" ")) == completed


def test_ids_are_those_that_the_command_is_for(person: Person) -> None:
    person.tacit("add", "never force push", "--global")
    person.tacit("note", "use pnpm")
    active, pending = person.id_of("never force push"), person.id_of("use pnpm")
    assert [active.startswith(word) for word in words(person, "forget", "")] == [True]
    assert [pending.startswith(word) for word in words(person, "accept", "")] == [True]
    assert len(words(person, "show", "")) == 2
    assert words(person, "sessions", "") == ["last"]
    person.tacit("workflow", "new", "check", "--", "true")
    assert words(person, "workflow", "run", "") == ["check"]


def test_a_home_that_cannot_be_read_completes_nothing_and_says_nothing(person: Person) -> None:
    person.home.write_text("no folder")
    said = person.process("completion", "words", "--", "show", "")
    assert (said.out, said.err) == ("", "")
