"""Whether a view that should be there is not: a few looks at the disk, made with every question."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator

from tacit.core.claim import Scope
from tacit.index import reader
from tacit.vault.home import PAGES, HomePaths
from tacit.vault.project import Project


def any_missing(connection: sqlite3.Connection, home: HomePaths, project: Project | None, scope: Scope) -> bool:
    return memories_missing(connection, home, project, scope) or any(pages_missing(connection, home))


def memories_missing(connection: sqlite3.Connection, home: HomePaths, project: Project | None, scope: Scope) -> bool:
    """Whether a file is gone that shows memories."""
    if not (os.path.exists(home.long_term) and os.path.exists(home.facts)):
        return True
    if project is None or os.path.lexists(project.facts) or not reader.anything_shared(connection, scope):
        return False
    from tacit.disk.ops import OsDisk
    from tacit.notes.shelf import Shelf

    return Shelf(home.written, OsDisk()).was_written(project.facts)  # else it never lay here: another clone has it


def pages_missing(connection: sqlite3.Connection, home: HomePaths) -> Iterator[str]:
    """The pages that are gone, by kind and day. One look at each folder: there may be a thousand sessions."""
    for kind, folder in PAGES.items():
        if wanted := reader.page_days(connection, kind):
            there = _names_in(home.path(folder))
            yield from (f"{kind} {day}" for day in wanted if f"{day}.md" not in there)


def _names_in(folder: str) -> set[str]:
    try:
        return set(os.listdir(folder))
    except OSError:
        return set()
