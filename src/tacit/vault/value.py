"""What memory was worth: figures of some time, and the sessions behind each of them.

A memory counts once a session. A figure counts memories and sessions together, so that the list of its sessions names
the memories of each, and there are as many names as the figure says.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from tacit.errors import UsageError
from tacit.home.home import HomePart
from tacit.home.input import parse_time
from tacit.index import adherence, reader, sessions
from tacit.index.adherence import CountedRow, RecentAdherence
from tacit.index.reader import MemoryRow
from tacit.index.sessions import SessionRow
from tacit.learn import SessionEvent
from tacit.learn.corrections import find_corrections
from tacit.log.codec import must_decode
from tacit.model.claim import GLOBAL
from tacit.model.event import timestamp
from tacit.model.ids import ClaimId
from tacit.model.observation import CONVERSATION_TYPES
from tacit.model.session import Adherence, Outcome
from tacit.record import Record
from tacit.vault.listing import Listing, load_in_chunks
from tacit.vault.search import Search
from tacit.vault.sessions import ListedSession

_NOT_HERE = "(the session is not here)"
_FIRST, _LAST = datetime(1970, 1, 1, tzinfo=UTC), datetime.max.replace(tzinfo=UTC)


class CountedSession(Record):
    """A session that a figure counts, with the memories it counts there. It may be known by its id alone."""

    listed: ListedSession
    memories: tuple[MemoryRow, ...]


class Value(HomePart):
    """Figures of one home."""

    def sessions(
        self,
        outcome: Outcome | str = "",
        *,
        since: str | None = None,
        before: str | None = None,
        memory: str | None = None,
        limit: int | None = None,
    ) -> Listing[CountedSession]:
        """List the sessions that a figure counts, the latest first, of some time, and of one memory if it is given.

        Without an outcome these are all that had a turn in this time.

        Raise UsageError if there is no such outcome or time, NotFoundError if there is no such memory.
        """
        now = self._store.actor.clock()
        start, end = (
            datetime.fromisoformat(parse_time(text, now, end_of_day=False)) if text else default
            for text, default in ((since, _FIRST), (before, _LAST))
        )
        wanted = Search(self._home).show(memory).memory.id if memory else None
        self._store.catch_up_fully()
        with self._store.snapshot() as connection:
            if outcome:
                rows = counted(connection, _member(outcome), start, end)
            else:
                at_work = sessions.sessions_at_work(connection, timestamp(start), timestamp(end))
                rows = [CountedRow(ClaimId(""), *session) for session in at_work]
            found = [row for row in rows if wanted in (None, row.claim)]
        by_session: defaultdict[ClaimId, list[CountedRow]] = defaultdict(list)
        for row in found:
            by_session[row.session].append(row)
        order = sorted(by_session.values(), key=lambda rows: (rows[0].at, rows[0].session), reverse=True)
        return Listing(load_in_chunks(self._store, order[:limit], _load), len(order))


def _member(outcome: Outcome | str) -> Outcome:
    try:
        return Outcome(outcome)
    except ValueError:
        raise UsageError(f"there is no outcome {outcome!r}", f"one of {', '.join(Outcome)}") from None


def counted(
    connection: sqlite3.Connection, outcome: Outcome, since: datetime, before: datetime = _LAST
) -> list[CountedRow]:
    """Return what a figure counts: memories with the sessions that were told them, followed them, and so on."""
    if outcome is Outcome.TOLD:
        return adherence.injected_between(connection, must_decode, since, before)
    result = Adherence.FOLLOWED if outcome is Outcome.SPARED else Adherence(outcome.value)
    rows = adherence.results_between(connection, result, since, before)
    if outcome is Outcome.SPARED:
        corrections = {claim for claim in {row.claim for row in rows} if _is_from_correction(connection, claim)}
        return [row for row in rows if row.claim in corrections]
    return rows


def spared_sessions(connection: sqlite3.Connection, since: datetime, before: datetime = _LAST) -> int:
    """Return in how many sessions nobody had to repeat a correction, because a memory of it was told and followed."""
    return len({row.session for row in counted(connection, Outcome.SPARED, since, before)})


def share_followed(recent: RecentAdherence) -> str:
    """Return how often what was told was followed, of all times that could be checked: "7 of 9 times (78 %)"."""
    checked = recent.followed + recent.violated + recent.stopped
    return f"{recent.followed:,} of {checked:,} time{'s' * (checked != 1)} ({recent.followed / max(checked, 1):.0%})"


def _is_from_correction(connection: sqlite3.Connection, claim: ClaimId) -> bool:
    """Return whether a memory was learned from a prompt in which the person corrected an agent."""
    for event, row in sessions.sources_of_claim(connection, claim):
        logged = (one.event for one in sessions.logged_events_of_session(connection, row, must_decode))
        events = [SessionEvent(one.id, one.body) for one in logged if isinstance(one.body, CONVERSATION_TYPES)]
        if any(found.is_plain and found.event_id == event for found in find_corrections(events)):
            return True
    return False


def _load(connection: sqlite3.Connection, found: Sequence[Sequence[CountedRow]]) -> Iterator[CountedSession]:
    for rows in found:
        first = rows[0]
        row = sessions.session_row(connection, first.session) or _row_of_uncaptured(first)
        claims = dict.fromkeys(one.claim for one in rows if one.claim)
        memories = tuple(memory for claim in claims if (memory := reader.memory_row(connection, claim)))
        yield CountedSession(ListedSession(sessions.short_id(connection, first.session), row), memories)


def _row_of_uncaptured(counted_row: CountedRow) -> SessionRow:
    """Return a row for a session that is known by what it was told alone."""
    at, name, agent = counted_row.at, counted_row.host_session_id, counted_row.agent
    return SessionRow(counted_row.session, agent, name, "", GLOBAL, at, at, 0, _NOT_HERE, "", (), "", "")
