"""The index of a home, open to look into."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from tacit.index.database import open_for_writing


def index_of(home: Path) -> sqlite3.Connection:
    def line(segment: str, offset: int, length: int) -> bytes:
        return (home / segment).read_bytes()[offset : offset + length - 1]

    return open_for_writing(str(home / "index.sqlite"), line)
