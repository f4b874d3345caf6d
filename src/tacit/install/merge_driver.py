"""How git merges fact files: by a line in a repository's `.gitattributes`, and by a merge driver in each clone.

The line is tracked and asks for git's own `union`, so that lines which two branches added never conflict, whoever
merges them. A clone in which Tacit is used has the driver instead, which merges by id: its command and the line that
names it are in the clone's own settings, because git runs no command that a repository brings. If the command cannot be
run (Tacit was removed), it merges as `union` does.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence

from tacit.disk.files import OsDisk, remove_file, replace_file
from tacit.disk.read import read_foreign, run_git
from tacit.errors import RefusedError
from tacit.record import Record

ATTRIBUTE_FILE = ".gitattributes"
_PATTERN, _DRIVER = "docs/memory/memories.ndjson", "tacit-facts"
# With a slash, which tells it from a line of the person that says the same.
ATTRIBUTE_LINE = f"/{_PATTERN} merge=union"
_EARLIER_LINE = f"{_PATTERN} merge={_DRIVER}"  # of version 0.2 before; a clone without the driver had conflicts
_CLONE_FILE, _CLONE_LINE = "info/attributes", f"/{_PATTERN} merge={_DRIVER}"
_SECTION = f"merge.{_DRIVER}"
_COMMAND_KEY, _NAME_KEY = f"{_SECTION}.driver", f"{_SECTION}.name"
_AUTOMATIC_KEY = f"{_SECTION}.automatic"  # it came with the first fact, and goes with the last
AUTOMATIC_MARK = b"automatic = true"  # that key in git's file of settings
_DESCRIPTION = "facts of Tacit, merged by id"
_FILE_MODE = 0o666  # less the umask


class DriverState(Record):
    """The merge driver in one clone.

    Attributes:
        attribute: the merge attribute that `.gitattributes` gives the fact file, "" if none.
        command: the command that this clone runs for it, "" if none.
        is_automatic: whether it came with the first fact that was shared.
    """

    attribute: str = ""
    command: str = ""
    is_automatic: bool = False

    @property
    def is_named(self) -> bool:
        return self.attribute == _DRIVER

    @property
    def missing_program(self) -> str:
        """The program of the command if it does not exist, else ""."""
        try:
            program = shlex.split(self.command.replace("%%", "%"))[0]
        except (ValueError, IndexError):
            return ""
        return program if os.path.isabs(program) and not os.access(program, os.X_OK) else ""


class DriverChange(Record):
    """What was registered or taken out. `kept_attribute` is another driver that the person has chosen, or ""."""

    changed_attributes: bool = False
    changed_command: bool = False
    kept_attribute: str = ""

    @property
    def is_needed(self) -> bool:
        return self.changed_attributes or self.changed_command


def driver_command(program: Sequence[str]) -> str:
    """Return the command for git. `program` is the absolute path of an executable, and its first arguments.

    If it fails without having written conflict markers, git's own merge of lines is used, which keeps both sides.
    """
    words = " ".join(map(shlex.quote, program)).replace("%", "%%")
    fallback = "git merge-file --union -L ours -L base -L theirs %A %O %B"
    return f'{words} merge-facts %O %A %B %L || {{ grep -q "^<<<<<<<" %A && exit 1; {fallback}; }}'


def merge_attribute(content: bytes | None) -> str:
    """Return the merge attribute of the fact file; "" if none. Only lines for this very path are looked at."""
    found = ""
    for line in (content or b"").decode("utf-8", "replace").splitlines():
        pattern, *attributes = line.split() or [""]
        if pattern.removeprefix("/") == _PATTERN:
            found = next((word[6:] for word in reversed(attributes) if word.startswith("merge=")), found)
    return found


def with_attribute(content: bytes | None, line: str = ATTRIBUTE_LINE) -> bytes:
    """Return a file of attributes with `line` at its end; as it is if it has a driver for the fact file.

    The line of an earlier version is replaced where it is.
    """
    before = b"".join(
        text.replace(_EARLIER_LINE.encode(), line.encode()) if text.strip() == _EARLIER_LINE.encode() else text
        for text in (content or b"").splitlines(keepends=True)
    )
    if merge_attribute(before):
        return before
    end = b"\r\n" if b"\r\n" in before else b"\n"
    gap = end if before and not before.endswith(b"\n") else b""
    return before + gap + line.encode() + end


def without_attribute(content: bytes | None, line: str = ATTRIBUTE_LINE) -> bytes | None:
    """Return a file of attributes without `line`, or that of an earlier version; None if nothing is left."""
    ours = {line.encode(), _EARLIER_LINE.encode()}
    return b"".join(text for text in (content or b"").splitlines(keepends=True) if text.strip() not in ours) or None


# In a clone


def driver_state(root: str, environment: Mapping[str, str]) -> DriverState:
    """Return the state of a work tree. The settings are read only if the attributes name the driver."""
    file = read_foreign(os.path.join(root, ATTRIBUTE_FILE))
    clone_file = read_foreign(_clone_attributes(root, environment))
    attribute = merge_attribute(clone_file and clone_file.data) or merge_attribute(file and file.data)
    if attribute != _DRIVER:
        return DriverState(attribute)
    is_automatic = _git_setting(root, environment, _AUTOMATIC_KEY) == "true"
    return DriverState(attribute, _git_setting(root, environment, _COMMAND_KEY), is_automatic)


def register_driver(
    root: str,
    program: Sequence[str],
    environment: Mapping[str, str],
    *,
    is_tracked: bool = True,
    is_automatic: bool = False,
) -> DriverChange:
    """Register the driver in a work tree and its repository. Registered twice, it changes nothing.

    Without `is_tracked`, `.gitattributes` stays as it is. `is_automatic` marks what comes with the first fact. Raise
    RefusedError if git refuses, or if a file of attributes is a link or no plain file.
    """
    command, path = driver_command(program), os.path.join(root, ATTRIBUTE_FILE)
    before = _read_attributes(path)
    after, attribute = with_attribute(before), merge_attribute(before)
    kept = "" if merge_attribute(without_attribute(before)) == "" else attribute
    clone_path = _clone_attributes(root, environment)
    clone_before = _read_attributes(clone_path)
    is_new = _git_setting(root, environment, _COMMAND_KEY) != command
    if is_new:
        _run_git(root, environment, "config", "--local", _NAME_KEY, _DESCRIPTION)
        _run_git(root, environment, "config", "--local", _COMMAND_KEY, command)
        if is_automatic:
            _run_git(root, environment, "config", "--local", _AUTOMATIC_KEY, "true")
    if not kept:  # what the person chose for everybody holds here, too
        clone_after = with_attribute(clone_before, _CLONE_LINE)
        _replace_attributes(clone_path, clone_after, clone_before, below=_git_folder(clone_path))
    if is_tracked:
        _replace_attributes(path, after, before, below=root)
    return DriverChange(is_tracked and after != (before or b""), is_new, kept)


def remove_driver(root: str, environment: Mapping[str, str]) -> DriverChange:
    """Take out what `register_driver` added. Raise RefusedError as it does."""
    path, clone_path = os.path.join(root, ATTRIBUTE_FILE), _clone_attributes(root, environment)
    before, clone_before = _read_attributes(path), _read_attributes(clone_path)
    has_command = bool(_git_setting(root, environment, _COMMAND_KEY, "--local"))
    if has_command:
        _run_git(root, environment, "config", "--local", "--remove-section", _SECTION)
    clone_after = without_attribute(clone_before, _CLONE_LINE)
    _replace_attributes(clone_path, clone_after, clone_before, below=_git_folder(clone_path))
    after = without_attribute(before)
    _replace_attributes(path, after, before, below=root)
    return DriverChange(after != before, has_command)


def _clone_attributes(root: str, environment: Mapping[str, str]) -> str:
    """Return the path of the attributes that hold in this clone alone, and before all others."""
    done = run_git(root, environment, "rev-parse", "--git-path", _CLONE_FILE)
    name = done.stdout.removesuffix("\n") if done and done.returncode == 0 else os.path.join(".git", _CLONE_FILE)
    return os.path.join(root, name)


def _git_folder(clone_attributes: str) -> str:
    return os.path.dirname(os.path.dirname(clone_attributes))


def _read_attributes(path: str) -> bytes | None:
    file = read_foreign(path)
    if file is None and os.path.lexists(path):
        raise RefusedError(f"{path} is no plain file; the merge driver is not registered", f"ls -l {shlex.quote(path)}")
    return file.data if file else None


def _replace_attributes(path: str, content: bytes | None, before: bytes | None, *, below: str) -> None:
    """Write a file of attributes, or remove it if nothing is left. No link below `below` is followed."""
    if content == before:
        return
    if content is None:
        remove_file(OsDisk(), path, below)
        return
    mode = os.lstat(path).st_mode & 0o777 if os.path.lexists(path) else _FILE_MODE
    replace_file(OsDisk(), path, content, mode, below=below)


def _git_setting(root: str, environment: Mapping[str, str], key: str, *options: str) -> str:
    done = run_git(root, environment, "config", *options, "--get", key)
    return done.stdout.removesuffix("\n") if done and done.returncode == 0 else ""


def _run_git(root: str, environment: Mapping[str, str], *words: str) -> None:
    done = run_git(root, environment, *words)
    if done is None:
        raise RefusedError("git cannot be started; the merge driver is not registered", "install git, and try again")
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or ["it gave no reason"]
        raise RefusedError(
            f"git did not change its settings: {lines[0]}", f"git -C {shlex.quote(root)} {shlex.join(words)}"
        )
