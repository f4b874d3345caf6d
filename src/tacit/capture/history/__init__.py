"""Histories that shells keep themselves. Each format is a file here with `looks_like` and `read`; this is the table."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import BinaryIO

from tacit.capture.history import atuin, bash, fish, zsh
from tacit.capture.history.entry import Read
from tacit.record import Record


class Format(Record):
    """How a history is read, and how it is known: by what it holds, or by a part of its name."""

    read: Callable[[BinaryIO], Iterator[Read]]
    looks_like: Callable[[bytes], bool]
    names: tuple[str, ...]


# In the order in which their histories are imported: what tells the most comes first.
FORMATS = {
    "atuin": Format(atuin.read, atuin.looks_like, ("atuin",)),
    "zsh": Format(zsh.read, zsh.looks_like, ("zsh", ".zhistory", ".histfile")),
    "fish": Format(fish.read, fish.looks_like, ("fish",)),
    "bash": Format(bash.read, bash.looks_like, ("bash",)),
}


def shell_of(path: str, head: bytes) -> str | None:
    """Which shell wrote a file: told by what it holds, else by what it is called."""
    name = os.path.basename(path).lower()
    held = (shell for shell, known in FORMATS.items() if known.looks_like(head))
    called = (shell for shell, known in FORMATS.items() if any(part in name for part in known.names))
    return next(held, None) or next(called, None)
