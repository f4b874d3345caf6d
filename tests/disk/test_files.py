"""Durable writes and reads of plain files: no links, no pipes, the old file or the new one."""

from __future__ import annotations

import errno
import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import chdir, closing, contextmanager
from pathlib import Path

import pytest

from tacit.disk.files import (
    OsDisk,
    link_error,
    make_folder,
    open_fd,
    open_folder,
    open_plain,
    read_file,
    remove_file,
    replace_file,
    skip_hole,
    sqlite_uri,
    stage_file,
    write_all,
)

READ, WRITE, CREATE = os.O_RDONLY, os.O_WRONLY, os.O_WRONLY | os.O_CREAT


@contextmanager
def umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_link_and_a_pipe_are_not_opened(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"theirs")
    (tmp_path / "link").symlink_to("file")
    os.mkfifo(tmp_path / "pipe")
    for name in ("link", "pipe"):
        with pytest.raises(OSError) as refused:
            OsDisk().open(str(tmp_path / name), READ, 0)
        assert refused.value.errno == (errno.ELOOP if name == "link" else errno.EINVAL)
        assert refused.value.filename == str(tmp_path / name)


def test_a_file_with_a_second_name_is_read_but_not_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"theirs")
    os.link(tmp_path / "file", tmp_path / "second")
    with open_plain(str(tmp_path / "second")) as file:
        assert file.read() == b"theirs"
    with pytest.raises(OSError, match="second name elsewhere") as refused:
        OsDisk().open(str(tmp_path / "second"), WRITE, 0)
    assert refused.value.errno == errno.EMLINK


def test_below_the_root_no_folder_is_reached_through_a_link_but_the_root_may_be_one(tmp_path: Path) -> None:
    (tmp_path / "disk" / "memory").mkdir(parents=True)
    (tmp_path / "disk" / "linked").symlink_to("memory")
    root = tmp_path / "home"
    root.symlink_to("disk")
    disk = OsDisk(str(root))
    replace_file(disk, str(root / "memory" / "page"), b"ours")
    assert (tmp_path / "disk" / "memory" / "page").read_bytes() == b"ours"
    for change in (
        lambda: disk.open(str(root / "linked" / "page"), READ, 0),
        lambda: disk.remove(str(root / "linked" / "page")),
        lambda: disk.rename(str(root / "memory" / "page"), str(root / "linked" / "other")),
        lambda: disk.sync_folder(str(root / "linked")),
    ):
        with pytest.raises(OSError) as refused:
            change()
        assert (refused.value.errno, refused.value.filename) == (errno.ELOOP, str(root / "linked"))
    assert os.listdir(tmp_path / "disk" / "memory") == ["page"]


class SmallWrites(OsDisk):
    """Takes three bytes at a time, as a system under pressure may."""

    def write(self, fd: int, data: bytes) -> int:
        return super().write(fd, data[:3])


def test_all_bytes_are_written_even_if_the_system_takes_few_at_a_time(tmp_path: Path) -> None:
    disk, path = SmallWrites(), str(tmp_path / "file")
    with open_fd(disk, path, CREATE) as fd:
        write_all(disk, fd, b"a longer line\n")
    assert read_file(path) == b"a longer line\n"


def test_what_cannot_be_a_file_of_ours_reads_as_none_but_a_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/etc/passwd")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "file").write_bytes(b"ours")
    assert [read_file(str(tmp_path / name)) for name in ("link", "pipe", "absent", "file/below")] == [None] * 4
    with pytest.raises(OSError, match="not a plain file"):
        read_file(str(tmp_path))


def test_folders_are_private_whatever_the_umask_and_existing_ones_keep_their_mode(tmp_path: Path) -> None:
    (tmp_path / "open").mkdir(mode=0o755)
    with umask(0o277):
        make_folder(str(tmp_path / "open" / "a" / "b"))
    with umask(0):
        make_folder(str(tmp_path / "open" / "c" / "d"), below=str(tmp_path / "open"))
    made = ["open", "open/a", "open/a/b", "open/c", "open/c/d"]
    assert [mode(tmp_path / name) for name in made] == [0o755, 0o700, 0o700, 0o700, 0o700]
    (tmp_path / "file").touch()
    with pytest.raises(FileExistsError):
        make_folder(str(tmp_path / "file"))


def test_a_link_in_the_way_is_named_with_what_to_type(tmp_path: Path) -> None:
    (tmp_path / "my notes").mkdir()
    link = tmp_path / "memory"
    link.symlink_to("my notes")
    with pytest.raises(OSError) as refused:
        make_folder(str(link / "inner"), below=str(tmp_path))
    shown = link_error(refused.value)
    assert shown is not None and shown.message.startswith(f"{link} is a symbolic link")
    assert shown.hint.endswith(f"rm {link} && cp -a '{tmp_path}/my notes' {link}")
    (tmp_path / "my notes").rmdir()
    dangling = link_error(refused.value)
    assert dangling is not None and dangling.hint == f"rm {link}"
    assert link_error(OSError(errno.ENOENT, "", str(link))) is None


def test_replacing_a_file_leaves_no_other_and_keeps_readers_of_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "page"
    replace_file(OsDisk(), str(path), b"old")
    with path.open("rb") as reader:
        replace_file(OsDisk(), str(path), b"new")
        assert reader.read() == b"old"
    assert path.read_bytes() == b"new" and mode(path) == 0o600
    assert os.listdir(tmp_path) == ["page"]


@pytest.mark.parametrize("is_planted", [False, True])
def test_a_temporary_file_of_a_crash_or_of_others_is_removed_and_not_written_to(
    tmp_path: Path, is_planted: bool
) -> None:
    path, other = tmp_path / "page", tmp_path / "other"
    other.write_bytes(b"theirs")
    temporary = Path(stage_file(OsDisk(), str(path), b"of a writer that was killed"))
    assert not path.exists()
    if is_planted:
        temporary.unlink()
        temporary.symlink_to(other)
    replace_file(OsDisk(), str(path), b"new")
    assert (path.read_bytes(), other.read_bytes()) == (b"new", b"theirs")
    assert sorted(os.listdir(tmp_path)) == ["other", "page"]


def test_in_a_repository_folders_follow_the_umask_and_links_are_refused(tmp_path: Path) -> None:
    root, elsewhere = tmp_path / "work", tmp_path / "elsewhere"
    root.mkdir()
    elsewhere.mkdir()
    with umask(0o022):
        replace_file(OsDisk(), str(root / "docs" / "memory" / "facts"), b"shared", 0o666, below=str(root))
    assert mode(root / "docs") == 0o755 and mode(root / "docs" / "memory" / "facts") == 0o644
    (root / "linked").symlink_to(elsewhere)
    with pytest.raises(OSError) as refused:
        replace_file(OsDisk(), str(root / "linked" / "facts"), b"shared", below=str(root))
    assert refused.value.errno == errno.ELOOP and os.listdir(elsewhere) == []


def test_removing_a_file_removes_empty_folders_up_to_the_root_but_not_where_one_stands(tmp_path: Path) -> None:
    root = tmp_path / "work"
    for name in ("docs/memory/facts", "kept/memory/facts", "kept/other", "here/memory/facts"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()
    remove_file(OsDisk(), str(root / "docs/memory/facts"), str(root))
    remove_file(OsDisk(), str(root / "kept/memory/facts"), str(root))
    with chdir(root / "here"):
        remove_file(OsDisk(), str(root / "here/memory/facts"), str(root))
    assert sorted(str(path.relative_to(root)) for path in root.rglob("*")) == ["here", "kept", "kept/other"]


def test_a_folder_that_is_swapped_after_it_was_opened_does_not_matter(tmp_path: Path) -> None:
    (tmp_path / "work" / "docs").mkdir(parents=True)
    fd = open_folder(str(tmp_path / "work" / "docs"), str(tmp_path / "work"))
    try:
        (tmp_path / "work" / "docs").rename(tmp_path / "moved")
        (tmp_path / "work" / "docs").symlink_to("/etc")
        os.close(os.open("facts", CREATE, 0o600, dir_fd=fd))
    finally:
        os.close(fd)
    assert os.listdir(tmp_path / "moved") == ["facts"]


def test_a_hole_is_skipped_up_to_the_next_data_or_the_end(tmp_path: Path) -> None:
    path, size = tmp_path / "sparse", 1 << 20
    with path.open("wb") as file:
        os.truncate(file.fileno(), size)
        file.seek(size // 2)
        file.write(b"data")
    with path.open("rb") as file:
        assert skip_hole(file) == file.tell() == size // 2
        assert skip_hole(file) == 0 and file.read(4) == b"data"
        file.seek(size - 4096)
        assert skip_hole(file) == 4096 and file.read() == b""


@pytest.mark.parametrize("name", ["plain", "a?mode=memory", "a#b", "100%25", "with blank"])
def test_a_database_of_any_name_is_opened_and_none_is_created(tmp_path: Path, name: str) -> None:
    path = str(tmp_path / name)
    with pytest.raises(sqlite3.OperationalError):
        sqlite3.connect(sqlite_uri(path, "rw"), uri=True)
    with closing(sqlite3.connect(path)) as made:
        made.execute("CREATE TABLE t (x)")
    with closing(sqlite3.connect(sqlite_uri(path, "ro"), uri=True)) as opened:
        assert opened.execute("SELECT name FROM sqlite_master").fetchone() == ("t",)
    assert os.listdir(tmp_path) == [name]
