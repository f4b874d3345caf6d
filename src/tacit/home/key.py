"""The key of a home, which makes digests of secrets and signs the lines of the log.

Without the key nobody can guess a secret from its digest, or sign a line.
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
    """Return eight hexadecimal digits, equal for equal secrets. Raise OSError if a key can be neither read nor made."""
    import hmac

    return hmac.new(ensure_key(path), value.encode("utf-8", "surrogateescape"), "sha256").hexdigest()[:8]


def load_key(path: str, make: bool) -> bytes | None:
    """Return the key, None if there is none; make one first if `make` is set.

    Never raises: an unsigned line is better than none, and `tacit doctor --log` reports it.
    """
    try:
        return ensure_key(path) if make else read_key(path)
    except OSError:
        return None


def read_key(path: str) -> bytes | None:
    """Return the key; None if the file is missing or holds none. Raise OSError for a link or an unreadable file."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        key = os.read(fd, KEY_BYTES + 1)
    finally:
        os.close(fd)
    return key if len(key) == KEY_BYTES else None


def ensure_key(path: str) -> bytes:
    """Return the key. If there is none, one process makes it and all get the same.

    A damaged key file is kept under another name, so that it can be compared with a backup.
    """
    key = read_key(path)
    if key is not None:
        return key
    folder = os.path.dirname(path)
    make_folder(folder, below=os.path.dirname(folder))
    with _lock_folder(folder):
        key = read_key(path)  # another process may have been faster
        if key is None:
            with suppress(FileNotFoundError):
                os.rename(path, path + _DAMAGED_SUFFIX)
            key = os.urandom(KEY_BYTES)
            replace_file(OsDisk(os.path.dirname(folder)), path, key)
    return key


@contextmanager
def _lock_folder(folder: str) -> Iterator[None]:
    """Keep other processes from making a key. The lock is on the folder itself and ends with the process."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)
