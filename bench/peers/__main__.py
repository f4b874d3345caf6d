"""Every peer in one table, sorted by what was found. See the docstring of the package."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.figures import encoded, median
from bench.peers import apart, known
from bench.peers.documents import MOST, Material, material
from bench.peers.drive import Done, Job
from bench.peers.install import NotInstalled, cache, installed
from bench.peers.peer import Peer, Place
from bench.peers.row import Measured, NotRun, Row, figures, table

BESIDE = ("tacit", "fts5")
LIMIT, ROUNDS = 5, 5
_ROOT = Path(__file__).parents[2]
_BOOT = "import sys; sys.path.append(sys.argv.pop(1)); from bench.peers.drive import main; main()"


def main() -> None:
    given = _parser().parse_args()
    asked = material(given.docs)
    names = [name for name in known.names() if not given.only or name in {*BESIDE, *given.only}]
    rows = [_row(name, asked) for name in names]
    if given.json:
        print("\n".join(encoded(figure) for row in rows for figure in figures(row, documents=len(asked.documents))))
        return
    print("\n".join(table(rows, documents=len(asked.documents))))
    network = "without" if apart.isolation() else "WITH"
    print(f"\n{len(asked.documents):,} documents, {len(asked.questions)} questions; peers ran {network} a network.")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.peers", description=__doc__)
    parser.add_argument("--docs", type=int, default=1000, choices=range(1, MOST + 1), metavar="N")
    parser.add_argument("--only", action="append", choices=known.names(), help="beside ours; can be given again")
    parser.add_argument("--json", action="store_true", help="one object a line instead of a table")
    return parser


def _row(module: str, asked: Material) -> Row:
    one = known.peer(module)
    if one.refused:
        return NotRun(one.name, one.how, one.refused)
    print(f"… {one.name}", file=sys.stderr, flush=True)
    try:
        environment, python = installed(module, one.needs)
        cache().mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache(), prefix="home-", ignore_cleanup_errors=True) as home:
            return _measured(module, one, Place(environment, python, Path(home)), asked)
    except (NotInstalled, apart.Failed) as why:
        return NotRun(one.name, one.how, str(why))


def _measured(module: str, one: Peer, place: Place, asked: Material) -> Measured:
    job, result = place.home / "job.json", place.home / "result.json"
    queries = [question.query for question in asked.questions]
    job.write_text(json.dumps(Job(asked.documents, queries, LIMIT)), "utf-8")
    apart.run(_driven(module, place, str(job), str(result)), place.home)
    done = Done(*json.loads(result.read_text("utf-8")))
    first, bare = _first(module, one, place, queries)
    return Measured(
        one.name,
        done.version,
        one.how,
        _hit_rate(done, asked),
        first,
        bare,
        done.add_cpu,
        done.add_wall,
        median(done.waits),
    )


def _driven(module: str, place: Place, *rest: str) -> list[str]:
    return [str(place.python), "-c", _BOOT, str(_ROOT), module, str(place.environment), str(place.home), *rest]


def _first(module: str, one: Peer, place: Place, queries: Sequence[str]) -> tuple[float, float]:
    """CPU of a process that answers one question on the filled store, and of a bare interpreter, in turn."""
    taken, bare = [], []
    for query in queries[:ROUNDS]:
        command = one.ask(place, query) if one.ask else _driven(module, place, query)
        taken.append(apart.run(command, place.home, fine=(0, 1)))  # 1: it found nothing
        bare.append(apart.run([sys.executable, "-I", "-c", "pass"], place.home))
    return median(taken), median(bare)


def _hit_rate(done: Done, asked: Material) -> float:
    """The share of questions whose one right answer is among the first five, word for word."""
    hits = [question.answer in map(_folded, found) for question, found in zip(asked.questions, done.found, strict=True)]
    return sum(hits) / len(hits)


def _folded(text: str) -> str:
    return " ".join(text.split())


if __name__ == "__main__":
    main()
