"""Vectors of meaning, by the number that a question finds their text by. They are made elsewhere; here they are kept.

A vector stands only as long as the very text that it was made of: `print` tells whether that is so. When a memory is
forgotten or a session folded again without a message, its vector goes with it, in the same transaction. All vectors are
of one model, named in `meta`; those of another are not compared with.
"""

from __future__ import annotations

import json
import sqlite3
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from datetime import date

from tacit.errors import IndexUnwell, StoreUnwell
from tacit.index import database as store
from tacit.index import sessions
from tacit.index.doc_ids import AGENT, MOST, PERSON, RUN, first_number, number_of, run_of
from tacit.index.reader import Decode, meaning
from tacit.model.claim import Status
from tacit.model.ids import sha256
from tacit.model.observation import ToolUsed
from tacit.model.session import Session, Summary, Turn
from tacit.record import Record

Change = Callable[[sqlite3.Connection], None]
LONGEST = 2048  # characters of a text that are read; its print is made of as many
_STANDING = (Status.ACTIVE.value, Status.PENDING.value)
_PRINT = 8  # bytes


class Text(Record):
    """What is shown of a memory or a message, and its number."""

    number: int
    text: str


class Vector(Record):
    """What a text means; `print` is that of the text."""

    number: int
    print: bytes
    vector: bytes


class Kept(Record):
    """Numbers in order, and their vectors one after the other."""

    numbers: list[int]
    vectors: bytes


def print_of(text: str) -> bytes:
    found: bytes = sha256(text[:LONGEST].encode("utf-8", "surrogatepass")).digest()[:_PRINT]
    return found


# Questions


def how_many(connection: sqlite3.Connection) -> int:
    found: int = connection.execute("SELECT count(*) FROM vector").fetchone()[0]
    return found


_OF_MEMORIES = "SELECT number, vector FROM vector WHERE number >= 0 ORDER BY number LIMIT ?"
_OF_MESSAGES = "SELECT number, vector FROM vector WHERE number < 0 ORDER BY number LIMIT ?"  # the latest come first
_OF_THESE = "SELECT number, vector FROM vector WHERE number IN (SELECT value FROM json_each(?))"
_BETWEEN = "SELECT number, vector FROM vector WHERE number BETWEEN ? AND ?"


def of_memories(connection: sqlite3.Connection, wanted: Iterable[int], most: int) -> Kept:
    """Those of many memories, and of these in any case."""
    rows = dict(connection.execute(_OF_MEMORIES, (most,)))
    if len(rows) == most:
        rows.update(connection.execute(_OF_THESE, (json.dumps([one for one in wanted if one >= 0]),)))
    return _kept(rows)


def of_messages(connection: sqlite3.Connection, wanted: Iterable[int], most: int) -> Kept:
    """Those of the latest messages, and of the whole sessions of these in any case."""
    rows = dict(connection.execute(_OF_MESSAGES, (most,)))
    if len(rows) == most:
        last = run_of(max(rows))
        for run in sorted({run_of(one) for one in wanted if one < 0 and run_of(one) >= last}):
            rows.update(connection.execute(_BETWEEN, (run, run + RUN - 1)))
    return _kept(rows)


def _kept(rows: dict[int, bytes]) -> Kept:
    numbers = sorted(rows)
    return Kept(numbers, b"".join(rows[number] for number in numbers))


# What has none yet

_MEMORIES = """
  SELECT number, sentence FROM memory WHERE status IN (?, ?) AND number NOT IN (SELECT number FROM vector)
  ORDER BY at DESC, number LIMIT ?
"""
_SESSIONS = "SELECT id, number, began FROM session WHERE number NOT IN (SELECT number FROM meant) ORDER BY at DESC, id"


def missing(connection: sqlite3.Connection, decode: Decode, most: int) -> list[Text]:
    """Texts that have no vector: memories first, then what was said, the latest session first."""
    found = [Text(*row) for row in connection.execute(_MEMORIES, (*_STANDING, most))]
    for _, number, began in connection.execute(_SESSIONS):
        if len(found) >= most:
            break
        first = first_number(date.fromisoformat(began[:10]), number)
        known = {one for one, _ in connection.execute(_BETWEEN, (first, first + RUN - 1))}
        found += [text for text in _of_session(connection, number, decode) if text.number not in known]
    return found[:most]


def _of_session(connection: sqlite3.Connection, number: int, decode: Decode) -> list[Text]:
    row = connection.execute("SELECT id FROM session WHERE number = ?", (number,)).fetchone()
    found = sessions.row(connection, row[0]) if row else None
    return list(said(number, sessions.session(connection, found, decode))) if found else []


def said(number: int, session: Session) -> Iterator[Text]:
    """What was said in a session, each with the number that its words are found by. What was done has none."""
    first = first_number(session.began.date(), number)
    for place, (voice, text) in enumerate(_messages(session)):
        if text.strip() and place < MOST:
            yield Text(number_of(first, place, voice), text)


def _messages(session: Session) -> Iterator[tuple[int, str]]:
    """As `said.py` numbers them: what was done between two replies is one message, here without a text."""
    for part in session.parts:
        if isinstance(part, Summary):
            yield AGENT, part.text
            continue
        yield from ((PERSON, prompt.text) for prompt in part.prompts)
        if not part.prompts:
            yield PERSON, ""
        yield from _steps(part)


def _steps(turn: Turn) -> Iterator[tuple[int, str]]:
    was_done = False
    for step in turn.steps:
        is_done = isinstance(step, ToolUsed)
        if not isinstance(step, ToolUsed):
            yield AGENT, step.text
        elif not was_done:
            yield AGENT, ""
        was_done = is_done


# Changes, all of them under the home's lock


def begin(connection: sqlite3.Connection, name: str) -> None:
    """From now on they are this model's; those of another go."""
    if meaning(connection) != name:
        connection.execute("DELETE FROM vector")
        connection.execute("DELETE FROM meant")
        connection.execute("INSERT OR REPLACE INTO meta VALUES ('meaning', ?)", (name,))


def put(connection: sqlite3.Connection, made: Sequence[Vector], decode: Decode) -> int:
    """Keep these where the text they were made of still stands, for it may have gone meanwhile; says how many."""
    standing = {text.number: print_of(text.text) for text in _standing(connection, made, decode)}
    rows = [one for one in made if standing.get(one.number) == one.print]
    connection.executemany("INSERT OR REPLACE INTO vector VALUES (?, ?, ?)", rows)
    return len(rows)


def close_sessions(connection: sqlite3.Connection, decode: Decode, most: int) -> None:
    """Note which sessions have all their vectors, so that nobody folds them again to see."""
    for _, number, began in connection.execute(f"{_SESSIONS} LIMIT ?", (most,)).fetchall():
        first = first_number(date.fromisoformat(began[:10]), number)
        known = {one for one, _ in connection.execute(_BETWEEN, (first, first + RUN - 1))}
        if all(text.number in known for text in _of_session(connection, number, decode)):
            connection.execute("INSERT OR IGNORE INTO meant VALUES (?)", (number,))


def _standing(connection: sqlite3.Connection, made: Sequence[Vector], decode: Decode) -> Iterator[Text]:
    query = "SELECT sentence FROM memory WHERE number = ? AND status IN (?, ?)"
    for one in made:
        if one.number >= 0 and (row := connection.execute(query, (one.number, *_STANDING)).fetchone()):
            yield Text(one.number, row[0])
    for run in sorted({run_of(one.number) for one in made if one.number < 0}):
        yield from _of_run(connection, run, decode)


def _of_run(connection: sqlite3.Connection, run: int, decode: Decode) -> list[Text]:
    query = "SELECT session.number FROM page JOIN session ON key = day WHERE page.number BETWEEN ? AND ? LIMIT 1"
    row = connection.execute(query, (run, run + RUN - 1)).fetchone()
    return _of_session(connection, row[0], decode) if row else []


def keep_of_memories(connection: sqlite3.Connection, texts: Iterable[Text]) -> None:
    """Memories were folded again: a vector stays if its text does. A text that is empty is forgotten."""
    for number, text in texts:
        row = (number, print_of(text) if text else b"")
        connection.execute("DELETE FROM vector WHERE number = ? AND print <> ?", row)


def keep_of_session(connection: sqlite3.Connection, runs: Iterable[int], number: int, session: Session) -> None:
    """A session was folded again, and had these runs of numbers: what is no longer said there goes."""
    connection.execute("DELETE FROM meant WHERE number = ?", (number,))
    prints: dict[int, bytes] | None = None
    for run in runs:
        query = "SELECT number, print FROM vector WHERE number BETWEEN ? AND ?"
        for at, old in connection.execute(query, (run, run + RUN - 1)).fetchall():
            if prints is None:
                prints = {text.number: print_of(text.text) for text in said(number, session)}
            if prints.get(at) != old:
                connection.execute("DELETE FROM vector WHERE number = ?", (at,))


def carry_over(path: str, connection: sqlite3.Connection, decode: Decode) -> None:
    """Take what still holds from the index that is replaced: encoding is dear. Whatever is wrong with that one, the new
    one does without."""
    with suppress(sqlite3.Error, IndexUnwell, StoreUnwell, OSError, ValueError, TypeError):
        with closing(store.open_for_reading(path)) as before:
            name = meaning(before)
            rows = before.execute("SELECT number, print, vector FROM vector ORDER BY number").fetchall() if name else []
        if rows:
            begin(connection, name)
            for some in _by_run([Vector(*row) for row in rows]):
                put(connection, some, decode)


def _by_run(made: list[Vector]) -> Iterator[list[Vector]]:
    """Those of one session together; memories in one go."""
    at = 0
    while at < len(made):
        is_memory = made[at].number >= 0
        end = len(made) if is_memory else bisect_left(made, run_of(made[at].number) + RUN, key=lambda one: one.number)
        yield made[at:end]
        at = end
