"""A folder as a remote: files are replaced whole, and nothing of anybody else is touched."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tacit.errors import NotFoundError, RemoteError
from tacit.remotes.transport import FolderTransport, normalize_address, open_transport

AREA = "a" * 32


def names(folder: Path) -> set[str]:
    return set(os.listdir(folder / AREA))


def test_an_area_is_what_was_published_last(tmp_path: Path) -> None:
    transport = FolderTransport(str(tmp_path))
    segments = {f"{letter * 32}.age": letter.encode() for letter in "bcd"}
    transport.publish(AREA, {**segments, "manifest.age": b"1", "ring.age": b"r"}, [])
    transport.publish(AREA, {"manifest.age": b"22", "ring.age": b"r"}, [f"{'c' * 32}.age"])
    assert transport.files() == {f"{AREA}/{'c' * 32}.age": 1, f"{AREA}/manifest.age": 2, f"{AREA}/ring.age": 1}
    assert transport.read(f"{AREA}/manifest.age") == b"22"
    transport.remove(AREA)
    assert transport.files() == {} and not (tmp_path / AREA).exists()


def test_copies_of_our_files_go_and_files_of_others_stay(tmp_path: Path) -> None:
    transport = FolderTransport(str(tmp_path))
    transport.publish(AREA, {"manifest.age": b"1"}, [])
    for name in (f"{'b' * 32} (conflicted copy).age", "manifest.age~", f".{'c' * 32}.age.tacit-new", "photo.jpg"):
        (tmp_path / AREA / name).write_bytes(b"x")
    transport.publish(AREA, {"manifest.age": b"2"}, [])
    assert names(tmp_path) == {"manifest.age", "photo.jpg"}
    transport.remove(AREA)
    assert names(tmp_path) == {"photo.jpg"}


def test_links_pipes_and_giants_are_not_read(tmp_path: Path) -> None:
    transport = FolderTransport(str(tmp_path))
    transport.publish(AREA, {"manifest.age": b"1"}, [])
    (tmp_path / "secret").write_bytes(b"secret")
    (tmp_path / AREA / "link").symlink_to(tmp_path / "secret")
    os.mkfifo(tmp_path / AREA / "pipe")
    with (tmp_path / AREA / "giant").open("wb") as file:
        file.truncate(1 << 40)
    for name in ("link", "pipe", "giant", "none"):
        assert transport.read(f"{AREA}/{name}") is None
    (tmp_path / ("b" * 32)).symlink_to(tmp_path / AREA)
    assert all(path.startswith(AREA) for path in transport.files())


def test_an_area_that_is_a_link_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "remote").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "remote" / AREA).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(RemoteError):
        FolderTransport(str(tmp_path / "remote")).publish(AREA, {"manifest.age": b"1"}, [])
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_folder_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    """It may be a stick that is not mounted."""
    with pytest.raises(RemoteError, match="not mounted"):
        FolderTransport(str(tmp_path / "stick")).fetch()
    with pytest.raises(NotFoundError):
        normalize_address(str(tmp_path / "stick"))
    assert not (tmp_path / "stick").exists()


def test_an_address_decides_what_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    assert normalize_address("folder") == str(tmp_path / "folder")
    kinds = {
        str(tmp_path / "folder"): "FolderTransport",
        "git@example.com:x": "GitTransport",
        "postgresql://example.com/x": "DatabaseTransport",
    }
    for url, kind in kinds.items():
        assert type(open_transport(url, str(tmp_path / "mirror"))).__name__ == kind
