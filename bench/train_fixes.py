"""Train the ranker of fixes and choose its thresholds. Plain Python, no randomness beyond a fixed seed.

    python -m bench.train_fixes LABELLED [--out FILE]

LABELLED holds failures of real sessions that a person labelled; the transcripts lie in a folder beside it. They are
joined by `extracting/fix_pairs.jsonl`, pairs written for this purpose. Every repository of LABELLED is a fold: its
failures are scored by a model that has seen none of them. Thresholds are chosen on those scores; the weights that are
written come from all rows.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from bench.extracting.labelled_failures import Failure, labelled_failures
from tacit.learn import SessionEvent
from tacit.learn.fixes import Ranker, features_of
from tacit.learn.fixes.pairs import Pair, find_pairs, is_never_advice
from tacit.model.ids import EventId
from tacit.model.observation import ToolAction, ToolOutcome, ToolUsed

SEED = 18
EPOCHS = 60
STEP = 0.1
DECAY = 0.02  # of a weight at each visit of its feature: L2
MIN_ROWS = 2  # a word that occurs in fewer rows gets no weight
REAL_WEIGHT = 1.0
WRITTEN_FOLDS = 10
CANDIDATE_RECALL = 0.95  # on the folds, above the target so that unseen data may be worse
WRITTEN = Path(__file__).parent / "extracting" / "fix_pairs.jsonl"
WEIGHTS = Path(__file__).parent.parent / "src" / "tacit" / "learn" / "fixes" / "weights.json"
_ACTS = {
    "Read": ToolAction.READ,
    "Edit": ToolAction.CHANGED,
    "Write": ToolAction.CHANGED,
    "Grep": ToolAction.SEARCHED,
    "WebFetch": ToolAction.FETCHED,
    "WebSearch": ToolAction.FETCHED,
    "Task": ToolAction.DELEGATED,
    "Skill": ToolAction.DELEGATED,
}


class Example(NamedTuple):
    """The features of a pair, its label, its fold, and the fact that it shows, if any."""

    features: dict[str, float]
    is_durable: bool
    fold: str
    fact: str
    weight: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("labelled", type=Path, help="labelled failures")
    parser.add_argument("--out", type=Path, default=WEIGHTS, help="where the weights are written")
    given = parser.parse_args()
    examples = [*written_examples(), *real_examples(labelled_failures(given.labelled))]
    scores = held_out_scores(examples)
    candidate = threshold(examples, scores)
    weights = train(examples)
    data = {"candidate": candidate, "weights": dict(sorted(weights.items()))}
    given.out.write_text(json.dumps(data, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")
    print(f"{len(examples)} pairs, {len(weights)} weights, {given.out.stat().st_size} bytes; {candidate=}")


def real_examples(failures: Iterable[Failure]) -> list[Example]:
    """Return the pairs of labelled failures. Failures of one fact share its weight."""
    pairs = [failure for failure in failures if failure.pair and not is_never_advice(failure.pair)]
    shares = Counter((failure.repository, failure.fact) for failure in pairs)
    return [
        Example(
            features_of(failure.pair),
            failure.is_durable,
            failure.repository,
            failure.fact,
            REAL_WEIGHT / (shares[failure.repository, failure.fact] if failure.fact else 1),
        )
        for failure in pairs
        if failure.pair
    ]


def written_examples() -> list[Example]:
    """Return the pairs of `fix_pairs.jsonl`, each of a fold by its text."""
    examples: list[Example] = []
    for line in WRITTEN.read_text(encoding="utf-8").splitlines():
        label, *texts = json.loads(line)
        pair = written_pair(*texts)
        if pair is not None and not is_never_advice(pair):
            fold = f"written {zlib.crc32(texts[0].split()[0].encode()) % WRITTEN_FOLDS}"
            examples.append(Example(features_of(pair), label == "+", fold, line if label == "+" else "", 1.0))
    return examples


def written_pair(failed: str, error: str, between: Sequence[str], retry: str) -> Pair | None:
    calls = [_call(failed, error, ToolOutcome.FAILED), *map(_call, between), _call(retry)]
    events = [SessionEvent(EventId(f"e{place}"), call) for place, call in enumerate(calls)]
    return next((pair for pair in find_pairs(events) if pair.failure.event_id == "e0"), None)


def _call(text: str, result: str = "", outcome: ToolOutcome = ToolOutcome.SUCCEEDED) -> ToolUsed:
    tool, colon, rest = text.partition(": ")
    if text.startswith("edit:"):
        return ToolUsed("claude", "Edit", ToolAction.CHANGED, text[5:], files=(text[5:],))
    if colon and (tool in _ACTS or tool.startswith("mcp__")):
        return ToolUsed("claude", tool, _ACTS.get(tool, ToolAction.FETCHED), rest, result, outcome)
    return ToolUsed("claude", "Bash", ToolAction.RAN, text, result, outcome)


# Training


def train(examples: Sequence[Example]) -> dict[str, float]:
    """Return the weights of a logistic regression with L2, by stochastic gradient descent with AdaGrad steps."""
    known = Counter(name for example in examples for name in example.features)
    rows = [
        (
            [(name, value) for name, value in example.features.items() if known[name] >= MIN_ROWS],
            float(example.is_durable),
            example.weight,
        )
        for example in examples
    ]
    weights = dict.fromkeys((name for name, count in known.items() if count >= MIN_ROWS), 0.0)
    squares = dict.fromkeys(weights, 1e-6)
    order = random.Random(SEED)
    for _ in range(EPOCHS):
        order.shuffle(rows)
        for features, label, weight in rows:
            total = sum(value * weights[name] for name, value in features)
            error = weight * (1 / (1 + math.exp(-max(-30.0, min(30.0, total)))) - label)
            for name, value in features:
                gradient = error * value + DECAY * weights[name]
                squares[name] += gradient * gradient
                weights[name] -= STEP * gradient / math.sqrt(squares[name])
    return {name: round(weight, 3) for name, weight in weights.items() if abs(weight) >= 0.02}


def held_out_scores(examples: Sequence[Example]) -> list[float]:
    """Return the score of each example by a model that was trained without its fold."""
    scores = [0.0] * len(examples)
    for fold in sorted({example.fold for example in examples}):
        ranker = Ranker(train([example for example in examples if example.fold != fold]), 0)
        for place, example in enumerate(examples):
            if example.fold == fold:
                scores[place] = ranker.score(example.features)
    return scores


def fold_rankers(failures: Sequence[Failure]) -> dict[str, Ranker]:
    """Return a ranker for each repository: weights and thresholds come from all other folds."""
    examples = [*written_examples(), *real_examples(failures)]
    scores = held_out_scores(examples)
    rankers: dict[str, Ranker] = {}
    for repository in {failure.repository for failure in failures}:
        others = [place for place, example in enumerate(examples) if example.fold != repository]
        rest = [examples[place] for place in others]
        rankers[repository] = Ranker(train(rest), threshold(rest, [scores[place] for place in others]))
    return rankers


def threshold(examples: Sequence[Example], scores: Sequence[float]) -> float:
    """Return the score from which a pair is a candidate, by the recall of facts."""
    best: dict[str, float] = {}
    for example, score in zip(examples, scores, strict=True):
        if example.is_durable:
            best[example.fact] = max(score, best.get(example.fact, 0.0))
    facts = sorted(best.values(), reverse=True)
    candidate = facts[min(len(facts) - 1, math.ceil(CANDIDATE_RECALL * len(facts)) - 1)]
    return math.floor(candidate * 1000) / 1000


if __name__ == "__main__":
    main()
