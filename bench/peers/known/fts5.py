"""The plainest thing that could work: one FTS5 table with stemming, and a question as its words joined by OR."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence

from bench.peers.peer import Needs, Peer, Place


class _Table:
    def __init__(self, place: Place) -> None:
        self._store = sqlite3.connect(place.home / "plain.db")
        self._store.execute("CREATE VIRTUAL TABLE IF NOT EXISTS texts USING fts5(text, tokenize = 'porter')")

    def add(self, texts: Sequence[str]) -> None:
        for text in texts:
            with self._store:
                self._store.execute("INSERT INTO texts VALUES (?)", (text,))

    def search(self, query: str, limit: int) -> list[str]:
        words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", query))
        rows = self._store.execute("SELECT text FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT ?", (words, limit))
        return [text for (text,) in rows]

    def close(self) -> None:
        self._store.close()


PEER = Peer("plain FTS5", "words", Needs(), _Table, version=lambda: sqlite3.sqlite_version)
