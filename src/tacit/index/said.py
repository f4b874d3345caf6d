"""Writing sessions: events are filed once, and a session that got any is folded again.

The result is the same whether the events came one by one or all at once, in whatever order.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import UTC
from typing import NamedTuple

from tacit.core.conversation import OF_SESSIONS, SAID, SummedUp, session_id
from tacit.core.event import Event, timestamp
from tacit.core.ids import claim_id, claim_number
from tacit.core.session import Session, Summary, Turn, fold_session
from tacit.core.text import fold, words
from tacit.index.reader import Decode
from tacit.index.rows import Words, mark_stale, put_words
from tacit.index.sessions import events_of, remember_concluded

_ALIKE = 400  # characters of what was asked that tell two sessions apart
_FILES = 50
_INSERT = "INSERT OR REPLACE INTO session VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"


class Filed(NamedTuple):
    """What is filed: the event, where it stands, its line."""

    event: Event
    segment: str
    line: int
    raw: bytes


class Sessions:
    """Takes events in, and folds the sessions they belong to when all are in."""

    def __init__(self, connection: sqlite3.Connection, decode: Decode) -> None:
        self._connection = connection
        self._decode = decode
        self._new: dict[int, list[Event]] = {}

    def hear(self, filed: Sequence[Filed]) -> None:
        numbers = {}
        for one in filed:
            body = one.event.body
            assert isinstance(body, OF_SESSIONS)
            named = (body.agent, one.event.origin.session)
            if named not in numbers:
                numbers[named] = claim_number(session_id(*named))
            row = (one.event.id, numbers[named], one.segment, one.line, one.raw)
            if self._connection.execute("INSERT OR IGNORE INTO said VALUES (NULL, ?, ?, ?, ?, ?)", row).rowcount:
                self._new.setdefault(numbers[named], []).append(one.event)

    def settle(self) -> None:
        for number, new in self._new.items():
            events = self._all_of(number, new)
            if any(isinstance(event.body, SAID) for event in events):  # else only the summary of one is here
                _put(self._connection, number, fold_session(*_named(new[0]), events))
            _note_readers(self._connection, new)
        self._new = {}

    def _all_of(self, number: int, new: list[Event]) -> list[Event]:
        """All events of a session; those that came just now need not be read again."""
        query = "SELECT count(*) FROM said WHERE session = ?"
        if self._connection.execute(query, (number,)).fetchone()[0] == len(new):
            return new
        return events_of(self._connection, number, self._decode)


def _named(event: Event) -> tuple[str, str]:
    assert isinstance(event.body, OF_SESSIONS)
    return event.body.agent, event.origin.session


def _note_readers(connection: sqlite3.Connection, events: Sequence[Event]) -> None:
    """A model that summed a session up has read it: it is not paid for that again where the index is made anew."""
    for event in sorted(events, key=lambda event: event.id):
        if isinstance(event.body, SummedUp):
            remember_concluded(connection, session_id(*_named(event)), event.body.until, event.body.model)


def _put(connection: sqlite3.Connection, number: int, session: Session) -> None:
    summary = session.summary if session.summary and not session.summary.behind else None
    old = connection.execute("SELECT key FROM session WHERE number = ?", (number,)).fetchone()
    row = (
        number,
        session.id,
        session.agent,
        session.name,
        session.key,
        session.scope,
        session.began.isoformat(),
        timestamp(session.ended.astimezone(UTC)),
        len(session.turns),
        session.title,
        summary.text if summary else session.outcome,
        "\n".join(session.files[:_FILES]),
        fold(" ".join(session.requests))[:_ALIKE],
        timestamp(session.compacted) if session.compacted else "",
        summary.model if summary else "",
    )
    connection.execute(_INSERT, row)
    _put_pages(connection, session, old[0] if old else None)
    mark_stale(connection, {f"session {session.key}", *([f"session {old[0]}"] if old else [])})


def _put_pages(connection: sqlite3.Connection, session: Session, old_key: str | None) -> None:
    """A page a turn, and one for what a model said of all of them: what a question finds."""
    rows = connection.execute("SELECT event, number FROM page WHERE kind = 'session' AND day = ?", (old_key,))
    known: dict[str, int] = dict(rows.fetchall()) if old_key else {}
    found = {part.event: part for part in session.parts}
    for event in known.keys() - found.keys():
        connection.execute("DELETE FROM page WHERE event = ?", (event,))
        connection.execute("DELETE FROM words WHERE rowid = ?", (known[event],))
    fresh: list[Words] = []
    changed: list[Words] = []
    for event, part in found.items():
        number = known.get(event) or claim_number(claim_id("page", event))
        at, title = (part.at, part.title) if isinstance(part, Turn) else (session.ended, part.text)
        row = (number, event, "session", session.scope, session.key, timestamp(at.astimezone(UTC)), title)
        connection.execute("INSERT OR REPLACE INTO page VALUES (?, ?, ?, ?, ?, ?, ?, 0)", row)
        (changed if event in known else fresh).append((number, *_words_of(part, session)))
    put_words(connection, fresh, fresh=True)
    put_words(connection, changed, fresh=False)


def _words_of(part: Turn | Summary, session: Session) -> tuple[str, str]:
    """What the person said weighs more than what the agent said and did, or a model said of it."""
    if isinstance(part, Summary):
        return "", " ".join(words(part.text))
    asked = "\n".join(prompt.text for prompt in part.prompts)
    files = {session.seen_from_here(file, call.directory) for call in part.calls for file in call.files}
    done = "\n".join((*part.replies, *(call.input for call in part.calls), *sorted(files)))
    return " ".join(words(asked)), " ".join(words(done))
