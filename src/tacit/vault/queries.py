"""Queries on a home: recall, brief, list, show, why and conflicts, and the values that they return."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING

from tacit.errors import IndexUnusableError, NotFoundError, StoreError, UsageError
from tacit.home.home import HomePart
from tacit.index import listings, reader
from tacit.index.database import translate_sqlite_errors
from tacit.index.listings import MemoryFilter
from tacit.index.reader import MemoryRow
from tacit.log.codec import must_decode
from tacit.model.claim import GLOBAL, Kind, Provenance, Scope, Status, is_project_scope, project_name, scope_label
from tacit.model.event import (
    ClaimDecided,
    ClaimProposed,
    Draft,
    Event,
    EventsUndone,
    agent_name,
)
from tacit.model.ids import ClaimId, claim_number
from tacit.model.observation import BriefInjected, RecallAsked
from tacit.pages.locations import FileLocation
from tacit.record import Record
from tacit.search.memories import memory_with_text, resolve_memory
from tacit.search.rank import COMMAND, PAGE_KINDS, Query, relevance, search
from tacit.secrets.redact import redacted
from tacit.text.display import clean, clip, printable
from tacit.vault.hits import Hit, HitBuilder, SessionQuote
from tacit.vault.listing import Listing, load_in_chunks, must_agree

if TYPE_CHECKING:
    from tacit.inject.brief import Brief
    from tacit.model.conflict import ConflictRule, Ruling
    from tacit.model.memory import Memory
    from tacit.search.semantic import SimilarityFunction


_AGENT_PREFIX = "agent:"
_PROJECT_PREFIX = "project:"  # of a scope that names a project
_COMMAND_SOURCES = ("suggest", "remember", "note", "mcp", "agent")  # of proposals by a command; learners have others
_COMMAND_EVENT = "command.ran"
_MAX_LEADING = 200  # memories that a brief without task and tags is chosen from


class HabitCounts(Record):
    """What was counted of a habit: its label, and how many runs in how many sessions up to which day.

    Without `has_times`, sessions and days are unknown. `steps` are the command lines of a sequence, as they would be
    saved as a workflow.
    """

    label: str
    runs: int
    sessions: int
    last_day: str
    has_times: bool = True
    steps: tuple[str, ...] = ()


class ListedMemory(Record):
    """A memory in a list, with the shortest prefix of its id that is unique, and the counts of a habit.

    A candidate also has the reason why it was proposed, and the active memories that it contradicts. Candidates and a
    memory that is shown alone also have the events whose evidence quotes the person, and the agent that concluded it if
    nothing of the person's supports it.
    """

    short: str
    memory: Memory
    overruled_by: ClaimId | None
    conflict: bool
    counts: HabitCounts | None = None
    reason: str = ""
    contradicts: tuple[MemoryRow, ...] = ()
    quoting_events: frozenset[str] = frozenset()
    concluded_by: str = ""


class Filters(Record):
    """Which memories to list: of a project (its name or a folder in it), from an agent, and last touched within times
    as people type them."""

    project: str | None = None
    agent: str | None = None
    since: str | None = None
    before: str | None = None


class EvidenceSource(Record):
    """An event of a session that a claim was concluded from, and its line in the log."""

    event: Event
    location: FileLocation


class MemoryEvent(Record):
    """An event of a memory's history: its line in the log, whether it was undone, and what it was concluded from."""

    event: Event
    location: FileLocation
    undone: bool
    sources: tuple[EvidenceSource, ...] = ()


class MemoryConflict(Record):
    """Two memories that contradict each other, how they differ, and the rule that decided between them."""

    difference: str
    scope: Scope
    winner: ListedMemory
    loser: ListedMemory
    rule: ConflictRule


class MemoryRelations(Record):
    """The memories that one replaced and was replaced by, is overruled by and overrules, and those it contradicts
    without a rule that decides."""

    replaced: tuple[MemoryRow, ...]
    replaced_by: tuple[MemoryRow, ...]
    overruled_by: tuple[MemoryRow, ...]
    overrules: tuple[MemoryRow, ...]
    contradicts: tuple[MemoryRow, ...]


class Queries(HomePart):
    """Queries on one home. None of them changes a memory."""

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
        """Search memories, sessions, commands and the worklog; see `Vault.recall`."""
        _check_kind(kind)
        if limit is None:
            limit = self._home.settings.recall_limit
        if limit < 1:
            raise UsageError("--limit must be at least 1")

        def read(connection: sqlite3.Connection) -> list[Hit]:
            is_person = self._store.actor.is_person
            scopes = self._scopes(connection, scope)
            search_query = Query(
                clean(query),
                limit,
                kind,
                scopes,
                self._parse_since(since),
                everything,
                accepted_only=not is_person,  # an agent gets no candidate before the person has accepted it
                folders=self._search_folders(connection, scope) if scopes is not None else (),
                by_person=is_person,
            )
            results = search(connection, search_query, _similarity(connection, search_query.text), must_decode)
            if not results and reader.has_lost_postings(connection):
                raise IndexUnusableError("its tables disagree")
            return HitBuilder(self._home).build(connection, results)

        if as_of is not None:
            return read(self._store.in_memory_index(until=self._parse_time(as_of, end_of_day=True)))
        hits = self._store.read(read)
        if observe:
            self._store.observe(Draft(RecallAsked(redacted(clip(clean(query), 200)), len(hits)), self._store.scope()))
        return hits

    def recall_like(self, reference: str, *, limit: int | None = None) -> list[Hit]:
        """Return what resembles a memory, without the memory itself.

        Raise NotFoundError if there is no such memory.
        """
        memory = self.show(reference).memory
        if limit is None:
            limit = self._home.settings.recall_limit
        hits = self.recall(memory.claim.sentence, limit=limit + 1, observe=False)
        return [hit for hit in hits if hit.id != memory.id][:limit]

    def index_new_commands(self) -> None:
        """Index the commands that ran since the last catch-up. Only recall of commands waits for that."""
        index = self._store.index_as_is()
        if index is None:
            return
        with suppress(IndexUnusableError, StoreError), translate_sqlite_errors():
            if next(self._store.indexer.unindexed_events(index, _COMMAND_EVENT), None) is not None:
                self._store.catch_up()

    def _search_folders(self, connection: sqlite3.Connection, name: str | None) -> tuple[str, ...]:
        """Return the folders of the project that is searched. Commands that ran below them belong to it."""
        if name is not None and name.startswith(_PROJECT_PREFIX):
            scopes = self._project_scopes(connection, name.removeprefix(_PROJECT_PREFIX))
            return tuple(root for scope in scopes for root in reader.project_roots(connection, scope))
        project = self._store.project
        return (project.root, *reader.project_roots(connection, self._store.scope_in(connection))) if project else ()

    def _scopes(self, connection: sqlite3.Connection, name: str | None) -> frozenset[Scope] | None:
        """Return the scopes that `--scope NAME` stands for, None for all. `project:NAME` is a project by its name.

        The default is the current project and global, or all outside of a project.
        """
        current = self._store.scope_in(connection)
        if name is not None and name.startswith(_PROJECT_PREFIX):
            return self._project_scopes(connection, name.removeprefix(_PROJECT_PREFIX))
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

    def _parse_since(self, text: str | None) -> str | None:
        return None if text is None else self._parse_time(text, end_of_day=False)

    def _parse_time(self, text: str, *, end_of_day: bool) -> str:
        from tacit.home.input import parse_time

        return parse_time(text, self._store.actor.clock(), end_of_day=end_of_day)

    # Brief

    def brief(self, *, task: str = "", tags: Sequence[str] = (), observe: bool = True) -> Brief:
        """Compose what an agent should know before a task; see `Vault.brief`."""
        from tacit.home.input import checked_tags
        from tacit.inject.brief import BriefLimits, compose_brief, is_standing_rule
        from tacit.inject.checks import missing_names, without_outdated

        def read(connection: sqlite3.Connection) -> Brief:
            scopes = self._store.scopes_in(connection)
            only_leading = not tags and not task  # then nothing below the leading memories can be chosen
            leading = reader.leading_memories(connection, scopes, _MAX_LEADING if only_leading else -1)
            rules_read = sum(map(is_standing_rule, leading))
            shares = relevance(connection, clean(task)) if task else {}
            if shares and reader.has_checks(connection):
                from tacit.index.adherence import adjusted_relevance

                shares = adjusted_relevance(connection, leading, shares)
            missing = missing_names(leading, self._home)
            return compose_brief(
                without_outdated(leading, missing),
                tags=frozenset(checked_tags(tags)),
                relevance=shares,
                nonce=self._store.entropy().hex(),
                limits=BriefLimits(self._home.settings.brief_entries, self._home.settings.brief_tokens),
                unread=reader.count_rules(connection, scopes) - rules_read if only_leading else 0,
                missing=missing,
            )

        brief = self._store.read(read)
        if observe and brief.entries:
            body = BriefInjected(tuple(brief.ids), brief.tokens, redacted(clip(clean(task), 200)))
            self._store.observe(Draft(body, self._store.scope()))
        return brief

    @property
    def scope_text(self) -> str:
        """The scopes that a brief is chosen from, in words."""
        current = self._store.scope()
        return f"{scope_label(current)} and global" if is_project_scope(current) else "global"

    # Lists

    def listing(
        self,
        *,
        status: Status | None,
        kind: str | None = None,
        scope: str | None = None,
        tag: str | None = None,
        filters: Filters | None = None,
        limit: int | None = None,
    ) -> Listing[ListedMemory]:
        """List memories, the latest first. The first `limit` are loaded, or all, and all are counted."""

        def read(connection: sqlite3.Connection) -> tuple[Sequence[int], int]:
            wanted = self.memory_filter(connection, status=status, kind=kind, scope=scope, filters=filters)
            wanted = wanted._replace(tag=tag)
            doc_ids, total = listings.latest_ids(connection, wanted, limit), listings.count_memories(connection, wanted)
            must_agree(doc_ids, total, limit)
            return doc_ids, total

        doc_ids, total = self._store.read(read)
        return Listing(self.load_memories(doc_ids), total)

    def memory_filter(
        self,
        connection: sqlite3.Connection,
        *,
        status: Status | None,
        kind: str | None,
        scope: str | None,
        filters: Filters | None,
    ) -> MemoryFilter:
        """Return a filter with the scopes and times that a person's words stand for.

        Raise UsageError or NotFoundError if they name nothing.
        """
        _check_kind(kind)
        given = filters or Filters()
        scopes = self._scopes(connection, scope or ("all" if given.project else None))
        if given.project:
            project = self._project_scopes(connection, given.project)
            scopes = project if scopes is None else scopes & project
        since = self._parse_since(given.since)
        before = self._parse_time(given.before, end_of_day=False) if given.before else None
        return MemoryFilter(status, (kind,) if kind else None, scopes, None, given.agent, since, before)

    def load_memories(self, doc_ids: Sequence[int]) -> Iterator[ListedMemory]:
        """Yield memories by their doc ids, in the given order. Those that were removed meanwhile are left out."""

        def load(chunk: Sequence[int]) -> list[ListedMemory]:
            return self._store.read(lambda connection: self.load_chunk(connection, chunk))

        return load_in_chunks(doc_ids, load)

    def load_chunk(self, connection: sqlite3.Connection, doc_ids: Sequence[int]) -> list[ListedMemory]:
        """Return the memories of doc ids that exist, in the given order."""
        rows = reader.rows_by_doc_id(connection, list(doc_ids))
        return [_with_row(connection, row) for doc_id in doc_ids if isinstance(row := rows.get(doc_id), MemoryRow)]

    def _project_scopes(self, connection: sqlite3.Connection, name: str) -> frozenset[Scope]:
        """Return the scopes of a project, which is named or given by a folder in it.

        Raise NotFoundError if no such project is known.
        """
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

    def show(self, reference: str, *, by_text: bool = False) -> ListedMemory:
        """Return one memory by its id, a prefix of the id or its text; with `by_text` by its text alone.

        Raise NotFoundError if there is none, UsageError if the reference fits several.
        """
        find = memory_with_text if by_text else resolve_memory

        def read(connection: sqlite3.Connection) -> ListedMemory:
            memory = find(connection, clean(reference), self._store.scope_in(connection))
            events = reader.events_of_claim(connection, memory.id, must_decode)
            return with_basis(self._load_memory(connection, memory.id), events)

        return self._store.read(read)

    def why(self, reference: str) -> tuple[ListedMemory, list[MemoryEvent]]:
        """Return a memory and the events it was folded from, in order; see `Vault.why`."""
        from tacit.model.memory import undone_ids

        def read(connection: sqlite3.Connection) -> tuple[ListedMemory, list[MemoryEvent]]:
            memory = resolve_memory(connection, clean(reference), self._store.scope_in(connection))
            rows = reader.logged_events_of_claim(connection, memory.id, must_decode)
            undone = undone_ids([row.event for row in rows])
            history = [
                MemoryEvent(
                    row.event,
                    FileLocation(self._store.log.path(row.segment), row.line),
                    row.event.id in undone,
                    self._load_sources(connection, row.event),
                )
                for row in rows
            ]
            return with_basis(self._load_memory(connection, memory.id), [row.event for row in rows]), history

        return self._store.read(read)

    def _load_sources(self, connection: sqlite3.Connection, event: Event) -> tuple[EvidenceSource, ...]:
        """Return the events of sessions that a proposal was concluded from."""
        if not isinstance(event.body, ClaimProposed) or not event.body.events:
            return ()
        from tacit.index.sessions import logged_events

        return tuple(
            EvidenceSource(row.event, FileLocation(self._store.log.path(row.segment), row.line))
            for row in logged_events(connection, event.body.events, must_decode)
        )

    def source_quotes(self, reference: str, *, limit: int = 10) -> list[SessionQuote]:
        """Return the passages of sessions that a memory was learned from, each with its session and turn.

        Raise NotFoundError if there is no such memory.
        """
        from tacit.model.memory import effective_events

        def read(connection: sqlite3.Connection) -> list[SessionQuote]:
            memory = resolve_memory(connection, clean(reference), self._store.scope_in(connection))
            bodies = [
                event.body for event in effective_events(reader.events_of_claim(connection, memory.id, must_decode))
            ]
            sources = [source for body in bodies if isinstance(body, ClaimProposed) for source in body.events]
            builder = HitBuilder(self._home)
            quotes = (builder.source_quote(connection, source) for source in list(dict.fromkeys(sources))[:limit])
            return [quote for quote in quotes if quote is not None]

        return self._store.read(read)

    def relations(self, reference: str) -> MemoryRelations:
        """Return the memories that one replaced, overrules or contradicts, and those that do so to it.

        Raise NotFoundError if there is no such memory.
        """
        from tacit.model.memory import effective_events

        def read(connection: sqlite3.Connection) -> MemoryRelations:
            memory = resolve_memory(connection, clean(reference), self._store.scope_in(connection))
            row = reader.memory_row(connection, memory.id)
            assert row is not None
            bodies = [
                event.body for event in effective_events(reader.events_of_claim(connection, memory.id, must_decode))
            ]
            decided = [body for body in bodies if isinstance(body, ClaimDecided) and body.instead is not None]
            before = [body.claim.id for body in decided if body.claim.id != memory.id]
            after = [body.instead.id for body in decided if body.instead and body.instead.id != memory.id]
            winners = [row.overruled_by] if row.overruled_by else []
            overruled = reader.memories_overruled_by(connection, row)
            ruled = {memory.id, *winners, *(other.id for other in overruled)}
            opposed = [other for other in reader.memories_opposed_to(connection, memory.id) if other.id not in ruled]

            def load(claims: Iterable[ClaimId]) -> tuple[MemoryRow, ...]:
                rows = (reader.memory_row(connection, claim) for claim in dict.fromkeys(claims))
                return tuple(row for row in rows if row is not None)

            return MemoryRelations(load(before), load(after), load(winners), tuple(overruled), tuple(opposed))

        return self._store.read(read)

    def latest(
        self,
        *,
        status: Status | None = Status.ACTIVE,
        kinds: Sequence[str] | None = None,
        project: str | None = None,
        limit: int = 50,
        offset: int = 0,
    ) -> tuple[list[MemoryRow], int]:
        """Return a part of the memories, the latest first, and how many there are.

        Raise UsageError or NotFoundError if a filter names nothing.
        """
        for kind in kinds or ():
            _check_kind(kind)

        def read(connection: sqlite3.Connection) -> tuple[list[MemoryRow], int]:
            scopes = self._project_scopes(connection, project) if project else None
            wanted = MemoryFilter(status, None if kinds is None else tuple(kinds), scopes)
            rows = listings.latest_memories(connection, wanted, limit, offset)
            return rows, listings.count_memories(connection, wanted)

        return self._store.read(read)

    def projects(self) -> list[str]:
        """Return the names of all projects that have memories."""
        scopes = self._store.read(reader.all_scopes)
        return sorted({project_name(scope) for scope in scopes if is_project_scope(scope)})

    def conflicts(self, limit: int | None = None, *, decided: bool | None = None) -> Listing[MemoryConflict]:
        """List pairs of active memories that contradict each other: all, or only those that a rule has decided or not.

        The total is always that of all.
        """

        def read(connection: sqlite3.Connection) -> tuple[list[Ruling], int]:
            return [*islice(listings.rulings(connection, decided), limit)], listings.count_rulings(connection)

        def load(chunk: Sequence[Ruling]) -> list[MemoryConflict]:
            return self._store.read(lambda connection: self._load_conflicts(connection, chunk))

        rulings, total = self._store.read(read)
        return Listing(load_in_chunks(rulings, load), total)

    def conflicts_of(self, claim: ClaimId) -> list[MemoryConflict]:
        """Return the conflicts of one memory."""
        return self._store.read(
            lambda connection: self._load_conflicts(connection, listings.rulings_of(connection, claim))
        )

    def _load_conflicts(self, connection: sqlite3.Connection, rulings: Sequence[Ruling]) -> list[MemoryConflict]:
        from tacit.model.relation import relate

        conflicts = []
        for ruling in rulings:
            doc_ids = [claim_number(claim) for claim in (ruling.winner, ruling.loser)]
            match self.load_chunk(connection, doc_ids):
                case [winner, loser]:
                    claim, other = winner.memory.claim, loser.memory.claim
                    difference = relate(claim.sentence, other.sentence).reason
                    conflicts.append(MemoryConflict(difference, claim.scope, winner, loser, ruling.rule))
        return conflicts

    def _load_memory(self, connection: sqlite3.Connection, claim: ClaimId) -> ListedMemory:
        row = reader.memory_row(connection, claim)
        if row is None:
            raise IndexUnusableError("its tables disagree")
        return _with_row(connection, row)


def _with_row(connection: sqlite3.Connection, row: MemoryRow) -> ListedMemory:
    memory = reader.load_memory(connection, row.id, must_decode)
    if memory is None:
        raise IndexUnusableError("its tables disagree")
    return ListedMemory(reader.short_id(connection, row.id), memory, row.overruled_by, row.is_conflicting)


def with_basis(listed: ListedMemory, events: Iterable[Event]) -> ListedMemory:
    """Return a memory with the events that quote the person, and the agent that concluded it alone, if one did.

    `events` are those of its claim. Only a proposal whose quote was verified names the event that it quotes; evidence
    that merely looks like a quote does not count.
    """
    from tacit.model.memory import effective_events

    proposals = [event for event in effective_events(events) if isinstance(event.body, ClaimProposed)]
    quoting = frozenset(event.id for event in proposals if is_quoting(event))
    actors = [event.origin.actor for event in proposals if not (event.id in quoting or is_conclusion(event))]
    agents = [event.origin.actor.removeprefix(_AGENT_PREFIX) for event in proposals if is_conclusion(event)]
    return listed._replace(
        quoting_events=quoting, concluded_by=agents[0] if agents and not quoting and not actors else ""
    )


def is_quoting(event: Event) -> bool:
    """Return whether an agent proposed a claim with a quote that was found in what the person typed."""
    return _is_agent_proposal(event) and isinstance(event.body, ClaimProposed) and bool(event.body.events)


def is_conclusion(event: Event) -> bool:
    """Return whether an agent proposed a claim without words of the person."""
    return _is_agent_proposal(event) and isinstance(event.body, ClaimProposed) and not event.body.events


def _is_agent_proposal(event: Event) -> bool:
    """Return whether an agent proposed a claim by a command or a tool, whatever name it gave itself."""
    is_by_command = isinstance(event.body, ClaimProposed) and event.body.source in _COMMAND_SOURCES
    return is_by_command and event.origin.provenance <= Provenance.MODEL


def agents_of_memory(connection: sqlite3.Connection, claim: ClaimId) -> set[str]:
    """Return the agents that proposed a memory, and those of the sessions that it was concluded from."""
    from tacit.index.sessions import agents_of

    events = reader.events_of_claim(connection, claim, must_decode)
    sources = [source for event in events if isinstance(event.body, ClaimProposed) for source in event.body.events]
    return {agent_name(event.origin.actor) for event in events} - {""} | agents_of(connection, sources)


def _similarity(connection: sqlite3.Connection, text: str) -> SimilarityFunction | None:
    """Return the similarity of vectors to a question; None without importing anything if the home has no vectors."""
    if not reader.embedding_model(connection):
        return None
    from tacit.search.semantic import similarity_to

    return similarity_to(connection, text)


def _check_kind(name: str | None) -> None:
    known = [*(kind.label for kind in Kind), *PAGE_KINDS, COMMAND]
    if name is not None and name not in known:
        raise UsageError(f"no such kind: {name!r}", "one of " + ", ".join(known))


# Labels and descriptions that the command line and the MCP server share

STATUS_LABELS = {"pending": "candidate", "retired": "forgotten"}
HABIT_LABELS = {
    "preferred_cwd": "a directory you work in",
    "recurring_command": "a command you run often",
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


def describe_event(history_event: MemoryEvent) -> str:
    """Return what an event did to a memory, in words."""
    match history_event.event.body:
        case ClaimProposed(verdict=verdict, source=source):
            return f"{verdict.value} ({printable(source)})"
        case ClaimDecided(verdict=verdict):
            return verdict.value
        case EventsUndone(label=label):
            is_redo = label.startswith("undo of ")
            return printable(f"redo of {label.removeprefix('undo of ')}" if is_redo else f"undo of {label}")
    return "?"


def event_details(history_event: MemoryEvent) -> list[tuple[str, str]]:
    """Return the texts that an event has, each with its label: the new wording, the evidence and the reason."""
    body = history_event.event.body
    details: list[tuple[str, str]] = []
    if isinstance(body, ClaimDecided) and body.instead is not None:
        details.append(("instead", body.instead.sentence))
    if isinstance(body, ClaimProposed | ClaimDecided):
        details += [("evidence", body.evidence), ("reason", body.reason)]
    return [(label, text) for label, text in details if text]
