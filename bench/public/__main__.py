"""Retrieval protocols of the field, run again here, beside two plain rankers and what others have published.

    python -m bench.public --fetch                        # LoCoMo and BEAM from GitHub, checked and kept; then both
    python -m bench.public                                # what was fetched before
    python -m bench.public --locomo FILE --beam FOLDER    # these; --commits FILE is a set of our own

Each question is asked of Tacit, with meaning and by words alone, of plain FTS5, and of MiniLM, which is installed into
an environment of its own at first. Nothing else uses a network, and no model judges anything.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from bench.figures import Figure, against_target, print_figures
from bench.public import beam, commits, data, locomo, published, rankers, table
from bench.public.haystack import Haystack, Question
from bench.public.rankers import Answer
from bench.public.scores import Tally
from bench.public.table import Row


class Known(NamedTuple):
    """A set that can be measured; `levels` are its tables, and what their questions are scored by."""

    name: str
    read: Callable[[Path], list[Haystack]]
    levels: dict[str, str]
    source: data.Source | None = None


SETS = (
    Known("locomo", locomo.read, {published.SESSIONS: "sessions", published.TURNS: "messages"}, data.LOCOMO),
    Known("beam", beam.read, {published.BEAM: "messages"}, data.BEAM),
    Known("commits", commits.read, {commits.TABLE: "sessions"}),
)


def main() -> int:
    parser = _parser()
    given = parser.parse_args()
    if given.teacher:
        from bench.public.teacher import use_teacher

        use_teacher(given.teacher)
    began = time.perf_counter()
    try:
        chosen = list(_chosen(given))
        if not chosen:
            sizes = " and ".join(f"{one.name} ({one.source.size})" for one in SETS if one.source)
            parser.error(f"no set is in {given.data}; download {sizes} with --fetch, or name one: --locomo FILE")
        rows = [row for known, path in chosen for row in _measured(known, path, minilm=not given.no_minilm)]
    except (data.NotFetched, NotTheSet) as why:
        parser.error(str(why))
    used = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    _say(f"{time.perf_counter() - began:.0f} s, {used / 1024:.0f} MB at most")
    if given.json:
        return print_figures([*map(table.figure, rows), *_promised(rows)], as_json=True)
    print("\n".join(table.lines(rows)))
    return print_figures(_promised(rows), as_json=False)


class NotTheSet(Exception):
    """A file that has another form."""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.public", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--fetch", action="store_true", help="download the public sets that are not there yet")
    parser.add_argument("--data", type=Path, default=data.folder(), help="where they are kept (default: %(default)s)")
    parser.add_argument("--locomo", type=Path, metavar="FILE", help="locomo10.json, or a part of it")
    parser.add_argument("--beam", type=Path, metavar="FOLDER", help="a folder of conversations, such as chats/100K")
    parser.add_argument("--commits", type=Path, metavar="FILE", help="sessions, and the commits made in them")
    parser.add_argument("--no-minilm", action="store_true", help="without MiniLM, which takes longest")
    parser.add_argument(
        "--teacher", type=Path, metavar="WHEEL", help="Tacit with the vectors of this model; needs PyTorch"
    )
    parser.add_argument("--json", action="store_true", help="one figure a line instead of tables")
    return parser


def _chosen(given: argparse.Namespace) -> Iterator[tuple[Known, Path]]:
    """The sets that are named by path; else those that were fetched."""
    named = {known.name: getattr(given, known.name) for known in SETS}
    for known in SETS:
        source, path = known.source, named[known.name]
        if path is None and source and not any(named.values()):
            path = given.data / source.place
            if given.fetch and not data.is_known(source, path):
                _say(f"{known.name}: {source.size} from {source.address} ({source.licence}), to {path}")
                data.fetch(source, given.data)
            elif not path.exists():
                continue
        if path is None:
            continue
        if source and not data.is_known(source, path):
            _say(f"{path} is not all of {source.address}: do not put these figures beside others")
        yield known, path


def _measured(known: Known, path: Path, *, minilm: bool) -> Iterator[Row]:
    """MiniLM is slow, so it is asked about public sets alone."""
    try:
        haystacks = known.read(path)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as why:
        raise NotTheSet(f"{path} cannot be read as {known.name}: {why!r}") from why
    if not haystacks:
        raise NotTheSet(f"{path} holds no conversations of {known.name}")
    for way in (rankers.tacit, rankers.plain, *((rankers.minilm,) if minilm and known.source else ())):
        began = time.perf_counter()
        try:
            answers = way(haystacks)
        except rankers.NotRun as why:
            _say(f"{known.name}, {way.__name__}: not run: {why}")
            continue
        _say(f"{known.name}, {way.__name__}: {time.perf_counter() - began:.0f} s")
        for name, level in known.levels.items():
            for ranker, found in answers.items():
                yield from _rows(name, level, ranker, haystacks, found)


def _rows(
    name: str, level: str, ranker: str, haystacks: Iterable[Haystack], found: Iterable[Sequence[Answer]]
) -> Iterator[Row]:
    tallies: dict[str, Tally] = {}
    for haystack, answers in zip(haystacks, found, strict=True):
        for question, answer in zip(haystack.questions, answers, strict=True):
            for part, names in _answered(question, answer, level):
                tallies.setdefault(part, Tally()).add(names, getattr(question, level))
    yield from (Row(name, part, ranker, tally.score) for part, tally in tallies.items())


def _answered(question: Question, answer: Answer, level: str) -> Iterator[tuple[str, list[str]]]:
    """What was answered, once for each part that the question belongs to."""
    names: list[str] | None = getattr(answer, level)
    if names is None or not getattr(question, level):
        return
    yield from ((part, names) for part in question.parts)
    if question.later is not None:
        yield commits.ON_ITS_DAY, [name for name in names if name not in question.later]


def _promised(rows: Iterable[Row]) -> Iterator[Figure]:
    """The few that have a target."""
    scores = {(row.table, row.part, row.ranker): row.score for row in rows}
    every, held_out = locomo.ANSWERABLE, f"{locomo.ANSWERABLE}, {locomo.HELD_OUT}"
    if ours := scores.get((published.TURNS, every, rankers.OURS)):
        note = f"{ours.questions:,} questions"
        yield against_target("LoCoMo: evidence, recall@5", ours.recall5, note=note)
        yield against_target("LoCoMo: evidence, recall@10", ours.recall10, note=note)
    if ours := scores.get((published.TURNS, held_out, rankers.OURS)):
        words = scores[published.TURNS, held_out, rankers.BY_WORDS].recall10
        name = "LoCoMo: gain by meaning, questions nothing was chosen on, recall@10"
        yield against_target(name, ours.recall10 - words, note=f"{words:.3f} by words alone")
    if ours := scores.get((commits.TABLE, commits.ALL, rankers.OURS)):
        yield against_target("session of a commit, recall@5", ours.hit5, note=f"{ours.questions:,} questions")


def _say(text: str) -> None:
    print(f"… {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
