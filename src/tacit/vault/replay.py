"""What memory would have spared the person: incidents of recorded sessions, each with its evidence, and in words."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from datetime import UTC, datetime, timedelta

from tacit.contradiction.polarity import content_stems
from tacit.guard import load_rules
from tacit.home.home import HomePart
from tacit.home.input import parse_since
from tacit.index import reader, sessions
from tacit.index.reader import MemoryRow
from tacit.learn.corrections import says_again
from tacit.model.claim import GLOBAL, Scope, Status
from tacit.model.event import timestamp
from tacit.model.ids import ClaimId, event_milliseconds
from tacit.record import Record
from tacit.search.semantic import text_similarity
from tacit.vault.guard import enforceable
from tacit.vault.incidents import Answer, Found, IncidentFinder, IncidentKind, Place

DEFAULT_DAYS = 30
_MIN_LEARNED_STEMS = 2  # of a statement, in a memory that was learned from its prompt

Progress = Callable[[str, int, float], None]


class Moment(Record):
    """A turn of a session, and what was said or done there."""

    session: ClaimId
    short: str
    turn: int
    at: str
    text: str
    scope: Scope = GLOBAL


class Incident(Record):
    """A correction or failure that a memory would have prevented.

    Attributes:
        memory: the memory that was active then; None if it was not remembered.
        short: the short id of that memory, or of the one that says it now; "" if there is none.
        earlier: where it was said or mended before, if it was not remembered.
        sentence: what could be remembered then.
        is_pending: whether the memory that says it now waits for a decision.
        can_guard: whether a guard could enforce the memory; `is_guarded`: whether one does now.
    """

    kind: IncidentKind
    answer: Answer
    moment: Moment
    memory: MemoryRow | None = None
    short: str = ""
    earlier: Moment | None = None
    sentence: str = ""
    is_pending: bool = False
    can_guard: bool = False
    is_guarded: bool = False


class Replay(Record):
    """What was found since a time. `correction_count` and `failure_count` are of all corrections and failed commands,
    `session_count` of the sessions since then, and `older_count` of those before."""

    since: datetime
    session_count: int
    older_count: int
    correction_count: int
    failure_count: int
    incidents: tuple[Incident, ...]

    def count(self, kind: IncidentKind, answer: Answer | None = None) -> int:
        return sum(one.kind is kind and answer in (None, one.answer) for one in self.incidents)


class Replays(HomePart):
    """Replays of the sessions of one home."""

    def replay(self, since: str | None = None, *, progress: Progress | None = None) -> Replay:
        """Return what happened since a time as people type it, by default in the last DEFAULT_DAYS days.

        `progress` is called with the name of a session, how many were read, and the share of all. Raise UsageError if
        it is no time, or in the future.
        """
        self._store.catch_up_fully()  # injections that no other query needs
        now = self._store.actor.clock()
        start = parse_since(since, now) if since else now - timedelta(days=DEFAULT_DAYS)
        with self._store.snapshot() as connection:
            rows = sorted(sessions.session_rows(connection), key=lambda row: row.started_at)
            recent = {row.id for row in rows if row.ended_at >= timestamp(start)}
            scopes = {row.scope for row in rows if row.id in recent}
            finder = IncidentFinder(connection)
            needed = [row for row in rows if row.scope in scopes]
            for number, row in enumerate(needed):
                if progress:
                    progress(row.title, number, number / len(needed))
                finder.read(row, is_replayed=row.id in recent)
            guarded = {rule.id for rule in load_rules(self._store.paths.root)}
            incidents = [_incident(finder, found, guarded) for found in finder.found]
        incidents.sort(key=lambda incident: incident.moment.at, reverse=True)
        counts = (len(recent), len(rows) - len(recent), finder.correction_count, finder.failure_count)
        return Replay(start, *counts, tuple(incidents))


# Where it was, and what became of it


def _incident(finder: IncidentFinder, found: Found, guarded: Container[str]) -> Incident:
    connection, memory, moment = finder.connection, found.memory, _moment(finder, found.place)
    if found.earlier is not None:
        now = _remembered_since(finder, found, found.earlier)
        short = reader.short_id(connection, now.id) if now else ""
        earlier, is_pending = _moment(finder, found.earlier), bool(now and now.status is Status.PENDING)
        return Incident(found.kind, found.answer, moment, None, short, earlier, found.sentence, is_pending=is_pending)
    assert memory is not None
    row = reader.memory_row(connection, memory.id)
    can_guard = bool(row and row.status is Status.ACTIVE and not memory.is_unreviewed and enforceable(row.sentence))
    short, is_guarded = reader.short_id(connection, memory.id), memory.id in guarded
    return Incident(found.kind, found.answer, moment, row, short, can_guard=can_guard, is_guarded=is_guarded)


def _remembered_since(finder: IncidentFinder, found: Found, earlier: Place) -> MemoryRow | None:
    """Return the memory that says now what was not remembered then, one that holds before one that waits."""
    learned = set(sessions.claims_from_events(finder.connection, [earlier.event, found.place.event]))
    stems, scopes = content_stems(found.sentence), (finder.turns_of(earlier.session)[0], GLOBAL)
    rows = [
        row
        for row in finder.memories
        if row.scope in scopes
        and (
            says_again(found.sentence, row.sentence, text_similarity)
            or (row.id in learned and len(stems & content_stems(row.sentence)) >= _MIN_LEARNED_STEMS)
        )
    ]
    by_status = (row for status in (Status.ACTIVE, Status.PENDING) for row in rows if row.status is status)
    return next(by_status, None)


def _moment(finder: IncidentFinder, place: Place) -> Moment:
    scope, turns = finder.turns_of(place.session)
    turn = max(sum(first <= place.event for first in turns), 1)
    at = timestamp(datetime.fromtimestamp(event_milliseconds(place.event) / 1000, UTC))
    return Moment(place.session, sessions.short_id(finder.connection, place.session), turn, at, place.text, scope)


# In words

_PARTS = {  # how many were …
    Answer.IGNORED: "told and ignored",
    Answer.UNTOLD: "remembered and not told",
    Answer.UNREMEMBERED: "never remembered",
}


def summary_lines(replay: Replay) -> Iterator[str]:
    """Yield a sentence for each kind of incident that there is."""
    for kind in IncidentKind:
        number = replay.count(kind)
        if not number:
            continue
        parts = [f"{count:,} {text}" for answer, text in _PARTS.items() if (count := replay.count(kind, answer))]
        rest = f"{'; '.join(parts)}."
        match kind:
            case IncidentKind.CORRECTION:
                verb = "repeats" if number == 1 else "repeat"
                of_all = f"Of {_count(replay.correction_count, 'correction')}"
                yield f"{of_all} {number:,} {verb} something you had said before: {rest}"
            case IncidentKind.FAILURE:
                yield f"Of {_count(replay.failure_count, 'failed command')} {number:,} had a known remedy: {rest}"
            case IncidentKind.VIOLATION:
                yield f"Rules that agents had been told were broken {_count(number, 'time')} without a word of yours."


def empty_line(replay: Replay) -> str:
    """Return what to say if there is no incident."""
    if not replay.session_count and not replay.older_count:
        return "There is nothing to replay yet: sessions come with tacit autocapture on, or tacit import transcripts."
    since = f"since {replay.since:%Y-%m-%d}"
    if not replay.session_count:
        return (
            f"No session was recorded {since}; {_count(replay.older_count, 'session')} before: tacit replay --since 5y"
        )
    sessions_text, corrections = _count(replay.session_count, "session"), _count(replay.correction_count, "correction")
    return f"Nothing that you had said before had to be said again {since}: {sessions_text}, {corrections}."


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"
