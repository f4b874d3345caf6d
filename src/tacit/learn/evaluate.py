"""How well memory is maintained (S11): measures with reasons, duplicates, repeated candidates and stale memories."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from types import MappingProxyType

from tacit.contradiction.profile import is_restatement
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
        alike = (other for other in distinct if other.claim.scope == memory.claim.scope and other.kind is memory.kind)
        sentence = memory.claim.sentence
        into = next((other for other in alike if is_restatement(other.claim.sentence, sentence)), None)
        if into is None:
            distinct.append(memory)
        else:
            yield DuplicatePair(memory, into)


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


# Measures, from 0 to 2 points with a reason (S11), and the candidate that is noted if one is weak

_ADVICE = {
    "evidence coverage": "Give evidence with every memory, so that its reason can be checked",
    "worklog traceability": "Name the task and the evidence in every worklog entry",
    "candidate backlog": "Decide on waiting candidates with tacit review before adding more",
    "staleness": "Confirm or forget memories that nobody has asserted for months",
    "conflicts": "Decide memories that contradict each other with tacit conflicts",
    "recall": "Remember the answers to questions that recall could not answer",
    "injection size": "Keep memories short, so that a brief stays small",
}


def evaluate(history: EvaluationInput) -> EvaluationCreated:
    """Return the score of every measure."""
    return EvaluationCreated(history.today.isoformat(), tuple(_scores(history)))


def advice_for(evaluation: EvaluationCreated) -> list[EvaluationScore]:
    """Return, for each weak measure, its score with the advice as its name."""
    return [EvaluationScore(_ADVICE[score.name], 0, score.reason) for score in evaluation.scores if score.points == 0]


def _scores(history: EvaluationInput) -> Iterator[EvaluationScore]:
    """Yield the score of every measure: 1 point where there is nothing to measure yet."""
    live = [memory for memory in history.memories if memory.is_live]
    count = sum(1 for memory in live if memory.evidence)
    reason = f"{count} of {len(live)} memories have evidence" if live else "nothing is remembered yet"
    yield EvaluationScore("evidence coverage", _points(count / len(live), 0.9, 0.6) if live else 1, reason)

    total, count = len(history.worklog), sum(1 for entry in history.worklog if entry.task and entry.evidence)
    reason = f"{count} of {total} worklog entries name a task and evidence" if total else "the worklog is empty"
    yield EvaluationScore("worklog traceability", _points(count / total, 0.9, 0.6) if total else 1, reason)

    pending = history.count(Status.PENDING)
    reason = f"{pending} candidates wait for a decision"
    yield EvaluationScore("candidate backlog", _points(-pending, -5, -20), reason)

    active, stale = history.count(Status.ACTIVE), sum(1 for _ in stale_memories(history))
    reason = f"{stale} of {active} active memories were not confirmed for long"
    yield EvaluationScore("staleness", _points(-stale / max(active, 1), -0.1, -0.3), reason)

    reason = f"{history.open_conflicts} contradictions are open"
    yield EvaluationScore("conflicts", _points(-history.open_conflicts, 0, -1), reason)

    asked, missed = history.counters.get("asked", 0), history.counters.get("missed", 0)
    reason = f"{asked - missed} of {asked} questions found something" if asked else "nobody has asked anything yet"
    yield EvaluationScore("recall", _points(-missed / asked, -0.2, -0.5) if asked else 1, reason)

    briefs = history.counters.get("briefs", 0)
    mean = history.counters.get("tokens", 0) // max(briefs, 1)
    reason = (
        f"a brief costs {mean} tokens on average, over {briefs} briefs" if briefs else "no brief was handed out yet"
    )
    yield EvaluationScore("injection size", _points(-mean, -600, -1200) if briefs else 1, reason)


def _points(value: float, good: float, fair: float) -> int:
    """Return 2, 1 or 0 points; higher values are better."""
    return 2 if value >= good else 1 if value >= fair else 0
