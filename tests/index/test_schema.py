"""The tables of the index: SQLite finds nothing wrong with them, whatever they hold."""

from __future__ import annotations

import sqlite3

import pytest

ROWS = 400


def tables(index: sqlite3.Connection) -> list[str]:
    return [name for (name,) in index.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")]


def fill(index: sqlite3.Connection, table: str) -> None:
    """Insert rows that differ from each other in every column; what may be NULL is NULL in every third row."""
    columns = index.execute(f"PRAGMA table_info({table})").fetchall()
    places = ", ".join("?" * len(columns))
    for row in range(ROWS):
        values = [
            None if not (not_null or key) and row % 3 == 0 else generated(kind, row + 7 * column)
            for column, _name, kind, not_null, _default, key in columns
        ]
        index.execute(f"INSERT INTO {table} VALUES ({places})", values)


def generated(kind: str, number: int) -> str | int | float | bytes:
    match kind:
        case "TEXT":
            return f"text {number}"
        case "INTEGER":
            return number
        case "REAL":
            return number / 8
        case "BLOB":
            return b"bytes %d" % number
    raise AssertionError(f"no values of the type {kind!r}")


@pytest.mark.parametrize("check", ["quick_check", "integrity_check"])
def test_a_healthy_index_with_rows_in_every_table_is_not_called_damaged(index: sqlite3.Connection, check: str) -> None:
    for table in tables(index):
        fill(index, table)
    assert index.execute(f"PRAGMA {check}").fetchall() == [("ok",)], sqlite3.sqlite_version


def test_in_tables_without_row_ids_the_columns_of_the_key_come_first_and_in_its_order(
    index: sqlite3.Connection,
) -> None:
    """SQLite 3.40 and 3.41.0 check the wrong columns of other tables, and call them damaged."""
    without_row_ids = [name for _, name, _, _, is_without, _ in index.execute("PRAGMA table_list") if is_without]
    assert without_row_ids
    for table in without_row_ids:
        keys = [key for *_, key in index.execute(f"PRAGMA table_info({table})")]
        assert keys == [*range(1, max(keys) + 1), *[0] * keys.count(0)], table
