"""Bringing the readable pages up to date with the index, and the journal of a sync that was interrupted."""

from __future__ import annotations

import errno
import json
import os
import sqlite3
from collections.abc import Callable, Iterable
from functools import cached_property

from tacit.disk.files import Disk, read_file, replace_file
from tacit.disk.lock import refuses_writes
from tacit.errors import Refused
from tacit.home.indexing import memories_missing, pages_missing
from tacit.home.paths import PAGES, HomePaths
from tacit.home.project import FACTS, Project
from tacit.index import reader
from tacit.index import sessions as kept
from tacit.index.database import mark_stale
from tacit.log.log import MEMORY, Cursor, Log
from tacit.model.claim import GLOBAL, Scope, is_local
from tacit.model.event import REPOSITORY, Decided, Event, Proposed
from tacit.model.ids import ClaimId
from tacit.pages import facts, long_term, sessions
from tacit.pages import markdown as evaluations
from tacit.pages import markdown as worklog
from tacit.pages.long_term import Noted
from tacit.pages.view_store import Shelf, inside
from tacit.record import Record

# What was read from pages, noted before it is recorded: a crash between the two is known, and nothing is said twice.
#
# The note lies in the home while a sync is under way. Whoever takes the home's lock next and finds it looks whether
# the log has the judgements: if so, the lines they were read from are Tacit's; if not, they are still to be read.


class Reading(Record):
    """So many judgements are to stand after this point of the log; then these are the copies of the pages."""

    after: Cursor
    judgements: int
    copies: dict[str, bytes]


class Noticeboard:
    """Where the note lies."""

    def __init__(self, path: str, disk: Disk) -> None:
        self._path = path
        self._disk = disk

    def announce(self, reading: Reading) -> None:
        copies = {path: data.decode("utf-8", "surrogateescape") for path, data in reading.copies.items()}
        note = json.dumps({"after": reading.after, "judgements": reading.judgements, "copies": copies})
        replace_file(self._disk, self._path, note.encode("ascii"))

    def conclude(self, log: Log, shelf: Shelf) -> None:
        """Let the pages follow what was recorded, and take the note down. The home's lock is held."""
        reading = _read(read_file(self._path))
        if reading and _is_recorded(log, reading):
            for path, copy in reading.copies.items():
                shelf.settle(path, copy)
        if os.path.lexists(self._path):
            self._disk.remove(self._path)


def _is_recorded(log: Log, reading: Reading) -> bool:
    """All of it: of an operation that was torn, the rest is still to be said. Nobody else judged since."""
    if not reading.judgements:
        return True
    if not log.size(MEMORY) or not log.still_there(MEMORY, reading.after):
        return False
    events = [record.event for record in log.read(MEMORY, reading.after)]
    judged = sum(isinstance(one, Event) and isinstance(one.body, Proposed | Decided) for one in events)
    return judged >= reading.judgements


def _read(data: bytes | None) -> Reading | None:
    """Nothing for what we did not write."""
    try:
        note = json.loads(data or b"")
        copies = {path: text.encode("utf-8", "surrogateescape") for path, text in note["copies"].items()}
        return Reading(Cursor(*note["after"]), int(note["judgements"]), copies)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


# Bring the readable views up to date with the index: only what is stale, or everything when a page is gone.

_TOGETHER = 100  # pages that are drawn before it is noted that they were
_RENDERED = {"worklog": worklog.worklog_page, "evaluation": evaluations.evaluation_page}
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

    def __init__(self, home: HomePaths, shelf: Shelf, decode: Decode, turn: int | None) -> None:
        self._home = home
        self.shelf = shelf
        self._decode = decode
        self._turn = turn
        self.may_create = False  # whether the person shares something now, which makes a fact file where there is none

    def publish(self, connection: sqlite3.Connection, project: Project | None, scope: Scope) -> None:
        """Write what is stale and then forget that it was; pages some at a time, so that whoever is ended at thousands
        of them leaves fewer."""
        mark_stale(connection, pages_missing(connection, self._home))
        stale = reader.stale(connection)
        whole = "everything" in stale or memories_missing(connection, self._home, project, scope)
        if not whole and not stale:
            return
        if not self.shelf.was_written(self._home.long_term):
            self.may_create = True  # all views were deleted, and with them what is known of where a fact file was
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

    def _facts(self, path: str, scope: Scope, update: _Update, below: str = "") -> None:
        """The facts of one scope; in the repository at `below`, those that the person shares."""
        last = None if update.whole else self.shelf.last_written(path)
        notes = [one for one in (update.all if last is None else update.notes) if one.memory.claim.scope == scope]
        drawn = [one for one in notes if one.memory.shared or not below]
        withheld = {one.memory.id for one in notes if below and not one.memory.shared}
        is_leaving = _is_taken_out if below else _is_over
        self.shelf.put(
            path,
            facts.updated(last or [], drawn, update.gone | withheld),
            key=facts.line_id,
            leaving={noted.memory.id for noted in update.notes if is_leaving(noted)} | update.gone,
            reconcile=facts.reconciled,
            arrange=facts.in_order,
            below=below,
        )

    def _project_facts(
        self, connection: sqlite3.Connection, scope: Scope, project: Project | None, update: _Update
    ) -> None:
        """The shared file of a project: wherever it lies already, and where one stands if it was there before or the
        person shares something now."""
        if not is_local(scope):
            return
        roots = {root for root in reader.roots(connection, scope) if os.path.exists(os.path.join(root, FACTS))}
        if project and (os.path.exists(project.facts) or self._makes(connection, scope, project)):
            roots.add(project.root)
        for root in sorted(roots):
            try:
                self._facts(inside(root, os.path.join(root, FACTS)), scope, update, root)
            except Refused:
                continue  # a link planted in the repository: never written through
            except OSError as error:
                if not refuses_writes(error) and error.errno not in _NO_WAY:
                    raise

    def _makes(self, connection: sqlite3.Connection, scope: Scope, project: Project) -> bool:
        """Whether a fact file is made where none lies."""
        wanted = self.may_create or self.shelf.was_written(project.facts)
        return wanted and reader.anything_shared(connection, scope)

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


def _is_over(noted: Noted) -> bool:
    """Whether it holds no longer: its line goes, whoever wrote it."""
    return not noted.holds


def _is_taken_out(noted: Noted) -> bool:
    """Whether its line in a repository goes, whoever wrote it: the person shared or trusted it, and took that back.
    A line that others wrote of what is private here is none of our business."""
    memory = noted.memory
    is_ours = memory.shared is not None or memory.source == REPOSITORY
    return memory.shared is False or (is_ours and not noted.holds)
