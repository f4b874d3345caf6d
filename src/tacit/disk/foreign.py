"""Reading what is not ours: files that others may have planted. Never through a link, never a device, never much."""

from __future__ import annotations

import os
import stat

from tacit.record import Record

_MOST = 4 * 1024 * 1024


class Foreign(Record):
    """The bytes of a file and, of the same open file, who owns it and which others may write it."""

    data: bytes
    owner: int
    writers: int
    signature: str


def read_foreign(path: str) -> Foreign | None:
    """A plain file that can be read whole; nothing otherwise. One look: what is judged is what was read."""
    try:
        # A named pipe would keep us waiting for its other end.
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode) or status.st_size > _MOST:
            return None
        data = os.read(fd, _MOST + 1)
        return Foreign(data, status.st_uid, status.st_mode & 0o022, _signature(status))
    except OSError:
        return None
    finally:
        os.close(fd)


def signature_of(path: str) -> str:
    """How a file looks from outside: unchanged, it need not be read again. Behind a link it looks like nothing."""
    try:
        return _signature(os.lstat(path)) if os.path.realpath(path) == path else ""
    except OSError:
        return ""


def _signature(status: os.stat_result) -> str:
    parts = (status.st_dev, status.st_ino, status.st_mode, status.st_uid, status.st_size)
    return " ".join(map(str, (*parts, status.st_mtime_ns, status.st_ctime_ns)))
