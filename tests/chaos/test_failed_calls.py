"""A disk that says no: nothing that was not made durable is acknowledged, and what was refused is not recorded.

After a failed sync the system has dropped the data it could not write, and the next sync of the same file succeeds
although they are gone. So a file whose sync failed stays suspect until another takes its place. A command that fails
after its line was written has to take the line back, or to say that it may be there. A fault of the index or of a page,
which can be made again, is no reason to refuse anything. The long form is in `make chaos`.
"""

from __future__ import annotations

import os
import random
import re
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import product
from pathlib import Path

import pytest

from tests.chaos import strace
from tests.chaos.kills import LIFE, TEXT, Scene, home_faults, sample
from tests.chaos.outcome import Outcome, Row, assert_held, mutant_row, together
from tests.chaos.program import Ended, wrong_end
from tests.chaos.strace import Call

SYNCS, NUMBERS = ("fdatasync", "fsync"), range(1, 21)
COMMANDS = {
    "add": ("add", TEXT),
    "remember": ("remember", TEXT, "--evidence", "we said so"),
    "log": ("log", "--task", "T-2", "--summary", TEXT),
}
SEGMENTS = {"add": "memory/events.jsonl", "log": "activity/2026-03.jsonl"}
NOT_DURABLE = "acknowledged without being durable"
REFUSED = "refused, and recorded all the same"
_DERIVED = ("index.sqlite", ".md", ".ndjson", ".tacit/written")
_WARNINGS = ("may be recorded although", "this was done, but the answer could not be written")
_AFTER = "always look both ways"
_FILE = re.compile(r"^\d+<(?P<path>[^>]*)>")
_NAMES = re.compile(r'(?:<(?P<one>[^>]*)>, )?"(?P<source>[^"]+)", .*?(?:<(?P<other>[^>]*)>, )?"(?P<target>[^"]+)"')


def _outcome(ended: Ended, fault: str, *faults: Iterable[str]) -> Outcome:
    """Of one run in which a call failed."""
    wrong = tuple(f"{fault}: {one}" for found in faults for one in found)
    return Outcome(1, ended.code == 0, sum("is gone" in one for one in wrong), wrong, "a call failed")


def _missing(scene: Scene, *texts: str) -> Iterator[str]:
    yield from (f"what was acknowledged is gone: {one}" for one in texts if one not in scene.run("recall", one).out)


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
    scene = Scene(folder / verb, COMMANDS[verb], mutant).prepare(*LIFE)
    errors = ("EIO", "ENOSPC", "EINTR")
    faults = [f"{sync}:error={error}:when={number}" for number, error, sync in product(NUMBERS, errors, SYNCS)]
    if most:  # the first sync of a command is the log's, and it makes no more than a dozen of them
        faults = faults[:2] + random.Random(1).sample(faults[2:60], most - 2)
    return together((_fail_sync(scene, SEGMENTS[verb], fault) for fault in faults), until_caught=bool(mutant))


def _fail_sync(scene: Scene, segment: str, fault: str) -> Outcome:
    scene.again()
    ended, calls = strace.traced(scene.command, scene.home, cwd=scene.project, inject=fault)
    found = _outcome(ended, fault, _sync_faults(scene, segment, ended, calls))
    return found._replace(note=found.note if any("INJECTED" in call.result for call in calls) else "")


def _sync_faults(scene: Scene, segment: str, ended: Ended, calls: Iterable[Call]) -> Iterator[str]:
    """What was acknowledged is there, the log is whole, and the next command works."""
    if (wrong := wrong_end(ended)) is not None:
        yield wrong
    if ended.code == 0 and str(scene.home / segment) in unsafe_files(calls):
        yield NOT_DURABLE
    if ended.code != 0 and ended.out:
        yield f"acknowledged with exit code {ended.code}"
    yield from _missing(scene, "sign commits", *([TEXT] if ended.code == 0 else []))
    again = scene.run("add", _AFTER)
    if again.code != 0 or _AFTER not in scene.run("recall", _AFTER).out:
        yield f"the next command fails: {again}"
    yield from home_faults(scene.home)


def test_a_failed_sync_acknowledges_nothing_that_is_not_durable(tmp_path: Path) -> None:
    found = failed_sync(tmp_path, "add", most=3)
    assert found.note, "no sync has failed: this shows nothing"
    assert_held(found)


def test_a_file_is_suspect_until_another_takes_its_place() -> None:
    log, fresh = "3</home/log>", "4</home/.log.new>"
    failed = [Call("write", 1, log), Call("fdatasync", 1, log, "-1 EIO (Input/output error)")]
    again, rename = Call("fdatasync", 2, log), Call("rename", 1, '"/home/.log.new", "/home/log"')
    assert unsafe_files([*failed, again]) == {"/home/log"}
    assert unsafe_files([*failed, Call("write", 2, fresh), Call("fdatasync", 3, fresh), rename]) == set()
    assert unsafe_files([*failed, Call("write", 2, fresh), rename]) == {"/home/log"}


def refused(folder: Path, verb: str, *, most: int = 0, on: str = "", mutant: str = "") -> Outcome:
    """Each call that changes something fails once, in each way (or so many of these), or only those on one file."""
    scene = Scene(folder / verb, COMMANDS[verb], mutant).prepare(*LIFE)
    calls = [call for call in scene.moments() if call.name != "flock" and on in call.words]
    cases = sample([(call, fault) for call in calls for fault in _ways_to_fail(call)], most)
    return together((_fail(scene, *case) for case in cases), until_caught=bool(mutant))


def _ways_to_fail(call: Call) -> Iterator[str]:
    """The call fails once; where the log is to be made durable, also every call of that name from then on: what is
    tried instead fails as well, and the line is in the file."""
    for error in ("EIO", "ENOSPC"):
        fault = f"{call.name}:error={error}:when={call.number}"
        yield fault
        if call.name in SYNCS and ".jsonl" in call.words:
            yield f"{fault}+"


def _fail(scene: Scene, call: Call, fault: str) -> Outcome:
    ended = scene.interfered(fault, call.name)
    return _outcome(ended, f"{fault} ({call.words[:100]})", _refusal_faults(scene, call, ended))


def _refusal_faults(scene: Scene, call: Call, ended: Ended) -> Iterator[str]:
    if (wrong := wrong_end(ended)) is not None:
        yield wrong
    lines = [line for path in scene.home.rglob("*.jsonl") for line in path.read_bytes().split(b"\n")[:-1]]
    is_recorded = any(TEXT.encode() in line for line in lines)
    if ended.code and is_recorded and not any(warning in ended.err for warning in _WARNINGS):
        yield f"{REFUSED}: {ended.err.strip()}"
    is_answer = call.words.startswith(("1<", "2<"))
    if ended.code and not is_answer and any(name in call.words for name in _DERIVED):
        yield f"refused because of a file that can be made again: {ended.err.strip()}"
    yield from _missing(scene, *([TEXT] if ended.code == 0 else []))
    yield from home_faults(scene.home)


@pytest.mark.parametrize("verb", ["add", "log"])
def test_a_fault_at_any_call_leaves_no_line_that_was_refused(tmp_path: Path, verb: str) -> None:
    assert_held(refused(tmp_path, verb, most=3), acknowledged=1)


def rows(short: bool) -> Iterator[Row]:
    for verb in SEGMENTS:
        most = 8 if short else {"add": 60, "log": 30}[verb]
        lying = partial(failed_sync, verb=verb, most=most)
        yield Row(f"T12 failed sync, {verb}", lying, "EIO, ENOSPC, EINTR at any call")
    for mutant in ("blind_to_errors", "sync_again"):
        lying = partial(failed_sync, verb="add", most=6, mutant=mutant)
        yield mutant_row(f"T12 mutant: {mutant.replace('_', ' ')}", lying, NOT_DURABLE)
    for verb in COMMANDS:
        failing = partial(refused, verb=verb, most=8 if short else 120 if verb == "add" else 40)
        yield Row(f"T12 any call fails, {verb}", failing, "what was refused is not recorded")
    kept = partial(refused, verb="add", on=SEGMENTS["add"], mutant="keeps_refused")
    yield mutant_row("T12 mutant: keeps refused", kept, REFUSED)
