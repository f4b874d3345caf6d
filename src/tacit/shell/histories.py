"""Formats of shell histories: bash, zsh, fish and Atuin."""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import cache
from typing import BinaryIO

from tacit.disk.files import sqlite_address
from tacit.disk.read import has_tables, is_plain_beside, stop_late
from tacit.model.observation import UNKNOWN_STATUS
from tacit.record import Record
from tacit.text.display import clean

# What a history file yields: an entry for each command, or why something in it is none. Values only, never an error.
#
# A command is kept as it was typed, but for what nobody can type or print: bytes that are no UTF-8 and control
# characters become the replacement character. A line that is mostly such is no command, and one of more than 8,000
# characters is left out whole, because half a command is another command.

LONGEST = 8_000  # characters of a command
LONGEST_LINE = 65_536  # bytes: as many characters of four bytes, each of which zsh may have written as two
SECOND = 1_000_000  # times are whole microseconds since 1970
NO_TIME = 0
EARLIEST = 631_152_000 * SECOND  # 1990: what is older was written by a clock that had not been set
_AHEAD = 86_400 * SECOND

TOO_LONG = f"longer than {LONGEST:,} characters"
NOT_TEXT = "not text"
NO_ENTRY = "not part of an entry"
UNREADABLE = "damaged in the database"
BLANK_FIRST = "began with a blank"

_CHUNK = 1 << 18
_UNPRINTABLE = "[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]"
_REPLACED = "\ufffd"


class Entry(Record):
    """A command of a history. What a history does not tell is left at its default."""

    command: str
    at: int = NO_TIME
    milliseconds: int = 0
    status: int = UNKNOWN_STATUS
    directory: str = ""
    session: str = ""
    host: str = ""


class Unread(Record):
    """Something that is no command, and why. Hidden lines are the person's wish; the others could not be read."""

    reason: str

    @property
    def is_hidden(self) -> bool:
        return self.reason == BLANK_FIRST


Read = Entry | Unread


def text_of(raw: bytes) -> str | Unread:
    """The text of a command, or why it is none."""
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        text = raw.decode("utf-8", "replace")
    if not text.isprintable():
        text = _printable(text)
    if len(text) > LONGEST:
        return Unread(TOO_LONG)
    if _REPLACED in text and text.count(_REPLACED) * 3 > len(text):
        return Unread(NOT_TEXT)
    return Unread(BLANK_FIRST) if text[:1] in (" ", "\t") else text


def _printable(text: str) -> str:
    return _unprintable().sub(_REPLACED, text.rstrip("\r\n"))


@cache
def _unprintable() -> re.Pattern[str]:
    return re.compile(_UNPRINTABLE)


def is_possible(at: int, now: int) -> bool:
    """Whether a command can have run then: not before 1990, and not more than a day from now."""
    return EARLIEST <= at <= latest(now)


def latest(now: int) -> int:
    """No clock is so far ahead."""
    return now + _AHEAD


def lines(file: BinaryIO) -> Iterator[bytes | None]:
    """The lines of a stream without their line feed; nothing in the place of one that is too long to be held."""
    pending, skipping = b"", False
    while chunk := file.read(_CHUNK):
        pieces = (pending + chunk).split(b"\n")
        pending = pieces.pop()
        for piece in pieces:
            yield None if skipping or len(piece) > LONGEST_LINE else piece
            skipping = False
        if len(pending) > LONGEST_LINE:
            pending, skipping = b"", True
    if pending or skipping:
        yield None if skipping else pending


# The history of Atuin: a table of SQLite, which alone tells how a command ended, where it ran and in which session.
#
# It is opened so that nothing is written, neither to it nor beside it. Each row is read by itself: a damaged page or
# a value without end costs the rows that it holds. What Atuin took over from another history says so by the directory
# `unknown`, and its status and session are of no more worth.

_MAGIC = b"SQLite format 3\0"
_COLUMNS = ("command", "timestamp", "duration", "exit", "cwd", "session", "hostname")
_BY_TIME = "SELECT rowid FROM history ORDER BY timestamp, rowid"
_BY_ROW = "SELECT rowid FROM history ORDER BY rowid"
_TAKEN_OVER = "unknown"
_LONGEST_NAME = 4096
_LONGEST_RUN = 10**12  # milliseconds
_FARTHEST = 10**18 * 10  # nanoseconds that still fit into what is stored

Row = tuple[object, ...]


def looks_like_atuin(head: bytes) -> bool:
    return head.startswith(_MAGIC)


def read_atuin(file: BinaryIO) -> Iterator[Read]:
    """The stream is only asked for its name: SQLite opens files itself."""
    try:
        with closing(_opened(os.fsdecode(file.name))) as connection:
            yield from rows(connection)
    except (sqlite3.Error, UnicodeDecodeError):  # what SQLite says of a damaged file need not be text
        yield Unread(UNREADABLE)


def rows(connection: sqlite3.Connection) -> Iterator[Read]:
    """The commands in the order of their times; those that were deleted are gone."""
    known = {_name(row[1]) for row in connection.execute("PRAGMA table_info(history)")}
    if "command" not in known or not has_tables(connection, "history"):
        yield Unread(UNREADABLE)
        return
    ordered = connection.execute(_BY_TIME) if "timestamp" in known else connection.execute(_BY_ROW)
    for (row,) in ordered:
        try:
            yield from _entry(_row(connection.execute("SELECT * FROM history WHERE rowid = ?", (row,))))
        except sqlite3.DataError:
            yield Unread(TOO_LONG)
        except (sqlite3.Error, UnicodeDecodeError):
            yield Unread(UNREADABLE)


def _row(cursor: sqlite3.Cursor) -> Row | None:
    """The columns that we know, in our order; nothing for one that is missing, and for a row that was deleted."""
    values = cursor.fetchone()
    if values is None:
        return None
    named = dict(zip((column[0] for column in cursor.description), values, strict=True))
    return None if named.get("deleted_at") is not None else tuple(named.get(name) for name in _COLUMNS)


def _entry(row: Row | None) -> Iterator[Read]:
    if row is None:
        return
    command, at, took, status, directory, session, host = row
    if not isinstance(command, bytes):
        yield Unread(NOT_TEXT)
        return
    if not command.strip():
        return
    text = text_of(command)
    if isinstance(text, Unread):
        yield text
        return
    place = _name(directory)
    if place == _TAKEN_OVER:
        place, status, session = "", UNKNOWN_STATUS, None
    took_ms = min(max(_number(took), 0) // 1_000_000, _LONGEST_RUN)
    when = max(_number(at), 0) // 1000 or NO_TIME
    machine = _name(host).partition(":")[0]
    yield Entry(text, when, took_ms, _number(status, UNKNOWN_STATUS), place, _name(session)[:128], machine[:64])


def _number(value: object, otherwise: int = 0) -> int:
    return value if isinstance(value, int) and abs(value) < _FARTHEST else otherwise


def _name(value: object) -> str:
    """A path or a name; nothing where it is none."""
    if not isinstance(value, bytes) or len(value) > _LONGEST_NAME:
        return ""
    text = clean(value.decode("utf-8", "replace"))
    return text if text.isprintable() else ""


def _opened(path: str) -> sqlite3.Connection:
    """Without a write-ahead log the file is all there is, and SQLite need not put anything beside it."""
    alone = "" if _has_more(path) else "&immutable=1"
    connection = sqlite3.connect(sqlite_address(path, "ro") + alone, uri=True, timeout=5, isolation_level=None)
    connection.text_factory = bytes
    connection.execute("PRAGMA query_only = ON")
    connection.execute("PRAGMA trusted_schema = OFF")
    stop_late(connection)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_LINE * 4)
    return connection


def _has_more(path: str) -> bool:
    try:
        return is_plain_beside(path) and os.stat(path + "-wal").st_size > 0
    except OSError:
        return False


# The history of bash: a command a line, or `#` and seconds on a line and the command on the lines until the next.
#
# Bash writes times where HISTTIMEFORMAT is set. Nothing marks where it stopped to: of more lines behind one time than
# a command has, each is taken for a command, the first with that time and the others without.

_TIME = re.compile(rb"#(\d{1,18})\r?\Z")
_MOST_LINES = 200


def looks_like_bash(head: bytes) -> bool:
    return re.search(rb"^#\d{9,11}\r?$", head, re.MULTILINE) is not None


def read_bash(file: BinaryIO) -> Iterator[Read]:
    at, timed, held, size = NO_TIME, False, list[bytes](), 0
    for line in lines(file):
        if line is None:
            yield Unread(TOO_LONG)
            continue
        found = _TIME.match(line) if line[:1] == b"#" else None
        if found:
            yield from _bash_entry(b"\n".join(held), at)
            at, timed, held, size = int(found[1]) * SECOND, True, [], 0
        elif not timed:
            yield from _bash_entry(line, NO_TIME)
        else:
            held.append(line)
            size += len(line) + 1
            if len(held) > _MOST_LINES or size > LONGEST * 4:
                yield from _one_by_one(held, at)
                timed, held = False, []
    yield from _bash_entry(b"\n".join(held), at)


def _one_by_one(held: list[bytes], at: int) -> Iterator[Read]:
    for line in held:
        yield from _bash_entry(line, at)
        at = NO_TIME


def _bash_entry(raw: bytes, at: int) -> Iterator[Read]:
    if not raw.strip():
        return
    text = text_of(raw)
    yield text if isinstance(text, Unread) else Entry(text, at)


# The history of fish: almost YAML, and read as fish reads it. A line break is written `\n`, a backslash `\\`.
#
# - cmd: git status
#   when: 1700000000
#   paths:
#     - README.md

_COMMAND = b"- cmd: "
_WHEN = re.compile(rb"  when: (\d{1,18})\r?\Z")
_OF_ENTRY = (b"  ", b"\t")
_ESCAPE = re.compile(rb"\\([\\n])")
_MEANT = {b"n": b"\n", b"\\": b"\\"}


def looks_like_fish(head: bytes) -> bool:
    return head.startswith(_COMMAND) or b"\n" + _COMMAND in head


def read_fish(file: BinaryIO) -> Iterator[Read]:
    held: bytes | None = None
    at, inside = NO_TIME, False
    for line in lines(file):
        if line is None:
            yield Unread(TOO_LONG)
        elif line.startswith(_COMMAND):
            yield from _fish_entry(held, at)
            held, at, inside = line[len(_COMMAND) :], NO_TIME, True
        elif inside and line.startswith(_OF_ENTRY):
            found = _WHEN.match(line)
            at = int(found[1]) * SECOND if found else at
        elif line.strip():
            yield Unread(NO_ENTRY)
    yield from _fish_entry(held, at)


def _fish_entry(raw: bytes | None, at: int) -> Iterator[Read]:
    if raw is None or not raw.strip():
        return
    text = text_of(_ESCAPE.sub(lambda escape: _MEANT[escape[1]], raw))
    yield text if isinstance(text, Unread) else Entry(text, at)


# The history of zsh: a command a line, plain or extended as `: SECONDS:DURATION;COMMAND`.
#
# A line break inside a command has a backslash before it. Some bytes, among them parts of many letters, are
# *metafied*: written as 0x83 and the byte with its sixth bit turned. A command that ends in a backslash has a blank
# behind it.

_HEAD = re.compile(rb": {0,10}(\d{1,18}):(\d{1,18});")
# Nearly all lines: printable, of one byte a letter, with neither a blank before nor a blank or backslash behind.
_ORDINARY = re.compile(rb": (\d{1,12}):(\d{1,6});([!-~](?:[ -~]*[!-\[\]-~])?)")
_META = re.compile(rb"\x83(.)", re.DOTALL)
_BACKSLASHED_END = re.compile(rb"\\ +\Z")


def looks_like_zsh(head: bytes) -> bool:
    return re.search(rb"^: \d{9,11}:\d{1,9};", head, re.MULTILINE) is not None


def read_zsh(file: BinaryIO) -> Iterator[Read]:
    ordinary, made = _ORDINARY.fullmatch, tuple.__new__
    held = _Held()
    for line in lines(file):
        if line and not held.waits and (found := ordinary(line)) and len(line) < LONGEST:
            at, seconds, command = found.groups()
            told = (str(command, "ascii"), int(at) * SECOND, int(seconds) * 1000, UNKNOWN_STATUS, "", "", "")
            yield made(Entry, told)  # half of what the constructor with its defaults takes
        elif (whole := held.joined(line)) and (entry := _zsh_entry(whole)):
            yield entry
        elif held.was_too_long:
            yield Unread(TOO_LONG)
    if (whole := held.ended()) and (entry := _zsh_entry(whole)):
        yield entry


def _zsh_entry(line: bytes) -> Read | None:
    at, milliseconds = NO_TIME, 0
    found = _HEAD.match(line) if line[:1] == b":" else None
    if found:
        at, milliseconds = int(found[1]) * SECOND, min(int(found[2]) * 1000, _LONGEST_RUN)
        line = line[found.end() :]
    elif line[:2] == b"\\:":
        line = line[1:]
    if b"\x83" in line:
        line = _META.sub(lambda meta: bytes((meta[1][0] ^ 0x20,)), line)
    if line[-1:] == b" " and _BACKSLASHED_END.search(line):
        line = line[:-1]
    text = text_of(line)
    if isinstance(text, Unread):
        return text if line.strip() else None
    return Entry(text, at, milliseconds) if text.strip() else None


class _Held:
    """Lines that wait for what continues them. What grows too long is let go, and only its end is waited for."""

    def __init__(self) -> None:
        self.waits = self.was_too_long = False
        self._parts: list[bytes] = []
        self._size = 0

    def joined(self, line: bytes | None) -> bytes | None:
        """All of a command when this is its last line; nothing where there is more to come, or it was too long."""
        self.waits = line is not None and line[-1:] == b"\\"
        self._size += LONGEST_LINE + 1 if line is None else len(line)
        if self._size <= LONGEST_LINE:
            self._parts.append(line or b"")
        else:
            self._parts.clear()
        self.was_too_long = not self.waits and self._size > LONGEST_LINE
        return None if self.waits else self.ended()

    def ended(self) -> bytes | None:
        """What was held, a line break in the place of each backslash at the end of a line."""
        whole = b"\n".join([part[:-1] for part in self._parts[:-1]] + self._parts[-1:])
        self.waits, self._parts, self._size = False, [], 0
        return whole


# Histories that shells keep themselves. Each format is a file here with `looks_like` and `read`; this is the table.


class Format(Record):
    """How a history is read, and how it is known: by what it holds, or by a part of its name."""

    read: Callable[[BinaryIO], Iterator[Read]]
    looks_like: Callable[[bytes], bool]
    names: tuple[str, ...]


# In the order in which their histories are imported: what tells the most comes first.
FORMATS = {
    "atuin": Format(read_atuin, looks_like_atuin, ("atuin",)),
    "zsh": Format(read_zsh, looks_like_zsh, ("zsh", ".zhistory", ".histfile")),
    "fish": Format(read_fish, looks_like_fish, ("fish",)),
    "bash": Format(read_bash, looks_like_bash, ("bash",)),
}


def shell_of(path: str, head: bytes) -> str | None:
    """Which shell wrote a file: told by what it holds, else by what it is called."""
    name = os.path.basename(path).lower()
    held = (shell for shell, known in FORMATS.items() if known.looks_like(head))
    called = (shell for shell, known in FORMATS.items() if any(part in name for part in known.names))
    return next(held, None) or next(called, None)
