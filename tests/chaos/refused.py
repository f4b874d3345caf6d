"""Every call of a command that changes something fails once: what was refused is not recorded, what was done is.

A command that fails after its line was written has to take the line back, or to say that it may be there. A fault of
the index or of a page, which can be made again, is no reason to refuse anything.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from tests.chaos import strace
from tests.chaos.index_kill import LIFE
from tests.chaos.kills import Scene, index_faults
from tests.chaos.outcome import Outcome, together
from tests.chaos.program import Ended, run, tacit, wrong_end
from tests.chaos.strace import Call

TEXT = "never deploy on a friday evening"
COMMANDS = {
    "add": ("add", TEXT),
    "remember": ("remember", TEXT, "--evidence", "we said so"),
    "log": ("log", "--task", "T-2", "--summary", TEXT),
}
ERRORS = ("EIO", "ENOSPC")
REFUSED = "refused, and recorded all the same"
DERIVED = "refused because of a file that can be made again"
_DERIVED = ("index.sqlite", ".md", ".ndjson", ".tacit/written")
_SAID = ("may be recorded although", "this was done, but the answer could not be written")


def refused(folder: Path, verb: str, *, most: int = 0, on: str = "", mutant: str = "") -> Outcome:
    """Each call of the command, in each way (or so many of these, drawn at random), or only those on one file."""
    scene = Scene(folder / verb, COMMANDS[verb], mutant)
    scene.prepare(*LIFE)
    calls = [call for call in scene.moments() if call.name != "flock" and on in call.words]
    lies = [(call, lie) for call in calls for lie in _lies(call)]
    if most and len(lies) > most:
        lies = random.Random(most).sample(lies, most)
    return together((_one(scene, call, lie) for call, lie in lies), until_caught=bool(mutant))


def _lies(call: Call) -> Iterator[str]:
    """The call fails once; where the log is to be made durable, also every call of that name from then on: what is
    tried instead fails as well, and the line is in the file."""
    for error in ERRORS:
        lie = f"{call.name}:error={error}:when={call.number}"
        yield lie
        if call.name in ("fsync", "fdatasync") and ".jsonl" in call.words:
            yield f"{lie}+"


def _one(scene: Scene, call: Call, lie: str) -> Outcome:
    scene.again()
    ended = strace.interfered(lie, call.name, scene.command, scene.home, cwd=scene.project)
    where = f"{lie} ({call.words[:100]})"
    faults = tuple(f"{where}: {fault}" for fault in _faults(scene, call, ended))
    lost = sum(1 for fault in faults if "is gone" in fault)
    return Outcome(1, 1 if ended.code == 0 else 0, lost, faults, "told a lie")


def _faults(scene: Scene, call: Call, ended: Ended) -> Iterator[str]:
    if (wrong := wrong_end(ended)) is not None:
        yield wrong
    if ended.code and _recorded(scene.home) and not any(said in ended.err for said in _SAID):
        yield f"{REFUSED}: {ended.err.strip()}"
    is_answer = call.words.startswith(("1<", "2<"))
    if ended.code and not is_answer and any(name in call.words for name in _DERIVED):
        yield f"{DERIVED}: {ended.err.strip()}"
    if ended.code == 0 and TEXT not in run(tacit("recall", TEXT), scene.home, cwd=scene.project).out:
        yield f"what was acknowledged is gone: {TEXT}"
    checked = run(tacit("verify"), scene.home)
    if checked.code != 0:
        yield f"the log is damaged: {checked.out}"
    yield from index_faults(scene.home)


def _recorded(home: Path) -> bool:
    """Whether any whole line of the log holds the text."""
    lines = [line for path in home.rglob("*.jsonl") for line in path.read_bytes().split(b"\n")[:-1]]
    return any(TEXT.encode() in line for line in lines)
