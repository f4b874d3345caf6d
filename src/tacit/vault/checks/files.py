"""Checks of the files of a home and of the machine they are on: permissions, links, locks, disk and SQLite."""

from __future__ import annotations

import fcntl
import os
import sqlite3
import stat
import time
from collections.abc import Iterator
from shlex import quote

from tacit.disk.files import link_hint
from tacit.guard import RULE_FILE, load_rules
from tacit.home.paths import HOME_FOLDERS, OPTIONAL_FOLDERS
from tacit.log.verify import Finding
from tacit.vault.checks import Examination

_MIN_FREE_BYTES = 64 * 1024 * 1024
_NETWORK_FILE_SYSTEMS = ("nfs", "cifs", "smb", "9p", "fuse", "afs", "lustre", "ceph", "glusterfs")
_MOUNTS = "/proc/self/mounts"
# Files beside the index: those of SQLite, the name of the current file, and what an interrupted rebuild leaves.
_INDEX_SUFFIXES = ("-wal", "-shm", "-journal", "-file", ".new", ".new-wal", ".new-shm", ".new-journal")
_LOCK_WAIT_SECONDS = 2.0
# The write-ahead log of older versions can lose a page when two connections reset it at once. Ours never do (every
# write and checkpoint happens under one lock), so this is for the person's other programs.
_WAL_FIXED_VERSIONS = ((3, 44, 6), (3, 50, 7), (3, 51, 3))


def check_files(exam: Examination) -> Iterator[Finding]:
    """The files of Tacit: permissions, owners, links, leftovers. Files of other programs are not checked."""
    store = exam.store
    home = store.paths
    # The home itself may be a link, but nothing in it.
    yield from _check_permissions(os.path.realpath(home.root) if os.path.islink(home.root) else home.root)
    links: list[str] = []
    for folder in (*HOME_FOLDERS, *OPTIONAL_FOLDERS):
        path = home.path(folder)
        if path.startswith(tuple(links)):
            continue  # files behind a link are not ours
        if os.path.islink(path):
            links.append(path + os.sep)
            yield from _check_permissions(path)
        elif os.path.isdir(path):
            yield from _check_permissions(path)
            for name in sorted(os.listdir(path)):
                yield from _check_file(os.path.join(path, name))
    if os.path.islink(home.settings):
        what = "a symbolic link; it is read, but `tacit config set` does not write through it"
        yield Finding(home.settings, what, f"write settings by hand in {quote(os.path.realpath(home.settings))}", False)
    else:
        yield from _check_file(home.settings)
    for path in (home.index, *(f"{home.index}{suffix}" for suffix in _INDEX_SUFFIXES), home.path("AGENTS.md")):
        yield from _check_file(path)
    if os.path.exists(f"{home.index}.new"):
        yield Finding(f"{home.index}.new", "left by a rebuild that was interrupted", "tacit doctor --reindex", False)


def _check_file(path: str) -> Iterator[Finding]:
    if os.path.islink(path) or (os.path.lexists(path) and not os.path.isdir(path)):
        yield from _check_permissions(path)
        if path.endswith(".tacit-new"):
            yield Finding(path, "left by a write that was interrupted", f"rm {quote(path)}", False)


def _check_permissions(path: str) -> Iterator[Finding]:
    status = os.lstat(path)
    if stat.S_ISLNK(status.st_mode):
        yield link_finding(path)
        return
    is_folder = stat.S_ISDIR(status.st_mode)
    if status.st_uid != os.geteuid():
        yield Finding(path, "it belongs to another user", f"chown {os.geteuid()} {quote(path)}")
    if status.st_mode & 0o077:
        yield Finding(path, "others can read or write it", f"chmod {'700' if is_folder else '600'} {quote(path)}")
    if not is_folder and status.st_nlink > 1:
        copy = f"cp -p {quote(path)} {quote(path + '.copy')} && mv {quote(path + '.copy')} {quote(path)}"
        yield Finding(path, "it has a second name elsewhere (a hard link)", copy)


def check_writable(exam: Examination) -> Iterator[Finding]:
    """Whether something can be recorded: the folders and segments of the home can be written."""
    home, log = exam.store.paths, exam.store.log
    paths = [home.root, *map(home.path, HOME_FOLDERS), *(log.path(segment) for segment in log.own_segments())]
    refused = [path for path in paths if os.path.exists(path) and not os.access(path, os.W_OK)]
    if home.root in refused and os.statvfs(home.root).f_flag & os.ST_RDONLY:
        what = "its disk can only be read: nothing can be recorded"
        yield Finding(home.root, what, f"mount it so that it can be written; which one it is: df {quote(home.root)}")
        return
    for path in refused:
        yield Finding(path, "it cannot be written", f"chmod u+w {quote(path)}")


def link_finding(path: str) -> Finding:
    return Finding(path, "a symbolic link; Tacit does not write through one", link_hint(path))


def check_locks(exam: Examination) -> Iterator[Finding]:
    """The locks: a process that holds one for long blocks all others."""
    store = exam.store
    home = store.paths
    for path in (home.write_lock, home.log_lock, home.capture_lock, home.injection_lock):
        if os.path.exists(path) and not _can_lock(path):
            what = f"another process has held it for {_LOCK_WAIT_SECONDS:g} s"
            yield Finding(path, what, f"fuser -v {quote(path)}", False)


def _can_lock(path: str) -> bool:
    """Return whether a lock is free within the wait. The file is opened as it is, and nothing is created."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return True  # `check_files` reports it
    try:
        deadline = time.monotonic() + _LOCK_WAIT_SECONDS
        while time.monotonic() < deadline:
            try:
                fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
                return True
            except BlockingIOError:
                time.sleep(0.01)
        return False
    finally:
        os.close(fd)


def check_guard(exam: Examination) -> Iterator[Finding]:
    """The rules of the guard. A file that hooks cannot use stops nothing."""
    store = exam.store
    path = store.paths.path(RULE_FILE)
    try:
        load_rules(store.paths.root)
    except (OSError, ValueError, KeyError, TypeError) as error:
        yield Finding(path, f"the guard stops nothing: {error}", f"rm {quote(path)}, then tacit guard on ID again")


def check_disk(exam: Examination) -> Iterator[Finding]:
    """The disk: free space, and a file system with reliable locks and appends."""
    store = exam.store
    root = store.paths.root
    status = os.statvfs(root)
    free = status.f_bavail * status.f_frsize
    if free < _MIN_FREE_BYTES:
        yield Finding(root, f"only {free // 1024:,} KiB are free on its disk", f"df -h {root}; free some space")
    if status.f_files and not status.f_favail:
        yield Finding(root, "its disk can hold no more files", f"df -i {root}; delete some files")
    kind = file_system(root)
    if kind.startswith(_NETWORK_FILE_SYSTEMS):
        what = f"it is on a network file system ({kind}), where two machines can write at once unseen"
        yield Finding(root, what, "keep the home on a local disk: TACIT_HOME=…, then tacit import OLD --mine", False)


def file_system(path: str) -> str:
    """Return the type of the file system that a path is on; "" if the system does not say."""
    try:
        with open(_MOUNTS, encoding="utf-8", errors="surrogateescape") as file:
            mounts = [line.split(" ")[1:3] for line in file]
    except OSError:
        return ""
    path = os.path.realpath(path).rstrip("/") + "/"
    points = [(point.replace("\\040", " "), kind) for point, kind in mounts]
    matching = [(len(point), kind) for point, kind in points if path.startswith(point.rstrip("/") + "/")]
    return max(matching, default=(0, ""))[1]


def check_sqlite(_exam: Examination) -> Iterator[Finding]:
    """Known bugs of the version of SQLite."""
    if not has_wal_fix(sqlite3.sqlite_version_info):
        yield Finding(
            f"SQLite {sqlite3.sqlite_version}",
            "its write-ahead log has a known race between two writers; Tacit never has two",
            "nothing for Tacit; update SQLite for other programs that share databases",
            False,
        )


def has_wal_fix(version: tuple[int, ...]) -> bool:
    if version < (3, 7, 0) or version >= _WAL_FIXED_VERSIONS[-1]:
        return True
    return any(version[:2] == fixed[:2] and version >= fixed for fixed in _WAL_FIXED_VERSIONS)
