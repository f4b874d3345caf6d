"""A habit: when a count is enough, how sure it is, how telling it is, and sequences chained into rituals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import log, sqrt

from tacit.learn.command_names import parts
from tacit.learn.programs import COMMON, LOOKING, is_generic_directory
from tacit.model.claim import GLOBAL, Claim, Kind, Scope, Triple, is_local
from tacit.model.ids import EventId, moment
from tacit.record import Record

# A habit: something seen again and again, how often, in how many sessions; when that is enough, and how sure it is.

BETWEEN = "\n"  # between the parts of a key; no part has one


class Seen(Record):
    """One occurrence of a habit. Kind and key identify the habit; `place` is where this occurrence ran.

    `place` is a directory, or "" when the directory is unknown. A sequence whose steps ran in different directories has
    their common parent and `/*` behind it (see workflows.py).
    """

    kind: Kind
    key: str
    place: str = ""


class Tally(Record):
    """A habit and what was counted of it.

    `last` is the event of the latest occurrence. `scope` is the project the habit belongs to; the counts are then those
    of this project. `has_times` is false when all occurrences come from histories without timestamps.
    """

    seen: Seen
    runs: int
    sessions: int
    last: str = ""
    scope: Scope = GLOBAL
    has_times: bool = True


class Scale(Record):
    """When a habit is one, and how sure it is: `base` at the threshold, more for each further run and session, never
    above `cap`."""

    runs: int
    sessions: int
    base: float
    cap: float
    per_run: float
    per_session: float


# SPEC A1 to A3, and A10 for substitutions, which are filed as preferences.
SCALES = {
    Kind.PREFERRED_CWD: Scale(runs=5, sessions=2, base=0.70, cap=0.95, per_run=0.01, per_session=0.03),
    Kind.RECURRING_COMMAND: Scale(runs=4, sessions=1, base=0.60, cap=0.90, per_run=0.01, per_session=0.04),
    Kind.WORKFLOW_PATTERN: Scale(runs=3, sessions=2, base=0.65, cap=0.85, per_run=0.01, per_session=0.03),
    Kind.PREFERENCE: Scale(runs=2, sessions=1, base=0.60, cap=0.85, per_run=0.05, per_session=0.05),
}


def is_habit(tally: Tally) -> bool:
    scale = SCALES[tally.seen.kind]
    return tally.runs >= scale.runs and tally.sessions >= scale.sessions


def confidence(tally: Tally) -> float:
    """`base + per_run * (runs - least) + per_session * (sessions - least)`, at most `cap`."""
    scale = SCALES[tally.seen.kind]
    grown = scale.per_run * (tally.runs - scale.runs) + scale.per_session * (tally.sessions - scale.sessions)
    return round(min(scale.cap, scale.base + grown), 2)


def label(seen: Seen) -> str:
    """How a habit is called."""
    return seen.key.replace(BETWEEN, " → ")


def claim_of(seen: Seen, scope: Scope = GLOBAL) -> Claim:
    """The statement that a habit makes, about the person or about the person in one project."""
    subject, predicate, words, sentence = _SAID[seen.kind](seen.key)
    return Claim(seen.kind, scope, Triple(subject, predicate, words), sentence)


def seen_of(claim: Claim) -> Seen | None:
    """The habit that a claim speaks of; nothing for any other claim."""
    words = claim.triple.object
    key = {
        Kind.PREFERRED_CWD: words,
        Kind.RECURRING_COMMAND: words,
        Kind.WORKFLOW_PATTERN: words.replace(" → ", BETWEEN),
        Kind.PREFERENCE: f"{claim.triple.predicate.removeprefix(_INSTEAD)}{BETWEEN}{words}",
    }.get(claim.kind)
    seen = Seen(claim.kind, key) if key else None
    return seen if seen and claim_of(seen, claim.scope).id == claim.id else None


_INSTEAD = "uses instead of "
_Said = tuple[str, str, str, str]


def _directory(key: str) -> _Said:
    return "user", "works in", key, f"often works in {key}"


def _command(key: str) -> _Said:
    return "user", "runs", key, f"often runs `{key}`"


def _workflow(key: str) -> _Said:
    steps = [f"`{family}`" for family in key.split(BETWEEN)]
    return "user", "runs in order", key.replace(BETWEEN, " → "), f"runs {', then '.join(steps)}"


def _substitution(key: str) -> _Said:
    wrong, _, right = key.partition(BETWEEN)
    return "user", f"{_INSTEAD}{wrong}", right, f"use `{right}` instead of `{wrong}`"


_SAID = {
    Kind.PREFERRED_CWD: _directory,
    Kind.RECURRING_COMMAND: _command,
    Kind.WORKFLOW_PATTERN: _workflow,
    Kind.PREFERENCE: _substitution,
}


# From pairs and triples to the whole ritual: `a → b → c` and `b → c → d` are parts of `a → b → c → d`.
#
# Pairs and triples are what is counted (A3). A ritual is read from those counts and is as strong as its weakest
# triple, so it is the same however the history came in. It has at most seven steps, no step twice, and does not go on
# with a command that only looks at something. Rituals of one project share at most one step.

LONGEST = 7
_LIKELY = 0.4  # of the times that two steps were run in order, so often the next one followed
_MOST_OVERLAP = 1  # steps that two rituals of a project may share

Families = tuple[str, ...]


class Count(Record):
    """How often a sequence was seen in one project."""

    runs: int
    sessions: int
    last: str


class Ritual(Record):
    """The steps of a ritual, and the counts of its weakest part."""

    families: Families
    counts: Count


def rituals(sequences: Mapping[Families, Count], worth: Callable[[Families, Count], float]) -> list[Ritual]:
    """The rituals that the pairs and triples of one project chain into, the best first.

    `worth` ranks the sequences to begin with; those of no worth begin nothing.
    """
    weighed = sorted(((worth(one, count), one) for one, count in sequences.items()), key=lambda one: (-one[0], one[1]))
    found: list[Ritual] = []
    for weight, seed in weighed:
        if weight > 0 and not any(overlaps(seed, one.families) for one in found):
            chained = _chained(seed, sequences, [one.families for one in found])
            found.append(Ritual(chained, weakest(chained, sequences)))
    return found


def overlaps(one: Iterable[str], other: Iterable[str]) -> bool:
    """Whether two rituals share more steps than two of one project may."""
    return len(set(one) & set(other)) > _MOST_OVERLAP


def contains(longer: Families, part: Families) -> bool:
    """Whether a ritual is a real part of a longer one: the same steps in the same order, without a gap."""
    size = len(part)
    return size < len(longer) and any(longer[at : at + size] == part for at in range(len(longer) - size + 1))


def is_covered(families: Families, decided: Families) -> bool:
    """Whether a decision on one ritual is a decision on another: at least two thirds of its steps are the same."""
    return 3 * len(set(families) & set(decided)) >= 2 * len(families)


def weakest(families: Families, sequences: Mapping[Families, Count]) -> Count:
    """The counts of a ritual: in each respect those of its weakest part; nothing where a part was never seen."""
    counts = [sequences.get(part, Count(0, 0, "")) for part in parts_of(families)]
    return Count(
        min(count.runs for count in counts),
        min(count.sessions for count in counts),
        min(count.last for count in counts),
    )


def parts_of(families: Families) -> Sequence[Families]:
    """The triples that a ritual is made of; a pair or a triple is its own part."""
    length = min(len(families), 3)
    return [families[at : at + length] for at in range(len(families) - length + 1)]


def _chained(seed: Families, sequences: Mapping[Families, Count], others: Sequence[Families]) -> Families:
    if len(seed) < 3:
        return seed
    chain = seed
    while len(chain) < LONGEST:
        after = _next(chain[-2:], sequences, lambda pair, step: (*pair, step))
        before = _next(chain[:2], sequences, lambda pair, step: (step, *pair))
        longer = [
            grown
            for grown in ((*chain, after) if after else (), (before, *chain) if before else ())
            if grown and len(set(grown)) == len(grown) and not any(overlaps(grown, other) for other in others)
        ]
        if not longer:
            break
        chain = max(longer, key=lambda grown: (weakest(grown, sequences).runs, grown[: len(chain)] == chain))
    return chain


def _next(pair: Families, sequences: Mapping[Families, Count], joined: Callable[[Families, str], Families]) -> str:
    """The step that mostly comes behind two others, or before them; nothing where none does."""
    together = sequences.get(pair)
    steps = {family for one in sequences for family in one if len(one) == 3} - LOOKING
    known = [(sequences[joined(pair, step)].runs, step) for step in steps if joined(pair, step) in sequences]
    if not known or together is None:
        return ""
    runs, step = min(known, key=lambda one: (-one[0], one[1]))
    return step if runs >= _LIKELY * together.runs else ""


# Which habits are worth a person's attention, the most telling first. The thresholds (A1-A3) are only a floor.
#
# A habit tells much when it is of this person or project and not everybody's, when it was seen in many sessions and
# not long ago. Four groups come one after the other: telling habits; those of histories without timestamps; what
# everybody runs, what a ritual tells already and what is no more than a coincidence; what was seen in one session
# only, or not for 60 days.
#
# A sequence is worth what it says beyond chance: two commands that are run all day follow each other all day. Its
# measure is the normalised pointwise mutual information, 0 for chance and 1 for commands that never go without each
# other.

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
