"""Reading what others wrote: plain files of a bounded size, whatever is in their place."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from harness.person import Person

from tacit.disk.read import (
    file_signature,
    has_plain_sidecars,
    has_tables,
    open_external,
    read_external,
    read_foreign,
    read_head,
    run_git,
    sqlite_sidecars,
)
from tacit.errors import RefusedError

FOREIGN_LIMIT = 4 << 20


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path.resolve() / "file"
    path.write_bytes(b"line\n")
    path.chmod(0o664)
    return path


def test_a_foreign_file_comes_with_its_owner_its_other_writers_and_its_signature(file: Path) -> None:
    read = read_foreign(str(file))
    assert read is not None
    assert (read.data, read.owner, read.writers) == (b"line\n", os.geteuid(), 0o020)
    assert read.signature == file_signature(str(file)) != ""


def test_a_foreign_file_is_not_read_through_a_link_from_a_pipe_or_if_it_is_too_large(file: Path) -> None:
    folder = file.parent
    (folder / "link").symlink_to(file)
    os.mkfifo(folder / "pipe")
    for name, size in (("largest", FOREIGN_LIMIT), ("larger", FOREIGN_LIMIT + 1)):
        (folder / name).touch()
        os.truncate(folder / name, size)
    names = ("link", "pipe", "larger", "absent", ".", "largest")
    assert [name for name in names if read_foreign(str(folder / name))] == ["largest"]


def test_a_signature_changes_with_bytes_mode_and_replacement_and_is_empty_behind_a_link(file: Path) -> None:
    def replace() -> None:
        copy = file.with_name("copy")
        shutil.copy2(file, copy)
        copy.replace(file)

    signatures = {file_signature(str(file))}
    for change in (lambda: file.write_bytes(b"another line\n"), lambda: file.chmod(0o600), replace):
        change()
        signatures.add(file_signature(str(file)))
    assert len(signatures) == 4
    (file.parent / "folder").symlink_to(file.parent)
    assert file_signature(str(file.parent / "folder" / "file")) == file_signature("/nowhere/file") == ""


def test_a_file_of_another_program_is_read_through_a_link(file: Path) -> None:
    (file.parent / "link").symlink_to(file)
    (file.parent / "empty").touch()
    assert read_external(str(file.parent / "link")) == b"line\n"
    assert read_external(str(file.parent / "empty")) == b""
    with open_external(str(file)) as opened:
        assert opened.readline() == b"line\n"


def test_what_is_no_plain_file_of_another_program_is_refused_by_name(file: Path) -> None:
    pipe = file.parent / "a pipe"
    os.mkfifo(pipe)
    with pytest.raises(RefusedError, match="is no plain file") as refused:
        read_external(str(pipe))
    assert refused.value.hint == f"ls -l '{pipe}'"
    with pytest.raises(RefusedError, match="is no plain file"):
        read_external("/dev/zero")
    with pytest.raises(IsADirectoryError):
        read_external(str(file.parent))
    with pytest.raises(FileNotFoundError):
        read_external(str(file.parent / "absent"))


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="only Linux has files that claim to be empty")
def test_a_file_that_claims_to_be_empty_and_is_not_is_refused() -> None:
    with pytest.raises(RefusedError, match="is no plain file"):
        open_external("/proc/self/status")


def test_a_file_larger_than_the_limit_is_refused_and_one_of_its_size_is_read(file: Path) -> None:
    assert read_external(str(file), 5) == b"line\n"
    with pytest.raises(RefusedError, match=r"larger than any such file \(5 bytes\)"):
        read_external(str(file), 4)


def test_the_head_of_anything_but_a_plain_file_is_empty(file: Path) -> None:
    os.mkfifo(file.parent / "pipe")
    assert read_head(str(file), 3) == b"lin"
    assert {read_head(str(file.parent / name), 3) for name in ("pipe", "absent", ".", "nul\0")} == {b""}


@pytest.mark.parametrize("suffix", ["-wal", "-shm", "-journal"])
def test_a_sidecar_of_a_database_must_be_a_plain_file(tmp_path: Path, suffix: str) -> None:
    path = str(tmp_path / "db")
    sidecar = Path(path + suffix)
    assert str(sidecar) in sqlite_sidecars(path) and has_plain_sidecars(path)
    others: tuple[Callable[[], object], ...] = (lambda: sidecar.symlink_to("nowhere"), lambda: os.mkfifo(sidecar))
    for make in (sidecar.touch, *others):
        make()
        assert has_plain_sidecars(path) is (make not in others)
        sidecar.unlink()


@pytest.mark.parametrize("text_factory", [str, bytes])
def test_a_view_or_a_virtual_table_does_not_count_as_a_table(text_factory: type) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.text_factory = text_factory
        connection.execute("CREATE TABLE commands (line)")
        connection.execute("CREATE TABLE sessions (id)")
        connection.execute("CREATE VIEW seen AS SELECT * FROM commands")
        connection.execute("CREATE VIRTUAL TABLE words USING fts5 (text)")
        connection.execute("create  virtual TABLE more USING fts5 (text)")
        assert has_tables(connection, "commands", "sessions")
        for name in ("seen", "words", "more", "absent"):
            assert not has_tables(connection, "commands", name)


# Git runs in the repository it is given, starts no program of it, and has a deadline


def test_variables_do_not_lead_to_another_repository(person: Person) -> None:
    one, other = person.repository("one"), person.repository("other")
    environment = {**person.environment(), "GIT_DIR": str(other / ".git"), "GIT_WORK_TREE": str(other)}
    done = run_git(str(one), environment, "rev-parse", "--show-toplevel")
    assert done is not None and done.stdout.strip() == str(one.resolve())


def test_without_git_or_in_time_there_is_no_answer(person: Person, tmp_path: Path) -> None:
    root = str(person.repository())
    assert run_git(root, {"PATH": str(tmp_path)}, "status") is None
    slow = tmp_path / "git"
    slow.write_text("#!/bin/sh\nexec sleep 60\n")
    slow.chmod(0o755)
    assert run_git(root, {"PATH": f"{tmp_path}:/usr/bin:/bin"}, "status", seconds=0.2) is None


def test_a_monitor_of_the_repository_is_not_started(person: Person) -> None:
    root, touched = person.repository(), person.folder / "touched"
    program = person.folder / "monitor"
    program.write_text(f"#!/bin/sh\ntouch {touched}\n")
    program.chmod(0o755)
    person.git(root, "config", "core.fsmonitor", str(program))
    done = run_git(str(root), person.environment(), "status")
    assert done is not None and done.returncode == 0
    assert not touched.exists()
