"""A line that this home did not write is told. The long form is in `make chaos`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.chaos.forged_lines import FORGERIES, codes_ignored, forged_lines
from tests.chaos.kills import Scene, sweep
from tests.chaos.program import Ended, run, tacit


def test_every_forgery_is_told_by_its_line(tmp_path: Path) -> None:
    found = forged_lines(tmp_path, 8 * len(FORGERIES))
    assert found.runs == 8 * len(FORGERIES)
    assert found.faults == ()


@pytest.mark.chaos
def test_whoever_ignores_codes_is_caught(tmp_path: Path) -> None:
    with codes_ignored():
        assert len(forged_lines(tmp_path, len(FORGERIES)).faults) == len(FORGERIES)


def test_a_kill_while_the_key_is_made_leaves_a_home_that_signs(tmp_path: Path) -> None:
    scene = Scene(tmp_path / "scene", ("add", "never deploy on a friday evening"))
    scene.prepare()

    def look(where: Path, _ended: Ended) -> list[str]:
        after = run(tacit("add", "always sign commits"), where / "home", cwd=where / "project")
        told = run(tacit("verify"), where / "home", cwd=where / "project")
        return [] if (after.code, told.code) == (0, 0) and "✗" not in told.out else [f"{after} {told}"]

    found = sweep(scene, look, most=6, since=lambda call: "/.tacit/.key" in call.words)
    assert found.faults == ()
