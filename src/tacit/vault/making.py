"""Making a home: its folders, and nothing in them."""

from __future__ import annotations

import os

from tacit.disk.lock import read_only, refuses_writes
from tacit.disk.ops import make_folder
from tacit.vault.home import FOLDERS, HomePaths


def make_home(home: HomePaths) -> None:
    """The folders of a home. What is there stays, even a link: whoever writes below it says what is wrong."""
    try:
        make_folder(home.root)
        for folder in FOLDERS:
            if not os.path.lexists(home.path(folder)):
                make_folder(home.path(folder), below=home.root)
    except OSError as error:
        if refuses_writes(error):
            raise read_only(home.root) from error
        raise
