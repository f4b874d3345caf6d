"""Formats of shell histories: bash, zsh, fish and Atuin."""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, suppress

from tacit.disk.read import has_tables, open_foreign_database
from tacit.model.observation import UNKNOWN_STATUS
from tacit.record import Record
from tacit.text.display import clean

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import BinaryIO


# Entries
#
# A command is stored as it was typed, except that bytes that are not UTF-8 and control characters become the
# replacement character. A line that consists mostly of these is not a command. A command of more than 8,000 characters
# is skipped, because half a command is another command.

MAX_COMMAND_CHARS = 8_000
MAX_LINE_BYTES = 65_536  # so many characters of four bytes, each of which zsh may write as two
SECOND = 1_000_000  # times are whole microseconds since 1970
NO_TIME = 0
EARLIEST_TIME = 631_152_000 * SECOND  # 1990; earlier times come from a clock that was not set
_MAX_CLOCK_AHEAD = 86_400 * SECOND

TOO_LONG = f"longer than {MAX_COMMAND_CHARS:,} characters"
NOT_TEXT = "not text"
NOT_IN_ENTRY = "not part of an entry"
UNREADABLE = "damaged in the database"
LEADING_BLANK = "began with a blank"

_CHUNK_BYTES = 1 << 18
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_REPLACEMENT = "\ufffd"


class HistoryEntry(Record):
    """A command of a history. Fields that the history does not have keep their defaults."""

    command: str
    at: int = NO_TIME
    milliseconds: int = 0
    status: int = UNKNOWN_STATUS
    directory: str = ""
    session: str = ""
    host: str = ""


class SkippedEntry(Record):
    """Why something is not a command: the person hid it (`is_hidden`), or it cannot be read."""

    reason: str

    @property
    def is_hidden(self) -> bool:
        return self.reason == LEADING_BLANK


HistoryItem = HistoryEntry | SkippedEntry


def decode_command(raw: bytes) -> str | SkippedEntry:
    """Return the text of a command, or why it is skipped."""
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        text = raw.decode("utf-8", "replace")
    if not text.isprintable():
        text = _UNPRINTABLE.sub(_REPLACEMENT, text.rstrip("\r\n"))
    if len(text) > MAX_COMMAND_CHARS:
        return SkippedEntry(TOO_LONG)
    if _REPLACEMENT in text and text.count(_REPLACEMENT) * 3 > len(text):
        return SkippedEntry(NOT_TEXT)
    return SkippedEntry(LEADING_BLANK) if text[:1] in (" ", "\t") else text


def _entries(raw: bytes, at: int) -> Iterator[HistoryItem]:
    """Yield the entry of a command, unless it is blank."""
    if raw.strip():
        text = decode_command(raw)
        yield text if isinstance(text, SkippedEntry) else HistoryEntry(text, at)


def is_plausible_time(at: int, now: int) -> bool:
    """Whether a command can have run then: not before 1990 and at most a day after now."""
    return EARLIEST_TIME <= at <= latest_time(now)


def latest_time(now: int) -> int:
    """Return the time after which a clock must be wrong."""
    return now + _MAX_CLOCK_AHEAD


def history_file_lines(file: BinaryIO) -> Iterator[bytes | None]:
    """Yield the lines of a stream without their line feed, None instead of a line over MAX_LINE_BYTES."""
    pending, is_too_long = b"", False
    while chunk := file.read(_CHUNK_BYTES):
        pieces = (pending + chunk).split(b"\n")
        pending = pieces.pop()
        for piece in pieces:
            yield None if is_too_long or len(piece) > MAX_LINE_BYTES else piece
            is_too_long = False
        if len(pending) > MAX_LINE_BYTES:
            pending, is_too_long = b"", True
    if pending or is_too_long:
        yield None if is_too_long else pending


# Atuin: a table of SQLite. Only this history has exit status, directory and session of a command.
#
# The database is opened so that nothing is written, neither to it nor beside it. Each row is read separately: a damaged
# page or an oversized value costs only the rows in it. Rows that Atuin imported from another history have the directory
# `unknown`; their status and session are not real either.

_SELECT_BY_TIME = "SELECT rowid FROM history ORDER BY timestamp, rowid"
_SELECT_BY_ROWID = "SELECT rowid FROM history ORDER BY rowid"
_IMPORTED_DIRECTORY = "unknown"
_MAX_NAME_BYTES = 4096
_MAX_DURATION_MILLISECONDS = 10**12
_MAX_NANOSECONDS = 10**18 * 10  # larger numbers do not fit into what is stored


def read_atuin(file: BinaryIO) -> Iterator[HistoryItem]:
    """Yield the commands of a database. Only the name of the stream is used, because SQLite opens files itself."""
    try:
        path = os.fsdecode(file.name)
        is_in_use = False
        with suppress(OSError):  # without a write-ahead log
            is_in_use = os.path.getsize(f"{path}-wal") > 0
        with closing(open_foreign_database(path, MAX_LINE_BYTES * 4, is_in_use=is_in_use)) as connection:
            connection.text_factory = bytes
            yield from read_atuin_rows(connection)
    except (sqlite3.Error, UnicodeDecodeError):  # SQLite's message about a damaged file may not be UTF-8
        yield SkippedEntry(UNREADABLE)


def read_atuin_rows(connection: sqlite3.Connection) -> Iterator[HistoryItem]:
    """Yield the commands that were not deleted, by time."""
    columns = {_decode_name(column[1]) for column in connection.execute("PRAGMA table_info(history)")}
    if "command" not in columns or not has_tables(connection, "history"):
        yield SkippedEntry(UNREADABLE)
        return
    for (rowid,) in connection.execute(_SELECT_BY_TIME if "timestamp" in columns else _SELECT_BY_ROWID):
        try:
            cursor = connection.execute("SELECT * FROM history WHERE rowid = ?", (rowid,))
            names = [column[0] for column in cursor.description]
            yield from _atuin_entries(dict(zip(names, cursor.fetchone() or (), strict=False)))
        except sqlite3.DataError:
            yield SkippedEntry(TOO_LONG)
        except (sqlite3.Error, UnicodeDecodeError):
            yield SkippedEntry(UNREADABLE)


def _atuin_entries(row: dict[str, object]) -> Iterator[HistoryItem]:
    """Yield the entry of a row. A row that was deleted has none; a column that is missing has no value."""
    command = row.get("command")
    if not row or row.get("deleted_at") is not None or (isinstance(command, bytes) and not command.strip()):
        return
    text = decode_command(command) if isinstance(command, bytes) else SkippedEntry(NOT_TEXT)
    if isinstance(text, SkippedEntry):
        yield text
        return
    directory = _decode_name(row.get("cwd"))
    is_imported = directory == _IMPORTED_DIRECTORY
    yield HistoryEntry(
        text,
        max(_integer(row.get("timestamp")), 0) // 1000 or NO_TIME,
        min(max(_integer(row.get("duration")), 0) // 1_000_000, _MAX_DURATION_MILLISECONDS),
        UNKNOWN_STATUS if is_imported else _integer(row.get("exit"), UNKNOWN_STATUS),
        "" if is_imported else directory,
        "" if is_imported else _decode_name(row.get("session"))[:128],
        _decode_name(row.get("hostname")).partition(":")[0][:64],
    )


def _integer(value: object, default: int = 0) -> int:
    return value if isinstance(value, int) and abs(value) < _MAX_NANOSECONDS else default


def _decode_name(value: object) -> str:
    """Return a path or a name, "" if the value is not one."""
    if not isinstance(value, bytes) or len(value) > _MAX_NAME_BYTES:
        return ""
    text = clean(value.decode("utf-8", "replace"))
    return text if text.isprintable() else ""


# bash: one command per line, or a line `#SECONDS` followed by the lines of a command
#
# Bash writes times if HISTTIMEFORMAT is set. Nothing marks where it stopped doing so. If more lines follow a time than
# a command can have, each line is taken for a command, the first one with that time.

_BASH_TIMESTAMP = re.compile(rb"#(\d{1,18})\r?\Z")
_MAX_COMMAND_LINES = 200


def read_bash(file: BinaryIO) -> Iterator[HistoryItem]:
    at, is_timed, lines, size = NO_TIME, False, list[bytes](), 0
    for line in history_file_lines(file):
        if line is None:
            yield SkippedEntry(TOO_LONG)
            continue
        timestamp = _BASH_TIMESTAMP.match(line) if line[:1] == b"#" else None
        if timestamp:
            yield from _entries(b"\n".join(lines), at)
            at, is_timed, lines, size = int(timestamp[1]) * SECOND, True, [], 0
        elif not is_timed:
            yield from _entries(line, NO_TIME)
        else:
            lines.append(line)
            size += len(line) + 1
            if len(lines) > _MAX_COMMAND_LINES or size > MAX_COMMAND_CHARS * 4:
                for index, command in enumerate(lines):
                    yield from _entries(command, NO_TIME if index else at)
                is_timed, lines = False, []
    yield from _entries(b"\n".join(lines), at)


# fish: almost YAML, parsed as fish does. A line break is written `\n`, a backslash `\\`.
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


def read_fish(file: BinaryIO) -> Iterator[HistoryItem]:
    command: bytes | None = None
    at = NO_TIME
    for line in history_file_lines(file):
        if line is None:
            yield SkippedEntry(TOO_LONG)
        elif line.startswith(_FISH_COMMAND):
            yield from _entries(command or b"", at)
            raw = line[len(_FISH_COMMAND) :]
            command, at = _FISH_ESCAPE.sub(lambda escape: _FISH_UNESCAPED[escape[1]], raw), NO_TIME
        elif command is not None and line.startswith(_FISH_INDENTS):
            timestamp = _FISH_TIMESTAMP.match(line)
            at = int(timestamp[1]) * SECOND if timestamp else at
        elif line.strip():
            yield SkippedEntry(NOT_IN_ENTRY)
    yield from _entries(command or b"", at)


# zsh: one command per line, plain or extended as `: SECONDS:DURATION;COMMAND`
#
# A line break in a command follows a backslash. Some bytes, among them parts of many letters, are *metafied*: written
# as 0x83 and the byte with its sixth bit flipped. A command that ends with a backslash is followed by a space.

_ZSH_HEADER = re.compile(rb": {0,10}(\d{1,18}):(\d{1,18});")
# Nearly all lines: printable ASCII without a space at the start, or a space or backslash at the end.
_ZSH_ORDINARY_LINE = re.compile(rb": (\d{1,12}):(\d{1,6});([!-~](?:[ -~]*[!-\[\]-~])?)")
_ZSH_META = re.compile(rb"\x83(.)", re.DOTALL)
_ZSH_BACKSLASH_END = re.compile(rb"\\ +\Z")


def read_zsh(file: BinaryIO) -> Iterator[HistoryItem]:
    match_ordinary, new_tuple = _ZSH_ORDINARY_LINE.fullmatch, tuple.__new__
    joiner = _LineJoiner()
    for line in history_file_lines(file):
        if line and not joiner.is_waiting and (match := match_ordinary(line)) and len(line) < MAX_COMMAND_CHARS:
            at, seconds, command = match.groups()
            values = (str(command, "ascii"), int(at) * SECOND, int(seconds) * 1000, UNKNOWN_STATUS, "", "", "")
            yield new_tuple(HistoryEntry, values)  # takes half as long as the constructor with its defaults
        elif (joined := joiner.add_line(line)) and (entry := _zsh_entry(joined)):
            yield entry
        elif joiner.was_too_long:
            yield SkippedEntry(TOO_LONG)
    if (joined := joiner.finish()) and (entry := _zsh_entry(joined)):
        yield entry


def _zsh_entry(line: bytes) -> HistoryItem | None:
    at, milliseconds = NO_TIME, 0
    header = _ZSH_HEADER.match(line) if line[:1] == b":" else None
    if header:
        at, milliseconds = int(header[1]) * SECOND, min(int(header[2]) * 1000, _MAX_DURATION_MILLISECONDS)
        line = line[header.end() :]
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
    """Joins the lines of a command. If it becomes too long, only its end is still looked for."""

    def __init__(self) -> None:
        self.is_waiting = self.was_too_long = False
        self._parts: list[bytes] = []
        self._size = 0

    def add_line(self, line: bytes | None) -> bytes | None:
        """Return the command if this is its last line. None if more lines follow, b"" if it was too long."""
        self.is_waiting = line is not None and line[-1:] == b"\\"
        self._size += MAX_LINE_BYTES + 1 if line is None else len(line)
        if self._size <= MAX_LINE_BYTES:
            self._parts.append(line or b"")
        else:
            self._parts.clear()
        self.was_too_long = not self.is_waiting and self._size > MAX_LINE_BYTES
        return None if self.is_waiting else self.finish()

    def finish(self) -> bytes:
        """Return the lines so far, joined by line breaks instead of the backslashes at their ends."""
        joined = b"\n".join([part[:-1] for part in self._parts[:-1]] + self._parts[-1:])
        self.is_waiting, self._parts, self._size = False, [], 0
        return joined


# Formats


class HistoryFormat(Record):
    """How a history is read, and how it is recognised: by a pattern of its content, or by a part of its name."""

    read: Callable[[BinaryIO], Iterator[HistoryItem]]
    content: bytes
    name_parts: tuple[str, ...]


# In the order of import: histories that say most about a command come first.
FORMATS = {
    "atuin": HistoryFormat(read_atuin, rb"\ASQLite format 3\0", ("atuin",)),
    "zsh": HistoryFormat(read_zsh, rb"^: \d{9,11}:\d{1,9};", ("zsh", ".zhistory", ".histfile")),
    "fish": HistoryFormat(read_fish, rb"^- cmd: ", ("fish",)),
    "bash": HistoryFormat(read_bash, rb"^#\d{9,11}\r?$", ("bash",)),
}


def detect_shell(path: str, head: bytes) -> str | None:
    """Return the shell that wrote a file, by its content, else by its name. None if neither says so."""
    name = os.path.basename(path).lower()
    by_content = (shell for shell, form in FORMATS.items() if re.search(form.content, head, re.MULTILINE))
    by_name = (shell for shell, form in FORMATS.items() if any(part in name for part in form.name_parts))
    return next(by_content, None) or next(by_name, None)
