"""Writing sessions: events are filed once, and a session that got any is folded again.

The result is the same whether the events came one by one or all at once, in whatever order.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC

from tacit.index.commands import agent_execution, store_commands
from tacit.index.database import mark_stale
from tacit.index.doc_ids import AGENT, IDS_PER_SESSION, PERSON, message_doc_id, session_start_id, start_id_of
from tacit.index.postings_writer import IndexedDocument, PostingsWriter
from tacit.index.reader import Decode
from tacit.index.sessions import events_of_session, mark_session_learned
from tacit.index.vectors import drop_stale_session_vectors
from tacit.model.event import Event, timestamp
from tacit.model.ids import EventId, claim_number
from tacit.model.observation import (
    CONVERSATION_TYPES,
    SESSION_TYPES,
    PromptGiven,
    ReplyGiven,
    SessionSummarized,
    ToolUsed,
    session_id,
)
from tacit.model.session import Session, SessionSummary, Turn, fold_session
from tacit.record import Record
from tacit.text.words import normalize_text, tokenize

_MAX_REQUEST_KEY_CHARS = 400  # characters of what was asked that tell two sessions apart
_MAX_FILES = 50
_MAIN_BRANCHES = ("main", "master", "trunk", "HEAD")  # branches whose names tell nothing of the work
_INSERT_SESSION_EVENT = "INSERT OR IGNORE INTO said VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)"
_INSERT_SESSION = "INSERT OR REPLACE INTO session VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"


class IndexedSessionEvent(Record):
    """What is filed: the event and where it stands; its line, where that is not what counts."""

    event: Event
    segment: str
    line: int
    offset: int
    length: int
    raw: bytes | None


class SessionWriter:
    """Takes events in, and folds the sessions they belong to when all are in."""

    def __init__(self, connection: sqlite3.Connection, lists: PostingsWriter, decode: Decode) -> None:
        self._connection = connection
        self._postings = lists
        self._decode = decode
        self._new_events: dict[int, list[Event]] = {}

    def add_events(self, filed: Sequence[IndexedSessionEvent]) -> None:
        numbers = {}
        store_commands(
            self._connection, [run for one in filed if (run := agent_execution(one.event, one.segment, one.line))]
        )
        for one in filed:
            body = one.event.body
            assert isinstance(body, SESSION_TYPES)
            named = (body.agent, one.event.origin.session)
            if named not in numbers:
                numbers[named] = claim_number(session_id(*named))
            row = (one.event.id, numbers[named], *one[1:])
            if self._connection.execute(_INSERT_SESSION_EVENT, row).rowcount:
                self._new_events.setdefault(numbers[named], []).append(one.event)

    def flush(self) -> None:
        for number, new in self._new_events.items():
            events = self._events_of(number, new)
            if any(
                isinstance(event.body, CONVERSATION_TYPES) for event in events
            ):  # else only the summary of one is here
                _write_session(
                    self._connection,
                    self._postings,
                    number,
                    fold_session(*_agent_and_name(new[0]), events),
                    _event_ids_by_body(events),
                )
            _mark_summarized(self._connection, new)
        self._new_events = {}

    def _events_of(self, number: int, new: list[Event]) -> list[Event]:
        """All events of a session; those that came just now need not be read again."""
        query = "SELECT count(*) FROM said WHERE session = ?"
        if self._connection.execute(query, (number,)).fetchone()[0] == len(new):
            return new
        return events_of_session(self._connection, number, self._decode)


def _agent_and_name(event: Event) -> tuple[str, str]:
    assert isinstance(event.body, SESSION_TYPES)
    return event.body.agent, event.origin.session


def _mark_summarized(connection: sqlite3.Connection, events: Sequence[Event]) -> None:
    """A model that summed a session up has read it: it is not paid for that again where the index is made anew."""
    for event in sorted(events, key=lambda event: event.id):
        if isinstance(event.body, SessionSummarized):
            mark_session_learned(connection, session_id(*_agent_and_name(event)), event.body.until, event.body.model)


def _event_ids_by_body(events: Sequence[Event]) -> dict[int, EventId]:
    """The event of each body, by the identity of that object: a folded session holds bodies alone."""
    return {id(event.body): event.id for event in events}


def _write_session(
    connection: sqlite3.Connection, lists: PostingsWriter, number: int, session: Session, ids: Mapping[int, EventId]
) -> None:
    summary = session.summary if session.summary and not session.summary.newer_turns else None
    old = connection.execute("SELECT key FROM session WHERE number = ?", (number,)).fetchone()
    row = (
        number,
        session.id,
        session.agent,
        session.name,
        session.page_name,
        session.scope,
        session.began.isoformat(),
        timestamp(session.ended.astimezone(UTC)),
        len(session.turns),
        session.title,
        summary.text if summary else session.outcome,
        "\n".join(session.files[:_MAX_FILES]),
        normalize_text(" ".join(session.requests))[:_MAX_REQUEST_KEY_CHARS],
        timestamp(session.last_compacted_at) if session.last_compacted_at else "",
        summary.model if summary else "",
    )
    connection.execute(_INSERT_SESSION, row)
    _write_messages(connection, lists, number, session, old[0] if old else None, ids)
    mark_stale(connection, {f"session {session.page_name}", *([f"session {old[0]}"] if old else [])})


class SessionMessage(Record):
    """Something in a session that a question can find: who said it, in which turn, and what it is found by; `beside` is
    what was not said and tells what the work was about; `bodies` are those of its events."""

    part: Turn | SessionSummary
    role: int
    text: str
    extra: str = ""
    bodies: Sequence[PromptGiven | ReplyGiven | ToolUsed] = ()


def _write_messages(
    connection: sqlite3.Connection,
    lists: PostingsWriter,
    number: int,
    session: Session,
    old_key: str | None,
    ids: Mapping[int, EventId],
) -> None:
    """A page a turn, and one for what a model said of all of them; the words of each message, and its events."""
    first = session_start_id(session.began.date(), number)
    pages: dict[EventId, tuple[str | int, ...]] = {}
    found: dict[int, IndexedDocument] = {}
    made_of: dict[int, tuple[int, str, bool]] = {}
    for place, message in enumerate(_messages(session)):
        here = message_doc_id(first, place, message.role)
        if here not in made_of:
            events = " ".join(ids[id(body)] for body in message.bodies) or message.part.event
            made_of[here] = (here, events, any(isinstance(body, ReplyGiven) for body in message.bodies))
        found[here] = _append_message(message, found.get(here, IndexedDocument(here, "", "")))
        if message.part.event not in pages:
            pages[message.part.event] = (here, *_page_columns(message.part, session))
    known = connection.execute("SELECT number FROM page WHERE kind = 'session' AND day = ?", (old_key,)).fetchall()
    runs = {first, *(start_id_of(old) for (old,) in known)}
    drop_stale_session_vectors(connection, runs, number, session)
    for begin in runs:
        connection.execute("DELETE FROM page WHERE number BETWEEN ? AND ?", (begin, begin + IDS_PER_SESSION - 1))
        connection.execute("DELETE FROM message WHERE number BETWEEN ? AND ?", (begin, begin + IDS_PER_SESSION - 1))
        _remove_changed_documents(connection, lists, begin, found)
    connection.executemany("INSERT OR REPLACE INTO page VALUES (?, ?, ?, ?, ?, ?, ?, 0)", pages.values())
    connection.executemany("INSERT OR REPLACE INTO message VALUES (?, ?, ?)", made_of.values())
    lists.add(found.values(), fresh=True)


def _remove_changed_documents(
    connection: sqlite3.Connection, lists: PostingsWriter, first: int, found: dict[int, IndexedDocument]
) -> None:
    """Words that are no longer said there; those that stay need not be put in again."""
    query = "SELECT number, text, extra FROM wording WHERE number BETWEEN ? AND ?"
    for row in connection.execute(query, (first, first + IDS_PER_SESSION - 1)).fetchall():
        if found.get(row[0]) == row:
            del found[row[0]]
        else:
            lists.remove(row[0])


def _append_message(message: SessionMessage, told: IndexedDocument) -> IndexedDocument:
    """What the person said stands apart from what the agent said and did. Beyond the last place all is put together."""
    said, beside = " ".join(tokenize(message.text)), " ".join(tokenize(message.extra))
    if message.role == PERSON:
        return told._replace(text=f"{told.text} {said}".strip(), extra=f"{told.extra} {beside}".strip())
    return told._replace(extra=f"{told.extra} {said}".strip())


def _page_columns(part: Turn | SessionSummary, session: Session) -> tuple[str, ...]:
    at, title = (part.at, part.title) if isinstance(part, Turn) else (session.ended, part.text)
    return part.event, "session", session.scope, session.page_name, timestamp(at.astimezone(UTC)), title


def _messages(session: Session) -> Iterator[SessionMessage]:
    """In order. What was done between two replies is one of them. Where the work on a branch begins, its name stands
    beside the words of the person."""
    branch = ""
    for part in session.searchable_parts:
        if isinstance(part, SessionSummary):
            yield SessionMessage(part, AGENT, part.text)
            continue
        for prompt in part.prompts:
            yield SessionMessage(part, PERSON, prompt.text, new_branch(prompt.branch, branch), (prompt,))
            branch = prompt.branch or branch
        if not part.prompts:
            yield SessionMessage(part, PERSON, "")
        for steps in _group_steps(part.steps):
            yield SessionMessage(part, AGENT, _steps_text(steps, session), bodies=steps)


def new_branch(branch: str, before: str = "") -> str:
    """The branch that is worked on now and was not before, where its name tells something of the work."""
    return "" if branch in (before, *_MAIN_BRANCHES) else branch


def _group_steps(steps: Sequence[ReplyGiven | ToolUsed]) -> Iterator[Sequence[ReplyGiven | ToolUsed]]:
    """Each reply alone, and the calls between two replies together."""
    calls: list[ReplyGiven | ToolUsed] = []
    for step in steps:
        if isinstance(step, ToolUsed):
            calls.append(step)
            continue
        if calls:
            yield calls
            calls = []
        yield (step,)
    if calls:
        yield calls


def _steps_text(steps: Sequence[ReplyGiven | ToolUsed], session: Session) -> str:
    """What a reply says; of calls what they were given and which files they changed."""
    if isinstance(steps[0], ReplyGiven):
        return steps[0].text
    calls = [step for step in steps if isinstance(step, ToolUsed)]
    files = {session.relative_path(file, call.directory) for call in calls for file in call.files}
    told = (text for call in calls for text in (call.input, call.change) if text)
    return "\n".join((*told, *sorted(files)))
