"""Killed while the home is made: run again, it is made whole, every time, and is the same home."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from tests.chaos.kills import Scene, index_faults, strays, sweep
from tests.chaos.outcome import Outcome
from tests.chaos.program import Ended, run, tacit, wrong_end
from tests.chaos.strace import Call

COMMANDS = {
    "init": ("init",),
    "init with wrappers": ("init", "--wrappers", "--agent", "claude"),
    "first add": ("add", "never deploy on a friday evening"),
}
CAUGHT = "are not whole"
_DIFFERS = (
    "index.sqlite",
    "index.sqlite-file",
    "events.jsonl",
    ".jsonl",
    ".lock",
)  # other ids and times of writing, same meaning


def is_settings(call: Call) -> bool:
    """The first file with something in it."""
    return "tacit.toml" in call.words


def layout(folder: Path) -> dict[str, bytes]:
    """Every folder and file; the bytes of those that are the same in every home."""
    found = {}
    for where, folders, names in os.walk(folder):
        for name in folders:
            found[os.path.relpath(os.path.join(where, name), folder)] = b"(folder)"
        for name in names:
            path = Path(where, name)
            found[str(path.relative_to(folder))] = b"" if name.endswith(_DIFFERS) else path.read_bytes()
    return {name: data for name, data in found.items() if "-wal" not in name and "-shm" not in name}


def first_run(folder: Path, verb: str, *, most: int = 0, mutant: str = "") -> Outcome:
    scene = Scene(folder / verb.replace(" ", "-"), COMMANDS[verb], mutant)
    scene.prepare()
    scene.again()
    assert run(tacit(*scene.words), scene.home, cwd=scene.project).code == 0
    whole = layout(scene.folder)

    def look(where: Path, ended: Ended) -> Iterator[str]:
        """Look into it first, as a person would; then do it again."""
        asked = run(tacit("recall", "anything"), scene.home, cwd=scene.project)
        if asked.code not in (0, 1) or "Traceback" in asked.err:
            yield f"a question is not answered: {asked}"
        again = run(tacit(*scene.words), scene.home, cwd=scene.project)
        if again.code != 0 or wrong_end(again):
            yield f"run again, it fails: {again}"
            return
        there = layout(where)
        if missing := sorted(set(whole) - set(there)):
            yield f"run again, these are missing: {missing}"
        if verb.startswith("init") and (other := [name for name in whole if there.get(name, b"") != whole[name]]):
            yield f"run again, these {CAUGHT}: {other}"
        if strays(where):
            yield f"run again, there are temporary files: {strays(where)}"
        yield from index_faults(scene.home)

    if mutant:
        return sweep(scene, look, since=is_settings, until=CAUGHT)
    found = sweep(scene, look, most=most)
    shutil.rmtree(scene.folder)
    return found
