"""Labelled prompts: what was found in them against what people said is in them.

A row has `text`, `memories` (each with an exact `quote` and a `kind`), `sample`, `repo` and `borderline`; borderline
rows are left out. What was found counts as right when its quote overlaps a labelled one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from bench.extracting.rows import Row
from tacit.learn import Lesson, SessionEvent
from tacit.learn.statements.pipeline import learn_statements
from tacit.model.ids import EventId
from tacit.model.observation import PromptGiven

ALL = "all"


class Label(NamedTuple):
    """A memory that a person found in a prompt."""

    kind: str
    quote: str


class Prompt(NamedTuple):
    """A labelled prompt."""

    text: str
    sample: str
    repo: str
    labels: tuple[Label, ...]


class Found(NamedTuple):
    """What was learnt of one prompt: right ones with the label they hit, wrong ones, and labels that were missed."""

    right: tuple[tuple[Lesson, Label], ...]
    wrong: tuple[Lesson, ...]
    missed: tuple[Label, ...]


@dataclass
class Score:
    """Counts over many prompts."""

    prompts: int = 0
    labels: int = 0
    hit: int = 0
    right: int = 0
    wrong: int = 0
    kinds: int = 0

    def add(self, prompt: Prompt, found: Found) -> None:
        self.prompts += 1
        self.labels += len(prompt.labels)
        self.hit += len(prompt.labels) - len(found.missed)
        self.right += len(found.right)
        self.wrong += len(found.wrong)
        self.kinds += sum(learnt.kind.label == label.kind for learnt, label in found.right)

    @property
    def precision(self) -> float:
        return _share(self.right, self.right + self.wrong)

    @property
    def recall(self) -> float:
        return _share(self.hit, self.labels)

    @property
    def false_per_100(self) -> float:
        return 100 * _share(self.wrong, self.prompts)

    @property
    def kind_accuracy(self) -> float:
        return _share(self.kinds, self.right)


@dataclass
class Measured:
    """The figures by sample and by repository, and every single result."""

    samples: dict[str, Score] = field(default_factory=lambda: defaultdict(Score))
    repos: dict[str, Score] = field(default_factory=lambda: defaultdict(Score))
    results: list[tuple[Prompt, Found]] = field(default_factory=list)

    def without(self, repo: str) -> Score:
        """The figures of all prompts but those of one repository."""
        rest = Score()
        for prompt, found in self.results:
            if prompt.repo != repo:
                rest.add(prompt, found)
        return rest


def measure(rows: Iterable[Row]) -> Measured:
    measured = Measured()
    for prompt in labelled(rows):
        found = judged(prompt)
        measured.results.append((prompt, found))
        for score in (measured.samples[prompt.sample], measured.samples[ALL], measured.repos[prompt.repo]):
            score.add(prompt, found)
    return measured


def labelled(rows: Iterable[Row]) -> Iterator[Prompt]:
    for row in rows:
        if not row.get("borderline"):
            labels = tuple(Label(one["kind"], one["quote"]) for one in row["memories"])
            yield Prompt(row["text"], row.get("sample", ALL), row.get("repo", ""), labels)


def judged(prompt: Prompt) -> Found:
    right, wrong, hit = [], [], set()
    for learnt in learn_statements([SessionEvent(EventId("1"), PromptGiven("", prompt.text))]):
        overlapped = [label for label in prompt.labels if _overlap(prompt.text, learnt.quote, label.quote)]
        if overlapped:
            right.append((learnt, next((one for one in overlapped if one.kind == learnt.kind.label), overlapped[0])))
            hit.update(overlapped)
        else:
            wrong.append(learnt)
    return Found(tuple(right), tuple(wrong), tuple(label for label in prompt.labels if label not in hit))


def _overlap(text: str, one: str, other: str) -> bool:
    a, b = text.find(one), text.find(other)
    return a >= 0 and b >= 0 and a < b + len(other) and b < a + len(one)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
