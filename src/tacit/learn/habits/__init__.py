"""Learning habits from commands: count new commands, propose what became a habit, a few at a time.

The index counts by directory. Which project a directory belongs to is looked up on the disk, so it is decided here,
when a card is made, and not when a command is counted.
"""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache, lru_cache, partial

from tacit.commandline.names import parse_commands
from tacit.home.project import find_project
from tacit.home.store import Store
from tacit.index import habits as counts
from tacit.index import reader
from tacit.index.habits import HabitDirectoryCount, OccurrenceKey, RecordedCommand
from tacit.learn.habits import habit as criteria
from tacit.learn.habits.corrections import KEY_SEPARATOR, find_correction
from tacit.learn.habits.habit import LINE_COUNTER, Families, HabitKey, HabitTally, SequenceCount
from tacit.learn.habits.lines import informative_commands
from tacit.learn.habits.recipe import HabitRecipe, build_recipe, has_complete_runs, is_worth_a_name
from tacit.log.codec import must_decode
from tacit.model.claim import GLOBAL, Kind, Provenance, Scope, Status, is_project_scope
from tacit.model.event import Attribution, ClaimProposed, Draft, EventsUndone, Verdict
from tacit.model.ids import ClaimId, EventId, event_milliseconds
from tacit.model.memory import HABIT_SOURCE, Memory
from tacit.model.observation import UNKNOWN_STATUS, CommandRan, is_untimed_session
from tacit.record import Record

# Commands are what a person did, not what they said.
_ATTRIBUTION = Attribution("learner:habit", Provenance.USER_FILE)


class LearnedHabits(Record):
    """The new suggestions, and how many wait for a decision."""

    new: tuple[ClaimId, ...]
    pending: int


def learn_habits(store: Store, user_folder: str) -> LearnedHabits:
    """Count the commands since the last time, and suggest what became a habit."""
    with store.snapshot() as connection:  # which files what waits in the spool
        has_uncounted = counts.has_uncounted_commands(connection)
    if has_uncounted or store.is_far_behind(0):
        with store.update_index() as connection:
            counts.learn(connection, detect_in_session)
    with store.change() as change:
        habits = Habits(change.connection, user_folder)
        events = change.record(habits.proposals(to_milliseconds(store.actor.clock()), store.actor.host))
        bodies = [event.body for event in events]
        new = [body.claim.id for body in bodies if isinstance(body, ClaimProposed) and body.verdict is Verdict.PROPOSED]
        return LearnedHabits(tuple(new), len(reader.habit_claims(change.connection, Status.PENDING)))


# Detectors

PAUSE_MILLISECONDS = 30 * 60 * 1000  # after a longer pause, a command does not follow from those before
SEQUENCE_LOOKBACK = 2  # commands before the last one of a triple
SUBDIRECTORIES = "/*"  # behind the common parent of several directories
_SEQUENCE = Kind.WORKFLOW_PATTERN
# Labels of an enumeration are slow to look up, and these counters are needed for every command.
_WORKPLACES, _COMMANDS = Kind.PREFERRED_CWD.label, Kind.RECURRING_COMMAND.label
_SEQUENCES, _CORRECTIONS = Kind.WORKFLOW_PATTERN.label, Kind.PREFERENCE.label


class CommandTrail(Record):
    """The latest of a session, as far as detectors look back: the last families, when, the line that just failed, and
    the directories in which those families ran. `doubtful` is the line before of which nobody knows whether it failed.
    """

    families: tuple[str, ...] = ()
    at: int = 0
    failed: str = ""
    directories: tuple[str, ...] = ()
    doubtful: str = ""


def detect_habits(trail: CommandTrail, at: int, ran: CommandRan) -> tuple[CommandTrail, Sequence[OccurrenceKey]]:
    """Return the trail after one more line, and the habits that were seen in it. `at` is in milliseconds.

    A history has a hundred thousand lines: what a detector needs of one is looked up once for all of them.
    """
    line = ran.meant or ran.command
    commands = parse_commands(line)
    before = trail if abs(at - trail.at) <= PAUSE_MILLISECONDS else CommandTrail(at=trail.at)
    families, _, failed, places, doubtful = before
    names = [command.family for command in commands if not command.is_trivial]
    if not ran.is_success:
        # Looking around changes nothing.
        return CommandTrail(families, at, line if names else failed, places), ()
    directory = ran.directory
    seen: list[OccurrenceKey] = []
    if directory and commands:  # where a person works: every successful line counts for its directory (A1)
        seen.append((_WORKPLACES, directory, directory))
    # What a person runs: every command of a successful line counts for its family (A2).
    seen += [(_COMMANDS, name, directory) for name in names]
    seen += [(LINE_COUNTER, text, directory) for text in informative_commands(line)]
    for name in names:
        if not families or name != families[-1]:  # a repetition is no step
            if families:
                _detect_sequences(families, places, name, directory, seen)
            families, places = (*families, name)[-SEQUENCE_LOOKBACK:], (*places, directory)[-SEQUENCE_LOOKBACK:]
    # What a person runs instead of something else: a line that failed and its correction, or an edited line (A10).
    if doubtful == line or abs(len(doubtful) - len(line)) > 1:  # it can only be misspelled
        doubtful = ""
    for wrong in filter(None, dict.fromkeys((failed, ran.planned, doubtful))):
        has_failed = wrong != doubtful
        if correction := find_correction(parse_commands(wrong), commands, has_failed=has_failed):
            seen.append((_CORRECTIONS, KEY_SEPARATOR.join(correction), directory))
            failed = ""
    doubtful = line if ran.status == UNKNOWN_STATUS else ""
    return CommandTrail(families, at, "" if names else failed, places, doubtful), seen


def _detect_sequences(
    families: Families, places: tuple[str, ...], family: str, here: str, seen: list[OccurrenceKey]
) -> None:
    """Append what a person runs in order: pairs and triples of different commands of one session (A3)."""
    key, is_here = family, True
    for length in range(1, len(families) + 1):
        earlier = families[-length]
        if earlier == family or earlier in families[len(families) - length + 1 :]:
            return
        key = f"{earlier}{KEY_SEPARATOR}{key}"
        is_here = is_here and places[-length] == here
        seen.append((_SEQUENCES, key, here if is_here else _common_directory((*places[-length:], here))))


@lru_cache(maxsize=8192)  # people go back and forth between a few directories
def _common_directory(directories: tuple[str, ...]) -> str:
    """Return the one directory of the steps of a sequence, or their common parent with `SUBDIRECTORIES` behind it.

    Steps in a directory and in one below it belong to the upper one, unless that is a generic one.
    """
    if len(set(directories)) == 1:
        return directories[0]
    shared = []
    for names in zip(*(directory.split("/") for directory in directories), strict=False):
        if len(set(names)) > 1:
            break
        shared.append(names[0])
    parent = "/".join(shared)
    is_one = parent in directories and not criteria.is_generic_directory(parent)
    return parent if is_one else parent.rstrip("/") + SUBDIRECTORIES


def detect_in_session(state: str, commands: Sequence[RecordedCommand]) -> tuple[str, list[Sequence[OccurrenceKey]]]:
    """Run the detectors over further commands of a session. The state is the trail as JSON, "" at the beginning."""
    trail = CommandTrail()
    if state:
        families, at, failed, directories, doubtful = json.loads(state)
        trail = CommandTrail(tuple(families), at, failed, tuple(directories), doubtful)
    seen = []
    for recorded in commands:
        trail, keys = detect_habits(trail, recorded.at, recorded.command)
        seen.append(keys)
    return json.dumps(trail), seen


def to_milliseconds(time: datetime) -> int:
    return int(time.timestamp() * 1000)


def last_day(tally: HabitTally) -> str:
    return datetime.fromtimestamp(event_milliseconds(EventId(tally.last_event)) / 1000, UTC).date().isoformat()


# Habits and their counts

_MAX_EXAMPLE_SESSIONS, _MAX_SESSION_COMMANDS = 20, 50  # sessions to look at, and commands in each
_MAX_HABITS_PER_KIND = 150  # the most frequent; rarer ones wait until they are among them
_MAX_SEQUENCES = 600  # pairs and triples; a ritual needs several
_MIN_PROJECT_SHARE = 0.8  # of the runs of a habit: so many in one project make it that project's
_UNKNOWN_SCOPE = Scope("")  # of commands whose directory is unknown
_MAX_LONGER_SEQUENCES = 20  # that begin, or end, with a given one
_MAX_UNTIMED_SESSIONS = 3  # histories without timestamps alone never have more
_SINGLE_KINDS = (Kind.RECURRING_COMMAND, Kind.PREFERENCE)
_NO_CARD, _PART_OF_LONGER = "a habit that says too little for a card", "a habit that became part of a longer one"


class Habits:
    """The habits in an index, by project. Without `user_folder` no directory is looked up and all of them are global.

    Each directory is looked up once.
    """

    def __init__(self, connection: sqlite3.Connection, user_folder: str | None = None) -> None:
        self._connection, self._user_folder = connection, user_folder
        self._scope_of = cache(self._look_up)
        total = counts.total_runs(connection, _COMMANDS)
        self._frequency = criteria.CommandFrequency(total, cache(self._runs_of))

    def _look_up(self, directory: str) -> Scope:
        directory = directory.removesuffix(SUBDIRECTORIES)
        if not directory or self._user_folder is None:
            return GLOBAL
        project = find_project(directory, self._user_folder)
        return project.scope(lambda scope: reader.is_scope_used(self._connection, scope)) if project else GLOBAL

    def _runs_of(self, family: str) -> int:
        count = counts.habit_count(self._connection, _COMMANDS, family)
        return count.runs if count else 0

    # Proposals

    def proposals(self, now: int = 0, host: str = "") -> list[Draft]:
        """Return proposals of new habits, as many as there is room for, and more confidence for those that wait.

        What waits and is no card any more is withdrawn: habits of a kind that became statistics, those that this
        `host` proposed and that were not seen often enough, and what became part of a ritual, or of a longer one.
        """
        pending = self._pending()
        known = [(memory, habit) for memory, habit, _ in pending if habit]
        counted = {memory.id: tally for memory, _, tally in pending if tally}
        rituals = self._rituals(Status.ACTIVE, Status.PENDING)
        withdrawn: dict[ClaimId, str] = {}
        for memory, habit in known:
            tally = counted.get(memory.id)
            if not criteria.can_be_card(habit) or (
                tally and not criteria.is_card(tally) and self._proposing_hosts(memory) == {host}
            ):
                withdrawn[memory.id] = _NO_CARD
            elif _is_step(habit, memory.claim.scope, rituals) or (
                tally and habit.kind is _SEQUENCE and self._is_part_of_longer(tally)
            ):
                withdrawn[memory.id] = _PART_OF_LONGER
        shown = [tally for claim, tally in counted.items() if claim not in withdrawn]
        waiting = _without_parts(shown)
        room = criteria.MAX_PENDING_HABITS - (len(pending) - len(withdrawn) - len(shown))
        if len(waiting) < room:
            for candidate in self._new_candidates(now, shown, rituals):
                if len(chosen := _without_parts([*waiting, candidate])) > room:
                    break
                waiting = chosen
        drafts = []
        for memory, _, tally in pending:
            if memory.id in withdrawn or (tally and tally not in waiting):
                events = reader.events_of_claim(self._connection, memory.id, must_decode)
                own = tuple(event.id for event in events if isinstance(event.body, ClaimProposed))
                body = EventsUndone(own, (memory.id,), withdrawn.get(memory.id, _PART_OF_LONGER))
                drafts.append(Draft(body, memory.claim.scope, _ATTRIBUTION))
        before = {tally: memory.confidence for memory, _, tally in pending if tally}
        for tally in waiting:
            if criteria.confidence(tally) > before.get(tally, 0):
                drafts.append(_habit_proposal(tally, Verdict.SUGGESTED if tally in before else Verdict.PROPOSED))
        return drafts

    def _proposing_hosts(self, memory: Memory) -> set[str]:
        events = reader.events_of_claim(self._connection, memory.id, must_decode)
        return {event.origin.host for event in events if isinstance(event.body, ClaimProposed)}

    def _rituals(self, *statuses: Status) -> list[tuple[Scope, Families]]:
        """Return scope and steps of the rituals with these statuses."""
        claims = [claim for status in statuses for claim in reader.habit_claims(self._connection, status)]
        memories = (reader.load_memory(self._connection, claim, must_decode) for claim in claims)
        habits = ((memory.claim.scope, criteria.habit_from_claim(memory.claim)) for memory in memories if memory)
        return [(scope, habit.steps) for scope, habit in habits if habit and habit.kind is _SEQUENCE]

    def _new_candidates(
        self, now: int, pending: Sequence[HabitTally], rituals: Sequence[tuple[Scope, Families]]
    ) -> Iterator[HabitTally]:
        """Yield candidates that are known in no scope: what was dismissed in one does not return in another."""
        connection = self._connection
        scopes = reader.all_scopes(connection)
        decided = self._rituals(Status.ACTIVE, Status.DISMISSED, Status.RETIRED)
        shown = [(tally.scope, tally.habit.steps) for tally in pending if tally.habit.kind is _SEQUENCE]
        rituals = list(rituals)
        for candidate in self.candidates(now):
            habit = self._fully_observed(candidate)
            tally = self._tally(habit, candidate.scope)
            if tally is None or not criteria.is_card(tally) or _is_step(habit, tally.scope, rituals):
                continue
            claims = (criteria.habit_claim(habit, scope).id for scope in {*scopes, GLOBAL, tally.scope})
            if any(reader.memory_row(connection, claim) for claim in claims):
                continue
            if habit.kind is _SEQUENCE:
                own, near = habit.steps, partial(criteria.is_related, tally.scope)
                if any(near(scope) and criteria.is_covered(own, steps) for scope, steps in decided):
                    continue
                # One that overlaps another is not shown beside it, other than by replacing it as the longer one.
                others = [steps for scope, steps in shown if near(scope) and criteria.overlaps(own, steps)]
                if not all(criteria.contains(own, steps) for steps in others):
                    continue
                if not is_worth_a_name(self.recipe(habit, tally.scope).steps):
                    continue
                shown.append((tally.scope, own))
                rituals.append((tally.scope, own))
            yield tally

    def _fully_observed(self, tally: HabitTally) -> HabitKey:
        """Return the longest part of a ritual that was really run as a whole: its triples alone do not prove that."""
        steps = tally.habit.steps if tally.habit.kind is _SEQUENCE else ()
        for length in range(len(steps), SEQUENCE_LOOKBACK + 1, -1):
            for first in range(len(steps) - length + 1):
                part = _sequence_key(steps[first : first + length])
                if has_complete_runs(part.steps, self._example_sessions(part, tally.scope)):
                    return part
        return tally.habit

    def _is_part_of_longer(self, tally: HabitTally) -> bool:
        """Return whether a sequence is part of a longer one that is a habit in the same project, which replaces it.

        A longer one that goes across projects replaces nothing.
        """
        limits = _limits(_SEQUENCE, _MAX_LONGER_SEQUENCES)
        for longer in counts.longer_sequences(self._connection, _SEQUENCES, tally.habit.key, **limits):
            by_scope = self._count_by_scope(counts.habit_by_directory(self._connection, _SEQUENCES, longer))
            own = [count for scope, count in by_scope.items() if tally.scope in (GLOBAL, scope)]
            if own and _is_frequent(_sum_counts(own)):
                return True
        return False

    # Habits that wait for a decision

    def _pending(self) -> list[tuple[Memory, HabitKey | None, HabitTally | None]]:
        """Return the habits that nobody decided on yet, with their counts: None if the commands are gone."""
        claims = reader.habit_claims(self._connection, Status.PENDING)
        memories = (reader.load_memory(self._connection, claim, must_decode) for claim in claims)
        habits = ((memory, criteria.habit_from_claim(memory.claim)) for memory in memories if memory)
        return [(memory, habit, self._tally(habit, memory.claim.scope) if habit else None) for memory, habit in habits]

    def ranked_pending(self, now: int) -> list[tuple[Memory, HabitTally | None]]:
        """Return the habits that wait, with their counts, the most telling first.

        At the end are those that would not be suggested any more, without counts if the commands are gone.
        """
        pending = {memory.id: (memory, tally) for memory, _, tally in self._pending()}
        ranked = criteria.rank_habits((tally for _, tally in pending.values() if tally), self._frequency, now)
        order = [criteria.habit_claim(tally.habit, tally.scope).id for tally in ranked]
        return [pending[claim] for claim in dict.fromkeys((*order, *pending))]

    def recipe(self, habit: HabitKey, scope: Scope) -> HabitRecipe:
        """Return how the commands of a sequence were typed in its latest sessions, and where."""
        return build_recipe(habit.steps, self._example_sessions(habit, scope))

    def _example_sessions(self, habit: HabitKey, scope: Scope) -> list[list[CommandRan]]:
        """Return the commands of the latest sessions with this sequence, backwards from its end.

        Commands that failed or ran outside of the project are left out.
        """
        key = criteria.last_counted_key(habit)
        ends = counts.last_events_by_session(self._connection, habit.counter, key, limit=_MAX_EXAMPLE_SESSIONS)
        sessions = (counts.recent_commands(self._connection, end, _MAX_SESSION_COMMANDS) for end in ends)
        is_anywhere = not is_project_scope(scope)
        return [
            [
                recorded.command
                for recorded in session
                if recorded.command.is_success and (is_anywhere or self._scope_of(recorded.command.directory) == scope)
            ]
            for session in sessions
        ]

    # What is counted

    def candidates(self, now: int = 0) -> list[HabitTally]:
        """Return the habits that are worth a card, the most telling first. `now` is in milliseconds.

        The number of sessions in a project of several directories is an upper bound here; `_tally` counts exactly.
        """
        tallies = [tally for kind in _SINGLE_KINDS for tally in self._single_tallies(kind)]
        tallies += self._chain_tallies()  # without parts of longer ones
        return criteria.rank_habits(map(self._with_timestamp_flag, tallies), self._frequency, now)

    def _single_tallies(self, kind: Kind) -> Iterator[HabitTally]:
        """Yield the habits of a kind, with the counts of the project in which nearly all of one happens, if any."""
        limits, counter = _limits(kind, _MAX_HABITS_PER_KIND), HabitKey(kind, "").counter
        by_directory = _group_by_key(counts.frequent_habits_by_directory(self._connection, counter, **limits))
        for key, runs, sessions, last_event in counts.frequent_habits(self._connection, counter, **limits):
            tally = HabitTally(HabitKey(kind, key), runs, sessions, last_event)
            by_scope = self._count_by_scope(by_directory[key])
            by_scope.pop(_UNKNOWN_SCOPE, None)
            scope = max(by_scope, key=lambda scope: (by_scope[scope].runs, scope), default=GLOBAL)
            if is_project_scope(scope):
                own = by_scope[scope]
                in_project = HabitTally(tally.habit, own.runs, min(own.sessions, tally.sessions), own.last_event, scope)
                is_own = own.runs >= _MIN_PROJECT_SHARE * sum(count.runs for count in by_scope.values())
                tally = in_project if is_own and criteria.is_habit(in_project) else tally
            yield tally

    def _chain_tallies(self) -> Iterator[HabitTally]:
        """Yield the rituals of each project. One of several projects, or of none often enough alone, is global."""
        rows = counts.frequent_habits_by_directory(self._connection, _SEQUENCES, **_limits(_SEQUENCE, _MAX_SEQUENCES))
        by_scope: dict[Scope, dict[Families, SequenceCount]] = defaultdict(dict)
        for key, own_rows in _group_by_key(rows).items():
            families = HabitKey(_SEQUENCE, key).steps
            count_by_scope = self._count_by_scope(own_rows)
            everywhere = _sum_counts(count_by_scope.values())
            frequent = {scope: count for scope, count in count_by_scope.items() if _is_frequent(count)}
            projects = list(filter(is_project_scope, frequent))
            for scope in projects:
                by_scope[scope][families] = frequent[scope]
            if _is_frequent(everywhere) and not projects:
                by_scope[GLOBAL][families] = everywhere

        by_steps: dict[Families, list[HabitTally]] = defaultdict(list)
        for scope, sequences in sorted(by_scope.items()):
            for families, count in criteria.chain_sequences(sequences, self._seed_scores(sequences)).items():
                by_steps[families].append(HabitTally(_sequence_key(families), *count, scope))
        for families, tallies in by_steps.items():
            if len(tallies) == 1:
                yield tallies[0]
            else:  # a ritual of several projects is the person's
                counts_of_all = (SequenceCount(tally.runs, tally.sessions, tally.last_event) for tally in tallies)
                yield HabitTally(_sequence_key(families), *_sum_counts(counts_of_all))

    def _seed_scores(self, sequences: Mapping[Families, SequenceCount]) -> dict[Families, float]:
        """Return how telling the sequences of a project are, 0 for pairs that are part of a triple."""
        parts = {pair for families in sequences if len(families) > 2 for pair in (families[:2], families[1:])}
        tallies = {families: HabitTally(_sequence_key(families), *count) for families, count in sequences.items()}
        return {
            families: 0.0 if families in parts else criteria.score_habit(tally, self._frequency)
            for families, tally in tallies.items()
        }

    def _tally(self, habit: HabitKey, scope: Scope) -> HabitTally | None:
        """Return the counts of a habit in a project, or everywhere for GLOBAL.

        A ritual is as strong as its weakest part. None if it, or a part of it, was never seen there.
        """
        parts = criteria.chain_parts(habit.steps) if habit.kind is _SEQUENCE else [habit.steps]
        by_part = {part: self._count_in_scope(habit.counter, KEY_SEPARATOR.join(part), scope) for part in parts}
        seen = {part: count for part, count in by_part.items() if count}
        if len(seen) < len(by_part):
            return None
        total = criteria.weakest_count(habit.steps, seen) if habit.kind is _SEQUENCE else seen[habit.steps]
        return self._with_timestamp_flag(HabitTally(habit, *total, scope))

    def _count_in_scope(self, counter: str, key: str, scope: Scope) -> SequenceCount | None:
        """Return the exact count of one habit, without what may have gone across projects; None if it was never seen.

        A project that is no longer on this disk has no directories: then all of them count.
        """
        total = counts.habit_count(self._connection, counter, key)
        if total is None:
            return None
        everywhere = SequenceCount(*total[1:])
        if scope == GLOBAL and counter != _SEQUENCES:
            return everywhere
        rows = counts.habit_by_directory(self._connection, counter, key)
        if scope == GLOBAL:
            own = [row for row in rows if not self._goes_across(row.directory)]
        else:
            own = [row for row in rows if self._scope_of(row.directory) == scope]
        if not own or len(own) == len(rows):
            return everywhere
        count = _sum_counts(SequenceCount(*row[2:]) for row in own)
        if len(own) == 1:
            return count
        directories = [row.directory for row in own]
        return count._replace(sessions=counts.count_sessions_in(self._connection, counter, key, directories))

    def _count_by_scope(self, rows: Iterable[HabitDirectoryCount]) -> dict[Scope, SequenceCount]:
        """Return the sums over the directories of each project, without what may have gone across projects."""
        found: dict[Scope, list[SequenceCount]] = defaultdict(list)
        for row in rows:
            if not self._goes_across(row.directory):
                scope = self._scope_of(row.directory) if row.directory else _UNKNOWN_SCOPE
                found[scope].append(SequenceCount(*row[2:]))
        return {scope: _sum_counts(own) for scope, own in found.items()}

    def _goes_across(self, directory: str) -> bool:
        """Return whether the steps of a sequence ran in directories that are in no one project."""
        return directory.endswith(SUBDIRECTORIES) and self._scope_of(directory) == GLOBAL

    def _with_timestamp_flag(self, tally: HabitTally) -> HabitTally:
        if tally.sessions > _MAX_UNTIMED_SESSIONS:
            return tally
        key = criteria.last_counted_key(tally.habit)
        names = counts.session_names(self._connection, tally.habit.counter, key, _MAX_UNTIMED_SESSIONS + 1)
        return tally._replace(has_timestamps=not names or not all(map(is_untimed_session, names)))


def _habit_proposal(tally: HabitTally, verdict: Verdict) -> Draft:
    evidence, events = f"{tally.runs} runs in a history without timestamps", tuple[EventId, ...]()
    if tally.has_timestamps:
        sessions = f"{tally.sessions} session{'s' * (tally.sessions != 1)}"
        evidence = f"{tally.runs} runs in {sessions}, the last on {last_day(tally)}"
        events = (EventId(tally.last_event),)  # the memory is dated by it
    claim = criteria.habit_claim(tally.habit, tally.scope)
    body = ClaimProposed(claim, verdict, HABIT_SOURCE, evidence, confidence=criteria.confidence(tally), events=events)
    return Draft(body, tally.scope, _ATTRIBUTION)


def _without_parts(tallies: Sequence[HabitTally]) -> list[HabitTally]:
    """Leave out rituals that another one contains."""
    rituals = [tally for tally in tallies if tally.habit.kind is _SEQUENCE]
    parts = {
        part for part in rituals if any(criteria.contains(longer.habit.steps, part.habit.steps) for longer in rituals)
    }
    return [tally for tally in tallies if tally not in parts]


def _is_step(habit: HabitKey, scope: Scope, rituals: Iterable[tuple[Scope, Families]]) -> bool:
    """Return whether a line is a step of a ritual that somebody accepted or that waits."""
    if habit.kind is not Kind.RECURRING_COMMAND:
        return False
    family = criteria.line_family(habit.key)
    return any(family in steps and criteria.is_related(scope, other) for other, steps in rituals)


def _limits(kind: Kind, limit: int) -> dict[str, int]:
    """Return what a query for frequent habits of a kind asks for."""
    threshold = criteria.HABIT_THRESHOLDS[kind]
    return {"runs": threshold.min_runs, "sessions": threshold.min_sessions, "limit": limit}


def _sequence_key(families: Families) -> HabitKey:
    return HabitKey(_SEQUENCE, KEY_SEPARATOR.join(families))


def _is_frequent(count: SequenceCount) -> bool:
    threshold = criteria.HABIT_THRESHOLDS[_SEQUENCE]
    return count.runs >= threshold.min_runs and count.sessions >= threshold.min_sessions


def _group_by_key(rows: Iterable[HabitDirectoryCount]) -> dict[str, list[HabitDirectoryCount]]:
    groups: dict[str, list[HabitDirectoryCount]] = defaultdict(list)
    for row in rows:
        groups[row.key].append(row)
    return groups


def _sum_counts(every: Iterable[SequenceCount]) -> SequenceCount:
    runs, sessions, last = 0, 0, ""
    for count in every:
        runs, sessions, last = runs + count.runs, sessions + count.sessions, max(last, count.last_event)
    return SequenceCount(runs, sessions, last)
