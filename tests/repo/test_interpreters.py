"""Which interpreters the tests run on, whatever is installed."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from harness.interpreters import WANTED, find, version_of

NAME = f"python{sys.version_info.major}.{sys.version_info.minor}"


def _script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


@pytest.fixture
def bare_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with no interpreter but Debian's, if this one has that."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin") + os.pathsep + "/nowhere")
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def test_an_interpreter_that_is_not_installed_is_no_error(bare_machine: Path) -> None:
    assert [find(name) for name in WANTED[1:]] == [None, None]
    assert version_of(bare_machine / "bin" / "python3") is None


def test_a_shim_that_runs_nothing_is_passed_over_for_one_that_runs(bare_machine: Path) -> None:
    _script(bare_machine / "bin" / NAME, "exit 127")
    assert find(NAME) is None
    python = _script(bare_machine / f".pyenv/versions/{NAME[6:]}.9/bin/{NAME}", f'exec {sys.executable} "$@"')
    assert find(NAME) == python
    assert version_of(python) == ".".join(map(str, sys.version_info[:3]))


def test_an_interpreter_of_another_version_than_its_name_is_passed_over(bare_machine: Path) -> None:
    _script(bare_machine / "bin" / NAME, "echo 3.1.4")
    assert find(NAME) is None
