"""Sessions of OpenCode: an SQLite database with the tables session, message and part, a row for each text and call.

It is opened so that nothing is written, neither to it nor beside it. Rows are changed until they are done, and only
then heard; a row tells when it was changed last. So what is `settled` here is no offset but a time in milliseconds:
reading from there on looks at the rows that were changed since.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from typing import BinaryIO

from tacit.disk.files import sqlite_address
from tacit.disk.read import has_tables, is_plain_beside, stop_late
from tacit.hosts.normalize import Call, Place, Teller, key_of
from tacit.hosts.records import (
    LONGEST,
    NO_TIME,
    NOT_JSON,
    TOO_LONG,
    Heard,
    Limits,
    Object,
    Source,
    Tally,
    listing,
    mapping,
    path_of,
    string,
    texts,
    when,
)
from tacit.hosts.tools import tool_of
from tacit.model.observation import Act, How, Outcome

_MAGIC = b"SQLite format 3\0"
_OVERLAP = 60_000  # milliseconds: a writer that was slow to commit
_CHANGED = """
SELECT part.id FROM part JOIN message ON message.id = part.message_id JOIN session ON session.id = part.session_id
WHERE part.time_updated >= ?1 OR message.time_updated >= ?1
   OR (session.time_updated >= ?1
       AND (instr(part.data, '"status":"running"') OR instr(part.data, '"status":"pending"')))
ORDER BY part.time_created, part.id
"""
_ROW = """
SELECT part.id, part.session_id, part.time_created, part.time_updated, part.data, message.data, message.time_created,
       session.directory, session.parent_id
FROM part JOIN message ON message.id = part.message_id JOIN session ON session.id = part.session_id WHERE part.id = ?
"""
_PROMPTED = """
SELECT session_id, max(time_created) FROM message WHERE instr(data, '"role":"user"') GROUP BY session_id
"""
_TITLES = """
SELECT id, title, time_updated, directory FROM session WHERE time_updated >= ? AND parent_id IS NULL ORDER BY id
"""
_UNTITLED = ("New session - ", "Child session - ")
_PASSED = frozenset("step-start step-finish snapshot patch reasoning file agent retry subtask".split())
_UNREADABLE = "damaged in the database"
_REJECTED = ("rejected permission", "user dismissed", "the user rejected", "prevents you from using")
_ABORTED = ("aborted", "cancelled")


class _Row:
    """A part with the message and the session it belongs to. `prompted` tells when each session was last asked."""

    def __init__(self, values: tuple[object, ...], prompted: dict[str, int]) -> None:
        own, session, created, updated, data, message, asked, folder, parent = values
        self.id, self.parent = string(own), string(parent)
        self.updated = updated if isinstance(updated, int) else 0
        self.part, self.message = _parsed(data), _parsed(message)
        self.size = len(data) if isinstance(data, str) else 0
        # Whether the person has asked something else since.
        self.has_gone_on = isinstance(asked, int) and prompted.get(string(session), 0) > asked
        directory = string(mapping(self.message.get("path")).get("cwd")) or string(folder)
        self.place = Place(when(created) or NO_TIME, self.parent or string(session), directory)


def _parsed(data: object) -> Object:
    try:
        return mapping(json.loads(data)) if isinstance(data, str) else {}
    except (ValueError, RecursionError):
        return {}


class _Talk:
    def __init__(self, teller: Teller) -> None:
        self._teller, self._tally = teller, teller.tally

    def hear(self, row: _Row) -> Iterator[Heard]:
        kind = string(row.part.get("type"))
        match kind:
            case "text":
                yield from self._text(row)
            case "tool":
                yield from self._tool(row)
            case "compaction":
                yield from self._teller.compacted(self._key(row), row.place)
            case _ if kind in _PASSED:
                self._tally.passed[kind] += 1
            case "":
                self._tally.damaged[NOT_JSON] += 1
            case _:
                self._tally.unknown[kind[:60]] += 1

    def titles(self, connection: sqlite3.Connection, since: int) -> Iterator[Heard]:
        """Titles of sessions that were changed since; who gave them is not told. Old databases have none."""
        try:
            rows = connection.execute(_TITLES, (since,)).fetchall()
        except sqlite3.OperationalError:
            return
        for session, title, updated, directory in rows:
            text, at = string(title), when(updated)
            if at is not None and not text.startswith(_UNTITLED):
                place = Place(at, string(session), string(directory))
                yield from self._teller.titled(place, text, timeless=True)

    def _text(self, row: _Row) -> Iterator[Heard]:
        text, part = string(row.part.get("text")), row.part
        is_done = "end" in mapping(part.get("time")) or "completed" in mapping(row.message.get("time"))
        if (
            part.get("synthetic") is True
            or part.get("ignored") is True
            or row.parent
            or row.message.get("summary") is True
        ):
            self._tally.passed["text of the host"] += 1
        elif row.message.get("role") == "user":
            yield from self._teller.prompt(self._key(row), row.place, _unquoted(text))
        elif is_done or row.has_gone_on:
            yield from self._teller.reply(self._key(row), row.place, text)

    def _tool(self, row: _Row) -> Iterator[Heard]:
        part, state = row.part, mapping(row.part.get("state"))
        tool, status = string(part.get("tool")), string(state.get("status"))
        own = string(part.get("callID"))
        key = key_of(own, row.place.session, row.place.at, string(row.id))
        call = Call(key, tool, state.get("input"), row.place, bool(row.parent))
        if status == "completed":
            yield from self._teller.used(call, string(state.get("output")), _ended(state))
            yield from self._answers(call, state)
        elif status == "error":
            error = string(state.get("error"))
            yield from self._teller.used(call, error, _error(error))
        elif row.has_gone_on:
            yield from self._teller.unanswered(call)

    def _answers(self, call: Call, state: Object) -> Iterator[Heard]:
        """What the person chose or wrote when the agent asked."""
        if tool_of(call.tool).act is not Act.ASKED or call.aside:
            return
        asked = listing(mapping(state.get("input")).get("questions"))
        answers = listing(mapping(state.get("metadata")).get("answers"))
        for nth, (question, answer) in enumerate(zip(map(mapping, asked), answers, strict=False)):
            text = ", ".join(filter(None, map(string, listing(answer)))) or string(answer)
            key, about = f"{call.key}#answer{nth}", string(question.get("question"))
            yield from self._teller.prompt(key, call.place, text, How.ANSWER, about, nth + 1)

    def _key(self, row: _Row) -> str:
        return key_of(row.id, row.place.session, row.place.at, texts(row.part.get("text")))


def _ended(state: Object) -> Outcome:
    status = mapping(state.get("metadata")).get("exit")
    return Outcome.FAILED if isinstance(status, int) and status != 0 else Outcome.WELL


def _error(error: str) -> Outcome:
    told = error.lower()[:400]
    if any(sign in told for sign in _REJECTED):
        return Outcome.REJECTED
    return Outcome.UNKNOWN if any(sign in told for sign in _ABORTED) else Outcome.FAILED


def _unquoted(text: str) -> str:
    """`opencode run "a b"` hands the prompt on with its quotes."""
    inner = text[1:-1]
    return (
        inner.replace('\\"', '"')
        if len(text) > 2 and f'"{inner}"' == text and '"' not in inner.replace('\\"', "")
        else text
    )


def _read(file: BinaryIO, offset: int, limits: Limits, tally: Tally) -> Iterator[Heard]:
    talk, tally.settled = _Talk(Teller("opencode", limits, tally)), offset
    try:
        with closing(_opened(path_of(file))) as connection:
            if not has_tables(connection, "part", "message", "session"):
                tally.damaged[_UNREADABLE] += 1
                return
            for row in _rows(connection, offset, tally):
                tally.settled = max(tally.settled, row.updated - _OVERLAP)
                yield from talk.hear(row)
            yield from talk.titles(connection, offset)
    except (sqlite3.Error, UnicodeDecodeError):  # what SQLite says of a damaged file need not be text
        tally.damaged[_UNREADABLE] += 1


def _rows(connection: sqlite3.Connection, since: int, tally: Tally) -> Iterator[_Row]:
    """Each row by itself: one that is too large or damaged harms no other."""
    prompted = {string(session): at for session, at in connection.execute(_PROMPTED) if isinstance(at, int)}
    for (own,) in connection.execute(_CHANGED, (since,)).fetchall():
        tally.records += 1
        try:
            values = connection.execute(_ROW, (own,)).fetchone()
        except (sqlite3.Error, UnicodeDecodeError) as error:
            tally.damaged[TOO_LONG if isinstance(error, sqlite3.DataError) else _UNREADABLE] += 1
            continue
        if values is not None:
            row = _Row(values, prompted)
            tally.read += row.size
            yield row


def _opened(path: str) -> sqlite3.Connection:
    """Where the host may write meanwhile, SQLite keeps what is read apart from that; else the file is all there is."""
    if is_plain_beside(path) and any(os.path.exists(path + more) for more in ("-wal", "-journal")):
        with suppress(sqlite3.Error, UnicodeDecodeError):
            return _connected(sqlite_address(path, "ro"))
    return _connected(sqlite_address(path, "ro") + "&immutable=1")


def _connected(address: str) -> sqlite3.Connection:
    connection = sqlite3.connect(address, uri=True, timeout=5, isolation_level=None)
    try:
        connection.execute("PRAGMA query_only = ON")
        connection.execute("PRAGMA trusted_schema = OFF")
        stop_late(connection)
        connection.execute("SELECT 1 FROM sqlite_master").fetchone()
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
    except (sqlite3.Error, UnicodeDecodeError):
        connection.close()
        raise
    return connection


def _places(environment: Mapping[str, str], user_folder: str) -> list[str]:
    shared = environment.get("XDG_DATA_HOME") or os.path.join(user_folder, ".local", "share")
    return [os.path.join(shared, "opencode", "opencode.db")]


def _recognises(path: str, head: bytes) -> bool:
    return os.path.basename(path).startswith("opencode") and path.endswith(".db") and head.startswith(_MAGIC)


SOURCE = Source("opencode", _places, _recognises, _read, in_bytes=False)
