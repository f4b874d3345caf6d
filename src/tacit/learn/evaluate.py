"""How well memory is kept (S11): measures with reasons, duplicates, repeated and stale candidates."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta

from tacit.learn.types import EvaluationInput
from tacit.model.claim import Status
from tacit.model.decide import suggest
from tacit.model.event import Draft
from tacit.model.memory import Memory
from tacit.model.observation import EvaluationCreated, EvaluationScore
from tacit.model.relation import is_restatement
from tacit.record import Record

# Candidates that say the same in other words are one (C7): the weaker joins the stronger.
#
# Only among what nobody has decided on yet; what a person accepted or turned down is theirs.

_MAX_COMPARED = 300  # candidates that are compared with each other


class DuplicatePair(Record):
    """A candidate, and the one that it joins."""

    memory: Memory
    into: Memory


def find_duplicates(memories: Sequence[Memory]) -> Iterator[DuplicatePair]:
    """Each candidate joins one other at most, and nobody joins one that has gone."""
    waiting = [memory for memory in memories if memory.status is Status.PENDING]
    waiting.sort(key=lambda memory: (-memory.strength, memory.id))
    standing: list[Memory] = []
    for memory in waiting[:_MAX_COMPARED]:
        into = next((one for one in standing if _is_duplicate(one, memory)), None)
        if into is None:
            standing.append(memory)
        else:
            yield DuplicatePair(memory, into)


def _is_duplicate(one: Memory, other: Memory) -> bool:
    return (
        one.claim.scope == other.claim.scope
        and one.kind is other.kind
        and is_restatement(one.claim.sentence, other.claim.sentence)
    )


# A candidate that was observed again and again is worth promoting (C8).
#
# Said once for each: a pattern that was promoted, dismissed or suggested before is not said again.

MIN_REPEATS = 2  # S9: --min-count


def repeated_candidates(history: EvaluationInput, *, least: int = MIN_REPEATS) -> Iterator[Memory]:
    for memory in sorted(history.memories, key=lambda memory: memory.id):
        if memory.status is Status.PENDING and memory.strength >= least and not memory.suggested:
            yield memory


def suggestion_draft(memory: Memory) -> Draft:
    reason = f"observed {memory.strength} times in {len(memory.sessions)} sessions"
    return suggest(memory, source="repeats", reason=reason, evidence="")


# Active memories that nobody has asserted for a long time.

STALE_AFTER = timedelta(days=90)


def stale_memories(history: EvaluationInput) -> Iterator[Memory]:
    """Oldest first. What was said more than once is not doubted so soon."""
    active = (memory for memory in history.memories if memory.status is Status.ACTIVE)
    for memory in sorted(active, key=lambda memory: (memory.day, memory.id)):
        if history.today - memory.day > STALE_AFTER * max(memory.strength, 1):
            yield memory


# How well memory is kept: one measure a function, 0 to 2 points with a reason (S11).


class EvaluationMeasure(Record):
    """A measure, and the candidate that is noted when it is weak."""

    name: str
    score: Callable[[EvaluationInput], tuple[int, str]]
    advice: str


def evaluate(history: EvaluationInput) -> EvaluationCreated:
    scores = (EvaluationScore(measure.name, *measure.score(history)) for measure in MEASURES)
    return EvaluationCreated(history.today.isoformat(), tuple(scores))


def advice_for(evaluated: EvaluationCreated) -> list[EvaluationScore]:
    """For each weak measure, what to do about it: the score with the advice as its name."""
    by_name = {measure.name: measure.advice for measure in MEASURES}
    return [EvaluationScore(by_name[score.name], 0, score.reason) for score in evaluated.scores if score.points == 0]


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 1.0


def _points(value: float, good: float, fair: float) -> int:
    """Higher is better."""
    return 2 if value >= good else 1 if value >= fair else 0


def _score_evidence(history: EvaluationInput) -> tuple[int, str]:
    live = [memory for memory in history.memories if memory.is_live]
    if not live:
        return 1, "nothing is remembered yet"
    given = sum(1 for memory in live if memory.evidence)
    return _points(_ratio(given, len(live)), 0.9, 0.6), f"{given} of {len(live)} memories have evidence"


def _score_traceability(history: EvaluationInput) -> tuple[int, str]:
    if not history.worklog:
        return 1, "the worklog is empty"
    traced = sum(1 for entry in history.worklog if entry.task and entry.evidence)
    share = _ratio(traced, len(history.worklog))
    return _points(share, 0.9, 0.6), f"{traced} of {len(history.worklog)} worklog entries name a task and evidence"


def _score_backlog(history: EvaluationInput) -> tuple[int, str]:
    pending = sum(1 for memory in history.memories if memory.status is Status.PENDING)
    return _points(-pending, -5, -20), f"{pending} candidates wait for a decision"


def _score_staleness(history: EvaluationInput) -> tuple[int, str]:
    active = sum(1 for memory in history.memories if memory.status is Status.ACTIVE)
    old = sum(1 for _ in stale_memories(history))
    return _points(-old / max(active, 1), -0.1, -0.3), f"{old} of {active} active memories were not confirmed for long"


def _score_conflicts(history: EvaluationInput) -> tuple[int, str]:
    return _points(-history.open_conflicts, 0, -2), f"{history.open_conflicts} memories are in an undecided conflict"


def _score_recall(history: EvaluationInput) -> tuple[int, str]:
    asked, missed = history.counters.get("asked", 0), history.counters.get("missed", 0)
    if not asked:
        return 1, "nobody has asked anything yet"
    return _points(-_ratio(missed, asked), -0.2, -0.5), f"{asked - missed} of {asked} questions found something"


def _score_injection(history: EvaluationInput) -> tuple[int, str]:
    briefs, spent = history.counters.get("briefs", 0), history.counters.get("tokens", 0)
    if not briefs:
        return 1, "no brief was handed out yet"
    mean = spent // briefs
    return _points(-mean, -600, -1200), f"a brief costs {mean} tokens on average, over {briefs} briefs"


MEASURES = (
    EvaluationMeasure(
        "evidence coverage", _score_evidence, "Give evidence with every memory, so that its reason can be checked"
    ),
    EvaluationMeasure(
        "worklog traceability", _score_traceability, "Name the task and the evidence in every worklog entry"
    ),
    EvaluationMeasure(
        "candidate backlog", _score_backlog, "Decide on waiting candidates with tacit review before adding more"
    ),
    EvaluationMeasure("staleness", _score_staleness, "Confirm or forget memories that nobody has asserted for months"),
    EvaluationMeasure("conflicts", _score_conflicts, "Decide memories that contradict each other with tacit conflicts"),
    EvaluationMeasure("recall", _score_recall, "Remember the answers to questions that recall could not answer"),
    EvaluationMeasure("injection size", _score_injection, "Keep memories short, so that a brief stays small"),
)
