"""The database of OpenCode, read while the host may be writing it."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tacit.hosts.capture import SOURCES
from tacit.hosts.records import CaptureLimits, ReadStats, TranscriptEvent
from tacit.model.observation import PromptGiven, ReplyGiven, ToolOutcome, ToolUsed
from tests.support.transcripts import golden

LATER = 1_772_460_100_000


@pytest.fixture
def database(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """As the host has it open."""
    with closing(sqlite3.connect(golden("opencode/opencode.sql", tmp_path), isolation_level=None)) as opened:
        opened.execute("PRAGMA journal_mode = WAL")
        yield opened


def read(path: Path, since: int = 0) -> tuple[list[TranscriptEvent], ReadStats]:
    tally = ReadStats()
    with open(path / "opencode.db", "rb") as file:
        return list(SOURCES["opencode"].read(file, since, CaptureLimits(), tally)), tally


def test_what_was_not_done_is_heard_when_it_is(database: sqlite3.Connection, tmp_path: Path) -> None:
    before, tally = read(tmp_path)
    database.execute(
        "UPDATE part SET time_updated = ?, data = replace(replace(data, 'Still writ', 'Stopped.'), '}', "
        "',\"time\":{\"end\":1}}') WHERE data LIKE '%Still writ%'",
        (LATER,),
    )
    database.execute(
        "UPDATE message SET time_updated = ?, data = replace(data, '}', ',\"time\":{\"completed\":1}}') "
        "WHERE id LIKE '%0004T%'",
        (LATER,),
    )
    after, _ = read(tmp_path, tally.cursor)
    new = {one.key: one.body for one in after if one.key not in {old.key for old in before}}

    assert [body.text for body in new.values() if isinstance(body, ReplyGiven)] == ["Stopped."]
    assert set(new) == {one.key for one in read(tmp_path)[0]} - {one.key for one in before}


def test_reading_on_hears_only_what_changed(database: sqlite3.Connection, tmp_path: Path) -> None:
    _, tally = read(tmp_path)
    database.execute("UPDATE session SET time_updated = ?", (LATER,))
    database.execute(
        "INSERT INTO message VALUES ('msg_1defba9ba0099T86agm7xxm0u1', 'ses_e210457b0ffeYRrVQfiJsz8EAF', ?1, ?1, ?2)",
        (LATER, '{"role":"user"}'),
    )
    database.execute(
        "INSERT INTO part VALUES ('prt_1defba9ba0099T86agm7xxm0u1', 'msg_1defba9ba0099T86agm7xxm0u1', "
        "'ses_e210457b0ffeYRrVQfiJsz8EAF', ?1, ?1, ?2)",
        (LATER, '{"type":"text","text":"What now?"}'),
    )
    _, later = read(tmp_path)
    heard, _ = read(tmp_path, later.cursor)
    whole, _ = read(tmp_path)

    assert tally.cursor < later.cursor
    assert [one.body.text for one in heard if isinstance(one.body, PromptGiven)] == ["What now?"]
    unknown = {one.key for one in whole if isinstance(one.body, ToolUsed) and one.body.outcome is ToolOutcome.UNKNOWN}
    assert unknown <= {one.key for one in heard}  # calls that never ended, now that the person has gone on


def test_nothing_is_written_to_the_database_or_beside_it(tmp_path: Path) -> None:
    path = golden("opencode/opencode.sql", tmp_path)
    with closing(sqlite3.connect(path)) as host:
        host.execute("PRAGMA journal_mode = WAL")  # as the host leaves it
    before = (path.read_bytes(), path.stat().st_mtime_ns, sorted(os.listdir(tmp_path)))
    heard, _ = read(tmp_path)

    assert heard and (path.read_bytes(), path.stat().st_mtime_ns, sorted(os.listdir(tmp_path))) == before


def test_a_damaged_database_is_counted_and_never_an_error(tmp_path: Path) -> None:
    path = golden("opencode/opencode.sql", tmp_path)
    whole = path.read_bytes()
    for at in range(0, len(whole), 997):
        path.write_bytes(whole[:at] + b"\xff" * 200 + whole[at + 200 :])
        read(tmp_path)
    path.write_bytes(b"SQLite format 3\0")
    heard, tally = read(tmp_path)

    assert heard == [] and sum(tally.damaged.values()) == 1


def test_a_row_that_is_no_json_harms_only_itself(database: sqlite3.Connection, tmp_path: Path) -> None:
    whole, _ = read(tmp_path)
    database.execute("UPDATE part SET data = '{broken' WHERE data LIKE '%npm test%'")
    rest, tally = read(tmp_path)

    assert len(rest) == len(whole) - 1 and sum(tally.damaged.values()) == 1
