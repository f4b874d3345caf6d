"""Write sessions: each event is stored once, and a session that got events is folded and written again.

The result does not depend on the order of events or on how they are split into batches.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC
from hashlib import blake2b
from itertools import groupby

from tacit.index.commands import agent_execution, store_commands
from tacit.index.database import insert_rows, mark_stale
from tacit.index.postings import (
    AGENT,
    IDS_PER_SESSION,
    PERSON,
    IndexedDocument,
    PostingsWriter,
    message_doc_id,
    session_start_id,
    start_id_of,
)
from tacit.index.reader import Decode
from tacit.index.sessions import MAIN_BRANCHES, events_of_session, mark_session_learned
from tacit.index.vectors import remove_vectors, write_vectors
from tacit.model import observation
from tacit.model.event import Event, timestamp
from tacit.model.ids import EventId, claim_number
from tacit.model.recap import session_outcome, session_title, turn_title
from tacit.model.session import Session, SessionSummary, Turn, fold_session
from tacit.record import Record
from tacit.text.words import normalize_text, tokenize

_MAX_REQUEST_KEY_CHARS = 400  # two sessions are the same request if they agree in so many characters
_MAX_FILES = 50
_MAX_HELD_EVENTS = 20_000  # of new sessions, in memory: about 50 MB
_INSERT_SESSION_EVENT = "INSERT OR IGNORE INTO session_events VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)"
_INSERT_SESSION = "INSERT OR REPLACE INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_SELECT_GROUP = (
    "SELECT count(*), max(ended_at), (SELECT number FROM sessions WHERE scope = ?1 AND request_hash = ?2"
    " ORDER BY ended_at DESC, number LIMIT 1) FROM sessions WHERE scope = ?1 AND request_hash = ?2"
)


class SessionMessage(Record):
    """A searchable message of a session: the turn it belongs to, who said it, and its text.

    `extra` is text that was not said but describes the work. `bodies` are those of its events.
    """

    part: Turn | SessionSummary
    role: int
    text: str
    extra: str = ""
    bodies: Sequence[observation.PromptGiven | observation.ReplyGiven | observation.ToolUsed] = ()

    @property
    def is_said(self) -> bool:
        """Whether it is a text that somebody wrote, not calls of tools."""
        return not (self.bodies and isinstance(self.bodies[0], observation.ToolUsed))


_SessionGroup = tuple[str, int]  # scope and request hash
LoggedLine = tuple[Event, str, str, int, int, int, bytes | None]  # the fields of `writer.IndexedEvent`


class SessionWriter:
    """Stores events of sessions. `flush` folds and writes the sessions they belong to."""

    def __init__(self, connection: sqlite3.Connection, postings: PostingsWriter, decode: Decode) -> None:
        self._connection = connection
        self._postings = postings
        self._decode = decode
        self._names: dict[int, tuple[str, str]] = {}  # agent and name of the sessions that got events
        self._summaries: list[Event] = []
        self._changed_groups: set[_SessionGroup] = set()
        self._hold_events()

    def _hold_events(self) -> None:
        """Forget the events that are held. Those of a session that is not held as a whole are read from the log."""
        self._new_events: dict[int, list[Event]] = {}
        self._held = 0

    def add_events(self, entries: Sequence[LoggedLine]) -> None:
        """Store events, and the commands among them. Events that are stored already are ignored."""
        runs = (agent_execution(event, segment, line) for event, _, segment, line, *_ in entries)
        store_commands(self._connection, [run for run in runs if run])
        numbers: dict[tuple[str, str], int] = {}
        rows: list[tuple[str | int | bytes | None, ...]] = []
        for entry in entries:
            name = _agent_and_name(entry[0])
            if name not in numbers:
                numbers[name] = claim_number(observation.session_id(*name))
            rows.append((entry[0].id, numbers[name], *entry[2:]))
        is_new = insert_rows(self._connection, _INSERT_SESSION_EVENT, rows)
        flags = [True] * len(rows) if is_new is None else is_new
        new = [entry[0] for entry, flag in zip(entries, flags, strict=True) if flag]
        for event in new:
            name = _agent_and_name(event)
            self._names[numbers[name]] = name
            self._new_events.setdefault(numbers[name], []).append(event)
            if isinstance(event.body, observation.SessionSummarized):
                self._summaries.append(event)
        self._held += len(new)
        if self._held > _MAX_HELD_EVENTS:
            self._hold_events()

    def flush(self) -> None:
        """Fold and write the sessions that got events."""
        for number, name in self._names.items():
            events = self._new_events.get(number, [])
            query = "SELECT count(*) FROM session_events WHERE session_number = ?"
            if self._connection.execute(query, (number,)).fetchone()[0] != len(events):  # not all of it is held
                events = events_of_session(self._connection, number, self._decode)
            if any(
                isinstance(event.body, observation.CONVERSATION_TYPES) for event in events
            ):  # else it has a summary alone
                session = fold_session(*name, events)
                # By identity: a folded session holds the bodies of its events and not their ids.
                event_ids = {id(event.body): event.id for event in events}
                self._changed_groups |= self._group_of(number)
                _write_session(self._connection, self._postings, number, session, event_ids)
                self._changed_groups |= self._group_of(number)
        # A model that summarized a session has read it. It is not paid for that again after a rebuild.
        for event in sorted(self._summaries, key=lambda event: event.id):
            if isinstance(event.body, observation.SessionSummarized):
                session_key = observation.session_id(*_agent_and_name(event))
                mark_session_learned(self._connection, session_key, event.body.until, event.body.model)
        self._names, self._summaries = {}, []
        self._hold_events()
        run = self._connection.execute
        for group in self._changed_groups:  # entries of the list of sessions that lost or gained a session
            session_count, ended_at, latest = run(_SELECT_GROUP, group).fetchone()
            if session_count:
                row = (*group, session_count, ended_at, latest)
                run("INSERT OR REPLACE INTO session_groups VALUES (?, ?, ?, ?, ?)", row)
            else:
                run("DELETE FROM session_groups WHERE scope = ? AND request_hash = ?", group)
        self._changed_groups = set()

    def _group_of(self, number: int) -> set[_SessionGroup]:
        """Return the entry of the list of sessions that a session belongs to now, if any."""
        query = "SELECT scope, request_hash FROM sessions WHERE number = ? AND request_hash IS NOT NULL"
        return set(self._connection.execute(query, (number,)))


def new_branch(branch: str, before: str = "") -> str:
    """Return `branch` if work on it begins here and its name says something about the work, else ""."""
    return "" if branch in (before, *MAIN_BRANCHES) else branch


def _agent_and_name(event: Event) -> tuple[str, str]:
    assert isinstance(event.body, observation.SESSION_TYPES)
    return event.body.agent, event.origin.session


def _write_session(
    connection: sqlite3.Connection,
    postings: PostingsWriter,
    number: int,
    session: Session,
    event_ids: Mapping[int, EventId],
) -> None:
    summary = session.summary if session.summary and not session.summary.newer_turns else None
    old = connection.execute("SELECT page_name FROM sessions WHERE number = ?", (number,)).fetchone()
    outcome = summary.text if summary else session_outcome(session.turns)
    request_key = normalize_text(" ".join(session.requests))[:_MAX_REQUEST_KEY_CHARS]
    hashed = request_key or f"\n{session.id}"  # a session without requests has a key of its own
    request_hash = int.from_bytes(blake2b(hashed.encode(), digest_size=8).digest(), "big", signed=True)
    row = (
        number,
        session.id,
        session.agent,
        session.host_session_id,
        session.page_name,
        session.scope,
        session.started_at.isoformat(),
        timestamp(session.ended_at.astimezone(UTC)),
        len(session.turns),
        session_title(session.host_title, session.turns),
        outcome,
        "\n".join(session.files[:_MAX_FILES]),
        request_key,
        timestamp(session.last_compacted_at) if session.last_compacted_at else "",
        summary.model if summary else "",
        request_hash if request_key or outcome else None,
        session.branch,
    )
    connection.execute(_INSERT_SESSION, row)
    _write_messages(connection, postings, number, session, old[0] if old else None, event_ids)
    mark_stale(connection, {f"session {session.page_name}", *([f"session {old[0]}"] if old else [])})


def _write_messages(
    connection: sqlite3.Connection,
    postings: PostingsWriter,
    number: int,
    session: Session,
    old_page_name: str | None,
    event_ids: Mapping[int, EventId],
) -> None:
    """Replace the messages of a session: one page for each turn and for the summary of a model, and the document and
    the events of each message. `old_page_name` is that of the session before."""
    start = session_start_id(session.started_at.date(), number)
    pages: dict[EventId, tuple[str | int, ...]] = {}
    documents: dict[int, IndexedDocument] = {}
    messages: dict[int, tuple[int, str, bool]] = {}
    texts: dict[int, str] = {}
    for index, message in enumerate(_messages(session)):
        part, doc_id = message.part, message_doc_id(start, index, message.role)
        if doc_id not in messages:
            events = " ".join(event_ids[id(body)] for body in message.bodies) or part.event
            messages[doc_id] = (
                doc_id,
                events,
                any(isinstance(body, observation.ReplyGiven) for body in message.bodies),
            )
        if message.is_said:
            texts[doc_id] = f"{texts.get(doc_id, '')}\n{message.text}"
        # Messages beyond the last id of a session share one document.
        documents[doc_id] = _append_message(documents.get(doc_id, IndexedDocument(doc_id, "", "")), message)
        if part.event not in pages:
            at, title = (part.started_at, turn_title(part)) if isinstance(part, Turn) else (session.ended_at, part.text)
            columns = (part.event, "session", session.scope, session.page_name, timestamp(at.astimezone(UTC)), title)
            pages[part.event] = (doc_id, *columns)
    query = "SELECT doc_id FROM pages WHERE kind = 'session' AND page_name = ?"
    known = connection.execute(query, (old_page_name,)).fetchall()
    starts = {start, *(start_id_of(doc_id) for (doc_id,) in known)}
    replaced = []
    for first in starts:
        id_range = (first, first + IDS_PER_SESSION - 1)
        connection.execute("DELETE FROM pages WHERE doc_id BETWEEN ? AND ?", id_range)
        connection.execute("DELETE FROM messages WHERE doc_id BETWEEN ? AND ?", id_range)
        query = "SELECT doc_id, text, extra FROM documents WHERE doc_id BETWEEN ? AND ?"
        for row in connection.execute(query, id_range).fetchall():
            if documents.get(row[0]) == row:
                del documents[row[0]]  # indexed already
            else:
                postings.remove(row[0])
                replaced.append(row[0])
    connection.executemany("INSERT OR REPLACE INTO pages VALUES (?, ?, ?, ?, ?, ?, ?, 0)", pages.values())
    connection.executemany("INSERT OR REPLACE INTO messages VALUES (?, ?, ?)", messages.values())
    postings.add(documents.values(), fresh=True)
    remove_vectors(connection, replaced)
    write_vectors(connection, {doc_id: text for doc_id, text in texts.items() if doc_id in documents})


def _append_message(document: IndexedDocument, message: SessionMessage) -> IndexedDocument:
    """Add what the person said to `text`, and what the agent said and did to `extra`."""
    text, extra = " ".join(tokenize(message.text)), " ".join(tokenize(message.extra))
    if message.role == PERSON:
        return document._replace(text=f"{document.text} {text}".strip(), extra=f"{document.extra} {extra}".strip())
    return document._replace(extra=f"{document.extra} {text}".strip())


def _messages(session: Session) -> Iterator[SessionMessage]:
    """Yield the messages in order. The tool calls between two replies are one message.

    The name of a branch is `extra` of the prompt with which the work on it begins.
    """
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
        for is_call, run in groupby(part.steps, key=lambda step: isinstance(step, observation.ToolUsed)):
            steps = list(run)
            for group in [steps] if is_call else [[step] for step in steps]:
                yield SessionMessage(part, AGENT, _steps_text(group, session), bodies=group)


def _steps_text(steps: Sequence[observation.ReplyGiven | observation.ToolUsed], session: Session) -> str:
    """Return the text of a reply, or the inputs, changes and changed files of tool calls."""
    if isinstance(steps[0], observation.ReplyGiven):
        return steps[0].text
    calls = [step for step in steps if isinstance(step, observation.ToolUsed)]
    files = {session.relative_path(file, call.directory) for call in calls for file in call.files}
    texts = (text for call in calls for text in (call.input, call.change) if text)
    return "\n".join((*texts, *sorted(files)))
