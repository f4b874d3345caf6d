"""The key of a home: equal secrets get equal marks with it, and the lines that it writes carry a code made with it.

Nobody without the key can guess a secret from its mark, or make the code of a line.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from tacit.disk.files import OsDisk, make_folder, replace_file
from tacit.log.signing import KEY_BYTES

_DAMAGED_SUFFIX = ".damaged"


def secret_digest(path: str, value: str) -> str:
    """Eight hex digits for a secret that is not stored. OSError where there is no key and none can be made."""
    import hmac

    return hmac.new(ensure_key(path), value.encode("utf-8", "surrogateescape"), "sha256").hexdigest()[:8]


def load_key(path: str, make: bool) -> bytes | None:
    """The key, made first where that is wanted; None where it cannot be had. Never raises: a line without a code is
    better than none, and is reported."""
    try:
        return ensure_key(path) if make else read_key(path)
    except OSError:
        return None


def read_key(path: str) -> bytes | None:
    """The key; None where there is none, or what lies there is none. OSError for a link, or a file one may not read."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        found = os.read(fd, KEY_BYTES + 1)
    finally:
        os.close(fd)
    return found if len(found) == KEY_BYTES else None


def ensure_key(path: str) -> bytes:
    """The key; where there is none, one is made that every process then has, whichever of them made it.

    What lies there and is no key is kept beside it: a backup may tell what it was.
    """
    found = read_key(path)
    if found is not None:
        return found
    folder = os.path.dirname(path)
    make_folder(folder, below=os.path.dirname(folder))
    with _lock_folder(folder):
        found = read_key(path)  # somebody may have been faster
        if found is None:
            with suppress(FileNotFoundError):
                os.rename(path, path + _DAMAGED_SUFFIX)
            found = os.urandom(KEY_BYTES)
            replace_file(OsDisk(os.path.dirname(folder)), path, found)
    return found


@contextmanager
def _lock_folder(folder: str) -> Iterator[None]:
    """While no other process makes a key here. The lock is on the folder itself and ends with the process."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with suppress(OSError):  # a file system that has no such locks
            fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)
