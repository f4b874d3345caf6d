"""improve and evaluate: once a day, each pattern once, with a command that promotes it and nothing else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from harness.person import Person, Said, facts_in, tree

TODAY, TOMORROW = "2026-03-02T12:00:00+00:00", "2026-03-03T12:00:00+00:00"
TEXT = "Prefer recall before repeating work"


def seen(person: Person, text: str, *evidence: str) -> None:
    with person.vault() as vault:
        for one in evidence:
            vault.memories.remember(text, evidence=one)


def shell(person: Person, command: str) -> Said:
    """Type a line as a person would: a real shell, with `tacit` on the path."""
    programs = person.folder / "bin"
    programs.mkdir(exist_ok=True)
    program = programs / "tacit"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m tacit "$@"\n')
    program.chmod(0o755)
    environment = person.environment()
    environment["PATH"] = f"{programs}:{environment['PATH']}"
    done = subprocess.run(
        ["sh", "-c", command], cwd=person.folder, env=environment, capture_output=True, text=True, check=False
    )
    return Said(done.returncode, done.stdout, done.stderr)


def promotion(said: Said) -> str:
    (line,) = [line for line in said.out.splitlines() if line.startswith("  Promote: ")]
    return line.removeprefix("  Promote: ")


def test_improve_evaluates_and_suggests_what_was_seen_twice(person: Person) -> None:
    seen(person, TEXT, "first session", "second session")
    seen(person, "Prefer tea", "once")
    said = person.process("improve")
    page = person.home / "evaluations" / "2026-03-02.md"
    assert said.first == f"Evaluation: created ({page})"
    assert "Memory candidates: " in said.out
    assert "Pattern suggestions: 1\n" in said.out
    assert f"- {TEXT} (2 observations)" in said.out
    assert "Prefer tea" not in said.out.split("Pattern suggestions")[1]
    assert page.read_text().startswith("# Evaluation of 2026-03-02: ")
    assert person.event_types().count("pattern.suggested") == 1
    assert person.event_types().count("evaluation.created") == 1


def test_the_second_run_of_a_day_changes_nothing(person: Person) -> None:
    seen(person, TEXT, "first session", "second session")
    person.tacit("improve")
    before = tree(person.home)
    said = person.process("improve", now="2026-03-02T18:00:00+00:00")
    assert said.first.startswith("Evaluation: unchanged (")
    assert "Memory candidates: not changed" in said.out
    assert "Pattern suggestions: 0" in said.out
    assert {name: data for name, data in tree(person.home).items() if "index.sqlite" not in name} == {
        name: data for name, data in before.items() if "index.sqlite" not in name
    }


def test_evaluate_and_improve_share_the_evaluation_of_a_day(person: Person) -> None:
    seen(person, TEXT, "first session", "second session")
    assert person.process("evaluate").first.startswith("Evaluation: created (")
    said = person.process("improve")
    assert said.first.startswith("Evaluation: unchanged (")
    assert "Pattern suggestions: 1" in said.out


def test_a_promoted_pattern_never_comes_back(person: Person) -> None:
    seen(person, TEXT, "one", "two")
    said = person.tacit("improve")
    assert shell(person, promotion(said)).code == 0
    seen(person, TEXT, "three", "four")
    assert "Pattern suggestions: 0" in person.tacit("improve", now=TOMORROW).out


def test_a_dismissed_pattern_never_comes_back(person: Person) -> None:
    seen(person, TEXT, "one", "two")
    person.tacit("improve")
    person.tacit("dismiss", person.id_of(TEXT))
    person.tacit("remember", TEXT, "--evidence", "an agent insists", TACIT_ACTOR="codex")
    assert "Pattern suggestions: 0" in person.tacit("improve", now=TOMORROW).out
    (person.home / "index.sqlite").unlink()
    assert "Pattern suggestions: 0" in person.tacit("improve", "--force", now=TOMORROW).out
    assert person.listed("--status", "pending") == [
        memory for memory in person.listed("--status", "pending") if memory["label"] != TEXT
    ]


def test_min_count_decides_what_is_a_pattern(person: Person) -> None:
    seen(person, TEXT, "one", "two", "three")
    assert "Pattern suggestions: 0" in person.tacit("improve", "--min-count", "4").out
    assert "Pattern suggestions: 1" in person.tacit("improve", "--min-count", "3").out


@pytest.mark.parametrize(
    "evidence",
    [
        "plain words",
        "it's \"quoted\" and 'quoted'",
        "$(touch pwned) `touch pwned` ; touch pwned",
        "two\nlines; touch pwned\n",
        "'; touch pwned; echo '",
        "\x1b[8m hidden \u202e touch pwned",
        "日本語 & emoji 🎉 | touch pwned",
        "--kind constraint",
        "\\",
        "!! $HOME ${PATH} *",
    ],
)
def test_the_printed_command_promotes_and_does_nothing_else(person: Person, evidence: str) -> None:
    seen(person, TEXT, evidence, "a second time")
    command = promotion(person.process("improve"))
    assert command.startswith(f"tacit promote {person.id_of(TEXT)} --kind pattern --evidence ")
    assert command.isprintable()
    said = shell(person, command)
    assert said.code == 0, said.err
    assert said.first.startswith("Promoted (global, pattern) [")
    assert not (person.folder / "pwned").exists()
    assert [fact["canonical"] for fact in facts_in(person.facts)] == [TEXT]
    assert any(TEXT in entry for entry in person.section("Patterns"))
    assert "$HOME" not in evidence or "$HOME" in person.listed()[0]["evidence"][-1]


def test_weak_measures_become_candidates_once(person: Person) -> None:
    for number in range(3):
        person.tacit("note", f"something number {number} happened")
    said = person.process("evaluate")
    assert "evidence coverage: 0/2, 0 of 3 memories have evidence" in said.out
    assert "candidate: Give evidence with every memory" in said.out
    pending = [memory["label"] for memory in person.listed("--status", "pending")]
    assert sum(label.startswith("Give evidence") for label in pending) == 1
    person.tacit("evaluate", "--force")
    assert len(person.listed("--status", "pending")) == len(pending)


def test_having_been_added_is_no_evidence(person: Person) -> None:
    for number in range(3):
        person.tacit("add", f"rule number {number} holds")
    person.tacit("add", "never force push", "--evidence", "the incident in May")
    assert "evidence coverage: 0/2, 1 of 4 memories have evidence" in person.tacit("evaluate").out


def test_every_score_is_0_to_2_with_a_reason(person: Person) -> None:
    seen(person, TEXT, "one")
    person.tacit("recall", "nothing like it")
    person.tacit("log", "--task", "T-1", "--summary", "Did it", "--evidence", "tests")
    lines = [line for line in person.tacit("evaluate").out.splitlines() if line.startswith("- ")]
    names = [line[2:].split(":")[0] for line in lines]
    assert names == [
        *("evidence coverage", "worklog traceability", "candidate backlog", "staleness", "conflicts", "recall"),
        "injection size",
    ]
    assert all(line.split(": ")[1][:3] in ("0/2", "1/2", "2/2") and ", " in line for line in lines)
    assert "- recall: 0/2, 0 of 1 questions found something" in lines


def test_improve_names_what_nobody_confirmed_for_long(person: Person) -> None:
    person.tacit("add", "never force push")
    said = person.process("improve", now="2026-12-01T12:00:00+00:00")
    assert "Not confirmed for long: 1" in said.out
    (line,) = [line for line in said.out.splitlines() if line.startswith("  Forget: ")]
    assert shell(person, line.removeprefix("  Forget: ")).code == 0
    assert facts_in(person.facts) == []


def test_improve_names_conflicts_that_no_rule_decides(person: Person) -> None:
    person.tacit("add", "always use tabs", "--kind", "constraint")
    person.tacit("add", "always use spaces", "--kind", "constraint")
    assert "1 contradiction for you to decide on: tacit conflicts" in person.process("improve").out


def test_the_evaluation_can_be_drawn_again(person: Person, tmp_path: Path) -> None:
    person.tacit("evaluate")
    page = person.home / "evaluations" / "2026-03-02.md"
    before = page.read_bytes()
    page.unlink()
    person.tacit("status")
    assert page.read_bytes() == before
