"""Whether a command or session is recorded: settings, the person's choice, ignored lines and folders."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from tacit.disk.files import open_plain
from tacit.home.paths import HomePaths
from tacit.home.settings import NO_MODE, Settings
from tacit.model.observation import CommandRan

# What is never captured, wherever it comes from: a line that gives Tacit a text to take out.

_PURGE_COMMANDS = ("purge", "redact")


def is_purge_command(line: str) -> bool:
    """`tacit purge --text …` must not bring in what it takes out."""
    words = line.split()
    return any(word in words for word in _PURGE_COMMANDS) and any(word.rpartition("/")[2] == "tacit" for word in words)


def is_ignored(ran: CommandRan, places: Sequence[str], patterns: Sequence[str], directories: Sequence[str]) -> bool:
    """Whether a person asked for this not to be captured. `places` are the names of the directory it ran in."""
    if any(_is_below(place, directory) for place in places for directory in directories):
        return True
    if not patterns:
        return False
    from fnmatch import fnmatchcase

    lines = [line for line in (ran.command, ran.meant, ran.planned) if line]
    return any(fnmatchcase(line, pattern) for line in lines for pattern in patterns)


def _is_below(place: str, directory: str) -> bool:
    return (place.rstrip("/") + "/").startswith(directory.rstrip("/") + "/")


def _without_blanks(line: str) -> str:
    """A line without what a shell changes when it only writes it out differently."""
    return "".join(line.replace(";", " ").split())


# Whether a session with an agent is captured: what the person said of that session, else what the settings say.
#
# Hooks ask this at every turn, so nothing is loaded for the answer that most homes give.

_CHOICE_BYTES = {True: b"on\n", False: b"off\n"}


def is_session_captured(settings: Settings, home: HomePaths, session: str, mode: str) -> bool:
    """Whether to capture; `mode` is the agent's, empty where it names none."""
    said = session_choice(home, session)
    if said is not None:
        return said
    modes = settings.autocapture_on_modes
    return settings.autocapture_enabled and (not modes or (mode in modes and mode != NO_MODE))


def session_choice(home: HomePaths, session: str) -> bool | None:
    """What the person said of this session. What cannot be read counts as no: they did say something."""
    if not session or not os.path.isdir(_choices_folder(home)):
        return None
    try:
        with open_plain(choice_file(home, session)) as file:
            return file.read(8) == _CHOICE_BYTES[True]
    except FileNotFoundError:
        return None
    except OSError:
        return False


def encode_choice(on: bool) -> bytes:
    """What the file of a session holds."""
    return _CHOICE_BYTES[on]


def choice_file(home: HomePaths, session: str) -> str:
    """The file of a session; a name that an agent made up is no path."""
    from tacit.model.ids import sha256

    return os.path.join(_choices_folder(home), sha256(session.encode("utf-8", "surrogatepass")).hexdigest()[:32])


def matching_ignore_entry(settings: Settings, user_folder: str, directory: str) -> str:
    """The entry of `agents.ignore_directories` that a folder is in; empty where there is none."""
    places = {directory, os.path.realpath(directory)} if directory else set()
    for entry in settings.agents_ignore_directories:
        folder = os.path.join(user_folder, entry[2:]) if entry.startswith("~/") else os.path.expanduser(entry)
        if any(_is_in_folder(place, one) for place in places for one in (folder, os.path.realpath(folder))):
            return entry
    return ""


def _choices_folder(home: HomePaths) -> str:
    return home.path(".tacit", "autocapture")


def _is_in_folder(place: str, folder: str) -> bool:
    return (place.rstrip("/") + "/").startswith(folder.rstrip("/") + "/")


# What a person asked not to be captured: `[shell] ignore` and `ignore_directories`.


def ignore_filter(settings: Settings, user_folder: str) -> Callable[[CommandRan], bool] | None:
    """Whether a command is to be left out; nothing where nothing is asked for."""
    if not settings.shell_ignore and not settings.shell_ignore_directories:
        return None
    folders = [_expand_home(path, user_folder) for path in settings.shell_ignore_directories]

    def left_out(ran: CommandRan) -> bool:
        places = {ran.directory, os.path.realpath(ran.directory)} if ran.directory else set()
        return is_ignored(ran, sorted(places), settings.shell_ignore, folders)

    return left_out


def _expand_home(path: str, user_folder: str) -> str:
    return os.path.join(user_folder, path[2:]) if path.startswith("~/") else os.path.expanduser(path)
