"""Byte-exact changes of other programs' files: planned as values, shown to the person, applied atomically.

A receipt in the home says how to undo a change exactly. In a text file, Tacit has a block of lines, enclosed by two
marker lines: comments of a shell for `tacit install`, of Markdown for `tacit export` and `tacit init --wrappers`.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from hashlib import sha256

from tacit.disk.files import OsDisk, make_folder, read_file, replace_file
from tacit.disk.lock import is_running
from tacit.disk.read import read_external
from tacit.errors import RefusedError
from tacit.record import Record
from tacit.text.display import printable

KeyPath = tuple[str, ...]


class Receipt(Record):
    """How a file was before Tacit changed it.

    It contains no text of others except white space and comments. Removal works without a receipt, too; then every
    container that is empty afterwards is removed with our entries.
    """

    path: str
    before: str  # hash of the content before the change, and after it
    after: str
    is_blank: bool = False  # the file did not exist, or had only white space
    was: str | None = None  # the text of a blank file; None if it did not exist
    made: tuple[KeyPath, ...] = ()  # containers that Tacit added
    empty: tuple[tuple[KeyPath, str], ...] = ()  # containers that were empty, and the white space and comments in them
    lead: str = ""  # line breaks that were written before our table
    folders: tuple[str, ...] = ()  # folders that Tacit created, innermost first


def content_hash(content: bytes | None) -> str:
    return "" if content is None else sha256(content).hexdigest()


def read_receipts(home: str, target: str) -> dict[str, Receipt]:
    """Return the receipts of a target by path. Returns {} if they cannot be read."""
    try:
        content = read_file(_receipts_path(home, target))
        return {receipt.path: receipt for receipt in map(_parse_receipt, json.loads(content or b"[]"))}
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return {}


def write_receipts(home: str, target: str, receipts: Iterable[Receipt]) -> None:
    """Write receipts. Call it before the changes are applied: a receipt without a change does no harm."""
    path = _receipts_path(home, target)
    make_folder(os.path.dirname(path), below=home)
    content = json.dumps([receipt._asdict() for receipt in receipts], indent=1) + "\n"
    replace_file(OsDisk(home), path, content.encode())


def delete_receipts(home: str, target: str) -> None:
    """Delete the receipts of a target, and folders of the home that are empty then."""
    path = _receipts_path(home, target)
    folder = os.path.dirname(path)
    with suppress(OSError):
        OsDisk(home).remove(path)
        for parent in (folder, os.path.dirname(folder), home):
            if not os.path.islink(parent):
                os.rmdir(parent)


def _receipts_path(home: str, target: str) -> str:
    return os.path.join(home, ".tacit", "installed", f"{target}.json")


def _parse_receipt(value: dict[str, object]) -> Receipt:
    made, empty = (items if isinstance(items := value.get(name), list) else [] for name in ("made", "empty"))
    return Receipt(
        path=_require_string(value["path"]),
        before=_require_string(value["before"]),
        after=_require_string(value["after"]),
        is_blank=value.get("is_blank") is True,
        was=None if value.get("was") is None else _require_string(value["was"]),
        made=tuple(map(_require_strings, made)),
        empty=tuple((_require_strings(path), _require_string(interior)) for path, interior in empty),
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


# Changes

_NEW_FILE_MODE = 0o644
_WRITE_BITS = 0o222


class FileChange(Record):
    """A planned change of one file.

    If `is_auxiliary`, Tacit works without the file, and the file alone does not mean that it is installed. `note` tells
    the person why a file was left alone. `store` applies the change where `path` is not the path of a file.
    """

    path: str
    before: bytes | None  # None: the file does not exist
    after: bytes | None  # None: it is deleted
    receipt: Receipt | None = None
    folders: tuple[str, ...] = ()  # deleted with the file if they are empty
    is_auxiliary: bool = False
    note: str = ""
    store: Callable[[FileChange], None] | None = None

    @property
    def is_needed(self) -> bool:
        return self.before != self.after

    def diff_lines(self) -> Iterator[str]:
        """Yield the path and a unified diff for the person."""
        from difflib import unified_diff

        state = " (new file)" if self.before is None else " (deleted)" if self.after is None else ""
        yield f"{printable(self.path)}{state}"
        for line in list(unified_diff(_lines_of(self.before), _lines_of(self.after), lineterm="", n=2))[2:]:
            yield f"  {printable(line)}"


def _lines_of(content: bytes | None) -> list[str]:
    text = (content or b"").decode("utf-8", "replace")
    return text.removesuffix("\n").split("\n") if text else []


def read_content(path: str) -> bytes | None:
    """Return the content of a file, None if there is none. Links are followed: people keep such files elsewhere."""
    try:
        return read_external(path)
    except FileNotFoundError:
        return None


def check_writable(change: FileChange) -> None:
    """Raise RefusedError if the change cannot be applied. Check all changes before the first one is applied."""
    if change.store is not None:
        return
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
    """Apply a change. A link stays and its target is changed, with the same mode and owner.

    Raises:
        RefusedError: the file was changed since the change was planned.
    """
    if change.store is not None:
        change.store(change)
        return
    path = os.path.realpath(change.path)
    if read_content(path) != change.before:
        raise RefusedError(f"{change.path} was changed meanwhile", "look at it, and try again")
    folder, name = os.path.split(path)
    make_folder(folder)
    prefix = f".{name}.tacit-"
    for leftover in os.listdir(folder):  # of processes that were killed
        pid = leftover.removeprefix(prefix)
        if pid != leftover and pid.isdecimal() and (int(pid) == os.getpid() or not is_running(int(pid))):
            os.unlink(os.path.join(folder, leftover))
    if change.after is not None:
        _replace_content(path, os.path.join(folder, f"{prefix}{os.getpid()}"), change.after)
        OsDisk().sync_folder(folder)
        return
    os.unlink(path)
    OsDisk().sync_folder(folder)
    with suppress(OSError):  # others use the folder by now
        for created in change.folders:
            os.rmdir(created)


def _replace_content(path: str, temporary: str, content: bytes) -> None:
    fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _NEW_FILE_MODE)
    try:
        with open(fd, "wb") as file:
            with suppress(FileNotFoundError):  # a new file
                status = os.stat(path)
                if (status.st_uid, status.st_gid) != (os.geteuid(), os.getegid()):
                    os.fchown(fd, status.st_uid, status.st_gid)
                os.fchmod(fd, stat.S_IMODE(status.st_mode))
            file.write(content)
            file.flush()
            os.fsync(fd)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


# Configuration files


class InstallResult(Record):
    """A file with our entries, and how to undo that."""

    content: bytes | None
    receipt: Receipt | None = None


class ConfigFile(Record):
    """A file of a host. `insert` and `remove` get its content (None if there is no file) and the last receipt.

    `insert` returns the file with our entries, `remove` the file without them; None deletes it.
    """

    path: str
    insert: Callable[[bytes | None, Receipt | None], InstallResult]
    remove: Callable[[bytes | None, Receipt | None], bytes | None]

    def plan_install(self, receipt: Receipt | None) -> FileChange:
        before = read_content(self.path)
        result = self.insert(before, receipt)
        folders = missing_folders(self.path) if before is None else receipt.folders if receipt else ()
        return FileChange(
            self.path, before, result.content, result.receipt and result.receipt._replace(folders=folders)
        )

    def plan_removal(self, receipt: Receipt | None) -> FileChange:
        before = read_content(self.path)
        after = self.remove(before, receipt)
        return FileChange(self.path, before, after, receipt, receipt.folders if receipt else ())


def missing_folders(path: str) -> tuple[str, ...]:
    """Return the folders that have to be created for a file, innermost first."""
    folder = os.path.dirname(path)
    return () if os.path.lexists(folder) else (folder, *missing_folders(folder))


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


def unreadable_file(path: str, reason: str) -> RefusedError:
    return RefusedError(f"{path}: {reason}", "nothing was changed; mend that file, and try again")


# Targets of `tacit install`: shells and agents. Each has a module with a `TARGET`.


class InstallContext(Record):
    """What an installation depends on."""

    environment: Mapping[str, str]
    program: tuple[str, ...]  # the command that starts this program
    interpreter: str
    home: str
    is_home_explicit: bool = False  # else programs find the home themselves
    mcp: bool = False  # whether the MCP server is registered, too

    @property
    def user_folder(self) -> str:
        return self.environment.get("HOME") or os.path.expanduser("~")

    def config_folder(self, variable: str, default: str) -> str:
        """Return the folder that an environment variable names, else a folder in the user's home directory."""
        return self.environment.get(variable) or os.path.join(self.user_folder, default)

    @property
    def home_options(self) -> tuple[str, ...]:
        return ("--home", self.home) if self.is_home_explicit else ()

    @property
    def server_argv(self) -> list[str]:
        """The command of the MCP server."""
        return [*self.program, "mcp", *self.home_options]


class Target(Record):
    """A program that Tacit can be installed into. `warning` returns which setting keeps it from working, or ""."""

    name: str
    plan_install: Callable[[InstallContext], tuple[FileChange, ...]]
    plan_removal: Callable[[InstallContext], tuple[FileChange, ...]]
    next_step: str
    is_agent: bool = False
    warning: Callable[[InstallContext], str] = lambda _context: ""


# Our block of lines in a text file, and files that belong to Tacit as a whole


class BlockStates(Record):
    """The words for the state of a file before the block was added. The first marker line records it."""

    created: str = "created"
    empty: str = "empty"
    with_newline: str = "ended"
    without_newline: str = "unended"


_DEFAULT_STATES = BlockStates()


class BlockMarkers(Record):
    """The marker lines of a block. The first one is `opening`, the state of the file before, and `opening_end`.

    It is recognised by `opening`, and by `state_end` after the state. `command` has written the block. With
    `blank_line`, an empty line separates it from what is before it.
    """

    opening: str
    opening_end: str
    closing: str
    command: str
    removal_hint: str
    state_end: str = ") >>>"
    states: BlockStates = _DEFAULT_STATES
    blank_line: bool = False

    def gap(self, state: str) -> bytes:
        """Return what is put between a file in this state and the block."""
        line_end = b"\n" * (state == self.states.without_newline)
        is_separated = self.blank_line and state in (self.states.with_newline, self.states.without_newline)
        return line_end + b"\n" * is_separated


def install_markers(name: str) -> BlockMarkers:
    """Return the marker lines of `tacit install NAME`."""
    return BlockMarkers(
        f"# >>> tacit install {name} (",
        f") >>> taken out by: tacit uninstall {name}",
        f"# <<< tacit install {name} <<<",
        f"tacit install {name}",
        "take these lines out by hand, from “# >>> tacit” on",
    )


EXPORT_MARKERS = BlockMarkers(
    "<!-- >>> tacit export (",
    ") >>> taken out by: tacit export --as agents-md --remove -->",
    "<!-- <<< tacit export <<< -->",
    "tacit export",
    "take these lines out by hand, from “<!-- >>> tacit export” on",
)
WRAPPER_MARKERS = BlockMarkers(
    "<!-- tacit:begin ",
    " -->",
    "<!-- tacit:end -->",
    "tacit init --wrappers",
    "take these lines out by hand, from “<!-- tacit:begin” on",
    state_end=" -->",
    states=BlockStates(empty="first", with_newline="after"),
    blank_line=True,
)


def with_block(before: bytes | None, markers: BlockMarkers, lines: str) -> bytes:
    """Return the file with our block, updated in place or added at the end. RefusedError if a block has no end."""
    block = _find_block(before or b"", markers)
    states = markers.states
    if before is None:
        return _render_block(markers, states.created, lines)
    if block:
        return before[: block.start] + _render_block(markers, block.previous_state, lines) + before[block.end :]
    state = states.empty if not before else states.with_newline if before.endswith(b"\n") else states.without_newline
    return before + markers.gap(state) + _render_block(markers, state, lines)


def without_block(before: bytes | None, markers: BlockMarkers) -> bytes | None:
    """Return the file without our block and otherwise unchanged; None if nothing is left of a file that we created."""
    block = _find_block(before or b"", markers)
    if before is None or not block:
        return before
    head, tail = before[: block.start], before[block.end :]
    gap = markers.gap(block.previous_state)
    if block.previous_state == markers.states.without_newline and tail[:1] not in (b"", b"\n"):
        gap = gap[1:]  # lines that follow need the line feed
    head = head.removesuffix(gap)
    return None if block.previous_state == markers.states.created and not head + tail else head + tail


class _BlockSpan(Record):
    start: int
    end: int
    previous_state: str


def _find_block(content: bytes, markers: BlockMarkers) -> _BlockSpan | None:
    opening, state_end, closing = (text.encode() for text in (markers.opening, markers.state_end, markers.closing))
    position, block = 0, None
    for line in content.split(b"\n"):
        end = min(position + len(line) + 1, len(content))
        if block is None and line.startswith(opening) and state_end in line:
            state = line[len(opening) :].partition(state_end)[0].decode("ascii", "replace")
            block = _BlockSpan(position, end, state)
        elif block is not None and line == closing:
            return block._replace(end=end)
        position = end
    if block is not None:
        raise RefusedError(f"the lines of {markers.command} have no end any more", markers.removal_hint)
    return None


def _render_block(markers: BlockMarkers, previous_state: str, lines: str) -> bytes:
    opening = f"{markers.opening}{previous_state}{markers.opening_end}\n"
    return f"{opening}{lines}{markers.closing}\n".encode("utf-8", "surrogateescape")


# Files of our own. The first line of one says so; any other file belongs to somebody else.

_OWNER_MARK = b"tacit uninstall"


def owned_file(path: str, text: str, mark: bytes = _OWNER_MARK) -> ConfigFile:
    def remove(content: bytes | None, _receipt: Receipt | None) -> bytes | None:
        return None if content is None or mark in content.split(b"\n", 1)[0] else content

    def insert(content: bytes | None, _receipt: Receipt | None) -> InstallResult:
        if remove(content, None) is not None:
            raise RefusedError(f"{path} is there, and not from Tacit", "move it away, and try again")
        after = encode_text(path, text)
        return InstallResult(after, Receipt(path, content_hash(content), content_hash(after)))

    return ConfigFile(path, insert, remove)
