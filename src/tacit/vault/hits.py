"""What `recall` found, made into answers: the passage, who said it, where it stands, and the command that opens it."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING

from tacit.errors import IndexUnusableError
from tacit.home.home import HomePart
from tacit.index import reader
from tacit.index.commands import StoredCommand
from tacit.index.doc_ids import IDS_PER_SESSION, session_start_id, start_id_of
from tacit.index.reader import MemoryRow, PageRow
from tacit.log.codec import must_decode
from tacit.model.claim import Scope
from tacit.model.event import timestamp
from tacit.model.ids import ClaimId, EventId, claim_number
from tacit.model.observation import SESSION_TYPES, UNKNOWN_STATUS, PromptGiven, session_id
from tacit.pages.locations import FileLocation, LineIndex
from tacit.record import Record
from tacit.search.rank import COMMAND, SearchResult
from tacit.text.display import clip

if TYPE_CHECKING:
    from tacit.search.passages import Passage

_MAX_SOURCE_CHARS = 300  # characters of the line that a memory was learned from
_TURN_SQL = "SELECT count(*) FROM page WHERE number BETWEEN ? AND ?"
_TURN_AT_SQL = "SELECT count(*) FROM page WHERE number BETWEEN ? AND ? AND at <= ?"
# Turns of a session before one, with the same title.
_SAME_TITLE_SQL = (
    "SELECT count(*) FROM page WHERE kind = 'session' AND day = ? AND title = ?"
    " AND number < (SELECT number FROM page WHERE event = ?)"
)
_MESSAGE_LOCATION_SQL = "SELECT segment, line FROM (SELECT segment, line, event AS id FROM said) AS event WHERE id = ?"
# Line numbers of files already read; each looks by itself whether its file has changed.
_LINES_BY_PATH: dict[str, LineIndex] = {}


class SessionQuote(Record):
    """A passage of a session: who said it (nothing for the person) and when, in which session (its id, the shortest
    that names it, its title) and turn, and which parts of the text are words of the question. `did` tells what was
    done, where it is a call of a tool, with its outcome and directory. `answer` is what the turn came to; `later` is
    what a later turn, `later_turn`, came to say of the same."""

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
    answer: str = ""
    later: str = ""
    later_turn: int | None = None

    @property
    def open_command(self) -> str:
        """The command that opens the session there."""
        return f"tacit session show {self.short} --turn {self.turn}"


class Hit(Record):
    """One answer. `status` of a page of the worklog, an evaluation, a session or a command is `recorded`. `id` is that
    of the memory, the session or else the event, and `short` the beginning of it that people type. `said` is the
    passage of a session; of a memory, the line it was learned from. `directory` and `exit_status` are those of a
    command: no status where it is unknown, -2 where it failed with one that was not recorded."""

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
    said: SessionQuote | None = None
    directory: str = ""
    exit_status: int | None = None

    @property
    def passage(self) -> str:
        """What answers: the words of a session, the sentence of a memory, the line of a command."""
        return self.said.text if self.said and self.kind == "session" else self.text


class HitBuilder(HomePart):
    """Answers of one home."""

    def build(self, connection: sqlite3.Connection, found: Sequence[SearchResult]) -> list[Hit]:
        people = self._page_lines(self._store.paths.long_term)
        claims = [match.item.id for match in found if isinstance(match.item, MemoryRow)]
        learned = (
            {claim: event for event, claim in reader.claims_by_source_event(connection, claims).items()}
            if claims
            else {}
        )
        return [self._build_hit(connection, match, people, learned) for match in found]

    def _build_hit(
        self, connection: sqlite3.Connection, match: SearchResult, people: LineIndex, learned: Mapping[ClaimId, EventId]
    ) -> Hit:
        what = match.item
        if isinstance(what, StoredCommand):
            return self._command_hit(connection, match, what)
        if isinstance(what, PageRow):
            place = self._page_location(connection, what)
            said = self._message_quote(connection, what, match.passage) if match.passage else None
            names = (said.session, said.short) if said else (what.event, what.event)
            at = said.at if said else what.at
            told = (*names, what.kind, "recorded", what.scope, what.title, at, 1, match.relevance)
            return Hit(*told, *place, why=_explain_match(match), said=said)
        return Hit(
            what.id,
            reader.short_id(connection, what.id),
            what.kind.label,
            what.status.value,
            what.scope,
            what.sentence,
            what.at,
            what.strength,
            match.relevance,
            *self._memory_location(connection, what, people),
            what.tags,
            what.conflict,
            what.overruled_by,
            _explain_match(match),
            self._source_quote(connection, learned[what.id]) if what.id in learned else None,
        )

    def _command_hit(self, connection: sqlite3.Connection, match: SearchResult, ran: StoredCommand) -> Hit:
        place = FileLocation(self._store.log.path(ran.segment), ran.line)
        told = (ran.last_event, ran.last_event, COMMAND, "recorded", ran.scope, ran.text, ran.at, 1, match.relevance)
        said = None
        if ran.session:
            call = SessionQuote(ran.text, ran.actor.partition(":")[2], ran.at, "", "", "", 0)
            said = self._with_session(connection, call, ran.session)
        status = None if ran.status == UNKNOWN_STATUS else ran.status
        return Hit(*told, *place, why=_explain_match(match), said=said, directory=ran.directory, exit_status=status)

    def _message_quote(self, connection: sqlite3.Connection, page: PageRow, passage: Passage) -> SessionQuote:
        from tacit.index import sessions as kept

        row = kept.session_row(connection, ClaimId(page.day.rpartition("-")[2]))
        if row is None:
            raise IndexUnusableError("its tables disagree")
        turn = _turn_number(connection, passage.doc_id)
        call, later = passage.call, passage.later
        return SessionQuote(
            passage.text,
            passage.agent,
            passage.at,
            row.id,
            kept.short_id(connection, row.id),
            row.title,
            turn,
            passage.matches,
            call.act.value if call else "",
            call.outcome.value if call else "",
            call.directory if call else "",
            passage.answer,
            later.text if later else "",
            _turn_number(connection, later.doc_id) if later else None,
        )

    def _source_quote(self, connection: sqlite3.Connection, event: EventId) -> SessionQuote | None:
        """The line of a session that a memory was learned from, where it is still there."""
        from tacit.index import sessions as kept

        for one in kept.logged_events(connection, [event], must_decode):
            body = one.event.body
            assert isinstance(body, SESSION_TYPES)
            speaker = "" if isinstance(body, PromptGiven) else body.agent
            said = SessionQuote(
                clip(getattr(body, "text", ""), _MAX_SOURCE_CHARS), speaker, timestamp(one.event.at), "", "", "", 0
            )
            return self._with_session(connection, said, claim_number(session_id(body.agent, one.event.origin.session)))
        return None

    def _with_session(self, connection: sqlite3.Connection, said: SessionQuote, number: int) -> SessionQuote | None:
        """Something with the session that it was said in: its turn is the last that had begun then."""
        from tacit.index import sessions as kept

        row = kept.session_row_by_number(connection, number)
        if row is None:
            return None
        first = session_start_id(date.fromisoformat(row.began[:10]), number)
        turn = connection.execute(_TURN_AT_SQL, (first, first + IDS_PER_SESSION - 1, said.at)).fetchone()[0]
        short = kept.short_id(connection, row.id)
        return said._replace(session=row.id, short=short, title=row.title, turn=max(turn, 1))

    def _memory_location(self, connection: sqlite3.Connection, entry: MemoryRow, people: LineIndex) -> FileLocation:
        """The line of the page for people; of the log, where it does not stand there."""
        return people.locate_id(entry.id) or self._log_location(
            connection, "SELECT segment, line FROM touch JOIN event ON event.id = touch.event WHERE claim = ?", entry.id
        )

    def _page_location(self, connection: sqlite3.Connection, page: PageRow) -> FileLocation:
        from tacit.pages import markdown as evaluations
        from tacit.pages import markdown as worklog

        if page.kind == "session":
            return self._turn_location(connection, page)
        heading_of = worklog.worklog_heading if page.kind == "worklog" else evaluations.evaluation_heading
        events = reader.page_events(connection, page.kind, page.day, must_decode)
        headings = {event.id: heading_of(event) for event in events}
        own = headings[page.event]
        nth = [name for name, heading in headings.items() if heading == own].index(page.event)
        place = self._page_lines(self._store.paths.page(page.kind, page.day)).locate_heading(own, nth)
        return place or self._log_location(connection, "SELECT segment, line FROM event WHERE id = ?", page.event)

    def _turn_location(self, connection: sqlite3.Connection, page: PageRow) -> FileLocation:
        """By its title, of which others may have the same; the session itself need not be read for that."""
        from tacit.pages.markdown import escape

        lines = self._page_lines(self._store.paths.page(page.kind, page.day))
        nth = connection.execute(_SAME_TITLE_SQL, (page.day, page.title, page.event)).fetchone()[0]
        place = lines.locate_ending("### ", f" {escape(page.title)}", nth) or self._part_location(
            connection, page, lines
        )
        return place or self._log_location(connection, _MESSAGE_LOCATION_SQL, page.event)

    def _part_location(self, connection: sqlite3.Connection, page: PageRow, lines: LineIndex) -> FileLocation | None:
        """By the whole session: of a summary, and of a turn that is told in other words than are drawn now."""
        from tacit.index import sessions as kept
        from tacit.pages.sessions import part_heading

        found = kept.session_row_by_page(connection, page.day)
        parts = kept.load_session(connection, found, must_decode).searchable_parts if found else []
        headings = [part_heading(part) for part in parts if part.event == page.event]
        return next((there for line in headings if (there := lines.locate_heading(line, 0))), None)

    def _log_location(self, connection: sqlite3.Connection, query: str, name: str) -> FileLocation:
        segment, line = connection.execute(f"{query} ORDER BY event.id DESC LIMIT 1", (name,)).fetchone()
        return FileLocation(self._store.log.path(segment), line)

    def _page_lines(self, path: str) -> LineIndex:
        return _LINES_BY_PATH.setdefault(path, LineIndex(path)).refreshed()


def _turn_number(connection: sqlite3.Connection, number: int) -> int:
    """The turn of its session that a message belongs to."""
    turn: int = connection.execute(_TURN_SQL, (start_id_of(number), number)).fetchone()[0]
    return turn


def _explain_match(match: SearchResult) -> str:
    """What matched, and what it weighed."""
    near = f"; in the same session {', '.join(match.nearby_terms)}" if match.nearby_terms else ""
    counts = "" if match.weight == 1 else f" × {match.weight:g} for what it is"
    added = f", of which {match.semantic_boost:+.1f} for its meaning" if match.semantic_boost else ""
    return f"{', '.join(match.terms) or 'no word itself'}{near}; worth {match.score:.1f}{added}{counts}"
