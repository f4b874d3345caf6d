"""An opened home: its paths, settings, actor and project, and the store that everything reads and writes."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Mapping
from functools import partial

from tacit.disk.files import Disk, OsDisk
from tacit.disk.read import read_foreign
from tacit.errors import NotFoundError, StoreError
from tacit.home.actor import Actor, current_actor
from tacit.home.paths import find_home
from tacit.home.project import directory_scope, find_project, folder_scope
from tacit.home.settings import Settings, read_settings
from tacit.home.store import Following, Store, StoreOptions
from tacit.index import reader
from tacit.model.claim import GLOBAL, Scope
from tacit.model.event import Draft, Event
from tacit.model.ids import event_id

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Self


_DEFAULT_OPTIONS = StoreOptions()


class Home:
    """An opened home. Use it as a context manager, or call `close` at the end.

    Args:
        root: the folder of the home; default: `TACIT_HOME`, else `~/.agents`.
        cwd: the folder that decides which project is the current one; default: the current folder.
        environment: variables that name the home, the actor and restrictions of settings; default: `os.environ`.
        actor: default: found by the environment and the parent processes.
        disk: the file system; default: the real one.
        settings: used instead of the home's own, by callers that must go on if those cannot be read.
        options: how the store serves this program; what the settings say is added.
        entropy: returns ten random bytes for an event id.

    Raises:
        StoreError: the root is not a folder.
        UsageError: the settings file cannot be read.
    """

    def __init__(
        self,
        root: str | os.PathLike[str] | None = None,
        *,
        cwd: str | os.PathLike[str] | None = None,
        environment: Mapping[str, str] | None = None,
        actor: Actor | None = None,
        disk: Disk | None = None,
        settings: Settings | None = None,
        options: StoreOptions = _DEFAULT_OPTIONS,
        entropy: Callable[[], bytes] = lambda: os.urandom(10),
    ) -> None:
        env = dict(os.environ if environment is None else environment)
        paths = find_home(os.fspath(root) if root is not None else None, env)
        if os.path.exists(paths.root) and not os.path.isdir(paths.root):
            raise StoreError(f"the home {paths.root} is not a folder", "name another: tacit --home PATH …")
        self.root = paths.root
        self.environment = env
        self.user_folder = env.get("HOME") or os.path.expanduser("~")
        self.cwd = os.fspath(cwd) if cwd is not None else current_folder()
        self.settings = read_settings(paths.settings, env) if settings is None else settings
        project = find_project(self.cwd, self.user_folder)
        folder = GLOBAL if project else folder_scope(self.cwd, self.user_folder)
        options = options._replace(
            following=options.following if self.settings.pages_background else Following.INLINE,
            max_page_entries=self.settings.pages_entries,
            max_turn_chars=self.settings.autocapture_max_turn_size if self.settings.autocapture_summarize else None,
        )
        disk = disk or OsDisk(paths.root)
        self.store = Store(paths, disk, actor or current_actor(env), project, entropy, folder, options)

    @property
    def is_person(self) -> bool:
        """Whether the actor is a person, as opposed to an agent."""
        return self.store.actor.is_person

    @property
    def has_team(self) -> bool:
        """Whether the person joined a team. Nothing of the team is imported to find out."""
        return os.path.lexists(self.store.paths.team_file)

    def count_pending(self) -> int:
        """Return how many suggestions of all projects wait for a decision."""
        return self.store.read(lambda connection: reader.count_by(connection, "status").get("pending", 0))

    def count_untrusted(self) -> int:
        """Return how many facts of the current repository wait for a decision. Nothing of them is believed."""
        project = self.store.project
        if project is None or not os.path.lexists(project.facts):
            return 0
        file = read_foreign(project.facts)
        if file and self.store.view_store.has_written_all(project.facts, file.data):
            return 0  # as at most starts of a session, so the rest need not be imported
        from tacit.home.repository import count_waiting

        return self.store.read(lambda connection: count_waiting(self.store, connection, self.settings.limits_text))

    def may_have_conflict_markers(self) -> bool:
        """Return whether a fact file may have conflict markers. It imports nothing, because every command asks."""
        project = self.store.project
        paths = [self.store.paths.facts, *([project.facts] if project else [])]
        return any(b"<<<<<<<" in file.data or b">>>>>>>" in file.data for file in map(read_foreign, paths) if file)

    def close(self) -> None:
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class HomePart:
    """A group of operations on an opened home. Parts are cheap to make and keep no state of their own."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._store = home.store

    def _require_home(self) -> None:
        if not os.path.isdir(self._home.root):
            raise NotFoundError(f"there is no home at {self._home.root}", "tacit init")

    def _folder_scope(self, connection: sqlite3.Connection, folder: str) -> Scope:
        """Return the scope under which sessions in a folder are filed."""
        is_used = partial(reader.is_scope_used, connection)
        return directory_scope(folder, "", self._home.user_folder, is_used)

    def _draft_event(self, draft: Draft) -> Event:
        """Return the event that a draft would become, so that tombstones can be applied to it."""
        origin = self._store.actor.origin()
        draft_id = event_id(int(origin.at.timestamp() * 1000), self._store.entropy())
        return Event(draft_id, draft_id, origin.attributed_to(draft.attribution), draft.scope, draft.body)


def current_folder() -> str:
    """Return the working directory; "/" if it was deleted."""
    try:
        return os.getcwd()
    except FileNotFoundError:
        return "/"
