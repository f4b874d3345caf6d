"""Lists that are loaded as they are read (ADR 70), the filters that people type, and words for what is listed."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain

from tacit.errors import IndexDamagedError, IndexUnusableError, NotFoundError, StoreError, UsageError
from tacit.home.home import HomePart
from tacit.index import reader
from tacit.index.reader import MemoryRow
from tacit.log.codec import must_decode
from tacit.model.claim import GLOBAL, Kind, Provenance, Scope, Status, is_project_scope, project_name
from tacit.model.ids import ClaimId
from tacit.record import Record

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import TypeVar

    from tacit.home.store import Store
    from tacit.index.listings import MemoryFilter
    from tacit.model.conditions import TreeVerdict
    from tacit.model.memory import Memory

    T = TypeVar("T")
    S = TypeVar("S")

_CHUNK_SIZE = 100  # entries that are loaded together

# Words that the command line, the MCP server and the web page share
STATUS_LABELS = {"pending": "candidate", "retired": "forgotten"}
HABIT_LABELS = {
    "preferred_cwd": "a directory you work in",
    "recurring_command": "a command with its arguments",
    "workflow_pattern": "commands you run in order",
    "preference": "a correction you make",
}
# By `Provenance`, from 0 on.
PROVENANCE_LABELS = (
    "from outside: nobody vouches for it",
    "found by a program on this machine",
    "said by an agent",
    "from a file you vouched for",
    "said by you",
)


def provenance_label(memory: Memory) -> str:
    """Return in words who said a memory. What was said in a session, and worded by somebody else, is the person's."""
    is_worded = memory.source == "talk" and memory.provenance is Provenance.MODEL
    return "what you said, in other words" if is_worded else PROVENANCE_LABELS[memory.provenance]


class Listing(Iterable["T"]):
    """The first entries of a list, or all of them.

    It can be iterated once and loads what it yields. `total` is the number of entries of the whole list. What is
    removed while somebody iterates is left out.
    """

    def __init__(self, entries: Iterable[T], total: int) -> None:
        self.entries = iter(entries)
        self.total = total

    def __iter__(self) -> Iterator[T]:
        return self.entries


def load_in_chunks(
    store: Store, keys: Sequence[S], load: Callable[[sqlite3.Connection, Sequence[S]], Iterable[T]]
) -> Iterator[T]:
    """Return what `load` reads for a part of the keys after the other, in order.

    The first part is loaded at once: a damaged index is then noticed before anything is printed, and the caller may
    begin again. Later on the entries that were printed already would be printed twice.

    Raises:
        IndexDamagedError: the index was damaged, and made again.
        StoreError: the same, while later entries are read.
    """

    def load_part(start: int) -> list[T]:
        with store.snapshot() as connection:
            return list(load(connection, keys[start : start + _CHUNK_SIZE]))

    def load_rest() -> Iterator[T]:
        try:
            for start in range(_CHUNK_SIZE, len(keys), _CHUNK_SIZE):
                yield from load_part(start)
        except IndexDamagedError as error:
            raise StoreError(error.message, error.hint) from error

    return chain(load_part(0), load_rest()) if keys else iter(())


def must_agree(doc_ids: Sequence[int], total: int, limit: int | None = None) -> None:
    """Raise IndexUnusableError if a list has not as many entries as were counted. SQLite does not notice lost pages."""
    if len(doc_ids) != (total if limit is None else min(limit, total)):
        raise IndexUnusableError("its tables disagree")


class HabitCounts(Record):
    """What was counted of a habit: its label, and how many runs in how many sessions up to which day.

    Without `has_times`, sessions and days are unknown. `steps` are the command lines of a sequence, as they would be
    saved as a workflow. `effect` says what accepting does.
    """

    label: str
    runs: int
    sessions: int
    last_day: str
    has_times: bool = True
    steps: tuple[str, ...] = ()
    effect: str = ""


class ListedMemory(Record):
    """A memory in a list, with the shortest prefix of its id that is unique, and the counts of a habit.

    A candidate also has the reason why it was proposed, the active memories that it contradicts, and those that may say
    the same in other words. Candidates and a memory that is shown alone also have the events whose evidence quotes the
    person, and the agent that concluded it if nothing of the person's supports it. Lists that ask the work tree have
    its verdict.
    """

    short: str
    memory: Memory
    overruled_by: ClaimId | None
    conflict: bool
    counts: HabitCounts | None = None
    reason: str = ""
    contradicts: tuple[MemoryRow, ...] = ()
    may_be_same: tuple[MemoryRow, ...] = ()
    quoting_events: frozenset[str] = frozenset()
    concluded_by: str = ""
    verdict: TreeVerdict | None = None


def load_chunk(connection: sqlite3.Connection, doc_ids: Sequence[int]) -> list[ListedMemory]:
    """Return the memories of doc ids that exist, in the given order."""
    rows = reader.rows_by_doc_id(connection, list(doc_ids))
    return [load_row(connection, row) for doc_id in doc_ids if isinstance(row := rows.get(doc_id), MemoryRow)]


def load_entry(connection: sqlite3.Connection, claim: ClaimId) -> ListedMemory:
    """Return a memory that is known to exist. Raise IndexUnusableError if the index does not have it."""
    row = reader.memory_row(connection, claim)
    if row is None:
        raise IndexUnusableError("its tables disagree")
    return load_row(connection, row)


def load_row(connection: sqlite3.Connection, row: MemoryRow) -> ListedMemory:
    memory = reader.load_memory(connection, row.id, must_decode)
    if memory is None:
        raise IndexUnusableError("its tables disagree")
    return ListedMemory(reader.short_id(connection, row.id), memory, row.overruled_by, row.is_conflicting)


# Filters

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
