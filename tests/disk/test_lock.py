"""The lock between processes: held by one, waited for as long as told, and never reached through a link."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tacit.disk.lock import FileLock, is_read_only_error
from tacit.errors import LockBusyError, ReadOnlyError, StoreError

NOBODY = 65534
LINUX = pytest.mark.skipif(not os.path.exists("/proc/locks"), reason="only Linux says who holds a lock")


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / ".tacit" / "write.lock")


@contextmanager
def held_for(path: str, seconds: float) -> Iterator[None]:
    """Let another thread hold the lock for some time. A lock is of an open file, so threads exclude each other, too."""
    is_held = threading.Event()

    def hold() -> None:
        with FileLock(path, 1).acquire():
            is_held.set()
            time.sleep(seconds)

    holder = threading.Thread(target=hold)
    holder.start()
    assert is_held.wait(5)
    try:
        yield
    finally:
        holder.join()


@pytest.mark.parametrize("timeout", [1, 30])  # a short wait polls, a long one blocks in a thread
def test_a_lock_that_is_held_is_waited_for_and_then_taken(path: str, timeout: float) -> None:
    with held_for(path, 0.05), FileLock(path, timeout).acquire(), pytest.raises(LockBusyError):
        FileLock(path, 0).acquire().__enter__()
    with pytest.raises(ValueError, match="stop"), FileLock(path, 0).acquire():
        raise ValueError("stop")
    with FileLock(path, 0).acquire():  # an exception releases it, too
        pass


@LINUX
def test_a_busy_lock_names_its_holder_and_what_to_type(path: str) -> None:
    with FileLock(path, 0).acquire(), pytest.raises(LockBusyError) as busy:
        FileLock(path, 0).acquire().__enter__()
    assert busy.value.message == f"{path} is busy: process {os.getpid()} holds it; gave up after 0 s"
    assert busy.value.hint.endswith(f"ps -fp {os.getpid()}")


def test_the_timeout_of_one_call_replaces_that_of_the_lock(path: str) -> None:
    lock = FileLock(path, 2, max_wait=4)
    with lock.acquire():
        start = time.monotonic()
        with pytest.raises(LockBusyError, match=r"gave up after 0\.02 s"):
            lock.acquire(0.02).__enter__()
        assert time.monotonic() - start < 1.5


def test_a_waiter_that_gave_up_does_not_get_the_lock_later(path: str) -> None:
    with FileLock(path, 0).acquire(), pytest.raises(LockBusyError):
        FileLock(path, 30, max_wait=0.02).acquire().__enter__()
    with FileLock(path, 1).acquire():
        pass


def test_the_lock_files_are_private_and_stay(path: str) -> None:
    with FileLock(path, 0).acquire():
        pass
    folder = os.path.dirname(path)
    assert sorted(os.listdir(folder)) == ["write.lock", "write.lock.queue"]
    assert stat.S_IMODE(os.stat(folder).st_mode) == 0o700
    assert {stat.S_IMODE(os.stat(os.path.join(folder, name)).st_mode) for name in os.listdir(folder)} == {0o600}


@pytest.mark.parametrize("name", [".tacit", ".tacit/write.lock", ".tacit/write.lock.queue"])
def test_a_link_in_the_place_of_a_lock_or_its_folder_is_refused_by_name(tmp_path: Path, path: str, name: str) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreError, match="is a symbolic link") as refused, FileLock(path, 0).acquire():
        pass
    assert refused.value.message.startswith(f"{tmp_path / name} ")
    assert os.listdir(tmp_path / "elsewhere") == []


@pytest.fixture
def read_only_folder() -> Iterator[Path]:
    """A folder that this process must not write: as root it becomes somebody else meanwhile."""
    folder = Path(tempfile.mkdtemp(prefix="tacit-test-"))
    folder.chmod(0o555)
    is_root = os.geteuid() == 0
    if is_root:
        os.seteuid(NOBODY)
    try:
        yield folder
    finally:
        if is_root:
            os.seteuid(0)
        shutil.rmtree(folder)


def test_a_folder_that_cannot_be_written_is_an_error_of_its_own(read_only_folder: Path) -> None:
    for path in (read_only_folder / "write.lock", read_only_folder / ".tacit" / "write.lock"):
        with pytest.raises(ReadOnlyError, match="cannot be written to") as refused, FileLock(str(path), 0).acquire():
            pass
        assert "tacit --home PATH" in refused.value.hint
        assert isinstance(refused.value.__cause__, OSError) and is_read_only_error(refused.value.__cause__)


def test_a_fault_of_the_disk_does_not_count_as_read_only() -> None:
    assert [code for code in (errno.EROFS, errno.ENOSPC, errno.EIO) if is_read_only_error(OSError(code, ""))] == [
        errno.EROFS
    ]
