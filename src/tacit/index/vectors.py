"""Vectors of the meaning of memories and messages, by document id.

A vector is made from a text in the transaction in which the text gets its row, and goes with it. So there is never a
vector of another text, and what is forgotten or purged has none. Beside each vector stand the signs of its components,
by which a query compares itself with thousands of documents before it looks at a few hundred more closely.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping

from tacit.index import postings
from tacit.record import Record

_INSERT = "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)"
# In the order of ids, the latest messages come first.
_SELECT_MEMORIES = "SELECT doc_id, signs FROM vectors WHERE doc_id >= 0 ORDER BY doc_id LIMIT ?"
_SELECT_MESSAGES = "SELECT doc_id, signs FROM vectors WHERE doc_id < 0 ORDER BY doc_id LIMIT ?"
_SELECT_BY_ID = "SELECT doc_id, signs FROM vectors WHERE doc_id IN (SELECT value FROM json_each(?))"
_SELECT_BETWEEN = "SELECT doc_id, signs FROM vectors WHERE doc_id BETWEEN ? AND ?"
_SELECT_VECTORS = "SELECT doc_id, vector FROM vectors WHERE doc_id IN (SELECT value FROM json_each(?))"


class SignBlock(Record):
    """Sorted ids, and the signs of the vector of each."""

    doc_ids: list[int]
    signs: list[bytes]


# Changes


def write_vectors(connection: sqlite3.Connection, texts: Mapping[int, str]) -> None:
    """Store the vectors of texts, by document id. A text without any known word has none."""
    if not texts:
        return
    from tacit import meaning  # only here: prompts wait for processes that catch up with the log and write no text

    table = meaning.cached_table()
    if table is None:
        return
    encoded = ((doc_id, table.encode(text)) for doc_id, text in texts.items() if text)
    connection.executemany(
        _INSERT, ((doc_id, meaning.pack_signs(vector), vector) for doc_id, vector in encoded if any(vector))
    )


def remove_vectors(connection: sqlite3.Connection, doc_ids: Iterable[int]) -> None:
    """Remove the vectors of documents that are gone or have another text."""
    connection.executemany("DELETE FROM vectors WHERE doc_id = ?", ((doc_id,) for doc_id in doc_ids))


# Queries


def memory_signs(connection: sqlite3.Connection, doc_ids: Iterable[int], limit: int) -> SignBlock:
    """Return the signs of up to `limit` memories, and those of `doc_ids` in any case."""
    rows = dict(connection.execute(_SELECT_MEMORIES, (limit,)))
    if len(rows) == limit:
        memory_ids = [doc_id for doc_id in doc_ids if doc_id >= 0]
        rows.update(connection.execute(_SELECT_BY_ID, (json.dumps(memory_ids),)))
    return _block(rows)


def message_signs(connection: sqlite3.Connection, doc_ids: Iterable[int], limit: int) -> SignBlock:
    """Return the signs of the latest `limit` messages, and in any case those of the whole sessions of `doc_ids`."""
    rows = dict(connection.execute(_SELECT_MESSAGES, (limit,)))
    if len(rows) == limit:
        last = postings.start_id_of(max(rows))
        start_ids = {postings.start_id_of(doc_id) for doc_id in doc_ids if doc_id < 0}
        for start_id in sorted(start_id for start_id in start_ids if start_id >= last):
            rows.update(connection.execute(_SELECT_BETWEEN, (start_id, start_id + postings.IDS_PER_SESSION - 1)))
    return _block(rows)


def _block(rows: dict[int, bytes]) -> SignBlock:
    doc_ids = sorted(rows)
    return SignBlock(doc_ids, [rows[doc_id] for doc_id in doc_ids])


def load_vectors(connection: sqlite3.Connection, doc_ids: Iterable[int]) -> dict[int, bytes]:
    """Return the vectors of documents that have one."""
    return dict(connection.execute(_SELECT_VECTORS, (json.dumps(list(doc_ids)),)))
