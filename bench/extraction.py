"""How well Tacit learns from conversations, measured on labelled files. No model.

    python bench/extraction.py FILE [--json] [--list]

FILE holds labelled prompts, labelled fixes or rules that people wrote down; which, is told from its rows. Nothing is
trained, so each repository is a fold of its own: the figures of the others without it tell whether it carries them.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.extracting import prompts, rules
from bench.extracting.prompts import ALL, Measured, Score
from bench.extracting.rows import rows_of, sort_of
from bench.figures import Figure, table

_LEAST_PROMPTS = 8  # of a repository that gets a row of its own
LEAST_PRECISION, LEAST_RECALL, MOST_FALSE, LEAST_KINDS, LEAST_KNOWN = 0.75, 0.5, 1.0, 0.7, 0.8


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("file", type=Path, help="labelled prompts, labelled fixes, or rules")
    parser.add_argument("--json", action="store_true", help="one object instead of tables")
    parser.add_argument("--list", action="store_true", help="every wrong, missed and right one")
    given = parser.parse_args()
    for line in _lines(given.file, as_json=given.json, listed=given.list):
        print(line)


def _lines(path: Path, *, as_json: bool, listed: bool) -> Iterable[str]:
    rows = rows_of(path)
    match sort_of(rows):
        case "fixes":
            from bench.extracting import fixes

            return fixes.shown(fixes.measure(path), as_json=as_json, listed=listed)
        case "rules":
            return _of_rules(rules.measure(rows), as_json=as_json, listed=listed)
    return _of_prompts(prompts.measure(rows), as_json=as_json, listed=listed)


def _of_prompts(measured: Measured, *, as_json: bool, listed: bool) -> Iterator[str]:
    if as_json:
        whole = _object(measured.samples[ALL])
        samples = {name: _object(score) for name, score in measured.samples.items()}
        folds = {name: _object(score) for name, score in measured.repos.items()}
        yield json.dumps({**whole, "samples": samples, "folds": folds})
        return
    yield from table(_figures(measured))
    yield ""
    yield from _by_sample(measured)
    yield ""
    yield from _by_repository(measured)
    if listed:
        yield from _listed(measured)


def _object(score: Score) -> dict[str, float]:
    return {
        "prompts": score.prompts,
        "memories": score.labels,
        "suggestions": score.right + score.wrong,
        "precision": round(score.precision, 4),
        "recall": round(score.recall, 4),
        "false_per_100": round(score.false_per_100, 4),
        "kind_accuracy": round(score.kind_accuracy, 4),
    }


def _figures(measured: Measured) -> Iterator[Figure]:
    whole = measured.samples[ALL]
    if "random" in measured.samples:
        chance = measured.samples["random"]
        wrong = chance.false_per_100
        yield Figure("random: false per 100 prompts", f"{wrong:.2f}", f"≤ {MOST_FALSE:g}", wrong <= MOST_FALSE)
        yield _at_least("random: recall", chance.recall, LEAST_RECALL)
    yield _at_least("all: precision", whole.precision, LEAST_PRECISION)
    yield _at_least("all: recall", whole.recall, LEAST_RECALL)
    yield _at_least("all: kind right", whole.kind_accuracy, LEAST_KINDS)


def _at_least(name: str, value: float, target: float) -> Figure:
    return Figure(name, f"{value:.2f}", f"≥ {target:g}", value >= target)


_HEAD = "prompts | memories | suggestions | precision | recall | false/100 | kind |"


def _by_sample(measured: Measured) -> Iterator[str]:
    yield f"| sample | {_HEAD}"
    yield "|---" * 8 + "|"
    for name in sorted(measured.samples, key=lambda name: (name == ALL, name)):
        yield f"| {name} | {_cells(measured.samples[name])}"


def _by_repository(measured: Measured) -> Iterator[str]:
    """Each repository as the fold that is held out, and the figures of all others without it."""
    yield f"| held out | {_HEAD} precision without | recall without |"
    yield "|---" * 10 + "|"
    names = sorted(measured.repos, key=lambda name: -measured.repos[name].prompts)
    for name in (name for name in names if measured.repos[name].prompts >= _LEAST_PROMPTS):
        rest = measured.without(name)
        yield f"| {name} | {_cells(measured.repos[name])} {rest.precision:.2f} | {rest.recall:.2f} |"
    small = Score()
    for prompt, found in measured.results:
        if measured.repos[prompt.repo].prompts < _LEAST_PROMPTS:
            small.add(prompt, found)
    yield f"| {len(names)} repositories; the small ones together | {_cells(small)} | |"


def _cells(score: Score) -> str:
    return (
        f"{score.prompts} | {score.labels} | {score.right + score.wrong} | {score.precision:.2f} | {score.recall:.2f} "
        f"| {score.false_per_100:.2f} | {score.kind_accuracy:.2f} |"
    )


def _listed(measured: Measured) -> Iterator[str]:
    for prompt, found in measured.results:
        for learnt in found.wrong:
            yield f"WRONG  {prompt.sample:9} {learnt.kind.label}: {learnt.sentence}  [{learnt.reason}]"
        for label in found.missed:
            yield f"MISSED {prompt.sample:9} {label.kind}: {label.quote!r}"
        for learnt, label in found.right:
            mark = "RIGHT " if learnt.kind.label == label.kind else "KIND  "
            yield f"{mark} {prompt.sample:9} {learnt.kind.label} ({label.kind}): {learnt.sentence}  [{learnt.reason}]"


def _of_rules(recognised: rules.Recognised, *, as_json: bool, listed: bool) -> Iterator[str]:
    if as_json:
        yield json.dumps({"rules": recognised.rules, "recall": round(recognised.share, 4)})
        return
    yield from table([_at_least("rules recognised", recognised.share, LEAST_KNOWN)])
    for text, learnt in recognised.results if listed else ():
        known = f"{learnt[0].kind.label} [{learnt[0].reason}]" if learnt else "MISSED"
        yield f"{known}: {text}"


if __name__ == "__main__":
    main()
