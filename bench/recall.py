"""How well Tacit finds what was said, on public sets of questions: by words alone, and by meaning as well.

    python bench/recall.py FILE [--json]

FILE is a set of LoCoMo (conversations with questions and evidence), of sessions and the commits made in them, or a
folder of BEAM's conversations (`chats/100K`); which, is told from what it holds. Nothing is trained; what was chosen by
measuring was chosen on one part of the first two, and the other is told apart. Nothing was chosen on BEAM. With
--teacher the vectors are those of the model that the table was taught by, out of its wheel; that needs PyTorch.
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

from bench.figures import Figure, against_target, table
from bench.recalling import beam, commits, locomo
from bench.recalling.scores import Both, Scores

_CHOSEN_ON = ("conv-26", "conv-41", "conv-43")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("file", type=Path, help="a set of LoCoMo, or of sessions and commits, or a folder of BEAM")
    parser.add_argument("--teacher", type=Path, metavar="WHEEL", help="with the vectors of this model instead")
    parser.add_argument("--json", action="store_true", help="one object instead of tables")
    given = parser.parse_args()
    if given.teacher:
        from bench.recalling.teacher import use_teacher

        use_teacher(given.teacher)
    if given.file.is_dir():
        for line in _of_abilities(given.file, given.json):
            print(line)
        return
    questions = json.loads(given.file.read_bytes())
    if isinstance(questions, dict):
        lines = _of_commits(questions, given.json)
    else:
        lines = _of_conversations(questions, given.json)
    for line in lines:
        print(line)


def _of_conversations(given: list[dict[str, Any]], as_json: bool) -> Iterator[str]:
    both = locomo.measure(given)
    ours = {name: scores.by_meaning for name, scores in both.items()}
    by_words = {name: scores.by_words for name, scores in both.items()}
    if as_json:
        yield json.dumps({**_conversations_object(ours), "words": _conversations_object(by_words)})
        return
    every = _together(ours.values())
    yield from table(_figures("LoCoMo: evidence", every))
    yield ""
    yield from _rows(
        {
            **ours,
            "all": every,
            "all, words alone": _together(by_words.values()),
            "not chosen on": _together(_held_out(ours)),
            "not chosen on, words alone": _together(_held_out(by_words)),
        }
    )


def _of_abilities(folder: Path, as_json: bool) -> Iterator[str]:
    both = beam.measure(folder)
    if as_json:
        yield json.dumps({name: {"words": one.by_words.object, **one.by_meaning.object} for name, one in both.items()})
        return
    by_words, ours = ({name: getattr(one, part) for name, one in both.items()} for part in Both._fields)
    yield from _rows(
        {
            **ours,
            "all": _together(ours.values()),
            **{f"{name}, words alone": scores for name, scores in by_words.items()},
            "all, words alone": _together(by_words.values()),
        }
    )


def _held_out(by_name: dict[str, Scores]) -> list[Scores]:
    return [scores for name, scores in by_name.items() if name not in _CHOSEN_ON]


def _conversations_object(by_name: dict[str, Scores]) -> dict[str, Any]:
    folds = {name: scores.object for name, scores in by_name.items()}
    held_out = _together(_held_out(by_name)).object
    return {**_together(by_name.values()).object, "held_out": held_out, "conversations": folds}


def _of_commits(given: dict[str, Any], as_json: bool) -> Iterator[str]:
    by_words, ours = commits.measure(given)
    if as_json:
        yield json.dumps({**_commits_object(ours), "words": _commits_object(by_words)})
        return
    yield from table(_figures("session of a commit", ours.every))
    yield ""
    rows = {"all": "every", "not chosen on": "held_out", "asked on its day": "on_its_day"}
    for suffix, measured in (("", ours), (", words alone", by_words)):
        yield from _rows({f"{name}{suffix}": getattr(measured, part) for name, part in rows.items()})


def _commits_object(measured: commits.Measured) -> dict[str, Any]:
    further = {"held_out": measured.held_out.object, "on_its_day": measured.on_its_day.object}
    return {**measured.every.object, **further}


def _together(several: Any) -> Scores:
    every = Scores()
    for scores in several:
        every.ranks += scores.ranks
        for most, shares in scores.at.items():
            every.at[most] += shares
    return every


def _figures(name: str, scores: Scores) -> Iterator[Figure]:
    for most in scores.at:
        yield against_target(f"{name}, recall@{most}", scores.recall(most))


def _rows(scores: dict[str, Scores]) -> Iterator[str]:
    yield "| set | questions | recall@5 | recall@10 | MRR |"
    yield "|---|---|---|---|---|"
    yield from _only_rows(scores)


def _only_rows(scores: dict[str, Scores]) -> Iterator[str]:
    for name, one in scores.items():
        yield f"| {name} | {len(one.ranks)} | {one.recall(5):.3f} | {one.recall(10):.3f} | {one.mrr:.3f} |"


if __name__ == "__main__":
    main()
