"""Files that others keep: histories, transcripts, settings of other programs, what git writes. Only read, as they are.

Anything may lie in their places. Only a plain file is opened: a named pipe would keep us waiting for its other end, a
device never ends, and to open one may have effects. Links are followed, since people keep such files elsewhere; files
that a link must not lead to are read with `disk/foreign.py`.
"""

from __future__ import annotations

import os
import stat
from shlex import quote
from typing import BinaryIO

from tacit.core.errors import Refused

_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
MOST = 16 << 20  # bytes of a file that is read whole
_LARGEST = 64 << 30  # bytes of one that is read piece by piece


def open_theirs(path: str, most: int = _LARGEST) -> BinaryIO:
    """A plain file to read piece by piece.

    Raises Refused for anything else and for one that is larger than `most`, OSError where it cannot be opened.
    """
    fd = _opened(path)
    try:
        status = os.fstat(fd)
        # Files of the kernel say that they are plain and empty, and some never end.
        if not stat.S_ISREG(status.st_mode) or (not status.st_size and _yields_bytes(fd)):
            raise _no_plain_file(path)
        if status.st_size > most:
            raise Refused(f"{path} is larger than any such file ({status.st_size:,} bytes)", f"ls -l {quote(path)}")
    except BaseException:
        os.close(fd)
        raise
    return open(path, "rb", opener=lambda _path, _flags: fd)


def read_theirs(path: str, most: int = MOST) -> bytes:
    """All of a plain file. Raises as `open_theirs` does."""
    with open_theirs(path, most) as file:
        data = file.read(most + 1)
    if len(data) > most:  # it grows while it is read
        raise Refused(f"{path} is larger than any such file", f"ls -l {quote(path)}")
    return data


def beginning(path: str, most: int) -> bytes:
    """The first bytes of a plain file; nothing where there is none, whatever lies there instead."""
    try:
        fd = _opened(path)
    except (OSError, ValueError, Refused):  # a name with a NUL in it is a ValueError
        return b""
    try:
        return os.read(fd, most) if stat.S_ISREG(os.fstat(fd).st_mode) else b""
    except OSError:
        return b""
    finally:
        os.close(fd)


def _opened(path: str) -> int:
    """Looked at before it is opened, and by the caller once more: it may be swapped in between."""
    mode = os.stat(path).st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(f"{path} is a folder")
    if not stat.S_ISREG(mode):
        raise _no_plain_file(path)
    return os.open(path, _FLAGS)


def _yields_bytes(fd: int) -> bool:
    try:
        return bool(os.read(fd, 1))
    except OSError:
        return True


def _no_plain_file(path: str) -> Refused:
    return Refused(f"{path} is no plain file", f"ls -l {quote(path)}")
