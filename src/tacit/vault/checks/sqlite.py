"""SQLite: a version that can search, and what is known of it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from tacit.log.verify import Finding
from tacit.vault.store import Store

# The write-ahead log of these versions can lose a page when two connections reset it at once. Ours never do
# (every write and checkpoint happens under one lock), so this is for the person's other programs.
_WAL_MENDED = ((3, 44, 6), (3, 50, 7), (3, 51, 3))


def check(_store: Store) -> Iterator[Finding]:
    if not is_mended(sqlite3.sqlite_version_info):
        yield Finding(
            f"SQLite {sqlite3.sqlite_version}",
            "its write-ahead log has a known race between two writers; Tacit never has two",
            "nothing for Tacit; update SQLite for other programs that share databases",
            False,
        )


def is_mended(version: tuple[int, ...]) -> bool:
    if version < (3, 7, 0) or version >= _WAL_MENDED[-1]:
        return True
    return any(version[:2] == row[:2] and version >= row for row in _WAL_MENDED)
