"""`tacit import transcripts` killed at its system calls: capturing again completes it, and nothing is there twice."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from harness.transcripts import written

from tests.chaos.kills import Scene, index_faults, strays, sweep
from tests.chaos.outcome import Outcome
from tests.chaos.program import Ended, wrong_end
from tests.laws.kept import captured, difference, kept

_DIRECTORY = "/nowhere/work"


def capture_kill(folder: Path, *, most: int = 0) -> Outcome:
    scene = Scene(folder / "scene", ("capture", str(folder / "scene" / "transcripts")))
    (scene.folder / "transcripts").mkdir(parents=True)
    files = written(scene.folder / "transcripts", _DIRECTORY, turns=2)
    once = captured(folder / "once", *files)
    scene.prepare(("init",), ("add", "always sign commits"))

    def look(where: Path, ended: Ended) -> Iterator[str]:
        """Whatever was left, the next question finds it whole, and the next capture brings the rest."""
        if (wrong := wrong_end(ended)) is not None:
            yield wrong
        try:
            kept(where / "home")
            yield from difference(once, captured(where / "home", *files))
        except AssertionError as error:
            yield str(error)
        yield from index_faults(where / "home")
        if strays(where / "home"):
            yield f"left behind: {strays(where / 'home')}"

    return sweep(scene, look, most=most)
