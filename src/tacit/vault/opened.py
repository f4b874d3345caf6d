"""A home, opened: its parts put together. The groups of verbs build on this."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Self

from tacit.core.claim import GLOBAL
from tacit.core.errors import StoreUnwell
from tacit.disk.ops import Disk, OsDisk
from tacit.settings import Settings, read_settings
from tacit.vault.home import locate
from tacit.vault.project import find_project, folder_scope
from tacit.vault.speaker import Speaker, speaker
from tacit.vault.store import Store


class Opened:
    """`cwd` decides which project one stands in; everything else has a sensible default.

    `settings` are given by who must go on where they cannot be read.
    """

    def __init__(
        self,
        home: str | os.PathLike[str] | None = None,
        *,
        cwd: str | os.PathLike[str] | None = None,
        environment: Mapping[str, str] | None = None,
        speaking: Speaker | None = None,
        disk: Disk | None = None,
        settings: Settings | None = None,
        entropy: Callable[[], bytes] = lambda: os.urandom(10),
    ) -> None:
        env = dict(os.environ if environment is None else environment)
        place = locate(os.fspath(home) if home is not None else None, env)
        if os.path.exists(place.root) and not os.path.isdir(place.root):
            raise StoreUnwell(f"the home {place.root} is not a folder", "name another: tacit --home PATH …")
        self._user_folder = env.get("HOME") or os.path.expanduser("~")
        self._cwd = os.fspath(cwd) if cwd is not None else _where()
        project = find_project(self._cwd, self._user_folder)
        self._environment = env
        self._settings = read_settings(place.settings, env) if settings is None else settings
        folder = GLOBAL if project else folder_scope(self._cwd, self._user_folder)
        self._store = Store(place, disk or OsDisk(place.root), speaking or speaker(env), project, entropy, folder)
        if self._settings.autocapture_summarize:
            self._store.turn = self._settings.autocapture_max_turn_size

    @property
    def home(self) -> str:
        return self._store.home.root

    @property
    def is_person(self) -> bool:
        """Whether a person speaks, as opposed to an agent."""
        return self._store.speaker.is_person

    def untrusted(self) -> int:
        """How many facts the repository one stands in brought that nobody decided on yet. Looking believes nothing."""
        if self._store.project is None or not os.path.lexists(self._store.project.facts):
            return 0
        from tacit.vault.repository.brought import waiting

        return self._store.read(lambda connection: waiting(self._store, connection, self._settings.limits_text))

    def close(self) -> None:
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _where() -> str:
    try:
        return os.getcwd()
    except FileNotFoundError:  # the folder was deleted under us
        return "/"
