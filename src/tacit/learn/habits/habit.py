"""A habit: when a count is enough, how sure it is, how telling it is, and sequences chained into rituals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import log, sqrt

from tacit.learn.command_names import parse_commands
from tacit.learn.programs import COMMON_COMMANDS, READ_ONLY_COMMANDS, is_generic_directory
from tacit.model.claim import GLOBAL, Claim, Kind, Scope, Triple, is_project_scope
from tacit.model.ids import EventId, event_milliseconds
from tacit.record import Record

# A habit: something seen again and again, how often, in how many sessions; when that is enough, and how sure it is.

KEY_SEPARATOR = "\n"  # between the parts of a key; no part has one


class HabitKey(Record):
    """One occurrence of a habit. Kind and key identify the habit; `place` is where this occurrence ran.

    `place` is a directory, or "" when the directory is unknown. A sequence whose steps ran in different directories has
    their common parent and `/*` behind it (see workflows.py).
    """

    kind: Kind
    key: str
    directory: str = ""


class HabitTally(Record):
    """A habit and what was counted of it.

    `last` is the event of the latest occurrence. `scope` is the project the habit belongs to; the counts are then those
    of this project. `has_times` is false when all occurrences come from histories without timestamps.
    """

    habit: HabitKey
    runs: int
    sessions: int
    last_event: str = ""
    scope: Scope = GLOBAL
    has_timestamps: bool = True


class HabitThreshold(Record):
    """When a habit is one, and how sure it is: `base` at the threshold, more for each further run and session, never
    above `cap`."""

    min_runs: int
    min_sessions: int
    base: float
    cap: float
    per_run: float
    per_session: float


# SPEC A1 to A3, and A10 for substitutions, which are filed as preferences.
HABIT_THRESHOLDS = {
    Kind.PREFERRED_CWD: HabitThreshold(min_runs=5, min_sessions=2, base=0.70, cap=0.95, per_run=0.01, per_session=0.03),
    Kind.RECURRING_COMMAND: HabitThreshold(
        min_runs=4, min_sessions=1, base=0.60, cap=0.90, per_run=0.01, per_session=0.04
    ),
    Kind.WORKFLOW_PATTERN: HabitThreshold(
        min_runs=3, min_sessions=2, base=0.65, cap=0.85, per_run=0.01, per_session=0.03
    ),
    Kind.PREFERENCE: HabitThreshold(min_runs=2, min_sessions=1, base=0.60, cap=0.85, per_run=0.05, per_session=0.05),
}


def is_habit(tally: HabitTally) -> bool:
    scale = HABIT_THRESHOLDS[tally.habit.kind]
    return tally.runs >= scale.min_runs and tally.sessions >= scale.min_sessions


def confidence(tally: HabitTally) -> float:
    """`base + per_run * (runs - least) + per_session * (sessions - least)`, at most `cap`."""
    scale = HABIT_THRESHOLDS[tally.habit.kind]
    grown = scale.per_run * (tally.runs - scale.min_runs) + scale.per_session * (tally.sessions - scale.min_sessions)
    return round(min(scale.cap, scale.base + grown), 2)


def habit_label(seen: HabitKey) -> str:
    """How a habit is called."""
    return seen.key.replace(KEY_SEPARATOR, " → ")


def habit_claim(seen: HabitKey, scope: Scope = GLOBAL) -> Claim:
    """The statement that a habit makes, about the person or about the person in one project."""
    subject, predicate, words, sentence = _CLAIM_BUILDERS[seen.kind](seen.key)
    return Claim(seen.kind, scope, Triple(subject, predicate, words), sentence)


def habit_from_claim(claim: Claim) -> HabitKey | None:
    """The habit that a claim speaks of; nothing for any other claim."""
    words = claim.triple.object
    key = {
        Kind.PREFERRED_CWD: words,
        Kind.RECURRING_COMMAND: words,
        Kind.WORKFLOW_PATTERN: words.replace(" → ", KEY_SEPARATOR),
        Kind.PREFERENCE: f"{claim.triple.predicate.removeprefix(_SUBSTITUTION_PREDICATE)}{KEY_SEPARATOR}{words}",
    }.get(claim.kind)
    seen = HabitKey(claim.kind, key) if key else None
    return seen if seen and habit_claim(seen, claim.scope).id == claim.id else None


_SUBSTITUTION_PREDICATE = "uses instead of "
_ClaimParts = tuple[str, str, str, str]


def _directory_claim(key: str) -> _ClaimParts:
    return "user", "works in", key, f"often works in {key}"


def _command_claim(key: str) -> _ClaimParts:
    return "user", "runs", key, f"often runs `{key}`"


def _workflow_claim(key: str) -> _ClaimParts:
    steps = [f"`{family}`" for family in key.split(KEY_SEPARATOR)]
    return "user", "runs in order", key.replace(KEY_SEPARATOR, " → "), f"runs {', then '.join(steps)}"


def _substitution_claim(key: str) -> _ClaimParts:
    wrong, _, right = key.partition(KEY_SEPARATOR)
    return "user", f"{_SUBSTITUTION_PREDICATE}{wrong}", right, f"use `{right}` instead of `{wrong}`"


_CLAIM_BUILDERS = {
    Kind.PREFERRED_CWD: _directory_claim,
    Kind.RECURRING_COMMAND: _command_claim,
    Kind.WORKFLOW_PATTERN: _workflow_claim,
    Kind.PREFERENCE: _substitution_claim,
}


# From pairs and triples to the whole ritual: `a → b → c` and `b → c → d` are parts of `a → b → c → d`.
#
# Pairs and triples are what is counted (A3). A ritual is read from those counts and is as strong as its weakest
# triple, so it is the same however the history came in. It has at most seven steps, no step twice, and does not go on
# with a command that only looks at something. Rituals of one project share at most one step.

MAX_CHAIN_STEPS = 7
_MIN_FOLLOW_SHARE = 0.4  # of the times that two steps were run in order, so often the next one followed
_MAX_SHARED_STEPS = 1  # steps that two rituals of a project may share

Families = tuple[str, ...]


class SequenceCount(Record):
    """How often a sequence was seen in one project."""

    runs: int
    sessions: int
    last_event: str


class CommandChain(Record):
    """The steps of a ritual, and the counts of its weakest part."""

    families: Families
    counts: SequenceCount


def chain_sequences(
    sequences: Mapping[Families, SequenceCount], worth: Callable[[Families, SequenceCount], float]
) -> list[CommandChain]:
    """The rituals that the pairs and triples of one project chain into, the best first.

    `worth` ranks the sequences to begin with; those of no worth begin nothing.
    """
    weighed = sorted(((worth(one, count), one) for one, count in sequences.items()), key=lambda one: (-one[0], one[1]))
    found: list[CommandChain] = []
    for weight, seed in weighed:
        if weight > 0 and not any(overlaps(seed, one.families) for one in found):
            chained = _extend_chain(seed, sequences, [one.families for one in found])
            found.append(CommandChain(chained, weakest_count(chained, sequences)))
    return found


def overlaps(one: Iterable[str], other: Iterable[str]) -> bool:
    """Whether two rituals share more steps than two of one project may."""
    return len(set(one) & set(other)) > _MAX_SHARED_STEPS


def contains(longer: Families, part: Families) -> bool:
    """Whether a ritual is a real part of a longer one: the same steps in the same order, without a gap."""
    size = len(part)
    return size < len(longer) and any(longer[at : at + size] == part for at in range(len(longer) - size + 1))


def is_covered(families: Families, decided: Families) -> bool:
    """Whether a decision on one ritual is a decision on another: at least two thirds of its steps are the same."""
    return 3 * len(set(families) & set(decided)) >= 2 * len(families)


def weakest_count(families: Families, sequences: Mapping[Families, SequenceCount]) -> SequenceCount:
    """The counts of a ritual: in each respect those of its weakest part; nothing where a part was never seen."""
    counts = [sequences.get(part, SequenceCount(0, 0, "")) for part in chain_parts(families)]
    return SequenceCount(
        min(count.runs for count in counts),
        min(count.sessions for count in counts),
        min(count.last_event for count in counts),
    )


def chain_parts(families: Families) -> Sequence[Families]:
    """The triples that a ritual is made of; a pair or a triple is its own part."""
    length = min(len(families), 3)
    return [families[at : at + length] for at in range(len(families) - length + 1)]


def _extend_chain(seed: Families, sequences: Mapping[Families, SequenceCount], others: Sequence[Families]) -> Families:
    if len(seed) < 3:
        return seed
    chain = seed
    while len(chain) < MAX_CHAIN_STEPS:
        after = _likely_step(chain[-2:], sequences, lambda pair, step: (*pair, step))
        before = _likely_step(chain[:2], sequences, lambda pair, step: (step, *pair))
        longer = [
            grown
            for grown in ((*chain, after) if after else (), (before, *chain) if before else ())
            if grown and len(set(grown)) == len(grown) and not any(overlaps(grown, other) for other in others)
        ]
        if not longer:
            break
        chain = max(longer, key=lambda grown: (weakest_count(grown, sequences).runs, grown[: len(chain)] == chain))
    return chain


def _likely_step(
    pair: Families, sequences: Mapping[Families, SequenceCount], joined: Callable[[Families, str], Families]
) -> str:
    """The step that mostly comes behind two others, or before them; nothing where none does."""
    together = sequences.get(pair)
    steps = {family for one in sequences for family in one if len(one) == 3} - READ_ONLY_COMMANDS
    known = [(sequences[joined(pair, step)].runs, step) for step in steps if joined(pair, step) in sequences]
    if not known or together is None:
        return ""
    runs, step = min(known, key=lambda one: (-one[0], one[1]))
    return step if runs >= _MIN_FOLLOW_SHARE * together.runs else ""


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

_LOW_VALUE_GROUP = 2  # the group of what is everybody's, told already, or a coincidence
MAX_PENDING_HABITS = 5  # new cards at a time; whoever gets more reads none
IDLE_DAYS = 60  # what was not done for so long may be over
_DAY_MILLISECONDS = 24 * 60 * 60 * 1000  # milliseconds
_MIN_PMI = 0.15
_MIN_VISIT_SHARE = (
    0.2  # of the sessions in its parent: a directory that is visited in fewer tells little beyond the parent
)
_COVERED_SHARE = 0.1  # of its runs: a command that runs so often as part of a ritual is told by that
_MIN_SEQUENCE_SHARE = 0.2  # of the runs of its rarest step: a sequence that is seen in fewer is a coincidence
_LOCAL_NAME_BOOST = 1.5  # a script, target or host that somebody named: it exists here and nowhere else
# The order in which kinds take turns.
_KIND_ORDER = (Kind.WORKFLOW_PATTERN, Kind.RECURRING_COMMAND, Kind.PREFERRED_CWD, Kind.PREFERENCE)
# Programs whose next word somebody here has named: `make deploy`, `npm run e2e`, `ssh build-1`.
_TARGET_PROGRAMS = frozenset(
    "make just task rake npm pnpm yarn bun mise invoke nox tox hatch pdm poetry ssh mosh".split()
)


class CommandFrequency(Record):
    """How often commands were run, to tell habit from chance: all together, and one family."""

    total_runs: int
    runs_of: Callable[[str], int]


def rank_habits(tallies: Iterable[HabitTally], odds: CommandFrequency, now: int = 0) -> list[HabitTally]:
    """The habits worth showing, the most telling group first.

    In a group each habit is compared with the best of its kind, so that the best of each kind comes first; sequences,
    which tell more than single commands, with the root of that, so that a rare one is not far behind. `now`
    (milliseconds) tells which are idle; 0 leaves that open. What a sequence tells already, a command need not tell.
    """
    habits = [tally for tally in tallies if is_habit(tally)]
    around = _RankingContext(odds, now, habits)
    weighed = {tally: weight for tally in habits if (weight := around.score(tally)) > 0}
    ranked = _without_overlaps(sorted(weighed, key=lambda tally: (-weighed[tally], tally.habit.key)))
    groups = {tally: around.priority_group(tally) for tally in ranked}
    rituals = [tally for tally in ranked if tally.habit.kind is Kind.WORKFLOW_PATTERN and groups[tally] == 0]
    told: Counter[str] = Counter()
    for tally in rituals:
        told.update(dict.fromkeys(tally.habit.key.split(KEY_SEPARATOR), tally.runs))
    for tally in ranked:
        if tally.habit.kind is Kind.RECURRING_COMMAND and told[tally.habit.key] >= _COVERED_SHARE * tally.runs:
            groups[tally] = max(groups[tally], _LOW_VALUE_GROUP)
    best: dict[tuple[int, Kind], float] = {}
    for tally in ranked:
        place = groups[tally], tally.habit.kind
        best[place] = max(best.get(place, 0.0), weighed[tally])

    def order(tally: HabitTally) -> tuple[int, float, int, str]:
        number, kind = groups[tally], tally.habit.kind
        share = weighed[tally] / best[number, kind]
        return (
            number,
            -(sqrt(share) if kind is Kind.WORKFLOW_PATTERN else share),
            _KIND_ORDER.index(kind),
            tally.habit.key,
        )

    return sorted(ranked, key=order)


def priority_group(tally: HabitTally, now: int = 0) -> int:
    """Which group a habit belongs to: 0 telling, 1 without timestamps, 2 everybody's, 3 a single session or idle."""
    if tally.has_timestamps and (tally.sessions < 2 or is_idle(tally, now)):
        return 3
    if _is_common(tally):
        return _LOW_VALUE_GROUP
    return 0 if tally.has_timestamps else 1


def is_idle(tally: HabitTally, now: int) -> bool:
    return bool(now and tally.last_event) and _age_days(tally, now) >= IDLE_DAYS


def _age_days(tally: HabitTally, now: int) -> float:
    return (
        max(now - event_milliseconds(EventId(tally.last_event)), 0) / _DAY_MILLISECONDS
        if now and tally.last_event
        else 0.0
    )


def _is_common(tally: HabitTally) -> bool:
    """A sequence is when all its steps are, when it is one command of one's own among some that only look, or just one
    such command beside another: that is told by itself."""
    match tally.habit.kind:
        case Kind.RECURRING_COMMAND:
            return tally.habit.key in COMMON_COMMANDS
        case Kind.WORKFLOW_PATTERN:
            steps = tally.habit.key.split(KEY_SEPARATOR)
            own = [step for step in steps if step not in COMMON_COMMANDS]
            is_one = len(own) == 1 and (
                len(steps) == 2 or all(step in own or step in READ_ONLY_COMMANDS for step in steps)
            )
            return not own or is_one
        case Kind.PREFERRED_CWD:
            return is_generic_directory(tally.habit.key)
    return False


def _without_overlaps(ranked: Sequence[HabitTally]) -> list[HabitTally]:
    """A habit may show as many sequences that overlap, and so does one that goes round and round: of those that share
    more than one command in a project, the best."""
    kept: list[HabitTally] = []
    for one in ranked:
        if one.habit.kind is Kind.WORKFLOW_PATTERN and any(_is_overlapping(one, other) for other in kept):
            continue
        kept.append(one)
    return kept


def _is_overlapping(one: HabitTally, other: HabitTally) -> bool:
    return (
        other.habit.kind is Kind.WORKFLOW_PATTERN
        and (one.scope == other.scope or GLOBAL in (one.scope, other.scope))
        and overlaps(one.habit.key.split(KEY_SEPARATOR), other.habit.key.split(KEY_SEPARATOR))
    )


class _RankingContext:
    """What a habit is compared with: chance, the time of now, and the other habits."""

    def __init__(self, odds: CommandFrequency, now: int, habits: Sequence[HabitTally]) -> None:
        self._frequency = odds
        self._now = now
        of_kind = {kind: [tally for tally in habits if tally.habit.kind is kind] for kind in _KIND_ORDER}
        self._directory_sessions = {tally.habit.key: tally.sessions for tally in of_kind[Kind.PREFERRED_CWD]}
        self._by_letters = {
            _sorted_letters(tally.habit.key): tally for tally in sorted(of_kind[Kind.RECURRING_COMMAND], key=_run_count)
        }

    def score(self, tally: HabitTally) -> float:
        """How telling it is; less for what was not done lately."""
        return score_habit(tally, self._frequency) / (1 + _age_days(tally, self._now) / IDLE_DAYS)

    def priority_group(self, tally: HabitTally) -> int:
        """As `group`; a directory that is seldom left its parent for, a mistyped command, and commands that follow each
        other now and then, tell nothing either."""
        is_lesser = self._is_seldom_visited(tally) or self._is_mistyped(tally) or self._is_coincidence(tally)
        return max(priority_group(tally, self._now), _LOW_VALUE_GROUP if is_lesser else 0)

    def _is_seldom_visited(self, tally: HabitTally) -> bool:
        return tally.habit.kind is Kind.PREFERRED_CWD and any(
            tally.habit.key.startswith(f"{parent}/") and tally.sessions < _MIN_VISIT_SHARE * sessions
            for parent, sessions in self._directory_sessions.items()
        )

    def _is_coincidence(self, tally: HabitTally) -> bool:
        if tally.habit.kind is not Kind.WORKFLOW_PATTERN:
            return False
        return tally.runs < _MIN_SEQUENCE_SHARE * min(
            self._frequency.runs_of(step) for step in tally.habit.key.split(KEY_SEPARATOR)
        )

    def _is_mistyped(self, tally: HabitTally) -> bool:
        """Whether it has the letters of a command that is run more often, in another order: `git sttaus`."""
        if tally.habit.kind is not Kind.RECURRING_COMMAND:
            return False
        most = self._by_letters[_sorted_letters(tally.habit.key)]
        return most.habit.key != tally.habit.key and most.runs > tally.runs


def _sorted_letters(text: str) -> str:
    return "".join(sorted(text))


def _run_count(tally: HabitTally) -> int:
    return tally.runs


def score_habit(tally: HabitTally, odds: CommandFrequency) -> float:
    """How telling a habit is, without its age; nought for what should not be shown."""
    often = log(1 + tally.runs) * log(1 + tally.sessions)
    match tally.habit.kind:
        case Kind.WORKFLOW_PATTERN:
            lift = normalized_pmi(tally, odds)
            return lift * often * _uncommon_step_weight(tally.habit.key) if lift >= _MIN_PMI else 0.0
        case Kind.RECURRING_COMMAND:
            return often * (
                _LOCAL_NAME_BOOST if _is_local_name(tally.habit.key) or is_project_scope(tally.scope) else 1.0
            )
        case Kind.PREFERENCE:
            return confidence(tally) if _is_real_substitution(tally, odds) else 0.0
    return often


def _uncommon_step_weight(key: str) -> float:
    """From a quarter, when every step is everybody's, to one for each step that is not, beyond three steps more."""
    steps = key.split(KEY_SEPARATOR)
    own = sum(step not in COMMON_COMMANDS for step in steps)
    return (0.25 + 0.75 * own / len(steps)) * max(len(steps), 3) / 3


def _is_local_name(family: str) -> bool:
    first, _, rest = family.partition(" ")
    return first.startswith(("./", "../", "scripts/", "bin/")) or (first in _TARGET_PROGRAMS and bool(rest))


def normalized_pmi(tally: HabitTally, odds: CommandFrequency) -> float:
    """Normalised pointwise mutual information of a sequence, by the counts of its commands."""
    steps = tally.habit.key.split(KEY_SEPARATOR)
    if tally.runs >= odds.total_runs:
        return 0.0
    together = log(tally.runs / odds.total_runs)
    apart = sum(log(max(odds.runs_of(step), tally.runs) / odds.total_runs) for step in steps)
    return (together - apart) / (-(len(steps) - 1) * together)


def _is_real_substitution(tally: HabitTally, odds: CommandFrequency) -> bool:
    """Whether the one is really given up for the other: what works as often as it fails is not."""
    wrong, right = (parse_commands(text) for text in tally.habit.key.split(KEY_SEPARATOR))
    if not wrong or not right or wrong[0].family == right[0].family:
        return True
    return odds.runs_of(wrong[0].family) <= tally.runs
