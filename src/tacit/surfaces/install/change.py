"""A change of one file that is not ours: decided as a value, shown to the person, then made whole or not at all."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from typing import NamedTuple

from tacit.core.errors import Refused
from tacit.core.text import show
from tacit.disk.ops import make_folder

_NEW_FILE = 0o644


class Change(NamedTuple):
    """A file, and its bytes before and after; nothing stands for no file."""

    path: str
    before: bytes | None
    after: bytes | None

    @property
    def is_needed(self) -> bool:
        return self.before != self.after

    def lines(self) -> Iterator[str]:
        """What a person sees of it."""
        from difflib import unified_diff

        yield show(self.path)
        for line in list(unified_diff(_lines(self.before), _lines(self.after), lineterm="", n=2))[2:]:
            yield f"  {show(line)}"


def bytes_of(path: str) -> bytes | None:
    """What a file holds. A link is followed: people keep such files elsewhere."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise Refused(f"{path} is not a plain file", "make it one, or add the lines by hand: tacit hook --help")
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def make(change: Change) -> None:
    """The file behind a link changes, the link stays; its mode and owner too."""
    path = os.path.realpath(change.path)
    if bytes_of(path) != change.before:
        raise Refused(f"{change.path} was changed meanwhile", "look at it, and try again")
    if change.after is None:
        os.unlink(path)
        return
    make_folder(os.path.dirname(path))
    _replace(path, change.after)


def _replace(path: str, content: bytes) -> None:
    folder, name = os.path.split(path)
    temporary = os.path.join(folder, f".{name}.tacit-{os.getpid()}")
    fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _NEW_FILE)
    try:
        with open(fd, "wb") as file:
            _be_like(path, file.fileno())
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _be_like(path: str, fd: int) -> None:
    try:
        like = os.stat(path)
    except FileNotFoundError:
        return
    if (like.st_uid, like.st_gid) != (os.geteuid(), os.getegid()):
        os.fchown(fd, like.st_uid, like.st_gid)
    os.fchmod(fd, stat.S_IMODE(like.st_mode))


def _lines(content: bytes | None) -> list[str]:
    return (content or b"").decode("utf-8", "replace").split("\n")
