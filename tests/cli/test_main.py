"""0 done, 1 nothing found or refused, 2 wrong use, 3 and more: the store is unwell. Errors say what to type next."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.person import Person

from tacit.cli.install import TARGETS

WRONG_USE = [
    (("did you mean tacit remember?",), "rember x"),
    (("--evidence",), "remember something"),
    (("for example: tacit add",), "add"),
    (("tacit recall",), "recall"),
    (("constraint, rule",), "add x --kind nonsense"),
    (("constraint, rule",), "recall x --kind nonsense"),
    (("local, global or all",), "recall x --scope nonsense"),
    (("yesterday",), "recall x --since nonsense"),
    (("yesterday",), "recall x --as-of nonsense"),
    (("whole number",), "recall x --limit none"),
    (("whole number",), "recall x --limit 0"),
    (("whole number of at least 2",), "improve --min-count 1"),
    (("missing.json cannot be read: No such file",), "learn --answers missing.json"),
    (("exclude each other",), "learn --show-prompt --answers x"),
    (("--mcp is for agents",), "install zsh --mcp --yes"),
    (tuple(f"tacit install {name}" for name in TARGETS), "install emacs"),
    (("no such client", "claude, codex, gemini, copilot, opencode"), "learn --agent chatbot"),
    (("did you mean --evidence?",), "remember x --evidnce y"),
    (("--evidence wants a value",), "remember x --evidence"),
    (("takes no words",), "status now"),
    (("one of active",), "list --status nonsense"),
    (("tacit forget wants ID",), "forget"),
    (("tacit share wants ID",), "share"),
    (("given twice",), "add x --text y"),
    (("one of claude",), "init --wrappers --agent nobody"),
]


def test_help_and_version_are_told_on_request_and_without_a_home(person: Person) -> None:
    for words in ((), ("--help",), ("help",), ("help", "recall"), ("recall", "--help"), ("--version",)):
        assert person.process(*words).out
    assert not person.home.exists()


@pytest.mark.parametrize(("hints", "line"), WRONG_USE, ids=[line for _, line in WRONG_USE])
def test_wrong_use_is_2_and_says_what_to_type(person: Person, hints: tuple[str, ...], line: str) -> None:
    said = person.tacit(*line.split(), code=2)
    assert said.err.startswith("tacit: ")
    for hint in hints:
        assert hint in said.err
    assert said.out == ""
    assert not person.events.exists()


def test_wrong_use_is_2_as_a_process_too(person: Person) -> None:
    assert "did you mean tacit remember?" in person.process("rember", "x", code=2).err
    assert "TACIT_NOW" in person.process("list", now="tomorrow-ish", code=2).err


def test_settings_that_cannot_be_read_are_named_with_their_file(person: Person) -> None:
    person.tacit("init")
    (person.home / "tacit.toml").write_text("[recall\nlimit = many")
    said = person.process("recall", "x", code=2)
    assert str(person.home / "tacit.toml") in said.err


def test_nothing_found_is_1_where_that_is_asked_for(person: Person) -> None:
    said = person.process("recall", "nothing like it", "--exit-code", code=1)
    assert said.out == "Recall Results (0)\n- No matches.\n"
    assert person.process("recall", "nothing like it").out == said.out


@pytest.mark.parametrize(
    "line",
    [
        "show zzzz",
        "why zzzz",
        "accept zzzz",
        "dismiss zzzz",
        "restore zzzz",
        "edit zzzz --text other",
        "forget zzzz --reason r --evidence e",
        "undo zzzz",
        "undo",
        "conflicts --keep zzzz",
    ],
)
def test_an_unknown_memory_is_1(person: Person, line: str) -> None:
    said = person.tacit(*line.split(), code=1)
    assert said.err.startswith("tacit: ")


def test_what_makes_no_sense_is_refused_with_1_and_a_way_on(person: Person) -> None:
    person.tacit("add", "never force push")
    name = person.id_of("never force push")
    assert "active already" in person.tacit("accept", name, code=1).err
    assert f"tacit forget {name}" in person.tacit("dismiss", name, code=1).err
    assert "nothing to restore" in person.tacit("restore", name, code=1).err
    person.tacit("forget", name, "--reason", "r", "--evidence", "e")
    assert f"tacit restore {name}" in person.tacit("forget", name, "--reason", "r", "--evidence", "e", code=1).err


def test_a_home_that_is_a_file_is_unwell(person: Person) -> None:
    person.home.write_text("not a folder")
    said = person.process("add", "never force push", code=None)
    assert said.code >= 3
    assert str(person.home) in said.err
    assert person.home.read_text() == "not a folder"


def test_a_log_that_is_a_link_is_not_written_through(person: Person, tmp_path: Path) -> None:
    person.tacit("init")
    target = tmp_path / "target"
    target.write_text("")
    person.events.symlink_to(target)
    said = person.process("add", "never force push", code=3)
    assert "symbolic link" in said.err
    assert target.read_text() == ""


def test_a_reader_that_has_seen_enough_is_no_error(person: Person) -> None:
    person.tacit("add", "never force push")
    started = person.start("list")
    assert started.stdout is not None and started.stderr is not None
    started.stdout.close()
    assert started.wait(60) == 0
    assert started.stderr.read() == ""
    started.stderr.close()


def test_a_terminal_that_knows_only_ascii_is_no_error(person: Person) -> None:
    person.tacit("add", "日本語のコミットを書く")
    said = person.process("recall", "日本語", PYTHONIOENCODING="ascii")
    assert "\\u65e5" in said.out
