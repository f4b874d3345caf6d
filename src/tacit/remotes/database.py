"""A PostgreSQL database as a remote: one table of encrypted files, a row for each.

The person needs a database and a role that may create a schema in it, once. The server sees what a folder would show:
names that say nothing, sizes and times.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING

from tacit.postgres import address_of, connect, transaction
from tacit.remotes.manifest import MANIFEST_FILE

if TYPE_CHECKING:
    from tacit.postgres import Connection, Cursor

_MAX_FILE_BYTES = 64 << 20
_FILES_PER_TRANSACTION = 16  # of a megabyte at most
_HAS_TABLE = "SELECT to_regclass('tacit_remote.files') IS NOT NULL"
_MAKE_SCHEMA = "CREATE SCHEMA IF NOT EXISTS tacit_remote"
_MAKE_TABLE = """
CREATE TABLE IF NOT EXISTS tacit_remote.files (
  area text NOT NULL,
  name text NOT NULL,
  data bytea NOT NULL,
  written_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (area, name)
)
"""
_SELECT_SIZES = "SELECT area, name, octet_length(data) FROM tacit_remote.files"
_SELECT_DATA = "SELECT data FROM tacit_remote.files WHERE area = %s AND name = %s AND octet_length(data) <= %s"
_WRITE = """
INSERT INTO tacit_remote.files (area, name, data) VALUES (%s, %s, %s)
ON CONFLICT (area, name) DO UPDATE SET data = excluded.data, written_at = now()
"""
_REMOVE_OTHERS = "DELETE FROM tacit_remote.files WHERE area = %s AND NOT name = ANY(%s)"
_REMOVE_AREA = "DELETE FROM tacit_remote.files WHERE area = %s"


def check_url(url: str) -> None:
    """Raise UsageError for a URL that cannot be read, RefusedError for one with a password or a missing driver."""
    address_of(url)


class DatabaseTransport:
    """Rows of a table. The connection is opened on first use. Raises ServerError where others raise RemoteError."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._connection: Connection | None = None
        self._has_table = False

    def fetch(self) -> None:
        with transaction(self._connect()) as cursor:
            self._has_table = _has_table(cursor)

    def files(self) -> Mapping[str, int]:
        if not self._has_table:
            return {}
        with transaction(self._connect()) as cursor:
            rows = cursor.execute(_SELECT_SIZES).fetchall()
        return {f"{area}/{name}": int(str(size)) for area, name, size in rows}

    def read(self, path: str) -> bytes | None:
        area, _, name = path.partition("/")
        with transaction(self._connect()) as cursor:
            row = cursor.execute(_SELECT_DATA, (area, name, _MAX_FILE_BYTES)).fetchone()
        return row[0] if row is not None and isinstance(row[0], bytes) else None

    def publish(self, area: str, files: Mapping[str, bytes], keep: Collection[str]) -> None:
        self._make_table()
        for batch in _batches(name for name in files if name != MANIFEST_FILE):
            with transaction(self._connect()) as cursor:
                for name in batch:
                    cursor.execute(_WRITE, (area, name, files[name]))
        with transaction(self._connect()) as cursor:
            cursor.execute(_WRITE, (area, MANIFEST_FILE, files[MANIFEST_FILE]))
            cursor.execute(_REMOVE_OTHERS, (area, [*files, *keep]))

    def remove(self, area: str) -> None:
        with transaction(self._connect()) as cursor:
            cursor.execute(_REMOVE_AREA, (area,))

    def forget_replaced(self) -> None:
        """Do nothing: there are no copies on this machine."""

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _connect(self) -> Connection:
        if self._connection is None:
            self._connection = connect(self._url)
        return self._connection

    def _make_table(self) -> None:
        if not self._has_table:
            with transaction(self._connect()) as cursor:
                if not _has_table(cursor):  # CREATE … IF NOT EXISTS wants rights that are not needed any more
                    cursor.execute(_MAKE_SCHEMA)
                    cursor.execute(_MAKE_TABLE)
            self._has_table = True


def _has_table(cursor: Cursor) -> bool:
    row = cursor.execute(_HAS_TABLE).fetchone()
    return bool(row and row[0])


def _batches(names: Iterator[str]) -> Iterator[list[str]]:
    while batch := list(islice(names, _FILES_PER_TRANSACTION)):
        yield batch
