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
from tacit.index.habits import CountedAt
from tacit.learn.habits.detect import SEVERAL
from tacit.learn.habits.habit import (
    BETWEEN,
    SCALES,
    Count,
    Families,
    Odds,
    Seen,
    Tally,
    chosen,
    is_habit,
    parts_of,
    rituals,
    weakest,
    worth,
)
from tacit.model.claim import GLOBAL, Kind, Scope, is_local
from tacit.model.observation import is_untimed

ScopeOf = Callable[[str], Scope]  # the project of a place; GLOBAL where it is in none

_LOOKED_AT = 150  # habits of a kind, the most frequent: what is rarer waits until it is not
_SEQUENCES = 600  # pairs and triples, of which a ritual needs several
_MOSTLY = 0.8  # so much of a habit in one project makes it that project's
_UNKNOWN = Scope("")  # of commands whose directory is not known
_LONGER = 20  # sequences that begin, or end, with a given one
_FEW = 3  # sessions; more than that do not come from histories without timestamps alone


def scopes(connection: sqlite3.Connection, user_folder: str) -> ScopeOf:
    """Look places up on the disk, each once."""

    @cache
    def scope_of(place: str) -> Scope:
        directory = place.removesuffix(SEVERAL)
        project = find_project(directory, user_folder) if directory else None
        return project.scope(lambda scope: reader.is_used(connection, scope)) if project else GLOBAL

    return scope_of


def nowhere(_place: str) -> Scope:
    """Where no projects are known."""
    return GLOBAL


def candidates(connection: sqlite3.Connection, scope_of: ScopeOf = nowhere, now: int = 0) -> list[Tally]:
    """The habits that are worth a card, the most telling first. `now` is in milliseconds.

    The number of sessions in a project of several directories is an upper bound here; `tally_in` counts exactly.
    """
    odds = odds_of(connection)  # parts of longer sequences are left out by `_rituals`
    single = (_single(connection, kind, scope_of) for kind in SCALES if kind is not Kind.WORKFLOW_PATTERN)
    found = [*chain.from_iterable(single), *_rituals(connection, scope_of, odds)]
    return chosen((_with_times(connection, tally) for tally in found), odds, now)


def is_in_longer(connection: sqlite3.Connection, tally: Tally, scope_of: ScopeOf) -> bool:
    """Whether a sequence is part of a longer one that is a habit in the same project: that takes its place for good.
    A longer one that goes across projects takes nobody's place."""
    scale = SCALES[Kind.WORKFLOW_PATTERN]
    found = habits.longer(
        connection, tally.seen.kind, tally.seen.key, runs=scale.runs, sessions=scale.sessions, most=_LONGER
    )
    for key in found:
        by_scope = _by_scope(habits.places_of(connection, tally.seen.kind, key), scope_of)
        counts = [count for scope, count in by_scope.items() if tally.scope in (GLOBAL, scope)]
        if counts and _is_often(_sum(counts)):
            return True
    return False


def tally_in(connection: sqlite3.Connection, seen: Seen, scope: Scope, scope_of: ScopeOf) -> Tally | None:
    """What was counted of a habit in a project, or everywhere for GLOBAL; a ritual is as strong as its weakest part."""
    if seen.kind is not Kind.WORKFLOW_PATTERN:
        count = _count_in(connection, seen.kind, seen.key, scope, scope_of)
        return _with_times(connection, Tally(seen, *count, scope)) if count else None
    families = tuple(seen.key.split(BETWEEN))
    counts = {
        part: count
        for part in parts_of(families)
        if (count := _count_in(connection, seen.kind, BETWEEN.join(part), scope, scope_of))
    }
    if len(counts) < len(parts_of(families)):
        return None
    return _with_times(connection, Tally(seen, *weakest(families, counts), scope))


def odds_of(connection: sqlite3.Connection) -> Odds:
    """How often commands were run."""

    @cache
    def runs(family: str) -> int:
        found = habits.count_of(connection, Kind.RECURRING_COMMAND, family)
        return found.runs if found else 0

    return Odds(habits.total(connection, Kind.RECURRING_COMMAND), runs)


# Habits of one command or directory


def _single(connection: sqlite3.Connection, kind: Kind, scope_of: ScopeOf) -> Iterator[Tally]:
    scale = SCALES[kind]
    limits = {"runs": scale.runs, "sessions": scale.sessions, "most": _LOOKED_AT}
    split = _by_key(habits.counted_at(connection, kind, **limits))
    for counted in habits.counted(connection, kind, **limits):
        tally = Tally(Seen(kind, counted.key), counted.runs, counted.sessions, counted.last)
        yield _in_its_project(tally, split[counted.key], scope_of)


def _in_its_project(tally: Tally, places: Iterable[CountedAt], scope_of: ScopeOf) -> Tally:
    """The habit with the counts of the project in which nearly all of it happens, if there is one.

    That somebody works in a project is known outside of it, so the root of a project is a habit of no project.
    """
    if tally.seen.kind is Kind.PREFERRED_CWD:
        scope = scope_of(tally.seen.key)
        return tally._replace(scope=scope) if scope_of(tally.seen.key.rpartition("/")[0]) == scope else tally
    by_scope = _by_scope(places, scope_of)
    by_scope.pop(_UNKNOWN, None)
    scope, count = max(by_scope.items(), key=lambda one: (one[1].runs, one[0]), default=(GLOBAL, Count(0, 0, "")))
    known = sum(one.runs for one in by_scope.values())
    own = Tally(tally.seen, count.runs, min(count.sessions, tally.sessions), count.last, scope)
    return own if is_local(scope) and count.runs >= _MOSTLY * known and is_habit(own) else tally


# Rituals


def _rituals(connection: sqlite3.Connection, scope_of: ScopeOf, odds: Odds) -> Iterator[Tally]:
    """Those of each project. What several projects have, or no project alone has often enough, is global."""
    scale = SCALES[Kind.WORKFLOW_PATTERN]
    rows = habits.counted_at(
        connection, Kind.WORKFLOW_PATTERN, runs=scale.runs, sessions=scale.sessions, most=_SEQUENCES
    )
    by_scope: dict[Scope, dict[Families, Count]] = defaultdict(dict)
    for key, places in _by_key(rows).items():
        families = tuple(key.split(BETWEEN))
        split = _by_scope(places, scope_of)
        everywhere = _sum(split.values())
        for scope, count in split.items():
            if is_local(scope) and _is_often(count):
                by_scope[scope][families] = count
        if _is_often(everywhere) and not any(families in own for own in by_scope.values()):
            by_scope[GLOBAL][families] = everywhere

    found: dict[Families, list[Tally]] = defaultdict(list)
    for scope, sequences in sorted(by_scope.items()):
        inside = {pair for families in sequences if len(families) > 2 for pair in (families[:2], families[1:])}

        def value(families: Families, count: Count, inside: AbstractSet[Families] = inside) -> float:
            return 0.0 if families in inside else worth(Tally(_sequence(families), *count), odds)

        for ritual in rituals(sequences, value):
            found[ritual.families].append(Tally(_sequence(ritual.families), *ritual.counts, scope))
    for families, tallies in found.items():
        yield tallies[0] if len(tallies) == 1 else _of_several(families, tallies)


def _of_several(families: Families, tallies: Iterable[Tally]) -> Tally:
    """A ritual of several projects is the person's."""
    return Tally(_sequence(families), *_sum(Count(tally.runs, tally.sessions, tally.last) for tally in tallies))


def _sequence(families: Families) -> Seen:
    return Seen(Kind.WORKFLOW_PATTERN, BETWEEN.join(families))


def _is_often(count: Count) -> bool:
    scale = SCALES[Kind.WORKFLOW_PATTERN]
    return count.runs >= scale.runs and count.sessions >= scale.sessions


# Counts


def _by_key(rows: Iterable[CountedAt]) -> dict[str, list[CountedAt]]:
    found: dict[str, list[CountedAt]] = defaultdict(list)
    for row in rows:
        found[row.key].append(row)
    return found


def _by_scope(places: Iterable[CountedAt], scope_of: ScopeOf) -> dict[Scope, Count]:
    """Sums over the places of each project. A sequence that went from one directory to another, which are not both in
    one project, is left out: it may have gone across projects."""
    found: dict[Scope, Count] = {}
    for row in places:
        scope = scope_of(row.place) if row.place else _UNKNOWN
        if not _is_across(row, scope_of):
            count = Count(row.runs, row.sessions, row.last)
            found[scope] = _sum([found[scope], count]) if scope in found else count
    return found


def _is_across(row: CountedAt, scope_of: ScopeOf) -> bool:
    return row.place.endswith(SEVERAL) and scope_of(row.place) == GLOBAL


def _sum(counts: Iterable[Count]) -> Count:
    runs, sessions, last = 0, 0, ""
    for count in counts:
        runs, sessions, last = runs + count.runs, sessions + count.sessions, max(last, count.last)
    return Count(runs, sessions, last)


def _count_in(connection: sqlite3.Connection, kind: Kind, key: str, scope: Scope, scope_of: ScopeOf) -> Count | None:
    """Exactly, for one habit; without what may have gone across projects. A project that is no longer on this disk has
    no places: then all of them count."""
    counted = habits.count_of(connection, kind, key)
    if counted is None:
        return None
    everywhere = Count(counted.runs, counted.sessions, counted.last)
    if kind is Kind.PREFERRED_CWD or (scope == GLOBAL and kind is not Kind.WORKFLOW_PATTERN):
        return everywhere
    rows = habits.places_of(connection, kind, key)
    places = [
        row for row in rows if (not _is_across(row, scope_of) if scope == GLOBAL else scope_of(row.place) == scope)
    ]
    if not places or len(places) == len(rows):
        return everywhere
    if len(places) == 1:
        return Count(places[0].runs, places[0].sessions, places[0].last)
    sessions = habits.sessions_at(connection, kind, key, [row.place for row in places])
    return Count(sum(row.runs for row in places), sessions, max(row.last for row in places))


def _with_times(connection: sqlite3.Connection, tally: Tally) -> Tally:
    if tally.sessions > _FEW:
        return tally
    key = tally.seen.key
    if tally.seen.kind is Kind.WORKFLOW_PATTERN:
        key = BETWEEN.join(parts_of(tuple(key.split(BETWEEN)))[-1])
    names = habits.session_names(connection, tally.seen.kind, key, _FEW + 1)
    return tally._replace(has_times=not names or not all(is_untimed(name) for name in names))
