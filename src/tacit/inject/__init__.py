"""Injecting memory into an agent's session: at its start, at a prompt, at an edit, at a failed command, after a
compaction. Each memory once a session, and once more at the tool call that it is about.

The standing rules of a project are told at the first of these moments, whatever the prompt is about. Later prompts
carry only rules that changed since (ADR 16, 35). Hooks wait for this, so locks are waited for only briefly.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import timedelta
from functools import partial

from tacit.brief import Brief, BriefLimits, compose_brief, is_standing_rule, most_specific
from tacit.disk.lock import FileLock
from tacit.errors import LockBusyError
from tacit.home.capture_policy import matching_ignore_entry
from tacit.home.home import Home, HomePart
from tacit.home.project import current_branch
from tacit.index import reader, sessions
from tacit.index.reader import MemoryRow
from tacit.index.sessions import SessionRow
from tacit.inject.checks import missing_names, without_loaded, without_outdated
from tacit.inject.relevance import (
    RelevantMemory,
    identifiers,
    relevant_memories,
)
from tacit.inject.rendering import RenderedInjection, render_prompt, render_start
from tacit.log.codec import must_decode
from tacit.model.claim import Kind, Scope, Status, is_project_scope
from tacit.model.event import Draft, Event, timestamp
from tacit.model.ids import ClaimId, EventId
from tacit.model.observation import BriefInjected, PromptGiven, session_id
from tacit.record import Record
from tacit.search.bm25 import ParsedQuery, query_from_words
from tacit.search.memories import matching_memories
from tacit.text.display import clean, clip, fenced, harmless_line, one_line

_LOCK_TIMEOUT_SECONDS = 0.2
_MAX_LEADING, _MAX_RULES, _MAX_FOUND = 60, 20, 40  # memories and rules of each scope to choose from; search results
_MAX_PROMPT_CHARS = 1000  # of which the recorded prompt is made
_MAX_SESSIONS = 200  # to choose from; many may have the same request
# A session on the same branch that ended since is told at the start.
_LATELY_ON_MAIN_BRANCH, _LATELY_ON_BRANCH = timedelta(hours=6), timedelta(hours=48)
_INJECTED_TYPE = "brief.given"
_MAX_FIXES = 200
_MAX_SENTENCE_CHARS = 240
_MAX_EDITS = 6  # of which a session is told something
_CALL_MOMENTS = ("edit", "failure", "proposal")  # at which no rules are told
_FIX_REASON = "it is for the command that failed"
_RESET_SOURCES = ("compact", "clear")  # what was injected before these is no longer in the context


class AgentSession(Record):
    """A session of an agent.

    `source` is how it began: startup, resume, clear or compact. `context_lost` says that what it was told at its start
    is no longer in its context. `branch` is the one it works on, "" for that of the work tree.
    """

    agent: str
    session: str
    source: str = ""
    context_lost: bool = False
    branch: str = ""

    @property
    def recorded_name(self) -> str:
        """The host's name of the session, as it is recorded."""
        return clip(clean(self.session), 128)


class InjectionHistory(Record):
    """What was injected into a session since its context was last reset.

    `memories` and `sessions` are ids. A memory on trial counts as told when it was its turn. `scopes` are those of all
    injections at a start or a prompt, `started_scopes` those of injections at a start. `last_at` and `last_event` are
    of the latest of these, also before the reset; empty if there was none.
    """

    memories: frozenset[str] = frozenset()
    sessions: frozenset[str] = frozenset()
    scopes: frozenset[Scope] = frozenset()
    started_scopes: frozenset[Scope] = frozenset()
    last_at: str = ""
    last_event: EventId = EventId("")
    edits: int = 0  # how often it was told something about a file
    call_memories: frozenset[str] = frozenset()  # those told at a tool call

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

        It is recorded before it is returned. Empty if the settings or the person exclude this.
        """
        settings, text = self._home.settings, ""
        if matching_ignore_entry(settings, self._home.user_folder, self._home.cwd):
            return ""
        with self._alone():
            if start and settings.autocapture_inject_on_start:
                with self._store.snapshot() as connection:
                    injection = _Selection(self._home, connection, target).at_start()
                text = self._record(target, target.source or "startup", injection)
            elif start and target.source in _RESET_SOURCES:
                self._record(target, target.source, RenderedInjection())
            if prompt and settings.autocapture_inject_on_prompt:
                remaining = settings.inject_max_characters - len(text)
                with self._store.snapshot() as connection:
                    injection = _Selection(self._home, connection, target).at_prompt(prompt, remaining)
                text += self._record(target, "prompt", injection, prompt)
        return text

    def may_tell_at_prompt(self) -> bool:
        """Return whether the settings and the person let agents here be told something at a prompt."""
        settings = self._home.settings
        is_ignored = matching_ignore_entry(settings, self._home.user_folder, self._home.cwd)
        return settings.autocapture_inject_on_prompt and not is_ignored

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Hold the lock that keeps two hooks of a session from telling the same. To wait long would cost the rules."""
        with ExitStack() as held:
            with suppress(LockBusyError):
                held.enter_context(FileLock(self._store.paths.injection_lock, _LOCK_TIMEOUT_SECONDS).acquire())
            yield

    def at_edit(self, target: AgentSession, files: Sequence[str], text: str) -> str:
        """Return what is known of the first of these files of which something is, or "". A session is told six times.

        `text` is what the edit replaces and inserts.
        """
        return self._at_call(target, "edit", lambda selection: selection.at_edit(files, text))

    def at_failure(self, target: AgentSession, command: str, output: str) -> str:
        """Return the known fix for a command that failed, or ""."""
        return self._at_call(target, "failure", lambda selection: selection.at_failure(command, output), command)

    def _at_call(
        self, target: AgentSession, moment: str, select: Callable[[_Selection], RenderedInjection], task: str = ""
    ) -> str:
        if matching_ignore_entry(self._home.settings, self._home.user_folder, self._home.cwd):
            return ""
        with self._alone():
            with self._store.snapshot() as connection:
                injection = select(_Selection(self._home, connection, target))
            return self._record(target, moment, injection, task)

    def ask_to_propose(self, target: AgentSession, event_id: EventId, sentence_in: Callable[[str], str]) -> str:
        """Return a line that asks the agent to propose what the person typed in an event of its session, or "".

        `sentence_in` returns the sentence in the text of the event, "" if it is no longer there.
        """
        with self._store.snapshot() as connection:
            found = sessions.logged_events(connection, [event_id], must_decode)
        body = found[0].event.body if found else None
        sentence = sentence_in(body.text) if isinstance(body, PromptGiven) else ""
        if not sentence:
            return ""
        line = (
            f"The person typed earlier in this session: “{harmless_line(one_line(sentence, _MAX_SENTENCE_CHARS))}”."
            " Nobody has proposed to remember it. If it holds beyond this task, the skill tacit says how to propose it,"
            " once the work is done; the person decides."
        )
        return self._record(target, "proposal", RenderedInjection(fenced([line], self._store.entropy().hex(), "note")))

    def rules_for_helper(self, target: AgentSession) -> str:
        """Return the standing rules for a subagent of a session, which is told nothing else.

        Each subagent is told, and it is not recorded: what the session itself was told stays as it is.
        """
        settings = self._home.settings
        if not settings.autocapture_inject_on_start:
            return ""
        if matching_ignore_entry(settings, self._home.user_folder, self._home.cwd):
            return ""
        with self._store.snapshot() as connection:
            return _Selection(self._home, connection, target).for_helper().text

    def is_first(self, target: AgentSession) -> bool:
        """Return whether nothing was injected into this session yet, or it was compacted since."""
        with self._store.snapshot() as connection:
            return _Selection(self._home, connection, target).is_first

    def _record(self, target: AgentSession, moment: str, injection: RenderedInjection, prompt: str = "") -> str:
        """Record an injection and return its text. A busy log is not waited for: the record is spooled.

        An empty injection is recorded if it resets the history, or if a trial made it empty.
        """
        if injection.text or injection.tried or moment in _RESET_SOURCES:
            task = ""
            if prompt:
                from tacit.secrets import redacted  # most prompts get nothing, and need not wait for its tables

                task = clip(redacted(clean(prompt)[:_MAX_PROMPT_CHARS]), 200)
            _, memories, reasons, told_sessions, tried = injection
            tokens = injection.tokens
            body = BriefInjected(memories, tokens, task, target.agent, moment, reasons, told_sessions, tried)
            draft = Draft(body, self._store.scope())
            origin = self._store.actor.origin()._replace(session=target.recorded_name, actor=f"agent:{target.agent}")
            try:
                self._store.log.append([draft], origin, timeout=_LOCK_TIMEOUT_SECONDS)
            except LockBusyError:
                self._store.log.spool(draft, origin)
        return injection.text


def _is_edit(event: Event, agent: str) -> bool:
    return isinstance(event.body, BriefInjected) and event.body.agent == agent and event.body.moment == "edit"


class _Selection(HomePart):
    """Chooses what a session of an agent is told now, from one snapshot of the index."""

    def __init__(self, home: Home, connection: sqlite3.Connection, target: AgentSession) -> None:
        super().__init__(home)
        self._connection, self._target = connection, target
        self._scope, self._scopes = self._store.scope_in(connection), self._store.scopes_in(connection)
        self._own_id = session_id(target.agent, target.session)
        self._own = sessions.session_row(connection, self._own_id)
        self._compacted_at = self._own.compacted_at if self._own else ""
        self._history = self._read_history()
        self._trials = self._read_trials()

    @property
    def is_first(self) -> bool:
        return not self._history.last_at or self._compacted_at > self._history.last_at

    def at_start(self) -> RenderedInjection:
        """Return the brief, where a session that goes on stands, and otherwise the last sessions here."""
        target, own = self._target, self._own
        if target.context_lost or target.source in _RESET_SOURCES:
            self._history = InjectionHistory()
        characters = self._home.settings.inject_max_characters
        leading = reader.leading_memories(self._connection, self._scopes, _MAX_LEADING)
        brief, tried = self._compose_brief(most_specific(leading), leading, {}, characters)
        is_continued = target.source in ("compact", "resume") or self._compacted_at > self._history.last_at > ""
        so_far = sessions.load_session(self._connection, own, must_decode) if own and is_continued else None
        were_told = own and is_continued and not target.context_lost
        recent = [] if were_told else list(self._recent_sessions())
        rendered = render_start(brief, recent, so_far, self._store.actor.clock(), self._nonce(), characters)
        return rendered._replace(tried=tried)

    def for_helper(self) -> RenderedInjection:
        """Return the standing rules, as if nobody had been told anything."""
        self._history = InjectionHistory()
        characters = self._home.settings.inject_max_characters
        rules = reader.leading_rules(self._connection, self._scopes, _MAX_RULES, "")
        brief, _ = self._compose_brief(most_specific(rules), rules, {}, characters)
        return render_prompt(brief, {})

    def at_prompt(self, prompt: str, characters: int) -> RenderedInjection:
        """Return the rules that are due, and the memories that are relevant to a prompt."""
        connection, history = self._connection, self._history
        names = identifiers(clean(prompt))
        query = query_from_words(connection, names)
        matching = {memory.id: memory for memory in self._matching_memories(query)}
        since = history.last_event if self._scope in history.scopes else ""
        rules = reader.leading_rules(connection, self._scopes, _MAX_RULES, since)
        if since and any(memory.kind is Kind.PREFERENCE for memory in matching.values()):
            # A rule of the project may answer the same question as the preference.
            rules += reader.leading_rules(connection, filter(is_project_scope, self._scopes), _MAX_RULES)
        read = {**{memory.id: memory for memory in rules}, **matching}
        memories = most_specific(read.values())
        found = [memory for memory in memories if memory.id in matching]
        relevant = {match.memory.id: match for match in relevant_memories(names, found, history.memories)}
        candidates = [memory for memory in memories if is_standing_rule(memory) or memory.id in relevant]
        brief, tried = self._compose_brief(candidates, read.values(), relevant, characters)
        reasons = {name: match.reason for name, match in relevant.items()}
        return render_prompt(brief, reasons)._replace(tried=tried)

    def at_edit(self, files: Sequence[str], text: str) -> RenderedInjection:
        """Return a line about the first of these files that has a past, unless the session was told often enough."""
        from tacit.inject.edits import edited_file, naming_memory, related_change, render_edit

        project = self._store.project
        if project is None or self._history.edits >= _MAX_EDITS:
            return RenderedInjection()
        rows = [row for row in self._sessions_here() if row.id != self._own_id]
        for path in files:
            file = edited_file(path, self._home.cwd, project.root, text)
            if file is None:
                continue
            change = related_change(self._connection, rows, file)
            about = self._untold_about(file.words)
            memory, tried = self._first_told(about, partial(naming_memory, path=file.path))
            if change or memory:
                short = partial(sessions.short_id, self._connection)
                rendered = render_edit(file, change, memory, short, self._store.actor.clock(), self._nonce())
                return rendered._replace(tried=tried)
            if tried:
                return RenderedInjection(tried=tried)
        return RenderedInjection()

    def _untold_about(self, words: Sequence[str]) -> list[MemoryRow]:
        """Return the memories that hold here, have some of these words and were not told at a tool call."""
        query = query_from_words(self._connection, words)
        found = most_specific(self._matching_memories(query))
        untold = [memory for memory in found if memory.id not in self._history.call_memories]
        return without_loaded(untold, self._target.agent, self._home)

    def _matching_memories(self, query: ParsedQuery) -> list[MemoryRow]:
        """Return the memories that hold here and share words with a query, the best first."""
        return [
            memory
            for memory, _ in matching_memories(self._connection, query, _MAX_FOUND)
            if memory.scope in self._scopes and memory.status is Status.ACTIVE and memory.overruled_by is None
        ]

    def at_failure(self, command: str, output: str) -> RenderedInjection:
        """Return the known fix for a failed command, once a session, also if the session began with it."""
        from tacit.inject.fixes import fitting_fix, render_fix

        fixes = reader.effective_rows_of_kind(self._connection, self._scopes, Kind.KNOWN_FIX, _MAX_FIXES)
        untold = [fix for fix in fixes if fix.id not in self._history.call_memories]
        fix, tried = self._first_told(untold, lambda memories: fitting_fix(memories, command, output))
        if fix is None:
            return RenderedInjection(tried=tried)
        return RenderedInjection(render_fix(fix, self._nonce()), (fix.id,), (_FIX_REASON,), tried=tried)

    def _first_told(
        self, memories: Sequence[MemoryRow], choose: Callable[[Sequence[MemoryRow]], MemoryRow | None]
    ) -> tuple[MemoryRow | None, tuple[ClaimId, ...]]:
        """Return the memory that is chosen to be told, and the one on trial whose turn it is."""
        chosen = choose(memories)
        if chosen is None or chosen.id not in self._trials:
            return chosen, ()
        if self._trials[chosen.id]:
            return chosen, (chosen.id,)
        return choose([memory for memory in memories if self._trials.get(memory.id, True)]), (chosen.id,)

    def _compose_brief(
        self,
        candidates: Sequence[MemoryRow],
        read: Iterable[MemoryRow],
        relevant: Mapping[ClaimId, RelevantMemory],
        characters: int,
    ) -> tuple[Brief, tuple[ClaimId, ...]]:
        """Return a brief of the candidates that are due or relevant to the prompt, and those on trial whose turn it is.

        Left out are those that the host's own files say, and descriptions of what is not in the work tree. The standing
        rules that hold here besides those `read` are counted, unless rules were told here before.
        """
        relevance: dict[str, float] = dict.fromkeys(relevant, 1.0)
        if relevance and reader.has_checks(self._connection):
            from tacit.index.adherence import adjusted_relevance

            relevance = adjusted_relevance(self._connection, candidates, relevance)
        due = [memory for memory in candidates if memory.id in relevant or self._history.is_due(memory, self._scope)]
        due = without_loaded(due, self._target.agent, self._home)
        missing = missing_names(due, self._home)
        unread = 0
        if self._scope not in self._history.scopes:
            unread = reader.count_rules(self._connection, self._scopes) - sum(map(is_standing_rule, read))
        compose = partial(
            compose_brief,
            tags=frozenset(),
            relevance=relevance,
            nonce=self._nonce(),
            limits=BriefLimits(self._home.settings.brief_entries, self._home.settings.brief_tokens, characters),
            unread=unread,
            missing=missing,
        )
        brief = compose(without_outdated(due, missing))
        tried = tuple(claim for claim in brief.ids if claim in self._trials)
        if all(map(self._trials.__getitem__, tried)):
            return brief, tried
        left = (memory for memory in due if self._trials.get(memory.id, True))
        return compose(without_outdated(left, missing)), tried

    def _recent_sessions(self) -> Iterator[SessionRow]:
        """Yield the sessions that are told at the start, the latest first. Of those with the same request the latest.

        By default it is one that this session may go on with: on the same branch not long ago; the main branch says
        less than another one. Readers found other sessions to be noise, also those that had just ended (ADR 90). Who
        asks for several gets the last ones of the project.
        """
        most = self._home.settings.autocapture_max_recent_sessions
        branch = self._target.branch or (current_branch(self._store.project.root) if self._store.project else "")
        is_main = branch in ("", *sessions.MAIN_BRANCHES)
        lately = _LATELY_ON_MAIN_BRANCH if is_main else _LATELY_ON_BRANCH
        earliest = timestamp(self._store.actor.clock() - lately) if most == 1 else ""
        seen: set[str] = set()
        for row in self._sessions_here():
            if row.ended_at < earliest or len(seen) == most:
                return
            is_near = most > 1 or row.branch == branch or (is_main and row.branch in ("", *sessions.MAIN_BRANCHES))
            is_known = row.id == self._own_id or row.id in self._history.sessions
            if is_near and not is_known and row.request_key and row.request_key not in seen:
                seen.add(row.request_key)
                yield row

    def _sessions_here(self) -> list[SessionRow]:
        scope = self._folder_scope(self._connection, self._home.cwd)
        return sessions.session_rows(self._connection, scope, limit=_MAX_SESSIONS)

    def _read_history(self) -> InjectionHistory:
        name, agent = self._target.recorded_name, self._target.agent
        unindexed = self._store.indexer.unindexed_events(self._connection, _INJECTED_TYPE)
        events: list[Event] = sorted(
            (event for event in unindexed if event.origin.session == name), key=lambda event: event.id, reverse=True
        )
        events += sessions.injection_events(self._connection, must_decode, name)
        injected: list[tuple[BriefInjected, Scope]] = []
        latest: Event | None = None  # that may have told rules
        for event in events:
            if not isinstance(event.body, BriefInjected) or event.body.agent != agent:
                continue
            if latest is None and event.body.moment not in _CALL_MOMENTS:
                latest = event
            if timestamp(event.at) < self._compacted_at:  # for hosts without a hook after a compaction
                break
            is_reset = event.body.moment in _RESET_SOURCES
            if event.body.tokens or not is_reset:  # one that told nothing has told no rules of this project
                injected.append((event.body, event.scope))
            if is_reset:
                break
        return InjectionHistory(
            frozenset(memory for body, _ in injected for memory in (*body.memories, *body.tried)),
            frozenset(session for body, _ in injected for session in body.sessions),
            frozenset(scope for body, scope in injected if body.moment not in _CALL_MOMENTS),
            frozenset(scope for body, scope in injected if body.moment not in ("prompt", *_CALL_MOMENTS)),
            timestamp(latest.at) if latest else "",
            latest.id if latest else EventId(""),
            sum(_is_edit(event, agent) for event in events),  # also before a compaction
            frozenset(
                memory
                for body, _ in injected
                if body.moment in _CALL_MOMENTS
                for memory in (*body.memories, *body.tried)
            ),
        )

    def _read_trials(self) -> dict[ClaimId, bool]:
        """Return the memories on trial, and whether the coin lets this session be told each."""
        if not reader.has_trials(self._connection):
            return {}
        from tacit.index.trials import running_trials

        agent, name = self._target.agent, self._target.recorded_name
        trials = running_trials(self._connection, must_decode).items()
        return {claim: trial.is_treated(agent, name) for claim, trial in trials}

    def _nonce(self) -> str:
        return self._store.entropy().hex()
