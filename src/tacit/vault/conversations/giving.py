"""Giving memory to an agent: at the start of a session, at a prompt, after a compaction. Each memory once a session.

Hooks wait for this, so it reads what is there and waits for nobody for long.
"""

import sqlite3
from collections.abc import Callable, Iterator
from typing import NamedTuple, Self

from tacit.core.claim import Scope, is_local
from tacit.core.conversation import session_id
from tacit.core.errors import LockBusy
from tacit.core.event import Draft, Event, Origin, timestamp
from tacit.core.observation import Injected
from tacit.core.status import Status
from tacit.core.text import clean, clip
from tacit.disk.lock import FileLock
from tacit.index import reader, sessions
from tacit.index.reader import Entry
from tacit.index.sessions import Row
from tacit.recall.bearing import bearing, telling_words
from tacit.recall.brief import compose
from tacit.recall.injection import Before, Injection, at_prompt, at_start
from tacit.recall.kindred import kindred
from tacit.recall.nearest import nearest
from tacit.recall.remembered import memories
from tacit.recall.retrieving import Question, question_of
from tacit.vault.autocapturing import left_out
from tacit.vault.conversations.places import scope_of
from tacit.vault.filing import must_decode
from tacit.vault.opened import Opened

_PATIENCE = 0.2  # seconds for whoever else writes
_LEADING, _FOUND = 60, 40  # memories to choose from
_SHOWN_PROMPT = 1000
_LOOKED_AT = 200  # sessions, of which many may be alike
_TYPE = "brief.given"
# What an agent was given before these is no longer before it.
_FORGETTING = ("compact", "clear")


class Asker(NamedTuple):
    """Which session of which agent is asked for, and how it came to be: startup, resume, clear, compact. `anew` says
    that what it was told at its start is no longer before it."""

    agent: str
    session: str
    source: str = ""
    anew: bool = False


class Past(NamedTuple):
    """What this session was given since it last forgot, and the last time it was given anything."""

    memories: frozenset[str]
    sessions: frozenset[str]
    last: str

    @property
    def is_empty(self) -> bool:
        return not self.last


class Giving(Opened):
    """What an agent in one directory is given."""

    def __enter__(self) -> Self:
        self._store.hurry(_PATIENCE)
        return self

    def __exit__(self, *_: object) -> None:
        """Whoever asked ends now: to let go of the index in order would only take time."""

    def give(self, asker: Asker, *, start: bool, prompt: str = "") -> str:
        """What belongs at the start, where one is asked for, and what bears on the prompt; recorded before it is
        handed out. Nothing where the settings or the person say so."""
        if left_out(self._settings, self._user_folder, self._cwd):
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
        text, room = "", self._settings.inject_max_characters
        tells = self._settings.autocapture_inject_on_start
        if start and (tells or asker.source in _FORGETTING):
            moment = asker.source or "startup"
            text = self._given(
                asker, moment, "", lambda connection: self._at_start(connection, asker) if tells else Injection()
            )
        if prompt and self._settings.autocapture_inject_on_prompt:
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
        past = Past(frozenset(), frozenset(), "") if is_blank else self._past(connection, asker)
        candidates = reader.leading(connection, self._store.scopes_in(connection), _LEADING)
        brief = compose(
            (entry for entry in candidates if entry.id not in past.memories),
            tags=frozenset(),
            relevance={},
            nonce=self._nonce(),
            most=self._settings.brief_entries,
            budget=self._settings.brief_tokens,
        )
        own = sessions.row(connection, session_id(asker.agent, asker.session))
        is_continued = asker.source in ("compact", "resume") or bool(own and own.compacted > past.last > "")
        so_far = sessions.session(connection, own, must_decode) if own and is_continued else None
        recent = [] if own and is_continued and not asker.anew else list(self._recent(connection, asker, past))
        now = self._store.speaker.clock()
        return at_start(brief, recent, so_far, now, self._nonce(), self._settings.inject_max_characters)

    def _recent(self, connection: sqlite3.Connection, asker: Asker, past: Past) -> Iterator[Row]:
        """The last sessions here; of those in which the same was asked, the latest."""
        most = self._settings.autocapture_max_recent_sessions
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
        found = self._standing(connection, question, past)
        before = self._before(connection, asker, past, question)
        return at_prompt(bearing(prompt, found), before, self._store.speaker.clock(), self._nonce(), most)

    def _standing(self, connection: sqlite3.Connection, question: Question, past: Past) -> list[Entry]:
        """Memories that hold here and were not given yet."""
        scopes = self._store.scopes_in(connection)
        found = [entry for entry, _ in memories(connection, question, _FOUND)]
        return [
            entry
            for entry in nearest(found, lambda scope: 0 if is_local(scope) else 1)
            if entry.scope in scopes and entry.status is Status.ACTIVE and entry.overruled_by is None
            if entry.id not in past.memories
        ]

    def _before(self, connection: sqlite3.Connection, asker: Asker, past: Past, question: Question) -> Before | None:
        """The earlier session here that bears on a prompt, if neither it nor one like it was told of yet."""
        known = {*past.sessions, session_id(asker.agent, asker.session)}
        here = sessions.runs(connection, self._sessions_scope(connection), _LOOKED_AT)
        told = {alike for name, alike in here.values() if name in known}
        kin = kindred(connection, question, {run for run, (_, alike) in here.items() if alike not in told})
        row = sessions.row(connection, here[kin.run][0]) if kin else None
        return Before(row, kin.reason) if kin and row else None

    def _sessions_scope(self, connection: sqlite3.Connection) -> Scope:
        return scope_of(self._cwd, "", self._user_folder, lambda scope: reader.is_used(connection, scope))

    def _past(self, connection: sqlite3.Connection, asker: Asker) -> Past:
        name = clip(clean(asker.session), 128)
        waiting = [event for event in self._store.filing.unfiled(connection, _TYPE) if event.origin.session == name]
        events: list[Event] = sorted(waiting, key=lambda event: event.id, reverse=True)
        events += sessions.given(connection, must_decode, name)
        given: set[str] = set()
        told: set[str] = set()
        for event in events:
            if isinstance(event.body, Injected) and event.body.agent == asker.agent:
                given.update(event.body.memories)
                told.update(event.body.sessions)
                if event.body.moment in _FORGETTING:
                    break
        return Past(frozenset(given), frozenset(told), timestamp(events[0].at) if events else "")

    def _nonce(self) -> str:
        return self._store.entropy().hex()


def _task(prompt: str) -> str:
    """What is kept of the prompt that something was put into."""
    from tacit.core.redaction import redacted  # most prompts get nothing, and need not wait for its tables

    return clip(redacted(clean(prompt)[:_SHOWN_PROMPT]), 200)
