"""What the learners see in a session, command by command."""

from __future__ import annotations

import pytest

from tacit.learn.habits.counts import CommandTrail, detect_habits, parse_step
from tacit.learn.habits.habit import KEY_SEPARATOR
from tacit.model.claim import Kind
from tacit.model.observation import UNKNOWN_STATUS, CommandRan
from tests.support.shellwork import Line, lines


def seen(history: list[Line], kind: Kind) -> list[str]:
    trail, found = CommandTrail(), list[str]()
    for line in history:
        trail, more = detect_habits(trail, parse_step(int(line.at.timestamp() * 1000), line.ran))
        found += [key.replace(KEY_SEPARATOR, " → ") for one, key, _ in more if one is kind]
    return found


def sequences(*commands: str) -> list[str]:
    return seen(lines("s", *commands), Kind.WORKFLOW_PATTERN)


def test_pairs_and_triples_are_seen_in_order() -> None:
    assert sequences("git add .", "git commit -m x", "git push") == [
        "git add → git commit",
        "git commit → git push",
        "git add → git commit → git push",
    ]


def test_the_parts_of_a_chain_are_a_sequence() -> None:
    assert sequences("make lint && make test") == ["make lint → make test"]


@pytest.mark.parametrize(
    "commands",
    [
        ("git status", "git status", "git status"),
        ("git status -s", "git status", "git status --short"),
        ("make", "cd src", "make", "ls", "make"),
    ],
)
def test_a_command_repeated_is_no_workflow(commands: tuple[str, ...]) -> None:
    assert sequences(*commands) == []


def test_to_and_fro_is_no_triple() -> None:
    assert sequences("vim a", "make test", "vim a") == ["vim → make test", "make test → vim"]


def test_looking_around_in_between_changes_nothing() -> None:
    assert sequences("make lint", "ls", "cd src", "make test") == ["make lint → make test"]


def test_what_failed_is_not_there() -> None:
    history = [*lines("s", "make lint"), *lines("s", "make test", start=1, status=2), *lines("s", "git push", start=2)]
    assert seen(history, Kind.WORKFLOW_PATTERN) == ["make lint → git push"]
    assert seen(history, Kind.RECURRING_COMMAND) == ["make lint", "git push"]
    assert len(seen(history, Kind.PREFERRED_CWD)) == 2


def test_a_history_that_does_not_tell_how_commands_ended_counts() -> None:
    history = lines("s", "make lint", "make test", status=UNKNOWN_STATUS)
    assert seen(history, Kind.RECURRING_COMMAND) == ["make lint", "make test"]


def test_after_a_long_pause_nothing_follows_from_what_was_before() -> None:
    history = [*lines("s", "make lint"), *lines("s", "make test", start=31)]
    assert seen(history, Kind.WORKFLOW_PATTERN) == []


def test_aliases_count_for_what_they_mean() -> None:
    history = [Line("s", 0, CommandRan("gst", meant="git status"))]
    assert seen(history, Kind.RECURRING_COMMAND) == ["git status"]


def substituted(*told: tuple[str, int]) -> list[str]:
    history = [Line("s", at, CommandRan(command, status=status)) for at, (command, status) in enumerate(told)]
    return seen(history, Kind.PREFERENCE)


@pytest.mark.parametrize(
    ("wrong", "right", "found"),
    [
        ("git psuh origin main", "git push origin main", "git psuh → git push"),
        ("grep -rn todo src", "rg -rn todo src", "grep → rg"),
        ("pytest test", "pytest tests", "pytest test → pytest tests"),
        ("pyhton", "python", "pyhton → python"),
    ],
)
def test_a_correction_is_seen(wrong: str, right: str, found: str) -> None:
    assert substituted((wrong, 1), (right, 0)) == [found]
    assert substituted((wrong, 1), ("ls", 0), (right, 0)) == [found]


@pytest.mark.parametrize(
    "told",
    [
        [("git psuh", 1), ("git push", 1)],
        [("git psuh", 0), ("git push", 0)],
        [("git psuh", 1), ("make", 0), ("git push", 0)],
        [("make test", 2), ("make test", 0)],
        [("make test", 2), ("make lint test", 0)],
        [("git commit -m a -n", 1), ("git push -m b -n", 0)],
        [("cd aap", 1), ("cd app", 0)],
        [("vim", 1), ("git", 0)],
    ],
    ids=str,
)
def test_what_is_no_correction_is_not(told: list[tuple[str, int]]) -> None:
    assert substituted(*told) == []


def test_a_recalled_line_that_was_edited_is_a_correction() -> None:
    history = [Line("s", 0, CommandRan("rg todo src", planned="grep todo src"))]
    assert seen(history, Kind.PREFERENCE) == ["grep → rg"]
