"""Labelled prompts: what was found in them against what people said is in them.

A row has `text`, `memories` (each with an exact `quote` and a `kind`), `sample`, `repo`, `borderline` and perhaps
`lang`; borderline rows are left out. What was found counts as right when its quote overlaps a labelled one. It is found
by Tacit alone, or by a judge: then each prompt is a session of its own, and the answers to the questions about them are
read from a file.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from bench.extracting.rows import Row
from tacit.learn import Lesson, SessionEvent
from tacit.learn.judge.answer import check_answer, parse_answer
from tacit.learn.judge.question import Question, build_questions, session_material
from tacit.learn.statements import learn_statements
from tacit.learn.statements.sentences import is_candidate, prompt_sentences
from tacit.model.ids import EventId
from tacit.model.observation import PromptGiven

ALL = "all"
_KINDS = {"fact": "environment"}  # what readers call it, and what Tacit does


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
    language: str = ""


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
    """The figures by sample, language and repository, and every single result."""

    samples: dict[str, Score] = field(default_factory=lambda: defaultdict(Score))
    languages: dict[str, Score] = field(default_factory=lambda: defaultdict(Score))
    repos: dict[str, Score] = field(default_factory=lambda: defaultdict(Score))
    results: list[tuple[Prompt, Found]] = field(default_factory=list)

    def without(self, repo: str) -> Score:
        """The figures of all prompts but those of one repository."""
        rest = Score()
        for prompt, found in self.results:
            if prompt.repo != repo:
                rest.add(prompt, found)
        return rest


Learner = Callable[[Sequence[Prompt]], Iterator[list[Lesson]]]


def measure(rows: Iterable[Row], learn: Learner | None = None) -> Measured:
    """Measure what a learner finds in labelled prompts; without one, what Tacit finds alone."""
    measured = Measured()
    prompts = list(labelled(rows))
    for prompt, lessons in zip(prompts, (learn or alone)(prompts), strict=True):
        found = compared(prompt, lessons)
        measured.results.append((prompt, found))
        scores = [measured.repos[prompt.repo], *(measured.samples[name] for name in {prompt.sample, ALL})]
        if prompt.language:
            scores.append(measured.languages[prompt.language])
        for score in scores:
            score.add(prompt, found)
    return measured


def labelled(rows: Iterable[Row]) -> Iterator[Prompt]:
    for row in rows:
        if not row.get("borderline"):
            labels = tuple(
                Label(_KINDS.get(kind := memory["kind"], kind), memory["quote"]) for memory in row["memories"]
            )
            yield Prompt(row["text"], row.get("sample", ALL), row.get("repo", ""), labels, row.get("lang") or "")


def alone(prompts: Sequence[Prompt]) -> Iterator[list[Lesson]]:
    """What is learned of each prompt without a judge."""
    for prompt in prompts:
        yield learn_statements(_events(prompt))


def questions(prompts: Sequence[Prompt]) -> list[Question]:
    """The questions that a judge is asked about these prompts, each a session of its own."""
    materials = (session_material(str(n), prompt.repo, "", _events(prompt)) for n, prompt in enumerate(prompts))
    return list(build_questions(materials))


def judged(answers: Sequence[str]) -> Learner:
    """A learner that has the answers of a judge, one for each question, and applies the checks of Tacit."""

    def learn(prompts: Sequence[Prompt]) -> Iterator[list[Lesson]]:
        asked = questions(prompts)
        if len(asked) != len(answers):
            raise SystemExit(f"There are {len(asked)} questions about these prompts, but {len(answers)} answers.")
        lessons: dict[str, list[Lesson]] = defaultdict(list)
        for question, text in zip(asked, answers, strict=True):
            answer = parse_answer(text)
            if answer is None:
                raise SystemExit(f"The answer to the question {question.mark} has not the form that was asked for.")
            for label, session in check_answer(answer, question, "judge").sessions.items():
                lessons[label] += session.findings
        for number in range(len(prompts)):
            yield lessons[str(number)]

    return learn


def _events(prompt: Prompt) -> list[SessionEvent]:
    return [SessionEvent(EventId("1"), PromptGiven("", prompt.text))]


class Gate(NamedTuple):
    """How much of the sentences a judge reads, and how many of the memories are in them."""

    sentences: int
    passed: int
    memories: int
    kept: int


def measure_gate(rows: Iterable[Row]) -> Gate:
    sentences = passed = memories = kept = 0
    for prompt in labelled(rows):
        found = prompt_sentences(prompt.text)
        candidates = [sentence.text for sentence in found if is_candidate(sentence, len(prompt.text))]
        sentences += len(found)
        passed += len(candidates)
        memories += len(prompt.labels)
        kept += sum(any(_overlap(prompt.text, text, label.quote) for text in candidates) for label in prompt.labels)
    return Gate(sentences, passed, memories, kept)


def compared(prompt: Prompt, lessons: Iterable[Lesson]) -> Found:
    right, wrong, hit = [], [], set()
    for lesson in lessons:
        overlapped = [label for label in prompt.labels if _overlap(prompt.text, lesson.quote, label.quote)]
        if overlapped:
            same_kind = (label for label in overlapped if label.kind == lesson.kind.label)
            right.append((lesson, next(same_kind, overlapped[0])))
            hit.update(overlapped)
        else:
            wrong.append(lesson)
    return Found(tuple(right), tuple(wrong), tuple(label for label in prompt.labels if label not in hit))


def _overlap(text: str, one: str, other: str) -> bool:
    a, b = text.find(one), text.find(other)
    return a >= 0 and b >= 0 and a < b + len(other) and b < a + len(one)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def interval(part: int, whole: int) -> tuple[float, float]:
    """The 95 % interval of a share after Wilson."""
    if not whole:
        return 0.0, 1.0
    z, share = 1.96, part / whole
    middle = (share + z * z / (2 * whole)) / (1 + z * z / whole)
    half = z * math.sqrt(share * (1 - share) / whole + z * z / (4 * whole * whole)) / (1 + z * z / whole)
    return middle - half, middle + half
