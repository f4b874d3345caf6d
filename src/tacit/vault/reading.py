"""The verbs that only look: recall, brief, list, show, why, conflicts, status."""

import sqlite3
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from tacit.core.claim import GLOBAL, Kind, Scope, is_local, project_name
from tacit.core.errors import WrongUse
from tacit.core.event import Draft, Event
from tacit.core.ids import ClaimId
from tacit.core.judgement import Proposed
from tacit.core.observation import Injected, Recalled
from tacit.core.redaction import redacted
from tacit.core.status import Status
from tacit.core.text import clean, clip
from tacit.index import reader
from tacit.index.reader import Entry, Page
from tacit.index.store import IndexUnwell
from tacit.recall.find import PAGE_KINDS, Match, Query, relevance, search
from tacit.recall.places import Lines, Place
from tacit.vault.filing import must_decode
from tacit.vault.named import meant
from tacit.vault.opened import Opened

if TYPE_CHECKING:  # a brief is composed by few commands; recall need not load it
    from tacit.core.conflict import Rule
    from tacit.core.memory import Memory
    from tacit.recall.brief import Brief
    from tacit.recall.closeness import Measure


class Hit(NamedTuple):
    """One answer. `status` of a page of the worklog or an evaluation is `recorded`."""

    id: str
    kind: str
    status: str
    scope: str
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


class Counts(NamedTuple):
    """What was counted of a habit: what it is called, how often it was seen, in how many sessions, the last day."""

    label: str
    runs: int
    sessions: int
    last: str


class Listed(NamedTuple):
    """A memory in a list, with the shortest id that names it, and what was counted where it is a habit.

    Of a candidate also why it was proposed, and the active memories that cannot hold together with it.
    """

    short: str
    memory: "Memory"
    overruled_by: ClaimId | None
    conflict: bool
    counted: Counts | None = None
    why: str = ""
    against: tuple[Entry, ...] = ()


class Source(NamedTuple):
    """Something that was said or done in a session, and where it stands in the log."""

    event: Event
    place: Place


class Reason(NamedTuple):
    """One event of a memory's history, where it stands in the log, whether it was undone, and what it was concluded
    from."""

    event: Event
    place: Place
    undone: bool
    sources: tuple[Source, ...] = ()


class Dispute(NamedTuple):
    """Two answers to one question, and which rule decided between them."""

    question: str
    scope: Scope
    winner: Listed
    loser: Listed
    rule: "Rule"


class Questions(Opened):
    """Questions to one home."""

    # Recall

    def recall(
        self,
        query: str,
        *,
        limit: int | None = None,
        kind: str | None = None,
        scope: str | None = None,
        since: str | None = None,
        as_of: str | None = None,
        everything: bool = False,
        observe: bool = True,
    ) -> list[Hit]:
        _known_kind(kind)
        wanted = limit if limit is not None else self._settings.recall_limit
        if wanted < 1:
            raise WrongUse("--limit must be at least 1")

        def ask(connection: sqlite3.Connection) -> list[Hit]:
            asked = Query(clean(query), wanted, kind, self._scopes(connection, scope), self._since(since), everything)
            people = self._lines_of(self._store.home.long_term)
            found = search(connection, asked, _measure(connection, asked.text))
            return [self._hit(connection, match, people) for match in found]

        if as_of is not None:
            past = self._store.fresh_index(until=self._moment(as_of, end_of_day=True))
            return ask(past)
        hits = self._store.read(ask)
        if observe:
            self._store.observe(Draft(Recalled(redacted(clip(clean(query), 200)), len(hits)), self._scope_seen()))
        return hits

    def recall_like(self, reference: str, *, limit: int | None = None) -> list[Hit]:
        """What is like a memory, without it."""
        memory = self.show(reference).memory
        wanted = limit if limit is not None else self._settings.recall_limit
        hits = self.recall(memory.claim.sentence, limit=wanted + 1, observe=False)
        return [hit for hit in hits if not (hit.id and memory.id.startswith(hit.id))][:wanted]

    def _hit(self, connection: sqlite3.Connection, match: Match, people: Lines) -> Hit:
        what = match.what
        if isinstance(what, Page):
            place = self._page_place(connection, what)
            label, text = scope_label(what.scope), what.title
            return Hit("", what.kind, "recorded", label, text, what.at, 1, match.relevance, *place, why=_why(match))
        return Hit(
            reader.short_id(connection, what.id),
            what.kind.label,
            what.status.value,
            scope_label(what.scope),
            what.sentence,
            what.at,
            what.strength,
            match.relevance,
            *self._place(connection, what, people),
            what.tags,
            what.conflict,
            what.overruled_by,
            _why(match),
        )

    def _place(self, connection: sqlite3.Connection, entry: Entry, people: Lines) -> Place:
        """The line of the page for people; of the log, where it does not stand there."""
        return people.of_id(entry.id) or self._log_place(
            connection, "SELECT segment, line FROM touch JOIN event ON event.id = touch.event WHERE claim = ?", entry.id
        )

    def _page_place(self, connection: sqlite3.Connection, page: Page) -> Place:
        from tacit.notes import evaluations, worklog

        if page.kind == "session":
            return self._turn_place(connection, page)
        heading_of = worklog.heading if page.kind == "worklog" else evaluations.heading
        events = reader.pages(connection, page.kind, page.day, must_decode)
        headings = {event.id: heading_of(event) for event in events}
        own = headings[page.event]
        nth = [name for name, heading in headings.items() if heading == own].index(page.event)
        place = self._lines_of(self._store.home.page(page.kind, page.day)).of_heading(own, nth)
        return place or self._log_place(connection, "SELECT segment, line FROM event WHERE id = ?", page.event)

    def _turn_place(self, connection: sqlite3.Connection, page: Page) -> Place:
        """By its title, of which others may have the same; the session itself need not be read for that."""
        from tacit.notes.escape import escape

        lines = self._lines_of(self._store.home.page(page.kind, page.day))
        nth = connection.execute(_TITLED_BEFORE, (page.day, page.title, page.event)).fetchone()[0]
        place = lines.of_ending("### ", f" {escape(page.title)}", nth) or self._part_place(connection, page, lines)
        return place or self._log_place(connection, _SAID, page.event)

    def _part_place(self, connection: sqlite3.Connection, page: Page, lines: Lines) -> Place | None:
        """By the whole session: of a summary, and of a turn that is told in other words than are drawn now."""
        from tacit.index import sessions as kept
        from tacit.notes.sessions import heading

        found = kept.session_of_page(connection, page.day)
        parts = kept.session(connection, found, must_decode).parts if found else []
        headings = [heading(part) for part in parts if part.event == page.event]
        return next((there for line in headings if (there := lines.of_heading(line, 0))), None)

    def _log_place(self, connection: sqlite3.Connection, query: str, name: str) -> Place:
        segment, line = connection.execute(f"{query} ORDER BY event.id DESC LIMIT 1", (name,)).fetchone()
        return Place(self._store.log.path(segment), line)

    def _lines_of(self, path: str) -> Lines:
        return _LINES.setdefault(path, Lines(path)).fresh()

    def _scopes(self, connection: sqlite3.Connection, asked: str | None) -> frozenset[Scope] | None:
        """In a project: its own and the global ones; elsewhere all. `asked` narrows or widens that."""
        here = self._store.scope_in(connection)
        match asked:
            case "all":
                return None
            case None:
                return frozenset({here, GLOBAL}) if is_local(here) else None
            case "global":
                return frozenset({GLOBAL})
            case "local" | "project":
                if not is_local(here):
                    raise WrongUse("this folder is in no project", "stand in one, or use --scope global")
                return frozenset({here})
        raise WrongUse(f"no such scope: {asked!r}", "--scope local, global or all")

    def _scope_seen(self) -> Scope:
        return self._store.scope()

    def _since(self, text: str | None) -> str | None:
        return None if text is None else self._moment(text, end_of_day=False)

    def _moment(self, text: str, *, end_of_day: bool) -> str:
        from tacit.vault.when import moment

        return moment(text, self._store.speaker.clock(), end_of_day=end_of_day)

    # Brief

    def brief(self, *, task: str = "", tags: Sequence[str] = (), observe: bool = True) -> "Brief":
        from tacit.recall.brief import compose
        from tacit.vault.named import checked_tags

        def ask(connection: sqlite3.Connection) -> "Brief":
            scopes = self._store.scopes_in(connection)
            is_open = not tags and not task  # then only what leads can be chosen
            return compose(
                reader.leading(connection, scopes, _LEADING if is_open else -1),
                tags=frozenset(checked_tags(tags)),
                relevance=relevance(connection, clean(task)) if task else {},
                nonce=self._store.entropy().hex(),
                most=self._settings.brief_entries,
                budget=self._settings.brief_tokens,
            )

        brief = self._store.read(ask)
        if observe and brief.entries:
            said = Injected(tuple(brief.ids), brief.tokens, redacted(clip(clean(task), 200)))
            self._store.observe(Draft(said, self._scope_seen()))
        return brief

    @property
    def scope_words(self) -> str:
        """Whose memories are looked at here, in words."""
        here = self._store.scope()
        return f"{scope_label(here)} and global" if is_local(here) else "global"

    # Lists

    def entries(
        self, *, status: Status | None, kind: str | None = None, scope: str | None = None, tag: str | None = None
    ) -> list[Listed]:
        """Memories of a status, the latest first."""
        _known_kind(kind)

        def ask(connection: sqlite3.Connection) -> list[Listed]:
            scopes = self._scopes(connection, scope)
            found = [
                entry
                for entry in reader.entries(connection, status=status)
                if (scopes is None or entry.scope in scopes)
                and kind in (None, entry.kind.label)
                and (tag is None or tag in entry.tags)
            ]
            found.sort(key=lambda entry: (entry.last, entry.id), reverse=True)
            return [self._listed(connection, entry.id) for entry in found]

        return self._store.read(ask)

    def show(self, reference: str) -> Listed:
        def ask(connection: sqlite3.Connection) -> Listed:
            return self._listed(connection, meant(connection, clean(reference), self._store.scope_in(connection)).id)

        return self._store.read(ask)

    def why(self, reference: str) -> tuple[Listed, list[Reason]]:
        """The memory and the events it is made of, in order."""
        from tacit.core.memory import undone

        def ask(connection: sqlite3.Connection) -> tuple[Listed, list[Reason]]:
            listed = self._listed(connection, meant(connection, clean(reference), self._store.scope_in(connection)).id)
            placed = reader.placed_events(connection, listed.memory.id, must_decode)
            void = undone([one.event for one in placed])
            reasons = [
                Reason(
                    one.event,
                    Place(self._store.log.path(one.segment), one.line),
                    one.event.id in void,
                    self._sources(connection, one.event),
                )
                for one in placed
            ]
            return listed, reasons

        return self._store.read(ask)

    def _sources(self, connection: sqlite3.Connection, event: Event) -> tuple[Source, ...]:
        """The lines of a conversation that something was concluded from."""
        if not isinstance(event.body, Proposed) or not event.body.events:
            return ()
        from tacit.index.sessions import placed_events

        found = placed_events(connection, event.body.events, must_decode)
        return tuple(Source(one.event, Place(self._store.log.path(one.segment), one.line)) for one in found)

    def conflicts(self) -> list[Dispute]:
        from tacit.core.conflict import settle
        from tacit.index.disputes import disputed

        def ask(connection: sqlite3.Connection) -> list[Dispute]:
            return [
                self._dispute(connection, ruling.winner, ruling.loser, ruling.rule)
                for answers in disputed(connection)
                for ruling in settle(answers)
            ]

        return self._store.read(ask)

    def _dispute(self, connection: sqlite3.Connection, winner: ClaimId, loser: ClaimId, rule: "Rule") -> Dispute:
        first, second = self._listed(connection, winner), self._listed(connection, loser)
        entry = reader.entry(connection, winner)
        if entry is None:
            raise IndexUnwell("its tables disagree")
        return Dispute(entry.stance.question, entry.scope, first, second, rule)

    def _listed(self, connection: sqlite3.Connection, claim: ClaimId) -> Listed:
        entry, memory = reader.entry(connection, claim), reader.memory(connection, claim, must_decode)
        if entry is None or memory is None:
            raise IndexUnwell("its tables disagree")
        return Listed(reader.short_id(connection, claim), memory, entry.overruled_by, entry.conflict)


def _why(match: Match) -> str:
    """What matched, and what it weighed."""
    near = f"; in the same session {', '.join(match.near)}" if match.near else ""
    counts = "" if match.weight == 1 else f" × {match.weight:g} for what it is"
    added = f", of which {match.added:+.1f} for its meaning" if match.added else ""
    return f"{', '.join(match.own) or 'no word itself'}{near}; worth {match.score:.1f}{added}{counts}"


_LEADING = 200  # memories of a scope that a brief about nothing in particular is chosen from
# Turns of a session before one, with the same title.
_TITLED_BEFORE = (
    "SELECT count(*) FROM page WHERE kind = 'session' AND day = ? AND title = ?"
    " AND number < (SELECT number FROM page WHERE event = ?)"
)
_SAID = "SELECT segment, line FROM (SELECT segment, line, event AS id FROM said) AS event WHERE id = ?"
# Line numbers of files already read; each looks by itself whether its file has changed.
_LINES: dict[str, Lines] = {}


def scope_label(scope: Scope) -> str:
    return f"project {project_name(scope)}" if is_local(scope) else "global"


def _measure(connection: sqlite3.Connection, text: str) -> "Measure | None":
    """How near vectors are to a question; a home without any needs nothing of that."""
    if not reader.meaning(connection):
        return None
    from tacit.vault.meanings import measure

    return measure(connection, text)


def _known_kind(kind: str | None) -> None:
    known = [*(one.label for one in Kind), *PAGE_KINDS]
    if kind is not None and kind not in known:
        raise WrongUse(f"no such kind: {kind!r}", "one of " + ", ".join(known))
