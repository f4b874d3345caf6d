"""The counts that `tacit status` and bare `tacit` print. Nothing is imported for them that learns or writes."""

from __future__ import annotations

import os
import sqlite3
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta

from tacit.errors import StoreError
from tacit.home import daily_judge
from tacit.home.daily_judge import DailyState
from tacit.home.home import Home
from tacit.home.paths import REMOTES_FOLDER
from tacit.home.repository import conflicted_files, count_waiting
from tacit.home.sync_timer import is_overdue, read_timer
from tacit.index import adherence, listings, reader, sessions
from tacit.index.adherence import RecentAdherence
from tacit.index.habits import has_uncounted_commands
from tacit.index.trials import waiting_trials
from tacit.log.codec import must_decode
from tacit.log.spool import Spool
from tacit.model.claim import Status
from tacit.model.conditions import State
from tacit.model.event import timestamp
from tacit.record import Record
from tacit.vault.conditions import checked_memories, note_red

TYPE_CHECKING = False

if TYPE_CHECKING:
    from tacit.remotes.state import RemoteState

RECENT_DAYS = 7


class TeamSummary(Record):
    """The team of a home: its server, the last sync, what waits to be sent, and proposals that wait for the person.

    `unpurged` counts what was purged here and is still on the server. `is_overdue` if the last sync is long ago.
    """

    server: str
    synced_at: str
    problem: str
    queued: int
    proposals: int
    unpurged: int
    is_overdue: bool = False


class RemoteSummary(Record):
    """A remote: the last sync, "" if there was none, why the last try failed, whether a sync is overdue, and how many
    files of other machines are damaged or lost there."""

    name: str
    synced_at: str
    problem: str
    is_overdue: bool
    damaged: int = 0


class WaitingCounts(Record):
    """How much waits for the person: see the attributes of `HomeStatus` with these names."""

    pending: int
    undecided: int
    ineffective: int
    idle: int
    outdated: int
    verdicts: int
    green: int = 0
    unknown: int = 0


class HomeStatus(Record):
    """Counts of what a home has.

    Attributes:
        kinds: how many memories are of each kind.
        undecided: pairs of memories that contradict each other or may do so, where no rule decides.
        evaluated: the day of the last evaluation.
        asked: questions to `recall`; missed: those without an answer.
        spooled: commands that wait to be recorded; dropped: commands that were lost.
        untrusted: facts of the repository that wait for trust.
        fact_conflicts: conflicts that a merge left in fact files; `conflicted` says in which.
        week: what agents were told and did with it in the last seven days.
        ineffective: memories that were told and violated again, or corrected.
        idle: memories that were told often and had to do with nothing.
        outdated: other memories of the project that are red: its work tree says otherwise.
        verdicts: trials that ended, of which the person has not decided on the memory since.
        green: memories of the project that its work tree confirms; unknown: those of which it says nothing.
        team: the team that the person joined, as this home knows it; None without one.
        remotes: the remotes of this home, as it knows them.
        unjudged: sessions that nobody has judged; judge: the client that the person chose, else one that they have.
        daily: how the daily judge stands; None if the person chose none.
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
    week: RecentAdherence = RecentAdherence(0, 0, 0, 0, 0)
    ineffective: int = 0
    idle: int = 0
    outdated: int = 0
    verdicts: int = 0
    green: int = 0
    unknown: int = 0
    fact_conflicts: int = 0
    conflicted: tuple[str, ...] = ()
    team: TeamSummary | None = None
    unjudged: int = 0
    judge: str = ""
    daily: DailyState | None = None
    remotes: tuple[RemoteSummary, ...] = ()

    @property
    def waits(self) -> bool:
        """Whether something waits for a decision of the person."""
        counts = (self.pending, self.undecided, self.ineffective, self.idle, self.outdated, self.untrusted)
        return any((*counts, self.verdicts)) or bool(self.team and self.team.proposals)


def home_status(home: Home, *, learn: bool = True) -> HomeStatus:
    """Return the counts of a home, after indexing the questions and commands since the last change.

    Habits are learned from these commands first, unless `learn` is False.
    """
    if home.store.read(has_uncounted_commands) or home.store.is_far_behind(0):  # the read files what waits in the spool
        home.store.catch_up()
    if learn and home.store.read(has_uncounted_commands):
        from tacit.vault.suggestions import Suggestions

        Suggestions(home).learn_if_possible()  # so that the number of candidates is that of the list
    with home.store.snapshot() as connection:
        return _count(home, connection)


def _count(home: Home, connection: sqlite3.Connection) -> HomeStatus:
    week_ago = home.store.actor.clock() - timedelta(days=RECENT_DAYS)
    statuses = reader.count_by(connection, "status")
    metrics = reader.usage_metrics(connection)
    spool = Spool(home.store.log)
    conflicted = conflicted_files(home.store)
    waiting = waiting_counts(home, connection)
    return HomeStatus(
        home=home.store.paths.root,
        project=home.store.project.root if home.store.project else None,
        active=statuses.get(Status.ACTIVE.value, 0),
        pending=waiting.pending,
        forgotten=statuses.get(Status.RETIRED.value, 0),
        dismissed=statuses.get(Status.DISMISSED.value, 0),
        kinds=tuple(sorted(reader.count_by(connection, "kind", Status.ACTIVE).items())),
        worklog=reader.count_pages(connection, "worklog"),
        sessions=sessions.count_sessions(connection),
        undecided=waiting.undecided,
        evaluated=reader.last_page_name(connection, "evaluation"),
        asked=metrics.get("asked", 0),
        missed=metrics.get("missed", 0),
        log_bytes=sum(home.store.log.size(segment) for segment in home.store.log.segments()),
        spooled=len(spool.waiting()),
        dropped=dropped.commands if (dropped := spool.dropped()) else 0,
        untrusted=count_waiting(home.store, connection, home.settings.limits_text),
        week=adherence.recent_adherence(connection, week_ago),
        ineffective=waiting.ineffective,
        idle=waiting.idle,
        outdated=waiting.outdated,
        verdicts=waiting.verdicts,
        green=waiting.green,
        unknown=waiting.unknown,
        fact_conflicts=sum(max(len(file.conflicts), 1) for file in conflicted),
        conflicted=tuple(file.summary for file in conflicted),
        team=team_summary(home),
        remotes=tuple(remote_summaries(home)),
        unjudged=sessions.count_unjudged(connection),
        judge=daily_judge.preferred_client(home.settings, home.environment) if home.is_person else "",
        daily=daily_judge.read_state(home.store.paths) if daily_judge.is_chosen(home.settings) else None,
    )


def waiting_counts(home: Home, connection: sqlite3.Connection) -> WaitingCounts:
    """Count what waits. A memory with several reasons to be decided on counts once."""
    ineffective = set(adherence.ineffective_claims(connection, must_decode))
    idle = set(adherence.idle_claims(connection, must_decode)) - ineffective
    checked = checked_memories(connection, home)
    note_red(home, checked)
    states = Counter(each.verdict.state for each in checked)
    outdated = {each.memory.id for each in checked if each.is_red}
    return WaitingCounts(
        reader.count_by(connection, "status").get(Status.PENDING.value, 0),
        listings.count_rulings(connection, decided=False),
        len(ineffective),
        len(idle),
        len(outdated - ineffective - idle),
        len(waiting_trials(connection, must_decode)),
        states[State.GREEN],
        states[State.UNKNOWN],
    )


def remote_states(home: Home) -> Iterator[tuple[str, RemoteState | StoreError]]:
    """Yield what is known of each remote of a home, or that its file cannot be read. None of them is asked."""
    if not os.path.isdir(home.store.paths.path(REMOTES_FOLDER)):
        return
    from tacit.remotes.state import RemoteStore

    remotes = RemoteStore(home.store.paths)
    for name in remotes.names():
        try:
            yield name, remotes.load(name)
        except StoreError as error:
            yield name, error


def remote_summaries(home: Home) -> Iterator[RemoteSummary]:
    now, timer = home.store.actor.clock(), read_timer(home.store.paths)
    for name, state in remote_states(home):
        if isinstance(state, StoreError):
            yield RemoteSummary(name, "", f"{state.message}; {state.hint}", True)
        else:
            synced_at = timestamp(state.synced_at) if state.synced_at else ""
            damaged = sum(fault.is_loss(now) for fault in state.faults)
            yield RemoteSummary(name, synced_at, state.problem, is_overdue(state.synced_at, now, timer), damaged)


def team_summary(home: Home) -> TeamSummary | None:
    """Return the team of a home, None if the person joined none. The server is not asked."""
    if not home.has_team:
        return None
    from tacit.team import Team

    team = Team(home)
    try:
        overview = team.overview()
    except StoreError as error:
        return TeamSummary("", "", f"{error.message}; {error.hint}", 0, 0, 0)
    if overview is None:
        return None
    known = overview.home
    unpurged = len(overview.unpurged) + len(overview.purges)
    synced_at = datetime.fromisoformat(known.synced_at) if known.synced_at else None
    overdue = is_overdue(synced_at, home.store.actor.clock(), read_timer(home.store.paths))
    return TeamSummary(
        known.server, known.synced_at, known.problem, len(overview.waiting), len(team.proposals()), unpurged, overdue
    )
