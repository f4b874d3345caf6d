"""Appending to one file so that an acknowledged line survives kill -9 and power loss.

Lock, seal a torn tail, one write, sync, acknowledge. Nothing is ever truncated or rewritten.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Sequence
from typing import NamedTuple

from tacit.core.errors import StoreUnwell
from tacit.core.event import Event
from tacit.core.ids import EventId
from tacit.core.observation import Sealed
from tacit.disk.lock import read_only, refuses_writes
from tacit.disk.ops import Disk, make_folder, opened, write_all
from tacit.log.codec import Damaged, decode, encode

_TAIL = 8192
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class Tail(NamedTuple):
    """How a segment ends: its size, its last readable event id, and what was torn off at the end."""

    size: int
    last: EventId | None
    torn: bytes


# Given the last id and, where there was one, what was torn: the events to write.
Compose = Callable[[EventId | None, Sealed | None], Sequence[Event]]


def append(disk: Disk, path: str, compose: Compose, *, durable: bool) -> Sequence[Event]:
    """Write what `compose` makes; on return it is durable (or, if not asked for, at least written)."""
    try:
        return _append(disk, path, compose, durable)
    except OSError as error:
        raise _explained(error, path) from error


def _append(disk: Disk, path: str, compose: Compose, durable: bool) -> Sequence[Event]:
    make_folder(os.path.dirname(path))
    with opened(disk, path, os.O_RDWR | os.O_APPEND | os.O_CREAT) as fd:
        tail = read_tail(disk, fd)
        if tail.size == 0:  # a new file's name must be as durable as its first line
            disk.sync_folder(os.path.dirname(path))
        events = compose(tail.last, _seal(tail) if tail.torn else None)
        data = b"".join(encode(event) for event in events)
        write_all(disk, fd, b"\n" + data if tail.torn else data)
        if durable:
            disk.sync_data(fd)
    return events


def _seal(tail: Tail) -> Sealed:
    from hashlib import sha256

    return Sealed(tail.size - len(tail.torn), len(tail.torn), sha256(tail.torn).hexdigest())


def read_tail(disk: Disk, fd: int) -> Tail:
    """Read backwards until a readable event is found."""
    size = disk.size(fd)
    span = _TAIL
    while True:
        start = max(size - span, 0)
        *whole, torn = disk.read_at(fd, size - start, start).split(b"\n")
        if start > 0:
            whole = whole[1:]  # may begin in the middle of a line
        last = next((event.id for event in map(decode, reversed(whole)) if not isinstance(event, Damaged)), None)
        if start == 0 or (last is not None and len(torn) < span):
            return Tail(size, last, torn)
        span *= 8


def _explained(error: OSError, path: str) -> StoreUnwell:
    if refuses_writes(error):
        return read_only(path)
    if error.errno in _FULL:
        return StoreUnwell(
            f"no room to write {path} ({error.strerror}); nothing was recorded", "free some space, then try again"
        )
    if error.errno == errno.ELOOP:
        return StoreUnwell(f"{path} is a symbolic link; Tacit does not write through one", f"rm {path}")
    return StoreUnwell(f"{path} could not be written: {error.strerror}; nothing was recorded", "tacit doctor")
