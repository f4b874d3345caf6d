"""The merge driver for fact files: a line in a repository's `.gitattributes`, and a command in the clone's settings.

The line is tracked and names the driver; the command is not, because git runs no command that a repository brings. If
the command cannot be run (Tacit was removed), it merges as git does without a driver, so that no side is lost.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence

from tacit.disk.files import OsDisk, remove_file, replace_file
from tacit.disk.git import run_git
from tacit.disk.read import read_foreign
from tacit.errors import RefusedError
from tacit.record import Record

ATTRIBUTE_FILE = ".gitattributes"
_PATTERN, _DRIVER = "docs/memory/memories.ndjson", "tacit-facts"
ATTRIBUTE_LINE = f"{_PATTERN} merge={_DRIVER}"
_COMMAND_KEY, _NAME_KEY = f"merge.{_DRIVER}.driver", f"merge.{_DRIVER}.name"
_SECTION = f"merge.{_DRIVER}"
_DESCRIPTION = "facts of Tacit, merged by id"
_FILE_MODE = 0o666  # less the umask


class DriverState(Record):
    """The merge driver in one clone.

    Attributes:
        attribute: the merge attribute that `.gitattributes` gives the fact file, "" if none.
        command: the command that this clone runs for it, "" if none.
    """

    attribute: str = ""
    command: str = ""

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

    If it fails without having written conflict markers, git's own merge of lines is used.
    """
    words = " ".join(map(shlex.quote, program)).replace("%", "%%")
    fallback = "git merge-file -L ours -L base -L theirs %A %O %B"
    return f'{words} merge-facts %O %A %B %L || {{ grep -q "^<<<<<<<" %A && exit 1; {fallback}; }}'


def merge_attribute(content: bytes | None) -> str:
    """Return the merge attribute of the fact file; "" if none. Only lines for this very path are looked at."""
    found = ""
    for line in (content or b"").decode("utf-8", "replace").splitlines():
        pattern, *attributes = line.split() or [""]
        if pattern.removeprefix("/") == _PATTERN:
            found = next((word[6:] for word in reversed(attributes) if word.startswith("merge=")), found)
    return found


def with_attribute(content: bytes | None) -> bytes:
    """Return `.gitattributes` with our line at its end; as it is if it has a driver for the fact file."""
    if merge_attribute(content):
        return content or b""
    before = content or b""
    end = b"\r\n" if b"\r\n" in before else b"\n"
    gap = end if before and not before.endswith(b"\n") else b""
    return before + gap + ATTRIBUTE_LINE.encode() + end


def without_attribute(content: bytes | None) -> bytes | None:
    """Return `.gitattributes` without our line; None if nothing is left."""
    lines = (content or b"").splitlines(keepends=True)
    return b"".join(line for line in lines if line.strip() != ATTRIBUTE_LINE.encode()) or None


# In a clone


def driver_state(root: str, environment: Mapping[str, str]) -> DriverState:
    """Return the state of a work tree. The settings are read only if the attributes name the driver."""
    file = read_foreign(os.path.join(root, ATTRIBUTE_FILE))
    attribute = merge_attribute(file.data if file else None)
    return DriverState(attribute, _git_setting(root, environment) if attribute == _DRIVER else "")


def register_driver(root: str, program: Sequence[str], environment: Mapping[str, str]) -> DriverChange:
    """Register the driver in a work tree and its repository. Registered twice, it changes nothing.

    Raise RefusedError if git refuses, or if `.gitattributes` is a link or no plain file.
    """
    command = driver_command(program)
    before = _read_attributes(root)
    is_new = _git_setting(root, environment) != command
    if is_new:
        _run_git(root, environment, "config", "--local", _NAME_KEY, _DESCRIPTION)
        _run_git(root, environment, "config", "--local", _COMMAND_KEY, command)
    after, attribute = with_attribute(before), merge_attribute(before)
    if after != before:
        _replace_attributes(root, after)
    return DriverChange(after != before, is_new, attribute if attribute != _DRIVER else "")


def remove_driver(root: str, environment: Mapping[str, str]) -> DriverChange:
    """Take out what `register_driver` added. Raise RefusedError as it does."""
    before = _read_attributes(root)
    has_command = bool(_git_setting(root, environment, "--local"))
    if has_command:
        _run_git(root, environment, "config", "--local", "--remove-section", _SECTION)
    after = without_attribute(before)
    is_changed = before is not None and merge_attribute(before) == _DRIVER and after != before
    if is_changed:
        _replace_attributes(root, after)
    return DriverChange(is_changed, has_command)


def _read_attributes(root: str) -> bytes | None:
    path = os.path.join(root, ATTRIBUTE_FILE)
    file = read_foreign(path)
    if file is None and os.path.lexists(path):
        raise RefusedError(f"{path} is no plain file; the merge driver is not registered", f"ls -l {shlex.quote(path)}")
    return file.data if file else None


def _replace_attributes(root: str, content: bytes | None) -> None:
    path = os.path.join(root, ATTRIBUTE_FILE)
    if content is None:
        remove_file(OsDisk(), path, root)
        return
    mode = os.lstat(path).st_mode & 0o777 if os.path.lexists(path) else _FILE_MODE
    replace_file(OsDisk(), path, content, mode, below=root)


def _git_setting(root: str, environment: Mapping[str, str], *options: str) -> str:
    done = run_git(root, environment, "config", *options, "--get", _COMMAND_KEY)
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
