"""What a person asked not to be captured: `[shell] ignore` and `ignore_directories`."""

from __future__ import annotations

import os
from collections.abc import Callable

from tacit.capture.shell import is_ignored
from tacit.core.observation import CommandRan
from tacit.settings import Settings


def ignoring(settings: Settings, user_folder: str) -> Callable[[CommandRan], bool] | None:
    """Whether a command is to be left out; nothing where nothing is asked for."""
    if not settings.shell_ignore and not settings.shell_ignore_directories:
        return None
    folders = [_expanded(path, user_folder) for path in settings.shell_ignore_directories]

    def left_out(ran: CommandRan) -> bool:
        places = {ran.directory, os.path.realpath(ran.directory)} if ran.directory else set()
        return is_ignored(ran, sorted(places), settings.shell_ignore, folders)

    return left_out


def _expanded(path: str, user_folder: str) -> str:
    return os.path.join(user_folder, path[2:]) if path.startswith("~/") else os.path.expanduser(path)
