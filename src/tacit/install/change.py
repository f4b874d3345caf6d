"""A change of a file that is not ours: a value that is shown, made whole or not at all, and undone by its receipt."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from hashlib import sha256

from tacit.disk.files import OsDisk, make_folder, read_file, replace_file
from tacit.disk.read import read_theirs
from tacit.errors import Refused
from tacit.record import Record
from tacit.text.display import show

# What was done to a file of somebody else's, kept in the home so that it can be taken out exactly.
#
# It holds no text of theirs but white space and comments: which containers we made, and what stood in those that were
# empty. Taking out works without it, too; then containers that are empty afterwards go with our entries.

Steps = tuple[str, ...]


class Receipt(Record):
    """`was` is the whole text where there was none but white space; nothing stands for no file."""

    path: str
    before: str  # what the file was known by, and what it is known by since
    after: str
    is_blank: bool = False
    was: str | None = None
    made: tuple[Steps, ...] = ()
    empty: tuple[tuple[Steps, str], ...] = ()
    lead: str = ""
    folders: tuple[str, ...] = ()  # that were made for it, the inner ones first


def known_by(content: bytes | None) -> str:
    return "" if content is None else sha256(content).hexdigest()


def kept(home: str, target: str) -> dict[str, Receipt]:
    """The receipts of a target by the file they are for. Whatever is wrong with them: none."""
    try:
        content = read_file(_file(home, target))
        return {one.path: one for one in map(_read, json.loads(content or b"[]"))}
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return {}


def keep(home: str, target: str, receipts: Iterable[Receipt]) -> None:
    """Before anything is changed: a receipt too many does no harm."""
    lines = json.dumps([one._asdict() for one in receipts], indent=1) + "\n"
    make_folder(os.path.dirname(_file(home, target)), below=home)
    replace_file(OsDisk(home), _file(home, target), lines.encode())


def drop(home: str, target: str) -> None:
    """And the folders that were made for it, if nothing else is in them."""
    folder = os.path.dirname(_file(home, target))
    with suppress(OSError):
        OsDisk(home).remove(_file(home, target))
        for empty in (folder, os.path.dirname(folder), home):
            if not os.path.islink(empty):
                os.rmdir(empty)


def _file(home: str, target: str) -> str:
    return os.path.join(home, ".tacit", "installed", f"{target}.json")


def _read(value: dict[str, object]) -> Receipt:
    made, empty = value.get("made"), value.get("empty")
    return Receipt(
        path=_text(value["path"]),
        before=_text(value["before"]),
        after=_text(value["after"]),
        is_blank=value.get("is_blank") is True,
        was=None if value.get("was") is None else _text(value["was"]),
        made=tuple(map(_steps, made)) if isinstance(made, list) else (),
        empty=tuple((_steps(path), _text(inside)) for path, inside in empty) if isinstance(empty, list) else (),
        lead=_text(value.get("lead", "")),
        folders=_steps(value.get("folders", [])),
    )


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _steps(value: object) -> Steps:
    if not isinstance(value, list):
        raise TypeError
    return tuple(map(_text, value))


# A change of one file that is not ours: decided as a value, shown to the person, then made whole or not at all.

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


# One file of a host that we write into, by how it is written: which bytes it has with us in it, and without us.


class Put(Record):
    """A file with us in it, and how to get back."""

    content: bytes | None
    receipt: Receipt | None = None


class Part(Record):
    """`put_in` and `take_out` get what the file holds, nothing for no file, and the receipt of an earlier time."""

    path: str
    put_in: Callable[[bytes | None, Receipt | None], Put]
    take_out: Callable[[bytes | None, Receipt | None], bytes | None]

    def installed(self, receipt: Receipt | None) -> Change:
        before = bytes_of(self.path)
        put = self.put_in(before, receipt)
        folders = _missing(self.path) if before is None else receipt.folders if receipt else ()
        return Change(self.path, before, put.content, put.receipt and put.receipt._replace(folders=folders))

    def removed(self, receipt: Receipt | None) -> Change:
        before = bytes_of(self.path)
        after = self.take_out(before, receipt)
        return Change(self.path, before, after, receipt, receipt.folders if receipt else ())


def _missing(path: str) -> tuple[str, ...]:
    """The folders that have to be made for a file, the inner ones first."""
    folder = os.path.dirname(path)
    return () if os.path.lexists(folder) else (folder, *_missing(folder))


def text_of(path: str, content: bytes) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise unreadable(path, f"line {line}: it is no UTF-8") from None


def bytes_from(path: str, text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise Refused(f"a path of this installation is no UTF-8, and so cannot stand in {path}") from None


def unreadable(path: str, why: str) -> Refused:
    return Refused(f"{path}: {why}", "nothing was changed; mend that file, and try again")
