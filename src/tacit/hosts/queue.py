"""The capture queue: transcripts to capture, and sessions that may have ended without a hook.

Each request is a file, so that none is lost if the process that reads the transcript is killed. A hook adds a request
and then tries to drain the queue. The process that holds the lock takes the requests of all others along, so that a
hundred hooks at once cause one reading.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress

from tacit.disk.files import OsDisk, closing_fd, make_folder, open_fd, open_folder, open_plain, write_all
from tacit.disk.lock import FileLock, is_running
from tacit.errors import LockBusyError
from tacit.home.paths import HomePaths
from tacit.record import Record

_MAX_REQUEST_BYTES = 16_384
_MAX_ATTEMPTS = 5  # to find a request in a queue that is not empty
_TAKEN_SUFFIX = ".taken"  # a request whose transcript is being read
_TEMPORARY_SUFFIX = ".tacit-new"  # a request that is being written


class CaptureRequest(Record):
    """A transcript of a host and its session."""

    agent: str
    session: str
    transcript: str


REINDEX = CaptureRequest("", "", "")  # reads nothing, but updates the index


def enqueue(home: HomePaths, request: CaptureRequest, folder: str = "") -> None:
    """Record that a transcript has something new, by default in the capture queue. Repeated requests are one file.

    The file appears complete or not at all, because a partial one would be deleted.
    """
    disk = OsDisk(home.root)
    make_folder(folder or home.capture_queue, below=home.root)
    path = _request_path(folder or home.capture_queue, request)
    folder, name = os.path.split(path)
    temporary = os.path.join(folder, f".{name}.{os.getpid()}{_TEMPORARY_SUFFIX}")
    with open_fd(disk, temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC) as fd:
        write_all(disk, fd, "\0".join(request).encode("utf-8", "surrogateescape"))
    disk.rename(temporary, path)


def has_pending(home: HomePaths) -> bool:
    return any(not name.endswith(_TEMPORARY_SUFFIX) for name in _file_names(home.capture_queue))


def queued_requests(folder: str) -> Iterator[tuple[str, CaptureRequest]]:
    """Yield the requests in a folder with their paths. Those whose reader was killed come last."""
    disk = OsDisk(_home_of(folder))
    for name in sorted(_file_names(folder), key=lambda name: (name.endswith(_TAKEN_SUFFIX), name)):
        path = os.path.join(folder, name)
        if name.endswith(_TEMPORARY_SUFFIX):
            process = name.removesuffix(_TEMPORARY_SUFFIX).rpartition(".")[2]
            if process.isdecimal() and not is_running(int(process)):  # killed before it had written the request
                with suppress(OSError):
                    disk.remove(path)
            continue
        try:
            with open_plain(path) as file:
                parts = file.read(_MAX_REQUEST_BYTES).decode("utf-8", "surrogateescape").split("\0")
        except OSError:
            continue
        if len(parts) == len(CaptureRequest._fields):
            yield path, CaptureRequest(*parts)
        else:
            with suppress(OSError):
                disk.remove(path)


def drain(home: HomePaths, capture: Callable[[CaptureRequest], None], timeout: float = 0.0) -> bool:
    """Capture all requests. Returns False if another process holds the lock; that one will find them.

    A request is renamed before its transcript is read, so that a change meanwhile adds another, and deleted afterwards.
    If the reader is killed, its request stays. What cannot be read stays, too, and is not waited for.
    """
    disk, attempts = OsDisk(home.root), 0
    while attempts < _MAX_ATTEMPTS and has_pending(home):
        attempts += 1
        try:
            with FileLock(home.capture_lock, timeout).acquire():
                for path, request in list(queued_requests(home.capture_queue)):
                    taken, attempts = path.removesuffix(_TAKEN_SUFFIX) + _TAKEN_SUFFIX, 0
                    with suppress(FileNotFoundError):
                        disk.rename(path, taken)
                    capture(request)
                    with suppress(FileNotFoundError):
                        disk.remove(taken)
        except LockBusyError:
            return False
    return True


def _file_names(folder: str) -> list[str]:
    """Symbolic links are not followed: files behind one are not ours to read, rename or delete."""
    try:
        folder_fd = open_folder(folder, _home_of(folder))
    except OSError:
        return []
    with closing_fd(folder_fd):
        return os.listdir(folder_fd)


def _home_of(folder: str) -> str:
    """Return the home of a queue folder, which is in its `.tacit`."""
    return os.path.dirname(os.path.dirname(folder))


def _request_path(folder: str, request: CaptureRequest) -> str:
    from tacit.model.ids import sha256

    identity = f"{request.agent}\0{request.transcript or request.session}".encode("utf-8", "surrogateescape")
    return os.path.join(folder, sha256(identity).hexdigest()[:24])


# Unfinished sessions: captured, but not known to have ended. A host that crashes runs no hook, and what it wrote last
# would be missed, so the next session that starts checks these. Hosts delete transcripts; our copy stays.

_UNFINISHED_DAYS = 7  # then a session counts as ended
_MAX_UNFINISHED = 50  # checked at the start of a session


def mark_unfinished(home: HomePaths, request: CaptureRequest) -> None:
    enqueue(home, request, home.unfinished_captures)


def mark_ended(home: HomePaths, request: CaptureRequest) -> None:
    with suppress(OSError):
        OsDisk(home.root).remove(_request_path(home.unfinished_captures, request))


def grown_transcripts(home: HomePaths) -> Iterator[CaptureRequest]:
    """Yield unfinished sessions whose transcript was written since it was captured, each change once."""
    disk = OsDisk(home.root)
    for path, request in list(queued_requests(home.unfinished_captures))[:_MAX_UNFINISHED]:
        with suppress(OSError):
            captured = os.stat(path).st_mtime
            if not os.path.exists(request.transcript) or captured < time.time() - _UNFINISHED_DAYS * 86_400:
                disk.remove(path)
            elif os.stat(request.transcript).st_mtime > captured:
                with open_fd(disk, path, os.O_WRONLY) as fd:
                    os.utime(fd)
                yield request
