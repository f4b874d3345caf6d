"""Verdicts of the work tree on memories: green, red or unknown, with the reason and the commit since which one is red.

`tacit check` prints them, `tacit review` asks about red ones that nobody decided to keep, and lists mark them. Only
memories of the current project are looked up: what holds everywhere is true of no single work tree.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from itertools import islice

from tacit.home.breaking_commits import BreakingCommit, confirmed, history_of, never_had
from tacit.home.conditions import look
from tacit.home.home import Home, HomePart
from tacit.home.red_notes import RedNote, digest, read_notes, write_notes
from tacit.home.work_tree import WorkTree, tracked_files
from tacit.index import reader, sessions
from tacit.index.database import translate_sqlite_errors
from tacit.index.listings import MemoryFilter, latest_memories
from tacit.index.reader import MemoryRow
from tacit.index.sessions import SessionRow
from tacit.log.codec import must_decode
from tacit.model.claim import Status, is_project_scope
from tacit.model.condition_compiler import compile_sentence
from tacit.model.conditions import (
    BannedText,
    CheckedCondition,
    ChosenTool,
    Condition,
    HelpOption,
    LookupResult,
    PinnedVersion,
    State,
    TreeVerdict,
    unknown,
)
from tacit.model.memory import Memory
from tacit.model.references import Reference, ReferenceKind
from tacit.record import Record
from tacit.vault.listing import ListedMemory
from tacit.vault.search import Search

LOOKUP_SECONDS = 2.0  # for all memories of a project; somebody waits, and no host does
_COMMIT_SECONDS = 8.0  # for the commits of all that is red
_MAX_MEMORIES = 2000  # of the project that are looked up, the latest
_CHUNK_SIZE = 100  # entries of a list that are looked up together
_MAX_SESSIONS = 200  # that are searched for the last change of a file
_MAX_LOG_BYTES = 2 * 1024 * 1024  # of which an index can be made in about a second
# What agents are told is not true: no words of the repository.
_PARTS = {
    PinnedVersion: "the version",
    ChosenTool: "the tool",
    BannedText: "the text is there",
    HelpOption: "the option",
}
_ELSEWHERE = "it belongs to another project"
_EVERYWHERE = "it holds everywhere, not in one work tree"


class CheckedMemory(Record):
    """A memory, and what the work tree says of it."""

    memory: MemoryRow
    verdict: TreeVerdict

    @property
    def is_red(self) -> bool:
        return self.verdict.state is State.RED


class RedCondition(Record):
    """What a memory says that is not true, why, since which commit, and the latest session that changed the file.

    Of a version, the commit set what is there now (`is_set`): others may have left the stated one before.
    """

    text: str
    why: str
    commit: BreakingCommit | None = None
    is_set: bool = False
    last_session: SessionRow | None = None
    short: str = ""

    @property
    def since(self) -> str:
        """The commit and its day, in words; "" if it is not known."""
        return f"{self.word} commit {self.commit.commit} of {self.commit.day}" if self.commit else ""

    @property
    def word(self) -> str:
        return "set by" if self.is_set else "since"


class RedMemory(Record):
    """A memory to decide on: the work tree says otherwise."""

    listed: ListedMemory
    missing: tuple[RedCondition, ...]


class MemoryConditions(HomePart):
    """What the current work tree says of memories."""

    def check_all(self) -> list[CheckedMemory]:
        """Return all active memories of the project, the latest first. Hooks are told what is red."""
        with self._store.snapshot() as connection:
            checked = checked_memories(connection, self._home)
        note_red(self._home, checked)
        return checked

    def check(self, memories: Iterable[Memory | MemoryRow]) -> dict[str, TreeVerdict]:
        """Return what is said of these memories, by id."""
        with self._store.snapshot() as connection:
            rows = [row for each in memories if (row := reader.memory_row(connection, each.id))]
            return {each.memory.id: each.verdict for each in _checked(connection, self._home, rows)}

    def marked(self, memories: Iterable[ListedMemory]) -> Iterator[ListedMemory]:
        """Yield the entries of a list with what the work tree says of those that are active here."""
        if self._store.project is None:
            yield from memories
            return
        entries = iter(memories)
        while chunk := [*islice(entries, _CHUNK_SIZE)]:
            active = [each.memory for each in chunk if each.memory.status is Status.ACTIVE]
            checked = self.check(active)
            yield from (each._replace(verdict=checked.get(each.memory.id)) for each in chunk)

    def red(self, checked: Iterable[CheckedMemory] | None = None) -> list[RedMemory]:
        """Return the memories to ask about, the latest first, with what is not true and since when.

        `checked` is what `check_all` returned, if it was called before.
        """
        every = self.check_all() if checked is None else checked
        red = [one for one in every if one.is_red]
        deadline = time.monotonic() + _COMMIT_SECONDS
        with self._store.snapshot() as connection:
            history = sessions.session_rows(connection, self._store.scope_in(connection), limit=_MAX_SESSIONS)
            conditions = [
                tuple(self.explain(connection, each, history, deadline) for each in one.verdict.red) for one in red
            ]
        show = Search(self._home).show
        return [RedMemory(show(row.memory.id), why) for row, why in zip(red, conditions, strict=True)]

    def explain(
        self, connection: sqlite3.Connection, checked: CheckedCondition, history: Iterable[SessionRow], deadline: float
    ) -> RedCondition:
        """Return a red condition with its commit, and the latest session that changed the file or one in the folder."""
        commit = None
        if self._store.project and time.monotonic() < deadline:
            trace = checked.outcome.trace
            commit = history_of(self._store.project.root, self._home.environment, trace).commit
        condition, why = checked.condition, checked.outcome.why
        is_path = isinstance(condition, Reference) and condition.kind is ReferenceKind.PATH
        path = f"/{condition.name}" if isinstance(condition, Reference) else ""
        for session in history if is_path else ():
            files = (f"/{file}" for file in session.files)
            if any(path in file if path.endswith("/") else file.endswith(path) for file in files):
                short = sessions.short_id(connection, session.id)
                return RedCondition(condition.text, why, commit, last_session=session, short=short)
        return RedCondition(condition.text, why, commit, isinstance(condition, PinnedVersion))


def checked_memories(connection: sqlite3.Connection, home: Home) -> list[CheckedMemory]:
    """Return what the work tree says of all active memories of the current project, the latest first."""
    store = home.store
    if store.project is None:
        return []
    wanted = MemoryFilter(Status.ACTIVE, scopes=frozenset((store.scope_in(connection),)))
    latest = latest_memories(connection, wanted, _MAX_MEMORIES)
    rows = sorted((row for row in latest if row.overruled_by is None), key=lambda row: row.last_event, reverse=True)
    return list(_checked(connection, home, rows))


def red_memories(connection: sqlite3.Connection, home: Home) -> list[CheckedMemory]:
    return [checked for checked in checked_memories(connection, home) if checked.is_red]


def note_red(home: Home, checked: Iterable[CheckedMemory]) -> None:
    """Note for hooks what is red, but for names, which they look up themselves."""
    project = home.store.project
    if project is None or not os.path.isdir(home.root):
        return
    red: list[RedNote] = []
    never: list[str] = []
    for each in checked:
        for condition, outcome, _ in each.verdict.conditions:
            if outcome.state is State.UNKNOWN and outcome.trace:
                never.append(outcome.trace.path)
            elif outcome.state is State.RED and not isinstance(condition, Reference):
                path = outcome.trace.path if outcome.trace else ""
                red.append(RedNote(each.memory.sentence, _PARTS[type(condition)], path))
    write_notes(home.store.paths, project.root, red, never)


def red_memories_as_is(home: Home) -> list[CheckedMemory]:
    """Return red memories without writing into the home: the index is used as it is.

    If there is none, it is made in memory, or nothing is returned if the log is large.
    """
    store = home.store
    if not os.path.isdir(home.root) or store.project is None:
        return []
    if (connection := store.index_as_is()) is not None:
        with translate_sqlite_errors():
            return red_memories(connection, home)
    if sum(map(store.log.size, store.log.segments())) > _MAX_LOG_BYTES:
        return []
    with closing(store.indexer.in_memory_index()) as fresh:
        return red_memories(fresh, home)


def _checked(connection: sqlite3.Connection, home: Home, rows: Sequence[MemoryRow]) -> Iterator[CheckedMemory]:
    store, looker = home.store, None
    here = store.scope_in(connection) if store.project else None
    for row in rows:
        if row.scope != here or store.project is None:
            reason = _ELSEWHERE if is_project_scope(row.scope) else _EVERYWHERE
            yield CheckedMemory(row, TreeVerdict((), reason))
            continue
        compiled = compile_sentence(row.sentence)
        if not compiled.conditions:
            yield CheckedMemory(row, TreeVerdict((), compiled.reason))
            continue
        looker = looker or _Looker(home, store.project.root)
        memory = reader.load_memory(connection, row.id, must_decode)
        kept = memory.kept_names if memory else frozenset()
        checked = (CheckedCondition(each, looker.look(each), each.text in kept) for each in compiled.conditions)
        yield CheckedMemory(row, TreeVerdict(tuple(checked)))


class _Looker:
    """Looks conditions up from the root of a project, within the time that a person waits."""

    def __init__(self, home: Home, root: str) -> None:
        self._home, self._root = home, root
        self._tree = WorkTree(root, root, home.environment, listing=tracked_files(root), seconds=LOOKUP_SECONDS)
        notes = read_notes(home.store.paths, root)
        self._never = notes.never if notes.is_current else frozenset[str]()

    def look(self, condition: Condition) -> LookupResult:
        if isinstance(condition, Reference) and condition.kind is ReferenceKind.PROGRAM:
            return unknown("it names a program, which is no part of a work tree")
        outcome = look(self._tree, condition, help_programs=self._home.settings.check_programs)
        if outcome.state is State.RED and outcome.trace and digest(outcome.trace.path) in self._never:
            return never_had(outcome.trace)
        return outcome if self._tree.is_late else confirmed(self._root, self._home.environment, outcome)
