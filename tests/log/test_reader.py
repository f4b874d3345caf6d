"""Reading the log: complete lines only, from any point on, with bounded memory; and copies of segments."""

from __future__ import annotations

import os
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tacit.log.codec import encode
from tacit.log.reader import MAX_LINE_BYTES, RawLine, read_lines, stray_segments
from tacit.model.observation import WorkLogged
from tests.support.events import event

LINE = encode(event(1, WorkLogged("T-1", "a step")))
unhurried = settings(deadline=None)  # a slow machine is no finding
files = st.binary(max_size=60) | st.lists(st.sampled_from((b"\n", b"a", b"bc\r", b"\x85\xe2\x80\xa8", b"\0"))).map(
    b"".join
)


def read(data: bytes, offset: int = 0, number: int = 0) -> list[RawLine]:
    return list(read_lines(BytesIO(data), offset=offset, number=number))


@unhurried
@given(files)
def test_every_complete_line_is_read_and_the_torn_tail_is_not(data: bytes) -> None:
    found = read(data)
    complete = data[: data.rfind(b"\n") + 1]
    assert b"".join(line.data + b"\n" for line in found) == complete
    assert [line.number for line in found] == list(range(1, complete.count(b"\n") + 1))
    assert all(data[line.offset : line.end] == line.data + b"\n" for line in found)


@unhurried
@given(files)
def test_reading_on_from_any_line_gives_the_rest(data: bytes) -> None:
    found = read(data)
    for at, line in enumerate(found):
        assert read(data, line.end, line.number) == found[at + 1 :]


@unhurried
@given(st.integers(-3, 3), st.booleans())
@example(0, True)
def test_the_longest_line_is_read_and_a_longer_one_is_passed_over(more: int, ended: bool) -> None:
    long = b"x" * (MAX_LINE_BYTES - 1 + more) + b"\n"
    data = b"before\n" + long + b"after" + (b"\n" if ended else b"")
    before, middle, *rest = read(data)
    assert (before.data, before.too_long) == (b"before", False)
    assert (middle.too_long, middle.data) == ((True, b"") if more > 0 else (False, long[:-1]))
    assert (middle.number, middle.offset, middle.length) == (2, 7, len(long))
    assert [(line.number, line.offset, line.data) for line in rest] == [(3, 7 + len(long), b"after")] * ended


def test_a_line_of_many_pieces_is_passed_over_whole() -> None:
    data = b"x" * (5 * MAX_LINE_BYTES + 17) + b"\nafter\n"
    first, last = read(data)
    assert (first.too_long, first.data, first.length) == (True, b"", 5 * MAX_LINE_BYTES + 18)
    assert (last.number, last.offset, last.data) == (2, first.end, b"after")


def test_an_endless_line_is_never_yielded() -> None:
    assert read(b"x" * (3 * MAX_LINE_BYTES)) == []
    assert read(b"") == []


def put(home: Path, name: str, data: bytes = LINE) -> Path:
    path = home / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("name", ["memory/events (Kopie von Kim).jsonl", "activity/~", "imported/日本.txt"])
def test_a_copy_of_a_segment_is_known_by_its_events_whatever_its_name(tmp_path: Path, name: str) -> None:
    put(tmp_path, "memory/events.jsonl")
    put(tmp_path, name, b"<<<<<<< a line of a merge\n" + LINE)
    assert list(stray_segments(str(tmp_path))) == [name]


def test_an_event_behind_a_very_long_line_counts(tmp_path: Path) -> None:
    put(tmp_path, "memory/copy", b"x" * 100_000 + b"\n" + LINE)
    assert list(stray_segments(str(tmp_path))) == ["memory/copy"]


def test_files_without_events_views_and_unfinished_writes_are_no_segments(tmp_path: Path) -> None:
    put(tmp_path, "memory/notes.txt", b"buy milk\n")
    put(tmp_path, "memory/changed.jsonl", LINE.replace(b"a step", b"a stop"))
    for name in ("long-term 2.md", "memories.ndjson", ".events.jsonl.tacit-new", ".events.jsonl.suspect"):
        put(tmp_path, f"memory/{name}")
    put(tmp_path, "sessions/copy.jsonl")
    assert list(stray_segments(str(tmp_path))) == []


def test_links_folders_and_named_pipes_are_not_read(tmp_path: Path) -> None:
    target = put(tmp_path, "elsewhere.jsonl")
    folder = tmp_path / "memory"
    folder.mkdir()
    (folder / "link.jsonl").symlink_to(target)
    (folder / "folder.jsonl").mkdir()
    os.mkfifo(folder / "pipe.jsonl")
    assert list(stray_segments(str(tmp_path))) == []
