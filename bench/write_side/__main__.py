"""Every memory on every case, in one table. See the docstring of the package."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path

from bench.write_side import known
from bench.write_side.answers import Recorded, Written
from bench.write_side.cases import Case, Pair, Session, cases
from bench.write_side.known import tacit_judge
from bench.write_side.memory import Known
from bench.write_side.run import Result, answers, measured
from bench.write_side.score import table

_JUDGED = "tacit_judge"


def main() -> None:
    given = _parser().parse_args()
    asked = list(cases())
    if given.questions:
        print(f"{_write_questions(asked, given.questions)} questions in {given.questions}")
        return
    names = given.only or known.names()
    results = [measured(name, _memory(name, given.answers), asked, install=given.install) for name in names]
    print("\n".join(_objects(results) if given.json else _lines(results)))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.write_side", description=__doc__)
    parser.add_argument("--only", action="append", choices=known.names(), help="this memory; can be given again")
    parser.add_argument("--install", action="store_true", help="install memories that are not installed, by pip")
    parser.add_argument("--answers", type=_recorded, metavar="FILE", help="answers of another judge, for tacit_judge")
    parser.add_argument("--questions", type=Path, metavar="FOLDER", help="write what a judge is asked, and end")
    parser.add_argument("--json", action="store_true", help="one object a line instead of a table")
    return parser


def _recorded(file: str) -> Recorded:
    try:
        return Recorded(Path(file))
    except (OSError, ValueError) as why:
        raise argparse.ArgumentTypeError(f"{why}; README.md says what a file of answers is") from why


def _memory(name: str, judge: Recorded | None) -> Known:
    return tacit_judge.judged_by(judge) if judge and name == _JUDGED else known.memory(name)


def _write_questions(asked: Iterable[Case], folder: Path) -> int:
    heard = [case for case in asked if isinstance(case, Session | Pair)]
    list(answers(tacit_judge.judged_by(Written(folder)), heard))
    return len(list(folder.iterdir()))


def _lines(results: Iterable[Result]) -> Iterator[str]:
    yield from table((result.name, result.rows) for result in results)
    for result in results:
        if result.not_run:
            yield f"| {result.name} | not run: {result.not_run} | | | |"


def _objects(results: Iterable[Result]) -> Iterator[str]:
    for result in results:
        if result.not_run:
            yield json.dumps({"memory": result.name, "not_run": result.not_run})
        for row, groups in result.rows.items():
            if isinstance(groups, str):
                yield json.dumps({"memory": result.name, "row": row, "instead": groups})
                continue
            for group, count in groups.items():
                yield json.dumps({"memory": result.name, "row": row, "languages": group, **asdict(count)})


if __name__ == "__main__":
    main()
