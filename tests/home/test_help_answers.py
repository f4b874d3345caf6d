"""Options are looked up in `--help` of programs that the person allowed, and of no other."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tacit.model.conditions import State
from tests.home.test_conditions import ask

HAS, HAS_NOT = "Pass `--frozen` to `foo sync`.", "`foo sync` has no `--frozen` option."
HELP = 'echo "usage: foo sync [--frozen] [--help], and many more words"'


def program(folder: Path, body: str) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "foo"
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return f"{folder}:/usr/bin:/bin"


def test_an_allowed_program_is_asked_in_an_empty_folder_without_input(tmp_path: Path) -> None:
    root, seen = tmp_path / "work", tmp_path / "seen"
    root.mkdir()
    path = program(
        tmp_path / "bin", f'echo "$@" >{seen}; ls -A >>{seen}; cat >>{seen}; env | grep SECRET >>{seen}\n{HELP}'
    )
    os.environ["SECRET"] = "x"
    try:
        assert ask(root, HAS, ("foo",), path).state is State.GREEN
        outcome = ask(root, HAS_NOT, ("foo",), path)
    finally:
        del os.environ["SECRET"]
    assert (outcome.state, outcome.why) == (State.RED, "foo sync --help names --frozen")
    assert seen.read_text() == "sync --help\n"
    assert ask(root, "Pass `--fast` to `foo sync`.", ("foo",), path).state is State.RED


def test_nothing_else_is_run(tmp_path: Path) -> None:
    root = tmp_path / "work"
    ran = tmp_path / "ran"
    path = program(root / "bin", f"touch {ran}; {HELP}")
    outcome = ask(root, HAS, (), path)
    assert outcome.state is State.UNKNOWN and "tacit config set check.programs foo" in outcome.why
    assert "is a file of the project" in ask(root, HAS, ("foo",), path).why
    assert ask(root, HAS, ("foo",), "bin").why == "foo is not installed"  # a relative folder of PATH
    assert not ran.exists()


def test_a_program_that_fails_or_says_nothing_is_unknown(tmp_path: Path) -> None:
    root = tmp_path / "work"
    root.mkdir()
    path = program(tmp_path / "bin", "exit 1")
    assert ask(root, HAS, ("foo",), path).state is State.UNKNOWN
    path = program(tmp_path / "other", f"exec {sys.executable} -c 'import time; time.sleep(60)'")
    assert ask(root, HAS, ("foo",), path).why == "foo sync --help says nothing"
