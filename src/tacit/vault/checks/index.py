"""The index, against a fresh replay of the log."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing

from tacit.index import reader
from tacit.index import store as index
from tacit.index.store import IndexUnwell, wellness
from tacit.log.verify import Finding
from tacit.vault.store import Store


def check(store: Store) -> Iterator[Finding]:
    path = store.home.index
    try:
        with wellness():
            kept = index.open_for_reading(path, store.log.lines_at())
    except IndexUnwell as error:
        yield Finding(path, f"the index cannot be used: {error}", "tacit reindex")
        return
    with closing(kept), closing(store.fresh_index()) as fresh:
        if what := _wrong(kept, fresh):
            yield Finding(path, what, "tacit reindex")


def _wrong(kept: sqlite3.Connection, fresh: sqlite3.Connection) -> str:
    try:
        with wellness():
            if kept.execute("PRAGMA quick_check").fetchone() != ("ok",):
                return "the index is damaged"
            same = list(reader.dump(kept, answers_only=True)) == list(reader.dump(fresh, answers_only=True))
            return "" if same else "the index is not what the log says"
    except IndexUnwell:
        return "the index is damaged"
