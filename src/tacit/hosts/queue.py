"""Transcripts that wait to be captured, and sessions that ended without a hook."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress

from tacit.disk.files import OsDisk, make_folder, open_fd, open_folder, open_plain, write_all
from tacit.disk.lock import FileLock
from tacit.errors import LockBusyError
from tacit.home.paths import HomePaths
from tacit.record import Record

# Transcripts that wait to be captured: a note each, so that nothing is lost when whoever should read one is killed.
#
# A hook leaves a note and tries to become the one that captures. Whoever is at it takes the notes of all others
# along, so that a hundred hooks at once are one reading.

_MAX_REQUEST_BYTES = 16_384  # bytes of a note
_TAKEN_SUFFIX = ".taken"  # ends the name of a note while its transcript is read
_TEMPORARY_SUFFIX = ".tacit-new"  # one that is being written
_MAX_ROUNDS = 5  # failed readings of one transcript; then its note is no longer of use


class CaptureRequest(Record):
    """A transcript of a host, and the session it was said to be of."""

    agent: str
    session: str
    transcript: str


REINDEX = CaptureRequest("", "", "")  # nothing to read, but the index is to be made


def enqueue(home: HomePaths, note: CaptureRequest, folder: str = "") -> None:
    """Say that a transcript has something new. The same one again is the same note.

    It is there whole or not at all: whoever captures would throw half of one away.
    """
    disk = OsDisk(home.root)
    make_folder(folder or home.capture_queue, below=home.root)
    place = request_path(folder or home.capture_queue, note)
    folder, name = os.path.split(place)
    unfinished = os.path.join(folder, f".{name}.{os.getpid()}{_TEMPORARY_SUFFIX}")
    with open_fd(disk, unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC) as fd:
        write_all(disk, fd, "\0".join(note).encode("utf-8", "surrogateescape"))
    disk.rename(unfinished, place)


def has_pending(home: HomePaths) -> bool:
    return any(_queue_file_names(home.capture_queue))


def queued_requests(folder: str) -> Iterator[tuple[str, CaptureRequest]]:
    """The notes that are there, with their places; last those that somebody was killed at."""
    for name in sorted(_queue_file_names(folder), key=lambda name: (name.endswith(_TAKEN_SUFFIX), name)):
        path = os.path.join(folder, name)
        try:
            with open_plain(path) as file:
                parts = file.read(_MAX_REQUEST_BYTES).decode("utf-8", "surrogateescape").split("\0")
        except OSError:
            continue
        if len(parts) == len(CaptureRequest._fields):
            yield path, CaptureRequest(*parts)
        else:
            with suppress(OSError):
                _disk_of(folder).remove(path)


def drain(home: HomePaths, capture: Callable[[CaptureRequest], None], patience: float = 0.0) -> bool:
    """Capture what waits, unless somebody is at it, who will then find it: False. A note is set aside before its
    transcript is read, so that what comes meanwhile leaves another, and goes when that is done: who is killed at it
    leaves it."""
    while has_pending(home):
        try:
            with FileLock(home.capture_lock, patience).acquire():
                _capture_all(home, capture)
        except LockBusyError:
            return False
    return True


def _capture_all(home: HomePaths, capture: Callable[[CaptureRequest], None]) -> None:
    disk = OsDisk(home.root)
    for _ in range(_MAX_ROUNDS):
        waiting = list(queued_requests(home.capture_queue))
        if not waiting:
            return
        for path, note in waiting:
            taken = path.removesuffix(_TAKEN_SUFFIX) + _TAKEN_SUFFIX
            with suppress(FileNotFoundError):
                disk.rename(path, taken)
            capture(note)
            with suppress(FileNotFoundError):
                disk.remove(taken)


def _queue_file_names(folder: str) -> list[str]:
    """Through a link no folder is looked into: what lies there is not ours to read, rename or throw away."""
    try:
        fd = open_folder(folder, _home_of(folder))
    except OSError:
        return []
    try:
        return [name for name in os.listdir(fd) if not name.endswith(_TEMPORARY_SUFFIX)]
    finally:
        os.close(fd)


def _home_of(folder: str) -> str:
    """The home of a folder of notes, which lies in `.tacit`."""
    return os.path.dirname(os.path.dirname(folder))


def _disk_of(folder: str) -> OsDisk:
    return OsDisk(_home_of(folder))


def request_path(folder: str, note: CaptureRequest) -> str:
    from tacit.model.ids import sha256

    named = f"{note.agent}\0{note.transcript or note.session}".encode("utf-8", "surrogateescape")
    return os.path.join(folder, sha256(named).hexdigest()[:24])


# Sessions that were captured and whose end nobody told: a host that crashes runs no hook, and what it wrote last
# would be missed. The next session that starts looks after them. Hosts delete their transcripts; ours is the lasting
# copy.

_UNFINISHED_DAYS = 7  # after which a session that was never ended is taken for ended
_MAX_UNFINISHED = 50  # sessions looked at by one that starts


def mark_unfinished(home: HomePaths, note: CaptureRequest) -> None:
    """A session was captured, and may have more to tell."""
    enqueue(home, note, home.unfinished_captures)


def mark_ended(home: HomePaths, note: CaptureRequest) -> None:
    with suppress(OSError):
        OsDisk(home.root).remove(request_path(home.unfinished_captures, note))


def grown_transcripts(home: HomePaths) -> Iterator[CaptureRequest]:
    """Those whose transcripts were written to since they were captured last. Each is told once."""
    disk = OsDisk(home.root)
    for path, note in list(queued_requests(home.unfinished_captures))[:_MAX_UNFINISHED]:
        with suppress(OSError):
            captured = os.stat(path).st_mtime
            if not os.path.exists(note.transcript) or captured < time.time() - _UNFINISHED_DAYS * 86_400:
                disk.remove(path)
            elif os.stat(note.transcript).st_mtime > captured:
                with open_fd(disk, path, os.O_WRONLY) as fd:
                    os.utime(fd)
                yield note
