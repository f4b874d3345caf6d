"""The counts that `tacit status` and bare `tacit` print. Nothing is imported for them that learns or writes."""

from __future__ import annotations

import sqlite3
from datetime import timedelta

from tacit.home.home import Home
from tacit.home.repository import count_waiting
from tacit.index import adherence, reader, sessions
from tacit.index.adherence import RecentAdherence
from tacit.log.codec import must_decode
from tacit.log.spool import Spool
from tacit.model.claim import Status
from tacit.model.ids import EventId, event_id
from tacit.record import Record

_RECENT_DAYS = 7


class HomeStatus(Record):
    """Counts of what a home has.

    Attributes:
        kinds: how many memories are of each kind.
        undecided: memories that contradict another, where no rule decides.
        evaluated: the day of the last evaluation.
        asked: questions to `recall`; missed: those without an answer.
        spooled: commands that wait to be recorded; dropped: commands that were lost.
        untrusted: facts of the repository that wait for trust.
        week: what agents were told and did with it in the last seven days.
        ineffective: memories that were told and violated again, or corrected.
    """

    home: str
    project: str | None
    active: int
    pending: int
    forgotten: int
    dismissed: int
    kinds: tuple[tuple[str, int], ...]
    worklog: int
    sessions: int
    undecided: int
    evaluated: str | None
    asked: int
    missed: int
    log_bytes: int
    spooled: int = 0
    dropped: int = 0
    untrusted: int = 0
    week: RecentAdherence = RecentAdherence(0, 0, 0, 0)
    ineffective: int = 0


def home_status(home: Home) -> HomeStatus:
    """Return the counts of a home, after indexing the questions that were asked since the last change."""
    if home.store.is_far_behind(0):
        home.store.catch_up()
    return home.store.read(lambda connection: _count(home, connection))


def _count(home: Home, connection: sqlite3.Connection) -> HomeStatus:
    statuses = reader.count_by(connection, "status")
    metrics = reader.usage_metrics(connection)
    spool = Spool(home.store.log)
    return HomeStatus(
        home=home.store.paths.root,
        project=home.store.project.root if home.store.project else None,
        active=statuses.get(Status.ACTIVE.value, 0),
        pending=statuses.get(Status.PENDING.value, 0),
        forgotten=statuses.get(Status.RETIRED.value, 0),
        dismissed=statuses.get(Status.DISMISSED.value, 0),
        kinds=tuple(sorted(reader.count_by(connection, "kind").items())),
        worklog=reader.count_pages(connection, "worklog"),
        sessions=sessions.count_sessions(connection),
        undecided=reader.count_conflicting(connection),
        evaluated=reader.last_page_name(connection, "evaluation"),
        asked=metrics.get("asked", 0),
        missed=metrics.get("missed", 0),
        log_bytes=sum(home.store.log.size(segment) for segment in home.store.log.segments()),
        spooled=len(spool.waiting()),
        dropped=dropped.commands if (dropped := spool.dropped()) else 0,
        untrusted=count_waiting(home.store, connection, home.settings.limits_text),
        week=adherence.recent_adherence(connection, _first_event_id(home)),
        ineffective=len(adherence.ineffective_claims(connection, must_decode)),
    )


def _first_event_id(home: Home) -> EventId:
    """Return an id that no event of the last seven days is below."""
    start = home.store.actor.clock() - timedelta(days=_RECENT_DAYS)
    return event_id(int(start.timestamp() * 1000), bytes(10))
