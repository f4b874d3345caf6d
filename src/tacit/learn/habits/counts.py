"""From the counts of the index to tallies of habits, each in the project it belongs to.

The index counts by directory. Which project a directory belongs to is looked up on the disk, so it is decided here,
when a card is made, and not when a command is counted.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Set as AbstractSet
from functools import cache
from itertools import chain

from tacit.home.project import find_project
from tacit.index import habits, reader
from tacit.index.habits import HabitDirectoryCount
from tacit.learn.habits.detect import SUBDIRECTORIES
from tacit.learn.habits.habit import (
    HABIT_THRESHOLDS,
    KEY_SEPARATOR,
    CommandFrequency,
    Families,
    HabitKey,
    HabitTally,
    SequenceCount,
    chain_parts,
    chain_sequences,
    is_habit,
    rank_habits,
    score_habit,
    weakest_count,
)
from tacit.model.claim import GLOBAL, Kind, Scope, is_project_scope
from tacit.model.observation import is_untimed_session

ScopeLookup = Callable[[str], Scope]  # the project of a place; GLOBAL where it is in none

_MAX_HABITS_PER_KIND = 150  # habits of a kind, the most frequent: what is rarer waits until it is not
_MAX_SEQUENCES = 600  # pairs and triples, of which a ritual needs several
_MIN_PROJECT_SHARE = 0.8  # so much of a habit in one project makes it that project's
_UNKNOWN_SCOPE = Scope("")  # of commands whose directory is not known
_MAX_LONGER_SEQUENCES = 20  # sequences that begin, or end, with a given one
_MAX_UNTIMED_SESSIONS = 3  # sessions; more than that do not come from histories without timestamps alone


def scope_lookup(connection: sqlite3.Connection, user_folder: str) -> ScopeLookup:
    """Look places up on the disk, each once."""

    @cache
    def scope_of(place: str) -> Scope:
        directory = place.removesuffix(SUBDIRECTORIES)
        project = find_project(directory, user_folder) if directory else None
        return project.scope(lambda scope: reader.is_scope_used(connection, scope)) if project else GLOBAL

    return scope_of


def always_global(_place: str) -> Scope:
    """Where no projects are known."""
    return GLOBAL


def habit_candidates(
    connection: sqlite3.Connection, scope_of: ScopeLookup = always_global, now: int = 0
) -> list[HabitTally]:
    """The habits that are worth a card, the most telling first. `now` is in milliseconds.

    The number of sessions in a project of several directories is an upper bound here; `tally_in` counts exactly.
    """
    odds = command_frequency(connection)  # parts of longer sequences are left out by `_rituals`
    single = (
        _single_tallies(connection, kind, scope_of) for kind in HABIT_THRESHOLDS if kind is not Kind.WORKFLOW_PATTERN
    )
    found = [*chain.from_iterable(single), *_chain_tallies(connection, scope_of, odds)]
    return rank_habits((_with_timestamp_flag(connection, tally) for tally in found), odds, now)


def is_part_of_longer(connection: sqlite3.Connection, tally: HabitTally, scope_of: ScopeLookup) -> bool:
    """Whether a sequence is part of a longer one that is a habit in the same project: that takes its place for good.
    A longer one that goes across projects takes nobody's place."""
    scale = HABIT_THRESHOLDS[Kind.WORKFLOW_PATTERN]
    found = habits.longer_sequences(
        connection,
        tally.habit.kind,
        tally.habit.key,
        runs=scale.min_runs,
        sessions=scale.min_sessions,
        most=_MAX_LONGER_SEQUENCES,
    )
    for key in found:
        by_scope = _count_by_scope(habits.habit_by_directory(connection, tally.habit.kind, key), scope_of)
        counts = [count for scope, count in by_scope.items() if tally.scope in (GLOBAL, scope)]
        if counts and _is_frequent(_sum_counts(counts)):
            return True
    return False


def tally_in_scope(
    connection: sqlite3.Connection, seen: HabitKey, scope: Scope, scope_of: ScopeLookup
) -> HabitTally | None:
    """What was counted of a habit in a project, or everywhere for GLOBAL; a ritual is as strong as its weakest part."""
    if seen.kind is not Kind.WORKFLOW_PATTERN:
        count = _count_in_scope(connection, seen.kind, seen.key, scope, scope_of)
        return _with_timestamp_flag(connection, HabitTally(seen, *count, scope)) if count else None
    families = tuple(seen.key.split(KEY_SEPARATOR))
    counts = {
        part: count
        for part in chain_parts(families)
        if (count := _count_in_scope(connection, seen.kind, KEY_SEPARATOR.join(part), scope, scope_of))
    }
    if len(counts) < len(chain_parts(families)):
        return None
    return _with_timestamp_flag(connection, HabitTally(seen, *weakest_count(families, counts), scope))


def command_frequency(connection: sqlite3.Connection) -> CommandFrequency:
    """How often commands were run."""

    @cache
    def runs(family: str) -> int:
        found = habits.habit_count(connection, Kind.RECURRING_COMMAND, family)
        return found.runs if found else 0

    return CommandFrequency(habits.total_runs(connection, Kind.RECURRING_COMMAND), runs)


# Habits of one command or directory


def _single_tallies(connection: sqlite3.Connection, kind: Kind, scope_of: ScopeLookup) -> Iterator[HabitTally]:
    scale = HABIT_THRESHOLDS[kind]
    limits = {"runs": scale.min_runs, "sessions": scale.min_sessions, "most": _MAX_HABITS_PER_KIND}
    split = _group_by_key(habits.frequent_habits_by_directory(connection, kind, **limits))
    for counted in habits.frequent_habits(connection, kind, **limits):
        tally = HabitTally(HabitKey(kind, counted.key), counted.runs, counted.sessions, counted.last)
        yield _assign_project(tally, split[counted.key], scope_of)


def _assign_project(tally: HabitTally, places: Iterable[HabitDirectoryCount], scope_of: ScopeLookup) -> HabitTally:
    """The habit with the counts of the project in which nearly all of it happens, if there is one.

    That somebody works in a project is known outside of it, so the root of a project is a habit of no project.
    """
    if tally.habit.kind is Kind.PREFERRED_CWD:
        scope = scope_of(tally.habit.key)
        return tally._replace(scope=scope) if scope_of(tally.habit.key.rpartition("/")[0]) == scope else tally
    by_scope = _count_by_scope(places, scope_of)
    by_scope.pop(_UNKNOWN_SCOPE, None)
    scope, count = max(
        by_scope.items(), key=lambda one: (one[1].runs, one[0]), default=(GLOBAL, SequenceCount(0, 0, ""))
    )
    known = sum(one.runs for one in by_scope.values())
    own = HabitTally(tally.habit, count.runs, min(count.sessions, tally.sessions), count.last_event, scope)
    return own if is_project_scope(scope) and count.runs >= _MIN_PROJECT_SHARE * known and is_habit(own) else tally


# Rituals


def _chain_tallies(
    connection: sqlite3.Connection, scope_of: ScopeLookup, odds: CommandFrequency
) -> Iterator[HabitTally]:
    """Those of each project. What several projects have, or no project alone has often enough, is global."""
    scale = HABIT_THRESHOLDS[Kind.WORKFLOW_PATTERN]
    rows = habits.frequent_habits_by_directory(
        connection, Kind.WORKFLOW_PATTERN, runs=scale.min_runs, sessions=scale.min_sessions, most=_MAX_SEQUENCES
    )
    by_scope: dict[Scope, dict[Families, SequenceCount]] = defaultdict(dict)
    for key, places in _group_by_key(rows).items():
        families = tuple(key.split(KEY_SEPARATOR))
        split = _count_by_scope(places, scope_of)
        everywhere = _sum_counts(split.values())
        for scope, count in split.items():
            if is_project_scope(scope) and _is_frequent(count):
                by_scope[scope][families] = count
        if _is_frequent(everywhere) and not any(families in own for own in by_scope.values()):
            by_scope[GLOBAL][families] = everywhere

    found: dict[Families, list[HabitTally]] = defaultdict(list)
    for scope, sequences in sorted(by_scope.items()):
        inside = {pair for families in sequences if len(families) > 2 for pair in (families[:2], families[1:])}

        def value(families: Families, count: SequenceCount, inside: AbstractSet[Families] = inside) -> float:
            return 0.0 if families in inside else score_habit(HabitTally(_sequence_key(families), *count), odds)

        for ritual in chain_sequences(sequences, value):
            found[ritual.families].append(HabitTally(_sequence_key(ritual.families), *ritual.counts, scope))
    for families, tallies in found.items():
        yield tallies[0] if len(tallies) == 1 else _merge_tallies(families, tallies)


def _merge_tallies(families: Families, tallies: Iterable[HabitTally]) -> HabitTally:
    """A ritual of several projects is the person's."""
    return HabitTally(
        _sequence_key(families),
        *_sum_counts(SequenceCount(tally.runs, tally.sessions, tally.last_event) for tally in tallies),
    )


def _sequence_key(families: Families) -> HabitKey:
    return HabitKey(Kind.WORKFLOW_PATTERN, KEY_SEPARATOR.join(families))


def _is_frequent(count: SequenceCount) -> bool:
    scale = HABIT_THRESHOLDS[Kind.WORKFLOW_PATTERN]
    return count.runs >= scale.min_runs and count.sessions >= scale.min_sessions


# Counts


def _group_by_key(rows: Iterable[HabitDirectoryCount]) -> dict[str, list[HabitDirectoryCount]]:
    found: dict[str, list[HabitDirectoryCount]] = defaultdict(list)
    for row in rows:
        found[row.key].append(row)
    return found


def _count_by_scope(places: Iterable[HabitDirectoryCount], scope_of: ScopeLookup) -> dict[Scope, SequenceCount]:
    """Sums over the places of each project. A sequence that went from one directory to another, which are not both in
    one project, is left out: it may have gone across projects."""
    found: dict[Scope, SequenceCount] = {}
    for row in places:
        scope = scope_of(row.directory) if row.directory else _UNKNOWN_SCOPE
        if not _is_cross_project(row, scope_of):
            count = SequenceCount(row.runs, row.sessions, row.last)
            found[scope] = _sum_counts([found[scope], count]) if scope in found else count
    return found


def _is_cross_project(row: HabitDirectoryCount, scope_of: ScopeLookup) -> bool:
    return row.directory.endswith(SUBDIRECTORIES) and scope_of(row.directory) == GLOBAL


def _sum_counts(counts: Iterable[SequenceCount]) -> SequenceCount:
    runs, sessions, last = 0, 0, ""
    for count in counts:
        runs, sessions, last = runs + count.runs, sessions + count.sessions, max(last, count.last_event)
    return SequenceCount(runs, sessions, last)


def _count_in_scope(
    connection: sqlite3.Connection, kind: Kind, key: str, scope: Scope, scope_of: ScopeLookup
) -> SequenceCount | None:
    """Exactly, for one habit; without what may have gone across projects. A project that is no longer on this disk has
    no places: then all of them count."""
    counted = habits.habit_count(connection, kind, key)
    if counted is None:
        return None
    everywhere = SequenceCount(counted.runs, counted.sessions, counted.last)
    if kind is Kind.PREFERRED_CWD or (scope == GLOBAL and kind is not Kind.WORKFLOW_PATTERN):
        return everywhere
    rows = habits.habit_by_directory(connection, kind, key)
    places = [
        row
        for row in rows
        if (not _is_cross_project(row, scope_of) if scope == GLOBAL else scope_of(row.directory) == scope)
    ]
    if not places or len(places) == len(rows):
        return everywhere
    if len(places) == 1:
        return SequenceCount(places[0].runs, places[0].sessions, places[0].last)
    sessions = habits.count_sessions_in(connection, kind, key, [row.directory for row in places])
    return SequenceCount(sum(row.runs for row in places), sessions, max(row.last for row in places))


def _with_timestamp_flag(connection: sqlite3.Connection, tally: HabitTally) -> HabitTally:
    if tally.sessions > _MAX_UNTIMED_SESSIONS:
        return tally
    key = tally.habit.key
    if tally.habit.kind is Kind.WORKFLOW_PATTERN:
        key = KEY_SEPARATOR.join(chain_parts(tuple(key.split(KEY_SEPARATOR)))[-1])
    names = habits.session_names(connection, tally.habit.kind, key, _MAX_UNTIMED_SESSIONS + 1)
    return tally._replace(has_timestamps=not names or not all(is_untimed_session(name) for name in names))
