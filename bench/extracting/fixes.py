"""Fixes learnt from transcripts against failures that a person labelled.

A failure counts as reported when it is among the evidence of something learnt; it is a hit when its label says that its
mending is worth remembering. Transcripts are read as the product reads them, with the same limits.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from bench.extracting.rows import Row, rows_of
from bench.figures import Figure, table
from tacit.hosts.capture import HEAD_BYTES, detect_source
from tacit.hosts.records import CaptureLimits, ReadStats, TranscriptEvent
from tacit.learn import Lesson, SessionEvent
from tacit.learn.fixes.pipeline import learn_fixes
from tacit.model.ids import EventId
from tacit.model.observation import SessionTitled

LEAST_PRECISION, LEAST_RECALL, LEAST_RIGHT = 0.80, 0.70, 0.75
_DURABLE = "resolved_durable"
_FOLDER = "transcripts"


class Result(NamedTuple):
    """A label and what was learnt of its failure."""

    label: Row
    learnt: Lesson | None

    @property
    def is_durable(self) -> bool:
        return bool(self.label["verdict"] == _DURABLE)

    @property
    def is_right(self) -> bool:
        return self.learnt is not None and self.learnt.evidence[-1] == self.label["success_id"]


@dataclass
class Score:
    """Counts over labels; unsure ones are not in it."""

    failures: int = 0
    durable: int = 0
    hits: int = 0
    false: int = 0
    right: int = 0

    def add(self, result: Result) -> None:
        reported = result.learnt is not None
        self.failures += 1
        self.durable += result.is_durable
        self.hits += reported and result.is_durable
        self.false += reported and not result.is_durable
        self.right += result.is_durable and result.is_right

    @property
    def precision(self) -> float:
        return self.hits / (self.hits + self.false) if self.hits + self.false else 1.0

    @property
    def recall(self) -> float:
        return self.hits / self.durable if self.durable else 1.0

    @property
    def right_success(self) -> float:
        return self.right / self.hits if self.hits else 1.0

    @property
    def false_per_100(self) -> float:
        return 100 * self.false / self.failures if self.failures else 0.0


@dataclass
class Measured:
    results: list[Result] = field(default_factory=list)
    unlabelled: list[Lesson] = field(default_factory=list)

    @property
    def repositories(self) -> list[str]:
        return sorted({_repository(result) for result in self.results})

    def score(self, *, only: str = "", without: str = "") -> Score:
        score = Score()
        for result in self.results:
            if only in ("", _repository(result)) and _repository(result) != without:
                score.add(result)
        return score


def measure(path: Path) -> Measured:
    """The labels of a file; the transcripts lie in a folder `transcripts` beside it or one up."""
    labels: dict[str, dict[str, Row]] = {}
    for row in rows_of(path):
        labels.setdefault(row["transcript"], {})[row["failure_id"]] = row
    measured = Measured()
    for transcript, rows in sorted(labels.items()):
        learnt = learnt_of(_folder(path) / transcript)
        reported = {event: one for one in learnt for event in one.evidence[:-1]}
        sure = (row for row in rows.values() if not row.get("borderline"))
        measured.results += [Result(row, reported.get(EventId(row["failure_id"]))) for row in sure]
        measured.unlabelled += [one for one in learnt if rows.keys().isdisjoint(one.evidence)]
    return measured


def learnt_of(transcript: Path) -> list[Lesson]:
    said = ((_own_id(heard), heard.body) for heard in _heard(transcript))
    return list(learn_fixes(SessionEvent(own, body) for own, body in said if not isinstance(body, SessionTitled)))


def _own_id(heard: TranscriptEvent) -> EventId:
    """The id that the host gave to a call; where that may be used elsewhere, the key has the session in front of it."""
    return EventId(heard.key.removeprefix(f"{heard.session}/"))


def _heard(path: Path) -> list[TranscriptEvent]:
    with open(path, "rb") as file:
        source = detect_source(str(path), file.read(HEAD_BYTES))
        file.seek(0)
        return list(source.read(file, 0, CaptureLimits(), ReadStats())) if source else []


def _folder(path: Path) -> Path:
    near = (folder / _FOLDER for folder in path.resolve().parents[:2])
    return next((folder for folder in near if folder.is_dir()), path.resolve().parent)


def _repository(result: Result) -> str:
    parts = str(result.label["transcript"]).split("/")
    return parts[1] if len(parts) > 2 else parts[0]


# --- shown ---------------------------------------------------------------------------------------------------------


def shown(measured: Measured, *, as_json: bool = False, listed: bool = False) -> Iterator[str]:
    if as_json:
        folds = {name: _object(measured.score(only=name)) for name in measured.repositories}
        yield json.dumps({**_object(measured.score()), "folds": folds})
        return
    yield from table(_figures(measured.score()))
    yield ""
    yield from _by_repository(measured)
    if listed:
        yield from _listed(measured)


def _object(score: Score) -> dict[str, float]:
    return {
        "failures": score.failures,
        "durable": score.durable,
        "reported": score.hits + score.false,
        "precision": round(score.precision, 4),
        "recall": round(score.recall, 4),
        "right_success": round(score.right_success, 4),
        "false_per_100": round(score.false_per_100, 4),
        "kind_accuracy": 1.0,  # there is one kind
    }


def _figures(score: Score) -> Iterator[Figure]:
    yield _at_least("fixes: precision", score.precision, LEAST_PRECISION)
    yield _at_least("fixes: recall of durable ones", score.recall, LEAST_RECALL)
    yield _at_least("fixes: right success", score.right_success, LEAST_RIGHT)


def _at_least(name: str, value: float, target: float) -> Figure:
    return Figure(name, f"{value:.2f}", f"≥ {target:.2f}", value >= target)


def _by_repository(measured: Measured) -> Iterator[str]:
    """Nothing is trained: each repository by itself, and the others without it."""
    head = "repository failures durable reported false precision recall right".split()
    yield f"| {' | '.join(head)} | precision without it | recall without it |"
    yield "|---" * (len(head) + 2) + "|"
    for name in measured.repositories:
        own, rest = measured.score(only=name), measured.score(without=name)
        yield (
            f"| {name} | {own.failures} | {own.durable} | {own.hits + own.false} | {own.false} | {own.precision:.2f} "
            f"| {own.recall:.2f} | {own.right_success:.2f} | {rest.precision:.2f} | {rest.recall:.2f} |"
        )


def _listed(measured: Measured) -> Iterator[str]:
    for result in measured.results:
        if result.learnt is not None:
            mark = ("RIGHT " if result.is_right else "OTHER ") if result.is_durable else "WRONG "
            yield f"{mark} {result.label['verdict']}: {result.learnt.sentence}"
        elif result.is_durable:
            yield f"MISSED {result.label['error']}"
    for learnt in measured.unlabelled:
        yield f"NEW    {learnt.sentence}"
