"""Whether a command or a session is captured: settings, the person's choice, ignored lines and folders.

Hooks ask this at every turn, so nothing is imported for the answer that most homes give.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import pairwise

from tacit.disk.files import open_plain
from tacit.home.paths import HomePaths
from tacit.home.settings import NO_MODE, Settings
from tacit.model.observation import CommandRan

_PURGE_COMMANDS = ("purge", "redact")
_WORD_ENDS = str.maketrans(dict.fromkeys(";|&(){}<>`\"'\\", " "))
_MIN_KEY_CHARS, _MIN_KEY_CHANGES = 20, 0.4
_CHOICES_FOLDER = (".tacit", "autocapture")
_CHOICE_BYTES = {True: b"on\n", False: b"off\n"}


def is_purge_command(line: str) -> bool:
    """Return whether a line is `tacit purge --text …`, which is never captured: it holds the text to be removed."""
    words = line.translate(_WORD_ENDS).split()
    return any(word in words for word in _PURGE_COMMANDS) and any(word.rpartition("/")[2] == "tacit" for word in words)


def is_key_line(line: str) -> bool:
    """Return whether a line is one random word in base64, and nothing else.

    Whoever pastes a private key into a shell by mistake runs each of its lines as a command.
    """
    word = line.strip().rstrip("=")
    if len(word) < _MIN_KEY_CHARS or not word.replace("+", "").replace("/", "").isalnum():
        return False
    kinds = ["A" if char.isupper() else "a" if char.islower() else "0" if char.isdigit() else "/" for char in word]
    changes = sum(first != second for first, second in pairwise(kinds))
    return {"A", "a", "0"}.issubset(kinds) and changes >= _MIN_KEY_CHANGES * len(word)  # in random text it is .65


def without_blanks(line: str) -> str:
    """Return a line without what a shell changes when it prints the line in another form."""
    return "".join(line.replace(";", " ").split())


def is_session_captured(settings: Settings, paths: HomePaths, session: str, mode: str) -> bool:
    """Return whether to capture a session: by the person's choice for it, else by the settings.

    `mode` is that of the agent, "" if it has none.
    """
    choice = session_choice(paths, session)
    if choice is not None:
        return choice
    modes = settings.autocapture_on_modes
    return settings.autocapture_enabled and (not modes or (mode in modes and mode != NO_MODE))


def session_choice(paths: HomePaths, session: str) -> bool | None:
    """Return the person's choice for a session, None if there is none. A file that cannot be read counts as no."""
    if not session or not os.path.isdir(paths.path(*_CHOICES_FOLDER)):
        return None
    try:
        with open_plain(choice_file(paths, session)) as file:
            return file.read(8) == _CHOICE_BYTES[True]
    except FileNotFoundError:
        return None
    except OSError:
        return False


def refuse_session(paths: HomePaths, session: str) -> None:
    """Let a session that ran where a variable turns capture off stay uncaptured, also when it goes on elsewhere."""
    from tacit.disk.files import OsDisk, make_folder, replace_file

    if session and os.path.isdir(paths.root) and session_choice(paths, session) is None:
        make_folder(paths.path(*_CHOICES_FOLDER), below=paths.root)
        replace_file(OsDisk(paths.root), choice_file(paths, session), encode_choice(False))


def encode_choice(on: bool) -> bytes:
    """Return the content of a session's choice file."""
    return _CHOICE_BYTES[on]


def choice_file(paths: HomePaths, session: str) -> str:
    """Return the path of a session's choice file. It is hashed: a session id of an agent may be any text."""
    from tacit.model.ids import sha256

    return paths.path(*_CHOICES_FOLDER, sha256(session.encode("utf-8", "surrogatepass")).hexdigest()[:32])


def matching_ignore_entry(settings: Settings, user_folder: str, directory: str) -> str:
    """Return the entry of `agents.ignore_directories` that contains a directory; "" if there is none."""
    places = _paths_of(directory)
    for entry in settings.agents_ignore_directories:
        folder = _expand_home(entry, user_folder)
        if any(_is_in_folder(place, path) for place in places for path in (folder, os.path.realpath(folder))):
            return entry
    return ""


def ignored_folders(settings: Settings, user_folder: str) -> list[str]:
    """Return the folders in which agents are told nothing, as they are written and as they are without links."""
    folders = [_expand_home(entry, user_folder) for entry in settings.agents_ignore_directories]
    return list(dict.fromkeys(path.rstrip("/") for folder in folders for path in (folder, os.path.realpath(folder))))


def _is_in_folder(place: str, folder: str) -> bool:
    return (place.rstrip("/") + "/").startswith(folder.rstrip("/") + "/")


def _paths_of(directory: str) -> set[str]:
    return {directory, os.path.realpath(directory)} if directory else set()


def ignore_filter(settings: Settings, user_folder: str) -> Callable[[CommandRan], bool] | None:
    """Return a test for commands that `shell.ignore` or `shell.ignore_directories` excludes; None if both are empty."""
    if not settings.shell_ignore and not settings.shell_ignore_directories:
        return None
    expanded = [_expand_home(path, user_folder) for path in settings.shell_ignore_directories]
    folders = [*expanded, *map(os.path.realpath, expanded)]

    def is_ignored(ran: CommandRan) -> bool:
        if any(_is_in_folder(place, folder) for place in _paths_of(ran.directory) for folder in folders):
            return True
        if not settings.shell_ignore:
            return False
        from fnmatch import fnmatchcase

        lines = [line for line in (ran.command, ran.meant, ran.planned) if line]
        return any(fnmatchcase(line, pattern) for line in lines for pattern in settings.shell_ignore)

    return is_ignored


def _expand_home(path: str, user_folder: str) -> str:
    return os.path.join(user_folder, path[2:]) if path.startswith("~/") else os.path.expanduser(path)
