"""Killed while something is purged or set aside: nothing else is lost, and the second run completes it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

from harness.homes import copy_home

from tests.chaos.index_kill import LIFE
from tests.chaos.kills import Scene, index_faults, strays, sweep
from tests.chaos.outcome import Outcome
from tests.chaos.program import Ended, run, tacit
from tests.chaos.view_kill import pages
from tests.support.planting import secret_of, traces

SECRET = secret_of(7)
RUBBISH = b"<<<<<<< ours\n"
_SAID = (
    ("add", f"never say {SECRET} aloud"),
    ("add", "global: rules stay", "--evidence", f"he said {SECRET}", "--tag", "stays"),
    ("log", "--task", "T-9", "--summary", f"moved {SECRET} away", "--changes", "all of it"),
    ("forget", "--text", f"never say {SECRET} aloud", "--reason", "a slip", "--evidence", "chat"),
)


def _scene(folder: Path, *words: str) -> Scene:
    scene = Scene(folder, words)
    scene.prepare(*LIFE, *_SAID)
    page = scene.home / "memory/long-term.md"
    page.write_text(page.read_text() + f"\nBy hand: {SECRET}, and more.\n")
    (scene.home / "quarantine").mkdir(mode=0o700)
    (scene.home / "quarantine/old.bad").write_bytes(f"bad {SECRET}\n".encode())
    kept = folder.with_name(folder.name + "-before")
    shutil.rmtree(kept)
    copy_home(folder, kept)
    return scene


def _memories(folder: Path) -> list[tuple[str, str, int]]:
    listed = run(tacit("list", "--status", "all", "--scope", "all", "--json"), folder / "home", cwd=folder / "project")
    return [(one["label"], one["status"], one["strength"]) for one in json.loads(listed.out)]


def purge_kill(folder: Path, *, most: int = 0) -> Outcome:
    scene = _scene(folder / "purge", "purge", "--text", SECRET, "--yes")
    before = {memory for memory in _memories(scene.folder) if SECRET not in memory[0]}
    assert scene.finish().code == 0
    new, left = pages(scene.folder), _memories(scene.folder)
    assert traces(scene.folder, SECRET) == [] and set(left) == before

    def look(where: Path, _ended: Ended) -> Iterator[str]:
        if lost := before - set(_memories(where)):
            yield f"before it was completed these were gone: {lost}"
        again = run(scene.command, where / "home", cwd=where / "project")
        if again.code and "no file of this home holds it" not in again.err:
            yield f"the second run said: {again}"
        yield from traces(where, SECRET)
        if _memories(where) != left:
            yield f"after the second run there are other memories: {_memories(where)}"
        if pages(where) != new:
            yield f"pages differ: {[name for name, data in pages(where).items() if new.get(name) != data]}"
        yield from _whole(where)

    return sweep(scene, look, most=most)


def mend_kill(folder: Path, *, most: int = 0) -> Outcome:
    scene = _scene(folder / "mend", "verify", "--mend")
    log, kept = "home/memory/events.jsonl", folder / "mend-before"
    good = (kept / log).read_bytes()
    (kept / log).write_bytes(RUBBISH + good)

    def look(where: Path, _ended: Ended) -> Iterator[str]:
        there = (where / log).read_bytes()
        if there not in (good, RUBBISH + good):
            yield "the log is neither the old nor the new one"
        if there == good and RUBBISH not in _aside(where):
            yield "the damaged line is gone"
        again = run(scene.command, where / "home", cwd=where / "project")
        if again.code or (where / log).read_bytes() != good or _aside(where).count(RUBBISH) != 1:
            yield f"the second run did not complete it: {again}"
        yield from _whole(where)

    return sweep(scene, look, most=most)


def _aside(folder: Path) -> list[bytes]:
    return [path.read_bytes() for path in (folder / "home/quarantine").glob("*.bad")]


def _whole(folder: Path) -> Iterator[str]:
    verified = run(tacit("verify"), folder / "home", cwd=folder / "project")
    if verified.code:
        yield f"the log is not well: {verified.out}"
    if strays(folder):
        yield f"there are temporary files: {strays(folder)}"
    yield from index_faults(folder / "home")
