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

from tacit.errors import IndexUnusableError, StoreError
from tacit.index import database as store
from tacit.index import sessions
from tacit.index.doc_ids import (
    AGENT,
    IDS_PER_SESSION,
    MAX_MESSAGE_INDEX,
    PERSON,
    message_doc_id,
    session_start_id,
    start_id_of,
)
from tacit.index.reader import Decode, embedding_model
from tacit.model.claim import Status
from tacit.model.ids import sha256
from tacit.model.observation import ToolUsed
from tacit.model.session import Session, SessionSummary, Turn
from tacit.record import Record

VectorChange = Callable[[sqlite3.Connection], None]
MAX_TEXT_CHARS = 2048  # characters of a text that are read; its print is made of as many
_EMBEDDED_STATUSES = (Status.ACTIVE.value, Status.PENDING.value)
_HASH_BYTES = 8  # bytes


class EmbeddingText(Record):
    """What is shown of a memory or a message, and its number."""

    doc_id: int
    text: str


class StoredVector(Record):
    """What a text means; `print` is that of the text."""

    doc_id: int
    text_hash: bytes
    vector: bytes


class VectorBlock(Record):
    """Numbers in order, and their vectors one after the other."""

    doc_ids: list[int]
    vectors: bytes


def hash_text(text: str) -> bytes:
    found: bytes = sha256(text[:MAX_TEXT_CHARS].encode("utf-8", "surrogatepass")).digest()[:_HASH_BYTES]
    return found


# Questions


def count_vectors(connection: sqlite3.Connection) -> int:
    found: int = connection.execute("SELECT count(*) FROM vector").fetchone()[0]
    return found


_SELECT_MEMORY_VECTORS = "SELECT number, vector FROM vector WHERE number >= 0 ORDER BY number LIMIT ?"
_SELECT_MESSAGE_VECTORS = (
    "SELECT number, vector FROM vector WHERE number < 0 ORDER BY number LIMIT ?"  # the latest come first
)
_SELECT_VECTORS_BY_ID = "SELECT number, vector FROM vector WHERE number IN (SELECT value FROM json_each(?))"
_SELECT_VECTORS_BETWEEN = "SELECT number, vector FROM vector WHERE number BETWEEN ? AND ?"


def memory_vectors(connection: sqlite3.Connection, wanted: Iterable[int], most: int) -> VectorBlock:
    """Those of many memories, and of these in any case."""
    rows = dict(connection.execute(_SELECT_MEMORY_VECTORS, (most,)))
    if len(rows) == most:
        rows.update(connection.execute(_SELECT_VECTORS_BY_ID, (json.dumps([one for one in wanted if one >= 0]),)))
    return _vector_block(rows)


def message_vectors(connection: sqlite3.Connection, wanted: Iterable[int], most: int) -> VectorBlock:
    """Those of the latest messages, and of the whole sessions of these in any case."""
    rows = dict(connection.execute(_SELECT_MESSAGE_VECTORS, (most,)))
    if len(rows) == most:
        last = start_id_of(max(rows))
        for run in sorted({start_id_of(one) for one in wanted if one < 0 and start_id_of(one) >= last}):
            rows.update(connection.execute(_SELECT_VECTORS_BETWEEN, (run, run + IDS_PER_SESSION - 1)))
    return _vector_block(rows)


def _vector_block(rows: dict[int, bytes]) -> VectorBlock:
    numbers = sorted(rows)
    return VectorBlock(numbers, b"".join(rows[number] for number in numbers))


# What has none yet

_SELECT_MISSING_MEMORIES = """
  SELECT number, sentence FROM memory WHERE status IN (?, ?) AND number NOT IN (SELECT number FROM vector)
  ORDER BY at DESC, number LIMIT ?
"""
_SELECT_INCOMPLETE_SESSIONS = (
    "SELECT id, number, began FROM session WHERE number NOT IN (SELECT number FROM meant) ORDER BY at DESC, id"
)


def texts_without_vector(connection: sqlite3.Connection, decode: Decode, most: int) -> list[EmbeddingText]:
    """Texts that have no vector: memories first, then what was said, the latest session first."""
    found = [EmbeddingText(*row) for row in connection.execute(_SELECT_MISSING_MEMORIES, (*_EMBEDDED_STATUSES, most))]
    for _, number, began in connection.execute(_SELECT_INCOMPLETE_SESSIONS):
        if len(found) >= most:
            break
        first = session_start_id(date.fromisoformat(began[:10]), number)
        known = {one for one, _ in connection.execute(_SELECT_VECTORS_BETWEEN, (first, first + IDS_PER_SESSION - 1))}
        found += [text for text in _texts_of_session(connection, number, decode) if text.doc_id not in known]
    return found[:most]


def _texts_of_session(connection: sqlite3.Connection, number: int, decode: Decode) -> list[EmbeddingText]:
    row = connection.execute("SELECT id FROM session WHERE number = ?", (number,)).fetchone()
    found = sessions.session_row(connection, row[0]) if row else None
    return list(message_texts(number, sessions.load_session(connection, found, decode))) if found else []


def message_texts(number: int, session: Session) -> Iterator[EmbeddingText]:
    """What was said in a session, each with the number that its words are found by. What was done has none."""
    first = session_start_id(session.began.date(), number)
    for place, (voice, text) in enumerate(_roles_and_texts(session)):
        if text.strip() and place < MAX_MESSAGE_INDEX:
            yield EmbeddingText(message_doc_id(first, place, voice), text)


def _roles_and_texts(session: Session) -> Iterator[tuple[int, str]]:
    """As `said.py` numbers them: what was done between two replies is one message, here without a text."""
    for part in session.searchable_parts:
        if isinstance(part, SessionSummary):
            yield AGENT, part.text
            continue
        yield from ((PERSON, prompt.text) for prompt in part.prompts)
        if not part.prompts:
            yield PERSON, ""
        yield from _step_texts(part)


def _step_texts(turn: Turn) -> Iterator[tuple[int, str]]:
    was_done = False
    for step in turn.steps:
        is_done = isinstance(step, ToolUsed)
        if not isinstance(step, ToolUsed):
            yield AGENT, step.text
        elif not was_done:
            yield AGENT, ""
        was_done = is_done


# Changes, all of them under the home's lock


def use_model(connection: sqlite3.Connection, name: str) -> None:
    """From now on they are this model's; those of another go."""
    if embedding_model(connection) != name:
        connection.execute("DELETE FROM vector")
        connection.execute("DELETE FROM meant")
        connection.execute("INSERT OR REPLACE INTO meta VALUES ('meaning', ?)", (name,))


def store_vectors(connection: sqlite3.Connection, made: Sequence[StoredVector], decode: Decode) -> int:
    """Keep these where the text they were made of still stands, for it may have gone meanwhile; says how many."""
    standing = {text.doc_id: hash_text(text.text) for text in _current_texts(connection, made, decode)}
    rows = [one for one in made if standing.get(one.doc_id) == one.text_hash]
    connection.executemany("INSERT OR REPLACE INTO vector VALUES (?, ?, ?)", rows)
    return len(rows)


def mark_complete_sessions(connection: sqlite3.Connection, decode: Decode, most: int) -> None:
    """Note which sessions have all their vectors, so that nobody folds them again to see."""
    for _, number, began in connection.execute(f"{_SELECT_INCOMPLETE_SESSIONS} LIMIT ?", (most,)).fetchall():
        first = session_start_id(date.fromisoformat(began[:10]), number)
        known = {one for one, _ in connection.execute(_SELECT_VECTORS_BETWEEN, (first, first + IDS_PER_SESSION - 1))}
        if all(text.doc_id in known for text in _texts_of_session(connection, number, decode)):
            connection.execute("INSERT OR IGNORE INTO meant VALUES (?)", (number,))


def _current_texts(
    connection: sqlite3.Connection, made: Sequence[StoredVector], decode: Decode
) -> Iterator[EmbeddingText]:
    query = "SELECT sentence FROM memory WHERE number = ? AND status IN (?, ?)"
    for one in made:
        if one.doc_id >= 0 and (row := connection.execute(query, (one.doc_id, *_EMBEDDED_STATUSES)).fetchone()):
            yield EmbeddingText(one.doc_id, row[0])
    for run in sorted({start_id_of(one.doc_id) for one in made if one.doc_id < 0}):
        yield from _texts_of_range(connection, run, decode)


def _texts_of_range(connection: sqlite3.Connection, run: int, decode: Decode) -> list[EmbeddingText]:
    query = "SELECT session.number FROM page JOIN session ON key = day WHERE page.number BETWEEN ? AND ? LIMIT 1"
    row = connection.execute(query, (run, run + IDS_PER_SESSION - 1)).fetchone()
    return _texts_of_session(connection, row[0], decode) if row else []


def drop_stale_memory_vectors(connection: sqlite3.Connection, texts: Iterable[EmbeddingText]) -> None:
    """Memories were folded again: a vector stays if its text does. A text that is empty is forgotten."""
    for number, text in texts:
        row = (number, hash_text(text) if text else b"")
        connection.execute("DELETE FROM vector WHERE number = ? AND print <> ?", row)


def drop_stale_session_vectors(
    connection: sqlite3.Connection, runs: Iterable[int], number: int, session: Session
) -> None:
    """A session was folded again, and had these runs of numbers: what is no longer said there goes."""
    connection.execute("DELETE FROM meant WHERE number = ?", (number,))
    prints: dict[int, bytes] | None = None
    for run in runs:
        query = "SELECT number, print FROM vector WHERE number BETWEEN ? AND ?"
        for at, old in connection.execute(query, (run, run + IDS_PER_SESSION - 1)).fetchall():
            if prints is None:
                prints = {text.doc_id: hash_text(text.text) for text in message_texts(number, session)}
            if prints.get(at) != old:
                connection.execute("DELETE FROM vector WHERE number = ?", (at,))


def copy_vectors(path: str, connection: sqlite3.Connection, decode: Decode) -> None:
    """Take what still holds from the index that is replaced: encoding is dear. Whatever is wrong with that one, the new
    one does without."""
    with suppress(sqlite3.Error, IndexUnusableError, StoreError, OSError, ValueError, TypeError):
        with closing(store.open_for_reading(path)) as before:
            name = embedding_model(before)
            rows = before.execute("SELECT number, print, vector FROM vector ORDER BY number").fetchall() if name else []
        if rows:
            use_model(connection, name)
            for some in _group_by_session([StoredVector(*row) for row in rows]):
                store_vectors(connection, some, decode)


def _group_by_session(made: list[StoredVector]) -> Iterator[list[StoredVector]]:
    """Those of one session together; memories in one go."""
    at = 0
    while at < len(made):
        is_memory = made[at].doc_id >= 0
        end = (
            len(made)
            if is_memory
            else bisect_left(made, start_id_of(made[at].doc_id) + IDS_PER_SESSION, key=lambda one: one.doc_id)
        )
        yield made[at:end]
        at = end
