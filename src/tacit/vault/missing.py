"""Whether a view that should be there is not: a few looks at the disk, made with every question."""

from __future__ import annotations

import os
import sqlite3

from tacit.core.claim import Scope
from tacit.core.memory import Status
from tacit.index import reader
from tacit.vault.home import PAGES, Home
from tacit.vault.project import Project


def any_missing(connection: sqlite3.Connection, home: Home, project: Project | None, scope: Scope) -> bool:
    if not (os.path.exists(home.long_term) and os.path.exists(home.facts)):
        return True
    if project and not os.path.lexists(project.facts) and reader.is_used(connection, scope, Status.ACTIVE):
        return True
    pages = (home.page(kind, day) for kind in PAGES for day in reader.page_days(connection, kind))
    return not all(os.path.exists(page) for page in pages)
