"""Commands that the recorder cannot append: the log's lock is held, the disk is full, a recorder or a filer is killed.

What was recorded or spooled is in the log afterwards, once, in the order in which it ran. What is lost is counted.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from tacit.shell.install import recorder_argv
from tests.chaos.apart import apart, filled, namespace, small_disk
from tests.chaos.outcome import Outcome, Row, assert_caught, assert_held, together
from tests.chaos.program import environment, recorder, run, tacit
from tests.chaos.strace import Call, killed_at, moments

_LONGEST = 60.0
_FIRST = 1_772_452_800_000_000  # microseconds: when the first of all commands began


def record_of(line: str, microseconds: int = 0, directory: str = "/") -> bytes:
    """What a snippet hands over."""
    fields = ("tacit1", "zsh", "1.2", "0", str(microseconds or time.time_ns() // 1000), "1", directory, line, "", "")
    return "\0".join(fields).encode() + b"\0"


def program(mutant: str = "") -> list[str]:
    """The recorder; with a mutant, the same with one step left out or made too early."""
    return recorder(mutant) if mutant else recorder_argv()


def start(home: Path, line: str, mutant: str = "") -> subprocess.Popen[bytes]:
    _put_off_learning(home)
    started = subprocess.Popen(
        program(mutant),
        env=environment(home),
        cwd="/",
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    assert started.stdin is not None
    started.stdin.write(record_of(line))
    started.stdin.close()
    return started


def _put_off_learning(home: Path) -> None:
    """One recorder in a minute also learns, which takes long on a busy machine and is no matter here."""
    if (mark := home / ".tacit" / "learned").is_file():
        os.utime(mark)


def ended(started: subprocess.Popen[bytes]) -> list[str]:
    """What a shell would notice of a recorder: nothing."""
    code = started.wait(_LONGEST)
    assert started.stdout is not None
    said = started.stdout.read()
    started.stdout.close()
    return [f"a recorder ended with {code}: {said[-300:]!r}"] if code or said else []


def record(home: Path, line: str, mutant: str = "") -> list[str]:
    return ended(start(home, line, mutant))


def commands(home: Path) -> list[str]:
    """Every command in the log, in the order of the log, as often as it stands there."""
    files = sorted((home / "activity").glob("*.jsonl")) if (home / "activity").is_dir() else []
    lines = [json.loads(line) for file in files if file.is_file() for line in _whole(file.read_bytes())]
    ran = sorted((line["id"], line["body"]["command"]) for line in lines if line["type"] == "command.ran")
    return [command for _, command in ran]


def waiting(home: Path) -> list[str]:
    """The commands in the spool."""
    folder = home / ".tacit" / "spool"
    files = sorted(path for path in folder.glob("0*") if path.is_file()) if folder.is_dir() else []
    return [json.loads(file.read_bytes().rstrip(b"\0"))["body"]["command"] for file in files]


def dropped(home: Path) -> int:
    counted = (home / ".tacit" / "spool" / ".dropped").read_bytes().rstrip(b"\0")
    return int(counted.split(b"\n")[0] or 0)


@contextmanager
def lock_held(home: Path) -> Iterator[None]:
    """As by another process that is stuck in an append, or that purges."""
    with (home / ".tacit" / "log.lock").open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def held(folder: Path, number: int = 20, mutant: str = "") -> Outcome:
    """Commands that end while somebody holds the log's lock."""
    home = _home(folder)
    expected = [f"make held{at}" for at in range(number)]
    with lock_held(home):
        started = []
        for line in expected:
            started.append(start(home, line, mutant))
            time.sleep(0.02)  # as fast as nobody types
        faults = [fault for one in started for fault in ended(one)]
    faults += record(home, "make after", mutant)
    return _compared(home, ["make first", *expected, "make after"], faults)


def full(folder: Path, number: int = 20) -> Outcome:
    """Commands that end while there is no room at all; then there is room again."""
    return apart(_on_full_disk, (str(folder), number), within=namespace())


def _on_full_disk(plan: tuple[str, int]) -> Outcome:
    folder, number = plan
    disk = small_disk(folder)
    home = _home(disk)
    ballast = filled(disk, 0)
    expected = [f"make full{at}" for at in range(number)]
    faults = [fault for line in expected for fault in record(home, line)]
    kept, lost = len(waiting(home)), dropped(home)
    if kept + lost + len(commands(home)) != number + 1:
        faults.append(f"of {number} commands {kept} wait, {lost} are counted as lost, log: {commands(home)}")
    ballast.unlink()
    faults += record(home, "make after")
    there = set(commands(home))
    expected = [line for line in expected if line in there] if lost else expected
    note = f"{kept} kept, {lost} counted as lost"
    return _compared(home, ["make first", *expected, "make after"], faults)._replace(note=note)


# Kills


def killed_spooling(folder: Path, most: int = 0, mutant: str = "") -> Outcome:
    """A recorder that has to spool is killed at every call that changes something."""
    before = _home(folder / "before")
    _unappendable(before)
    return _sweep(folder, before, mutant, most, expected=[])


def killed_filing(folder: Path, most: int = 0, mutant: str = "") -> Outcome:
    """A recorder that files what others had to spool is killed at every call that changes something."""
    before = _home(folder / "before")
    spooled = [f"make spooled{at}" for at in range(3)]
    with lock_held(before):
        faults = [fault for line in spooled for fault in record(before, line)]
    assert waiting(before) == spooled and not faults
    return _sweep(folder, before, mutant, most, expected=spooled)


def _sweep(folder: Path, before: Path, mutant: str, most: int, expected: Sequence[str]) -> Outcome:
    given = folder / "record"
    given.write_bytes(record_of("make killed"))
    quoted = " ".join(f"'{word}'" for word in program(mutant))
    command = ["sh", "-c", f"exec {quoted} < '{given}'"]
    calls = [call for call in moments(command, _copy(before, folder)) if call.name != "flock"]
    chosen = calls if not most else calls[:: max(len(calls) // most, 1)]
    killed = (_killed(_copy(before, folder), call, command, expected, mutant) for call in chosen)
    return together(killed, until_caught=bool(mutant))


def _killed(home: Path, call: Call, command: Sequence[str], expected: Sequence[str], mutant: str) -> Outcome:
    assert killed_at(call, command, home).killed
    promised = [*expected, *(["make killed"] if "make killed" in [*waiting(home), *commands(home)] else [])]
    _appendable(home)
    faults = record(home, "make after", mutant)
    outcome = _compared(home, ["make first", *promised, "make after"], faults)
    where = f"killed at {call.name} {call.number} ({call.words[:80]}): "
    return outcome._replace(faults=tuple(where + fault for fault in outcome.faults))


def _unappendable(home: Path) -> None:
    """A folder where the file of this month should be."""
    (segment,) = (home / "activity").glob("*[0-9].jsonl")
    segment.rename(home / "aside")
    segment.mkdir(0o700)


def _appendable(home: Path) -> None:
    for segment in (home / "activity").glob("*[0-9].jsonl"):
        if segment.is_dir():
            segment.rmdir()
            (home / "aside").rename(segment)


def _copy(before: Path, folder: Path) -> Path:
    target = folder / "run" / "home"
    shutil.rmtree(target.parent, ignore_errors=True)
    shutil.copytree(before, target, symlinks=True)
    _put_off_learning(target)
    return target


def _home(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    home = folder / "home"
    (home / ".tacit").mkdir(0o700, parents=True)
    home.chmod(0o700)
    (home / ".tacit" / "learned").touch(0o600)
    assert record(home, "make first") == []
    return home


def _compared(home: Path, expected: Sequence[str], faults: list[str]) -> Outcome:
    """Each command once, in order, nothing left in the spool, and a log that is whole."""
    there = commands(home)
    counted = Counter(there)
    lost = [line for line in expected if not counted[line]]
    faults = [*faults, *(f"lost: {line}" for line in lost)]
    faults += [f"{number} times in the log: {line}" for line, number in counted.items() if number > 1]
    if not lost and [line for line in there if line in expected] != list(expected):
        faults.append(f"out of order: {there}")
    if left := waiting(home):
        faults.append(f"still waiting: {left}")
    checked = run(tacit("verify"), home)
    if checked.code != 0:
        faults.append(f"the log is damaged: {checked.out}")
    return Outcome(1, len(expected), len(lost), tuple(faults))


def _whole(data: bytes) -> list[bytes]:
    """Complete lines that begin as ours do; of a write that was torn, nothing is left to compare."""
    return [line for line in data.split(b"\n")[:-1] if line.startswith(b"{") and line.endswith(b"}")]


def test_commands_that_end_while_the_lock_is_held_are_all_recorded_once_and_in_order(tmp_path: Path) -> None:
    assert_held(held(tmp_path), acknowledged=22)


@pytest.mark.chaos
def test_a_recorder_that_does_not_spool_is_caught(tmp_path: Path) -> None:
    assert held(tmp_path, 2, mutant="never_spools").lost == 2


def test_commands_that_end_while_the_disk_is_full_are_recorded_when_there_is_room(tmp_path: Path) -> None:
    if not namespace():
        pytest.skip("this machine forbids to mount a file system")
    assert_held(full(tmp_path))


def test_a_recorder_that_is_killed_while_it_spools_loses_nothing_that_was_spooled(tmp_path: Path) -> None:
    assert_held(killed_spooling(tmp_path, most=3), runs=3)


def test_whoever_is_killed_while_filing_loses_and_repeats_nothing(tmp_path: Path) -> None:
    assert_held(killed_filing(tmp_path, most=4), runs=4)


@pytest.mark.chaos
def test_a_record_that_is_deleted_before_it_is_filed_is_caught(tmp_path: Path) -> None:
    assert killed_filing(tmp_path, most=6, mutant="unlink_first").lost > 0


@pytest.mark.chaos
def test_a_record_that_is_filed_again_is_caught(tmp_path: Path) -> None:
    assert_caught(killed_filing(tmp_path, mutant="forgets_ids"), "times in the log")


def rows(short: bool) -> Iterator[Row]:
    commands_at_once, moments_of_each = (5, 3) if short else (20, 0)
    yield Row("T51 commands, lock held", lambda at: held(at, commands_at_once), "each once, in order")
    yield Row("T51 mutant: never spools", partial(held, number=2, mutant="never_spools"), mutant=True)
    if namespace():
        yield Row("T51 commands, disk full", lambda at: full(at, 3 * commands_at_once), "kept, or counted as lost")
    yield Row("T51 killed while spooling", partial(killed_spooling, most=moments_of_each))
    yield Row("T51 killed while filing", partial(killed_filing, most=moments_of_each))
    for mutant in ("unlink_first", "forgets_ids"):
        killed = partial(killed_filing, mutant=mutant)
        yield Row(f"T51 mutant: {mutant.replace('_', ' ')}", killed, mutant=True)
