"""Making a home: its folders, and nothing in them."""

from __future__ import annotations

from tacit.disk.lock import read_only, refuses_writes
from tacit.disk.ops import make_folder
from tacit.vault.home import FOLDERS, Home


def make_home(home: Home) -> None:
    """The folders of a home."""
    try:
        for folder in ("", *FOLDERS):
            make_folder(home.path(folder) if folder else home.root)
    except OSError as error:
        if refuses_writes(error):
            raise read_only(home.root) from error
        raise
