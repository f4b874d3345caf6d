"""Killed while the readable views are drawn: each file is the old one or the new one, and no rest of it stays."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.chaos.index_kill import LIFE, is_recorded
from tests.chaos.kills import TEXT, Scene, strays, sweep
from tests.chaos.outcome import Outcome
from tests.chaos.program import Ended, deferred, run, tacit
from tests.chaos.strace import Call

COMMANDS = {
    "add": ("add", TEXT),
    "global": ("add", f"global: {TEXT}"),
    "forget": ("forget", "--text", "always sign commits", "--reason", "superseded", "--evidence", "chat"),
    "log": ("log", "--task", "T-2", "--summary", TEXT),
    "evaluate": ("evaluate", "--force"),
}
# Pages are drawn after the command has answered: each half is killed.
DEFERRED = {"answer": (("add", TEXT), ()), "draw": (("draw",), ("add", TEXT))}
_VIEWS = ("home/memory/*.md", "home/memory/*.ndjson", "home/worklog/*", "home/evaluations/*", "project/docs/memory/*")
CAUGHT = "neither the old nor the new one"
Pages = dict[str, bytes]


def pages(folder: Path) -> Pages:
    """Every view and its bytes."""
    paths = (path for view in _VIEWS for path in folder.glob(view) if not path.name.startswith("."))
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def is_drawing(call: Call) -> bool:
    """The first file that takes the place of a page is being made (mutants make none: there it is the page itself)."""
    folders = [f"/{name}{end}" for name in ("memory", "worklog", "evaluations") for end in "/>"]  # or an open folder
    return call.name.startswith("open") and ".jsonl" not in call.words and any(one in call.words for one in folders)


def view_kill(folder: Path, verb: str, *, most: int = 0, mutant: str = "") -> Outcome:
    scene = Scene(folder / verb, COMMANDS[verb], mutant)
    scene.prepare(*LIFE)
    old = pages(scene.folder)
    scene.finish()
    return _killed(scene, old, pages(scene.folder), most=most, until=CAUGHT if mutant else "")


def deferred_kill(folder: Path, half: str, *, most: int = 0) -> Outcome:
    words, before = DEFERRED[half]
    scene = Scene(folder / half, words, defers=True)
    scene.prepare(*LIFE, deferring=before)
    old = pages(scene.folder)
    scene.finish()
    run(deferred("draw"), scene.home, cwd=scene.project)
    return _killed(scene, old, pages(scene.folder), most=most)


def _killed(scene: Scene, old: Pages, new: Pages, *, most: int, until: str = "") -> Outcome:
    assert new != old

    def look(where: Path, ended: Ended) -> Iterator[str]:
        for name, data in pages(where).items():
            if data not in (old.get(name), new.get(name)):
                yield f"{name} is {CAUGHT}"
        yield from _after_the_next_command(where, new)

    since = is_recorded if scene.defers and scene.words[0] == "add" else is_drawing
    return sweep(scene, look, most=most, since=since, until=until)


def _after_the_next_command(folder: Path, new: Pages) -> Iterator[str]:
    """A question is enough to bring the home's pages up to date, and a sync for the repository's file."""
    run(tacit("recall", "anything"), folder / "home", cwd=folder / "project")
    run(tacit("sync", "--yes"), folder / "home", cwd=folder / "project")
    late = [name for name, data in pages(folder).items() if new.get(name) != data]
    if late or set(pages(folder)) != set(new):
        yield f"after the next commands these are not up to date: {late or set(new) - set(pages(folder))}"
    if strays(folder):
        yield f"after the next command there are temporary files: {strays(folder)}"
