"""Finding transcripts."""

from __future__ import annotations

import os
from pathlib import Path

from tacit.hosts.capture import detect_source, transcript_files


def test_transcripts_are_found_in_a_stable_order(tmp_path: Path) -> None:
    for name in ("b/2.jsonl", "b/1.json", "a.jsonl", "c.db", "notes.md", "x.jsonl.bak"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.touch()

    assert [os.path.relpath(path, tmp_path) for path in transcript_files(str(tmp_path))] == [
        "a.jsonl",
        "b/1.json",
        "b/2.jsonl",
        "c.db",
    ]


def test_links_and_what_is_no_plain_file_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a.jsonl").touch()
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "real" / "a.jsonl")
    (tmp_path / "linked").symlink_to(tmp_path / "real")
    (tmp_path / "loop").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "pipe.jsonl")

    assert list(transcript_files(str(tmp_path))) == [str(tmp_path / "real" / "a.jsonl")]
    assert list(transcript_files(str(tmp_path / "link.jsonl"))) == []
    assert list(transcript_files(str(tmp_path / "missing"))) == []


def test_one_file_is_found_by_its_path(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").touch()

    assert list(transcript_files(str(tmp_path / "a.jsonl"))) == [str(tmp_path / "a.jsonl")]


def test_a_file_of_nobody_has_no_source() -> None:
    for path, head in (
        ("a.jsonl", b'{"a":1}\n'),
        ("a.db", b"SQLite format 3\0"),
        ("package.json", b'{"name":"x"}'),
        ("a", b""),
    ):
        assert detect_source(path, head) is None
