"""Giving memory to an agent: at the start of a session, at a prompt, after a compaction. Each memory once a session.

The standing rules of a project are told at the first of these moments, whatever the prompt is about. Later prompts
carry only rules that changed since. Hooks wait for this, so it reads what is there and waits for nobody for long.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Self

from tacit.disk.lock import FileLock
from tacit.errors import LockBusy
from tacit.home.capture_policy import left_out
from tacit.home.home import Part
from tacit.home.project import scope_of
from tacit.index import reader, sessions
from tacit.index.reader import Entry
from tacit.index.sessions import Row
from tacit.inject.brief import Brief, compose, is_standing_rule, nearest
from tacit.inject.relevance import Bearing, bearing, kindred, telling_words
from tacit.inject.render import Before, Injection, at_prompt, at_start
from tacit.log.codec import must_decode
from tacit.model.claim import Kind, Scope, Status, is_local
from tacit.model.event import Draft, Event, Origin, timestamp
from tacit.model.ids import ClaimId, EventId
from tacit.model.observation import Injected, session_id
from tacit.record import Record
from tacit.search.bm25 import Question, question_of
from tacit.search.memories import memories
from tacit.text.display import clean, clip

_PATIENCE = 0.2  # seconds for whoever else writes
_LEADING, _RULES, _FOUND = 60, 20, 40  # memories to choose from, of each scope; and those that words find
_SHOWN_PROMPT = 1000
_LOOKED_AT = 200  # sessions, of which many may be alike
_TYPE = "brief.given"
# What an agent was given before these is no longer before it.
_FORGETTING = ("compact", "clear")


class Asker(Record):
    """Which session of which agent is asked for, and how it came to be: startup, resume, clear, compact. `anew` says
    that what it was told at its start is no longer before it."""

    agent: str
    session: str
    source: str = ""
    anew: bool = False


class Past(Record):
    """What this session was given since it last forgot: memories and sessions by id, in which scopes it was given
    anything, and in which of these a start. `last` and `event` are when it was given anything at all the last time."""

    memories: frozenset[str] = frozenset()
    sessions: frozenset[str] = frozenset()
    scopes: frozenset[Scope] = frozenset()
    started: frozenset[Scope] = frozenset()
    last: str = ""
    event: EventId = EventId("")

    @property
    def is_empty(self) -> bool:
        return not self.last

    def wants(self, entry: Entry, scope: Scope) -> bool:
        """Whether a memory is still to be told where one stands in `scope`. Of more rules than fit, those that were
        left out the first time are not told one by one later; what was said or accepted since then is."""
        told_here = self.scopes if is_standing_rule(entry) else self.started
        return entry.id not in self.memories and (scope not in told_here or entry.last > self.event)


class Injector(Part):
    """What an agent in one directory is given."""

    def __enter__(self) -> Self:
        self._store.hurry(_PATIENCE)
        return self

    def __exit__(self, *_: object) -> None:
        """Whoever asked ends now: to let go of the index in order would only take time."""

    def give(self, asker: Asker, *, start: bool, prompt: str = "") -> str:
        """What belongs at the start, where one is asked for, and what bears on the prompt; recorded before it is
        handed out. Nothing where the settings or the person say so."""
        if left_out(self._home.settings, self._home.user_folder, self._home.cwd):
            return ""
        try:
            with FileLock(self._store.home.giving_lock, _PATIENCE).held():
                return self._give(asker, start, prompt)
        except LockBusy:
            return ""

    def is_first(self, asker: Asker) -> bool:
        """Whether this session was given nothing yet, or was compacted since."""

        def ask(connection: sqlite3.Connection) -> bool:
            past = self._past(connection, asker)
            row = sessions.row(connection, session_id(asker.agent, asker.session))
            return past.is_empty or bool(row and row.compacted > past.last)

        return self._store.read(ask)

    def _give(self, asker: Asker, start: bool, prompt: str) -> str:
        text, room = "", self._home.settings.inject_max_characters
        tells = self._home.settings.autocapture_inject_on_start
        if start and (tells or asker.source in _FORGETTING):
            moment = asker.source or "startup"
            text = self._given(
                asker, moment, "", lambda connection: self._at_start(connection, asker) if tells else Injection()
            )
        if prompt and self._home.settings.autocapture_inject_on_prompt:
            left = room - len(text)
            text += self._given(
                asker, "prompt", prompt, lambda connection: self._at_prompt(connection, asker, prompt, left)
            )
        return text

    def _given(self, asker: Asker, moment: str, prompt: str, ask: Callable[[sqlite3.Connection], Injection]) -> str:
        given = self._store.read(ask)
        if given.text or moment in _FORGETTING:
            task = _task(prompt) if prompt else ""
            said = Injected(given.memories, given.tokens, task, asker.agent, moment, given.reasons, given.sessions)
            origin = self._store.speaker.origin()._replace(
                session=clip(clean(asker.session), 128), actor=f"agent:{asker.agent}"
            )
            self._record(Draft(said, self._store.scope()), origin)
        return given.text

    def _record(self, draft: Draft, origin: Origin) -> None:
        """Record what is handed out before it is. A busy log is not waited for: then the record is spooled."""
        try:
            self._store.log.append([draft], origin, patience=_PATIENCE)
        except LockBusy:
            self._store.log.spool(draft, origin)

    # What is chosen

    def _at_start(self, connection: sqlite3.Connection, asker: Asker) -> Injection:
        is_blank = asker.anew or asker.source in _FORGETTING
        past = Past() if is_blank else self._past(connection, asker)
        room = self._home.settings.inject_max_characters
        leading = reader.leading(connection, self._store.scopes_in(connection), _LEADING)
        unread = self._unread(connection, past, leading)
        brief = self._brief(connection, past, nearest(leading, _distance), {}, unread, room)
        own = sessions.row(connection, session_id(asker.agent, asker.session))
        is_continued = asker.source in ("compact", "resume") or bool(own and own.compacted > past.last > "")
        so_far = sessions.session(connection, own, must_decode) if own and is_continued else None
        recent = [] if own and is_continued and not asker.anew else list(self._recent(connection, asker, past))
        return at_start(brief, recent, so_far, self._store.speaker.clock(), self._nonce(), room)

    def _brief(
        self,
        connection: sqlite3.Connection,
        past: Past,
        holding: Sequence[Entry],
        bearing_on: Mapping[ClaimId, Bearing],
        unread: int,
        room: int,
    ) -> Brief:
        """What is still to be told of the memories that hold here, and those of them that bear on the prompt."""
        scope = self._store.scope_in(connection)
        return compose(
            [entry for entry in holding if entry.id in bearing_on or past.wants(entry, scope)],
            tags=frozenset(),
            relevance={name: one.share for name, one in bearing_on.items()},
            nonce=self._nonce(),
            most=self._home.settings.brief_entries,
            budget=self._home.settings.brief_tokens,
            characters=room,
            unread=unread,
        )

    def _unread(self, connection: sqlite3.Connection, past: Past, read: Iterable[Entry]) -> int:
        """Standing rules that hold here beyond those that were read; only of interest when they are told first."""
        if self._store.scope_in(connection) in past.scopes:
            return 0
        total = reader.count_rules(connection, self._store.scopes_in(connection))
        return total - sum(map(is_standing_rule, read))

    def _recent(self, connection: sqlite3.Connection, asker: Asker, past: Past) -> Iterator[Row]:
        """The last sessions here; of those in which the same was asked, the latest."""
        most = self._home.settings.autocapture_max_recent_sessions
        scope = self._sessions_scope(connection)
        own = session_id(asker.agent, asker.session)
        seen: set[str] = set()
        for row in sessions.rows(connection, scope, limit=_LOOKED_AT):
            if row.id == own or row.id in past.sessions or not row.alike or row.alike in seen:
                continue
            seen.add(row.alike)
            yield row
            if len(seen) == most:
                return

    def _at_prompt(self, connection: sqlite3.Connection, asker: Asker, prompt: str, most: int) -> Injection:
        past = self._past(connection, asker)
        question = question_of(connection, telling_words(clean(prompt)))
        scopes = self._store.scopes_in(connection)
        found = {
            entry.id: entry
            for entry, _ in memories(connection, question, _FOUND)
            if entry.scope in scopes and entry.status is Status.ACTIVE and entry.overruled_by is None
        }
        since = past.event if self._store.scope_in(connection) in past.scopes else ""
        rules = reader.leading_rules(connection, scopes, _RULES, since)
        if since and any(entry.kind is Kind.PREFERENCE for entry in found.values()):
            rules += reader.leading_rules(connection, filter(is_local, scopes), _RULES)  # they may answer it
        read = {**{entry.id: entry for entry in rules}, **found}
        holding = nearest(read.values(), _distance)
        untold = [entry for entry in holding if entry.id in found and entry.id not in past.memories]
        bearing_on = {one.entry.id: one for one in bearing(prompt, untold)}
        due = [entry for entry in holding if is_standing_rule(entry) or entry.id in bearing_on]
        brief = self._brief(connection, past, due, bearing_on, self._unread(connection, past, read.values()), most)
        before = self._before(connection, asker, past, question)
        why = {name: one.reason for name, one in bearing_on.items()}
        return at_prompt(brief, why, before, self._store.speaker.clock(), self._nonce(), most)

    def _before(self, connection: sqlite3.Connection, asker: Asker, past: Past, question: Question) -> Before | None:
        """The earlier session here that bears on a prompt, if neither it nor one like it was told of yet."""
        known = {*past.sessions, session_id(asker.agent, asker.session)}
        here = sessions.runs(connection, self._sessions_scope(connection), _LOOKED_AT)
        told = {alike for name, alike in here.values() if name in known}
        kin = kindred(connection, question, {run for run, (_, alike) in here.items() if alike not in told})
        row = sessions.row(connection, here[kin.run][0]) if kin else None
        return Before(row, kin.reason) if kin and row else None

    def _sessions_scope(self, connection: sqlite3.Connection) -> Scope:
        return scope_of(self._home.cwd, "", self._home.user_folder, lambda scope: reader.is_used(connection, scope))

    def _past(self, connection: sqlite3.Connection, asker: Asker) -> Past:
        name = clip(clean(asker.session), 128)
        waiting = [event for event in self._store.filing.unfiled(connection, _TYPE) if event.origin.session == name]
        events: list[Event] = sorted(waiting, key=lambda event: event.id, reverse=True)
        events += sessions.given(connection, must_decode, name)
        row = sessions.row(connection, session_id(asker.agent, asker.session))
        compacted = row.compacted if row else ""
        given: set[str] = set()
        told: set[str] = set()
        scopes: set[Scope] = set()
        started: set[Scope] = set()
        for event in events:
            if not isinstance(event.body, Injected) or event.body.agent != asker.agent:
                continue
            if timestamp(event.at) < compacted:  # hosts without a hook after a compaction are known by their record
                break
            given.update(event.body.memories)
            told.update(event.body.sessions)
            scopes.add(event.scope)
            if event.body.moment != "prompt":
                started.add(event.scope)
            if event.body.moment in _FORGETTING:
                break
        last = events[0] if events else None
        return Past(
            frozenset(given),
            frozenset(told),
            frozenset(scopes),
            frozenset(started),
            timestamp(last.at) if last else "",
            last.id if last else EventId(""),
        )

    def _nonce(self) -> str:
        return self._store.entropy().hex()


def _distance(scope: Scope) -> int:
    return 0 if is_local(scope) else 1


def _task(prompt: str) -> str:
    """What is kept of the prompt that something was put into."""
    from tacit.secrets.redact import redacted  # most prompts get nothing, and need not wait for its tables

    return clip(redacted(clean(prompt)[:_SHOWN_PROMPT]), 200)
