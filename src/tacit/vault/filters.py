"""Filters as people type them (kinds, scopes, projects and times), and what they stand for in one home."""

from __future__ import annotations

import os
import sqlite3
from typing import TYPE_CHECKING

from tacit.errors import NotFoundError, UsageError
from tacit.home.home import HomePart
from tacit.index import reader
from tacit.model.claim import GLOBAL, Kind, Scope, Status, is_project_scope, project_name
from tacit.record import Record

if TYPE_CHECKING:
    from tacit.index.listings import MemoryFilter

_PROJECT_PREFIX = "project:"  # of a scope that names a project


class Filters(Record):
    """Which memories to list: of a project, from an agent, and last touched within times.

    A project is given by its name or a folder in it, times as people type them: `7d`, `2 weeks ago`, `2026-11-15`.
    """

    project: str | None = None
    agent: str | None = None
    since: str | None = None
    before: str | None = None


class FilterParser(HomePart):
    """Finds what filters stand for. All methods raise UsageError or NotFoundError if a filter names nothing."""

    def memory_filter(
        self,
        connection: sqlite3.Connection,
        *,
        status: Status | str | None,
        kind: Kind | str | None,
        scope: str | None,
        filters: Filters | None,
    ) -> MemoryFilter:
        """Return a filter with the scopes and times that a person's words stand for."""
        from tacit.home.input import checked_status
        from tacit.index.listings import MemoryFilter

        name = checked_kind_name(kind)
        given = filters or Filters()
        scopes = self.scopes(connection, scope or ("all" if given.project else None))
        if given.project:
            project = self.project_scopes(connection, given.project)
            scopes = project if scopes is None else scopes & project
        since, before = self.time(given.since), self.time(given.before or None)
        kinds = (name,) if name else None
        return MemoryFilter(checked_status(status), kinds, scopes, None, given.agent, since, before)

    def scopes(self, connection: sqlite3.Connection, name: str | None) -> frozenset[Scope] | None:
        """Return the scopes that `--scope NAME` stands for, None for all. `project:NAME` is a project by its name.

        The default is the current project and global, or all outside of a project.
        """
        current = self._store.scope_in(connection)
        if name is not None and name.startswith(_PROJECT_PREFIX):
            return self.project_scopes(connection, name.removeprefix(_PROJECT_PREFIX))
        match name:
            case "all":
                return None
            case None:
                return frozenset({current, GLOBAL}) if is_project_scope(current) else None
            case "global":
                return frozenset({GLOBAL})
            case "local" | "project":
                if not is_project_scope(current):
                    raise UsageError("this folder is in no project", "stand in one, or use --scope global")
                return frozenset({current})
        raise UsageError(f"no such scope: {name!r}", "--scope local, global or all")

    def folders(self, connection: sqlite3.Connection, name: str | None) -> tuple[str, ...]:
        """Return the folders of the project that `--scope NAME` stands for. Commands that ran below them belong to it.

        The default is the current project.
        """
        if name is not None and name.startswith(_PROJECT_PREFIX):
            scopes = self.project_scopes(connection, name.removeprefix(_PROJECT_PREFIX))
            return tuple(root for scope in scopes for root in reader.project_roots(connection, scope))
        project = self._store.project
        return (project.root, *reader.project_roots(connection, self._store.scope_in(connection))) if project else ()

    def project_scopes(self, connection: sqlite3.Connection, name: str) -> frozenset[Scope]:
        """Return the scopes of a project, which is named or given by a folder in it."""
        from tacit.home.project import find_project

        known = [scope for scope in reader.all_scopes(connection) if is_project_scope(scope)]
        scopes = {scope for scope in known if name in (project_name(scope), scope.partition(":")[2])}
        folder = os.path.abspath(os.path.expanduser(name))
        if not scopes and (project := find_project(folder, self._home.user_folder)):
            scopes = {project.scope(lambda scope: reader.is_scope_used(connection, scope))}
        if not scopes:
            names = ", ".join(sorted({project_name(scope) for scope in known})) or "none yet"
            raise NotFoundError(f"no project {name!r} is known", f"projects with memories: {names}")
        return frozenset(scopes)

    def time(self, text: str | None, *, end_of_day: bool = False) -> str | None:
        """Return a time as the index has it; None if none is given. A day is its beginning, or with `end_of_day` its
        end."""
        if text is None:
            return None
        from tacit.home.input import parse_time

        return parse_time(text, self._store.actor.clock(), end_of_day=end_of_day)


def checked_kind_name(kind: Kind | str | None) -> str | None:
    """Return the label of a kind of memories, or the name of a kind of records. Raise UsageError if there is none."""
    if kind is None:
        return None
    from tacit.search.rank import COMMAND, PAGE_KINDS

    name = kind.label if isinstance(kind, Kind) else kind

    known = [*(kind.label for kind in Kind), *PAGE_KINDS, COMMAND]
    if name not in known:
        raise UsageError(f"no such kind: {name!r}", "one of " + ", ".join(known))
    return name
