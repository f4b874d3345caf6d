"""Writing sessions: events are filed once, and a session that got any is folded again.

The result is the same whether the events came one by one or all at once, in whatever order.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC

from tacit.index.commands import called, keep_commands
from tacit.index.database import mark_stale
from tacit.index.doc_ids import AGENT, PERSON, RUN, first_number, number_of, run_of
from tacit.index.postings_writer import Lists, Wording
from tacit.index.reader import Decode
from tacit.index.sessions import events_of, remember_concluded
from tacit.index.vectors import keep_of_session
from tacit.model.event import Event, timestamp
from tacit.model.ids import EventId, claim_number
from tacit.model.observation import OF_SESSIONS, SAID, PromptGiven, ReplyGiven, SummedUp, ToolUsed, session_id
from tacit.model.session import Session, Summary, Turn, fold_session
from tacit.record import Record
from tacit.text.words import fold, words

_ALIKE = 400  # characters of what was asked that tell two sessions apart
_FILES = 50
_TRUNKS = ("main", "master", "trunk", "HEAD")  # branches whose names tell nothing of the work
_INSERT_SAID = "INSERT OR IGNORE INTO said VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)"
_INSERT = "INSERT OR REPLACE INTO session VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"


class Filed(Record):
    """What is filed: the event and where it stands; its line, where that is not what counts."""

    event: Event
    segment: str
    line: int
    offset: int
    length: int
    raw: bytes | None


class Sessions:
    """Takes events in, and folds the sessions they belong to when all are in."""

    def __init__(self, connection: sqlite3.Connection, lists: Lists, decode: Decode) -> None:
        self._connection = connection
        self._lists = lists
        self._decode = decode
        self._new: dict[int, list[Event]] = {}

    def hear(self, filed: Sequence[Filed]) -> None:
        numbers = {}
        keep_commands(self._connection, [run for one in filed if (run := called(one.event, one.segment, one.line))])
        for one in filed:
            body = one.event.body
            assert isinstance(body, OF_SESSIONS)
            named = (body.agent, one.event.origin.session)
            if named not in numbers:
                numbers[named] = claim_number(session_id(*named))
            row = (one.event.id, numbers[named], *one[1:])
            if self._connection.execute(_INSERT_SAID, row).rowcount:
                self._new.setdefault(numbers[named], []).append(one.event)

    def settle(self) -> None:
        for number, new in self._new.items():
            events = self._all_of(number, new)
            if any(isinstance(event.body, SAID) for event in events):  # else only the summary of one is here
                _put(self._connection, self._lists, number, fold_session(*_named(new[0]), events), _ids(events))
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


def _ids(events: Sequence[Event]) -> dict[int, EventId]:
    """The event of each body, by the identity of that object: a folded session holds bodies alone."""
    return {id(event.body): event.id for event in events}


def _put(
    connection: sqlite3.Connection, lists: Lists, number: int, session: Session, ids: Mapping[int, EventId]
) -> None:
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
    _put_pages(connection, lists, number, session, old[0] if old else None, ids)
    mark_stale(connection, {f"session {session.key}", *([f"session {old[0]}"] if old else [])})


class Message(Record):
    """Something in a session that a question can find: who said it, in which turn, and what it is found by; `beside` is
    what was not said and tells what the work was about; `bodies` are those of its events."""

    part: Turn | Summary
    voice: int
    text: str
    beside: str = ""
    bodies: Sequence[PromptGiven | ReplyGiven | ToolUsed] = ()


def _put_pages(
    connection: sqlite3.Connection,
    lists: Lists,
    number: int,
    session: Session,
    old_key: str | None,
    ids: Mapping[int, EventId],
) -> None:
    """A page a turn, and one for what a model said of all of them; the words of each message, and its events."""
    first = first_number(session.began.date(), number)
    pages: dict[EventId, tuple[str | int, ...]] = {}
    found: dict[int, Wording] = {}
    made_of: dict[int, tuple[int, str, bool]] = {}
    for place, message in enumerate(_messages(session)):
        here = number_of(first, place, message.voice)
        if here not in made_of:
            events = " ".join(ids[id(body)] for body in message.bodies) or message.part.event
            made_of[here] = (here, events, any(isinstance(body, ReplyGiven) for body in message.bodies))
        found[here] = _by_voice(message, found.get(here, Wording(here, "", "")))
        if message.part.event not in pages:
            pages[message.part.event] = (here, *_page(message.part, session))
    known = connection.execute("SELECT number FROM page WHERE kind = 'session' AND day = ?", (old_key,)).fetchall()
    runs = {first, *(run_of(old) for (old,) in known)}
    keep_of_session(connection, runs, number, session)
    for begin in runs:
        connection.execute("DELETE FROM page WHERE number BETWEEN ? AND ?", (begin, begin + RUN - 1))
        connection.execute("DELETE FROM message WHERE number BETWEEN ? AND ?", (begin, begin + RUN - 1))
        _take_out(connection, lists, begin, found)
    connection.executemany("INSERT OR REPLACE INTO page VALUES (?, ?, ?, ?, ?, ?, ?, 0)", pages.values())
    connection.executemany("INSERT OR REPLACE INTO message VALUES (?, ?, ?)", made_of.values())
    lists.put(found.values(), fresh=True)


def _take_out(connection: sqlite3.Connection, lists: Lists, first: int, found: dict[int, Wording]) -> None:
    """Words that are no longer said there; those that stay need not be put in again."""
    query = "SELECT number, text, extra FROM wording WHERE number BETWEEN ? AND ?"
    for row in connection.execute(query, (first, first + RUN - 1)).fetchall():
        if found.get(row[0]) == row:
            del found[row[0]]
        else:
            lists.take_out(row[0])


def _by_voice(message: Message, told: Wording) -> Wording:
    """What the person said stands apart from what the agent said and did. Beyond the last place all is put together."""
    said, beside = " ".join(words(message.text)), " ".join(words(message.beside))
    if message.voice == PERSON:
        return told._replace(text=f"{told.text} {said}".strip(), extra=f"{told.extra} {beside}".strip())
    return told._replace(extra=f"{told.extra} {said}".strip())


def _page(part: Turn | Summary, session: Session) -> tuple[str, ...]:
    at, title = (part.at, part.title) if isinstance(part, Turn) else (session.ended, part.text)
    return part.event, "session", session.scope, session.key, timestamp(at.astimezone(UTC)), title


def _messages(session: Session) -> Iterator[Message]:
    """In order. What was done between two replies is one of them. Where the work on a branch begins, its name stands
    beside the words of the person."""
    branch = ""
    for part in session.parts:
        if isinstance(part, Summary):
            yield Message(part, AGENT, part.text)
            continue
        for prompt in part.prompts:
            yield Message(part, PERSON, prompt.text, begun(prompt.branch, branch), (prompt,))
            branch = prompt.branch or branch
        if not part.prompts:
            yield Message(part, PERSON, "")
        for steps in _spoken(part.steps):
            yield Message(part, AGENT, _told(steps, session), bodies=steps)


def begun(branch: str, before: str = "") -> str:
    """The branch that is worked on now and was not before, where its name tells something of the work."""
    return "" if branch in (before, *_TRUNKS) else branch


def _spoken(steps: Sequence[ReplyGiven | ToolUsed]) -> Iterator[Sequence[ReplyGiven | ToolUsed]]:
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


def _told(steps: Sequence[ReplyGiven | ToolUsed], session: Session) -> str:
    """What a reply says; of calls what they were given and which files they changed."""
    if isinstance(steps[0], ReplyGiven):
        return steps[0].text
    calls = [step for step in steps if isinstance(step, ToolUsed)]
    files = {session.seen_from_here(file, call.directory) for call in calls for file in call.files}
    told = (text for call in calls for text in (call.input, call.change) if text)
    return "\n".join((*told, *sorted(files)))
