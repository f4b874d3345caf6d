"""Anything at all into every reader of ours: an answer, or the error that is documented."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from harness.person import Person

from tacit.errors import UsageError
from tacit.home.project import find_project
from tacit.home.settings import read_settings
from tests.chaos.apart import folder_in_memory
from tests.hostile.readers import distinct, readers, try_readers

CASES = 16_000


def test_no_input_makes_a_reader_fail() -> None:
    with folder_in_memory() as folder:
        trial = try_readers(str(folder), CASES)
    assert [one for one in distinct(trial.findings) if " s on " not in one] == []  # time is measured elsewhere


def test_every_reader_reads_what_is_sound(tmp_path: Path) -> None:
    """Else the test above would try nothing but refusals."""
    for reader in readers(str(tmp_path)):
        for data in reader.sound:
            reader.read(data)


@pytest.mark.parametrize(
    "data",
    [
        b"\xff\xfe[recall]",
        b"a = " + b"[" * 5_000,
        b"[recall]\nlimit = " + b"9" * 5_000,
        b"[recall]\nlimit = " + b"9" * 30,
    ],
    ids=["no UTF-8", "deep", "endless number", "large number"],
)
def test_settings_that_cannot_be_read_are_named(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "tacit.toml"
    path.write_bytes(data)
    with pytest.raises(UsageError, match=r"tacit\.toml"):
        read_settings(str(path))


@pytest.mark.parametrize("place", [b"\0", b"a\0b", b"x" * 5_000, b"/" * 3_000, b"\xff", b"~", b""], ids=range(7))
def test_a_pointer_to_nowhere_names_the_folder_itself(tmp_path: Path, place: bytes) -> None:
    (tmp_path / ".git").write_bytes(b"gitdir: " + place + b"\n")
    project = find_project(str(tmp_path), "/nowhere")
    assert project is not None
    assert project.root == str(tmp_path)
    assert project.names


def test_a_pointer_may_be_larger_than_anything_sensible(tmp_path: Path) -> None:
    (tmp_path / ".git").write_bytes(b"gitdir: " + b"a/" * (1 << 20))
    project = find_project(str(tmp_path), "/nowhere")
    assert project is not None and project.root == str(tmp_path)


def test_a_folder_whose_name_is_no_text_can_be_worked_in(person: Person) -> None:
    root = person.folder / os.fsdecode(b"odd\xff")
    (root / ".git").mkdir(parents=True)
    person.tacit("add", "never force push", cwd=root)
    assert person.texts("force", cwd=root) == ["never force push"]
    for words in ("list", "status", "brief", "doctor", "reindex"):
        person.tacit(*words.split(), cwd=root)
    assert "never force push" in (root / "docs" / "memory" / "memories.ndjson").read_text()
