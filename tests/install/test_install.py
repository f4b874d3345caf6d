"""A kill at any moment of installing leaves the old file or the new one; doing it again ends well."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from tests.chaos.program import run, tacit
from tests.chaos.strace import Call, killed_at, moments

SETTINGS = b'{\n  "a": 1, // mine\n  "hooks": {}\n}\n'
MOST = 3  # of a dozen moments; each takes a second


def prepare(folder: Path, *before: tuple[str, ...]) -> Path:
    """A folder with settings in it, and with these commands run; the home lies in it."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / ".claude").mkdir(parents=True)
    (folder / ".claude" / "settings.json").write_bytes(SETTINGS)
    for words in before:
        assert run(tacit(*words), folder / ".agents").code == 0
    return folder / ".agents"


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.glob(".claude*/*.json")} | {
        path.name: path.read_bytes() for path in folder.glob(".claude.json")
    }


@pytest.mark.parametrize("verb", ["install", "uninstall"])
def test_a_file_is_the_old_or_the_new_one_after_a_kill(tmp_path: Path, verb: str) -> None:
    folder = tmp_path / "person"
    before = [("install", "claude", "--mcp", "--yes")] if verb == "uninstall" else []
    words = ("install", "claude", "--mcp", "--yes") if verb == "install" else ("uninstall", "claude", "--yes")
    home = prepare(folder, *before)
    old = files(folder)
    when = [call for call in moments(tacit(*words), home, cwd=folder) if _is_ours(call, folder)]
    new = files(folder)
    assert old != new and len(when) > MOST
    hit = 0
    for moment in random.Random(7).sample(when, MOST):
        home = prepare(folder, *before)
        hit += killed_at(moment, tacit(*words), home, cwd=folder).killed
        now = files(folder)
        for name in old.keys() | new.keys():
            assert now.get(name) in (old.get(name), new.get(name)), (moment, name)
        assert run(tacit(*words), home).code == 0
        assert files(folder) == new
        assert run(tacit("uninstall", "claude", "--yes"), home).code == 0
        assert files(folder) == {".claude/settings.json": SETTINGS}
        assert not [path.name for path in folder.rglob("*tacit-*")]
    assert hit, "no kill has hit"


def _is_ours(call: Call, folder: Path) -> bool:
    """About a file of the host, or the receipt; the last ones matter most."""
    return f"{folder}/.claude" in call.words or "/installed" in call.words
