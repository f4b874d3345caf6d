"""How well memory is maintained (S11): measures with reasons, duplicates, repeated candidates and stale memories."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from types import MappingProxyType

from tacit.contradiction.restatement import is_restatement
from tacit.model.claim import Status
from tacit.model.decide import suggest
from tacit.model.event import Draft
from tacit.model.memory import Memory
from tacit.model.observation import EvaluationCreated, EvaluationScore, WorkLogged
from tacit.record import Record

_MAX_COMPARED = 300  # candidates that are compared with each other
MIN_REPEATS = 2  # S9: --min-count
STALE_AFTER = timedelta(days=90)


class EvaluationInput(Record):
    """Everything remembered and logged, seen from one day."""

    today: date
    memories: tuple[Memory, ...] = ()
    worklog: tuple[WorkLogged, ...] = ()
    open_conflicts: int = 0
    counters: Mapping[str, int] = MappingProxyType({})

    def count(self, status: Status) -> int:
        return sum(memory.status is status for memory in self.memories)


class DuplicatePair(Record):
    """A candidate, and the one that it is merged into."""

    memory: Memory
    into: Memory


def find_duplicates(memories: Sequence[Memory]) -> Iterator[DuplicatePair]:
    """Yield candidates that say the same in other words (C7); the weaker is merged into the stronger.

    Only candidates are compared: what a person accepted or dismissed is theirs. A candidate is merged into one other at
    most, and that one is not merged itself.
    """
    pending = [memory for memory in memories if memory.status is Status.PENDING]
    pending.sort(key=lambda memory: (-memory.strength, memory.id))
    distinct: list[Memory] = []
    for memory in pending[:_MAX_COMPARED]:
        into = next((other for other in distinct if _is_duplicate(other, memory)), None)
        if into is None:
            distinct.append(memory)
        else:
            yield DuplicatePair(memory, into)


def _is_duplicate(first: Memory, second: Memory) -> bool:
    is_comparable = first.claim.scope == second.claim.scope and first.kind is second.kind
    return is_comparable and is_restatement(first.claim.sentence, second.claim.sentence)


def repeated_candidates(history: EvaluationInput, *, min_count: int = MIN_REPEATS) -> Iterator[Memory]:
    """Yield candidates that were observed so often that they are worth promoting (C8), unless that was suggested."""
    for memory in sorted(history.memories, key=lambda memory: memory.id):
        if memory.status is Status.PENDING and memory.strength >= min_count and not memory.suggested:
            yield memory


def suggestion_draft(memory: Memory) -> Draft:
    reason = f"observed {memory.strength} times in {len(memory.sessions)} sessions"
    return suggest(memory, source="repeats", reason=reason, evidence="")


def stale_memories(history: EvaluationInput) -> Iterator[Memory]:
    """Yield active memories that were not asserted for a long time, oldest first. The time grows with the strength."""
    active = (memory for memory in history.memories if memory.status is Status.ACTIVE)
    for memory in sorted(active, key=lambda memory: (memory.day, memory.id)):
        if history.today - memory.day > STALE_AFTER * max(memory.strength, 1):
            yield memory


# Measures: one function each, from 0 to 2 points with a reason (S11)


class EvaluationMeasure(Record):
    """A measure, and the candidate that is noted if it is weak."""

    name: str
    score: Callable[[EvaluationInput], tuple[int, str]]
    advice: str


def evaluate(history: EvaluationInput) -> EvaluationCreated:
    """Return the score of every measure."""
    scores = (EvaluationScore(measure.name, *measure.score(history)) for measure in MEASURES)
    return EvaluationCreated(history.today.isoformat(), tuple(scores))


def advice_for(evaluation: EvaluationCreated) -> list[EvaluationScore]:
    """Return, for each weak measure, its score with the advice as its name."""
    advice = {measure.name: measure.advice for measure in MEASURES}
    return [EvaluationScore(advice[score.name], 0, score.reason) for score in evaluation.scores if score.points == 0]


def _points(value: float, good: float, fair: float) -> int:
    """Return 2, 1 or 0 points; higher values are better."""
    return 2 if value >= good else 1 if value >= fair else 0


def _score_evidence(history: EvaluationInput) -> tuple[int, str]:
    live = [memory for memory in history.memories if memory.is_live]
    if not live:
        return 1, "nothing is remembered yet"
    count = sum(1 for memory in live if memory.evidence)
    return _points(count / len(live), 0.9, 0.6), f"{count} of {len(live)} memories have evidence"


def _score_traceability(history: EvaluationInput) -> tuple[int, str]:
    total = len(history.worklog)
    if not total:
        return 1, "the worklog is empty"
    count = sum(1 for entry in history.worklog if entry.task and entry.evidence)
    return _points(count / total, 0.9, 0.6), f"{count} of {total} worklog entries name a task and evidence"


def _score_backlog(history: EvaluationInput) -> tuple[int, str]:
    pending = history.count(Status.PENDING)
    return _points(-pending, -5, -20), f"{pending} candidates wait for a decision"


def _score_staleness(history: EvaluationInput) -> tuple[int, str]:
    active, stale = history.count(Status.ACTIVE), sum(1 for _ in stale_memories(history))
    reason = f"{stale} of {active} active memories were not confirmed for long"
    return _points(-stale / max(active, 1), -0.1, -0.3), reason


def _score_conflicts(history: EvaluationInput) -> tuple[int, str]:
    return _points(-history.open_conflicts, 0, -2), f"{history.open_conflicts} memories are in an open conflict"


def _score_recall(history: EvaluationInput) -> tuple[int, str]:
    asked, missed = history.counters.get("asked", 0), history.counters.get("missed", 0)
    if not asked:
        return 1, "nobody has asked anything yet"
    return _points(-missed / asked, -0.2, -0.5), f"{asked - missed} of {asked} questions found something"


def _score_injection(history: EvaluationInput) -> tuple[int, str]:
    briefs, tokens = history.counters.get("briefs", 0), history.counters.get("tokens", 0)
    if not briefs:
        return 1, "no brief was handed out yet"
    mean = tokens // briefs
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
