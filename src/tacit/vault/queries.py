"""The verbs that only look: recall, brief, list, show, why, conflicts, status."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from tacit.errors import IndexUnwell, NotFound, StoreUnwell, WrongUse
from tacit.home.home import Part
from tacit.index import reader
from tacit.index.database import wellness
from tacit.index.reader import Entry
from tacit.log.codec import must_decode
from tacit.model.claim import GLOBAL, Kind, Scope, Status, is_local, project_name, scope_label
from tacit.model.event import Draft, Event, Proposed
from tacit.model.ids import ClaimId
from tacit.model.observation import Injected, Recalled
from tacit.pages.locations import Place
from tacit.record import Record
from tacit.search.rank import COMMAND, PAGE_KINDS, Query, relevance, search
from tacit.search.resolve import meant, with_text
from tacit.secrets.redact import redacted
from tacit.text.display import clean, clip
from tacit.vault.hits import Hit, HitBuilder

if TYPE_CHECKING:
    from tacit.inject.brief import Brief
    from tacit.model.conflict import Rule
    from tacit.model.memory import Memory
    from tacit.search.semantic import Measure


class Counts(Record):
    """What was counted of a habit: what it is called, how often it was seen, in how many sessions, the last day.

    Without times (`has_times`) neither sessions nor days are known. `steps` are the lines of a sequence as they would
    be saved as a workflow.
    """

    label: str
    runs: int
    sessions: int
    last: str
    has_times: bool = True
    steps: tuple[str, ...] = ()


class Listed(Record):
    """A memory in a list, with the shortest id that names it, and what was counted where it is a habit.

    Of a candidate also why it was proposed, and the active memories that cannot hold together with it.
    """

    short: str
    memory: Memory
    overruled_by: ClaimId | None
    conflict: bool
    counted: Counts | None = None
    why: str = ""
    against: tuple[Entry, ...] = ()


class Filters(Record):
    """Which entries of a list are wanted: of a project (name, or a folder in it), of an agent, last touched since and
    before a time as people type it."""

    project: str | None = None
    agent: str | None = None
    since: str | None = None
    before: str | None = None


class Source(Record):
    """Something that was said or done in a session, and where it stands in the log."""

    event: Event
    place: Place


class Reason(Record):
    """One event of a memory's history, where it stands in the log, whether it was undone, and what it was concluded
    from."""

    event: Event
    place: Place
    undone: bool
    sources: tuple[Source, ...] = ()


class Dispute(Record):
    """Two memories that contradict each other, in what they differ, and which rule decided between them."""

    difference: str
    scope: Scope
    winner: Listed
    loser: Listed
    rule: Rule


class Queries(Part):
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
        _known_kind(kind)
        wanted = limit if limit is not None else self._home.settings.recall_limit
        if wanted < 1:
            raise WrongUse("--limit must be at least 1")

        def ask(connection: sqlite3.Connection) -> list[Hit]:
            scopes, is_person = self._scopes(connection, scope), self._store.speaker.is_person
            folders = self._folders(connection) if scopes is not None else ()
            asked = Query(
                clean(query),
                wanted,
                kind,
                scopes,
                self._since(since),
                everything,
                accepted=not is_person,  # a candidate reaches no agent before the person has accepted it
                folders=folders,
                by_person=is_person,
            )
            found = search(connection, asked, _measure(connection, asked.text), must_decode)
            if not found and reader.lost_postings(connection):
                raise IndexUnwell("its tables disagree")
            return HitBuilder(self._home).hits(connection, found)

        if as_of is not None:
            past = self._store.fresh_index(until=self._moment(as_of, end_of_day=True))
            return ask(past)
        hits = self._store.read(ask)
        if observe:
            self._store.observe(Draft(Recalled(redacted(clip(clean(query), 200)), len(hits)), self._scope_seen()))
        return hits

    def recall_like(self, reference: str, *, limit: int | None = None) -> list[Hit]:
        """What is like a memory, without it."""
        memory = self.show(reference).memory
        wanted = limit if limit is not None else self._home.settings.recall_limit
        hits = self.recall(memory.claim.sentence, limit=wanted + 1, observe=False)
        return [hit for hit in hits if hit.id != memory.id][:wanted]

    def file_waiting_commands(self) -> None:
        """Bring commands that ran just now into the index; other answers do not wait for them."""
        index = self._store.as_it_is()
        if index is None:
            return
        with suppress(IndexUnwell, StoreUnwell), wellness():
            if next(self._store.filing.unfiled(index, _COMMAND_RAN), None) is not None:
                self._store.catch_up()

    def _folders(self, connection: sqlite3.Connection) -> tuple[str, ...]:
        """Where the project one stands in lies: commands that ran below belong to it."""
        project = self._store.project
        return (project.root, *reader.roots(connection, self._store.scope_in(connection))) if project else ()

    def _scopes(self, connection: sqlite3.Connection, asked: str | None) -> frozenset[Scope] | None:
        """In a project: its own and the global ones; elsewhere all. `asked` narrows or widens that."""
        here = self._store.scope_in(connection)
        match asked:
            case "all":
                return None
            case None:
                return frozenset({here, GLOBAL}) if is_local(here) else None
            case "global":
                return frozenset({GLOBAL})
            case "local" | "project":
                if not is_local(here):
                    raise WrongUse("this folder is in no project", "stand in one, or use --scope global")
                return frozenset({here})
        raise WrongUse(f"no such scope: {asked!r}", "--scope local, global or all")

    def _scope_seen(self) -> Scope:
        return self._store.scope()

    def _since(self, text: str | None) -> str | None:
        return None if text is None else self._moment(text, end_of_day=False)

    def _moment(self, text: str, *, end_of_day: bool) -> str:
        from tacit.home.input import moment

        return moment(text, self._store.speaker.clock(), end_of_day=end_of_day)

    # Brief

    def brief(self, *, task: str = "", tags: Sequence[str] = (), observe: bool = True) -> Brief:
        from tacit.home.input import checked_tags
        from tacit.inject.brief import compose, is_standing_rule

        def ask(connection: sqlite3.Connection) -> Brief:
            scopes = self._store.scopes_in(connection)
            is_open = not tags and not task  # then only what leads can be chosen
            leading = reader.leading(connection, scopes, _LEADING if is_open else -1)
            read = sum(map(is_standing_rule, leading))
            return compose(
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
            said = Injected(tuple(brief.ids), brief.tokens, redacted(clip(clean(task), 200)))
            self._store.observe(Draft(said, self._scope_seen()))
        return brief

    @property
    def scope_words(self) -> str:
        """Whose memories are looked at here, in words."""
        here = self._store.scope()
        return f"{scope_label(here)} and global" if is_local(here) else "global"

    # Lists

    def entries(
        self,
        *,
        status: Status | None,
        kind: str | None = None,
        scope: str | None = None,
        tag: str | None = None,
        filters: Filters | None = None,
    ) -> list[Listed]:
        """Memories of a status, the latest first. A project in `filters` counts wherever one stands."""
        _known_kind(kind)
        asked = filters or Filters()

        def ask(connection: sqlite3.Connection) -> list[Listed]:
            scopes = self._scopes(connection, scope or ("all" if asked.project else None))
            project = self._project_scopes(connection, asked.project) if asked.project else None
            since = self._since(asked.since) or ""
            before = self._moment(asked.before, end_of_day=False) if asked.before else "~"
            found = [
                entry
                for entry in reader.entries(connection, status=status)
                if (scopes is None or entry.scope in scopes)
                and (project is None or entry.scope in project)
                and kind in (None, entry.kind.label)
                and (tag is None or tag in entry.tags)
                and since <= entry.at < before
                and (asked.agent is None or _is_from(connection, entry.id, asked.agent))
            ]
            found.sort(key=lambda entry: (entry.last, entry.id), reverse=True)
            return [self._listed(connection, entry.id) for entry in found]

        return self._store.read(ask)

    def _project_scopes(self, connection: sqlite3.Connection, named: str) -> frozenset[Scope]:
        """The scope of a project by its name, or by a folder in it. Raises NotFound where there is none."""
        from tacit.home.project import find_project

        known = [scope for scope in reader.scopes(connection) if is_local(scope)]
        found = {scope for scope in known if named in (project_name(scope), scope.partition(":")[2])}
        folder = os.path.abspath(os.path.expanduser(named))
        if not found and (project := find_project(folder, self._home.user_folder)):
            found = {project.scope(lambda scope: reader.is_used(connection, scope))}
        if not found:
            names = ", ".join(sorted({project_name(scope) for scope in known})) or "none yet"
            raise NotFound(f"no project {named!r} is known", f"projects with memories: {names}")
        return frozenset(found)

    def show(self, reference: str, *, by_text: bool = False) -> Listed:
        """A memory by its id, the beginning of it or its text; with `by_text` by its text alone."""
        find = with_text if by_text else meant

        def ask(connection: sqlite3.Connection) -> Listed:
            return self._listed(connection, find(connection, clean(reference), self._store.scope_in(connection)).id)

        return self._store.read(ask)

    def why(self, reference: str) -> tuple[Listed, list[Reason]]:
        """The memory and the events it is made of, in order."""
        from tacit.model.memory import undone

        def ask(connection: sqlite3.Connection) -> tuple[Listed, list[Reason]]:
            listed = self._listed(connection, meant(connection, clean(reference), self._store.scope_in(connection)).id)
            placed = reader.placed_events(connection, listed.memory.id, must_decode)
            void = undone([one.event for one in placed])
            reasons = [
                Reason(
                    one.event,
                    Place(self._store.log.path(one.segment), one.line),
                    one.event.id in void,
                    self._sources(connection, one.event),
                )
                for one in placed
            ]
            return listed, reasons

        return self._store.read(ask)

    def _sources(self, connection: sqlite3.Connection, event: Event) -> tuple[Source, ...]:
        """The lines of a conversation that something was concluded from."""
        if not isinstance(event.body, Proposed) or not event.body.events:
            return ()
        from tacit.index.sessions import placed_events

        found = placed_events(connection, event.body.events, must_decode)
        return tuple(Source(one.event, Place(self._store.log.path(one.segment), one.line)) for one in found)

    def conflicts(self) -> list[Dispute]:
        from tacit.index.memories import disputed

        def ask(connection: sqlite3.Connection) -> list[Dispute]:
            return [
                self._dispute(connection, one.ruling.winner, one.ruling.loser, one.ruling.rule, one.why)
                for one in disputed(connection)
            ]

        return self._store.read(ask)

    def _dispute(
        self, connection: sqlite3.Connection, winner: ClaimId, loser: ClaimId, rule: Rule, why: str
    ) -> Dispute:
        first, second = self._listed(connection, winner), self._listed(connection, loser)
        entry = reader.entry(connection, winner)
        if entry is None:
            raise IndexUnwell("its tables disagree")
        return Dispute(why, entry.scope, first, second, rule)

    def _listed(self, connection: sqlite3.Connection, claim: ClaimId) -> Listed:
        entry, memory = reader.entry(connection, claim), reader.memory(connection, claim, must_decode)
        if entry is None or memory is None:
            raise IndexUnwell("its tables disagree")
        return Listed(reader.short_id(connection, claim), memory, entry.overruled_by, entry.conflict)


_COMMAND_RAN = "command.ran"


def _is_from(connection: sqlite3.Connection, claim: ClaimId, agent: str) -> bool:
    """Whether an agent of this name proposed a memory, or a session with it showed it."""
    from tacit.index.sessions import agents_of

    events = reader.events_of(connection, claim, must_decode)
    behind = [name for event in events if isinstance(event.body, Proposed) for name in event.body.events]
    names = {event.origin.actor.removeprefix("agent:") for event in events} | agents_of(connection, behind)
    return any(name == agent or name.startswith(f"{agent}-") for name in names)


_LEADING = 200  # memories of a scope that a brief about nothing in particular is chosen from


def _measure(connection: sqlite3.Connection, text: str) -> Measure | None:
    """How near vectors are to a question; a home without any needs nothing of that."""
    if not reader.meaning(connection):
        return None
    from tacit.search.semantic import measure

    return measure(connection, text)


def _known_kind(kind: str | None) -> None:
    known = [*(one.label for one in Kind), *PAGE_KINDS, COMMAND]
    if kind is not None and kind not in known:
        raise WrongUse(f"no such kind: {kind!r}", "one of " + ", ".join(known))
