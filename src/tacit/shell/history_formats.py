"""Formats of shell histories: bash, zsh, fish and Atuin."""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import cache
from typing import BinaryIO

from tacit.disk.files import sqlite_uri
from tacit.disk.read import has_plain_sidecars, has_tables, set_query_timeout
from tacit.model.observation import UNKNOWN_STATUS
from tacit.record import Record
from tacit.text.display import clean

# What a history file yields: an entry for each command, or why something in it is none. Values only, never an error.
#
# A command is kept as it was typed, but for what nobody can type or print: bytes that are no UTF-8 and control
# characters become the replacement character. A line that is mostly such is no command, and one of more than 8,000
# characters is left out whole, because half a command is another command.

MAX_COMMAND_CHARS = 8_000  # characters of a command
MAX_LINE_BYTES = 65_536  # bytes: as many characters of four bytes, each of which zsh may have written as two
SECOND = 1_000_000  # times are whole microseconds since 1970
NO_TIME = 0
EARLIEST_TIME = 631_152_000 * SECOND  # 1990: what is older was written by a clock that had not been set
_MAX_CLOCK_AHEAD = 86_400 * SECOND

TOO_LONG = f"longer than {MAX_COMMAND_CHARS:,} characters"
NOT_TEXT = "not text"
NOT_IN_ENTRY = "not part of an entry"
UNREADABLE = "damaged in the database"
LEADING_BLANK = "began with a blank"

_CHUNK_BYTES = 1 << 18
_UNPRINTABLE = "[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]"
_REPLACEMENT = "\ufffd"


class HistoryEntry(Record):
    """A command of a history. What a history does not tell is left at its default."""

    command: str
    at: int = NO_TIME
    milliseconds: int = 0
    status: int = UNKNOWN_STATUS
    directory: str = ""
    session: str = ""
    host: str = ""


class SkippedEntry(Record):
    """Something that is no command, and why. Hidden lines are the person's wish; the others could not be read."""

    reason: str

    @property
    def is_hidden(self) -> bool:
        return self.reason == LEADING_BLANK


HistoryItem = HistoryEntry | SkippedEntry


def decode_command(raw: bytes) -> str | SkippedEntry:
    """The text of a command, or why it is none."""
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        text = raw.decode("utf-8", "replace")
    if not text.isprintable():
        text = _replace_unprintable(text)
    if len(text) > MAX_COMMAND_CHARS:
        return SkippedEntry(TOO_LONG)
    if _REPLACEMENT in text and text.count(_REPLACEMENT) * 3 > len(text):
        return SkippedEntry(NOT_TEXT)
    return SkippedEntry(LEADING_BLANK) if text[:1] in (" ", "\t") else text


def _replace_unprintable(text: str) -> str:
    return _unprintable_pattern().sub(_REPLACEMENT, text.rstrip("\r\n"))


@cache
def _unprintable_pattern() -> re.Pattern[str]:
    return re.compile(_UNPRINTABLE)


def is_plausible_time(at: int, now: int) -> bool:
    """Whether a command can have run then: not before 1990, and not more than a day from now."""
    return EARLIEST_TIME <= at <= latest_time(now)


def latest_time(now: int) -> int:
    """No clock is so far ahead."""
    return now + _MAX_CLOCK_AHEAD


def history_file_lines(file: BinaryIO) -> Iterator[bytes | None]:
    """The lines of a stream without their line feed; nothing in the place of one that is too long to be held."""
    pending, skipping = b"", False
    while chunk := file.read(_CHUNK_BYTES):
        pieces = (pending + chunk).split(b"\n")
        pending = pieces.pop()
        for piece in pieces:
            yield None if skipping or len(piece) > MAX_LINE_BYTES else piece
            skipping = False
        if len(pending) > MAX_LINE_BYTES:
            pending, skipping = b"", True
    if pending or skipping:
        yield None if skipping else pending


# The history of Atuin: a table of SQLite, which alone tells how a command ended, where it ran and in which session.
#
# It is opened so that nothing is written, neither to it nor beside it. Each row is read by itself: a damaged page or
# a value without end costs the rows that it holds. What Atuin took over from another history says so by the directory
# `unknown`, and its status and session are of no more worth.

_SQLITE_MAGIC = b"SQLite format 3\0"
_COLUMNS = ("command", "timestamp", "duration", "exit", "cwd", "session", "hostname")
_SELECT_BY_TIME = "SELECT rowid FROM history ORDER BY timestamp, rowid"
_SELECT_BY_ROWID = "SELECT rowid FROM history ORDER BY rowid"
_IMPORTED_DIRECTORY = "unknown"
_MAX_NAME_BYTES = 4096
_MAX_DURATION_MILLISECONDS = 10**12  # milliseconds
_MAX_NANOSECONDS = 10**18 * 10  # nanoseconds that still fit into what is stored

AtuinRow = tuple[object, ...]


def looks_like_atuin(head: bytes) -> bool:
    return head.startswith(_SQLITE_MAGIC)


def read_atuin(file: BinaryIO) -> Iterator[HistoryItem]:
    """The stream is only asked for its name: SQLite opens files itself."""
    try:
        with closing(_open_atuin(os.fsdecode(file.name))) as connection:
            yield from read_atuin_rows(connection)
    except (sqlite3.Error, UnicodeDecodeError):  # what SQLite says of a damaged file need not be text
        yield SkippedEntry(UNREADABLE)


def read_atuin_rows(connection: sqlite3.Connection) -> Iterator[HistoryItem]:
    """The commands in the order of their times; those that were deleted are gone."""
    known = {_decode_name(row[1]) for row in connection.execute("PRAGMA table_info(history)")}
    if "command" not in known or not has_tables(connection, "history"):
        yield SkippedEntry(UNREADABLE)
        return
    ordered = connection.execute(_SELECT_BY_TIME) if "timestamp" in known else connection.execute(_SELECT_BY_ROWID)
    for (row,) in ordered:
        try:
            yield from _atuin_entry(_known_columns(connection.execute("SELECT * FROM history WHERE rowid = ?", (row,))))
        except sqlite3.DataError:
            yield SkippedEntry(TOO_LONG)
        except (sqlite3.Error, UnicodeDecodeError):
            yield SkippedEntry(UNREADABLE)


def _known_columns(cursor: sqlite3.Cursor) -> AtuinRow | None:
    """The columns that we know, in our order; nothing for one that is missing, and for a row that was deleted."""
    values = cursor.fetchone()
    if values is None:
        return None
    named = dict(zip((column[0] for column in cursor.description), values, strict=True))
    return None if named.get("deleted_at") is not None else tuple(named.get(name) for name in _COLUMNS)


def _atuin_entry(row: AtuinRow | None) -> Iterator[HistoryItem]:
    if row is None:
        return
    command, at, took, status, directory, session, host = row
    if not isinstance(command, bytes):
        yield SkippedEntry(NOT_TEXT)
        return
    if not command.strip():
        return
    text = decode_command(command)
    if isinstance(text, SkippedEntry):
        yield text
        return
    place = _decode_name(directory)
    if place == _IMPORTED_DIRECTORY:
        place, status, session = "", UNKNOWN_STATUS, None
    took_ms = min(max(_integer(took), 0) // 1_000_000, _MAX_DURATION_MILLISECONDS)
    when = max(_integer(at), 0) // 1000 or NO_TIME
    machine = _decode_name(host).partition(":")[0]
    yield HistoryEntry(
        text, when, took_ms, _integer(status, UNKNOWN_STATUS), place, _decode_name(session)[:128], machine[:64]
    )


def _integer(value: object, otherwise: int = 0) -> int:
    return value if isinstance(value, int) and abs(value) < _MAX_NANOSECONDS else otherwise


def _decode_name(value: object) -> str:
    """A path or a name; nothing where it is none."""
    if not isinstance(value, bytes) or len(value) > _MAX_NAME_BYTES:
        return ""
    text = clean(value.decode("utf-8", "replace"))
    return text if text.isprintable() else ""


def _open_atuin(path: str) -> sqlite3.Connection:
    """Without a write-ahead log the file is all there is, and SQLite need not put anything beside it."""
    alone = "" if _has_wal(path) else "&immutable=1"
    connection = sqlite3.connect(sqlite_uri(path, "ro") + alone, uri=True, timeout=5, isolation_level=None)
    connection.text_factory = bytes
    connection.execute("PRAGMA query_only = ON")
    connection.execute("PRAGMA trusted_schema = OFF")
    set_query_timeout(connection)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_LINE_BYTES * 4)
    return connection


def _has_wal(path: str) -> bool:
    try:
        return has_plain_sidecars(path) and os.stat(path + "-wal").st_size > 0
    except OSError:
        return False


# The history of bash: a command a line, or `#` and seconds on a line and the command on the lines until the next.
#
# Bash writes times where HISTTIMEFORMAT is set. Nothing marks where it stopped to: of more lines behind one time than
# a command has, each is taken for a command, the first with that time and the others without.

_BASH_TIMESTAMP = re.compile(rb"#(\d{1,18})\r?\Z")
_MAX_COMMAND_LINES = 200


def looks_like_bash(head: bytes) -> bool:
    return re.search(rb"^#\d{9,11}\r?$", head, re.MULTILINE) is not None


def read_bash(file: BinaryIO) -> Iterator[HistoryItem]:
    at, timed, held, size = NO_TIME, False, list[bytes](), 0
    for line in history_file_lines(file):
        if line is None:
            yield SkippedEntry(TOO_LONG)
            continue
        found = _BASH_TIMESTAMP.match(line) if line[:1] == b"#" else None
        if found:
            yield from _bash_entry(b"\n".join(held), at)
            at, timed, held, size = int(found[1]) * SECOND, True, [], 0
        elif not timed:
            yield from _bash_entry(line, NO_TIME)
        else:
            held.append(line)
            size += len(line) + 1
            if len(held) > _MAX_COMMAND_LINES or size > MAX_COMMAND_CHARS * 4:
                yield from _bash_entry_per_line(held, at)
                timed, held = False, []
    yield from _bash_entry(b"\n".join(held), at)


def _bash_entry_per_line(held: list[bytes], at: int) -> Iterator[HistoryItem]:
    for line in held:
        yield from _bash_entry(line, at)
        at = NO_TIME


def _bash_entry(raw: bytes, at: int) -> Iterator[HistoryItem]:
    if not raw.strip():
        return
    text = decode_command(raw)
    yield text if isinstance(text, SkippedEntry) else HistoryEntry(text, at)


# The history of fish: almost YAML, and read as fish reads it. A line break is written `\n`, a backslash `\\`.
#
# - cmd: git status
#   when: 1700000000
#   paths:
#     - README.md

_FISH_COMMAND = b"- cmd: "
_FISH_TIMESTAMP = re.compile(rb"  when: (\d{1,18})\r?\Z")
_FISH_INDENTS = (b"  ", b"\t")
_FISH_ESCAPE = re.compile(rb"\\([\\n])")
_FISH_UNESCAPED = {b"n": b"\n", b"\\": b"\\"}


def looks_like_fish(head: bytes) -> bool:
    return head.startswith(_FISH_COMMAND) or b"\n" + _FISH_COMMAND in head


def read_fish(file: BinaryIO) -> Iterator[HistoryItem]:
    held: bytes | None = None
    at, inside = NO_TIME, False
    for line in history_file_lines(file):
        if line is None:
            yield SkippedEntry(TOO_LONG)
        elif line.startswith(_FISH_COMMAND):
            yield from _fish_entry(held, at)
            held, at, inside = line[len(_FISH_COMMAND) :], NO_TIME, True
        elif inside and line.startswith(_FISH_INDENTS):
            found = _FISH_TIMESTAMP.match(line)
            at = int(found[1]) * SECOND if found else at
        elif line.strip():
            yield SkippedEntry(NOT_IN_ENTRY)
    yield from _fish_entry(held, at)


def _fish_entry(raw: bytes | None, at: int) -> Iterator[HistoryItem]:
    if raw is None or not raw.strip():
        return
    text = decode_command(_FISH_ESCAPE.sub(lambda escape: _FISH_UNESCAPED[escape[1]], raw))
    yield text if isinstance(text, SkippedEntry) else HistoryEntry(text, at)


# The history of zsh: a command a line, plain or extended as `: SECONDS:DURATION;COMMAND`.
#
# A line break inside a command has a backslash before it. Some bytes, among them parts of many letters, are
# *metafied*: written as 0x83 and the byte with its sixth bit turned. A command that ends in a backslash has a blank
# behind it.

_ZSH_HEADER = re.compile(rb": {0,10}(\d{1,18}):(\d{1,18});")
# Nearly all lines: printable, of one byte a letter, with neither a blank before nor a blank or backslash behind.
_ZSH_ORDINARY_LINE = re.compile(rb": (\d{1,12}):(\d{1,6});([!-~](?:[ -~]*[!-\[\]-~])?)")
_ZSH_META = re.compile(rb"\x83(.)", re.DOTALL)
_ZSH_BACKSLASH_END = re.compile(rb"\\ +\Z")


def looks_like_zsh(head: bytes) -> bool:
    return re.search(rb"^: \d{9,11}:\d{1,9};", head, re.MULTILINE) is not None


def read_zsh(file: BinaryIO) -> Iterator[HistoryItem]:
    ordinary, made = _ZSH_ORDINARY_LINE.fullmatch, tuple.__new__
    held = _LineJoiner()
    for line in history_file_lines(file):
        if line and not held.is_waiting and (found := ordinary(line)) and len(line) < MAX_COMMAND_CHARS:
            at, seconds, command = found.groups()
            told = (str(command, "ascii"), int(at) * SECOND, int(seconds) * 1000, UNKNOWN_STATUS, "", "", "")
            yield made(HistoryEntry, told)  # half of what the constructor with its defaults takes
        elif (whole := held.add_line(line)) and (entry := _zsh_entry(whole)):
            yield entry
        elif held.was_too_long:
            yield SkippedEntry(TOO_LONG)
    if (whole := held.finish()) and (entry := _zsh_entry(whole)):
        yield entry


def _zsh_entry(line: bytes) -> HistoryItem | None:
    at, milliseconds = NO_TIME, 0
    found = _ZSH_HEADER.match(line) if line[:1] == b":" else None
    if found:
        at, milliseconds = int(found[1]) * SECOND, min(int(found[2]) * 1000, _MAX_DURATION_MILLISECONDS)
        line = line[found.end() :]
    elif line[:2] == b"\\:":
        line = line[1:]
    if b"\x83" in line:
        line = _ZSH_META.sub(lambda meta: bytes((meta[1][0] ^ 0x20,)), line)
    if line[-1:] == b" " and _ZSH_BACKSLASH_END.search(line):
        line = line[:-1]
    text = decode_command(line)
    if isinstance(text, SkippedEntry):
        return text if line.strip() else None
    return HistoryEntry(text, at, milliseconds) if text.strip() else None


class _LineJoiner:
    """Lines that wait for what continues them. What grows too long is let go, and only its end is waited for."""

    def __init__(self) -> None:
        self.is_waiting = self.was_too_long = False
        self._parts: list[bytes] = []
        self._size = 0

    def add_line(self, line: bytes | None) -> bytes | None:
        """All of a command when this is its last line; nothing where there is more to come, or it was too long."""
        self.is_waiting = line is not None and line[-1:] == b"\\"
        self._size += MAX_LINE_BYTES + 1 if line is None else len(line)
        if self._size <= MAX_LINE_BYTES:
            self._parts.append(line or b"")
        else:
            self._parts.clear()
        self.was_too_long = not self.is_waiting and self._size > MAX_LINE_BYTES
        return None if self.is_waiting else self.finish()

    def finish(self) -> bytes | None:
        """What was held, a line break in the place of each backslash at the end of a line."""
        whole = b"\n".join([part[:-1] for part in self._parts[:-1]] + self._parts[-1:])
        self.is_waiting, self._parts, self._size = False, [], 0
        return whole


# Histories that shells keep themselves. Each format is a file here with `looks_like` and `read`; this is the table.


class HistoryFormat(Record):
    """How a history is read, and how it is known: by what it holds, or by a part of its name."""

    read: Callable[[BinaryIO], Iterator[HistoryItem]]
    looks_like: Callable[[bytes], bool]
    name_parts: tuple[str, ...]


# In the order in which their histories are imported: what tells the most comes first.
FORMATS = {
    "atuin": HistoryFormat(read_atuin, looks_like_atuin, ("atuin",)),
    "zsh": HistoryFormat(read_zsh, looks_like_zsh, ("zsh", ".zhistory", ".histfile")),
    "fish": HistoryFormat(read_fish, looks_like_fish, ("fish",)),
    "bash": HistoryFormat(read_bash, looks_like_bash, ("bash",)),
}


def detect_shell(path: str, head: bytes) -> str | None:
    """Which shell wrote a file: told by what it holds, else by what it is called."""
    name = os.path.basename(path).lower()
    held = (shell for shell, known in FORMATS.items() if known.looks_like(head))
    called = (shell for shell, known in FORMATS.items() if any(part in name for part in known.name_parts))
    return next(held, None) or next(called, None)
