"""Commands that the recorder cannot append: the log's lock is held, the disk is full, a recorder or a filer is killed.

What was recorded or spooled is in the log afterwards, once, in the order in which it ran. What is lost is counted.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from tacit.shell.install import recorder_argv
from tests.chaos.apart import apart, filled, namespace, small_disk
from tests.chaos.kills import Scene, sweep
from tests.chaos.outcome import Outcome, Row, assert_held, mutant_row
from tests.chaos.program import Ended, recorder, run, tacit

_LONGEST = 60.0


def record_of(line: str) -> bytes:
    """What a snippet hands over."""
    fields = ("tacit1", "zsh", "1.2", "0", str(time.time_ns() // 1000), "1", "/", line, "", "")
    return "\0".join(fields).encode() + b"\0"


def program(mutant: str = "") -> list[str]:
    """The recorder; with a mutant, the same with one step left out or made too early."""
    return recorder(mutant) if mutant else recorder_argv()


def record(home: Path, line: str, mutant: str = "") -> list[str]:
    """What a shell would notice of a recorder: nothing."""
    if (mark := home / ".tacit" / "learned").is_file():
        os.utime(mark)  # one recorder in a minute also learns, which takes long and is no matter here
    ended = run(program(mutant), home, cwd=Path("/"), given=record_of(line), seconds=_LONGEST)
    return [f"a recorder ended with {ended}"] if ended != Ended(0) else []


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
    with lock_held(home), ThreadPoolExecutor(number) as pool:
        started = []
        for line in expected:
            started.append(pool.submit(record, home, line, mutant))
            time.sleep(0.02)  # as fast as nobody types
        faults = [fault for one in started for fault in one.result()]
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


def killed_spooling(folder: Path, most: int = 0) -> Outcome:
    """A recorder that has to spool is killed at calls that change something: a folder is where the file of this month
    should be."""
    home = _home(folder / "scene")
    (segment,) = (home / "activity").glob("*[0-9].jsonl")
    segment.rename(home / "aside")
    segment.mkdir(0o700)
    return _killed(folder, [], most)


def killed_filing(folder: Path, most: int = 0, mutant: str = "", words: str = "") -> Outcome:
    """A recorder that files what others had to spool is killed at calls that change something."""
    home = _home(folder / "scene")
    spooled = [f"make spooled{at}" for at in range(3)]
    with lock_held(home):
        faults = [fault for line in spooled for fault in record(home, line)]
    assert waiting(home) == spooled and not faults
    return _killed(folder, spooled, most, mutant, words)


def _killed(folder: Path, spooled: Sequence[str], most: int, mutant: str = "", words: str = "") -> Outcome:
    given = folder / "record"
    given.write_bytes(record_of("make killed"))
    quoted = " ".join(f"'{word}'" for word in program(mutant))
    scene = Scene(folder / "scene", program=("sh", "-c", f"exec {quoted} < '{given}'")).prepare()

    def look(_ended: Ended) -> Iterator[str]:
        home = scene.home
        promised = [*spooled, *["make killed"] * ("make killed" in [*waiting(home), *commands(home)])]
        for segment in (home / "activity").glob("*[0-9].jsonl"):
            if segment.is_dir():
                segment.rmdir()
                (home / "aside").rename(segment)
        faults = record(home, "make after", mutant)
        yield from _compared(home, ["make first", *promised, "make after"], faults).faults

    return sweep(scene, look, most=most, until=words)


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


def test_commands_that_end_while_the_disk_is_full_are_recorded_when_there_is_room(tmp_path: Path) -> None:
    if not namespace():
        pytest.skip("this machine forbids to mount a file system")
    assert_held(full(tmp_path))


def test_a_recorder_that_is_killed_while_it_spools_loses_nothing_that_was_spooled(tmp_path: Path) -> None:
    assert_held(killed_spooling(tmp_path, most=3), runs=3)


def test_whoever_is_killed_while_filing_loses_and_repeats_nothing(tmp_path: Path) -> None:
    assert_held(killed_filing(tmp_path, most=4), runs=4)


def rows(short: bool) -> Iterator[Row]:
    commands_at_once, moments_of_each = (5, 3) if short else (20, 0)
    yield Row("T51 commands, lock held", lambda at: held(at, commands_at_once), "each once, in order")
    yield mutant_row("T51 mutant: never spools", partial(held, number=2, mutant="never_spools"), "lost: ", least=2)
    if namespace():
        yield Row("T51 commands, disk full", lambda at: full(at, 3 * commands_at_once), "kept, or counted as lost")
    yield Row("T51 killed while spooling", partial(killed_spooling, most=moments_of_each))
    yield Row("T51 killed while filing", partial(killed_filing, most=moments_of_each))
    for mutant, words in (("unlink_first", "lost: "), ("forgets_ids", "times in the log")):
        killed = partial(killed_filing, mutant=mutant, words=words)
        yield mutant_row(f"T51 mutant: {mutant.replace('_', ' ')}", killed, words)
