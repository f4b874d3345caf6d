"""What is known of a place, for a planner or an agent: `tacit context`."""

from __future__ import annotations

import os
import sqlite3

from tacit.core.claim import GLOBAL, Scope
from tacit.core.status import Status
from tacit.index import reader
from tacit.index import workflows as kept
from tacit.recall.context import Context, context, lines
from tacit.vault.filing import must_decode
from tacit.vault.opened import Part
from tacit.vault.project import find_project


class Contexts(Part):
    """Contexts of one home."""

    def context(self, directory: str) -> Context:
        def ask(connection: sqlite3.Connection) -> Context:
            scopes = [*self._scopes_above(connection, directory), GLOBAL]
            active = reader.entries(connection, status=Status.ACTIVE)
            effective = (entry for entry in active if entry.scope in scopes and entry.overruled_by is None)
            return context(directory, scopes, effective, kept.workflows(connection, must_decode))

        return self._store.read(ask)

    def context_text(self, found: Context) -> str:
        """Fenced, so that nothing in it can pretend to be outside."""
        nonce = self._store.entropy().hex()
        return "\n".join((f"<tacit-context {nonce}>", *lines(found), f"</tacit-context {nonce}>", ""))

    def _scopes_above(self, connection: sqlite3.Connection, directory: str) -> list[Scope]:
        """The project one stands in, then the projects it lies in."""
        scopes: list[Scope] = []
        project = find_project(directory, self._home.user_folder)
        while project:
            scopes.append(project.scope(lambda scope: reader.is_used(connection, scope)))
            project = find_project(os.path.dirname(project.root), self._home.user_folder)
        return list(dict.fromkeys(scopes))
