"""Every memory on every case, in one table. See the docstring of the package."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from bench.write_side import known
from bench.write_side.answers import Unanswered, Written
from bench.write_side.cases import Case, Pair, Session, cases
from bench.write_side.known import tacit_judge
from bench.write_side.memory import Known, Memory
from bench.write_side.score import Mark, counts, of_pair, of_request, of_session, table


def main() -> None:
    given = _parser().parse_args()
    asked = list(cases())
    if given.questions:
        print(f"{_write_questions(asked, given.questions)} questions in {given.questions}")
        return
    found = [(one.name, counts(marks(one, asked))) for one in map(known.memory, given.only or known.names())]
    if not given.json:
        print("\n".join(table(found)))
        return
    for memory, rows in found:
        for row, groups in rows.items():
            for group, count in groups.items():
                print(json.dumps({"memory": memory, "row": row, "languages": group, **asdict(count)}))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.write_side", description=__doc__)
    parser.add_argument("--only", action="append", choices=known.names(), help="this memory; can be given again")
    parser.add_argument("--json", action="store_true", help="one object a line instead of a table")
    parser.add_argument("--questions", type=Path, metavar="FOLDER", help="write what a judge is asked, and end")
    return parser


def _write_questions(asked: Iterable[Case], folder: Path) -> int:
    writing = tacit_judge.judged_by(Written(folder))
    for case in asked:
        if isinstance(case, Session | Pair):
            with suppress(Unanswered):
                list(marks(writing, [case]))
    return len(list(folder.iterdir()))


def marks(one: Known, asked: Iterable[Case]) -> Iterator[Mark]:
    """Put each case to a memory with an empty home."""
    print(f"… {one.name}", file=sys.stderr, flush=True)
    for case in asked:
        with tempfile.TemporaryDirectory(prefix="write-side-", ignore_cleanup_errors=True) as home:
            yield _mark(one.open(Path(home)), case)


def _mark(memory: Memory, case: Case) -> Mark:
    if isinstance(case, Session):
        return of_session(case, memory.listen(case.turns))
    if isinstance(case, Pair):
        memory.add(case.first)
        return of_pair(case, memory.add(case.second))
    answer = memory.forget if case.ability == "forget" else memory.tell
    return of_request(case, answer(case.memories, case.text))


if __name__ == "__main__":
    main()
