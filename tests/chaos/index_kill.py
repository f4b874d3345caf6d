"""Killed between the log's acknowledgement and the index: the next question catches up by itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.chaos.kills import TEXT, Scene, acknowledged_faults, index_faults, strays, sweep
from tests.chaos.outcome import Outcome
from tests.chaos.program import Ended, wrong_end
from tests.chaos.strace import Call

LIFE = (
    ("init",),
    ("add", "always sign commits", "--tag", "git"),
    ("add", "global: I prefer pnpm"),
    ("remember", "the tests need docker", "--evidence", "chat"),
    ("log", "--task", "T-1", "--summary", "moved the parser"),
)
COMMANDS = {
    "add": ("add", TEXT),
    "forget": ("forget", "--text", "always sign commits", "--reason", TEXT, "--evidence", "chat"),
    "log": ("log", "--task", "T-2", "--summary", TEXT),
    "improve": ("improve", "--force"),
    "reindex": ("reindex",),
}
CAUGHT = "not in the index"


def is_recorded(call: Call) -> bool:
    """The line is in the file: from here on the next call may be the one that makes it durable, or anything later."""
    return call.name in ("fdatasync", "fsync") and ".jsonl" in call.words


def is_index(call: Call) -> bool:
    return "index.sqlite" in call.words


def look(folder: Path, ended: Ended) -> Iterator[str]:
    home = folder / "home"
    if (wrong := wrong_end(ended)) is not None:
        yield wrong
    yield from index_faults(home)
    if strays(home):
        yield f"left behind after the next command: {strays(home)}"


def index_kill(folder: Path, verb: str, *, most: int = 0, mutant: str = "") -> Outcome:
    """One command, killed at its moments; `reindex` also while the new index takes the place of the old one."""
    scene = Scene(folder / verb, COMMANDS[verb], mutant)
    scene.prepare(*LIFE)

    def looked(where: Path, ended: Ended) -> Iterator[str]:
        yield from look(where, ended)
        if verb == "add":
            yield from acknowledged_faults(where / "home", ended)

    since = is_index if verb == "reindex" else is_recorded
    return sweep(scene, looked, most=most, since=since, until=CAUGHT if mutant else "")
