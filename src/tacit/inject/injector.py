"""Injecting memory into an agent's session: at its start, at a prompt, after a compaction. Each memory once a session.

The standing rules of a project are told at the first of these moments, whatever the prompt is about. Later prompts
carry only rules that changed since (ADR 16, 35). Hooks wait for this, so locks are waited for only briefly.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import timedelta

from tacit.disk.lock import FileLock
from tacit.errors import LockBusyError
from tacit.home.capture_policy import matching_ignore_entry
from tacit.home.home import HomePart
from tacit.home.project import directory_scope
from tacit.index import reader, sessions
from tacit.index.reader import MemoryRow
from tacit.index.sessions import SessionRow
from tacit.inject.brief import (
    Brief,
    BriefLimits,
    EarlierSession,
    RenderedInjection,
    compose_brief,
    is_standing_rule,
    most_specific,
    render_prompt,
    render_start,
)
from tacit.inject.checks import missing_names, without_loaded, without_outdated
from tacit.inject.relevance import (
    RelevantMemory,
    prompt_query_words,
    related_session,
    relevant_memories,
    session_with_same_files,
)
from tacit.log.codec import must_decode
from tacit.model.claim import Kind, Scope, Status, is_project_scope
from tacit.model.event import Draft, Event, timestamp
from tacit.model.ids import ClaimId, EventId
from tacit.model.observation import BriefInjected, session_id
from tacit.record import Record
from tacit.search.bm25 import ParsedQuery, query_from_words
from tacit.search.memories import matching_memories
from tacit.text.display import clean, clip

_LOCK_TIMEOUT_SECONDS = 0.2
_MAX_LEADING, _MAX_RULES, _MAX_FOUND = 60, 20, 40  # memories and rules of each scope to choose from; search results
_MAX_PROMPT_CHARS = 1000  # of which the recorded prompt is made
_MAX_SESSIONS = 200  # to choose from; many may have the same request
_MAX_RECENT_AGE = timedelta(hours=48)  # of a session that is told at the start; tuned, see ADR 16
_MAX_REASON_FILES = 3
_INJECTED_TYPE = "brief.given"
_RESET_SOURCES = ("compact", "clear")  # what was injected before these is no longer in the context


class AgentSession(Record):
    """A session of an agent.

    `source` is how it began: startup, resume, clear or compact. `context_lost` says that what it was told at its start
    is no longer in its context.
    """

    agent: str
    session: str
    source: str = ""
    context_lost: bool = False


class InjectionHistory(Record):
    """What was injected into a session since its context was last reset.

    `memories` and `sessions` are ids; `prompt_sessions` are those sessions that were told at a prompt. `scopes` are
    those of all injections, `started_scopes` those of injections at a start. `last_at` and `last_event` are of the
    latest injection, also before the reset; empty if there was none.
    """

    memories: frozenset[str] = frozenset()
    sessions: frozenset[str] = frozenset()
    prompt_sessions: frozenset[str] = frozenset()
    scopes: frozenset[Scope] = frozenset()
    started_scopes: frozenset[Scope] = frozenset()
    last_at: str = ""
    last_event: EventId = EventId("")

    @property
    def is_empty(self) -> bool:
        return not self.last_at

    def is_due(self, memory: MemoryRow, scope: Scope) -> bool:
        """Return whether a memory is still to be told in this scope.

        Rules that did not fit the first time are not told one by one later; those said or accepted since then are.
        """
        told_scopes = self.scopes if is_standing_rule(memory) else self.started_scopes
        return memory.id not in self.memories and (scope not in told_scopes or memory.last_event > self.last_event)


class Injector(HomePart):
    """Injects memory into agents in one directory."""

    def inject(self, target: AgentSession, *, start: bool, prompt: str = "") -> str:
        """Return the text for the start of a session, if `start`, and for a prompt, if there is one.

        It is recorded before it is returned. Empty if the settings or the person exclude this, or if another injection
        is running.
        """
        if matching_ignore_entry(self._home.settings, self._home.user_folder, self._home.cwd):
            return ""
        try:
            with FileLock(self._store.paths.injection_lock, _LOCK_TIMEOUT_SECONDS).acquire():
                return self._inject(target, start, prompt)
        except LockBusyError:
            return ""

    def is_first(self, target: AgentSession) -> bool:
        """Return whether nothing was injected into this session yet, or it was compacted since."""

        with self._store.snapshot() as connection:
            history = self._history(connection, target)
            row = sessions.session_row(connection, session_id(target.agent, target.session))
        return history.is_empty or bool(row and row.compacted_at > history.last_at)

    def _inject(self, target: AgentSession, start: bool, prompt: str) -> str:
        settings, text = self._home.settings, ""
        on_start = settings.autocapture_inject_on_start
        if start and (on_start or target.source in _RESET_SOURCES):
            text = self._select_and_record(
                target,
                target.source or "startup",
                "",
                lambda connection: self._at_start(connection, target) if on_start else RenderedInjection(),
            )
        if prompt and settings.autocapture_inject_on_prompt:
            remaining = settings.inject_max_characters - len(text)
            text += self._select_and_record(
                target, "prompt", prompt, lambda connection: self._at_prompt(connection, target, prompt, remaining)
            )
        return text

    def _select_and_record(
        self, target: AgentSession, moment: str, prompt: str, select: Callable[[sqlite3.Connection], RenderedInjection]
    ) -> str:
        """Return the text of an injection after it was recorded. A busy log is not waited for: the record is spooled.

        An empty injection is recorded if it resets the history.
        """
        injection = self._store.read(select)
        if injection.text or moment in _RESET_SOURCES:
            task = ""
            if prompt:
                from tacit.secrets.redact import redacted  # most prompts get nothing, and need not wait for its tables

                task = clip(redacted(clean(prompt)[:_MAX_PROMPT_CHARS]), 200)
            memories, reasons, told_sessions = injection.memories, injection.reasons, injection.sessions
            body = BriefInjected(memories, injection.tokens, task, target.agent, moment, reasons, told_sessions)
            draft = Draft(body, self._store.scope())
            origin = self._store.actor.origin()._replace(
                session=clip(clean(target.session), 128), actor=f"agent:{target.agent}"
            )
            try:
                self._store.log.append([draft], origin, timeout=_LOCK_TIMEOUT_SECONDS)
            except LockBusyError:
                self._store.log.spool(draft, origin)
        return injection.text

    def _at_start(self, connection: sqlite3.Connection, target: AgentSession) -> RenderedInjection:
        is_reset = target.context_lost or target.source in _RESET_SOURCES
        history = InjectionHistory() if is_reset else self._history(connection, target)
        characters = self._home.settings.inject_max_characters
        leading = reader.leading_memories(connection, self._store.scopes_in(connection), _MAX_LEADING)
        unread = self._count_unread_rules(connection, history, leading)
        brief = self._compose_brief(connection, target, history, most_specific(leading), {}, unread, characters)
        own = sessions.session_row(connection, session_id(target.agent, target.session))
        is_continued = target.source in ("compact", "resume") or bool(own and own.compacted_at > history.last_at > "")
        so_far = sessions.load_session(connection, own, must_decode) if own and is_continued else None
        were_told = own and is_continued and not target.context_lost
        recent = [] if were_told else list(self._recent_sessions(connection, target, history))
        return render_start(brief, recent, so_far, self._store.actor.clock(), self._nonce(), characters)

    def _compose_brief(
        self,
        connection: sqlite3.Connection,
        target: AgentSession,
        history: InjectionHistory,
        candidates: Sequence[MemoryRow],
        relevant: Mapping[ClaimId, RelevantMemory],
        unread: int,
        characters: int,
    ) -> Brief:
        """Return a brief of the candidates that are due or relevant to the prompt.

        Left out are those that the host's own files say, and descriptions of what is not in the work tree.
        """
        scope = self._store.scope_in(connection)
        relevance: dict[str, float] = {name: item.share for name, item in relevant.items()}
        if relevance and reader.has_checks(connection):
            from tacit.index.adherence import adjusted_relevance

            relevance = adjusted_relevance(connection, candidates, relevance)
        due = [memory for memory in candidates if memory.id in relevant or history.is_due(memory, scope)]
        due = without_loaded(due, target.agent, self._home)
        missing = missing_names(due, self._home)
        return compose_brief(
            without_outdated(due, missing),
            tags=frozenset(),
            relevance=relevance,
            nonce=self._nonce(),
            limits=BriefLimits(self._home.settings.brief_entries, self._home.settings.brief_tokens, characters),
            unread=unread,
            missing=missing,
        )

    def _count_unread_rules(
        self, connection: sqlite3.Connection, history: InjectionHistory, read: Iterable[MemoryRow]
    ) -> int:
        """Return how many standing rules hold here besides those read; 0 if rules were told here before."""
        if self._store.scope_in(connection) in history.scopes:
            return 0
        total = reader.count_rules(connection, self._store.scopes_in(connection))
        return total - sum(map(is_standing_rule, read))

    def _recent_sessions(
        self, connection: sqlite3.Connection, target: AgentSession, history: InjectionHistory
    ) -> Iterator[SessionRow]:
        """Yield the last sessions here that ended recently; of those with the same request only the latest."""
        limit = self._home.settings.autocapture_max_recent_sessions
        own_id = session_id(target.agent, target.session)
        earliest = timestamp(self._store.actor.clock() - _MAX_RECENT_AGE)
        seen: set[str] = set()
        for row in sessions.session_rows(connection, self._sessions_scope(connection), limit=_MAX_SESSIONS):
            if row.ended_at < earliest:
                return
            if row.id == own_id or row.id in history.sessions or not row.request_key or row.request_key in seen:
                continue
            seen.add(row.request_key)
            yield row
            if len(seen) == limit:
                return

    def _at_prompt(
        self, connection: sqlite3.Connection, target: AgentSession, prompt: str, characters: int
    ) -> RenderedInjection:
        history = self._history(connection, target)
        query = query_from_words(connection, prompt_query_words(clean(prompt)))
        scopes = self._store.scopes_in(connection)
        matching = {
            memory.id: memory
            for memory, _ in matching_memories(connection, query, _MAX_FOUND)
            if memory.scope in scopes and memory.status is Status.ACTIVE and memory.overruled_by is None
        }
        since = history.last_event if self._store.scope_in(connection) in history.scopes else ""
        rules = reader.leading_rules(connection, scopes, _MAX_RULES, since)
        if since and any(memory.kind is Kind.PREFERENCE for memory in matching.values()):
            # A rule of the project may answer the same question as the preference.
            rules += reader.leading_rules(connection, filter(is_project_scope, scopes), _MAX_RULES)
        read = {**{memory.id: memory for memory in rules}, **matching}
        memories = most_specific(read.values())
        untold = [memory for memory in memories if memory.id in matching and memory.id not in history.memories]
        relevant = {match.memory.id: match for match in relevant_memories(prompt, untold)}
        candidates = [memory for memory in memories if is_standing_rule(memory) or memory.id in relevant]
        unread = self._count_unread_rules(connection, history, read.values())
        brief = self._compose_brief(connection, target, history, candidates, relevant, unread, characters)
        earlier = self._earlier_session(connection, target, history, query)
        reasons = {name: match.reason for name, match in relevant.items()}
        return render_prompt(brief, reasons, earlier, self._store.actor.clock(), self._nonce(), characters)

    def _earlier_session(
        self, connection: sqlite3.Connection, target: AgentSession, history: InjectionHistory, query: ParsedQuery
    ) -> EarlierSession | None:
        """Return the earlier session here that changed a file this one changed, too, else one related to the prompt.

        The words of prompts are searched until a session was told at one of them or the session was compacted; what
        they find later is seldom relevant. None if there is none, or if it or one with the same request was told
        already.
        """
        own_id = session_id(target.agent, target.session)
        known_ids = {*history.sessions, own_id}
        own = sessions.session_row(connection, own_id)
        if own and own.files:
            rows = sessions.session_rows(connection, self._sessions_scope(connection), limit=_MAX_SESSIONS)
            told_requests = {row.request_key for row in rows if row.id in known_ids}
            match = session_with_same_files(
                own.files, [row for row in rows if row.request_key and row.request_key not in told_requests]
            )
            if match:
                row, files = match
                return EarlierSession(row, f"it changed {', '.join(files[:_MAX_REASON_FILES])}, too")
        if history.prompt_sessions or (own and own.compacted_at):
            return None
        candidates = sessions.sessions_by_start_id(connection, self._sessions_scope(connection), _MAX_SESSIONS)
        known_requests = {request_key for name, request_key in candidates.values() if name in known_ids}
        start_ids = {start for start, (_, request_key) in candidates.items() if request_key not in known_requests}
        related = related_session(connection, query, start_ids)
        found = sessions.session_row(connection, candidates[related.start_id][0]) if related else None
        return EarlierSession(found, related.reason) if related and found else None

    def _sessions_scope(self, connection: sqlite3.Connection) -> Scope:
        return directory_scope(
            self._home.cwd, "", self._home.user_folder, lambda scope: reader.is_scope_used(connection, scope)
        )

    def _history(self, connection: sqlite3.Connection, target: AgentSession) -> InjectionHistory:
        name = clip(clean(target.session), 128)
        unindexed = [
            event
            for event in self._store.indexer.unindexed_events(connection, _INJECTED_TYPE)
            if event.origin.session == name
        ]
        events: list[Event] = sorted(unindexed, key=lambda event: event.id, reverse=True)
        events += sessions.injection_events(connection, must_decode, name)
        row = sessions.session_row(connection, session_id(target.agent, target.session))
        compacted = row.compacted_at if row else ""
        injected: list[tuple[BriefInjected, Scope]] = []
        for event in events:
            if not isinstance(event.body, BriefInjected) or event.body.agent != target.agent:
                continue
            if timestamp(event.at) < compacted:  # for hosts without a hook after a compaction
                break
            injected.append((event.body, event.scope))
            if event.body.moment in _RESET_SOURCES:
                break
        return InjectionHistory(
            frozenset(memory for body, _ in injected for memory in body.memories),
            frozenset(session for body, _ in injected for session in body.sessions),
            frozenset(session for body, _ in injected if body.moment == "prompt" for session in body.sessions),
            frozenset(scope for _, scope in injected),
            frozenset(scope for body, scope in injected if body.moment != "prompt"),
            timestamp(events[0].at) if events else "",
            events[0].id if events else EventId(""),
        )

    def _nonce(self) -> str:
        return self._store.entropy().hex()
