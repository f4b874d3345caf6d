"""A disk that is full, and then has room again. What was acknowledged is readable; what was not is said in plain words.

A file system of a few hundred kilobytes is mounted in a name space of its own, which vanishes with the process. Where
that is forbidden, a limit on the size of files does the same to each of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from tacit.disk.files import OsDisk
from tacit.errors import StoreError
from tests.chaos.apart import apart, filled, namespace, small_disk
from tests.chaos.kills import LIFE, home_faults
from tests.chaos.logs import audit, judgement, open_log, origin
from tests.chaos.outcome import Outcome, Row, assert_held, mutant_row, together
from tests.chaos.program import Ended, run, tacit, wrong_end

MAY_MOUNT = pytest.mark.skipif(not namespace(), reason="nobody may mount a file system here")
_MOST = 30  # commands until it must be full
_MOST_LINES = 2_000
_NOISE = "This sentence takes up room and says no more than that, over and over again. " * 3


class BlindDisk(OsDisk):
    """A disk whose errors nobody looks at: what it did not take counts as written."""

    def write(self, fd: int, data: bytes) -> int:
        with suppress(OSError):
            super().write(fd, data)
        return len(data)


@dataclass(frozen=True, slots=True)
class Plan:
    """`room` is what is left when the person goes on. Another `disk` is a mutant, for the log alone."""

    folder: str
    room: int
    disk: type[OsDisk] = OsDisk


def full_disk(plan: Plan, log: bool = False) -> Outcome:
    """On a small file system of its own; the `log` by itself fills such a disk to its last byte."""
    return apart(_log_on_small_disk if log else _on_small_disk, plan, within=namespace())


def limited(plan: Plan, *, by: str = "memory/events.jsonl", most: int = _MOST) -> Outcome:
    """With a limit on the size of each file: as large as this one is now, and a little room."""
    home = _prepared(Path(plan.folder))
    size = (home / by).stat().st_size
    prefix = ("prlimit", f"--fsize={size + plan.room}")
    return _story(plan, home, prefix, free=lambda: None, most=most)


def _on_small_disk(plan: Plan) -> Outcome:
    disk = small_disk(plan.folder)
    home = _prepared(disk)
    return _story(plan, home, (), free=filled(disk, plan.room).unlink)


def _log_on_small_disk(plan: Plan) -> Outcome:
    """Append until it is full, three times; each time something is thrown away, and it goes on."""
    disk = small_disk(plan.folder)
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
    return found.outcome(refused, f"{found.fragments} sealed fragments")


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
    yield from home_faults(home)


@MAY_MOUNT
def test_what_was_acknowledged_on_a_full_disk_is_readable(tmp_path: Path) -> None:
    found = full_disk(Plan(str(tmp_path), 0))
    assert found.note == "refused"
    assert_held(found)


def test_what_was_acknowledged_under_a_limit_on_files_is_readable(tmp_path: Path) -> None:
    found = limited(Plan(str(tmp_path), 5_000))
    assert found.note == "refused"
    assert_held(found)


def test_an_index_that_cannot_grow_refuses_no_line_of_the_log(tmp_path: Path) -> None:
    found = limited(Plan(str(tmp_path), 0), by="index.sqlite", most=12)
    assert found.note == "", "something was refused"
    assert_held(found, acknowledged=13)


@MAY_MOUNT
def test_a_log_that_fills_the_disk_to_its_last_byte_goes_on_when_there_is_room(tmp_path: Path) -> None:
    assert_held(full_disk(Plan(str(tmp_path), 60_000), log=True), runs=3, acknowledged=100)


def rows(short: bool) -> Iterator[Row]:
    rooms = range(0, 80_000, 40_000) if short else range(0, 120_000, 12_000)

    def in_rooms(at: Path, story: Callable[[Plan], Outcome], sizes: range) -> Outcome:
        return together(story(Plan(str(at / str(room)), room)) for room in sizes)

    if namespace():
        yield Row("T09 full disk", partial(in_rooms, story=full_disk, sizes=rooms))
        yield Row("T09 full disk, log alone", lambda at: full_disk(Plan(str(at), 200_000), log=True))
        blind = partial(Plan, room=60_000, disk=BlindDisk)
        yield mutant_row("T09 mutant: errors unseen", lambda at: full_disk(blind(str(at)), log=True), "lost")
    yield Row("T09 limit on files", partial(in_rooms, story=limited, sizes=rooms[::2]))
