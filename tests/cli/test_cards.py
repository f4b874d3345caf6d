"""Memories as lines and cards: how many are shown, what is said about each, and nothing that fools a terminal."""

from __future__ import annotations

import pytest

from tacit.cli.cards import (
    FILTER_OPTIONS,
    KIND_OPTION,
    LIMIT_OPTIONS,
    card_lines,
    echo_card,
    echo_memory,
    echo_remaining,
    outcome_line,
)
from tacit.cli.commands import JSON_OPTION, Invocation, command, parse_args
from tacit.model.claim import Kind, project_scope
from tacit.model.event import ClaimProposed, Verdict
from tacit.model.memory import HABIT_SOURCE
from tacit.vault.listing import HabitCounts, ListedMemory
from tacit.vault.memories import DecisionOutcome
from tests.support.documents import entry
from tests.support.events import active, added, forgotten, memory_of, pending, says

ESCAPE = "never \x1b[2Jforce\u202epush"


@command("", "tacit list", KIND_OPTION, *LIMIT_OPTIONS, JSON_OPTION, *FILTER_OPTIONS)
def run_list(call: Invocation) -> None:
    """A command with the options of lists."""


def call(*words: str) -> Invocation:
    return parse_args(run_list, words)


def listed(text: str = "use pnpm") -> ListedMemory:
    memory = active(text)
    return ListedMemory(memory.id[:4], memory, None, False)


def candidate(text: str = "use pnpm") -> ListedMemory:
    memory = pending(text)
    return ListedMemory(memory.id[:4], memory, None, False)


def habit(counts: HabitCounts) -> ListedMemory:
    claim = says("run make lint, then make test", kind=Kind.WORKFLOW_PATTERN)
    memory = memory_of(claim, ClaimProposed(claim, Verdict.PROPOSED, HABIT_SOURCE, confidence=0.8))
    return ListedMemory(memory.id[:4], memory, None, False, counts)


# How many


def test_the_command_that_shows_all_keeps_the_other_options_and_can_be_typed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked = call("--kind", "constraint", "--project", "my shop; rm", "--limit", "2")
    echo_remaining(asked, 2, 9, "memory")
    echo_remaining(asked, 2, 3, "candidate")
    echo_remaining(asked, 9, 9, "memory")
    command = "tacit list --kind constraint --project 'my shop; rm' --all"
    assert capsys.readouterr().out.splitlines() == [
        f"… and 7 more memories. To see all: {command}",
        f"… and 1 more candidate. To see all: {command}",
    ]
    echo_remaining(call("--json"), 2, 9, "memory")  # not in the JSON: a list is a list
    assert capsys.readouterr() == ("", "… and 7 more memories. To see all: tacit list --json --all\n")


# One memory


def test_a_memory_is_two_lines_with_only_the_marks_that_apply(capsys: pytest.CaptureFixture[str]) -> None:
    one = listed()
    echo_memory(one)
    assert capsys.readouterr().out == f"[{one.short}] use pnpm\n    rule, active, global, 2024-03-01\n"


def test_strength_conflict_and_what_overrules_it_are_marked(capsys: pytest.CaptureFixture[str]) -> None:
    claim = says("use pnpm", project_scope("example.org/kim/shop"))
    memory = memory_of(claim, added(claim), added(claim))
    echo_memory(ListedMemory("abcd", memory, memory.id, True), "- ")
    first, second = capsys.readouterr().out.splitlines()
    assert first == "- [abcd] use pnpm"
    assert second == f"    rule, active, project shop, seen 2 times, conflict, overruled by {memory.id}, 2024-03-01"


def test_a_status_has_the_word_that_people_use(capsys: pytest.CaptureFixture[str]) -> None:
    for memory, word in ((pending(), "candidate"), (forgotten(), "forgotten")):
        echo_memory(ListedMemory("abcd", memory, None, False))
        assert f"rule, {word}, global" in capsys.readouterr().out


def test_control_characters_in_a_memory_reach_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    claim = says("x")._replace(sentence=ESCAPE)
    memory = memory_of(claim, added(claim, ESCAPE))
    one = ListedMemory("abcd", memory, None, False, reason=ESCAPE, contradicts=(entry("x")._replace(sentence=ESCAPE),))
    echo_memory(one)
    echo_card(one, 1, 1)
    echo_card(habit(HabitCounts(ESCAPE, 3, 2, "", steps=(ESCAPE,))), 1, 1)
    print(outcome_line("Added", DecisionOutcome(memory, "abcd", True)))
    shown = capsys.readouterr().out
    assert "force" in shown and "\x1b" not in shown and "\u202e" not in shown


# Cards


def test_a_card_says_where_a_candidate_comes_from_and_what_it_contradicts() -> None:
    other = entry("use npm")
    one = candidate()._replace(reason="it was said twice", contradicts=(other,))
    lines = card_lines(one, 2, 7)
    assert lines[0] == f"── 2 of 7 ── [{one.short}] rule, global, 2024-03-01"
    assert lines[1] == "   “use pnpm”"
    assert lines[2] == "   based on 1 observation in 1 session"
    assert lines[3:] == [
        "   source: remember, said by you",
        "   evidence: a test",
        "   why: it was said twice",
        f"   may contradict {other.id[:6]}: use npm",
    ]


def test_three_pieces_of_evidence_are_shown_and_long_ones_are_cut() -> None:
    claim = says("use pnpm")
    memory = memory_of(claim, *(added(claim, f"{number} " + "x" * 400) for number in range(5)))
    shown = [line for line in card_lines(ListedMemory("abcd", memory, None, False), 1, 1) if "evidence" in line]
    assert [line.split()[1] for line in shown] == ["0", "1", "2"]
    assert all(len(line) < 330 for line in shown)


def test_the_card_of_a_habit_has_its_steps_and_counts_instead_of_evidence() -> None:
    lines = card_lines(
        habit(HabitCounts("lint, test", 6, 4, "2026-03-01", steps=("make lint", "make test"), effect="makes it")), 1, 1
    )
    assert "commands you run in order" in lines[0]
    assert lines[1:4] == ["   lint, test", "     1. make lint", "     2. make test"]
    assert lines[4].startswith("   based on 6 runs in 4 sessions, confidence 0.80")
    assert lines[5:] == ["   learned from your shell, the last time on 2026-03-01", "   accepting makes it"]


def test_the_card_of_a_habit_without_times_does_not_invent_sessions() -> None:
    lines = card_lines(habit(HabitCounts("make", 1, 0, "", has_times=False)), 1, 1)
    assert "based on 1 run in a history without timestamps (sessions unknown)" in lines[2]
    assert lines[-2] == "   learned from your shell"
