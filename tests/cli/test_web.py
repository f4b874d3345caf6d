"""`tacit web` is for people, and says what is missing."""

from __future__ import annotations

import sys

import pytest
from harness.person import Person


def test_without_the_extra_the_error_says_what_to_install(person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("tacit.web")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    answer = person.tacit("web", "--no-open", code=3)
    assert "uvicorn" in answer.err and "pip install 'tacit-memory[web]'" in answer.err


def test_a_port_must_be_a_number_in_range(person: Person) -> None:
    for port in ("80", "70000", "x"):
        assert "--port" in person.tacit("web", "--port", port, code=2).err


def test_no_other_command_imports_the_pages(person: Person) -> None:
    program = "import sys; from tacit.cli import main; main(['status']); print(*sys.modules, sep='\\n')"
    import subprocess

    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=person.environment(), check=True
    )
    loaded = done.stdout.splitlines()
    assert not [name for name in loaded if name.startswith(("tacit.web", "starlette", "uvicorn", "jinja2"))]
