"""Workflows of a person: made, run without a terminal, and looked at."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from harness.person import Person, Said


def new(person: Person, *steps: str, name: str = "check") -> Said:
    return person.tacit("workflow", "new", name, "--", *steps)


def run(person: Person, *words: str, code: int = 0, shell: str = "sh", cwd: Path | None = None) -> Said:
    return person.process("workflow", "run", "check", "--yes", *words, code=code, cwd=cwd, SHELL=path_of(shell))


def path_of(shell: str) -> str:
    found = shutil.which(shell)
    assert found, f"{shell} is not installed"
    return found


def shown(person: Person, name: str = "check") -> dict[str, Any]:
    found: dict[str, Any] = person.tacit("workflow", "show", name, "--json").json
    return found


def runs(person: Person, name: str = "check") -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = person.tacit("workflow", "runs", name, "--json").json
    return found


def statuses(run_: dict[str, Any]) -> list[int]:
    return [step["exit_status"] for step in run_["results"]]
