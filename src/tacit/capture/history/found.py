"""Where shells keep their histories."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from tacit.record import Record


class HistoryFile(Record):
    """A history and the shell that wrote it; no shell where that is to be told by its content."""

    path: str
    shell: str = ""


def places(environment: Mapping[str, str], user_folder: str) -> list[HistoryFile]:
    """Every place where a history may lie, whether or not there is one. Each file once."""
    seen: dict[str, HistoryFile] = {}
    for place in _places(environment, user_folder):
        seen.setdefault(os.path.realpath(place.path), place)
    return list(seen.values())


def found(environment: Mapping[str, str], user_folder: str) -> list[HistoryFile]:
    """The histories that are there."""
    return [place for place in places(environment, user_folder) if os.path.lexists(place.path)]


def _places(environment: Mapping[str, str], user_folder: str) -> Iterator[HistoryFile]:
    shared = environment.get("XDG_DATA_HOME") or os.path.join(user_folder, ".local", "share")
    yield HistoryFile(os.path.join(shared, "atuin", "history.db"), "atuin")
    if folder := environment.get("ZDOTDIR"):
        yield HistoryFile(os.path.join(folder, ".zsh_history"), "zsh")
    for name in (".zsh_history", ".zhistory", ".histfile"):
        yield HistoryFile(os.path.join(user_folder, name), "zsh")
    yield HistoryFile(os.path.join(shared, "fish", "fish_history"), "fish")
    yield HistoryFile(os.path.join(user_folder, ".bash_history"), "bash")
    if named := environment.get("HISTFILE"):  # of bash or zsh: what it holds will tell
        yield HistoryFile(os.path.join(user_folder, os.path.expanduser(named)))
