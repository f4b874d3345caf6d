"""The locks: somebody who holds one for long keeps everybody else waiting."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from shlex import quote

from tacit.log.verify import Finding
from tacit.vault.store import Store

_PATIENCE = 2.0


def check(store: Store) -> Iterator[Finding]:
    home = store.home
    for path in (home.write_lock, home.log_lock, home.capturing_lock, home.giving_lock):
        if os.path.exists(path) and not _can_be_had(path):
            yield Finding(path, f"another process has held it for {_PATIENCE:g} s", f"fuser -v {quote(path)}", False)


def _can_be_had(path: str) -> bool:
    """Without making anything: the file is opened as it is, and let go at once."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return True  # told by the look at the files
    try:
        until = time.monotonic() + _PATIENCE
        while time.monotonic() < until:
            try:
                fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
                return True
            except BlockingIOError:
                time.sleep(0.01)
        return False
    finally:
        os.close(fd)
