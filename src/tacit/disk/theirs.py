"""Files that the person's other programs keep: histories, transcripts. Only read, and as they are."""

from __future__ import annotations

import os
import stat
from typing import BinaryIO

from tacit.core.errors import Refused


def open_theirs(path: str) -> BinaryIO:
    """A plain file. Links are followed, since many keep such files elsewhere; a named pipe would keep us waiting for
    its other end."""
    stream = open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK | os.O_CLOEXEC))
    if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
        stream.close()
        raise Refused(f"{path} is no plain file", f"ls -l {path}")
    return stream
