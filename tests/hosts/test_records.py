"""The records of a file, whatever state it is in."""

from __future__ import annotations

import json
import os
from io import BytesIO
from pathlib import Path

from tacit.hosts.records import MAX_LINE_BYTES, NOT_JSON, NOT_OBJECT, TOO_LONG, ReadStats, read_records, start_offset

A, B = b'{"type":"a","text":"one"}', b'{"type":"b","text":"two"}'


def read(data: bytes, offset: int = 0) -> tuple[list[object], ReadStats]:
    tally = ReadStats()
    return [record.get("type") for _, record in read_records(BytesIO(data), offset, tally)], tally


def test_a_record_knows_where_its_line_begins() -> None:
    found = list(read_records(BytesIO(A + b"\n\n" + B + b"\n"), 0, ReadStats()))

    assert [offset for offset, _ in found] == [0, len(A) + 2]


def test_reading_begins_at_an_offset() -> None:
    assert read(A + b"\n" + B + b"\n", len(A) + 1)[0] == ["b"]


def test_a_torn_last_line_is_not_read_until_it_is_whole() -> None:
    for cut in range(1, len(B)):
        found, tally = read(A + b"\n" + B[:cut])
        assert found == ["a"] and not tally.damaged and tally.bytes_read == len(A) + 1
    assert read(A + b"\n" + B)[0] == ["a", "b"]


def test_a_broken_line_harms_only_itself() -> None:
    found, tally = read(A + b"\nnot json\n[1]\n" + b"[" * 200_000 + b"\n\xff\xfe\n" + B + b"\n")

    assert found == ["a", "b"]
    assert tally.damaged == {NOT_JSON: 3, NOT_OBJECT: 1}


def test_two_records_in_one_line_are_both_read() -> None:
    assert read(A + B + b"\n")[0] == ["a", "b"]


def test_a_record_behind_one_that_was_cut_off_is_read() -> None:
    found, tally = read(A[:-8] + B + b"\n")

    assert found == ["b"] and tally.damaged == {NOT_JSON: 1}


def test_a_line_that_is_too_long_is_counted_and_passed_over() -> None:
    long = json.dumps({"type": "long", "text": "x" * MAX_LINE_BYTES}).encode()
    found, tally = read(A + b"\n" + long + b"\n" + B + b"\n")

    assert found == ["a", "b"]
    assert tally.damaged == {TOO_LONG: 1} and tally.bytes_read == len(A) + len(long) + len(B) + 3


def test_a_hole_of_a_terabyte_is_leapt_over(tmp_path: Path) -> None:
    path, hole = tmp_path / "sparse.jsonl", 1 << 40
    with path.open("wb") as file:
        file.write(A + b"\n")
        file.seek(hole, 1)
        file.write(b"\n" + B + b"\n")
    tally = ReadStats()
    with path.open("rb") as file:
        found = [(offset, record["type"]) for offset, record in read_records(file, 0, tally)]

    assert found == [(0, "a"), (len(A) + 1 + hole + 1, "b")]
    assert tally.damaged == {TOO_LONG: 1}
    assert tally.bytes_read == path.stat().st_size


def test_a_hole_to_the_end_is_not_read_until_its_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "sparse.jsonl"
    path.write_bytes(A + b"\n")
    os.truncate(path, 1 << 40)
    with path.open("rb") as file:
        assert [record["type"] for _, record in read_records(file, 0, ReadStats())] == ["a"]


def test_bytes_that_are_no_text_become_the_replacement_character() -> None:
    ((_, record),) = read_records(BytesIO(b'{"type":"a","text":"\xff"}\n'), 0, ReadStats())

    assert record["text"] == "\ufffd"


def test_an_offset_at_which_no_line_begins_means_the_front() -> None:
    file = BytesIO(A + b"\n" + B + b"\n")

    assert [start_offset(file, at) for at in (0, 3, len(A) + 1, 10_000)] == [0, 0, len(A) + 1, 0]
