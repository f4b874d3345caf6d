"""How well Tacit learns from conversations, measured on labelled files, alone or with the answers of a judge.

    python bench/extraction.py FILE [--json] [--list]
    python bench/extraction.py FILE --questions FOLDER
    python bench/extraction.py FILE --answers ANSWERS [--json] [--list]

FILE holds labelled prompts or labelled fixes; which, is told from its rows. Each repository is a fold of its own: the
figures of the others without it tell whether it carries them. `--questions` writes what a judge is asked about the
prompts, one file a question; ANSWERS has one answer a line, in the order of the questions. The answers go through all
checks that Tacit makes.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.extracting import prompts
from bench.extracting.prompts import ALL, Gate, Measured, Score, interval
from bench.extracting.rows import rows_of, sort_of
from bench.figures import Figure, against_target, table

_LEAST_PROMPTS = 8  # of a repository that gets a row of its own
LEAST_JUDGED_PRECISION, LEAST_JUDGED_RECALL = 0.85, 0.75  # of answers that no bench of the suite has


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("file", type=Path, help="labelled prompts or labelled fixes")
    parser.add_argument("--json", action="store_true", help="one object instead of tables")
    parser.add_argument("--list", action="store_true", help="every wrong, missed and right one")
    parser.add_argument("--questions", type=Path, metavar="FOLDER", help="write what a judge is asked, and end")
    parser.add_argument("--answers", type=Path, metavar="FILE", help="score these answers of a judge, one a line")
    given = parser.parse_args()
    for line in _lines(given):
        print(line)


def _lines(given: argparse.Namespace) -> Iterable[str]:
    rows = rows_of(given.file)
    if sort_of(rows) == "fixes":
        from bench.extracting import fixes

        return fixes.shown(fixes.measure(given.file), as_json=given.json, listed=given.list)
    if given.questions:
        return _write_questions(list(prompts.labelled(rows)), given.questions)
    answers = given.answers.read_text(encoding="utf-8").splitlines() if given.answers else None
    measured = prompts.measure(rows, prompts.judged(answers) if answers is not None else None)
    return _of_prompts(measured, None if answers else prompts.measure_gate(rows), as_json=given.json, listed=given.list)


def _write_questions(read: list[prompts.Prompt], folder: Path) -> Iterator[str]:
    folder.mkdir(parents=True, exist_ok=True)
    for number, question in enumerate(prompts.questions(read), 1):
        path = folder / f"question-{number:03}.txt"
        path.write_text(question.text, encoding="utf-8")
        yield str(path)


def _of_prompts(measured: Measured, gate: Gate | None, *, as_json: bool, listed: bool) -> Iterator[str]:
    """`gate` is nothing if the answers of a judge were measured."""
    if as_json:
        whole = _object(measured.samples[ALL])
        samples = {name: _object(score) for name, score in measured.samples.items()}
        folds = {name: _object(score) for name, score in measured.repos.items()}
        languages = {name: _object(score) for name, score in measured.languages.items()}
        candidates = {"candidates": _gate_object(gate)} if gate else {}
        yield json.dumps({**whole, **candidates, "samples": samples, "languages": languages, "folds": folds})
        return
    yield from table(_figures(measured, gate))
    yield ""
    yield from _by_name("sample", measured.samples)
    yield ""
    if measured.languages:
        yield from _by_name("language", measured.languages)
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


def _gate_object(gate: Gate) -> dict[str, float]:
    share, recall = gate.passed / max(gate.sentences, 1), gate.kept / max(gate.memories, 1)
    return {"sentences": gate.sentences, "share": round(share, 4), "recall": round(recall, 4)}


def _figures(measured: Measured, gate: Gate | None) -> Iterator[Figure]:
    whole = measured.samples[ALL]
    precision, recall = (whole.right, whole.right + whole.wrong), (whole.hit, whole.labels)
    if gate:
        yield _share("learning from prompts: precision", *precision)
        yield _share("learning from prompts: recall", *recall)
        yield _share("learning from prompts: kind right", whole.kinds, whole.right)
        yield _share("sentences for a judge: recall", gate.kept, gate.memories)
        yield _share("sentences for a judge: share", gate.passed, gate.sentences)
    else:
        yield _at_least(_share("with a judge: precision", *precision), LEAST_JUDGED_PRECISION)
        yield _at_least(_share("with a judge: recall", *recall), LEAST_JUDGED_RECALL)
        yield _share("with a judge: kind right", whole.kinds, whole.right)
    if "random" in measured.samples:
        random = measured.samples["random"]
        yield against_target("false suggestions per 100 prompts drawn at random", random.false_per_100)


def _share(name: str, part: int, whole: int) -> Figure:
    """A share with its number of cases and its 95 % interval."""
    low, high = interval(part, whole)
    return against_target(name, part / max(whole, 1), note=f"{part} of {whole}; {low:.2f} to {high:.2f}")


def _at_least(figure: Figure, least: float) -> Figure:
    value, _, _ = figure.parts
    return replace(figure, target=f"≥ {least:g}", ok=value is not None and value >= least)


_HEAD = "prompts | memories | suggestions | precision | recall | false/100 | kind |"


def _by_name(head: str, scores: dict[str, Score]) -> Iterator[str]:
    yield f"| {head} | {_HEAD}"
    yield "|---" * 8 + "|"
    for name in sorted(scores, key=lambda name: (name == ALL, -scores[name].prompts, name)):
        yield f"| {name} | {_cells(scores[name])}"


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


if __name__ == "__main__":
    main()
