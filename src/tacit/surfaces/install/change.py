"""A change of one file that is not ours: decided as a value, shown to the person, then made whole or not at all."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress

from tacit.core.errors import Refused
from tacit.core.text import show
from tacit.disk.ops import OsDisk, make_folder
from tacit.disk.theirs import read_theirs
from tacit.record import Record
from tacit.surfaces.install.receipt import Receipt

_NEW_FILE = 0o644
_WRITABLE = 0o222


class Change(Record):
    """A file, and its bytes before and after; nothing stands for no file. `folders` go with it if they are empty."""

    path: str
    before: bytes | None
    after: bytes | None
    receipt: Receipt | None = None
    folders: tuple[str, ...] = ()

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
        return read_theirs(path)
    except FileNotFoundError:
        return None


def check(change: Change) -> None:
    """Whether it can be made, before anything is."""
    path = os.path.realpath(change.path)
    if os.path.exists(path) and not (os.stat(path).st_mode & _WRITABLE and os.access(path, os.W_OK)):
        raise Refused(f"{change.path} is read-only; nothing was changed", f"chmod u+w {path}, and try again")
    folder = os.path.dirname(path)
    while not os.path.exists(folder):
        folder = os.path.dirname(folder)
    if not os.path.isdir(folder):
        raise Refused(f"{folder} is not a folder; nothing was changed", "make it one, and try again")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise Refused(f"the folder {folder} is read-only; nothing was changed", f"chmod u+w {folder}, and try again")


def make(change: Change) -> None:
    """The file behind a link changes, the link stays; its mode and owner too."""
    path = os.path.realpath(change.path)
    if bytes_of(path) != change.before:
        raise Refused(f"{change.path} was changed meanwhile", "look at it, and try again")
    make_folder(os.path.dirname(path))
    _clear_away(path)
    if change.after is not None:
        _replace(path, change.after)
        OsDisk().sync_folder(os.path.dirname(path))
        return
    os.unlink(path)
    OsDisk().sync_folder(os.path.dirname(path))
    with suppress(OSError):  # somebody else uses it by now
        for folder in change.folders:
            os.rmdir(folder)


def _replace(path: str, content: bytes) -> None:
    temporary = f"{_temporary(path)}{os.getpid()}"
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


def _temporary(path: str) -> str:
    """How a file is named that takes the place of another; the number of its process follows."""
    folder, name = os.path.split(path)
    return os.path.join(folder, f".{name}.tacit-")


def _clear_away(path: str) -> None:
    """What one of us left who was killed."""
    folder, beginning = os.path.split(_temporary(path))
    for name in os.listdir(folder):
        number = name.removeprefix(beginning)
        if number != name and number.isdecimal() and not _runs(int(number)):
            os.unlink(os.path.join(folder, name))


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return process != os.getpid()


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
