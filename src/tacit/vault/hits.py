"""What `recall` found, made into answers: the passage, who said it, where it stands, and the command that opens it."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING

from tacit.errors import IndexUnwell
from tacit.home.home import Part
from tacit.index import reader
from tacit.index.commands import Kept
from tacit.index.doc_ids import RUN, first_number, run_of
from tacit.index.reader import Entry, Page
from tacit.log.codec import must_decode
from tacit.model.claim import Scope
from tacit.model.event import timestamp
from tacit.model.ids import ClaimId, EventId, claim_number
from tacit.model.observation import OF_SESSIONS, UNKNOWN_STATUS, PromptGiven, session_id
from tacit.pages.locations import Lines, Place
from tacit.record import Record
from tacit.search.rank import COMMAND, Match
from tacit.text.display import clip

if TYPE_CHECKING:
    from tacit.search.passages import Passage

_LEARNED_FROM = 300  # characters of the line that a memory was learned from
_TURN = "SELECT count(*) FROM page WHERE number BETWEEN ? AND ?"
_TURN_AT = "SELECT count(*) FROM page WHERE number BETWEEN ? AND ? AND at <= ?"
# Turns of a session before one, with the same title.
_TITLED_BEFORE = (
    "SELECT count(*) FROM page WHERE kind = 'session' AND day = ? AND title = ?"
    " AND number < (SELECT number FROM page WHERE event = ?)"
)
_SAID = "SELECT segment, line FROM (SELECT segment, line, event AS id FROM said) AS event WHERE id = ?"
# Line numbers of files already read; each looks by itself whether its file has changed.
_LINES: dict[str, Lines] = {}


class Said(Record):
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
    did: str = ""
    outcome: str = ""
    directory: str = ""
    answer: str = ""
    later: str = ""
    later_turn: int | None = None

    @property
    def opens(self) -> str:
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
    said: Said | None = None
    directory: str = ""
    exit_status: int | None = None

    @property
    def passage(self) -> str:
        """What answers: the words of a session, the sentence of a memory, the line of a command."""
        return self.said.text if self.said and self.kind == "session" else self.text


class HitBuilder(Part):
    """Answers of one home."""

    def hits(self, connection: sqlite3.Connection, found: Sequence[Match]) -> list[Hit]:
        people = self._lines_of(self._store.home.long_term)
        claims = [match.what.id for match in found if isinstance(match.what, Entry)]
        learned = {claim: event for event, claim in reader.learned_from(connection, claims).items()} if claims else {}
        return [self._hit(connection, match, people, learned) for match in found]

    def _hit(
        self, connection: sqlite3.Connection, match: Match, people: Lines, learned: Mapping[ClaimId, EventId]
    ) -> Hit:
        what = match.what
        if isinstance(what, Kept):
            return self._command_hit(connection, match, what)
        if isinstance(what, Page):
            place = self._page_place(connection, what)
            said = self._said(connection, what, match.passage) if match.passage else None
            names = (said.session, said.short) if said else (what.event, what.event)
            at = said.at if said else what.at
            told = (*names, what.kind, "recorded", what.scope, what.title, at, 1, match.relevance)
            return Hit(*told, *place, why=_why(match), said=said)
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
            *self._place(connection, what, people),
            what.tags,
            what.conflict,
            what.overruled_by,
            _why(match),
            self._source(connection, learned[what.id]) if what.id in learned else None,
        )

    def _command_hit(self, connection: sqlite3.Connection, match: Match, ran: Kept) -> Hit:
        place = Place(self._store.log.path(ran.segment), ran.line)
        told = (ran.last, ran.last, COMMAND, "recorded", ran.scope, ran.text, ran.at, 1, match.relevance)
        said = None
        if ran.session:
            call = Said(ran.text, ran.actor.partition(":")[2], ran.at, "", "", "", 0)
            said = self._in_session(connection, call, ran.session)
        status = None if ran.status == UNKNOWN_STATUS else ran.status
        return Hit(*told, *place, why=_why(match), said=said, directory=ran.directory, exit_status=status)

    def _said(self, connection: sqlite3.Connection, page: Page, passage: Passage) -> Said:
        from tacit.index import sessions as kept

        row = kept.row(connection, ClaimId(page.day.rpartition("-")[2]))
        if row is None:
            raise IndexUnwell("its tables disagree")
        turn = _turn_of(connection, passage.number)
        call, later = passage.call, passage.later
        return Said(
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
            _turn_of(connection, later.number) if later else None,
        )

    def _source(self, connection: sqlite3.Connection, event: EventId) -> Said | None:
        """The line of a session that a memory was learned from, where it is still there."""
        from tacit.index import sessions as kept

        for one in kept.placed_events(connection, [event], must_decode):
            body = one.event.body
            assert isinstance(body, OF_SESSIONS)
            speaker = "" if isinstance(body, PromptGiven) else body.agent
            said = Said(clip(getattr(body, "text", ""), _LEARNED_FROM), speaker, timestamp(one.event.at), "", "", "", 0)
            return self._in_session(connection, said, claim_number(session_id(body.agent, one.event.origin.session)))
        return None

    def _in_session(self, connection: sqlite3.Connection, said: Said, number: int) -> Said | None:
        """Something with the session that it was said in: its turn is the last that had begun then."""
        from tacit.index import sessions as kept

        row = kept.numbered(connection, number)
        if row is None:
            return None
        first = first_number(date.fromisoformat(row.began[:10]), number)
        turn = connection.execute(_TURN_AT, (first, first + RUN - 1, said.at)).fetchone()[0]
        short = kept.short_id(connection, row.id)
        return said._replace(session=row.id, short=short, title=row.title, turn=max(turn, 1))

    def _place(self, connection: sqlite3.Connection, entry: Entry, people: Lines) -> Place:
        """The line of the page for people; of the log, where it does not stand there."""
        return people.of_id(entry.id) or self._log_place(
            connection, "SELECT segment, line FROM touch JOIN event ON event.id = touch.event WHERE claim = ?", entry.id
        )

    def _page_place(self, connection: sqlite3.Connection, page: Page) -> Place:
        from tacit.pages import markdown as evaluations
        from tacit.pages import markdown as worklog

        if page.kind == "session":
            return self._turn_place(connection, page)
        heading_of = worklog.worklog_heading if page.kind == "worklog" else evaluations.evaluation_heading
        events = reader.pages(connection, page.kind, page.day, must_decode)
        headings = {event.id: heading_of(event) for event in events}
        own = headings[page.event]
        nth = [name for name, heading in headings.items() if heading == own].index(page.event)
        place = self._lines_of(self._store.home.page(page.kind, page.day)).of_heading(own, nth)
        return place or self._log_place(connection, "SELECT segment, line FROM event WHERE id = ?", page.event)

    def _turn_place(self, connection: sqlite3.Connection, page: Page) -> Place:
        """By its title, of which others may have the same; the session itself need not be read for that."""
        from tacit.pages.markdown import escape

        lines = self._lines_of(self._store.home.page(page.kind, page.day))
        nth = connection.execute(_TITLED_BEFORE, (page.day, page.title, page.event)).fetchone()[0]
        place = lines.of_ending("### ", f" {escape(page.title)}", nth) or self._part_place(connection, page, lines)
        return place or self._log_place(connection, _SAID, page.event)

    def _part_place(self, connection: sqlite3.Connection, page: Page, lines: Lines) -> Place | None:
        """By the whole session: of a summary, and of a turn that is told in other words than are drawn now."""
        from tacit.index import sessions as kept
        from tacit.pages.sessions import heading

        found = kept.session_of_page(connection, page.day)
        parts = kept.session(connection, found, must_decode).parts if found else []
        headings = [heading(part) for part in parts if part.event == page.event]
        return next((there for line in headings if (there := lines.of_heading(line, 0))), None)

    def _log_place(self, connection: sqlite3.Connection, query: str, name: str) -> Place:
        segment, line = connection.execute(f"{query} ORDER BY event.id DESC LIMIT 1", (name,)).fetchone()
        return Place(self._store.log.path(segment), line)

    def _lines_of(self, path: str) -> Lines:
        return _LINES.setdefault(path, Lines(path)).fresh()


def _turn_of(connection: sqlite3.Connection, number: int) -> int:
    """The turn of its session that a message belongs to."""
    turn: int = connection.execute(_TURN, (run_of(number), number)).fetchone()[0]
    return turn


def _why(match: Match) -> str:
    """What matched, and what it weighed."""
    near = f"; in the same session {', '.join(match.near)}" if match.near else ""
    counts = "" if match.weight == 1 else f" × {match.weight:g} for what it is"
    added = f", of which {match.added:+.1f} for its meaning" if match.added else ""
    return f"{', '.join(match.own) or 'no word itself'}{near}; worth {match.score:.1f}{added}{counts}"
