"""Train the weights with which sentences are scored, and print what they are worth on repositories they never saw.

    python -m bench.train_statements FILE... [--write]

Each FILE holds labelled prompts as `bench/extraction.py` reads them. The model is a logistic regression over the
features of `tacit.learn.statements.sentences`, fitted by coordinate descent in plain Python. There is no chance in it:
the same files always make the same weights. Figures are taken in ten folds by repository: no sentence is scored with
weights that saw its repository. `--write` fits on all prompts and replaces `weights.json`.

The weights in the repository come from 3,810 prompts of 127 public repositories with 308 memories, none of them in the
set on which the figures of the README are taken.
"""

from __future__ import annotations

import argparse
import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import tacit.learn.statements.sentences as model
from bench.extracting.rows import Row, rows_of
from tacit.learn.statements.sentences import find_form, prompt_sentences
from tacit.text.words import TextSpan

FOLDS = 10
_EPOCHS = 12
_PENALTY = 60.0  # of the square of a weight
_POSITIVE_COST, _MAYBE_COST = 4.0, 2.0  # of missing a memory, in units of a false alarm
_MIN_SENTENCES = 4  # that have a feature which gets a weight
_MIN_WEIGHT = 0.01
_WEIGHTS_FILE = Path(model.__file__).with_name("weights.json")
_THRESHOLDS = (-9.0, -1.0, -0.75, -0.5, -0.25, 0.0, 0.25, 0.5, 1.0)
_SHARES = (0.3, 0.4, 0.5, 0.6)


class Sentence(NamedTuple):
    """A sentence of a labelled prompt. `labels` are the memories that it states, `is_maybe` tells of doubtful ones."""

    prompt: str
    repo: str
    features: frozenset[str]
    labels: tuple[int, ...]
    is_maybe: bool
    is_stated: bool

    @property
    def cost(self) -> float:
        return _POSITIVE_COST if self.labels else _MAYBE_COST if self.is_maybe else 1.0


class Sample(NamedTuple):
    """Sentences of prompts, and how many prompts and memories there are."""

    sentences: list[Sentence]
    prompts: int
    memories: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("files", nargs="+", type=Path, help="labelled prompts")
    parser.add_argument("--write", action="store_true", help="replace weights.json")
    given = parser.parse_args()
    sample = read_sample(row for path in given.files for row in rows_of(path))
    for line in report(sample, fold_scores(sample.sentences)):
        print(line)
    if given.write:
        weights = fit(sample.sentences)
        text = json.dumps(dict(sorted(weights.items())), ensure_ascii=False, indent=0, separators=(",", ":"))
        _WEIGHTS_FILE.write_text(text + "\n", encoding="utf-8")
        print(f"\n{len(weights):,} weights, {_WEIGHTS_FILE.stat().st_size / 1000:.0f} kB")


def read_sample(rows: Iterable[Row]) -> Sample:
    sentences: list[Sentence] = []
    prompts = memories = 0
    for row in rows:
        if row.get("borderline") and not row.get("maybe"):
            continue  # nobody says which sentence is doubtful
        prompts += 1
        memories += len(row["memories"])
        sentences += _sentences_of(row)
    return Sample(sentences, prompts, memories)


def _sentences_of(row: Row) -> Iterator[Sentence]:
    text = row["text"]
    labels = [_span_of(text, memory["quote"]) for memory in row["memories"]]
    maybes = [_span_of(text, memory["quote"]) for memory in row.get("maybe", ())]
    for sentence in prompt_sentences(text):
        yield Sentence(
            row["id"],
            row["repo"],
            frozenset(model.sentence_features(sentence, len(text))),
            tuple(number for number, span in enumerate(labels) if _overlap(span, sentence.span)),
            any(_overlap(span, sentence.span) for span in maybes),
            sentence.is_typed and find_form(sentence) is not None,
        )


def _span_of(text: str, quote: str) -> TextSpan:
    start = text.find(quote)
    return TextSpan(start, start + len(quote) if start >= 0 else start)


def _overlap(first: TextSpan, second: TextSpan) -> bool:
    return first.start < second.end and second.start < first.end


def fit(sentences: Sequence[Sentence]) -> dict[str, float]:
    """Return the weights of a logistic regression; that of "" is the intercept, which is not regularised."""
    rows_by_feature: dict[str, list[int]] = defaultdict(list)
    for number, sentence in enumerate(sentences):
        for name in ("", *sorted(sentence.features)):
            rows_by_feature[name].append(number)
    names = [name for name, rows in rows_by_feature.items() if len(rows) >= _MIN_SENTENCES]
    targets = [bool(sentence.labels) or sentence.is_maybe for sentence in sentences]
    costs = [sentence.cost for sentence in sentences]
    weights, scores = dict.fromkeys(names, 0.0), [0.0] * len(sentences)
    for _ in range(_EPOCHS):
        for name in names:
            penalty = _PENALTY if name else 0.0
            gradient, curvature = penalty * weights[name], penalty + 1e-6
            for row in rows_by_feature[name]:
                chance = 1 / (1 + math.exp(-scores[row]))
                gradient += costs[row] * (chance - targets[row])
                curvature += costs[row] * chance * (1 - chance)
            step = max(min(-gradient / curvature, 1.0), -1.0)
            weights[name] += step
            for row in rows_by_feature[name]:
                scores[row] += step
    return {name: round(weight, 3) for name, weight in weights.items() if abs(weight) >= _MIN_WEIGHT or not name}


def fold_scores(sentences: Sequence[Sentence]) -> list[float]:
    """Return the score of each sentence by weights that were fitted without its repository."""
    folds = _folds(sentences)
    scores = [0.0] * len(sentences)
    for fold in range(FOLDS):
        weights = fit([sentence for sentence in sentences if folds[sentence.repo] != fold])
        for number, sentence in enumerate(sentences):
            if folds[sentence.repo] == fold:
                scores[number] = _score(sentence, weights)
    return scores


def _folds(sentences: Sequence[Sentence]) -> dict[str, int]:
    """Return a fold for each repository, so that the folds have about as many sentences."""
    sizes = Counter(sentence.repo for sentence in sentences)
    loads, folds = [0] * FOLDS, {}
    for repo, size in sorted(sizes.items(), key=lambda item: (-item[1], item[0])):
        folds[repo] = loads.index(min(loads))
        loads[folds[repo]] += size
    return folds


def _score(sentence: Sentence, weights: Mapping[str, float]) -> float:
    return weights[""] + sum(weights.get(name, 0.0) for name in sentence.features)


def report(sample: Sample, scores: Sequence[float]) -> Iterator[str]:
    yield f"{sample.prompts:,} prompts, {sample.memories} memories, {len(sample.sentences):,} sentences"
    yield ""
    yield "| explicit forms with a score of | right | wrong | precision | recall | false per 100 prompts |"
    yield "|---" * 6 + "|"
    for threshold in _THRESHOLDS:
        pairs = zip(sample.sentences, scores, strict=True)
        chosen = [sentence for sentence, score in pairs if sentence.is_stated and score >= threshold]
        right = sum(bool(sentence.labels) for sentence in chosen)
        wrong = sum(not sentence.labels and not sentence.is_maybe for sentence in chosen)
        share = right / (right + wrong) if chosen else 0.0
        yield (
            f"| {threshold:+.2f} | {right} | {wrong} | {share:.2f} | {_recall(chosen, sample):.2f} "
            f"| {100 * wrong / sample.prompts:.2f} |"
        )
    yield ""
    yield "| sentences passed to a judge | from a score of | recall |"
    yield "|---" * 3 + "|"
    ranked = sorted(zip(scores, sample.sentences, strict=True), key=lambda pair: -pair[0])
    for share in _SHARES:
        passed = ranked[: round(share * len(ranked))]
        recall = _recall([sentence for _, sentence in passed], sample)
        yield f"| {share:.0%} | {passed[-1][0]:+.2f} | {recall:.2f} |"


def _recall(chosen: Iterable[Sentence], sample: Sample) -> float:
    hits = {(sentence.prompt, label) for sentence in chosen for label in sentence.labels}
    return len(hits) / sample.memories if sample.memories else 0.0


if __name__ == "__main__":
    main()
