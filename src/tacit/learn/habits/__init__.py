"""Learning habits from commands: count new commands, propose what became a habit, a few at a time.

The index counts by directory. Which project a directory belongs to is looked up on the disk, so it is decided here,
when a card is made, and not when a command is counted.
"""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from datetime import UTC, datetime
from difflib import SequenceMatcher
from functools import cache, lru_cache

from tacit.commandline.names import ParsedCommand, parse_commands
from tacit.home.project import find_project
from tacit.home.store import Store
from tacit.index import habits, reader
from tacit.index.habits import HabitCount, HabitDirectoryCount, OccurrenceKey, RecordedCommand
from tacit.learn.habits.habit import (
    HABIT_THRESHOLDS,
    KEY_SEPARATOR,
    MAX_PENDING_HABITS,
    CommandFrequency,
    Families,
    HabitKey,
    HabitTally,
    SequenceCount,
    chain_parts,
    chain_sequences,
    confidence,
    contains,
    habit_claim,
    habit_from_claim,
    is_covered,
    is_generic_directory,
    is_habit,
    is_related,
    last_counted_key,
    overlaps,
    rank_habits,
    score_habit,
    weakest_count,
)
from tacit.learn.habits.recipe import HabitRecipe, build_recipe, has_complete_runs
from tacit.log.codec import must_decode
from tacit.model.claim import GLOBAL, Kind, Provenance, Scope, Status, is_project_scope
from tacit.model.event import Attribution, ClaimProposed, Draft, EventsUndone, Verdict
from tacit.model.ids import ClaimId, EventId, event_milliseconds
from tacit.model.memory import HABIT_SOURCE, Memory
from tacit.model.observation import CommandRan, is_untimed_session
from tacit.record import Record

# Commands are what a person did, not what they said.
_ATTRIBUTION = Attribution("learner:habit", Provenance.USER_FILE)
MAX_EXAMPLE_SESSIONS, MAX_SESSION_COMMANDS = 20, 50  # sessions to look at, and commands in each


class LearnedHabits(Record):
    """The new suggestions, and how many wait for a decision."""

    new: tuple[ClaimId, ...]
    pending: int


def learn_habits(store: Store, user_folder: str) -> LearnedHabits:
    """Count the commands since the last time, and suggest what became a habit."""
    with store.snapshot() as connection:  # which files what waits in the spool
        has_uncounted = habits.has_uncounted_commands(connection)
    if has_uncounted or store.is_far_behind(0):
        with store.update_index() as connection:
            habits.learn(connection, detect_in_session)
    with store.change() as change:
        scope_of = scope_lookup(change.connection, user_folder)
        events = change.record(habit_proposals(change.connection, scope_of, to_milliseconds(store.actor.clock())))
        bodies = [event.body for event in events]
        new = [body.claim.id for body in bodies if isinstance(body, ClaimProposed) and body.verdict is Verdict.PROPOSED]
        return LearnedHabits(tuple(new), len(reader.habit_claims(change.connection, Status.PENDING)))


ScopeLookup = Callable[[str], Scope]  # from a directory to its project, GLOBAL if it is in none


def scope_lookup(connection: sqlite3.Connection, user_folder: str) -> ScopeLookup:
    """Return a function that looks directories up on the disk, each once."""

    @cache
    def scope_of(directory: str) -> Scope:
        directory = directory.removesuffix(SUBDIRECTORIES)
        project = find_project(directory, user_folder) if directory else None
        return project.scope(lambda scope: reader.is_scope_used(connection, scope)) if project else GLOBAL

    return scope_of


def always_global(_directory: str) -> Scope:
    """A lookup for the case that no projects are known."""
    return GLOBAL


# Detectors

PAUSE_MILLISECONDS = 30 * 60 * 1000  # after a longer pause, a command does not follow from those before
SEQUENCE_LOOKBACK = 2  # commands before the last one of a triple
SUBDIRECTORIES = "/*"  # behind the common parent of several directories
_MIN_WORD_SIMILARITY = 0.6  # of a line of one word and its correction
_MAX_CORRECTION_CHARS = 200
# Members of an enumeration are slow to look up, and these are needed for every command.
_WORKPLACE, _COMMAND, _SEQUENCE = Kind.PREFERRED_CWD, Kind.RECURRING_COMMAND, Kind.WORKFLOW_PATTERN


class CommandTrail(Record):
    """The latest of a session, as far as detectors look back: the last families, when, the line that just failed, and
    the directories in which those families ran."""

    families: tuple[str, ...] = ()
    at: int = 0
    failed: str = ""
    directories: tuple[str, ...] = ()


def detect_habits(trail: CommandTrail, at: int, ran: CommandRan) -> tuple[CommandTrail, Sequence[OccurrenceKey]]:
    """Return the trail after one more line, and the habits that were seen in it. `at` is in milliseconds.

    A history has a hundred thousand lines: what a detector needs of one is looked up once for all of them.
    """
    commands = parse_commands(ran.meant or ran.command)
    before = trail if abs(at - trail.at) <= PAUSE_MILLISECONDS else CommandTrail(at=trail.at)
    families, _, failed, places = before
    names = [command.family for command in commands if not command.is_trivial]
    if not ran.is_success:
        # Looking around changes nothing.
        return CommandTrail(families, at, (ran.meant or ran.command) if names else failed, places), ()
    directory = ran.directory
    seen: list[OccurrenceKey] = []
    if directory and commands:  # where a person works: every successful line counts for its directory (A1)
        seen.append((_WORKPLACE, directory, directory))
    # What a person runs: every command of a successful line counts for its family (A2).
    seen += [(_COMMAND, name, directory) for name in names]
    for name in names:
        if not families or name != families[-1]:  # a repetition is no step
            if families:
                _detect_sequences(families, places, name, directory, seen)
            families, places = (*families, name)[-SEQUENCE_LOOKBACK:], (*places, directory)[-SEQUENCE_LOOKBACK:]
    if failed or ran.planned:
        # What a person runs instead of something else: a line that failed and its correction, or an edited line (A10).
        for wrong in filter(None, dict.fromkeys((failed, ran.planned))):
            if correction := find_correction(parse_commands(wrong), commands):
                seen.append((Kind.PREFERENCE, KEY_SEPARATOR.join(correction), directory))
    return CommandTrail(families, at, "" if names else failed, places), seen


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
        seen.append((_SEQUENCE, key, here if is_here else _common_directory((*places[-length:], here))))


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
    is_one = parent in directories and not is_generic_directory(parent)
    return parent if is_one else parent.rstrip("/") + SUBDIRECTORIES


def find_correction(wrong: tuple[ParsedCommand, ...], right: tuple[ParsedCommand, ...]) -> tuple[str, str] | None:
    """Return the beginnings of two lines up to the one word in which they differ, None if they differ in more.

    That word is another tool with the same arguments, or another word for the same tool. What follows it does not
    matter the next time.
    """
    if len(wrong) != 1 or len(right) != 1 or wrong[0].is_trivial or right[0].is_trivial:
        return None
    before, after = wrong[0].words, right[0].words
    changed = [at for at, (old, new) in enumerate(zip(before, after, strict=False)) if old != new]
    if len(before) != len(after) or len(changed) != 1 or wrong[0].consumers != right[0].consumers:
        return None
    old, new = (" ".join(words[: changed[0] + 1]) for words in (before, after))
    if len(before) == 1 and SequenceMatcher(None, old, new).ratio() < _MIN_WORD_SIMILARITY:
        return None
    return None if KEY_SEPARATOR in old + new or max(len(old), len(new)) > _MAX_CORRECTION_CHARS else (old, new)


def detect_in_session(state: str, commands: Sequence[RecordedCommand]) -> tuple[str, list[Sequence[OccurrenceKey]]]:
    """Run the detectors over further commands of a session. The state is the trail as JSON, "" at the beginning."""
    trail = CommandTrail()
    if state:
        families, at, failed, directories = json.loads(state)
        trail = CommandTrail(tuple(families), at, failed, tuple(directories))
    seen = []
    for recorded in commands:
        trail, keys = detect_habits(trail, recorded.at, recorded.command)
        seen.append(keys)
    return json.dumps(trail), seen


def to_milliseconds(time: datetime) -> int:
    return int(time.timestamp() * 1000)


def last_day(tally: HabitTally) -> str:
    return datetime.fromtimestamp(event_milliseconds(EventId(tally.last_event)) / 1000, UTC).date().isoformat()


# Proposals


def habit_proposals(connection: sqlite3.Connection, scope_of: ScopeLookup = always_global, now: int = 0) -> list[Draft]:
    """Return proposals of new habits, as many as there is room for, and more confidence for those that wait.

    A ritual that became part of a longer one is withdrawn, which makes room for the longer one.
    """
    pending = pending_habits(connection, scope_of)
    counted = [(memory, tally) for memory, tally in pending if tally]
    shown = [
        tally
        for _, tally in counted
        if tally.habit.kind is not Kind.WORKFLOW_PATTERN or not is_part_of_longer(connection, tally, scope_of)
    ]
    waiting = _without_parts(shown)
    room = MAX_PENDING_HABITS - (len(pending) - len(counted))
    if len(waiting) < room:
        for candidate in _new_candidates(connection, scope_of, now, shown):
            if len(chosen := _without_parts([*waiting, candidate])) > room:
                break
            waiting = chosen
    drafts = []
    for memory, tally in counted:
        if tally not in waiting:
            events = reader.events_of_claim(connection, memory.id, must_decode)
            own = tuple(event.id for event in events if isinstance(event.body, ClaimProposed))
            body = EventsUndone(own, (memory.id,), "a habit that became part of a longer one")
            drafts.append(Draft(body, memory.claim.scope, _ATTRIBUTION))
    before = {tally: memory.confidence for memory, tally in counted}
    for tally in waiting:
        if confidence(tally) > before.get(tally, 0):
            drafts.append(_habit_proposal(tally, Verdict.SUGGESTED if tally in before else Verdict.PROPOSED))
    return drafts


def _without_parts(tallies: Sequence[HabitTally]) -> list[HabitTally]:
    """Leave out rituals that another one contains."""
    rituals = [tally for tally in tallies if tally.habit.kind is Kind.WORKFLOW_PATTERN]
    parts = [one for one in rituals if any(contains(longer.habit.steps, one.habit.steps) for longer in rituals)]
    return [tally for tally in tallies if tally not in parts]


def _habit_proposal(tally: HabitTally, verdict: Verdict) -> Draft:
    evidence = f"{tally.runs} runs in a history without timestamps"
    if tally.has_timestamps:
        sessions = f"{tally.sessions} session{'s' * (tally.sessions != 1)}"
        evidence = f"{tally.runs} runs in {sessions}, the last on {last_day(tally)}"
    claim = habit_claim(tally.habit, tally.scope)
    body = ClaimProposed(claim, verdict, HABIT_SOURCE, evidence, confidence=confidence(tally))
    return Draft(body, tally.scope, _ATTRIBUTION)


def _new_candidates(
    connection: sqlite3.Connection, scope_of: ScopeLookup, now: int, pending: Sequence[HabitTally]
) -> Iterator[HabitTally]:
    """Yield candidates that are known in no scope: what was dismissed in one does not return in another."""
    scopes = reader.all_scopes(connection)
    decided: list[tuple[Scope, Families]] = []  # scope and steps of all rituals that were decided on
    for row in reader.decided_rows_of_kind(connection, Kind.WORKFLOW_PATTERN):
        memory = reader.load_memory(connection, row.id, must_decode)
        if memory and (known := habit_from_claim(memory.claim)):
            decided.append((row.scope, known.steps))
    shown = [tally for tally in pending if tally.habit.kind is Kind.WORKFLOW_PATTERN]
    for candidate in habit_candidates(connection, scope_of, now):
        habit = _fully_observed(connection, candidate.habit, candidate.scope, scope_of)
        tally = tally_in_scope(connection, habit, candidate.scope, scope_of)
        if tally is None or not is_habit(tally):
            continue
        if any(reader.memory_row(connection, habit_claim(habit, scope).id) for scope in {*scopes, GLOBAL, tally.scope}):
            continue
        if habit.kind is Kind.WORKFLOW_PATTERN:
            if any(is_related(tally.scope, scope) and is_covered(habit.steps, steps) for scope, steps in decided):
                continue
            # One that overlaps another is not shown beside it, other than by replacing it as the longer one.
            others = [other.habit.steps for other in shown if is_related(tally.scope, other.scope)]
            if any(overlaps(habit.steps, steps) and not contains(habit.steps, steps) for steps in others):
                continue
            shown.append(tally)
        yield tally


def _fully_observed(connection: sqlite3.Connection, habit: HabitKey, scope: Scope, scope_of: ScopeLookup) -> HabitKey:
    """Return the longest part of a ritual that was really run as a whole: its triples alone do not prove that."""
    if habit.kind is not Kind.WORKFLOW_PATTERN:
        return habit
    steps = habit.steps
    for length in range(len(steps), SEQUENCE_LOOKBACK + 1, -1):
        for first in range(len(steps) - length + 1):
            part = HabitKey(habit.kind, KEY_SEPARATOR.join(steps[first : first + length]))
            if has_complete_runs(part.steps, *_example_sessions(connection, part, scope, scope_of)):
                return part
    return habit


# Habits that wait for a decision


def pending_habits(
    connection: sqlite3.Connection, scope_of: ScopeLookup = always_global
) -> list[tuple[Memory, HabitTally | None]]:
    """Return the habits that nobody decided on yet, with their counts: None if the commands are gone."""
    claims = reader.habit_claims(connection, Status.PENDING)
    memories = (reader.load_memory(connection, claim, must_decode) for claim in claims)
    return [(memory, tally_for_memory(connection, memory, scope_of)) for memory in memories if memory]


def tally_for_memory(
    connection: sqlite3.Connection, memory: Memory, scope_of: ScopeLookup = always_global
) -> HabitTally | None:
    """Return the counts of a memory that is a habit."""
    habit = habit_from_claim(memory.claim)
    return tally_in_scope(connection, habit, memory.claim.scope, scope_of) if habit else None


def ranked_pending(
    connection: sqlite3.Connection, scope_of: ScopeLookup, now: int
) -> list[tuple[Memory, HabitTally | None]]:
    """Return the habits that wait, the most telling first; at the end those that would not be suggested any more."""
    pending = {memory.id: (memory, tally) for memory, tally in pending_habits(connection, scope_of)}
    counted = (tally for _, tally in pending.values() if tally)
    ranked = rank_habits(counted, command_frequency(connection), now)
    order = [habit_claim(tally.habit, tally.scope).id for tally in ranked]
    return [pending[claim] for claim in dict.fromkeys((*order, *pending))]


# Examples


def habit_recipe(connection: sqlite3.Connection, habit: HabitKey, scope: Scope, scope_of: ScopeLookup) -> HabitRecipe:
    """Return how the commands of a sequence were typed in its latest sessions, and where."""
    return build_recipe(habit.steps, *_example_sessions(connection, habit, scope, scope_of))


def _example_sessions(
    connection: sqlite3.Connection, habit: HabitKey, scope: Scope, scope_of: ScopeLookup
) -> tuple[list[list[CommandRan]], Callable[[str], bool]]:
    """Return the commands of the latest sessions with this sequence, backwards from its end, and a filter of
    directories."""
    ends = habits.last_events_by_session(connection, habit.kind, last_counted_key(habit), limit=MAX_EXAMPLE_SESSIONS)
    sessions = [
        [recorded.command for recorded in habits.recent_commands(connection, end, MAX_SESSION_COMMANDS)] for end in ends
    ]
    return sessions, lambda directory: not is_project_scope(scope) or scope_of(directory) == scope


# The counts that are kept

_MAX_HABITS_PER_KIND = 150  # the most frequent; rarer ones wait until they are among them
_MAX_SEQUENCES = 600  # pairs and triples; a ritual needs several
_MIN_PROJECT_SHARE = 0.8  # of the runs of a habit: so many in one project make it that project's
_UNKNOWN_SCOPE = Scope("")  # of commands whose directory is unknown
_MAX_LONGER_SEQUENCES = 20  # that begin, or end, with a given one
_MAX_UNTIMED_SESSIONS = 3  # histories without timestamps alone never have more


def habit_candidates(
    connection: sqlite3.Connection, scope_of: ScopeLookup = always_global, now: int = 0
) -> list[HabitTally]:
    """Return the habits that are worth a card, the most telling first. `now` is in milliseconds.

    The number of sessions in a project of several directories is an upper bound here; `tally_in_scope` counts exactly.
    """
    frequency = command_frequency(connection)
    kinds = (kind for kind in HABIT_THRESHOLDS if kind is not Kind.WORKFLOW_PATTERN)
    tallies = [tally for kind in kinds for tally in _single_tallies(connection, kind, scope_of)]
    tallies += _chain_tallies(connection, scope_of, frequency)  # without parts of longer ones
    return rank_habits((_with_timestamp_flag(connection, tally) for tally in tallies), frequency, now)


def is_part_of_longer(connection: sqlite3.Connection, tally: HabitTally, scope_of: ScopeLookup) -> bool:
    """Return whether a sequence is part of a longer one that is a habit in the same project, which replaces it.

    A longer one that goes across projects replaces nothing.
    """
    kind, key = tally.habit.kind, tally.habit.key
    for longer in habits.longer_sequences(connection, kind, key, **_limits(kind, _MAX_LONGER_SEQUENCES)):
        by_scope = _count_by_scope(habits.habit_by_directory(connection, kind, longer), scope_of)
        counts = [count for scope, count in by_scope.items() if tally.scope in (GLOBAL, scope)]
        if counts and _is_frequent(_sum_counts(counts)):
            return True
    return False


def tally_in_scope(
    connection: sqlite3.Connection, habit: HabitKey, scope: Scope, scope_of: ScopeLookup
) -> HabitTally | None:
    """Return the counts of a habit in a project, or everywhere for GLOBAL. A ritual is as strong as its weakest part.

    None if it, or a part of it, was never seen there.
    """
    parts = chain_parts(habit.steps) if habit.kind is Kind.WORKFLOW_PATTERN else [(habit.key,)]
    counts: dict[Families, SequenceCount] = {}
    for part in parts:
        count = _count_in_scope(connection, habit.kind, KEY_SEPARATOR.join(part), scope, scope_of)
        if count is None:
            return None
        counts[part] = count
    total = weakest_count(habit.steps, counts) if habit.kind is Kind.WORKFLOW_PATTERN else counts[parts[0]]
    return _with_timestamp_flag(connection, HabitTally(habit, *total, scope))


def command_frequency(connection: sqlite3.Connection) -> CommandFrequency:
    @cache
    def runs_of(family: str) -> int:
        count = habits.habit_count(connection, Kind.RECURRING_COMMAND, family)
        return count.runs if count else 0

    return CommandFrequency(habits.total_runs(connection, Kind.RECURRING_COMMAND), runs_of)


# Habits of one command or directory


def _limits(kind: Kind, limit: int) -> dict[str, int]:
    """Return what a query for frequent habits of a kind asks for."""
    threshold = HABIT_THRESHOLDS[kind]
    return {"runs": threshold.min_runs, "sessions": threshold.min_sessions, "limit": limit}


def _single_tallies(connection: sqlite3.Connection, kind: Kind, scope_of: ScopeLookup) -> Iterator[HabitTally]:
    """Yield the habits of a kind, with the counts of the project in which nearly all of one happens, if any."""
    limits = _limits(kind, _MAX_HABITS_PER_KIND)
    by_directory = _group_by_key(habits.frequent_habits_by_directory(connection, kind, **limits))
    for row in habits.frequent_habits(connection, kind, **limits):
        tally = HabitTally(HabitKey(kind, row.key), *_sequence_count(row))
        if kind is Kind.PREFERRED_CWD:
            # That somebody works in a project is known outside of it, so its root is a habit of no project.
            scope = scope_of(row.key)
            yield tally._replace(scope=scope) if scope_of(row.key.rpartition("/")[0]) == scope else tally
            continue
        by_scope = _count_by_scope(by_directory[row.key], scope_of)
        by_scope.pop(_UNKNOWN_SCOPE, None)
        scope = max(by_scope, key=lambda scope: (by_scope[scope].runs, scope), default=GLOBAL)
        if is_project_scope(scope):
            count, total = by_scope[scope], sum(count.runs for count in by_scope.values())
            own = HabitTally(tally.habit, count.runs, min(count.sessions, tally.sessions), count.last_event, scope)
            tally = own if count.runs >= _MIN_PROJECT_SHARE * total and is_habit(own) else tally
        yield tally


# Rituals


def _chain_tallies(
    connection: sqlite3.Connection, scope_of: ScopeLookup, frequency: CommandFrequency
) -> Iterator[HabitTally]:
    """Yield the rituals of each project. One of several projects, or of no project often enough alone, is global."""
    kind = Kind.WORKFLOW_PATTERN
    rows = habits.frequent_habits_by_directory(connection, kind, **_limits(kind, _MAX_SEQUENCES))
    by_scope: dict[Scope, dict[Families, SequenceCount]] = defaultdict(dict)
    for key, own_rows in _group_by_key(rows).items():
        families = HabitKey(Kind.WORKFLOW_PATTERN, key).steps
        counts = _count_by_scope(own_rows, scope_of)
        everywhere = _sum_counts(counts.values())
        projects = [scope for scope, count in counts.items() if is_project_scope(scope) and _is_frequent(count)]
        for scope in projects:
            by_scope[scope][families] = counts[scope]
        if _is_frequent(everywhere) and not projects:
            by_scope[GLOBAL][families] = everywhere

    by_steps: dict[Families, list[HabitTally]] = defaultdict(list)
    for scope, sequences in sorted(by_scope.items()):
        parts = {pair for families in sequences if len(families) > 2 for pair in (families[:2], families[1:])}

        def score(families: Families, count: SequenceCount, parts: AbstractSet[Families] = parts) -> float:
            return 0.0 if families in parts else score_habit(HabitTally(_sequence_key(families), *count), frequency)

        for families, count in chain_sequences(sequences, score).items():
            by_steps[families].append(HabitTally(_sequence_key(families), *count, scope))
    for families, tallies in by_steps.items():
        if len(tallies) == 1:
            yield tallies[0]
        else:  # a ritual of several projects is the person's
            counts_of_all = (SequenceCount(tally.runs, tally.sessions, tally.last_event) for tally in tallies)
            yield HabitTally(_sequence_key(families), *_sum_counts(counts_of_all))


def _sequence_key(families: Families) -> HabitKey:
    return HabitKey(Kind.WORKFLOW_PATTERN, KEY_SEPARATOR.join(families))


def _is_frequent(count: SequenceCount) -> bool:
    threshold = HABIT_THRESHOLDS[Kind.WORKFLOW_PATTERN]
    return count.runs >= threshold.min_runs and count.sessions >= threshold.min_sessions


# Counts


def _sequence_count(row: HabitCount | HabitDirectoryCount) -> SequenceCount:
    return SequenceCount(row.runs, row.sessions, row.last_event)


def _group_by_key(rows: Iterable[HabitDirectoryCount]) -> dict[str, list[HabitDirectoryCount]]:
    groups: dict[str, list[HabitDirectoryCount]] = defaultdict(list)
    for row in rows:
        groups[row.key].append(row)
    return groups


def _count_by_scope(rows: Iterable[HabitDirectoryCount], scope_of: ScopeLookup) -> dict[Scope, SequenceCount]:
    """Return the sums over the directories of each project, without what may have gone across projects."""
    sums: dict[Scope, tuple[int, int, str]] = {}
    for _, directory, runs, sessions, last in rows:
        scope = scope_of(directory) if directory else _UNKNOWN_SCOPE
        if scope == GLOBAL and directory.endswith(
            SUBDIRECTORIES
        ):  # went between directories that are in no one project
            continue
        known = sums.get(scope, (0, 0, ""))
        sums[scope] = known[0] + runs, known[1] + sessions, max(known[2], last)
    return {scope: SequenceCount(*count) for scope, count in sums.items()}


def _sum_counts(counts: Iterable[SequenceCount]) -> SequenceCount:
    runs, sessions, last = 0, 0, ""
    for count in counts:
        runs, sessions, last = runs + count.runs, sessions + count.sessions, max(last, count.last_event)
    return SequenceCount(runs, sessions, last)


def _count_in_scope(
    connection: sqlite3.Connection, kind: Kind, key: str, scope: Scope, scope_of: ScopeLookup
) -> SequenceCount | None:
    """Return the exact count of one habit, without what may have gone across projects; None if it was never seen.

    A project that is no longer on this disk has no directories: then all of them count.
    """
    total = habits.habit_count(connection, kind, key)
    if total is None:
        return None
    if kind is Kind.PREFERRED_CWD or (scope == GLOBAL and kind is not Kind.WORKFLOW_PATTERN):
        return _sequence_count(total)
    rows = habits.habit_by_directory(connection, kind, key)
    if scope == GLOBAL:
        own = [row for row in rows if not row.directory.endswith(SUBDIRECTORIES) or scope_of(row.directory) != GLOBAL]
    else:
        own = [row for row in rows if scope_of(row.directory) == scope]
    if not own or len(own) == len(rows):
        return _sequence_count(total)
    if len(own) == 1:
        return _sequence_count(own[0])
    sessions = habits.count_sessions_in(connection, kind, key, [row.directory for row in own])
    return SequenceCount(sum(row.runs for row in own), sessions, max(row.last_event for row in own))


def _with_timestamp_flag(connection: sqlite3.Connection, tally: HabitTally) -> HabitTally:
    if tally.sessions > _MAX_UNTIMED_SESSIONS:
        return tally
    key = last_counted_key(tally.habit)
    names = habits.session_names(connection, tally.habit.kind, key, _MAX_UNTIMED_SESSIONS + 1)
    return tally._replace(has_timestamps=not names or not all(map(is_untimed_session, names)))
