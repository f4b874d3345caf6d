"""Views are replaced whole: the file is the old one or the new one, never a mixture, also after a power cut."""

from __future__ import annotations

import os

from tacit.disk.ops import PRIVATE_FILE, Disk, opened, write_all


def replace_file(disk: Disk, path: str, data: bytes, mode: int = PRIVATE_FILE) -> None:
    """Temporary file in the same folder, written and synced, then renamed over the target.

    The name is the same every time, so a crash leaves at most one stray file, which the next write takes over.
    The caller holds the lock that keeps two writers of one view apart.
    """
    folder, name = os.path.split(path)
    temporary = os.path.join(folder, f".{name}.tacit-new")
    with opened(disk, temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode) as fd:
        write_all(disk, fd, data)
        disk.sync_data(fd)
    disk.rename(temporary, path)
    disk.sync_folder(folder)


def read_file(path: str) -> bytes | None:
    """The bytes of a file, or nothing where there is none."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except (FileNotFoundError, NotADirectoryError):
        return None
