"""Hits of `recall`: search results with the passage, its speaker, its file and line, and the command that opens it."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import date
from itertools import islice

from tacit.disk.files import open_plain
from tacit.errors import IndexUnusableError
from tacit.home.home import HomePart
from tacit.index import reader
from tacit.index.commands import StoredCommand
from tacit.index.postings import IDS_PER_SESSION, session_start_id, start_id_of
from tacit.index.reader import MemoryRow, PageRow
from tacit.log.codec import must_decode
from tacit.log.reader import FileLocation
from tacit.model.claim import Scope
from tacit.model.event import timestamp
from tacit.model.ids import ClaimId, EventId, claim_number
from tacit.model.observation import SESSION_TYPES, UNKNOWN_STATUS, PromptGiven, ToolUsed, session_id
from tacit.record import Record
from tacit.search.rank import COMMAND, SearchResult
from tacit.text.display import clip

TYPE_CHECKING = False

if TYPE_CHECKING:
    from tacit.search.passages import Passage

_MAX_SOURCE_CHARS = 300  # of the line that a memory was learned from
_TURN_SQL = "SELECT count(*) FROM pages WHERE doc_id BETWEEN ? AND ?"
_TURN_AT_SQL = "SELECT count(*) FROM pages WHERE doc_id BETWEEN ? AND ? AND created_at <= ?"
# How many turns before one have the same title.
_SAME_TITLE_SQL = (
    "SELECT count(*) FROM pages WHERE kind = 'session' AND page_name = ? AND title = ?"
    " AND doc_id < (SELECT doc_id FROM pages WHERE event_id = ?)"
)
_CLAIM_LOCATION_SQL = (
    "SELECT segment, line FROM claim_events JOIN events ON events.id = event_id WHERE claim_id = ?"
    " ORDER BY events.id DESC LIMIT 1"
)
_EVENT_LOCATION_SQL = "SELECT segment, line FROM events WHERE id = ?"
_MESSAGE_LOCATION_SQL = "SELECT segment, line FROM session_events WHERE event_id = ?"
_MAX_SINGLE_LOOKUPS = 12  # ids that are searched for in the file; for more, all lines with ids are indexed
MAX_FILE_BYTES = 4 << 20  # nothing is looked up in larger files; the line of the log is shown then
# Line numbers of files that were read. Each `LineIndex` checks whether its file has changed.
_LINES_BY_PATH: dict[str, LineIndex] = {}


class LineIndex:
    """Line numbers of a file, which is read again only if it changed."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._reset()

    def _reset(self) -> None:
        self._signature: tuple[int, int, int] | None = None
        self._content = b""
        self._lookups = 0
        self._by_id: dict[bytes, int] = {}
        self._headings: list[tuple[bytes, int]] | None = None

    def refreshed(self) -> LineIndex:
        """Read the file again if it has changed, and return this index."""
        try:
            status = os.stat(self.path)
        except OSError:
            self._reset()
            return self
        signature = (status.st_ino, status.st_size, status.st_mtime_ns)
        if signature != self._signature:
            self._reset()
            self._signature = signature
            if status.st_size <= MAX_FILE_BYTES:
                with suppress(OSError), open_plain(self.path) as file:  # a result without its location is still one
                    self._content = file.read() + b"\n"  # so that the last line ends, too
        return self

    def locate_id(self, claim: str) -> FileLocation | None:
        """Return the line that ends with this memory's id; None if there is none."""
        self._lookups += 1
        if self._lookups < _MAX_SINGLE_LOOKUPS:
            position = self._content.find(b" ^" + claim.encode() + b"\n")
            return self._location(self._content.count(b"\n", 0, position) + 1 if position >= 0 else None)
        if self._lookups == _MAX_SINGLE_LOOKUPS:
            lines = enumerate(self._content.split(b"\n"), 1)
            self._by_id = {line[-12:]: number for number, line in lines if line[-14:-12] == b" ^"}
        return self._location(self._by_id.get(claim.encode()))

    def locate_heading(self, heading: str, nth: int) -> FileLocation | None:
        """Return the nth line, from 0, with exactly this heading; None if there are fewer."""
        wanted = heading.encode("utf-8", "surrogateescape")
        return self._locate_nth(nth, lambda line: line == wanted)

    def locate_ending(self, mark: str, ending: str, nth: int) -> FileLocation | None:
        """Return the nth heading, from 0, with this mark and this ending; None if there are fewer."""
        prefix, suffix = mark.encode(), ending.encode("utf-8", "surrogateescape")
        return self._locate_nth(nth, lambda line: line.startswith(prefix) and line.endswith(suffix))

    def _locate_nth(self, nth: int, is_wanted: Callable[[bytes], bool]) -> FileLocation | None:
        if self._headings is None:
            lines = enumerate(self._content.split(b"\n"), 1)
            self._headings = [(line, number) for number, line in lines if line[:1] == b"#"]
        numbers = (number for line, number in self._headings if is_wanted(line))
        return self._location(next(islice(numbers, nth, None), None))

    def _location(self, number: int | None) -> FileLocation | None:
        return None if number is None else FileLocation(self.path, number)


class MorePassage(Record):
    """Another passage of a session: its turn, the agent or "" for the person, the text, and the command after it."""

    turn: int
    speaker: str
    text: str
    ran: str = ""


class SessionQuote(Record):
    """A passage of a session.

    `speaker` is the agent, or "" for the person. `short` is the shortest unique prefix of the session's id. `matches`
    are the parts of the text that are terms of the question. `act`, `outcome` and `directory` are those of a tool
    call. `ran` is the command that an agent ran after it said this. `answer` is the conclusion of the turn; `more` are
    other passages of the session that may answer.
    """

    text: str
    speaker: str
    at: str
    session: str
    short: str
    title: str
    turn: int
    matches: tuple[tuple[int, int], ...] = ()
    act: str = ""
    outcome: str = ""
    directory: str = ""
    ran: str = ""
    answer: str = ""
    more: tuple[MorePassage, ...] = ()

    @property
    def open_command(self) -> str:
        """The command that opens the session there."""
        return f"tacit sessions {self.short} --turn {self.turn}"


class Hit(Record):
    """One answer of `recall`.

    `id` is that of the memory, the session or else the event, and `short` the prefix of it that people type. `status`
    is `recorded` unless it is a memory. `quote` is the passage of a session or, for a memory, the line that it was
    learned from. `directory` and `exit_status` are those of a command; the status is None if it is unknown, and -2 if
    the command failed with a status that was not recorded. `at` is "" for a command of a history without times.
    """

    id: str
    short: str
    kind: str
    status: str
    scope: Scope
    text: str
    at: str
    strength: int
    relevance: float
    path: str
    line: int
    tags: tuple[str, ...] = ()
    conflict: bool = False
    overruled_by: str | None = None
    why: str = ""
    quote: SessionQuote | None = None
    directory: str = ""
    exit_status: int | None = None
    author: str = ""  # of a memory of the team
    details: tuple[str, ...] = ()  # of an entry of the worklog: its changes, evidence and next step

    @property
    def passage(self) -> str:
        """The text that answers: the passage of a session, the sentence of a memory or the line of a command."""
        return self.quote.text if self.quote and self.kind == "session" else self.text


class HitBuilder(HomePart):
    """Turns search results of one home into hits."""

    def build(self, connection: sqlite3.Connection, results: Sequence[SearchResult]) -> list[Hit]:
        page = self._line_index(self._store.paths.long_term)
        claims = [result.item.id for result in results if isinstance(result.item, MemoryRow)]
        by_event = reader.claims_by_source_event(connection, claims) if claims else {}
        sources = {claim: event for event, claim in by_event.items()}
        return [self._build_hit(connection, result, page, sources) for result in results]

    def _build_hit(
        self,
        connection: sqlite3.Connection,
        result: SearchResult,
        long_term: LineIndex,
        sources: Mapping[ClaimId, EventId],
    ) -> Hit:
        item = result.item
        if isinstance(item, StoredCommand):
            return self._command_hit(connection, result, item)
        if isinstance(item, PageRow):
            location, details = self._page_location(connection, item), self._worklog_details(connection, item)
            quote = self._message_quote(connection, item, result.passage) if result.passage else None
            names = (quote.session, quote.short) if quote else (item.event, item.event)
            at = quote.at if quote else item.at
            fields = (*names, item.kind, "recorded", item.scope, item.title, at, 1, result.relevance, *location)
            return Hit(*fields, why=_explain_match(result), quote=quote, details=details)
        return Hit(
            item.id,
            reader.short_id(connection, item.id),
            item.kind.label,
            item.status.value,
            item.scope,
            item.sentence,
            item.said_at,
            item.strength,
            result.relevance,
            *(long_term.locate_id(item.id) or self._log_location(connection, _CLAIM_LOCATION_SQL, item.id)),
            item.tags,
            item.is_conflicting,
            item.overruled_by,
            _explain_match(result),
            self.source_quote(connection, sources[item.id]) if item.id in sources else None,
            author=item.author,
        )

    def _command_hit(self, connection: sqlite3.Connection, result: SearchResult, ran: StoredCommand) -> Hit:
        location = self._store.log.location(ran.segment, ran.line)
        event = ran.last_event
        quote = None
        if ran.session_number:
            quote = SessionQuote(ran.text, ran.actor.partition(":")[2], ran.at, "", "", "", 0)
            quote = self._with_session(connection, quote, ran.session_number)
        fields = (event, event, COMMAND, "recorded", ran.scope, ran.text, ran.at, 1, result.relevance, *location)
        status = None if ran.exit_status == UNKNOWN_STATUS else ran.exit_status
        return Hit(*fields, why=_explain_match(result), quote=quote, directory=ran.directory, exit_status=status)

    def _message_quote(self, connection: sqlite3.Connection, page: PageRow, passage: Passage) -> SessionQuote:
        from tacit.index import sessions

        row = sessions.session_row(connection, ClaimId(page.page_name.rpartition("-")[2]))
        if row is None:
            raise IndexUnusableError("its tables disagree")
        call = passage.call
        return SessionQuote(
            passage.text,
            passage.agent,
            passage.at,
            row.id,
            sessions.short_id(connection, row.id),
            row.title,
            _turn_number(connection, passage.doc_id),
            passage.matches,
            call.act.value if call else "",
            call.outcome.value if call else "",
            call.directory if call else "",
            passage.ran,
            passage.answer,
            tuple(
                MorePassage(_turn_number(connection, other.doc_id), other.agent, other.text, other.ran)
                for other in passage.more
            ),
        )

    def source_quote(self, connection: sqlite3.Connection, event_id: EventId) -> SessionQuote | None:
        """Return the line of a session that a memory was learned from; None if it no longer exists."""
        from tacit.index import sessions

        for row in sessions.logged_events(connection, [event_id], must_decode):
            body, origin = row.event.body, row.event.origin
            assert isinstance(body, SESSION_TYPES)
            speaker = "" if isinstance(body, PromptGiven) else body.agent
            quote = SessionQuote("", speaker, timestamp(row.event.at), "", "", "", 0)
            if isinstance(body, ToolUsed):
                text = body.input or body.tool
                quote = quote._replace(act=body.act.value, outcome=body.outcome.value, directory=body.directory)
            else:
                text = getattr(body, "text", "")
            quote = quote._replace(text=clip(text, _MAX_SOURCE_CHARS))
            return self._with_session(connection, quote, claim_number(session_id(body.agent, origin.session)))
        return None

    def _with_session(self, connection: sqlite3.Connection, quote: SessionQuote, number: int) -> SessionQuote | None:
        """Return a quote with its session, and the last turn that had begun then. None if the session is unknown."""
        from tacit.index import sessions

        row = sessions.session_row_by_number(connection, number)
        if row is None:
            return None
        first = session_start_id(date.fromisoformat(row.started_at[:10]), number)
        turn = connection.execute(_TURN_AT_SQL, (first, first + IDS_PER_SESSION - 1, quote.at)).fetchone()[0]
        short = sessions.short_id(connection, row.id)
        return quote._replace(session=row.id, short=short, title=row.title, turn=max(turn, 1))

    def _worklog_details(self, connection: sqlite3.Connection, page: PageRow) -> tuple[str, ...]:
        """Return what an entry of the worklog says beside its task and summary; nothing for other pages."""
        if page.kind != "worklog":
            return ()
        events = reader.page_events(connection, page.kind, page.page_name, must_decode)
        body = next(event.body for event in events if event.id == page.event)
        return tuple(f"{name}: {text}" for name in ("changes", "evidence", "next") if (text := getattr(body, name)))

    def _page_location(self, connection: sqlite3.Connection, page: PageRow) -> FileLocation:
        from tacit.pages.long_term import evaluation_heading, worklog_heading

        if page.kind == "session":
            return self._turn_location(connection, page)
        heading_of = worklog_heading if page.kind == "worklog" else evaluation_heading
        events = reader.page_events(connection, page.kind, page.page_name, must_decode)
        headings = {event.id: heading_of(event) for event in events}
        heading = headings[page.event]
        nth = [event_id for event_id, other in headings.items() if other == heading].index(page.event)
        location = self._line_index(self._store.paths.page(page.kind, page.page_name)).locate_heading(heading, nth)
        return location or self._log_location(connection, _EVENT_LOCATION_SQL, page.event)

    def _turn_location(self, connection: sqlite3.Connection, page: PageRow) -> FileLocation:
        """Find a turn by its title, which others may share. The session need not be loaded for that."""
        from tacit.pages.long_term import escape

        lines = self._line_index(self._store.paths.page(page.kind, page.page_name))
        nth = connection.execute(_SAME_TITLE_SQL, (page.page_name, page.title, page.event)).fetchone()[0]
        if location := lines.locate_ending("### ", f" {escape(page.title)}", nth):
            return location
        # A summary, or a turn whose heading is now rendered in other words: the whole session is loaded.
        from tacit.index import sessions
        from tacit.pages.sessions import part_heading

        row = sessions.session_row_by_page(connection, page.page_name)
        parts = sessions.load_session(connection, row, must_decode).searchable_parts if row else []
        headings = [part_heading(part) for part in parts if part.event == page.event]
        found = next((location for heading in headings if (location := lines.locate_heading(heading, 0))), None)
        return found or self._log_location(connection, _MESSAGE_LOCATION_SQL, page.event)

    def _log_location(self, connection: sqlite3.Connection, query: str, parameter: str) -> FileLocation:
        return self._store.log.location(*connection.execute(query, (parameter,)).fetchone())

    def _line_index(self, path: str) -> LineIndex:
        return _LINES_BY_PATH.setdefault(path, LineIndex(path)).refreshed()


def _turn_number(connection: sqlite3.Connection, doc_id: int) -> int:
    """Return the number of the turn that a message belongs to, in its session."""
    turn: int = connection.execute(_TURN_SQL, (start_id_of(doc_id), doc_id)).fetchone()[0]
    return turn


def _explain_match(result: SearchResult) -> str:
    """Return which terms matched, and how the score came about."""
    nearby = f"; in the same session {', '.join(result.nearby_terms)}" if result.nearby_terms else ""
    boost = f", of which {result.semantic_boost:+.1f} for its meaning" if result.semantic_boost else ""
    weight = "" if result.weight == 1 else f" × {result.weight:g} for what it is"
    return f"{', '.join(result.terms) or 'no word itself'}{nearby}; worth {result.score:.1f}{boost}{weight}"
