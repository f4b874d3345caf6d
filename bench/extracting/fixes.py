"""Fixes found in transcripts, against failures that a person labelled, counted by distinct facts.

A label says whether the mending of a failure is worth remembering; several failures may show one fact. Every repository
is a fold: it is measured with a ranker that was trained without it. Transcripts are read as the product reads them,
with the same limits, and in the order of their names, so that a later session can confirm an earlier one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.extracting.labelled_failures import (
    Failure,
    labelled_failures,
    labels_by_transcript,
    repository_of,
    session_events,
    transcript_folder,
)
from bench.figures import Figure, against_target, table
from bench.train_fixes import fold_rankers
from tacit.learn import Lesson, SessionEvent
from tacit.learn.fixes import Ranker, confirmed_fixes, find_fixes, fix_candidates, fix_keys


@dataclass
class Score:
    """Distinct facts: labelled, among the candidates, learned; and learned sentences that are wrong."""

    failures: int = 0
    facts: set[str] = field(default_factory=set)
    candidates: int = 0
    proposed: set[str] = field(default_factory=set)
    right_retry: set[str] = field(default_factory=set)
    learned: set[str] = field(default_factory=set)
    wrong: set[str] = field(default_factory=set)
    listed: list[str] = field(default_factory=list)

    def __add__(self, other: Score) -> Score:
        return Score(
            self.failures + other.failures,
            self.facts | other.facts,
            self.candidates + other.candidates,
            self.proposed | other.proposed,
            self.right_retry | other.right_retry,
            self.learned | other.learned,
            self.wrong | other.wrong,
            self.listed + other.listed,
        )

    @property
    def precision(self) -> float:
        reported = len(self.learned) + len(self.wrong)
        return len(self.learned) / reported if reported else 1.0

    @property
    def recall(self) -> float:
        return len(self.learned) / len(self.facts) if self.facts else 1.0

    @property
    def candidate_recall(self) -> float:
        return len(self.proposed) / len(self.facts) if self.facts else 1.0

    @property
    def right_success(self) -> float:
        return len(self.right_retry) / len(self.proposed) if self.proposed else 1.0

    @property
    def false_per_100(self) -> float:
        return 100 * len(self.wrong) / self.failures if self.failures else 0.0


def measure(path: Path) -> dict[str, Score]:
    """Return the score of each repository, by a ranker that has not seen it."""
    failures = list(labelled_failures(path))
    rankers = fold_rankers(failures)
    scores = {repository: Score() for repository in sorted({failure.repository for failure in failures})}
    earlier: dict[str, set[str]] = {}
    for transcript, _ in labels_by_transcript(path):
        repository = repository_of(transcript)
        events = session_events(transcript_folder(path) / transcript)
        rows = [failure for failure in failures if failure.transcript == transcript]
        keys = earlier.setdefault(repository, set())
        scores[repository] += _session_score(events, rows, rankers[repository], keys)
        keys |= fix_keys(find_fixes(events, rankers[repository]))
    return scores


def _session_score(events: Sequence[SessionEvent], rows: Sequence[Failure], ranker: Ranker, earlier: set[str]) -> Score:
    by_id = {row.event_id: row for row in rows}
    score = Score(sum(bool(row.success or row.pair) for row in rows), {_fact(row) for row in rows if row.is_durable})
    candidates = fix_candidates(events, ranker)
    score.candidates = len(candidates)
    for candidate in candidates:
        durable = [by_id[event] for event in candidate.evidence if event in by_id and by_id[event].is_durable]
        score.proposed |= {_fact(row) for row in durable}
        score.right_retry |= {_fact(row) for row in durable if row.success == candidate.evidence[-1]}
        mark = "CAND   " if durable else "cand   "
        score.listed.append(
            f"{mark} {candidate.score:.2f} {candidate.failed!r} → {candidate.error!r} → {candidate.retry!r}"
        )
    for lesson in confirmed_fixes(find_fixes(events, ranker), earlier):
        durable = [by_id[event] for event in lesson.evidence if event in by_id and by_id[event].is_durable]
        score.learned |= {_fact(row) for row in durable}
        score.wrong |= set() if durable else {lesson.sentence}
        score.listed.append(f"{'RIGHT' if durable else 'WRONG'}   {_shown(lesson)}")
    missed = {_fact(row): row.error for row in rows if row.is_durable and _fact(row) not in score.proposed}
    score.listed += [f"MISSED  {error}" for error in missed.values()]
    return score


def _fact(row: Failure) -> str:
    return f"{row.repository}: {row.fact}"


def _shown(lesson: Lesson) -> str:
    return f"{lesson.confidence:.2f} {lesson.sentence}"


# --- shown ---------------------------------------------------------------------------------------------------------


def shown(measured: dict[str, Score], *, as_json: bool = False, listed: bool = False) -> Iterator[str]:
    whole = sum(measured.values(), Score())
    if as_json:
        yield json.dumps({**_object(whole), "folds": {name: _object(score) for name, score in measured.items()}})
        return
    yield from table(_figures(whole))
    yield ""
    yield from _by_repository({**measured, "all": whole})
    if listed:
        yield from whole.listed


def _object(score: Score) -> dict[str, float]:
    return {
        "failures": score.failures,
        "durable": len(score.facts),
        "candidates": score.candidates,
        "candidate_recall": round(score.candidate_recall, 4),
        "reported": len(score.learned) + len(score.wrong),
        "precision": round(score.precision, 4),
        "recall": round(score.recall, 4),
        "right_success": round(score.right_success, 4),
        "false_per_100": round(score.false_per_100, 4),
        "kind_accuracy": 1.0,  # there is one kind
    }


def _figures(score: Score) -> Iterator[Figure]:
    facts, reported = len(score.facts), len(score.learned) + len(score.wrong)
    yield against_target("fixes: recall of candidates", score.candidate_recall, note=f"{facts} facts")
    yield against_target("fixes: precision without a judge", score.precision, note=f"{reported} suggested")


def _by_repository(scores: dict[str, Score]) -> Iterator[str]:
    head = "held out,failures,facts,candidates,candidate recall,right retry,learned,wrong,precision,recall".split(",")
    yield f"| {' | '.join(head)} |"
    yield "|---" * len(head) + "|"
    for name, score in scores.items():
        yield (
            f"| {name} | {score.failures} | {len(score.facts)} | {score.candidates} | {score.candidate_recall:.2f} "
            f"| {score.right_success:.2f} | {len(score.learned)} | {len(score.wrong)} | {score.precision:.2f} "
            f"| {score.recall:.2f} |"
        )
