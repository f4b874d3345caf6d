"""Every case of a memory, in this process or, for a peer, in one of its own without keys and network."""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from bench.peers import apart
from bench.peers import known as peers
from bench.peers.install import NotInstalled, cache, installed, is_installed
from bench.peers.peer import Place
from bench.write_side.answers import Unanswered
from bench.write_side.cases import Case, Pair, Session
from bench.write_side.memory import Answer, Kept, Known, Outcome, put
from bench.write_side.score import Mark, Row, counts, of_pair, of_request, of_session

_ROOT = Path(__file__).parents[2]
_BOOT = "import sys; sys.path.append(sys.argv.pop(1)); from bench.write_side.drive import main; main()"
_LIMIT = 3600.0


class Result(NamedTuple):
    """The rows of a memory in the table, or why it was not run."""

    name: str
    rows: dict[str, Row]
    not_run: str = ""


def measured(module: str, one: Known, asked: Sequence[Case], *, install: bool = False) -> Result:
    """Put all cases to a memory. A peer that is not installed is installed first if that is wanted."""
    print(f"… {one.name}", file=sys.stderr, flush=True)
    asked = [case for case in asked if case.ability not in one.lacks]
    if not one.peer:
        return Result(one.name, _rows(one, list(answers(one, asked)), asked))
    if not install and not is_installed(one.peer, peers.peer(one.peer).needs):
        return Result(one.name, {}, f"not installed; type: python -m bench.write_side --install --only {module}")
    try:
        version, found = _apart(module, one, asked)
    except (NotInstalled, apart.Failed) as why:
        return Result(one.name, {}, str(why))
    return Result(f"{one.name} {version}", _rows(one, found, asked))


def marks(one: Known, asked: Iterable[Case]) -> Iterator[Mark]:
    """Put cases to a memory in this process, and mark its answers."""
    asked = list(asked)
    for case, answer in zip(asked, answers(one, asked), strict=True):
        if answer is not None:
            yield _mark(case, answer)


def answers(one: Known, asked: Iterable[Case]) -> Iterator[Answer | None]:
    """What a memory answers in this process; None if a recorded answer that it needs is not there."""
    for case in asked:
        with tempfile.TemporaryDirectory(prefix="write-side-", ignore_cleanup_errors=True) as home:
            place = Place(Path(sys.prefix), Path(sys.executable), Path(home))
            with closing(one.open(place)) as memory:
                try:
                    yield put(memory, case)
                except Unanswered:
                    yield None


def _apart(module: str, one: Known, asked: Sequence[Case]) -> tuple[str, list[Answer | None]]:
    environment, python = installed(one.peer, peers.peer(one.peer).needs)
    with tempfile.TemporaryDirectory(dir=cache(), prefix="home-", ignore_cleanup_errors=True) as folder:
        home = Path(folder)
        job, result = home / "job.json", home / "result.json"
        job.write_text(json.dumps([case.id for case in asked]), "utf-8")
        given = (module, str(environment), folder, str(job), str(result))
        apart.run([str(python), "-c", _BOOT, str(_ROOT), *given], home, limit=_LIMIT)
        version, answered = json.loads(result.read_text("utf-8"))
    return version, [_answer(case, answered[case.id]) for case in asked]


def _answer(case: Case, given: Any) -> Answer:
    if isinstance(case, Session):
        return [Kept(*one) for one in given]
    return Outcome(given) if isinstance(case, Pair) else list(given)


def _rows(one: Known, found: Sequence[Answer | None], asked: Sequence[Case]) -> dict[str, Row]:
    """Count what was answered. An ability of which one question has no recorded answer is not counted."""
    of = Counter(case.ability for case in asked)
    missing = Counter(case.ability for case, answer in zip(asked, found, strict=True) if answer is None)
    words = {
        ability: f"not scored: {count} of {of[ability]} cases have no recorded answer"
        for ability, count in missing.items()
    }
    marked = (_mark(case, answer) for case, answer in zip(asked, found, strict=True) if answer is not None)
    return counts(marked, {**one.lacks, **words})


def _mark(case: Case, answer: Any) -> Mark:
    if isinstance(case, Session):
        return of_session(case, answer)
    return of_pair(case, answer) if isinstance(case, Pair) else of_request(case, answer)
