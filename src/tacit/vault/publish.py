"""Bring the readable views up to date with the index: only what is stale, or everything when a page is gone."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Callable, Iterable
from functools import cached_property

from tacit.core.claim import GLOBAL, Scope, is_local
from tacit.core.errors import Refused
from tacit.core.event import REPOSITORY, Event
from tacit.core.ids import ClaimId
from tacit.core.status import Status
from tacit.disk.lock import refuses_writes
from tacit.index import reader
from tacit.index import sessions as kept
from tacit.index.rows import mark_stale
from tacit.notes import evaluations, facts, long_term, sessions, worklog
from tacit.notes.noted import Noted
from tacit.notes.shelf import Shelf, inside
from tacit.vault.home import PAGES, Home
from tacit.vault.missing import memories_missing, pages_missing
from tacit.vault.project import FACTS, Project

_TOGETHER = 100  # pages that are drawn before it is noted that they were
_RENDERED = {"worklog": worklog.render, "evaluation": evaluations.render}
Decode = Callable[[bytes], Event]
# A link, or something that is no folder, where the repository had a folder a moment ago.
_NO_WAY = (errno.ELOOP, errno.ENOTDIR)


class _Update:
    """What changed since the views were written, and everything there is where one must be drawn from nothing."""

    def __init__(self, notes: list[Noted], gone: set[ClaimId], everything: Callable[[], list[Noted]] | None) -> None:
        self.notes = notes
        self.gone = gone
        self.whole = everything is None
        self._everything = everything

    @cached_property
    def all(self) -> list[Noted]:
        return self._everything() if self._everything else self.notes


class Publisher:
    """Writes the views of one home, and the fact file of the project one stands in."""

    def __init__(self, home: Home, shelf: Shelf, decode: Decode, turn: int | None) -> None:
        self._home = home
        self.shelf = shelf
        self._decode = decode
        self._turn = turn

    def publish(self, connection: sqlite3.Connection, project: Project | None, scope: Scope) -> None:
        """Write what is stale and then forget that it was; pages some at a time, so that whoever is ended at thousands
        of them leaves fewer."""
        mark_stale(connection, pages_missing(connection, self._home))
        stale = reader.stale(connection)
        whole = "everything" in stale or memories_missing(connection, self._home, project, scope)
        if not whole and not stale:
            return
        update = self._from_nothing(connection) if whole else self._since(connection, stale)
        if "everything" in stale:
            mark_stale(connection, (f"{kind} {day}" for kind in PAGES for day in reader.page_days(connection, kind)))
            stale = reader.stale(connection)
        self._long_term(update)
        self._facts(self._home.facts, GLOBAL, update)
        local = {noted.memory.claim.scope for noted in update.notes if is_local(noted.memory.claim.scope)}
        for one in sorted(local | {scope}):
            self._project_facts(connection, one, project if one == scope else None, update)
        pages = [what for what in stale if what.partition(" ")[0] in PAGES]
        _forget(connection, set(stale).difference(pages))
        for first in range(0, len(pages), _TOGETHER):
            some = pages[first : first + _TOGETHER]
            for what in some:
                kind, _, day = what.partition(" ")
                self._page(connection, kind, day)
            _forget(connection, some)

    def noted(self, connection: sqlite3.Connection, claim: ClaimId) -> Noted | None:
        entry = reader.entry(connection, claim)
        memory = reader.memory(connection, claim, self._decode)
        return Noted(memory, entry.overruled_by, entry.conflict) if entry and memory else None

    def _from_nothing(self, connection: sqlite3.Connection) -> _Update:
        return _Update(self.all_noted(connection), set(), None)

    def _since(self, connection: sqlite3.Connection, stale: list[str]) -> _Update:
        claims = {ClaimId(what.split()[1]) for what in stale if what.startswith("memory ")}
        notes = [noted for claim in sorted(claims) if (noted := self.noted(connection, claim))]
        gone = claims - {noted.memory.id for noted in notes}
        return _Update(notes, gone, lambda: self.all_noted(connection))

    def all_noted(self, connection: sqlite3.Connection) -> list[Noted]:
        rulings = {entry.id: (entry.overruled_by, entry.conflict) for entry in reader.entries(connection)}
        return [Noted(memory, *rulings[memory.id]) for memory in reader.memories(connection, self._decode)]

    def _long_term(self, update: _Update) -> None:
        path = self._home.long_term
        last = None if update.whole else self.shelf.last_written(path)
        page = long_term.render(update.all) if last is None else long_term.updated(last, update.notes, update.gone)
        hidden = {noted.memory.id for noted in update.notes if long_term.section_of(noted) is None}
        self.shelf.put(path, page, key=long_term.line_id, leaving=hidden | update.gone)

    def _facts(
        self,
        path: str,
        scope: Scope,
        update: _Update,
        below: str = "",
        theirs: Callable[[Noted], bool] = lambda _noted: False,
    ) -> None:
        """The facts of one scope. Those that stand there in others' words are `theirs` to write."""
        last = None if update.whole else self.shelf.last_written(path)
        notes = update.all if last is None else update.notes
        ours = [one for one in notes if one.memory.claim.scope == scope and not theirs(one)]
        lines = facts.updated(last or [], ours, update.gone)
        self.shelf.put(
            path,
            lines,
            key=facts.line_id,
            leaving={noted.memory.id for noted in update.notes if not noted.holds} | update.gone,
            reconcile=facts.reconciled,
            arrange=facts.in_order,
            below=below,
        )

    def _project_facts(
        self, connection: sqlite3.Connection, scope: Scope, project: Project | None, update: _Update
    ) -> None:
        """The shared file of a project: where one stands, and wherever else it lies already."""
        if not is_local(scope):
            return
        roots = {root for root in reader.roots(connection, scope) if os.path.exists(os.path.join(root, FACTS))}
        if project and (os.path.exists(project.facts) or reader.is_used(connection, scope, Status.ACTIVE)):
            roots.add(project.root)
        for root in sorted(roots):
            try:
                self._facts(inside(root, os.path.join(root, FACTS)), scope, update, root, _is_theirs)
            except Refused:
                continue  # a link planted in the repository: never written through
            except OSError as error:
                if not refuses_writes(error) and error.errno not in _NO_WAY:
                    raise

    def _page(self, connection: sqlite3.Connection, kind: str, day: str) -> None:
        path = self._home.page(kind, day)
        if page := drawn(connection, kind, day, self._decode, self._turn):
            self.shelf.put(path, page)
        elif self.shelf.sides(path) is None:  # what a person wrote there stays, under whatever name
            self.shelf.drop(path)


def _forget(connection: sqlite3.Connection, stale: Iterable[str]) -> None:
    connection.executemany("DELETE FROM stale WHERE what = ?", [(what,) for what in stale])


def drawn(connection: sqlite3.Connection, kind: str, day: str, decode: Decode, turn: int | None) -> list[str]:
    """The lines of a page; none where there is nothing to show. `turn` is how long one of a session may be."""
    if kind == "session":
        found = kept.session_of_page(connection, day)
        return sessions.render(kept.session(connection, found, decode), turn) if found else []
    events = reader.pages(connection, kind, day, decode)
    return _RENDERED[kind](day, events) if events else []


def _is_theirs(noted: Noted) -> bool:
    """Whether only the repository said so: its own line stays as it is. Or a setting alone: that binds nobody else."""
    is_unheard = noted.memory.decided_by == REPOSITORY and not noted.memory.heard_person
    return is_unheard or noted.memory.unreviewed
