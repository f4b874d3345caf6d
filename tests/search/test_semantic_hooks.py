"""The hooks of agents make vectors when a session is over: in the process that goes on by itself, and nowhere else."""

from __future__ import annotations

import importlib.util
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import tacit
from tests.support import hook_calls as running
from tests.support.hook_calls import Call, Scene


@pytest.fixture
def scene(tmp_path: Path, packages: Path, monkeypatch: pytest.MonkeyPatch) -> Scene:
    """Tacit as pip installs it: in one folder with what the extra needs, of which the hook sees nothing else."""
    site = tmp_path / "site"
    site.mkdir()
    (site / "tacit").symlink_to(Path(tacit.__file__).parent)
    spec = importlib.util.find_spec("numpy")
    assert spec and spec.origin
    for beside in Path(spec.origin).parents[1].glob("numpy*"):
        (site / beside.name).symlink_to(beside)
    for package in packages.iterdir():
        (site / package.name).symlink_to(package)
    monkeypatch.setattr(running, "AGENT", site / "tacit/hooks/agent.py")
    made = Scene(tmp_path / "person")
    made.prepare()
    return made


def vectors(scene: Scene) -> int:
    with closing(sqlite3.connect(scene.home / "index.sqlite")) as connection:
        found: int = connection.execute("SELECT count(*) FROM vectors").fetchone()[0]
    return found


def test_the_end_of_a_session_leaves_vectors_of_all_that_is_known(scene: Scene) -> None:
    assert scene.run(Call("capture", "SessionEnd")) == (0, b"", b"")
    scene.settle()
    assert vectors(scene) == len(running.RULES) + 2  # what was asked, and the answer


def test_a_prompt_makes_none(scene: Scene) -> None:
    assert scene.run(Call("inject", "UserPromptSubmit")).code == 0
    scene.settle()
    assert vectors(scene) == 0
