"""What runs after every command loads little, whatever the person's Python has installed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tacit.shell.install import recorder_argv
from tests.cli.test_commands import HEAVY

RECORD = b"tacit1\0zsh\x001.2\x000\0\x0015\0/\0make test\0\0\0"


def run(command: list[str], home: Path, **more: str) -> subprocess.CompletedProcess[bytes]:
    environment = {"HOME": str(home), "TACIT_HOME": str(home / "home"), **more}
    return subprocess.run(command, input=RECORD, cwd=home, env=environment, capture_output=True, check=False)


def test_the_recorder_loads_nothing_heavy(tmp_path: Path) -> None:
    """Beside the one in a minute that also learns, which the first is."""
    run(recorder_argv(), tmp_path)
    *python, file = recorder_argv()
    source = str(Path(file).parents[2])
    code = f"import sys, os; sys.path.append({source!r}); bare = set(sys.modules); "
    code += "from tacit.hooks.recorder import record; record(0); print(*set(sys.modules) - bare)"
    done = run([*python, "-c", code], tmp_path)
    loaded = set(done.stdout.decode().split())
    assert "tacit.shell" in loaded, done.stderr
    assert loaded & HEAVY == set()
    assert not [name for name in loaded if name.startswith(("tacit.cli", "tacit.pages", "site"))]
    assert list((tmp_path / "home" / "activity").iterdir())


def test_the_recorder_takes_nothing_from_the_environment_of_python(tmp_path: Path) -> None:
    for name in ("tacit", "json", "sitecustomize"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit(7)\n")
    done = run(recorder_argv(), tmp_path, PYTHONPATH=str(tmp_path), PYTHONSTARTUP=str(tmp_path / "tacit.py"))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert list((tmp_path / "home" / "activity").iterdir())


def test_whatever_happens_the_recorder_says_nothing_and_ends_well(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("not a home")
    done = run(recorder_argv(), tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    gone = subprocess.run(recorder_argv(), stdin=subprocess.DEVNULL, capture_output=True, check=False)
    assert (gone.returncode, gone.stdout, gone.stderr) == (0, b"", b"")
    assert os.path.samefile(recorder_argv()[0], sys.executable)


def test_in_a_client_that_judges_sessions_the_recorder_does_nothing(tmp_path: Path) -> None:
    done = run(recorder_argv(), tmp_path, TACIT_JUDGE="1")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert not (tmp_path / "home").exists()
