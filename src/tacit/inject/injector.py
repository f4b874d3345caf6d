"""Giving memory to an agent: at the start of a session, at a prompt, after a compaction. Each memory once a session.

The standing rules of a project are told at the first of these moments, whatever the prompt is about. Later prompts
carry only rules that changed since. Hooks wait for this, so it reads what is there and waits for nobody for long.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Self

from tacit.disk.lock import FileLock
from tacit.errors import LockBusyError
from tacit.home.capture_policy import matching_ignore_entry
from tacit.home.home import HomePart
from tacit.home.project import directory_scope
from tacit.index import reader, sessions
from tacit.index.reader import MemoryRow
from tacit.index.sessions import SessionRow
from tacit.inject.brief import Brief, compose_brief, is_standing_rule, most_specific
from tacit.inject.relevance import RelevantMemory, prompt_query_words, related_session, relevant_memories
from tacit.inject.render import EarlierSession, RenderedInjection, render_prompt, render_start
from tacit.log.codec import must_decode
from tacit.model.claim import Kind, Scope, Status, is_project_scope
from tacit.model.event import Draft, Event, EventOrigin, timestamp
from tacit.model.ids import ClaimId, EventId
from tacit.model.observation import BriefInjected, session_id
from tacit.record import Record
from tacit.search.bm25 import ParsedQuery, query_from_words
from tacit.search.memories import matching_memories
from tacit.text.display import clean, clip

_LOCK_TIMEOUT_SECONDS = 0.2  # seconds for whoever else writes
_MAX_LEADING, _MAX_RULES, _MAX_FOUND = 60, 20, 40  # memories to choose from, of each scope; and those that words find
_MAX_PROMPT_CHARS = 1000
_MAX_SESSIONS = 200  # sessions, of which many may be alike
_INJECTED_TYPE = "brief.given"
# What an agent was given before these is no longer before it.
_RESET_SOURCES = ("compact", "clear")


class AgentSession(Record):
    """Which session of which agent is asked for, and how it came to be: startup, resume, clear, compact. `anew` says
    that what it was told at its start is no longer before it."""

    agent: str
    session: str
    source: str = ""
    context_lost: bool = False


class InjectionHistory(Record):
    """What this session was given since it last forgot: memories and sessions by id, in which scopes it was given
    anything, and in which of these a start. `last` and `event` are when it was given anything at all the last time."""

    memories: frozenset[str] = frozenset()
    sessions: frozenset[str] = frozenset()
    scopes: frozenset[Scope] = frozenset()
    started_scopes: frozenset[Scope] = frozenset()
    last_at: str = ""
    last_event: EventId = EventId("")

    @property
    def is_empty(self) -> bool:
        return not self.last_at

    def is_due(self, entry: MemoryRow, scope: Scope) -> bool:
        """Whether a memory is still to be told where one stands in `scope`. Of more rules than fit, those that were
        left out the first time are not told one by one later; what was said or accepted since then is."""
        told_here = self.scopes if is_standing_rule(entry) else self.started_scopes
        return entry.id not in self.memories and (scope not in told_here or entry.last > self.last_event)


class Injector(HomePart):
    """What an agent in one directory is given."""

    def __enter__(self) -> Self:
        self._store.hurry(_LOCK_TIMEOUT_SECONDS)
        return self

    def __exit__(self, *_: object) -> None:
        """Whoever asked ends now: to let go of the index in order would only take time."""

    def inject(self, asker: AgentSession, *, start: bool, prompt: str = "") -> str:
        """What belongs at the start, where one is asked for, and what bears on the prompt; recorded before it is
        handed out. Nothing where the settings or the person say so."""
        if matching_ignore_entry(self._home.settings, self._home.user_folder, self._home.cwd):
            return ""
        try:
            with FileLock(self._store.paths.injection_lock, _LOCK_TIMEOUT_SECONDS).acquire():
                return self._inject(asker, start, prompt)
        except LockBusyError:
            return ""

    def is_first(self, asker: AgentSession) -> bool:
        """Whether this session was given nothing yet, or was compacted since."""

        def ask(connection: sqlite3.Connection) -> bool:
            past = self._history(connection, asker)
            row = sessions.session_row(connection, session_id(asker.agent, asker.session))
            return past.is_empty or bool(row and row.compacted > past.last_at)

        return self._store.read(ask)

    def _inject(self, asker: AgentSession, start: bool, prompt: str) -> str:
        text, room = "", self._home.settings.inject_max_characters
        tells = self._home.settings.autocapture_inject_on_start
        if start and (tells or asker.source in _RESET_SOURCES):
            moment = asker.source or "startup"
            text = self._select_and_record(
                asker,
                moment,
                "",
                lambda connection: self._at_start(connection, asker) if tells else RenderedInjection(),
            )
        if prompt and self._home.settings.autocapture_inject_on_prompt:
            left = room - len(text)
            text += self._select_and_record(
                asker, "prompt", prompt, lambda connection: self._at_prompt(connection, asker, prompt, left)
            )
        return text

    def _select_and_record(
        self, asker: AgentSession, moment: str, prompt: str, ask: Callable[[sqlite3.Connection], RenderedInjection]
    ) -> str:
        given = self._store.read(ask)
        if given.text or moment in _RESET_SOURCES:
            task = _redacted_prompt(prompt) if prompt else ""
            said = BriefInjected(given.memories, given.tokens, task, asker.agent, moment, given.reasons, given.sessions)
            origin = self._store.actor.origin()._replace(
                session=clip(clean(asker.session), 128), actor=f"agent:{asker.agent}"
            )
            self._record(Draft(said, self._store.scope()), origin)
        return given.text

    def _record(self, draft: Draft, origin: EventOrigin) -> None:
        """Record what is handed out before it is. A busy log is not waited for: then the record is spooled."""
        try:
            self._store.log.append([draft], origin, patience=_LOCK_TIMEOUT_SECONDS)
        except LockBusyError:
            self._store.log.spool(draft, origin)

    # What is chosen

    def _at_start(self, connection: sqlite3.Connection, asker: AgentSession) -> RenderedInjection:
        is_blank = asker.context_lost or asker.source in _RESET_SOURCES
        past = InjectionHistory() if is_blank else self._history(connection, asker)
        room = self._home.settings.inject_max_characters
        leading = reader.leading_memories(connection, self._store.scopes_in(connection), _MAX_LEADING)
        unread = self._count_unread_rules(connection, past, leading)
        brief = self._compose_brief(connection, past, most_specific(leading, _scope_distance), {}, unread, room)
        own = sessions.session_row(connection, session_id(asker.agent, asker.session))
        is_continued = asker.source in ("compact", "resume") or bool(own and own.compacted > past.last_at > "")
        so_far = sessions.load_session(connection, own, must_decode) if own and is_continued else None
        recent = (
            []
            if own and is_continued and not asker.context_lost
            else list(self._recent_sessions(connection, asker, past))
        )
        return render_start(brief, recent, so_far, self._store.actor.clock(), self._nonce(), room)

    def _compose_brief(
        self,
        connection: sqlite3.Connection,
        past: InjectionHistory,
        holding: Sequence[MemoryRow],
        bearing_on: Mapping[ClaimId, RelevantMemory],
        unread: int,
        room: int,
    ) -> Brief:
        """What is still to be told of the memories that hold here, and those of them that bear on the prompt."""
        scope = self._store.scope_in(connection)
        return compose_brief(
            [entry for entry in holding if entry.id in bearing_on or past.is_due(entry, scope)],
            tags=frozenset(),
            relevance={name: one.share for name, one in bearing_on.items()},
            nonce=self._nonce(),
            most=self._home.settings.brief_entries,
            budget=self._home.settings.brief_tokens,
            characters=room,
            unread=unread,
        )

    def _count_unread_rules(
        self, connection: sqlite3.Connection, past: InjectionHistory, read: Iterable[MemoryRow]
    ) -> int:
        """Standing rules that hold here beyond those that were read; only of interest when they are told first."""
        if self._store.scope_in(connection) in past.scopes:
            return 0
        total = reader.count_rules(connection, self._store.scopes_in(connection))
        return total - sum(map(is_standing_rule, read))

    def _recent_sessions(
        self, connection: sqlite3.Connection, asker: AgentSession, past: InjectionHistory
    ) -> Iterator[SessionRow]:
        """The last sessions here; of those in which the same was asked, the latest."""
        most = self._home.settings.autocapture_max_recent_sessions
        scope = self._sessions_scope(connection)
        own = session_id(asker.agent, asker.session)
        seen: set[str] = set()
        for row in sessions.session_rows(connection, scope, limit=_MAX_SESSIONS):
            if row.id == own or row.id in past.sessions or not row.request_key or row.request_key in seen:
                continue
            seen.add(row.request_key)
            yield row
            if len(seen) == most:
                return

    def _at_prompt(
        self, connection: sqlite3.Connection, asker: AgentSession, prompt: str, most: int
    ) -> RenderedInjection:
        past = self._history(connection, asker)
        question = query_from_words(connection, prompt_query_words(clean(prompt)))
        scopes = self._store.scopes_in(connection)
        found = {
            entry.id: entry
            for entry, _ in matching_memories(connection, question, _MAX_FOUND)
            if entry.scope in scopes and entry.status is Status.ACTIVE and entry.overruled_by is None
        }
        since = past.last_event if self._store.scope_in(connection) in past.scopes else ""
        rules = reader.leading_rules(connection, scopes, _MAX_RULES, since)
        if since and any(entry.kind is Kind.PREFERENCE for entry in found.values()):
            rules += reader.leading_rules(
                connection, filter(is_project_scope, scopes), _MAX_RULES
            )  # they may answer it
        read = {**{entry.id: entry for entry in rules}, **found}
        holding = most_specific(read.values(), _scope_distance)
        untold = [entry for entry in holding if entry.id in found and entry.id not in past.memories]
        bearing_on = {one.memory.id: one for one in relevant_memories(prompt, untold)}
        due = [entry for entry in holding if is_standing_rule(entry) or entry.id in bearing_on]
        brief = self._compose_brief(
            connection, past, due, bearing_on, self._count_unread_rules(connection, past, read.values()), most
        )
        before = self._earlier_session(connection, asker, past, question)
        why = {name: one.reason for name, one in bearing_on.items()}
        return render_prompt(brief, why, before, self._store.actor.clock(), self._nonce(), most)

    def _earlier_session(
        self, connection: sqlite3.Connection, asker: AgentSession, past: InjectionHistory, question: ParsedQuery
    ) -> EarlierSession | None:
        """The earlier session here that bears on a prompt, if neither it nor one like it was told of yet."""
        known = {*past.sessions, session_id(asker.agent, asker.session)}
        here = sessions.sessions_by_start_id(connection, self._sessions_scope(connection), _MAX_SESSIONS)
        told = {alike for name, alike in here.values() if name in known}
        kin = related_session(connection, question, {run for run, (_, alike) in here.items() if alike not in told})
        row = sessions.session_row(connection, here[kin.start_id][0]) if kin else None
        return EarlierSession(row, kin.reason) if kin and row else None

    def _sessions_scope(self, connection: sqlite3.Connection) -> Scope:
        return directory_scope(
            self._home.cwd, "", self._home.user_folder, lambda scope: reader.is_scope_used(connection, scope)
        )

    def _history(self, connection: sqlite3.Connection, asker: AgentSession) -> InjectionHistory:
        name = clip(clean(asker.session), 128)
        waiting = [
            event
            for event in self._store.indexer.unindexed_events(connection, _INJECTED_TYPE)
            if event.origin.session == name
        ]
        events: list[Event] = sorted(waiting, key=lambda event: event.id, reverse=True)
        events += sessions.injection_events(connection, must_decode, name)
        row = sessions.session_row(connection, session_id(asker.agent, asker.session))
        compacted = row.compacted if row else ""
        given: set[str] = set()
        told: set[str] = set()
        scopes: set[Scope] = set()
        started: set[Scope] = set()
        for event in events:
            if not isinstance(event.body, BriefInjected) or event.body.agent != asker.agent:
                continue
            if timestamp(event.at) < compacted:  # hosts without a hook after a compaction are known by their record
                break
            given.update(event.body.memories)
            told.update(event.body.sessions)
            scopes.add(event.scope)
            if event.body.moment != "prompt":
                started.add(event.scope)
            if event.body.moment in _RESET_SOURCES:
                break
        last = events[0] if events else None
        return InjectionHistory(
            frozenset(given),
            frozenset(told),
            frozenset(scopes),
            frozenset(started),
            timestamp(last.at) if last else "",
            last.id if last else EventId(""),
        )

    def _nonce(self) -> str:
        return self._store.entropy().hex()


def _scope_distance(scope: Scope) -> int:
    return 0 if is_project_scope(scope) else 1


def _redacted_prompt(prompt: str) -> str:
    """What is kept of the prompt that something was put into."""
    from tacit.secrets.redact import redacted  # most prompts get nothing, and need not wait for its tables

    return clip(redacted(clean(prompt)[:_MAX_PROMPT_CHARS]), 200)
