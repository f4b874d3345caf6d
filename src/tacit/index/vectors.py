"""Store embedding vectors of memories and messages, by document id. They are computed elsewhere (ADR 18).

A vector is valid only for the exact text it was made from, which `text_hash` identifies. When a memory is retired or a
session is folded again without a message, the vector is deleted in the same transaction. All vectors are of one model,
named in `meta`.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from datetime import date
from itertools import groupby

from tacit.errors import IndexUnusableError, StoreError
from tacit.index import postings, sessions
from tacit.index.database import open_for_reading
from tacit.index.reader import Decode, embedding_model
from tacit.model.claim import Status
from tacit.model.ids import sha256
from tacit.model.observation import ToolUsed
from tacit.model.session import Session, SessionSummary
from tacit.record import Record

VectorChange = Callable[[sqlite3.Connection], None]
MAX_TEXT_CHARS = 2048  # of a text that are embedded and hashed
_HASH_BYTES = 8
_EMBEDDED_STATUSES = (Status.ACTIVE.value, Status.PENDING.value)
_SELECT_MEMORY_VECTORS = "SELECT doc_id, vector FROM vectors WHERE doc_id >= 0 ORDER BY doc_id LIMIT ?"
# In the order of ids, the latest messages come first.
_SELECT_MESSAGE_VECTORS = "SELECT doc_id, vector FROM vectors WHERE doc_id < 0 ORDER BY doc_id LIMIT ?"
_SELECT_VECTORS_BY_ID = "SELECT doc_id, vector FROM vectors WHERE doc_id IN (SELECT value FROM json_each(?))"
_SELECT_VECTORS_BETWEEN = "SELECT doc_id, vector FROM vectors WHERE doc_id BETWEEN ? AND ?"
_SELECT_MISSING_MEMORIES = """
  SELECT doc_id, sentence FROM memories WHERE status IN (?, ?) AND doc_id NOT IN (SELECT doc_id FROM vectors)
  ORDER BY updated_at DESC, doc_id LIMIT ?
"""
_SELECT_INCOMPLETE_SESSIONS = (
    "SELECT number, started_at FROM sessions WHERE number NOT IN (SELECT session_number FROM embedded_sessions)"
    " ORDER BY ended_at DESC, id"
)


class EmbeddingText(Record):
    """The text of a memory or message that is embedded."""

    doc_id: int
    text: str


class StoredVector(Record):
    """A vector and the hash of the text it was made from."""

    doc_id: int
    text_hash: bytes
    vector: bytes


class VectorBlock(Record):
    """Sorted ids, and their vectors one after the other."""

    doc_ids: list[int]
    vectors: bytes


def hash_text(text: str) -> bytes:
    """Return the hash of the part of a text that is embedded."""
    digest: bytes = sha256(text[:MAX_TEXT_CHARS].encode("utf-8", "surrogatepass")).digest()
    return digest[:_HASH_BYTES]


# Queries


def count_vectors(connection: sqlite3.Connection) -> int:
    """Count all vectors."""
    count: int = connection.execute("SELECT count(*) FROM vectors").fetchone()[0]
    return count


def memory_vectors(connection: sqlite3.Connection, doc_ids: Iterable[int], limit: int) -> VectorBlock:
    """Return the vectors of up to `limit` memories, and those of `doc_ids` in any case."""
    rows = dict(connection.execute(_SELECT_MEMORY_VECTORS, (limit,)))
    if len(rows) == limit:
        memory_ids = [doc_id for doc_id in doc_ids if doc_id >= 0]
        rows.update(connection.execute(_SELECT_VECTORS_BY_ID, (json.dumps(memory_ids),)))
    return _vector_block(rows)


def message_vectors(connection: sqlite3.Connection, doc_ids: Iterable[int], limit: int) -> VectorBlock:
    """Return the vectors of the latest `limit` messages, and in any case those of the whole sessions of `doc_ids`."""
    rows = dict(connection.execute(_SELECT_MESSAGE_VECTORS, (limit,)))
    if len(rows) == limit:
        last = postings.start_id_of(max(rows))
        start_ids = {postings.start_id_of(doc_id) for doc_id in doc_ids if doc_id < 0}
        for start_id in sorted(start_id for start_id in start_ids if start_id >= last):
            rows.update(
                connection.execute(_SELECT_VECTORS_BETWEEN, (start_id, start_id + postings.IDS_PER_SESSION - 1))
            )
    return _vector_block(rows)


def _vector_block(rows: dict[int, bytes]) -> VectorBlock:
    doc_ids = sorted(rows)
    return VectorBlock(doc_ids, b"".join(rows[doc_id] for doc_id in doc_ids))


# Texts to embed


def texts_without_vector(connection: sqlite3.Connection, decode: Decode, limit: int) -> list[EmbeddingText]:
    """Return texts that have no vector: memories first, then messages, the latest session first."""
    rows = connection.execute(_SELECT_MISSING_MEMORIES, (*_EMBEDDED_STATUSES, limit))
    texts = [EmbeddingText(*row) for row in rows]
    for number, started_at in connection.execute(_SELECT_INCOMPLETE_SESSIONS):
        if len(texts) >= limit:
            break
        texts += _missing_texts(connection, number, started_at, decode)
    return texts[:limit]


def _missing_texts(connection: sqlite3.Connection, number: int, started_at: str, decode: Decode) -> list[EmbeddingText]:
    """Return the messages of a session that have no vector."""
    first = postings.session_start_id(date.fromisoformat(started_at[:10]), number)
    known = {
        doc_id
        for doc_id, _ in connection.execute(_SELECT_VECTORS_BETWEEN, (first, first + postings.IDS_PER_SESSION - 1))
    }
    return [text for text in _texts_of_session(connection, number, decode) if text.doc_id not in known]


def _texts_of_session(connection: sqlite3.Connection, number: int, decode: Decode) -> list[EmbeddingText]:
    row = sessions.session_row_by_number(connection, number)
    return list(message_texts(number, sessions.load_session(connection, row, decode))) if row else []


def message_texts(number: int, session: Session) -> Iterator[EmbeddingText]:
    """Yield what was said in a session, with the ids of the messages, which `session_writer.py` numbers.

    Tool calls are not embedded; those between two replies are one message.
    """
    first = postings.session_start_id(session.started_at.date(), number)
    messages: list[tuple[int, str]] = []
    for part in session.searchable_parts:
        if isinstance(part, SessionSummary):
            messages.append((postings.AGENT, part.text))
            continue
        messages += [(postings.PERSON, prompt.text) for prompt in part.prompts] or [(postings.PERSON, "")]
        for is_call, steps in groupby(part.steps, key=lambda step: isinstance(step, ToolUsed)):
            replies = [(postings.AGENT, step.text) for step in steps if not isinstance(step, ToolUsed)]
            messages += [(postings.AGENT, "")] if is_call else replies
    for index, (role, text) in enumerate(messages):
        if text.strip() and index < postings.MAX_MESSAGE_INDEX:
            yield EmbeddingText(postings.message_doc_id(first, index, role), text)


# Changes, all of them under the lock of the home


def use_model(connection: sqlite3.Connection, name: str) -> None:
    """Set the model of the vectors. Those of another model are deleted."""
    if embedding_model(connection) != name:
        connection.execute("DELETE FROM vectors")
        connection.execute("DELETE FROM embedded_sessions")
        connection.execute("INSERT OR REPLACE INTO meta VALUES ('embedding_model', ?)", (name,))


def store_vectors(connection: sqlite3.Connection, vectors: Sequence[StoredVector], decode: Decode) -> int:
    """Store the vectors whose text still exists, as it may have changed meanwhile. Return how many."""
    hashes = {text.doc_id: hash_text(text.text) for text in _current_texts(connection, vectors, decode)}
    rows = [vector for vector in vectors if hashes.get(vector.doc_id) == vector.text_hash]
    connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows)
    return len(rows)


def mark_complete_sessions(connection: sqlite3.Connection, decode: Decode, limit: int) -> None:
    """Record which sessions have all their vectors, so that they are not folded again to find out."""
    for number, started_at in connection.execute(f"{_SELECT_INCOMPLETE_SESSIONS} LIMIT ?", (limit,)).fetchall():
        if not _missing_texts(connection, number, started_at, decode):
            connection.execute("INSERT OR IGNORE INTO embedded_sessions VALUES (?)", (number,))


def _current_texts(
    connection: sqlite3.Connection, vectors: Sequence[StoredVector], decode: Decode
) -> Iterator[EmbeddingText]:
    """Yield the current texts of the memories of these vectors, and of all messages of their sessions."""
    query = "SELECT sentence FROM memories WHERE doc_id = ? AND status IN (?, ?)"
    for vector in vectors:
        if vector.doc_id >= 0 and (row := connection.execute(query, (vector.doc_id, *_EMBEDDED_STATUSES)).fetchone()):
            yield EmbeddingText(vector.doc_id, row[0])
    query = (
        "SELECT number FROM pages JOIN sessions ON sessions.page_name = pages.page_name"
        " WHERE doc_id BETWEEN ? AND ? LIMIT 1"
    )
    for start_id in sorted({postings.start_id_of(vector.doc_id) for vector in vectors if vector.doc_id < 0}):
        if row := connection.execute(query, (start_id, start_id + postings.IDS_PER_SESSION - 1)).fetchone():
            yield from _texts_of_session(connection, row[0], decode)


def drop_stale_memory_vectors(connection: sqlite3.Connection, texts: Iterable[EmbeddingText]) -> None:
    """Delete the vectors of folded memories whose text changed. An empty text means that there is none any more."""
    for doc_id, text in texts:
        row = (doc_id, hash_text(text) if text else b"")
        connection.execute("DELETE FROM vectors WHERE doc_id = ? AND text_hash <> ?", row)


def drop_stale_session_vectors(
    connection: sqlite3.Connection, start_ids: Iterable[int], number: int, session: Session
) -> None:
    """Delete the vectors of a folded session whose text changed. `start_ids` are its first ids, before and now."""
    connection.execute("DELETE FROM embedded_sessions WHERE session_number = ?", (number,))
    hashes: dict[int, bytes] | None = None
    for start_id in start_ids:
        query = "SELECT doc_id, text_hash FROM vectors WHERE doc_id BETWEEN ? AND ?"
        for doc_id, text_hash in connection.execute(
            query, (start_id, start_id + postings.IDS_PER_SESSION - 1)
        ).fetchall():
            if hashes is None:
                hashes = {text.doc_id: hash_text(text.text) for text in message_texts(number, session)}
            if hashes.get(doc_id) != text_hash:
                connection.execute("DELETE FROM vectors WHERE doc_id = ?", (doc_id,))


def copy_vectors(path: str, connection: sqlite3.Connection, decode: Decode) -> None:
    """Copy the vectors that are still valid from the index at `path`, which is replaced: encoding is expensive.

    If that index cannot be read, none are copied.
    """
    with suppress(sqlite3.Error, IndexUnusableError, StoreError, OSError, ValueError, TypeError):
        with closing(open_for_reading(path)) as old:
            name = embedding_model(old)
            query = "SELECT doc_id, text_hash, vector FROM vectors ORDER BY doc_id"
            rows = old.execute(query).fetchall() if name else []
        if rows:
            use_model(connection, name)
            # Session by session, and all memories together.
            for _, group in groupby(rows, key=lambda row: postings.start_id_of(row[0]) if row[0] < 0 else 0):
                store_vectors(connection, [StoredVector(*row) for row in group], decode)
