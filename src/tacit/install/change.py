"""A change of a file that is not ours: a value that is shown, made whole or not at all, and undone by its receipt."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from hashlib import sha256

from tacit.disk.files import OsDisk, make_folder, read_file, replace_file
from tacit.disk.read import read_external
from tacit.errors import RefusedError
from tacit.record import Record
from tacit.text.display import printable

# What was done to a file of somebody else's, kept in the home so that it can be taken out exactly.
#
# It holds no text of theirs but white space and comments: which containers we made, and what stood in those that were
# empty. Taking out works without it, too; then containers that are empty afterwards go with our entries.

KeyPath = tuple[str, ...]


class Receipt(Record):
    """`was` is the whole text where there was none but white space; nothing stands for no file."""

    path: str
    before: str  # what the file was known by, and what it is known by since
    after: str
    is_blank: bool = False
    was: str | None = None
    made: tuple[KeyPath, ...] = ()
    empty: tuple[tuple[KeyPath, str], ...] = ()
    lead: str = ""
    folders: tuple[str, ...] = ()  # that were made for it, the inner ones first


def content_hash(content: bytes | None) -> str:
    return "" if content is None else sha256(content).hexdigest()


def read_receipts(home: str, target: str) -> dict[str, Receipt]:
    """The receipts of a target by the file they are for. Whatever is wrong with them: none."""
    try:
        content = read_file(_receipts_path(home, target))
        return {one.path: one for one in map(_parse_receipt, json.loads(content or b"[]"))}
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return {}


def write_receipts(home: str, target: str, receipts: Iterable[Receipt]) -> None:
    """Before anything is changed: a receipt too many does no harm."""
    lines = json.dumps([one._asdict() for one in receipts], indent=1) + "\n"
    make_folder(os.path.dirname(_receipts_path(home, target)), below=home)
    replace_file(OsDisk(home), _receipts_path(home, target), lines.encode())


def delete_receipts(home: str, target: str) -> None:
    """And the folders that were made for it, if nothing else is in them."""
    folder = os.path.dirname(_receipts_path(home, target))
    with suppress(OSError):
        OsDisk(home).remove(_receipts_path(home, target))
        for empty in (folder, os.path.dirname(folder), home):
            if not os.path.islink(empty):
                os.rmdir(empty)


def _receipts_path(home: str, target: str) -> str:
    return os.path.join(home, ".tacit", "installed", f"{target}.json")


def _parse_receipt(value: dict[str, object]) -> Receipt:
    made, empty = value.get("made"), value.get("empty")
    return Receipt(
        path=_require_string(value["path"]),
        before=_require_string(value["before"]),
        after=_require_string(value["after"]),
        is_blank=value.get("is_blank") is True,
        was=None if value.get("was") is None else _require_string(value["was"]),
        made=tuple(map(_require_strings, made)) if isinstance(made, list) else (),
        empty=tuple((_require_strings(path), _require_string(inside)) for path, inside in empty)
        if isinstance(empty, list)
        else (),
        lead=_require_string(value.get("lead", "")),
        folders=_require_strings(value.get("folders", [])),
    )


def _require_string(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _require_strings(value: object) -> KeyPath:
    if not isinstance(value, list):
        raise TypeError
    return tuple(map(_require_string, value))


# A change of one file that is not ours: decided as a value, shown to the person, then made whole or not at all.

_NEW_FILE_MODE = 0o644
_WRITE_BITS = 0o222


class FileChange(Record):
    """A file, and its bytes before and after; nothing stands for no file. `folders` go with it if they are empty."""

    path: str
    before: bytes | None
    after: bytes | None
    receipt: Receipt | None = None
    folders: tuple[str, ...] = ()

    @property
    def is_needed(self) -> bool:
        return self.before != self.after

    def diff_lines(self) -> Iterator[str]:
        """What a person sees of it."""
        from difflib import unified_diff

        yield printable(self.path)
        for line in list(unified_diff(_split_content(self.before), _split_content(self.after), lineterm="", n=2))[2:]:
            yield f"  {printable(line)}"


def read_content(path: str) -> bytes | None:
    """What a file holds. A link is followed: people keep such files elsewhere."""
    try:
        return read_external(path)
    except FileNotFoundError:
        return None


def check_writable(change: FileChange) -> None:
    """Whether it can be made, before anything is."""
    path = os.path.realpath(change.path)
    if os.path.exists(path) and not (os.stat(path).st_mode & _WRITE_BITS and os.access(path, os.W_OK)):
        raise RefusedError(f"{change.path} is read-only; nothing was changed", f"chmod u+w {path}, and try again")
    folder = os.path.dirname(path)
    while not os.path.exists(folder):
        folder = os.path.dirname(folder)
    if not os.path.isdir(folder):
        raise RefusedError(f"{folder} is not a folder; nothing was changed", "make it one, and try again")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise RefusedError(
            f"the folder {folder} is read-only; nothing was changed", f"chmod u+w {folder}, and try again"
        )


def apply_change(change: FileChange) -> None:
    """The file behind a link changes, the link stays; its mode and owner too."""
    path = os.path.realpath(change.path)
    if read_content(path) != change.before:
        raise RefusedError(f"{change.path} was changed meanwhile", "look at it, and try again")
    make_folder(os.path.dirname(path))
    _remove_leftovers(path)
    if change.after is not None:
        _replace_content(path, change.after)
        OsDisk().sync_folder(os.path.dirname(path))
        return
    os.unlink(path)
    OsDisk().sync_folder(os.path.dirname(path))
    with suppress(OSError):  # somebody else uses it by now
        for folder in change.folders:
            os.rmdir(folder)


def _replace_content(path: str, content: bytes) -> None:
    temporary = f"{_temporary_prefix(path)}{os.getpid()}"
    fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _NEW_FILE_MODE)
    try:
        with open(fd, "wb") as file:
            _copy_owner_and_mode(path, file.fileno())
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _temporary_prefix(path: str) -> str:
    """How a file is named that takes the place of another; the number of its process follows."""
    folder, name = os.path.split(path)
    return os.path.join(folder, f".{name}.tacit-")


def _remove_leftovers(path: str) -> None:
    """What one of us left who was killed."""
    folder, beginning = os.path.split(_temporary_prefix(path))
    for name in os.listdir(folder):
        number = name.removeprefix(beginning)
        if number != name and number.isdecimal() and not _is_running(int(number)):
            os.unlink(os.path.join(folder, name))


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return process != os.getpid()


def _copy_owner_and_mode(path: str, fd: int) -> None:
    try:
        like = os.stat(path)
    except FileNotFoundError:
        return
    if (like.st_uid, like.st_gid) != (os.geteuid(), os.getegid()):
        os.fchown(fd, like.st_uid, like.st_gid)
    os.fchmod(fd, stat.S_IMODE(like.st_mode))


def _split_content(content: bytes | None) -> list[str]:
    return (content or b"").decode("utf-8", "replace").split("\n")


# One file of a host that we write into, by how it is written: which bytes it has with us in it, and without us.


class InstallResult(Record):
    """A file with us in it, and how to get back."""

    content: bytes | None
    receipt: Receipt | None = None


class ConfigFile(Record):
    """`put_in` and `take_out` get what the file holds, nothing for no file, and the receipt of an earlier time."""

    path: str
    insert: Callable[[bytes | None, Receipt | None], InstallResult]
    remove: Callable[[bytes | None, Receipt | None], bytes | None]

    def plan_install(self, receipt: Receipt | None) -> FileChange:
        before = read_content(self.path)
        put = self.insert(before, receipt)
        folders = _missing_folders(self.path) if before is None else receipt.folders if receipt else ()
        return FileChange(self.path, before, put.content, put.receipt and put.receipt._replace(folders=folders))

    def plan_removal(self, receipt: Receipt | None) -> FileChange:
        before = read_content(self.path)
        after = self.remove(before, receipt)
        return FileChange(self.path, before, after, receipt, receipt.folders if receipt else ())


def _missing_folders(path: str) -> tuple[str, ...]:
    """The folders that have to be made for a file, the inner ones first."""
    folder = os.path.dirname(path)
    return () if os.path.lexists(folder) else (folder, *_missing_folders(folder))


def decode_text(path: str, content: bytes) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise unreadable_file(path, f"line {line}: it is no UTF-8") from None


def encode_text(path: str, text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise RefusedError(f"a path of this installation is no UTF-8, and so cannot stand in {path}") from None


def unreadable_file(path: str, why: str) -> RefusedError:
    return RefusedError(f"{path}: {why}", "nothing was changed; mend that file, and try again")
