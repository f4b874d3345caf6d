"""Who waits for whom: writers that queue, questions beside a lock that is held, and everybody beside a purge.

Times are asserted with a wide margin: what is looked for are waits of many seconds, which the locks once had.
"""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tacit.disk.lock import FileLock
from tacit.errors import LockBusyError
from tacit.home.home import Home
from tacit.home.paths import HomePaths
from tacit.vault import Vault, purging
from tests.chaos.outcome import Outcome, Row, assert_held, replaced
from tests.chaos.program import run, tacit

LONG = 5.0  # seconds: no question has a reason to take so long
_MINUTE = 60.0
_SECRET = "the heron nests behind the third weir"


def crowd(folder: Path, writers: int, *, seconds: float = _MINUTE) -> Outcome:
    """So many `tacit add` at once: all succeed in time, nothing is lost, and waiting costs no CPU to speak of."""
    home = folder / "home"
    run(tacit("init"), home)
    texts = [f"always do step {number} of the release" for number in range(writers)]
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    with ThreadPoolExecutor(writers) as pool:
        ended = list(pool.map(lambda text: run(tacit("add", text), home, seconds=10 * _MINUTE), texts))
    took, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    faults = [f"refused: {one.err}" for one in ended if one.code != 0]
    faults += [f"it took {took:.0f} s"] if took > seconds else []
    listed = run(tacit("list", "--json", "--all"), home).out
    lost = sum(f'"{text}"' not in listed for text in texts)
    faults += [f"{lost} are gone"] if lost else []
    cpu = (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / writers
    return Outcome(writers, writers - len(faults), lost, tuple(faults), f"{took:.0f} s, {cpu * 1000:.0f} ms CPU each")


def order(folder: Path, waiters: int) -> list[int]:
    """In which order those that wait for a lock get it, by the order in which they came."""
    path = str(folder / "x.lock")
    got: list[int] = []

    def take(number: int) -> None:
        with FileLock(path, 30).acquire():
            got.append(number)
            time.sleep(0.01)

    with ThreadPoolExecutor(waiters) as pool, FileLock(path, 1).acquire():
        for number in range(waiters):
            pool.submit(take, number)
            _until_blocked(path, number + 1)
    return got


def blocked(path: str) -> int:
    """How many requests for a lock or its queue are blocked in the kernel now."""
    inodes = [f":{os.stat(name).st_ino} " for name in (path, path + ".queue") if os.path.exists(name)]
    lines = Path("/proc/locks").read_text().splitlines()
    return sum("->" in line and any(inode in line for inode in inodes) for line in lines)


def _until_blocked(path: str, requests: int) -> None:
    until = time.monotonic() + _MINUTE
    while blocked(path) < requests:
        assert time.monotonic() < until, "they never came to wait"
        time.sleep(0.002)


@contextmanager
def processes(script: str, path: str, count: int) -> Iterator[None]:
    """So many processes that take a lock in this way, from when three of them wait."""
    started = [subprocess.Popen([sys.executable, "-c", script, path]) for _ in range(count)]
    try:
        _until_blocked(path, 3)
        yield
    finally:
        for one in started:
            one.kill()
            one.wait()


def timed(words: tuple[str, ...], home: Path) -> tuple[float, int, str]:
    """How long a command of a process of its own takes, its exit code, and what it says."""
    began = time.monotonic()
    ended = run(tacit(*words), home)
    return time.monotonic() - began, ended.code, ended.out + ended.err


def beside_locks(folder: Path) -> Outcome:
    """Questions while somebody holds the log's lock, and the home's."""
    home = _home(folder)
    faults = []
    for name in ("log.lock", "write.lock"):
        with FileLock(str(home / ".tacit" / name), 1).acquire():
            for words in (("recall", "push"), ("brief",), ("list",), ("status",)):
                took, code, said = timed(words, home)
                if took > LONG or code != 0:
                    faults.append(f"{name}: {words} took {took:.1f} s, exit code {code}: {said[:200]}")
    return Outcome(8, 0, 0, tuple(faults), "asked beside a lock that was held")


def _home(folder: Path) -> Path:
    home = folder / "home"
    for text in ("never force push", f"always remember that {_SECRET}"):
        assert run(tacit("add", text), home).code == 0
    return home


@contextmanager
def purge_at_work(home: Path) -> Iterator[None]:
    """A purge that stands where it takes longest: between the tombstone and the new index."""
    at_work, go_on = threading.Event(), threading.Event()
    build = purging.build_rewritten

    def slowly(*given: Any) -> None:
        at_work.set()
        assert go_on.wait(_MINUTE), "nobody let it go on"
        build(*given)

    failed: list[BaseException] = []

    def work() -> None:
        try:
            with Vault(Home(str(home), cwd="/", environment={})) as vault:
                vault.purger.purge(text=_SECRET)
        except BaseException as error:
            failed.append(error)
            at_work.set()

    thread = threading.Thread(target=work)
    with replaced(purging, "build_rewritten", slowly):
        try:
            thread.start()
            assert at_work.wait(_MINUTE)
            yield
        finally:
            go_on.set()
            thread.join(timeout=_MINUTE)
    assert not failed, failed


def beside_purge(folder: Path) -> Outcome:
    """Questions are answered from the old state while a purge is at work, and from the new one when it is done."""
    home = _home(folder)
    faults = []
    with purge_at_work(home):
        for words in (("recall", "push"), ("list",), ("brief",)):
            took, code, said = timed(words, home)
            if took > LONG or code != 0 or ("force push" not in said and words != ("brief",)):
                faults.append(f"{words} took {took:.1f} s, exit code {code}: {said[:200]}")
    for words in (("recall", "push"), ("list",)):
        _, code, said = timed(words, home)
        if code != 0 or "force push" not in said or _SECRET in said:
            faults.append(f"afterwards {words}: exit code {code}: {said[:200]}")
    if any(_SECRET.encode() in path.read_bytes() for path in home.rglob("*") if path.is_file()):
        faults.append("what was purged is still there")
    checked = run(tacit("verify"), home)
    faults += [checked.out] if checked.code else []
    return Outcome(3, 0, 0, tuple(faults), "asked while a purge was at work")


def recorded_during_purge(folder: Path) -> Outcome:
    """What is recorded while a purge is at work is there afterwards, and clean if it held what is purged."""
    home = _home(folder)
    log = str(HomePaths(str(home)).path("memory", "events.jsonl"))
    faults = []
    with purge_at_work(home), Vault(Home(str(home), cwd="/", environment={})) as vault:
        vault.recall(f"who says that {_SECRET}?")  # recorded as a question that was asked
        vault.recall("who pushes here?")
    texts = b"".join(path.read_bytes() for path in home.rglob("*.jsonl"))
    if b"who pushes here?" not in texts:
        faults.append("what was recorded meanwhile is gone")
    if _SECRET.encode() in texts:
        faults.append("what was recorded meanwhile brought it back")
    if not os.path.getsize(log):
        faults.append("the log is empty")
    checked = run(tacit("doctor"), home)
    faults += [f"the home is unwell: {checked.out}"] if checked.code else []
    return Outcome(2, 0, 0, tuple(faults), "recorded while a purge was at work")


LINUX = pytest.mark.skipif(not Path("/proc/locks").exists(), reason="only Linux tells who waits")
_HOLDER = (
    "import sys, time\nfrom tacit.disk.lock import FileLock\nwith FileLock(sys.argv[1], 60).acquire(): time.sleep(1.5)"
)
_WAITER = "import sys; from tacit.disk.lock import FileLock; FileLock(sys.argv[1], 60).acquire().__enter__()"


def test_many_writers_at_once_all_succeed(tmp_path: Path) -> None:
    assert_held(crowd(tmp_path, 24, seconds=120))


@LINUX
def test_waiters_get_the_lock_in_the_order_in_which_they_came(tmp_path: Path) -> None:
    assert order(tmp_path, 8) == list(range(8))


@LINUX
def test_a_waiter_that_gives_up_says_who_holds_the_lock_and_how_many_wait(tmp_path: Path) -> None:
    path = str(tmp_path / "x.lock")
    told = r"process \d+ holds it, 3 others are waiting"
    held, waiting = FileLock(path, 1).acquire(), processes(_WAITER, path, 3)
    with held, waiting, pytest.raises(LockBusyError, match=told) as busy, FileLock(path, 1).acquire():
        pass
    assert re.search(r"ps -fp \d+", busy.value.hint)


@LINUX
@pytest.mark.chaos
def test_a_queue_that_moves_is_waited_for_longer_than_one_holder(tmp_path: Path) -> None:
    path = str(tmp_path / "x.lock")
    with processes(_HOLDER, path, 4):
        with pytest.raises(LockBusyError), FileLock(path, 1).acquire():  # gives up after a second: one of them holds it
            pass
        with FileLock(path, 2, max_wait=60).acquire():  # up to four times of holding, of 1.5 s each
            pass


def test_questions_do_not_wait_for_locks(tmp_path: Path) -> None:
    assert_held(beside_locks(tmp_path))


def test_questions_are_answered_while_a_purge_is_at_work(tmp_path: Path) -> None:
    assert_held(beside_purge(tmp_path))


def test_what_is_recorded_during_a_purge_is_kept_and_clean(tmp_path: Path) -> None:
    assert_held(recorded_during_purge(tmp_path))


def rows(short: bool) -> Iterator[Row]:
    yield Row("W1 writers at once", lambda at: crowd(at, 12 if short else 200), alone=True)
    yield Row("W2 questions beside held locks", beside_locks)
    yield Row("W3 questions beside a purge", beside_purge)
    yield Row("W3 recorded beside a purge", recorded_during_purge)
