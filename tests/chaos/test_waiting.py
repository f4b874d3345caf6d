"""Nobody waits for what they do not need. The long form is in `make chaos`."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tacit.disk.lock import FileLock
from tacit.errors import LockBusyError
from tests.chaos.waiting import beside_locks, beside_purge, blocked, crowd, held, order, recorded_during_purge

LINUX = pytest.mark.skipif(not Path("/proc/locks").exists(), reason="only Linux tells who waits")
_HOLDER = (
    "import sys, time\nfrom tacit.disk.lock import FileLock\nwith FileLock(sys.argv[1], 60).acquire(): time.sleep(1.5)"
)
_WAITER = "import sys; from tacit.disk.lock import FileLock; FileLock(sys.argv[1], 60).acquire().__enter__()"


def test_many_writers_at_once_all_succeed(tmp_path: Path) -> None:
    found = crowd(tmp_path, 24, seconds=120)
    assert found.faults == ()


@LINUX
def test_waiters_get_the_lock_in_the_order_in_which_they_came(tmp_path: Path) -> None:
    assert order(tmp_path, 8) == list(range(8))


@LINUX
def test_a_waiter_that_gives_up_says_who_holds_the_lock_and_how_many_wait(tmp_path: Path) -> None:
    path = str(tmp_path / "x.lock")
    with held(path):
        waiters = [subprocess.Popen([sys.executable, "-c", _WAITER, path]) for _ in range(3)]
        try:
            while blocked(path) < 3:
                assert all(one.poll() is None for one in waiters)
            with pytest.raises(LockBusyError, match=r"process \d+ holds it, 3 others are waiting") as busy, held(path):
                pass
        finally:
            for one in waiters:
                one.kill()
                one.wait()
    assert re.search(r"ps -fp \d+", busy.value.hint)


@LINUX
@pytest.mark.chaos
def test_a_queue_that_moves_is_waited_for_longer_than_one_holder(tmp_path: Path) -> None:
    path = str(tmp_path / "x.lock")
    others = [subprocess.Popen([sys.executable, "-c", _HOLDER, path]) for _ in range(4)]
    try:
        while blocked(path) < 3:
            assert all(one.poll() is None for one in others)
        with pytest.raises(LockBusyError), held(path):  # gives up after a second, while one of them holds it
            pass
        with FileLock(path, 2, max_wait=60).acquire():  # up to four times of holding, of 1.5 s each
            pass
    finally:
        for one in others:
            one.kill()
            one.wait()


def test_questions_do_not_wait_for_locks(tmp_path: Path) -> None:
    assert beside_locks(tmp_path).faults == ()


def test_questions_are_answered_while_a_purge_is_at_work(tmp_path: Path) -> None:
    assert beside_purge(tmp_path).faults == ()


def test_what_is_recorded_during_a_purge_is_kept_and_clean(tmp_path: Path) -> None:
    assert recorded_during_purge(tmp_path).faults == ()
