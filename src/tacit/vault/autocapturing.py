"""Whether a session with an agent is captured: what the person said of that session, else what the settings say.

Hooks ask this at every turn, so nothing is loaded for the answer that most homes give.
"""

from __future__ import annotations

import os

from tacit.disk.ops import open_plain
from tacit.settings import Settings
from tacit.settings.variables import NO_MODE
from tacit.vault.home import HomePaths

_SAID = {True: b"on\n", False: b"off\n"}


def captures(settings: Settings, home: HomePaths, session: str, mode: str) -> bool:
    """Whether to capture; `mode` is the agent's, empty where it names none."""
    said = said_of(home, session)
    if said is not None:
        return said
    modes = settings.autocapture_on_modes
    return settings.autocapture_enabled and (not modes or (mode in modes and mode != NO_MODE))


def said_of(home: HomePaths, session: str) -> bool | None:
    """What the person said of this session. What cannot be read counts as no: they did say something."""
    if not session or not os.path.isdir(_folder(home)):
        return None
    try:
        with open_plain(place_of(home, session)) as file:
            return file.read(8) == _SAID[True]
    except FileNotFoundError:
        return None
    except OSError:
        return False


def say_of(on: bool) -> bytes:
    """What the file of a session holds."""
    return _SAID[on]


def place_of(home: HomePaths, session: str) -> str:
    """The file of a session; a name that an agent made up is no path."""
    from tacit.core.hashed import sha256

    return os.path.join(_folder(home), sha256(session.encode("utf-8", "surrogatepass")).hexdigest()[:32])


def left_out(settings: Settings, user_folder: str, directory: str) -> str:
    """The entry of `agents.ignore_directories` that a folder is in; empty where there is none."""
    places = {directory, os.path.realpath(directory)} if directory else set()
    for entry in settings.agents_ignore_directories:
        folder = os.path.join(user_folder, entry[2:]) if entry.startswith("~/") else os.path.expanduser(entry)
        if any(_is_below(place, one) for place in places for one in (folder, os.path.realpath(folder))):
            return entry
    return ""


def _folder(home: HomePaths) -> str:
    return home.path(".tacit", "autocapture")


def _is_below(place: str, folder: str) -> bool:
    return (place.rstrip("/") + "/").startswith(folder.rstrip("/") + "/")
