"""Telling sessions: the list, one of them whole, and what was put into prompts."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tacit.errors import NotFoundError, UsageError
from tacit.home.home import HomePart
from tacit.home.project import directory_scope
from tacit.index import reader, sessions
from tacit.index.sessions import SessionRow
from tacit.log.codec import must_decode
from tacit.model.claim import Scope, scope_label
from tacit.model.event import Event
from tacit.model.ids import ClaimId, is_claim_prefix
from tacit.model.observation import BriefInjected
from tacit.model.session import Session
from tacit.text.display import clean


@dataclass(frozen=True, slots=True)
class ListedSession:
    """A session in a list, with the shortest id that names it, and how many others like it there are."""

    short: str
    row: SessionRow
    similar_count: int = 0

    @property
    def label(self) -> str:
        return scope_label(self.row.scope)


@dataclass(frozen=True, slots=True)
class InjectedMemory:
    """One memory that was put into a prompt, as it reads now, and why it was chosen."""

    id: str
    sentence: str
    reason: str


@dataclass(frozen=True, slots=True)
class InjectedSession:
    """An earlier session that was told of, and why, where it was not for being one of the last."""

    row: SessionRow
    reason: str


@dataclass(frozen=True, slots=True)
class InjectionRecord:
    """What was put into a prompt."""

    event: Event
    body: BriefInjected
    memories: tuple[InjectedMemory, ...]
    sessions: tuple[InjectedSession, ...]


class SessionQueries(HomePart):
    """sessions, session, injected."""

    def sessions(
        self, *, project: bool | str = False, limit: int | None = None, grouped: bool = True
    ) -> list[ListedSession]:
        """The latest first; of the project one stands in (or of a folder's) or of all. Those in which the same was
        asked are one entry."""

        def ask(connection: sqlite3.Connection) -> list[ListedSession]:
            found = [
                row
                for row in sessions.session_rows(connection, self._sessions_scope(connection, project))
                if row.has_content
            ]
            listed = list(_group_similar(found)) if grouped else [(row, 0) for row in found]
            chosen = listed if limit is None else listed[:limit]
            return [ListedSession(sessions.short_id(connection, row.id), row, alike) for row, alike in chosen]

        return self._store.read(ask)

    def session(self, reference: str) -> tuple[ListedSession, Session]:
        """By its id or the beginning of it, the name its host gave it, or `last`."""

        def ask(connection: sqlite3.Connection) -> tuple[ListedSession, Session]:
            row = _resolve_session(connection, clean(reference).strip())
            return ListedSession(sessions.short_id(connection, row.id), row), sessions.load_session(
                connection, row, must_decode
            )

        return self._store.read(ask)

    def sessions_to_learn(
        self, *, session: str | None = None, since: str | None = None, everything: bool = False, model: str = ""
    ) -> list[SessionRow]:
        """This session, those since then, all, or those that were not learned from yet, or not by this model; the
        earliest first."""
        if session is not None:
            return [self.session(session)[0].row]
        if not everything and since is None:
            from tacit.learn.sessions import SessionLearning

            return SessionLearning(self._home).unlearned_sessions(model)
        from tacit.home.input import parse_time

        start = parse_time(since, self._store.actor.clock(), end_of_day=False) if since else ""
        rows = self._store.read(sessions.session_rows)
        return [row for row in reversed(rows) if row.at >= start]

    def must_be_of_this_project(self, listed: ListedSession) -> None:
        """Refuse a session of another project than the one this folder is in."""
        scope = self._store.read(lambda connection: self._sessions_scope(connection, True))
        if scope is not None and listed.row.scope != scope:
            raise UsageError(
                f"the session {listed.short} is of {listed.label}, not of this project",
                "say everywhere: true to read it",
            )

    def session_lines(self, session: Session) -> list[str]:
        """Its page."""
        from tacit.pages.sessions import render_session

        return render_session(session, self._store.max_turn_chars)

    def turn_lines(self, session: Session, turn: int, around: int = 0) -> list[str]:
        """One turn of its page, whole, with so many before and after it."""
        from tacit.pages.sessions import render_part

        last = len(session.searchable_parts)
        if not 1 <= turn <= last:
            raise NotFoundError(f"this session has no turn {turn}: it has {last}", f"tacit session show {session.id}")
        numbers = range(max(turn - around, 1), min(turn + around, last) + 1)
        return [line for number in numbers for line in render_part(session, number)]

    def injected(self, *, session: str | None = None, limit: int = 20) -> list[InjectionRecord]:
        """What was put into prompts, the latest first."""

        def ask(connection: sqlite3.Connection) -> list[InjectionRecord]:
            name = _host_session_id(connection, session) if session else None
            return [
                _load_injection(connection, event)
                for event in sessions.injection_events(connection, must_decode, name, limit)
            ]

        self._store.catch_up()
        return self._store.read(ask)

    def _sessions_scope(self, connection: sqlite3.Connection, project: bool | str) -> Scope | None:
        if project is False:
            return None
        folder = self._home.cwd if project is True else project
        return directory_scope(
            folder, "", self._home.user_folder, lambda scope: reader.is_scope_used(connection, scope)
        )


def _group_similar(rows: Sequence[SessionRow]) -> Iterator[tuple[SessionRow, int]]:
    """One for all in which the same was asked in the same project, at the place of the latest."""
    counts: dict[tuple[str, str], int] = {}
    for row in rows:
        counts[row.scope, row.request_key] = counts.get((row.scope, row.request_key), 0) + 1
    seen: set[tuple[str, str]] = set()
    for row in rows:
        key = (row.scope, row.request_key)
        if not row.request_key:
            yield row, 0
        elif key not in seen:
            seen.add(key)
            yield row, counts[key] - 1


def _resolve_session(connection: sqlite3.Connection, reference: str) -> SessionRow:
    if reference == "last":
        rows = sessions.session_rows(connection, limit=1)
        if rows:
            return rows[0]
    found = _matching_sessions(connection, reference) if reference else []
    if len(found) > 1:
        shown = ", ".join(sessions.short_id(connection, one) for one in found[:5])
        raise UsageError(f"{reference!r} could be any of {shown}", "type more of it; see: tacit sessions")
    row = sessions.session_row(connection, found[0]) if found else None
    if row is None:
        raise NotFoundError(f"there is no session {reference!r}", "tacit sessions")
    return row


def _matching_sessions(connection: sqlite3.Connection, reference: str) -> list[ClaimId]:
    lowered = reference.lower()
    by_id = sessions.session_ids_with_prefix(connection, lowered) if is_claim_prefix(lowered) else []
    return by_id or sessions.session_ids_with_name(connection, reference)


def _host_session_id(connection: sqlite3.Connection, reference: str) -> str:
    """The host's name of a session; one that was never captured is known by it all the same."""
    try:
        return _resolve_session(connection, clean(reference).strip()).name
    except NotFoundError:
        return clean(reference).strip()


def _load_injection(connection: sqlite3.Connection, event: Event) -> InjectionRecord:
    body = event.body
    assert isinstance(body, BriefInjected)
    names = [*body.memories, *body.sessions]
    reasons = dict(zip(names, body.reasons, strict=False))
    told = []
    for memory in body.memories:
        entry = reader.memory_row(connection, ClaimId(memory)) if is_claim_prefix(memory) else None
        told.append(InjectedMemory(memory, entry.sentence if entry else "(no longer there)", reasons.get(memory, "")))
    before = [
        InjectedSession(row, reasons.get(name, ""))
        for name in body.sessions
        if is_claim_prefix(name) and (row := sessions.session_row(connection, ClaimId(name)))
    ]
    return InjectionRecord(event, body, tuple(told), tuple(before))
