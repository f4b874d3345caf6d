"""Telling sessions: the list, one of them whole, and what was put into prompts."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tacit.errors import NotFound, WrongUse
from tacit.home.home import Part
from tacit.home.project import scope_of
from tacit.index import reader, sessions
from tacit.index.sessions import Row
from tacit.log.codec import must_decode
from tacit.model.claim import Scope, scope_label
from tacit.model.event import Event
from tacit.model.ids import ClaimId, is_claim_prefix
from tacit.model.observation import Injected
from tacit.model.session import Session
from tacit.text.display import clean


@dataclass(frozen=True, slots=True)
class ListedSession:
    """A session in a list, with the shortest id that names it, and how many others like it there are."""

    short: str
    row: Row
    alike: int = 0

    @property
    def label(self) -> str:
        return scope_label(self.row.scope)


@dataclass(frozen=True, slots=True)
class Given:
    """One memory that was put into a prompt, as it reads now, and why it was chosen."""

    id: str
    sentence: str
    reason: str


@dataclass(frozen=True, slots=True)
class ToldOf:
    """An earlier session that was told of, and why, where it was not for being one of the last."""

    row: Row
    reason: str


@dataclass(frozen=True, slots=True)
class Injection:
    """What was put into a prompt."""

    event: Event
    body: Injected
    memories: tuple[Given, ...]
    sessions: tuple[ToldOf, ...]


class Sessions(Part):
    """sessions, session, injected."""

    def sessions(
        self, *, project: bool | str = False, limit: int | None = None, grouped: bool = True
    ) -> list[ListedSession]:
        """The latest first; of the project one stands in (or of a folder's) or of all. Those in which the same was
        asked are one entry."""

        def ask(connection: sqlite3.Connection) -> list[ListedSession]:
            found = [row for row in sessions.rows(connection, self._sessions_scope(connection, project)) if row.is_told]
            listed = list(_grouped(found)) if grouped else [(row, 0) for row in found]
            chosen = listed if limit is None else listed[:limit]
            return [ListedSession(sessions.short_id(connection, row.id), row, alike) for row, alike in chosen]

        return self._store.read(ask)

    def session(self, reference: str) -> tuple[ListedSession, Session]:
        """By its id or the beginning of it, the name its host gave it, or `last`."""

        def ask(connection: sqlite3.Connection) -> tuple[ListedSession, Session]:
            row = _meant(connection, clean(reference).strip())
            return ListedSession(sessions.short_id(connection, row.id), row), sessions.session(
                connection, row, must_decode
            )

        return self._store.read(ask)

    def sessions_to_learn(
        self, *, session: str | None = None, since: str | None = None, everything: bool = False, model: str = ""
    ) -> list[Row]:
        """This session, those since then, all, or those that were not learned from yet, or not by this model; the
        earliest first."""
        if session is not None:
            return [self.session(session)[0].row]
        if not everything and since is None:
            from tacit.learn.sessions import SessionLearning

            return SessionLearning(self._home).unlearned(model)
        from tacit.home.input import moment

        start = moment(since, self._store.speaker.clock(), end_of_day=False) if since else ""
        rows = self._store.read(sessions.rows)
        return [row for row in reversed(rows) if row.at >= start]

    def must_be_of_this_project(self, listed: ListedSession) -> None:
        """Refuse a session of another project than the one this folder is in."""
        scope = self._store.read(lambda connection: self._sessions_scope(connection, True))
        if scope is not None and listed.row.scope != scope:
            raise WrongUse(
                f"the session {listed.short} is of {listed.label}, not of this project",
                "say everywhere: true to read it",
            )

    def session_lines(self, session: Session) -> list[str]:
        """Its page."""
        from tacit.pages.sessions import render

        return render(session, self._store.turn)

    def session_part_lines(self, session: Session, turn: int, around: int = 0) -> list[str]:
        """One turn of its page, whole, with so many before and after it."""
        from tacit.pages.sessions import render_part

        last = len(session.parts)
        if not 1 <= turn <= last:
            raise NotFound(f"this session has no turn {turn}: it has {last}", f"tacit session show {session.id}")
        numbers = range(max(turn - around, 1), min(turn + around, last) + 1)
        return [line for number in numbers for line in render_part(session, number)]

    def injected(self, *, session: str | None = None, limit: int = 20) -> list[Injection]:
        """What was put into prompts, the latest first."""

        def ask(connection: sqlite3.Connection) -> list[Injection]:
            name = _name(connection, session) if session else None
            return [_injection(connection, event) for event in sessions.given(connection, must_decode, name, limit)]

        self._store.catch_up()
        return self._store.read(ask)

    def _sessions_scope(self, connection: sqlite3.Connection, project: bool | str) -> Scope | None:
        if project is False:
            return None
        folder = self._home.cwd if project is True else project
        return scope_of(folder, "", self._home.user_folder, lambda scope: reader.is_used(connection, scope))


def _grouped(rows: Sequence[Row]) -> Iterator[tuple[Row, int]]:
    """One for all in which the same was asked in the same project, at the place of the latest."""
    counts: dict[tuple[str, str], int] = {}
    for row in rows:
        counts[row.scope, row.alike] = counts.get((row.scope, row.alike), 0) + 1
    seen: set[tuple[str, str]] = set()
    for row in rows:
        key = (row.scope, row.alike)
        if not row.alike:
            yield row, 0
        elif key not in seen:
            seen.add(key)
            yield row, counts[key] - 1


def _meant(connection: sqlite3.Connection, reference: str) -> Row:
    if reference == "last":
        rows = sessions.rows(connection, limit=1)
        if rows:
            return rows[0]
    found = _candidates(connection, reference) if reference else []
    if len(found) > 1:
        shown = ", ".join(sessions.short_id(connection, one) for one in found[:5])
        raise WrongUse(f"{reference!r} could be any of {shown}", "type more of it; see: tacit sessions")
    row = sessions.row(connection, found[0]) if found else None
    if row is None:
        raise NotFound(f"there is no session {reference!r}", "tacit sessions")
    return row


def _candidates(connection: sqlite3.Connection, reference: str) -> list[ClaimId]:
    lowered = reference.lower()
    by_id = sessions.ids_beginning(connection, lowered) if is_claim_prefix(lowered) else []
    return by_id or sessions.named(connection, reference)


def _name(connection: sqlite3.Connection, reference: str) -> str:
    """The host's name of a session; one that was never captured is known by it all the same."""
    try:
        return _meant(connection, clean(reference).strip()).name
    except NotFound:
        return clean(reference).strip()


def _injection(connection: sqlite3.Connection, event: Event) -> Injection:
    body = event.body
    assert isinstance(body, Injected)
    names = [*body.memories, *body.sessions]
    reasons = dict(zip(names, body.reasons, strict=False))
    told = []
    for memory in body.memories:
        entry = reader.entry(connection, ClaimId(memory)) if is_claim_prefix(memory) else None
        told.append(Given(memory, entry.sentence if entry else "(no longer there)", reasons.get(memory, "")))
    before = [
        ToldOf(row, reasons.get(name, ""))
        for name in body.sessions
        if is_claim_prefix(name) and (row := sessions.row(connection, ClaimId(name)))
    ]
    return Injection(event, body, tuple(told), tuple(before))
