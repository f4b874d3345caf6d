"""Bring the readable views up to date with the index: only what is stale, or everything when a page is gone."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Sequence

from tacit.core.claim import GLOBAL, Scope, is_local
from tacit.core.errors import Refused
from tacit.core.event import Event
from tacit.core.ids import ClaimId
from tacit.core.memory import Status
from tacit.disk.lock import refuses_writes
from tacit.index import reader
from tacit.notes import evaluations, facts, long_term, worklog
from tacit.notes.noted import Noted
from tacit.notes.shelf import SHARED_FILE, Shelf, inside
from tacit.vault.home import Home
from tacit.vault.project import FACTS, Project

_PAGES = {"worklog": worklog.render, "evaluation": evaluations.render}
Decode = Callable[[bytes], Event]


class Publisher:
    """Writes the views of one home, and the fact file of the project one stands in."""

    def __init__(self, home: Home, shelf: Shelf, decode: Decode) -> None:
        self._home = home
        self._shelf = shelf
        self._decode = decode

    def missing(self, connection: sqlite3.Connection, project: Project | None, scope: Scope) -> bool:
        """Whether a page that should be there is not."""
        if not (os.path.exists(self._home.long_term) and os.path.exists(self._home.facts)):
            return True
        if project and not os.path.lexists(project.facts) and reader.is_used(connection, scope, Status.ACTIVE):
            return True
        return any(
            not os.path.exists(self._home.page(kind, day))
            for kind in _PAGES
            for day in reader.page_days(connection, kind)
        )

    def publish(self, connection: sqlite3.Connection, project: Project | None, scope: Scope) -> None:
        """Write what is stale and, last of all, forget that it was."""
        stale = reader.stale(connection)
        if self.missing(connection, project, scope) or "everything" in stale:
            stale = self._everything(connection)
        claims = [ClaimId(what.split()[1]) for what in stale if what.startswith("memory ")]
        notes = [noted for claim in claims if (noted := self.noted(connection, claim))]
        gone = set(claims) - {noted.memory.id for noted in notes}
        self._long_term(connection, notes, gone)
        self._facts(connection, self._home.facts, [GLOBAL], notes, gone)
        for local in sorted(
            {noted.memory.claim.scope for noted in notes if is_local(noted.memory.claim.scope)} | {scope}
        ):
            self._project_facts(connection, local, project if local == scope else None, notes, gone)
        for what in stale:
            kind, _, day = what.partition(" ")
            if kind in _PAGES:
                self._page(connection, kind, day)
        connection.executemany("DELETE FROM stale WHERE what = ?", [(what,) for what in (*stale, "everything")])

    def noted(self, connection: sqlite3.Connection, claim: ClaimId) -> Noted | None:
        entry = reader.entry(connection, claim)
        memory = reader.memory(connection, claim, self._decode)
        return Noted(memory, entry.overruled_by, entry.conflict) if entry and memory else None

    def _everything(self, connection: sqlite3.Connection) -> list[str]:
        memories = [f"memory {entry.id}" for entry in reader.entries(connection)]
        return memories + [f"{kind} {day}" for kind in _PAGES for day in reader.page_days(connection, kind)]

    def all_noted(self, connection: sqlite3.Connection) -> list[Noted]:
        ids = [entry.id for entry in reader.entries(connection)]
        return [noted for claim in ids if (noted := self.noted(connection, claim))]

    def _long_term(self, connection: sqlite3.Connection, notes: Sequence[Noted], gone: Iterable[ClaimId]) -> None:
        path = self._home.long_term
        last = self._shelf.last_written(path)
        page = long_term.render(self.all_noted(connection)) if last is None else long_term.updated(last, notes, gone)
        self._shelf.put(path, page, key=long_term.line_id)

    def _facts(
        self,
        connection: sqlite3.Connection,
        path: str,
        scopes: Sequence[Scope],
        notes: Sequence[Noted],
        gone: Iterable[ClaimId],
        mode: int = 0o600,
    ) -> None:
        last = self._shelf.last_written(path)
        relevant = [
            noted
            for noted in (self.all_noted(connection) if last is None else notes)
            if noted.memory.claim.scope in scopes
        ]
        lines = facts.updated(last or [], relevant, gone)
        self._shelf.put(path, lines, key=facts.line_id, reconcile=facts.reconciled, arrange=facts.in_order, mode=mode)

    def _project_facts(
        self,
        connection: sqlite3.Connection,
        scope: Scope,
        project: Project | None,
        notes: Sequence[Noted],
        gone: Iterable[ClaimId],
    ) -> None:
        """The shared file of a project: where one stands, and wherever else it lies already."""
        if not is_local(scope):
            return
        roots = {root for root in reader.roots(connection, scope) if os.path.exists(os.path.join(root, FACTS))}
        if project and (os.path.exists(project.facts) or reader.is_used(connection, scope, Status.ACTIVE)):
            roots.add(project.root)
        for root in sorted(roots):
            try:
                path = inside(root, os.path.join(root, FACTS))
                self._facts(connection, path, [scope], notes, gone, SHARED_FILE)
            except Refused:
                continue  # a link planted in the repository: never written through; doctor tells
            except OSError as error:
                if not refuses_writes(error):
                    raise

    def _page(self, connection: sqlite3.Connection, kind: str, day: str) -> None:
        events = reader.pages(connection, kind, day, self._decode)
        path = self._home.page(kind, day)
        if events:
            self._shelf.put(path, _PAGES[kind](day, events))
        else:
            self._shelf.drop(path)
