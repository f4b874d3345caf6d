"""Memories that name what is not in the work tree, and that nobody has decided to keep.

`tacit review` asks about them; `tacit doctor` and `tacit audit` list them.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing

from tacit.home.home import Home, HomePart
from tacit.home.store import Store
from tacit.index import reader, sessions
from tacit.index.database import translate_sqlite_errors
from tacit.index.listings import MemoryFilter, latest_memories
from tacit.index.reader import MemoryRow
from tacit.index.sessions import SessionRow
from tacit.inject.checks import missing_references
from tacit.log.codec import must_decode
from tacit.model.claim import Status
from tacit.model.references import Reference, ReferenceKind
from tacit.record import Record
from tacit.vault.listing import ListedMemory
from tacit.vault.search import Search

LOOKUP_SECONDS = 2.0  # for all memories of a project; somebody waits, and no host does
_MAX_MEMORIES = 2000  # of the project that are looked up, the latest
_MAX_SESSIONS = 200  # that are searched for the last change of a file
_MAX_LOG_BYTES = 2 * 1024 * 1024  # of which an index can be made in about a second


class OutdatedRow(Record):
    """A memory in the index, and what it names that is not in the work tree."""

    memory: MemoryRow
    missing: tuple[Reference, ...]


class MissingName(Record):
    """A name that is not in the work tree, and the latest session that changed such a file; None if none did."""

    text: str
    last_session: SessionRow | None = None
    short: str = ""


class OutdatedMemory(Record):
    """A memory to decide on: what it names is not in the work tree."""

    listed: ListedMemory
    missing: tuple[MissingName, ...]


class OutdatedMemories(HomePart):
    """Memories of the current project that name what is not in its work tree."""

    def outdated(self) -> list[OutdatedMemory]:
        """Return the memories to ask about, the latest first, with what is missing."""
        with self._store.snapshot() as connection:
            rows = outdated_rows(connection, self._store, self._home.environment)
            latest = sorted(rows, key=lambda row: row.memory.last_event, reverse=True)
            history = sessions.session_rows(connection, self._store.scope_in(connection), limit=_MAX_SESSIONS)
            names = [tuple(_missing_name(connection, each, history) for each in row.missing) for row in latest]
        show = Search(self._home).show
        return [OutdatedMemory(show(row.memory.id), missing) for row, missing in zip(latest, names, strict=True)]


def outdated_rows(connection: sqlite3.Connection, store: Store, environment: Mapping[str, str]) -> list[OutdatedRow]:
    """Return the active memories of the current project that name what its work tree does not have.

    Names are looked up from the root of the project. Those that somebody decided to keep are left out, and so are
    programs: whether one is installed says something about the machine.
    """
    if store.project is None:
        return []
    scope, root = store.scope_in(connection), store.project.root
    wanted = MemoryFilter(Status.ACTIVE, scopes=frozenset((scope,)))
    latest = latest_memories(connection, wanted, _MAX_MEMORIES)
    rows = {row.id: row for row in latest if row.overruled_by is None}
    missing = missing_references(rows.values(), root, root, environment, seconds=LOOKUP_SECONDS)
    outdated: list[OutdatedRow] = []
    for claim, references in missing.items():
        memory = reader.load_memory(connection, claim, must_decode)
        kept = memory.kept_names if memory else frozenset()
        of_project = [reference for reference in references if reference.kind is not ReferenceKind.PROGRAM]
        if not_kept := tuple(reference for reference in of_project if reference.text not in kept):
            outdated.append(OutdatedRow(rows[claim], not_kept))
    return outdated


def outdated_rows_as_is(home: Home) -> list[OutdatedRow]:
    """Return the same without writing into the home: the index is used as it is.

    If there is none, it is made in memory, or nothing is returned if the log is large.
    """
    store = home.store
    if not os.path.isdir(home.root) or store.project is None:
        return []
    if (connection := store.index_as_is()) is not None:
        with translate_sqlite_errors():
            return outdated_rows(connection, store, home.environment)
    if sum(map(store.log.size, store.log.segments())) > _MAX_LOG_BYTES:
        return []
    with closing(store.indexer.in_memory_index()) as fresh:
        return outdated_rows(fresh, store, home.environment)


def _missing_name(connection: sqlite3.Connection, reference: Reference, history: Iterable[SessionRow]) -> MissingName:
    """Return a missing name with the latest session that changed the file, or one in the folder.

    Either may be relative to a folder of the project.
    """
    path = f"/{reference.name}"
    for session in history if reference.kind is ReferenceKind.PATH else ():
        files = (f"/{file}" for file in session.files)
        if any(path in file if path.endswith("/") else file.endswith(path) for file in files):
            return MissingName(reference.text, session, sessions.short_id(connection, session.id))
    return MissingName(reference.text)
