"""What learners stand: mean sessions without end, and the worst that can be done to each of their patterns.

    python tests/chaos/long/learners.py                    both, as tables
    python tests/chaos/long/learners.py --inputs 20000     fewer sessions
    python tests/chaos/long/learners.py --patterns         the patterns alone
    python tests/chaos/long/learners.py --case 0:4711      one session again, as JSON, and what is wrong with it

A session that broke something is kept as JSON in the folder that `--keep` names. `tests` are the rows of `make chaos`.
"""

from __future__ import annotations

import argparse
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest

from tacit.learn import statements
from tacit.learn.statements import sentences
from tacit.text.display import printable
from tests.chaos import two_learners
from tests.chaos.apart import apart
from tests.chaos.long.rows import Result, Test, result
from tests.hostile import backtracking, learners, source

_PROCESSES = 2
_LIMIT = 0.050  # seconds that a pattern may take for 4 KiB
_ENOUGH = 5.0  # seconds after which nobody waits any longer
_WORST = 12  # rows of the table
LONG, AMONG_OTHERS, SHORT = 1_000_000, 300_000, 4_000  # by itself, as one row of many, and in the tests


def tests(short: bool) -> Iterator[Test]:
    count, rounds = (SHORT, 2) if short else (AMONG_OTHERS, 40)
    yield Test("C9 mean sessions into learners", lambda _: _result(_all(count)))
    yield Test("C9 mutant: no line is foreign", partial(_mutant, count // 200, _no_fence), mutant=True)
    yield Test("C9 mutant: all signs are kept", partial(_mutant, count // 200, _all_signs), mutant=True)
    yield Test("C9 patterns, their own examples", lambda _: _patterns())
    yield Test("T43 several learn at once", lambda home: result(two_learners.two_learners(Path(home), rounds)))


# Sessions


class Part(NamedTuple):
    inputs: int
    seed: int


def _try(part: Part) -> learners.Trial:
    return learners.try_learners(part.inputs, part.seed)


def _all(count: int) -> list[learners.Trial]:
    """One process a core, each with a seed of its own."""
    parts = [Part(count // _PROCESSES, seed) for seed in range(_PROCESSES)]
    with ThreadPoolExecutor(_PROCESSES) as pool:
        return list(pool.map(partial(apart, _try), parts))


def _result(done: list[learners.Trial]) -> Result:
    found = [finding for one in done for finding in one.findings]
    learnt, slowest = sum(one.learnt for one in done), max(one.slowest for one in done)
    notes = [f"{learnt:,} things learnt; slowest session {slowest * 1000:.0f} ms", *_sorts(found)]
    return Result(sum(one.inputs for one in done), 0, 0, len(found), "; ".join(notes))


def _sorts(found: list[learners.Finding]) -> list[str]:
    """One of each sort, with the session that shows it."""
    first = {one.what.split(":")[0]: one for one in reversed(found)}
    return [printable(str(one)).replace("|", "¦")[:160] for one in first.values()]


def _mutant(inputs: int, change: Callable[[pytest.MonkeyPatch], None], _home: str) -> Result:
    with pytest.MonkeyPatch.context() as patch:
        change(patch)
        return _result([learners.try_learners(max(inputs, 400), seed=9)])


def _no_fence(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(sentences, "_FENCE", re.compile(r"(?!)"))


def _all_signs(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(statements, "visible_line", lambda text: text)


# Patterns


class Slow(NamedTuple):
    """The longest that a pattern took for 4 KiB, the same for 8 KiB, and for what."""

    place: str
    seconds: float
    twice: float
    text: str


def _found() -> list[source.Found]:
    """The patterns of learners and of what captures."""
    every = [one for one in source.sources() if one.name.startswith(("tacit.learn", "tacit.hosts", "tacit.shell"))]
    return source.patterns(every)[0]


def _examples() -> dict[str, list[str]]:
    """The examples that stand beside a pattern in a table, by its text."""
    found: dict[str, list[str]] = {}
    for module in source.sources():
        for table in vars(module.module).values():
            for row in table if isinstance(table, tuple) else ():
                pattern, example = getattr(row, "pattern", None), getattr(row, "example", None)
                if isinstance(pattern, re.Pattern) and isinstance(example, str):
                    found.setdefault(pattern.pattern, []).append(example)
    return found


def _inputs(pattern: str, examples: list[str]) -> Iterator[str]:
    """Runs of everything the pattern can take; its examples over and over, and almost them."""
    yield from backtracking.pumped(pattern)
    for example in examples:
        plain = example.lower().rstrip(".!")
        words = plain.split()
        for piece in (plain, f"{plain}. ", f"{plain}, ", plain[:-1], " ".join(words[:-1]), " ".join(words[1:]), *words):
            yield (f"{piece} " * backtracking.SIZE)[: backtracking.SIZE]
            yield (piece * backtracking.SIZE)[: backtracking.SIZE - 1] + "\0"


def _worst(found: source.Found, examples: list[str]) -> Slow:
    pattern = re.compile(found.text, found.flags)
    took, text = max((_took(pattern, found, one), one) for one in set(_inputs(found.text, examples)))
    best = min(took, *(_took(pattern, found, text) for _ in range(2)))
    return Slow(found.place, best, min(_took(pattern, found, _longer(text)) for _ in range(2)), text)


def _longer(text: str) -> str:
    """Its run goes on for as long again, and ends as it did."""
    return text[:-1] + (text[-401:-1] * 20)[: len(text)] + text[-1:]


def _took(pattern: re.Pattern[str], found: source.Found, text: str) -> float:
    """Seconds of the processor. A timer of the processor would make them coarse, so it is one of the wall."""
    before = signal.signal(signal.SIGALRM, _stop)
    signal.setitimer(signal.ITIMER_REAL, _ENOUGH)
    began = time.process_time()
    try:
        for method in found.methods:
            if method in ("sub", "subn"):
                pattern.sub("", text)
            else:
                getattr(pattern, "findall" if method == "finditer" else method, pattern.search)(text)
    except TimeoutError:
        return _ENOUGH
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    return time.process_time() - began


def _stop(*_: object) -> None:
    raise TimeoutError


def _slowest() -> list[Slow]:
    examples = _examples()
    every = [_worst(one, examples.get(one.text, [])) for one in _found()]
    return sorted(every, key=lambda one: -one.seconds)


def _patterns() -> Result:
    every = _slowest()
    slow = [printable(one.place)[:80].replace("|", "¦") for one in every if one.seconds > _LIMIT]
    note = f"{len(every)} patterns; slowest {every[0].seconds * 1000:.1f} ms: {printable(every[0].place)[:60]}"
    return Result(len(every), 0, 0, len(slow), "; ".join([note.replace("|", "¦"), *slow[1:]]))


def _table() -> Iterator[str]:
    yield "| 4 KiB, ms | 8 KiB, ms | ratio | pattern | input |\n|---|---|---|---|---|"
    for one in _slowest()[:_WORST]:
        cells = (printable(one.place)[:70], printable(repr(one.text[:30])))
        ratio = one.twice / one.seconds if one.seconds else 0
        plain = " | ".join(cell.replace("|", "¦") for cell in cells)
        yield f"| {one.seconds * 1000:.2f} | {one.twice * 1000:.2f} | {ratio:.1f} | {plain} |"


# The command


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", type=int, default=LONG, help="texts and answers (default: %(default)s)")
    parser.add_argument("--patterns", action="store_true", help="the patterns alone")
    parser.add_argument("--case", metavar="SEED:NUMBER", help="one session again")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="where sessions that broke something are written")
    given = parser.parse_args()
    if given.case:
        return _again(*map(int, given.case.split(":")))
    held = given.patterns or _sessions(given.inputs, given.keep)
    print("\n".join(_table()))
    return 0 if held else 1


def _again(seed: int, number: int) -> int:
    faults = learners.try_case(seed, number).faults
    print(learners.told_in_full(seed, number), *map(printable, faults), sep="\n")
    return 1 if faults else 0


def _sessions(count: int, keep: Path | None) -> bool:
    began = time.monotonic()
    done = _all(count)
    row = _result(done)
    print(f"{row.runs:,} inputs, {row.found} findings, {time.monotonic() - began:.0f} s; {row.note}\n")
    for finding in [finding for one in done for finding in one.findings] if keep else ():
        assert keep is not None
        keep.mkdir(parents=True, exist_ok=True)
        told = learners.told_in_full(finding.seed, finding.number)
        (keep / f"{finding.seed}-{finding.number}.json").write_text(f"{told}\n", encoding="utf-8")
    return row.found == 0


if __name__ == "__main__":
    sys.exit(main())
