"""A key of this home alone: equal secrets get equal marks in it, and nobody else can guess a secret from its mark."""

from __future__ import annotations

import os

from tacit.disk.ops import PRIVATE_FILE, OsDisk, open_plain

_LENGTH = 32


def mark(path: str, value: str) -> str:
    """Eight hex digits for a secret that is not stored."""
    import hmac

    return hmac.new(_key(path), value.encode("utf-8", "surrogateescape"), "sha256").hexdigest()[:8]


def _key(path: str) -> bytes:
    """Made when first needed. A half-written one is of use to nobody and is made again."""
    try:
        with open_plain(path) as file:
            found = file.read(_LENGTH + 1)
        if len(found) == _LENGTH:
            return found
        OsDisk(os.path.dirname(os.path.dirname(path))).remove(path)
    except FileNotFoundError:
        pass
    made = os.urandom(_LENGTH)
    home = os.path.dirname(os.path.dirname(path))
    fd = OsDisk(home).open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE)
    with open(fd, "wb") as file:
        file.write(made)
    return made
