"""A habit: when it was seen often enough, how sure it is, how telling it is, and sequences chained into rituals."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import log, sqrt

from tacit.commandline.names import parse_commands
from tacit.commandline.programs import program_tables
from tacit.model.claim import GLOBAL, Claim, Kind, Scope, Triple, is_project_scope
from tacit.model.ids import EventId, event_milliseconds
from tacit.record import Record

KEY_SEPARATOR = "\n"  # between the parts of a key; no part contains one
Families = tuple[str, ...]
# Where everybody is at times and nobody works: the root, temporary folders, homes, folders of the system.
_GENERIC_DIRECTORY = re.compile(
    r"/?|/(?:private/)?(?:var/)?tmp(?:/.*)?|/root|/(?:home|Users)(?:/[^/]+)?(?:/(?:Downloads|Desktop|Documents|tmp))?"
    r"|/(?:etc|usr|opt|mnt|media|dev|proc|sys|bin|sbin|boot|lib|run)(?:/.*)?|/var(?:/(?:log|lib|run|cache|spool).*)?"
)


class HabitKey(Record):
    """What identifies a habit."""

    kind: Kind
    key: str

    @property
    def steps(self) -> Families:
        """The families of a sequence in order; of another habit, its key alone."""
        return tuple(self.key.split(KEY_SEPARATOR))


class HabitTally(Record):
    """A habit and its counts.

    `last_event` is the event of the latest occurrence. `scope` is the project that the habit belongs to; then the
    counts are those of this project. `has_timestamps` is false if all occurrences come from histories without
    timestamps.
    """

    habit: HabitKey
    runs: int
    sessions: int
    last_event: str = ""
    scope: Scope = GLOBAL
    has_timestamps: bool = True


class HabitThreshold(Record):
    """From how many runs and sessions on it is a habit, and how its confidence grows from `base` to `cap`."""

    min_runs: int
    min_sessions: int
    base: float
    cap: float
    per_run: float
    per_session: float


# SPEC A1 to A3, and A10 for substitutions, which are filed as preferences.
HABIT_THRESHOLDS = {
    # min_runs, min_sessions, base, cap, per_run, per_session
    Kind.PREFERRED_CWD: HabitThreshold(5, 2, 0.70, 0.95, 0.01, 0.03),
    Kind.RECURRING_COMMAND: HabitThreshold(4, 1, 0.60, 0.90, 0.01, 0.04),
    Kind.WORKFLOW_PATTERN: HabitThreshold(3, 2, 0.65, 0.85, 0.01, 0.03),
    Kind.PREFERENCE: HabitThreshold(2, 1, 0.60, 0.85, 0.05, 0.05),
}


def is_habit(tally: HabitTally) -> bool:
    threshold = HABIT_THRESHOLDS[tally.habit.kind]
    return tally.runs >= threshold.min_runs and tally.sessions >= threshold.min_sessions


def confidence(tally: HabitTally) -> float:
    """Return `base + per_run * (runs - min_runs) + per_session * (sessions - min_sessions)`, at most `cap`."""
    scale = HABIT_THRESHOLDS[tally.habit.kind]
    grown = scale.per_run * (tally.runs - scale.min_runs) + scale.per_session * (tally.sessions - scale.min_sessions)
    return round(min(scale.cap, scale.base + grown), 2)


def is_generic_directory(path: str) -> bool:
    return _GENERIC_DIRECTORY.fullmatch(path.rstrip("/")) is not None


def is_related(first: Scope, second: Scope) -> bool:
    """Return whether what holds in one scope concerns the other."""
    return first == second or GLOBAL in (first, second)


# Claims

_SUBSTITUTION_PREDICATE = "uses instead of "


def habit_label(habit: HabitKey) -> str:
    """Return how a habit is called in lists."""
    return " → ".join(habit.steps)


def habit_claim(habit: HabitKey, scope: Scope = GLOBAL) -> Claim:
    """Return the claim that a habit makes about the person, or about the person in one project."""
    key = habit.key
    match habit.kind:
        case Kind.PREFERRED_CWD:
            predicate, words, sentence = "works in", key, f"often works in {key}"
        case Kind.RECURRING_COMMAND:
            predicate, words, sentence = "runs", key, f"often runs `{key}`"
        case Kind.WORKFLOW_PATTERN:
            steps = ", then ".join(f"`{family}`" for family in habit.steps)
            predicate, words, sentence = "runs in order", habit_label(habit), f"runs {steps}"
        case _:
            wrong, _, words = key.partition(KEY_SEPARATOR)
            predicate, sentence = f"{_SUBSTITUTION_PREDICATE}{wrong}", f"use `{words}` instead of `{wrong}`"
    return Claim(habit.kind, scope, Triple("user", predicate, words), sentence)


def habit_from_claim(claim: Claim) -> HabitKey | None:
    """Return the habit that a claim is about, None for any other claim."""
    key = claim.triple.object
    if claim.kind is Kind.WORKFLOW_PATTERN:
        key = key.replace(" → ", KEY_SEPARATOR)
    elif claim.kind is Kind.PREFERENCE:
        key = f"{claim.triple.predicate.removeprefix(_SUBSTITUTION_PREDICATE)}{KEY_SEPARATOR}{key}"
    if claim.kind not in HABIT_THRESHOLDS or not key:
        return None
    habit = HabitKey(claim.kind, key)
    return habit if habit_claim(habit, claim.scope).id == claim.id else None


# From pairs and triples to the whole ritual: `a → b → c` and `b → c → d` are parts of `a → b → c → d`.
#
# Pairs and triples are what is counted (A3). A ritual is derived from those counts and is as strong as its weakest
# triple, so it is the same in whatever order the history arrived. It has at most seven steps, no step twice, and does
# not continue with a command that only reads. Rituals of one project share at most one step.

MAX_CHAIN_STEPS = 7
_MIN_FOLLOW_SHARE = 0.4  # of the runs of two steps in order: so often the next one must have followed
_MAX_SHARED_STEPS = 1  # of two rituals of a project


class SequenceCount(Record):
    """How often a sequence was seen in one project."""

    runs: int
    sessions: int
    last_event: str


_NO_COUNT = SequenceCount(0, 0, "")


def chain_sequences(
    sequences: Mapping[Families, SequenceCount], scores: Mapping[Families, float]
) -> dict[Families, SequenceCount]:
    """Return the rituals that the pairs and triples of one project chain into, and their counts, the best first.

    `scores` rank the sequences to begin with; a ritual begins only with a score above 0.
    """
    chains: dict[Families, SequenceCount] = {}
    for seed in sorted(scores, key=lambda families: (-scores[families], families)):
        if scores[seed] > 0 and not any(overlaps(seed, chain) for chain in chains):
            families = _extend_chain(seed, sequences, list(chains))
            chains[families] = weakest_count(families, sequences)
    return chains


def overlaps(first: Iterable[str], second: Iterable[str]) -> bool:
    """Return whether two rituals share more steps than two of one project may."""
    return len(set(first) & set(second)) > _MAX_SHARED_STEPS


def contains(longer: Families, part: Families) -> bool:
    """Return whether a ritual is part of a longer one: the same steps in the same order, without a gap."""
    size = len(part)
    return size < len(longer) and any(longer[at : at + size] == part for at in range(len(longer) - size + 1))


def is_covered(families: Families, decided: Families) -> bool:
    """Return whether a decision on one ritual decides another: at least two thirds of its steps are the same."""
    return 3 * len(set(families) & set(decided)) >= 2 * len(families)


def weakest_count(families: Families, sequences: Mapping[Families, SequenceCount]) -> SequenceCount:
    """Return the counts of a ritual: the least of its parts, each; 0 if a part was never seen."""
    runs, sessions, last_events = zip(*(sequences.get(part, _NO_COUNT) for part in chain_parts(families)), strict=True)
    return SequenceCount(min(runs), min(sessions), min(last_events))


def chain_parts(families: Families) -> Sequence[Families]:
    """Return the triples that a ritual is made of; a pair or a triple is its own part."""
    length = min(len(families), 3)
    return [families[at : at + length] for at in range(len(families) - length + 1)]


def last_counted_key(habit: HabitKey) -> str:
    """Return the key under which the end of a habit was counted: of a ritual, its last triple."""
    is_ritual = habit.kind is Kind.WORKFLOW_PATTERN
    return KEY_SEPARATOR.join(chain_parts(habit.steps)[-1]) if is_ritual else habit.key


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
    pair: Families, sequences: Mapping[Families, SequenceCount], join: Callable[[Families, str], Families]
) -> str:
    """Return the step that mostly comes behind two others, or before them; "" if none does."""
    steps = {step for families in sequences for step in families if len(families) == 3} - program_tables().read_only
    known = [(-sequences[join(pair, step)].runs, step) for step in steps if join(pair, step) in sequences]
    if not known or pair not in sequences:
        return ""
    runs, step = min(known)
    return step if -runs >= _MIN_FOLLOW_SHARE * sequences[pair].runs else ""


# Which habits are worth a person's attention, the most telling first. The thresholds (A1-A3) are only a floor.
#
# A habit is telling if it is of this person or project and not everybody's, was seen in many sessions and not long ago.
# Four groups follow each other: telling habits; those of histories without timestamps; what everybody runs, what a
# ritual covers already and what is no more than a coincidence; what was seen in one session only, or not for 60 days.
#
# A sequence is worth what it says beyond chance: two commands that are run all day follow each other all day. The
# measure is the normalised pointwise mutual information, 0 for chance and 1 for commands that never occur without each
# other.

_LOW_VALUE_GROUP = 2
MAX_PENDING_HABITS = 5  # new cards at a time; whoever gets more reads none
_IDLE_DAYS = 60
_DAY_MILLISECONDS = 24 * 60 * 60 * 1000
_MIN_PMI = 0.15
_MIN_VISIT_SHARE = 0.2  # of the sessions in its parent: a directory with fewer adds little to the parent
_COVERED_SHARE = 0.1  # of its runs: a command that runs so often as part of a ritual is covered by it
_MIN_SEQUENCE_SHARE = 0.2  # of the runs of its rarest step: a sequence with fewer is a coincidence
_LOCAL_NAME_BOOST = 1.5  # a script, target or host that somebody named: it exists here and nowhere else
# The order in which kinds take turns.
_KIND_ORDER = (Kind.WORKFLOW_PATTERN, Kind.RECURRING_COMMAND, Kind.PREFERRED_CWD, Kind.PREFERENCE)
_LOCAL_PREFIXES = ("./", "../", "scripts/", "bin/")
# Programs whose next word somebody here has named: `make deploy`, `npm run e2e`, `ssh build-1`.
_TARGET_PROGRAMS = frozenset(
    "make just task rake npm pnpm yarn bun mise invoke nox tox hatch pdm poetry ssh mosh".split()
)


class CommandFrequency(Record):
    """How often commands were run, to tell habit from chance: all together, and one family."""

    total_runs: int
    runs_of: Callable[[str], int]


def rank_habits(tallies: Iterable[HabitTally], frequency: CommandFrequency, now: int = 0) -> list[HabitTally]:
    """Return the habits worth showing, the most telling group first.

    In a group each habit is compared with the best of its kind, so that the best of each kind comes first. Sequences
    are more telling than single commands: they are compared by the square root of their share, so that a rare one is
    not far behind. A command that a sequence covers is of low value. `now`, in milliseconds, decides which are idle;
    with 0 none is.
    """
    habits = [tally for tally in tallies if is_habit(tally)]
    scores = {tally: score_habit(tally, frequency) / (1 + _age_days(tally, now) / _IDLE_DAYS) for tally in habits}
    scores = {tally: score for tally, score in scores.items() if score > 0}
    ranked = _without_overlaps(sorted(scores, key=lambda tally: (-scores[tally], tally.habit.key)))
    low = _low_value(habits, frequency)
    groups = {tally: max(priority_group(tally, now), _LOW_VALUE_GROUP if tally in low else 0) for tally in ranked}
    covered_runs: Counter[str] = Counter()
    for tally in ranked:
        if tally.habit.kind is Kind.WORKFLOW_PATTERN and groups[tally] == 0:
            covered_runs.update(dict.fromkeys(tally.habit.steps, tally.runs))
    best: dict[tuple[int, Kind], float] = {}
    for tally in ranked:
        kind = tally.habit.kind
        if kind is Kind.RECURRING_COMMAND and covered_runs[tally.habit.key] >= _COVERED_SHARE * tally.runs:
            groups[tally] = max(groups[tally], _LOW_VALUE_GROUP)
        best[groups[tally], kind] = max(best.get((groups[tally], kind), 0.0), scores[tally])

    def order(tally: HabitTally) -> tuple[int, float, int, str]:
        group, kind = groups[tally], tally.habit.kind
        share = scores[tally] / best[group, kind]
        share = sqrt(share) if kind is Kind.WORKFLOW_PATTERN else share
        return group, -share, _KIND_ORDER.index(kind), tally.habit.key

    return sorted(ranked, key=order)


def priority_group(tally: HabitTally, now: int = 0) -> int:
    """Return the group of a habit: 0 telling, 1 without timestamps, 2 everybody's, 3 a single session or idle.

    A sequence is everybody's if all its steps are; if it is one command of one's own among others that only read; or if
    it is one such command beside another, because that command is a habit by itself.
    """
    if tally.has_timestamps and (tally.sessions < 2 or _age_days(tally, now) >= _IDLE_DAYS):
        return 3
    tables, is_common = program_tables(), False
    match tally.habit.kind:
        case Kind.RECURRING_COMMAND:
            is_common = tally.habit.key in tables.common
        case Kind.WORKFLOW_PATTERN:
            steps = tally.habit.steps
            own = [step for step in steps if step not in tables.common]
            is_alone = len(steps) == 2 or all(step in own or step in tables.read_only for step in steps)
            is_common = not own or (len(own) == 1 and is_alone)
        case Kind.PREFERRED_CWD:
            is_common = is_generic_directory(tally.habit.key)
    return _LOW_VALUE_GROUP if is_common else 0 if tally.has_timestamps else 1


def _age_days(tally: HabitTally, now: int) -> float:
    if not now or not tally.last_event:
        return 0.0
    return max(now - event_milliseconds(EventId(tally.last_event)), 0) / _DAY_MILLISECONDS


def _without_overlaps(ranked: Sequence[HabitTally]) -> list[HabitTally]:
    """Return, of sequences that share more than one command in a project, only the best.

    One habit may show as many sequences that overlap, and so does one that repeats in a circle.
    """
    chosen: list[HabitTally] = []
    sequences: list[HabitTally] = []
    for tally in ranked:
        if tally.habit.kind is Kind.WORKFLOW_PATTERN:
            related = (other.habit.steps for other in sequences if is_related(tally.scope, other.scope))
            if any(overlaps(tally.habit.steps, steps) for steps in related):
                continue
            sequences.append(tally)
        chosen.append(tally)
    return chosen


def _low_value(habits: Sequence[HabitTally], frequency: CommandFrequency) -> set[HabitTally]:
    """Return the habits that are of low value beside the others.

    They are directories that are seldom visited beside their parent, mistyped commands, and commands that follow each
    other only now and then.
    """
    visits = {tally.habit.key: tally.sessions for tally in habits if tally.habit.kind is Kind.PREFERRED_CWD}
    commands = [tally for tally in habits if tally.habit.kind is Kind.RECURRING_COMMAND]
    # Of commands with the same letters, as `git status` and `git sttaus`, the one that is run most often
    usual = {"".join(sorted(tally.habit.key)): tally for tally in sorted(commands, key=lambda tally: tally.runs)}
    low = set()
    for tally in habits:
        key, is_low = tally.habit.key, False
        match tally.habit.kind:
            case Kind.PREFERRED_CWD:
                is_low = any(
                    key.startswith(f"{parent}/") and tally.sessions < _MIN_VISIT_SHARE * sessions
                    for parent, sessions in visits.items()
                )
            case Kind.RECURRING_COMMAND:
                other = usual["".join(sorted(key))]
                is_low = other.habit.key != key and other.runs > tally.runs
            case Kind.WORKFLOW_PATTERN:
                is_low = tally.runs < _MIN_SEQUENCE_SHARE * min(map(frequency.runs_of, tally.habit.steps))
        if is_low:
            low.add(tally)
    return low


def score_habit(tally: HabitTally, frequency: CommandFrequency) -> float:
    """Return how telling a habit is, without its age; 0 for what should not be shown."""
    amount = log(1 + tally.runs) * log(1 + tally.sessions)
    match tally.habit.kind:
        case Kind.WORKFLOW_PATTERN:
            pmi, steps = normalized_pmi(tally, frequency), tally.habit.steps
            own = sum(step not in program_tables().common for step in steps)
            # From a quarter, if every step is common, to 1 if none is; more with more than three steps
            weight = (0.25 + 0.75 * own / len(steps)) * max(len(steps), 3) / 3
            return pmi * amount * weight if pmi >= _MIN_PMI else 0.0
        case Kind.RECURRING_COMMAND:
            program, _, rest = tally.habit.key.partition(" ")
            is_local = program.startswith(_LOCAL_PREFIXES) or (program in _TARGET_PROGRAMS and bool(rest))
            return amount * (_LOCAL_NAME_BOOST if is_local or is_project_scope(tally.scope) else 1.0)
        case Kind.PREFERENCE:
            # What works as often as it fails is not really given up for the other.
            wrong, right = map(parse_commands, tally.habit.steps)
            is_other = wrong and right and wrong[0].family != right[0].family
            return 0.0 if is_other and frequency.runs_of(wrong[0].family) > tally.runs else confidence(tally)
    return amount


def normalized_pmi(tally: HabitTally, frequency: CommandFrequency) -> float:
    """Return the normalised pointwise mutual information of a sequence, by the counts of its commands."""
    if tally.runs >= frequency.total_runs:
        return 0.0
    steps = tally.habit.steps
    together = log(tally.runs / frequency.total_runs)
    apart = sum(log(max(frequency.runs_of(step), tally.runs) / frequency.total_runs) for step in steps)
    return (together - apart) / (-(len(steps) - 1) * together)
