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
from typing import NamedTuple

from bench.extracting.rows import Row, rows_of
from bench.figures import Figure, table
from tacit.hosts.capture import HEAD_BYTES, detect_source
from tacit.hosts.records import CaptureLimits, ReadStats
from tacit.learn import Lesson, SessionEvent
from tacit.learn.fixes.pairs import Pair, find_pairs
from tacit.learn.fixes.pipeline import find_fixes, fix_candidates, fix_keys, learn_fixes
from tacit.learn.fixes.ranker import Ranker
from tacit.model.ids import EventId
from tacit.model.observation import SessionTitled

MIN_PRECISION, MIN_RECALL = 0.80, 0.75
_DURABLE = "resolved_durable"
_FOLDER = "transcripts"
_EVERYBODY_KNOWS = ("git_upstream",)  # categories that are labelled durable and must not be suggested


class Failure(NamedTuple):
    """A labelled failure, or one that has a candidate and no label."""

    repository: str
    transcript: str
    event_id: str
    is_durable: bool
    fact: str  # "" if it is not durable
    success: str
    error: str
    pair: Pair | None


def labelled_failures(path: Path) -> Iterator[Failure]:
    """Yield the labelled failures of a file and all other candidates of its transcripts. Unsure labels are left out."""
    for transcript, rows in _by_transcript(path):
        pairs = {pair.failure.event_id: pair for pair in find_pairs(session_events(_folder(path) / transcript))}
        for row in rows:
            pair = pairs.pop(EventId(row["failure_id"]), None)
            if not row.get("borderline"):
                yield _failure(transcript, row, pair)
        for event_id, pair in pairs.items():
            yield Failure(_repository(transcript), transcript, event_id, False, "", "", pair.error, pair)


def _failure(transcript: str, row: Row, pair: Pair | None) -> Failure:
    is_durable = row["verdict"] == _DURABLE and row["category"] not in _EVERYBODY_KNOWS
    fact = str(row["fix_key"]) if is_durable else ""
    return Failure(
        _repository(transcript),
        transcript,
        row["failure_id"],
        is_durable,
        fact,
        row["success_id"] or "",
        row["error"],
        pair,
    )


def session_events(transcript: Path) -> list[SessionEvent]:
    with open(transcript, "rb") as file:
        source = detect_source(str(transcript), file.read(HEAD_BYTES))
        file.seek(0)
        events = list(source.read(file, 0, CaptureLimits(), ReadStats())) if source else []
    # Where the id that a host gave to a call may be used elsewhere, the key has the session in front of it.
    named = ((EventId(event.key.removeprefix(f"{event.session}/")), event.body) for event in events)
    return [SessionEvent(event_id, body) for event_id, body in named if not isinstance(body, SessionTitled)]


def _by_transcript(path: Path) -> list[tuple[str, list[Row]]]:
    labels: dict[str, list[Row]] = {}
    for row in rows_of(path):
        labels.setdefault(row["transcript"], []).append(row)
    return sorted(labels.items())


def _folder(path: Path) -> Path:
    """The transcripts lie in a folder beside the labels or one up."""
    near = (folder / _FOLDER for folder in path.resolve().parents[:2])
    return next((folder for folder in near if folder.is_dir()), path.resolve().parent)


def _repository(transcript: str) -> str:
    parts = transcript.split("/")
    return parts[1] if len(parts) > 2 else parts[0]


# --- measured ------------------------------------------------------------------------------------------------------


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
    from bench.train_fixes import fold_rankers

    failures = list(labelled_failures(path))
    rankers = fold_rankers(failures)
    scores = {repository: Score() for repository in sorted({failure.repository for failure in failures})}
    earlier: dict[str, set[str]] = {}
    for transcript, _ in _by_transcript(path):
        repository = _repository(transcript)
        events = session_events(_folder(path) / transcript)
        rows = [failure for failure in failures if failure.transcript == transcript]
        keys = earlier.setdefault(repository, set())
        scores[repository] += _session_score(events, rows, rankers[repository], keys)
        keys |= fix_keys(find_fixes(events, rankers[repository]))
    return scores


def _session_score(events: Sequence[SessionEvent], rows: Sequence[Failure], ranker: Ranker, earlier: set[str]) -> Score:
    by_id = {row.event_id: row for row in rows}
    score = Score(sum(bool(row.success or row.pair) for row in rows), {_fact(row) for row in rows if row.is_durable})
    candidates = fix_candidates(events, ranker=ranker)
    score.candidates = len(candidates)
    for candidate in candidates:
        durable = [by_id[event] for event in candidate.evidence if event in by_id and by_id[event].is_durable]
        score.proposed |= {_fact(row) for row in durable}
        score.right_retry |= {_fact(row) for row in durable if row.success == candidate.evidence[-1]}
        mark = "CAND   " if durable else "cand   "
        score.listed.append(
            f"{mark} {candidate.score:.2f} {candidate.failed!r} → {candidate.error!r} → {candidate.retry!r}"
        )
    for lesson in learn_fixes(events, earlier, ranker=ranker):
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
    yield _at_least(f"fixes: candidates, recall of {facts} facts", score.candidate_recall, MIN_RECALL)
    yield _at_least(f"fixes: without a judge, precision of {reported}", score.precision, MIN_PRECISION)


def _at_least(name: str, value: float, target: float) -> Figure:
    return Figure(name, f"{value:.2f}", f"≥ {target:.2f}", value >= target)


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
