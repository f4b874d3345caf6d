"""Whether a view that should be there is not: a few looks at the disk, made with every question."""

from __future__ import annotations

import os
import sqlite3

from tacit.core.claim import Scope
from tacit.core.status import Status
from tacit.index import reader
from tacit.vault.home import PAGES, Home
from tacit.vault.project import Project


def any_missing(connection: sqlite3.Connection, home: Home, project: Project | None, scope: Scope) -> bool:
    if not (os.path.exists(home.long_term) and os.path.exists(home.facts)):
        return True
    if project and not os.path.lexists(project.facts) and reader.is_used(connection, scope, Status.ACTIVE):
        return True
    return any(_lacks(connection, home, kind) for kind in PAGES)


def _lacks(connection: sqlite3.Connection, home: Home, kind: str) -> bool:
    """One look at the folder: there may be a thousand sessions."""
    wanted = reader.page_days(connection, kind)
    if not wanted:
        return False
    try:
        there = set(os.listdir(home.path(PAGES[kind])))
    except OSError:
        return True
    return any(f"{day}.md" not in there for day in wanted)
