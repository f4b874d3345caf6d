"""A disk that is full, and then has room again. What was acknowledged is readable; what was not is said in plain words.

A file system of a few hundred kilobytes is mounted in a name space of its own, which vanishes with the process. Where
that is forbidden, a limit on the size of files does the same to each of them.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tacit.disk.files import OsDisk
from tacit.errors import StoreError
from tests.chaos.apart import apart
from tests.chaos.audit import audit
from tests.chaos.index_kill import LIFE
from tests.chaos.kills import index_faults
from tests.chaos.material import judgement, open_log, origin
from tests.chaos.outcome import Outcome
from tests.chaos.program import Ended, run, tacit, wrong_end

_NAMESPACES = (("unshare", "--mount"), ("unshare", "--mount", "--map-root-user"))
_SIZE = 1 << 20
_MOST = 30  # commands until it must be full
_MOST_LINES = 2_000
_NOISE = "This sentence takes up room and says no more than that, over and over again. " * 3


@dataclass(frozen=True, slots=True)
class Plan:
    """`room` is what is left when the person goes on. Another `disk` is a mutant, for the log alone."""

    folder: str
    room: int
    disk: type[OsDisk] = OsDisk


def namespace() -> tuple[str, ...]:
    """The command that may mount; nothing where nobody may."""
    for command in _NAMESPACES:
        mount = ["mount", "-t", "tmpfs", "tmpfs", "/mnt"]
        if subprocess.run([*command, *mount], capture_output=True, check=False).returncode == 0:
            return command
    return ()


def full_disk(plan: Plan) -> Outcome:
    """On a small file system of its own."""
    return apart(_on_small_disk, plan, within=namespace())


def full_log(plan: Plan) -> Outcome:
    """The log by itself, which fills such a disk to its last byte."""
    return apart(_log_on_small_disk, plan, within=namespace())


def limited(plan: Plan, *, by: str = "memory/events.jsonl", most: int = _MOST) -> Outcome:
    """With a limit on the size of each file: as large as this one is now, and a little room."""
    home = _prepared(Path(plan.folder))
    size = (home / by).stat().st_size
    prefix = ("prlimit", f"--fsize={size + plan.room}")
    return _story(plan, home, prefix, free=lambda: None, most=most)


def _on_small_disk(plan: Plan) -> Outcome:
    disk = mounted(plan)
    home = _prepared(disk)
    ballast = filled(disk, plan.room)
    return _story(plan, home, (), free=ballast.unlink)


def _log_on_small_disk(plan: Plan) -> Outcome:
    """Append until it is full, three times; each time something is thrown away, and it goes on."""
    disk = mounted(plan)
    log = open_log(str(disk / "home"), disk=plan.disk())
    acknowledged: list[str] = []
    refused = 0
    for _ in range(3):
        ballast = filled(disk, plan.room)
        with suppress(StoreError):
            for number in range(_MOST_LINES):
                acknowledged += [event.id for event in log.append([judgement(str(number), _NOISE)], origin("full"))]
            refused -= 1
        refused += 1
        ballast.unlink()
    acknowledged += [event.id for event in log.append([judgement("last", _NOISE)], origin("full"))]
    found = audit(log, acknowledged)
    faults = (str(found),) if found.faults else ()
    return Outcome(refused, found.acknowledged, found.lost, faults, f"{found.fragments} sealed fragments")


def mounted(plan: Plan) -> Path:
    disk = Path(plan.folder) / "disk"
    disk.mkdir(parents=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={_SIZE},mode=0700", "tmpfs", str(disk)], check=True)
    return disk


def filled(disk: Path, room: int) -> Path:
    ballast = disk / "ballast"
    ballast.write_bytes(bytes(max(shutil.disk_usage(disk).free - room, 0)))
    return ballast


def _prepared(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    home = folder / "home"
    for words in LIFE:
        assert run(tacit(*words), home, cwd=folder).code == 0
    return home


def _story(plan: Plan, home: Path, prefix: Sequence[str], *, free: Callable[[], None], most: int = _MOST) -> Outcome:
    """Add until it is full and twice more; then make room and go on."""
    acknowledged, refused, faults = ["sign commits"], 0, []
    for number in range(most):
        text = f"rule {number}: {_NOISE}"
        ended = run([*prefix, *tacit("add", "--whole", text)], home)
        acknowledged += [f"rule {number}:"] if ended.code == 0 else []
        refused += ended.code != 0
        faults += list(_refusal_faults(ended))
        if refused == 3:
            break
    free()
    faults += list(_afterwards(home, acknowledged))
    lost = sum("is gone" in fault for fault in faults)
    where = f"{plan.room} bytes left: "
    return Outcome(1, len(acknowledged), lost, tuple(where + fault for fault in faults), "refused" if refused else "")


def _refusal_faults(ended: Ended) -> Iterator[str]:
    if (wrong := wrong_end(ended)) is not None:
        yield wrong
    if ended.code != 0 and ended.out:
        yield f"said to be done, with exit code {ended.code}"
    if ended.code != 0 and not any(word in ended.err for word in ("full", "room", "large")):
        yield f"the message does not say why: {ended.err}"


def _afterwards(home: Path, acknowledged: Sequence[str]) -> Iterator[str]:
    again = run(tacit("add", "always look both ways"), home)
    if again.code != 0:
        yield f"with room again, it fails: {again}"
    listed = run(tacit("list", "--json", "--all", "--scope", "all"), home).out
    yield from (f"what was acknowledged is gone: {text}" for text in acknowledged if text not in listed)
    checked = run(tacit("verify"), home)
    if checked.code != 0:
        yield f"the log is damaged: {checked.out}"
    yield from index_faults(home)
