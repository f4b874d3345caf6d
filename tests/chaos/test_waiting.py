"""Nobody waits for what they do not need. The long form is in `make chaos`."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tacit.core.errors import LockBusy
from tacit.disk.lock import FileLock
from tests.chaos.waiting import (
    beside_locks,
    beside_purge,
    blocked,
    crowd,
    held,
    order,
    recorded_during_purge,
)

LINUX = pytest.mark.skipif(not Path("/proc/locks").exists(), reason="only Linux tells who waits")
_WAITER = "import sys; from tacit.disk.lock import FileLock; FileLock(sys.argv[1], 60).held().__enter__()"


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
            with pytest.raises(LockBusy, match=r"process \d+ holds it, 3 others are waiting") as busy, held(path):
                pass
        finally:
            for one in waiters:
                one.kill()
                one.wait()
    assert re.search(r"ps -fp \d+", busy.value.hint)


def test_a_queue_that_moves_is_waited_for_longer_than_one_holder(tmp_path: Path) -> None:
    path = str(tmp_path / "x.lock")
    holder = (
        "import sys, time\nfrom tacit.disk.lock import FileLock\nprint('here', flush=True)\nfor _ in range(4):\n"
        " with FileLock(sys.argv[1], 60).held(): print('held', flush=True); time.sleep(1.2)"
    )
    others = [
        subprocess.Popen([sys.executable, "-c", holder, path], stdout=subprocess.PIPE, text=True) for _ in range(2)
    ]
    try:
        for one in others:
            assert one.stdout is not None and one.stdout.readline() == "here\n"
        assert others[0].stdout is not None and others[0].stdout.readline() == "held\n"
        with pytest.raises(LockBusy), FileLock(path, 0.5).held():
            pass
        with FileLock(path, 3, longest=60).held():  # eight times of holding, of 1.2 s each
            pass
    finally:
        for one in others:
            one.kill()
            one.wait()
            assert one.stdout is not None
            one.stdout.close()


def test_questions_do_not_wait_for_locks(tmp_path: Path) -> None:
    assert beside_locks(tmp_path).faults == ()


def test_questions_are_answered_while_a_purge_is_at_work(tmp_path: Path) -> None:
    assert beside_purge(tmp_path).faults == ()


def test_what_is_recorded_during_a_purge_is_kept_and_clean(tmp_path: Path) -> None:
    assert recorded_during_purge(tmp_path).faults == ()
