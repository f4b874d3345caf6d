"""A habit: when it was seen often enough, how sure it is, how telling it is, and sequences chained into rituals."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import log, sqrt

from tacit.commandline.names import parse_commands
from tacit.commandline.programs import program_tables
from tacit.learn.habits.corrections import KEY_SEPARATOR, is_misspelled, misspelled_name
from tacit.learn.habits.lines import is_momentary, line_weight
from tacit.model.claim import GLOBAL, MISSPELLED_TAG, Claim, Kind, Scope, Triple
from tacit.model.ids import EventId, event_milliseconds
from tacit.record import Record

LINE_COUNTER = "command_line"  # of lines whose arguments say something; other counters are called like their kind
Families = tuple[str, ...]
# Where everybody is at times and nobody works: the root, temporary folders, homes, folders of the system.
_GENERIC_DIRECTORY = re.compile(
    r"/?|/(?:private/)?(?:var/)?tmp(?:/.*)?|/root|/(?:home|Users)(?:/[^/]+)?(?:/(?:Downloads|Desktop|Documents|tmp))?"
    r"|/(?:etc|usr|opt|mnt|media|dev|proc|sys|bin|sbin|boot|lib|run)(?:/.*)?|/var(?:/(?:log|lib|run|cache|spool).*)?"
)


class HabitKey(Record):
    """What identifies a habit that can be a card. Of a recurring command the key is a line with its arguments."""

    kind: Kind
    key: str

    @property
    def counter(self) -> str:
        return LINE_COUNTER if self.kind is Kind.RECURRING_COMMAND else self.kind.label

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
    key, tags = habit.key, tuple[str, ...]()
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
            tags = (MISSPELLED_TAG,) if is_misspelled_habit(habit) else ()
    return Claim(habit.kind, scope, Triple("user", predicate, words), sentence, tags)


def is_misspelled_habit(habit: HabitKey) -> bool:
    """Return whether a habit is a word that the person misspells, which no agent does."""
    if habit.kind is not Kind.PREFERENCE:
        return False
    wrong, right = (step.split() for step in habit.steps)
    return is_misspelled(wrong[-1], right[-1])


def correcting_alias(habit: HabitKey) -> str:
    """Return the line for a shell that makes a misspelled program or command of git mean the right one, "" if none."""
    if not is_misspelled_habit(habit):
        return ""
    wrong, right = habit.steps
    if name := misspelled_name(habit.steps):
        return f"alias {wrong}='{name}'"
    words, right_words = wrong.split(), right.split()
    is_git = len(words) == 2 and words[0] == right_words[0] == "git"
    return f"git config --global alias.{words[1]} {right_words[1]}" if is_git else ""


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


# Which habits become cards, the most telling first (ADR 94). The thresholds (A1-A3) are only a floor: a card is a
# ritual, a command whose arguments say something, or a correction. Directories, and commands by themselves, are
# statistics.
#
# A habit is telling if it is of this person or project and not everybody's, was seen in many sessions and not long ago.
# A sequence is worth what it says beyond chance: two commands that are run all day follow each other all day. The
# measure is the normalised pointwise mutual information, 0 for chance and 1 for commands that never occur without each
# other.

MAX_PENDING_HABITS = 5  # new cards at a time; whoever gets more reads none
_MIN_CARD_SESSIONS = 3  # of a ritual, and of a line
_MIN_MISSPELLED_RUNS = 3  # of a typing error: everybody makes one twice
_MIN_UNTIMED_RUNS = 6  # of a line in a history without timestamps, whose sessions are unknown
_IDLE_DAYS = 60
_DAY_MILLISECONDS = 24 * 60 * 60 * 1000
_MIN_PMI = 0.15
_MIN_SEQUENCE_SHARE = 0.2  # of the runs of its rarest step: a sequence with fewer is a coincidence
_MIN_PAIR_SHARE, _MIN_PAIR_SESSIONS = 0.4, 5  # of two commands only, which follow each other easily
_MAX_LINE_WEIGHT = 4.0
_MAX_PROGRAM_LINES = 2  # cards at a time with lines of one program
_USUAL_SHARE = 10  # what is typed right is typed so many times more often than what is misspelled
# The order in which kinds take turns.
_KIND_ORDER = (Kind.WORKFLOW_PATTERN, Kind.RECURRING_COMMAND, Kind.PREFERENCE)


class CommandFrequency(Record):
    """How often commands were run, to tell habit from chance: all together, and one family."""

    total_runs: int
    runs_of: Callable[[str], int]


def can_be_card(habit: HabitKey) -> bool:
    """Return whether a habit like this becomes a card if it is seen often enough."""
    match habit.kind:
        case Kind.WORKFLOW_PATTERN:
            return True
        case Kind.PREFERENCE:
            return not is_misspelled_habit(habit) or bool(correcting_alias(habit))
        case Kind.RECURRING_COMMAND:
            return line_weight(habit.key) > 0
    return False


def is_card(tally: HabitTally) -> bool:
    """Return whether a habit was seen often enough for a card."""
    if not (is_habit(tally) and can_be_card(tally.habit)):
        return False
    is_pair = tally.habit.kind is Kind.WORKFLOW_PATTERN and len(tally.habit.steps) == 2
    if tally.habit.kind is Kind.PREFERENCE:
        return tally.runs >= _MIN_MISSPELLED_RUNS or not is_misspelled_habit(tally.habit)
    if tally.sessions >= (_MIN_PAIR_SESSIONS if is_pair else _MIN_CARD_SESSIONS):
        return True
    is_line = tally.habit.kind is Kind.RECURRING_COMMAND
    return is_line and not tally.has_timestamps and tally.runs >= _MIN_UNTIMED_RUNS


def rank_habits(tallies: Iterable[HabitTally], frequency: CommandFrequency, now: int = 0) -> list[HabitTally]:
    """Return the habits worth a card, the most telling first: those of priority group 0, then the others.

    In a group each habit is compared with the best of its kind, so that the best of each kind comes first. Of
    rituals that overlap, lines of one family and corrections to one word only the best is returned. `now`, in
    milliseconds, decides which are idle; with 0 none is.
    """
    scores = {
        tally: score_habit(tally, frequency) / (1 + _age_days(tally, now) / _IDLE_DAYS)
        for tally in tallies
        if is_card(tally)
    }
    ranked = sorted(
        (tally for tally, score in scores.items() if score > 0), key=lambda tally: (-scores[tally], tally.habit.key)
    )
    ranked = _without_repetitions(_without_overlaps(ranked))
    best: dict[tuple[int, Kind], float] = {}
    for tally in ranked:
        own = priority_group(tally, now), tally.habit.kind
        best[own] = max(best.get(own, 0.0), scores[tally])

    def order(tally: HabitTally) -> tuple[int, float, int, str]:
        group, kind = priority_group(tally, now), tally.habit.kind
        return group, -sqrt(scores[tally] / best[group, kind]), _KIND_ORDER.index(kind), tally.habit.key

    return sorted(ranked, key=order)


def priority_group(tally: HabitTally, now: int = 0) -> int:
    """Return the group of a habit: 0 telling, 1 without timestamps, 2 a ritual that everybody has, 3 idle."""
    if tally.has_timestamps and _age_days(tally, now) >= _IDLE_DAYS:
        return 3
    is_ritual = tally.habit.kind is Kind.WORKFLOW_PATTERN
    if is_ritual and program_tables().common.issuperset(tally.habit.steps):
        return 2
    return 0 if tally.has_timestamps else 1


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


def _without_repetitions(ranked: Sequence[HabitTally]) -> list[HabitTally]:
    """Return, of lines of one family and of corrections to one word, only the best; of one program, few lines."""
    seen: set[tuple[Kind, Scope, str]] = set()
    programs: Counter[tuple[Scope, str]] = Counter()
    chosen = []
    for tally in ranked:
        kind, name = tally.habit.kind, tally.habit.steps[-1]
        if kind is Kind.RECURRING_COMMAND:
            name = line_family(name)
            programs[tally.scope, name.split()[0]] += 1
            is_repeated = programs[tally.scope, name.split()[0]] > _MAX_PROGRAM_LINES
        else:
            is_repeated = False
        own = kind, tally.scope, name
        if kind is Kind.WORKFLOW_PATTERN or not (is_repeated or own in seen):
            chosen.append(tally)
        seen.add(own)
    return chosen


def line_family(line: str) -> str:
    """Return the family of a line of one command, "" if it has none."""
    commands = parse_commands(line)
    return commands[0].family if commands else ""


def score_habit(tally: HabitTally, frequency: CommandFrequency) -> float:
    """Return how telling a habit is, without its age; 0 for what should not be shown."""
    amount = log(1 + tally.runs) * log(1 + tally.sessions)
    match tally.habit.kind:
        case Kind.WORKFLOW_PATTERN:
            return amount * _ritual_weight(tally, frequency)
        case Kind.RECURRING_COMMAND:
            return amount * min(line_weight(tally.habit.key), _MAX_LINE_WEIGHT)
        case Kind.PREFERENCE:
            return confidence(tally) * log(1 + tally.runs) if _is_given_up(tally, frequency) else 0.0
    return 0.0


def _ritual_weight(tally: HabitTally, frequency: CommandFrequency) -> float:
    """Return what the order of some commands says; 0 for chance, and for one command among others that only look."""
    tables, steps = program_tables(), tally.habit.steps
    own = sum(step not in tables.common for step in steps)
    changing = sum(step not in tables.read_only for step in steps)
    share = tally.runs / max(min(map(frequency.runs_of, steps)), 1)
    is_coincidence = share < (_MIN_PAIR_SHARE if len(steps) == 2 else _MIN_SEQUENCE_SHARE)
    is_everybodys = changing < (2 if own else 3) or (len(steps) == 2 and not own)
    if is_coincidence or is_everybodys or any(map(is_momentary, steps)) or any(map(_is_same_again, steps, steps[1:])):
        return 0.0
    pmi = normalized_pmi(tally, frequency)
    # From a quarter, if every step is common, to 1 if none is; more with more steps
    weight = (0.25 + 0.75 * own / len(steps)) * len(steps) / 3
    return pmi * weight if pmi >= _MIN_PMI else 0.0


def _is_same_again(step: str, following: str) -> bool:
    """Return whether a step is the one before it, typed again: `conda` and `conda env`, `code.` and `code`."""
    first, second = (text.split()[-1].strip(".") for text in (step, following))
    return following.startswith(f"{step} ") or first == second or is_misspelled(first, second)


def _is_given_up(tally: HabitTally, frequency: CommandFrequency) -> bool:
    """Return whether what was corrected is not typed on purpose at other times."""
    wrong, right = map(parse_commands, tally.habit.steps)
    if not wrong or not right or wrong[0].family == right[0].family:
        return True
    count = frequency.runs_of(wrong[0].family)
    if not is_misspelled(wrong[0].words[-1], right[0].words[-1]):
        return count <= tally.runs
    return right[0].is_trivial or count * _USUAL_SHARE <= frequency.runs_of(right[0].family)


def normalized_pmi(tally: HabitTally, frequency: CommandFrequency) -> float:
    """Return the normalised pointwise mutual information of a sequence, by the counts of its commands."""
    if tally.runs >= frequency.total_runs:
        return 0.0
    steps = tally.habit.steps
    together = log(tally.runs / frequency.total_runs)
    apart = sum(log(max(frequency.runs_of(step), tally.runs) / frequency.total_runs) for step in steps)
    return (together - apart) / (-(len(steps) - 1) * together)
