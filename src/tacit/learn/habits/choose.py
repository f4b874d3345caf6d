"""Which habits are worth a person's attention, the most telling first. The thresholds (A1-A3) are only a floor.

A habit tells much when it is of this person or project and not everybody's, when it was seen in many sessions and not
long ago. Four groups come one after the other: telling habits; those of histories without timestamps; what everybody
runs, what a ritual tells already and what is no more than a coincidence; what was seen in one session only, or not for
60 days.

A sequence is worth what it says beyond chance: two commands that are run all day follow each other all day. Its measure
is the normalised pointwise mutual information, 0 for chance and 1 for commands that never go without each other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from math import log, sqrt

from tacit.core.claim import GLOBAL, Kind, is_local
from tacit.core.ids import EventId, moment
from tacit.learn.habits.families import parts
from tacit.learn.habits.habit import BETWEEN, Tally, confidence, is_habit
from tacit.learn.habits.rituals import overlaps
from tacit.learn.habits.tables.common import COMMON, LOOKING, is_generic_directory
from tacit.record import Record

_LESSER = 2  # the group of what is everybody's, told already, or a coincidence
WAITING = 5  # new cards at a time; whoever gets more reads none
IDLE_DAYS = 60  # what was not done for so long may be over
_DAY = 24 * 60 * 60 * 1000  # milliseconds
_LEAST_LIFT = 0.15
_VISITED = 0.2  # of the sessions in its parent: a directory that is visited in fewer tells little beyond the parent
_PART = 0.1  # of its runs: a command that runs so often as part of a ritual is told by that
_SHARE = 0.2  # of the runs of its rarest step: a sequence that is seen in fewer is a coincidence
_OWN = 1.5  # a script, target or host that somebody named: it exists here and nowhere else
# The order in which kinds take turns.
_TURNS = (Kind.WORKFLOW_PATTERN, Kind.RECURRING_COMMAND, Kind.PREFERRED_CWD, Kind.PREFERENCE)
# Programs whose next word somebody here has named: `make deploy`, `npm run e2e`, `ssh build-1`.
_NAMING = frozenset("make just task rake npm pnpm yarn bun mise invoke nox tox hatch pdm poetry ssh mosh".split())


class Odds(Record):
    """How often commands were run, to tell habit from chance: all together, and one family."""

    total: int
    runs: Callable[[str], int]


def chosen(tallies: Iterable[Tally], odds: Odds, now: int = 0) -> list[Tally]:
    """The habits worth showing, the most telling group first.

    In a group each habit is compared with the best of its kind, so that the best of each kind comes first; sequences,
    which tell more than single commands, with the root of that, so that a rare one is not far behind. `now`
    (milliseconds) tells which are idle; 0 leaves that open. What a sequence tells already, a command need not tell.
    """
    habits = [tally for tally in tallies if is_habit(tally)]
    around = _Around(odds, now, habits)
    weighed = {tally: weight for tally in habits if (weight := around.worth(tally)) > 0}
    ranked = _distinct(sorted(weighed, key=lambda tally: (-weighed[tally], tally.seen.key)))
    groups = {tally: around.group(tally) for tally in ranked}
    rituals = [tally for tally in ranked if tally.seen.kind is Kind.WORKFLOW_PATTERN and groups[tally] == 0]
    told: Counter[str] = Counter()
    for tally in rituals:
        told.update(dict.fromkeys(tally.seen.key.split(BETWEEN), tally.runs))
    for tally in ranked:
        if tally.seen.kind is Kind.RECURRING_COMMAND and told[tally.seen.key] >= _PART * tally.runs:
            groups[tally] = max(groups[tally], _LESSER)
    best: dict[tuple[int, Kind], float] = {}
    for tally in ranked:
        place = groups[tally], tally.seen.kind
        best[place] = max(best.get(place, 0.0), weighed[tally])

    def order(tally: Tally) -> tuple[int, float, int, str]:
        number, kind = groups[tally], tally.seen.kind
        share = weighed[tally] / best[number, kind]
        return number, -(sqrt(share) if kind is Kind.WORKFLOW_PATTERN else share), _TURNS.index(kind), tally.seen.key

    return sorted(ranked, key=order)


def group(tally: Tally, now: int = 0) -> int:
    """Which group a habit belongs to: 0 telling, 1 without timestamps, 2 everybody's, 3 a single session or idle."""
    if tally.has_times and (tally.sessions < 2 or is_idle(tally, now)):
        return 3
    if _is_everybodys(tally):
        return _LESSER
    return 0 if tally.has_times else 1


def is_idle(tally: Tally, now: int) -> bool:
    return bool(now and tally.last) and _days_ago(tally, now) >= IDLE_DAYS


def _days_ago(tally: Tally, now: int) -> float:
    return max(now - moment(EventId(tally.last)), 0) / _DAY if now and tally.last else 0.0


def _is_everybodys(tally: Tally) -> bool:
    """A sequence is when all its steps are, when it is one command of one's own among some that only look, or just one
    such command beside another: that is told by itself."""
    match tally.seen.kind:
        case Kind.RECURRING_COMMAND:
            return tally.seen.key in COMMON
        case Kind.WORKFLOW_PATTERN:
            steps = tally.seen.key.split(BETWEEN)
            own = [step for step in steps if step not in COMMON]
            is_one = len(own) == 1 and (len(steps) == 2 or all(step in own or step in LOOKING for step in steps))
            return not own or is_one
        case Kind.PREFERRED_CWD:
            return is_generic_directory(tally.seen.key)
    return False


def _distinct(ranked: Sequence[Tally]) -> list[Tally]:
    """A habit may show as many sequences that overlap, and so does one that goes round and round: of those that share
    more than one command in a project, the best."""
    kept: list[Tally] = []
    for one in ranked:
        if one.seen.kind is Kind.WORKFLOW_PATTERN and any(_is_same_ritual(one, other) for other in kept):
            continue
        kept.append(one)
    return kept


def _is_same_ritual(one: Tally, other: Tally) -> bool:
    return (
        other.seen.kind is Kind.WORKFLOW_PATTERN
        and (one.scope == other.scope or GLOBAL in (one.scope, other.scope))
        and overlaps(one.seen.key.split(BETWEEN), other.seen.key.split(BETWEEN))
    )


class _Around:
    """What a habit is compared with: chance, the time of now, and the other habits."""

    def __init__(self, odds: Odds, now: int, habits: Sequence[Tally]) -> None:
        self._odds = odds
        self._now = now
        of_kind = {kind: [tally for tally in habits if tally.seen.kind is kind] for kind in _TURNS}
        self._directories = {tally.seen.key: tally.sessions for tally in of_kind[Kind.PREFERRED_CWD]}
        self._letters = {
            _letters(tally.seen.key): tally for tally in sorted(of_kind[Kind.RECURRING_COMMAND], key=_runs)
        }

    def worth(self, tally: Tally) -> float:
        """How telling it is; less for what was not done lately."""
        return worth(tally, self._odds) / (1 + _days_ago(tally, self._now) / IDLE_DAYS)

    def group(self, tally: Tally) -> int:
        """As `group`; a directory that is seldom left its parent for, a mistyped command, and commands that follow each
        other now and then, tell nothing either."""
        is_lesser = self._is_seldom_visited(tally) or self._is_mistyped(tally) or self._is_coincidence(tally)
        return max(group(tally, self._now), _LESSER if is_lesser else 0)

    def _is_seldom_visited(self, tally: Tally) -> bool:
        return tally.seen.kind is Kind.PREFERRED_CWD and any(
            tally.seen.key.startswith(f"{parent}/") and tally.sessions < _VISITED * sessions
            for parent, sessions in self._directories.items()
        )

    def _is_coincidence(self, tally: Tally) -> bool:
        if tally.seen.kind is not Kind.WORKFLOW_PATTERN:
            return False
        return tally.runs < _SHARE * min(self._odds.runs(step) for step in tally.seen.key.split(BETWEEN))

    def _is_mistyped(self, tally: Tally) -> bool:
        """Whether it has the letters of a command that is run more often, in another order: `git sttaus`."""
        if tally.seen.kind is not Kind.RECURRING_COMMAND:
            return False
        most = self._letters[_letters(tally.seen.key)]
        return most.seen.key != tally.seen.key and most.runs > tally.runs


def _letters(text: str) -> str:
    return "".join(sorted(text))


def _runs(tally: Tally) -> int:
    return tally.runs


def worth(tally: Tally, odds: Odds) -> float:
    """How telling a habit is, without its age; nought for what should not be shown."""
    often = log(1 + tally.runs) * log(1 + tally.sessions)
    match tally.seen.kind:
        case Kind.WORKFLOW_PATTERN:
            lift = association(tally, odds)
            return lift * often * _share_of_own_steps(tally.seen.key) if lift >= _LEAST_LIFT else 0.0
        case Kind.RECURRING_COMMAND:
            return often * (_OWN if _is_named_here(tally.seen.key) or is_local(tally.scope) else 1.0)
        case Kind.PREFERENCE:
            return confidence(tally) if _is_replaced(tally, odds) else 0.0
    return often


def _share_of_own_steps(key: str) -> float:
    """From a quarter, when every step is everybody's, to one for each step that is not, beyond three steps more."""
    steps = key.split(BETWEEN)
    own = sum(step not in COMMON for step in steps)
    return (0.25 + 0.75 * own / len(steps)) * max(len(steps), 3) / 3


def _is_named_here(family: str) -> bool:
    first, _, rest = family.partition(" ")
    return first.startswith(("./", "../", "scripts/", "bin/")) or (first in _NAMING and bool(rest))


def association(tally: Tally, odds: Odds) -> float:
    """Normalised pointwise mutual information of a sequence, by the counts of its commands."""
    steps = tally.seen.key.split(BETWEEN)
    if tally.runs >= odds.total:
        return 0.0
    together = log(tally.runs / odds.total)
    apart = sum(log(max(odds.runs(step), tally.runs) / odds.total) for step in steps)
    return (together - apart) / (-(len(steps) - 1) * together)


def _is_replaced(tally: Tally, odds: Odds) -> bool:
    """Whether the one is really given up for the other: what works as often as it fails is not."""
    wrong, right = (parts(text) for text in tally.seen.key.split(BETWEEN))
    if not wrong or not right or wrong[0].family == right[0].family:
        return True
    return odds.runs(wrong[0].family) <= tally.runs
