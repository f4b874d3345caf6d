"""People without rights. Root may do anything, so under root the program is run as somebody else.

Where the tests do not run as root, they are such a person already.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NOBODY, STRANGER = 65534, 65533


def becoming(user: int) -> tuple[str, ...]:
    """The command that runs another as this user; nothing where one is not root and so cannot."""
    if os.geteuid() != 0:
        return ()
    assert shutil.which("setpriv"), "setpriv is missing: apt-get install util-linux (make test does it)"
    return ("setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups")


@contextmanager
def folder_of_nobody() -> Iterator[Path]:
    """A throw-away folder that belongs to nobody, outside of the folders that only root can enter."""
    folder = Path(tempfile.mkdtemp(prefix="tacit-test-")).resolve()
    try:
        give(folder)
        yield folder
    finally:
        remove(folder)


def remove(folder: Path) -> None:
    """Delete it, once nothing writes into it: a command leaves the pages to a process that outlives it for a moment."""
    deadline = time.monotonic() + 10
    while True:
        try:
            open_up(folder)
            shutil.rmtree(folder)
            return
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.ENOENT) or time.monotonic() > deadline:
                raise
            time.sleep(0.05)


def give(*paths: Path, user: int = NOBODY) -> None:
    if os.geteuid() == 0:
        for path in paths:
            os.chown(path, user, user)


def open_up(folder: Path) -> None:
    """So that it can be deleted."""
    os.chmod(folder, 0o700)
    for where, folders, _ in os.walk(folder):
        for name in folders:
            path = os.path.join(where, name)
            if not stat.S_ISLNK(os.lstat(path).st_mode):
                os.chmod(path, 0o700)
