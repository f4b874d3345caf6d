"""How well Tacit finds what was said, on public sets of questions. No model, no extra.

    python bench/recall.py FILE [--json]

FILE is a set of LoCoMo (conversations with questions and evidence) or of sessions and the commits made in them; which,
is told from what it holds. Nothing is trained; what was chosen by measuring was chosen on one part of each set, and the
other is told apart.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.figures import Figure, table
from bench.recalling import commits, locomo
from bench.recalling.scores import Scores

_CHOSEN_ON = ("conv-26", "conv-41", "conv-43")
TARGETS = {"LoCoMo": {5: 0.66, 10: 0.76}, "commits": {5: 0.72}}
LEAST_MRR = 0.60


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("file", type=Path, help="a set of LoCoMo, or of sessions and commits")
    parser.add_argument("--json", action="store_true", help="one object instead of tables")
    given = parser.parse_args()
    told = json.loads(given.file.read_bytes())
    lines = _of_commits(told, given.json) if isinstance(told, dict) else _of_talks(told, given.json)
    for line in lines:
        print(line)


def _of_talks(given: list[dict[str, Any]], as_json: bool) -> Iterator[str]:
    by_name = locomo.measure(given)
    every = _together(by_name.values())
    held_out = _together(scores for name, scores in by_name.items() if name not in _CHOSEN_ON)
    if as_json:
        folds = {name: scores.object for name, scores in by_name.items()}
        yield json.dumps({**every.object, "held_out": held_out.object, "conversations": folds})
        return
    yield from table(_at_least("LoCoMo: evidence recall", every, TARGETS["LoCoMo"]))
    yield ""
    yield from _rows({**by_name, "all": every, "not chosen on": held_out})


def _of_commits(given: dict[str, Any], as_json: bool) -> Iterator[str]:
    measured = commits.measure(given)
    if as_json:
        further = {"held_out": measured.held_out.object, "on_its_day": measured.on_its_day.object}
        yield json.dumps({**measured.every.object, **further})
        return
    figures = list(_at_least("commits: session found", measured.every, TARGETS["commits"]))
    mrr = measured.every.mrr
    yield from table([*figures, Figure("commits: MRR", f"{mrr:.3f}", f"≥ {LEAST_MRR:.2f}", mrr >= LEAST_MRR)])
    yield ""
    yield from _rows(
        {"all": measured.every, "not chosen on": measured.held_out, "asked on its day": measured.on_its_day}
    )


def _together(several: Any) -> Scores:
    every = Scores()
    for scores in several:
        every.ranks += scores.ranks
        for most, shares in scores.at.items():
            every.at[most] += shares
    return every


def _at_least(name: str, scores: Scores, targets: dict[int, float]) -> Iterator[Figure]:
    for most, target in targets.items():
        found = scores.recall(most)
        yield Figure(f"{name} @{most}", f"{found:.3f}", f"≥ {target:.2f}", found >= target)


def _rows(scores: dict[str, Scores]) -> Iterator[str]:
    yield "| set | questions | recall@5 | recall@10 | MRR |"
    yield "|---|---|---|---|---|"
    for name, one in scores.items():
        yield f"| {name} | {len(one.ranks)} | {one.recall(5):.3f} | {one.recall(10):.3f} | {one.mrr:.3f} |"


if __name__ == "__main__":
    main()
