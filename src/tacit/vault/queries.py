"""The verbs that only look: recall, brief, list, show, why, conflicts, status."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from tacit.errors import IndexUnusableError, NotFoundError, StoreError, UsageError
from tacit.home.home import HomePart
from tacit.index import reader
from tacit.index.database import translate_sqlite_errors
from tacit.index.reader import MemoryRow
from tacit.log.codec import must_decode
from tacit.model.claim import GLOBAL, Kind, Scope, Status, is_project_scope, project_name, scope_label
from tacit.model.event import ClaimProposed, Draft, Event
from tacit.model.ids import ClaimId
from tacit.model.observation import BriefInjected, RecallAsked
from tacit.pages.locations import FileLocation
from tacit.record import Record
from tacit.search.rank import COMMAND, PAGE_KINDS, Query, relevance, search
from tacit.search.resolve import memory_with_text, resolve_memory
from tacit.secrets.redact import redacted
from tacit.text.display import clean, clip
from tacit.vault.hits import Hit, HitBuilder

if TYPE_CHECKING:
    from tacit.inject.brief import Brief
    from tacit.model.conflict import ConflictRule
    from tacit.model.memory import Memory
    from tacit.search.semantic import SimilarityFunction


class HabitCounts(Record):
    """What was counted of a habit: what it is called, how often it was seen, in how many sessions, the last day.

    Without times (`has_times`) neither sessions nor days are known. `steps` are the lines of a sequence as they would
    be saved as a workflow.
    """

    label: str
    runs: int
    sessions: int
    last_day: str
    has_times: bool = True
    steps: tuple[str, ...] = ()


class ListedMemory(Record):
    """A memory in a list, with the shortest id that names it, and what was counted where it is a habit.

    Of a candidate also why it was proposed, and the active memories that cannot hold together with it.
    """

    short: str
    memory: Memory
    overruled_by: ClaimId | None
    conflict: bool
    counts: HabitCounts | None = None
    reason: str = ""
    contradicts: tuple[MemoryRow, ...] = ()


class Filters(Record):
    """Which entries of a list are wanted: of a project (name, or a folder in it), of an agent, last touched since and
    before a time as people type it."""

    project: str | None = None
    agent: str | None = None
    since: str | None = None
    before: str | None = None


class EvidenceSource(Record):
    """Something that was said or done in a session, and where it stands in the log."""

    event: Event
    location: FileLocation


class MemoryEvent(Record):
    """One event of a memory's history, where it stands in the log, whether it was undone, and what it was concluded
    from."""

    event: Event
    location: FileLocation
    undone: bool
    sources: tuple[EvidenceSource, ...] = ()


class MemoryConflict(Record):
    """Two memories that contradict each other, in what they differ, and which rule decided between them."""

    difference: str
    scope: Scope
    winner: ListedMemory
    loser: ListedMemory
    rule: ConflictRule


class Queries(HomePart):
    """Questions to one home."""

    # Recall

    def recall(
        self,
        query: str,
        *,
        limit: int | None = None,
        kind: str | None = None,
        scope: str | None = None,
        since: str | None = None,
        as_of: str | None = None,
        everything: bool = False,
        observe: bool = True,
    ) -> list[Hit]:
        _check_kind(kind)
        wanted = limit if limit is not None else self._home.settings.recall_limit
        if wanted < 1:
            raise UsageError("--limit must be at least 1")

        def ask(connection: sqlite3.Connection) -> list[Hit]:
            scopes, is_person = self._scopes(connection, scope), self._store.actor.is_person
            folders = self._project_folders(connection) if scopes is not None else ()
            asked = Query(
                clean(query),
                wanted,
                kind,
                scopes,
                self._parse_since(since),
                everything,
                accepted_only=not is_person,  # a candidate reaches no agent before the person has accepted it
                folders=folders,
                by_person=is_person,
            )
            found = search(connection, asked, _vector_measure(connection, asked.text), must_decode)
            if not found and reader.has_lost_postings(connection):
                raise IndexUnusableError("its tables disagree")
            return HitBuilder(self._home).build(connection, found)

        if as_of is not None:
            past = self._store.in_memory_index(until=self._parse_time(as_of, end_of_day=True))
            return ask(past)
        hits = self._store.read(ask)
        if observe:
            self._store.observe(Draft(RecallAsked(redacted(clip(clean(query), 200)), len(hits)), self._current_scope()))
        return hits

    def recall_like(self, reference: str, *, limit: int | None = None) -> list[Hit]:
        """What is like a memory, without it."""
        memory = self.show(reference).memory
        wanted = limit if limit is not None else self._home.settings.recall_limit
        hits = self.recall(memory.claim.sentence, limit=wanted + 1, observe=False)
        return [hit for hit in hits if hit.id != memory.id][:wanted]

    def index_new_commands(self) -> None:
        """Bring commands that ran just now into the index; other answers do not wait for them."""
        index = self._store.index_as_is()
        if index is None:
            return
        with suppress(IndexUnusableError, StoreError), translate_sqlite_errors():
            if next(self._store.indexer.unindexed_events(index, _COMMAND_EVENT), None) is not None:
                self._store.catch_up()

    def _project_folders(self, connection: sqlite3.Connection) -> tuple[str, ...]:
        """Where the project one stands in lies: commands that ran below belong to it."""
        project = self._store.project
        return (project.root, *reader.project_roots(connection, self._store.scope_in(connection))) if project else ()

    def _scopes(self, connection: sqlite3.Connection, asked: str | None) -> frozenset[Scope] | None:
        """In a project: its own and the global ones; elsewhere all. `asked` narrows or widens that."""
        here = self._store.scope_in(connection)
        match asked:
            case "all":
                return None
            case None:
                return frozenset({here, GLOBAL}) if is_project_scope(here) else None
            case "global":
                return frozenset({GLOBAL})
            case "local" | "project":
                if not is_project_scope(here):
                    raise UsageError("this folder is in no project", "stand in one, or use --scope global")
                return frozenset({here})
        raise UsageError(f"no such scope: {asked!r}", "--scope local, global or all")

    def _current_scope(self) -> Scope:
        return self._store.scope()

    def _parse_since(self, text: str | None) -> str | None:
        return None if text is None else self._parse_time(text, end_of_day=False)

    def _parse_time(self, text: str, *, end_of_day: bool) -> str:
        from tacit.home.input import parse_time

        return parse_time(text, self._store.actor.clock(), end_of_day=end_of_day)

    # Brief

    def brief(self, *, task: str = "", tags: Sequence[str] = (), observe: bool = True) -> Brief:
        from tacit.home.input import checked_tags
        from tacit.inject.brief import compose_brief, is_standing_rule

        def ask(connection: sqlite3.Connection) -> Brief:
            scopes = self._store.scopes_in(connection)
            is_open = not tags and not task  # then only what leads can be chosen
            leading = reader.leading_memories(connection, scopes, _MAX_LEADING if is_open else -1)
            read = sum(map(is_standing_rule, leading))
            return compose_brief(
                leading,
                tags=frozenset(checked_tags(tags)),
                relevance=relevance(connection, clean(task)) if task else {},
                nonce=self._store.entropy().hex(),
                most=self._home.settings.brief_entries,
                budget=self._home.settings.brief_tokens,
                unread=reader.count_rules(connection, scopes) - read if is_open else 0,
            )

        brief = self._store.read(ask)
        if observe and brief.entries:
            said = BriefInjected(tuple(brief.ids), brief.tokens, redacted(clip(clean(task), 200)))
            self._store.observe(Draft(said, self._current_scope()))
        return brief

    @property
    def scope_text(self) -> str:
        """Whose memories are looked at here, in words."""
        here = self._store.scope()
        return f"{scope_label(here)} and global" if is_project_scope(here) else "global"

    # Lists

    def entries(
        self,
        *,
        status: Status | None,
        kind: str | None = None,
        scope: str | None = None,
        tag: str | None = None,
        filters: Filters | None = None,
    ) -> list[ListedMemory]:
        """Memories of a status, the latest first. A project in `filters` counts wherever one stands."""
        _check_kind(kind)
        asked = filters or Filters()

        def ask(connection: sqlite3.Connection) -> list[ListedMemory]:
            scopes = self._scopes(connection, scope or ("all" if asked.project else None))
            project = self._project_scopes(connection, asked.project) if asked.project else None
            since = self._parse_since(asked.since) or ""
            before = self._parse_time(asked.before, end_of_day=False) if asked.before else "~"
            found = [
                entry
                for entry in reader.memory_rows(connection, status=status)
                if (scopes is None or entry.scope in scopes)
                and (project is None or entry.scope in project)
                and kind in (None, entry.kind.label)
                and (tag is None or tag in entry.tags)
                and since <= entry.at < before
                and (asked.agent is None or _is_from_agent(connection, entry.id, asked.agent))
            ]
            found.sort(key=lambda entry: (entry.last, entry.id), reverse=True)
            return [self._load_memory(connection, entry.id) for entry in found]

        return self._store.read(ask)

    def _project_scopes(self, connection: sqlite3.Connection, named: str) -> frozenset[Scope]:
        """The scope of a project by its name, or by a folder in it. Raises NotFound where there is none."""
        from tacit.home.project import find_project

        known = [scope for scope in reader.all_scopes(connection) if is_project_scope(scope)]
        found = {scope for scope in known if named in (project_name(scope), scope.partition(":")[2])}
        folder = os.path.abspath(os.path.expanduser(named))
        if not found and (project := find_project(folder, self._home.user_folder)):
            found = {project.scope(lambda scope: reader.is_scope_used(connection, scope))}
        if not found:
            names = ", ".join(sorted({project_name(scope) for scope in known})) or "none yet"
            raise NotFoundError(f"no project {named!r} is known", f"projects with memories: {names}")
        return frozenset(found)

    def show(self, reference: str, *, by_text: bool = False) -> ListedMemory:
        """A memory by its id, the beginning of it or its text; with `by_text` by its text alone."""
        find = memory_with_text if by_text else resolve_memory

        def ask(connection: sqlite3.Connection) -> ListedMemory:
            return self._load_memory(
                connection, find(connection, clean(reference), self._store.scope_in(connection)).id
            )

        return self._store.read(ask)

    def why(self, reference: str) -> tuple[ListedMemory, list[MemoryEvent]]:
        """The memory and the events it is made of, in order."""
        from tacit.model.memory import undone_ids

        def ask(connection: sqlite3.Connection) -> tuple[ListedMemory, list[MemoryEvent]]:
            listed = self._load_memory(
                connection, resolve_memory(connection, clean(reference), self._store.scope_in(connection)).id
            )
            placed = reader.logged_events_of_claim(connection, listed.memory.id, must_decode)
            void = undone_ids([one.event for one in placed])
            reasons = [
                MemoryEvent(
                    one.event,
                    FileLocation(self._store.log.path(one.segment), one.line),
                    one.event.id in void,
                    self._load_sources(connection, one.event),
                )
                for one in placed
            ]
            return listed, reasons

        return self._store.read(ask)

    def _load_sources(self, connection: sqlite3.Connection, event: Event) -> tuple[EvidenceSource, ...]:
        """The lines of a conversation that something was concluded from."""
        if not isinstance(event.body, ClaimProposed) or not event.body.events:
            return ()
        from tacit.index.sessions import logged_events

        found = logged_events(connection, event.body.events, must_decode)
        return tuple(
            EvidenceSource(one.event, FileLocation(self._store.log.path(one.segment), one.line)) for one in found
        )

    def conflicts(self) -> list[MemoryConflict]:
        from tacit.index.memories import ruled_conflicts

        def ask(connection: sqlite3.Connection) -> list[MemoryConflict]:
            return [
                self._load_conflict(connection, one.ruling.winner, one.ruling.loser, one.ruling.rule, one.why)
                for one in ruled_conflicts(connection)
            ]

        return self._store.read(ask)

    def _load_conflict(
        self, connection: sqlite3.Connection, winner: ClaimId, loser: ClaimId, rule: ConflictRule, why: str
    ) -> MemoryConflict:
        first, second = self._load_memory(connection, winner), self._load_memory(connection, loser)
        entry = reader.memory_row(connection, winner)
        if entry is None:
            raise IndexUnusableError("its tables disagree")
        return MemoryConflict(why, entry.scope, first, second, rule)

    def _load_memory(self, connection: sqlite3.Connection, claim: ClaimId) -> ListedMemory:
        entry, memory = reader.memory_row(connection, claim), reader.load_memory(connection, claim, must_decode)
        if entry is None or memory is None:
            raise IndexUnusableError("its tables disagree")
        return ListedMemory(reader.short_id(connection, claim), memory, entry.overruled_by, entry.conflict)


_COMMAND_EVENT = "command.ran"


def _is_from_agent(connection: sqlite3.Connection, claim: ClaimId, agent: str) -> bool:
    """Whether an agent of this name proposed a memory, or a session with it showed it."""
    from tacit.index.sessions import agents_of

    events = reader.events_of_claim(connection, claim, must_decode)
    behind = [name for event in events if isinstance(event.body, ClaimProposed) for name in event.body.events]
    names = {event.origin.actor.removeprefix("agent:") for event in events} | agents_of(connection, behind)
    return any(name == agent or name.startswith(f"{agent}-") for name in names)


_MAX_LEADING = 200  # memories of a scope that a brief about nothing in particular is chosen from


def _vector_measure(connection: sqlite3.Connection, text: str) -> SimilarityFunction | None:
    """How near vectors are to a question; a home without any needs nothing of that."""
    if not reader.embedding_model(connection):
        return None
    from tacit.search.semantic import similarity_to

    return similarity_to(connection, text)


def _check_kind(kind: str | None) -> None:
    known = [*(one.label for one in Kind), *PAGE_KINDS, COMMAND]
    if kind is not None and kind not in known:
        raise UsageError(f"no such kind: {kind!r}", "one of " + ", ".join(known))
