"""A disk that says no when it is asked to make data durable: nothing that was not made durable is acknowledged.

After a failed sync the system has dropped the data it could not write, and the next sync of the same file succeeds
although they are gone. So a file whose sync failed stays suspect until another takes its place.
"""

from __future__ import annotations

import os
import random
import re
from collections.abc import Iterable, Iterator
from itertools import product
from pathlib import Path

from tests.chaos import strace
from tests.chaos.index_kill import LIFE
from tests.chaos.kills import TEXT, Scene, index_faults
from tests.chaos.outcome import Outcome, together
from tests.chaos.program import Ended, run, tacit, wrong_end
from tests.chaos.strace import Call

SYNCS, ERRORS, NUMBERS = ("fdatasync", "fsync"), ("EIO", "ENOSPC", "EINTR"), range(1, 21)
COMMANDS = {
    "add": (("add", TEXT), "memory/events.jsonl"),
    "log": (("log", "--task", "T-2", "--summary", TEXT), "activity/2026-03.jsonl"),
}
CAUGHT = "acknowledged without being durable"
_AFTER = "always look both ways"
_FILE = re.compile(r"^\d+<(?P<path>[^>]*)>")
_NAMES = re.compile(r'(?:<(?P<one>[^>]*)>, )?"(?P<source>[^"]+)", .*?(?:<(?P<other>[^>]*)>, )?"(?P<target>[^"]+)"')


def unsafe_files(calls: Iterable[Call]) -> set[str]:
    """The files that hold something of which nobody can say that it would survive a power cut."""
    unsynced: set[str] = set()
    suspect: set[str] = set()
    for call in calls:
        on = _FILE.match(call.words)
        path = on["path"] if on else ""
        if call.name in ("write", "pwrite64", "writev"):
            unsynced.add(path)
        elif call.name in SYNCS and call.failed:
            suspect |= set() if "EINTR" in call.result else {path}
        elif call.name in SYNCS:
            unsynced.discard(path)
        elif call.name.startswith("rename") and (names := _NAMES.search(call.words)):
            source = os.path.join(names["one"] or "", names["source"])  # names may be relative to open folders
            target = os.path.join(names["other"] or "", names["target"])
            for files in (unsynced, suspect):
                files.discard(target)
                if source in files:
                    files.remove(source)
                    files.add(target)
    return unsynced | suspect


def failed_sync(folder: Path, verb: str, *, most: int = 0, mutant: str = "") -> Outcome:
    """Every sync of a command fails once, in every way (or so many of these)."""
    words, segment = COMMANDS[verb]
    scene = Scene(folder / verb, words, mutant)
    scene.prepare(*LIFE)
    lies = [f"{sync}:error={error}:when={number}" for number, error, sync in product(NUMBERS, ERRORS, SYNCS)]
    if most:  # the first sync of a command is the log's, and it makes no more than a dozen of them
        lies = lies[:2] + random.Random(1).sample(lies[2:60], most - 2)
    return together((_one(scene, segment, lie) for lie in lies), until_caught=bool(mutant))


def _one(scene: Scene, segment: str, lie: str) -> Outcome:
    scene.again()
    ended, calls = strace.traced(scene.command, scene.home, cwd=scene.project, inject=lie)
    faults = tuple(f"{lie}: {fault}" for fault in _faults(scene, segment, ended, calls))
    lost = sum(1 for fault in faults if "is gone" in fault)
    lied = any("INJECTED" in call.result for call in calls)
    return Outcome(1, 1 if ended.code == 0 else 0, lost, faults, "told a lie" if lied else "")


def _faults(scene: Scene, segment: str, ended: Ended, calls: Iterable[Call]) -> Iterator[str]:
    if (wrong := wrong_end(ended)) is not None:
        yield wrong
    if ended.code == 0 and str(scene.home / segment) in unsafe_files(calls):
        yield CAUGHT
    if ended.code != 0 and ended.out:
        yield f"said to be done, with exit code {ended.code}"
    yield from _afterwards(scene, ended)


def _afterwards(scene: Scene, ended: Ended) -> Iterator[str]:
    """What was acknowledged is there, the log is whole, and the next command works."""
    for text in ("sign commits", *([TEXT] if ended.code == 0 else [])):
        if text not in run(tacit("recall", text), scene.home, cwd=scene.project).out:
            yield f"what was acknowledged is gone: {text}"
    checked = run(tacit("verify"), scene.home)
    if checked.code != 0:
        yield f"the log is damaged: {checked.out}"
    again = run(tacit("add", _AFTER), scene.home, cwd=scene.project)
    if again.code != 0 or _AFTER not in run(tacit("recall", _AFTER), scene.home, cwd=scene.project).out:
        yield f"the next command fails: {again}"
    yield from index_faults(scene.home)
