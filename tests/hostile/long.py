"""Rows of `make chaos` about input: anything at all into everything that reads, and nothing that lies out of it.

Nothing is acknowledged here, so nothing can be lost; `found` counts inputs that raised what is not documented, took
over a second or filled the memory, outputs that deceive, and payloads or words of others that were believed.

    python -m tests.hostile.long --case 0:4711      one mean session again, as JSON, and what is wrong with it
"""

from __future__ import annotations

import argparse
import os
import random
import re
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TypeVar

from harness.hostile_lines import hostile_lines

from tacit.learn import statements
from tacit.learn.statements import sentences
from tacit.model import decide, memory
from tacit.pages import long_term
from tacit.secrets import find_secrets, redacted
from tacit.text.display import harmless, printable
from tests.chaos.apart import apart
from tests.chaos.outcome import Outcome, Row, mutant_row, replaced
from tests.chaos.program import peak_memory
from tests.hostile import (
    backtracking,
    codepoints,
    escapes,
    learners,
    live_links,
    poison,
    queries,
    readers,
    source,
    test_fence,
    test_giants,
)
from tests.hostile import test_baits as baits

_PROCESSES = 2
_LIMIT = 0.050  # seconds that a pattern may take for 4 KiB (T47)
_ROOM = 150  # MB that a process may grow by (T38, T39)
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f]")
_LEARN_AND_CAPTURE = ("tacit.learn", "tacit.hosts", "tacit.shell")
_Make = Callable[[str], str]
_Part = tuple[str, int, int]  # a folder, so many inputs, a seed
_T = TypeVar("_T")


def rows(short: bool) -> Iterator[Row]:
    texts, inputs, mean, ways = (5_000, 10_000, 4_000, 1) if short else (200_000, 1_000_000, 300_000, 7)
    giant, large = (20 << 20, 1 << 12) if short else (100 << 20, 1 << 16)
    few = texts // 20
    yield Row("T21 payloads, planted every way", partial(_poisoned, ways), "0 bytes in briefs and active memories")
    yield mutant_row("T21 mutant: an agent's word holds", _adopted)
    yield Row("T25 contents against the fence", lambda _: _fence(texts, harmless))
    yield mutant_row("T25 mutant: only controls escaped", lambda _: _fence(few, printable))
    yield Row("T25 briefs, read back", lambda _: _counted(few, len(test_fence.misread([*test_fence.contents(few, 7)]))))
    yield Row("T26 neighbours of what is invisible", lambda _: _neighbours(texts, printable))
    yield mutant_row("T26 mutant: shown as it is", lambda _: _neighbours(few, str))
    yield Row("T27 terminal sequences", lambda _: _sequences(texts, printable))
    without_escape = partial(_sequences, few, lambda text: text.replace("\x1b", ""))
    yield mutant_row("T27 mutant: only ESC taken out", lambda _: without_escape())
    yield Row("T27 live links on pages", lambda _: _links(texts // 100))
    yield mutant_row("T27 mutant: links as they are", lambda _: _links_as_they_are())
    yield Row("T32 secrets of every group", lambda _: _secrets(redacted))
    yield mutant_row("T32 mutant: nothing is hidden", lambda _: _secrets(str))
    yield Row("T33 hostile lines of 64 KiB, non-ASCII among them", lambda _: _slow_lines())
    yield Row("T37 strings into search and filters", partial(_in_parts, _ask, 5_000 if short else inputs))
    yield Row("T38 bytes into every reader", partial(_in_parts, _read, inputs))
    yield Row("T38 large inputs", partial(_large, large))
    yield Row("T39 a giant line in the log", partial(_giants, giant))
    yield Row("T47 patterns, 4 KiB each", lambda _: _patterns())
    yield Row("C9 mean sessions into learners", partial(_learnt, mean))
    no_fence = partial(_mean_mutant, sentences, "_FENCE", re.compile(r"(?!)"))
    yield mutant_row("C9 mutant: no line is foreign", no_fence)
    yield mutant_row("C9 mutant: all signs are kept", partial(_mean_mutant, statements, "visible_line", str))
    yield Row("C9 patterns, their own examples", lambda _: _patterns(_LEARN_AND_CAPTURE))


def _counted(runs: int, found: int, note: str = "", what: str = "deceives") -> Outcome:
    return Outcome(runs, 0, 0, (what,) * found, note)


def _in_processes(work: Callable[[_Part], _T], cases: int, at: Path) -> list[_T]:
    """One process a core, each with a seed and a folder of its own."""
    parts = [(str(at / str(seed)), cases // _PROCESSES, seed) for seed in range(_PROCESSES)]
    for folder, _, _ in parts:
        Path(folder).mkdir()
    with ThreadPoolExecutor(_PROCESSES) as pool:
        return list(pool.map(partial(apart, work), parts))


def _poisoned(ways: int, at: Path) -> Outcome:
    """Every payload goes `ways` of the seven ways."""
    texts = poison.payloads()
    faults = [fault for turn in range(ways) for fault in _planted(at / str(turn), texts[turn:] + texts[:turn])]
    return Outcome(ways * len(texts), 0, 0, tuple(faults))


def _planted(folder: Path, texts: list[str]) -> list[str]:
    folder.mkdir()
    story = poison.told(folder, texts)
    story.one.person.tacit("reindex")  # as this process reads the log
    return poison.believed(story)


def _adopted(at: Path) -> Outcome:
    deciding = replaced(memory, "_may_decide", lambda _memory, _event: True)
    with replaced(decide, "may_add_directly", lambda _provenance: True), deciding:
        return _poisoned(1, at)


def _learn(part: _Part) -> learners.Trial:
    return learners.try_learners(part[1], part[2])


def _learnt(count: int, at: Path) -> Outcome:
    return _of_trials(_in_processes(_learn, count, at))


def _of_trials(done: list[learners.Trial]) -> Outcome:
    found = tuple(_cell(fault) for one in done for fault in one.faults)
    learnt, slowest = sum(one.learnt for one in done), max(one.slowest for one in done)
    note = f"{learnt:,} things learnt; slowest session {slowest * 1000:.0f} ms"
    return Outcome(sum(one.inputs for one in done), 0, 0, found, note)


def _mean_mutant(target: object, name: str, value: object, _at: Path) -> Outcome:
    with replaced(target, name, value):
        return _of_trials([learners.try_learners(1_500, seed=9)])


def _fence(count: int, made: _Make) -> Outcome:
    shaped = re.compile(r"<[\s/!?|<]*(?:[a-z_:|!?/]|$)")
    contents = test_fence.contents(count, seed=3)
    return _counted(count, sum(bool(shaped.search(test_fence.as_others_read(made(one)))) for one in contents))


def _neighbours(count: int, made: _Make) -> Outcome:
    """Short texts of what is invisible, what may stand beside it, and plain letters."""
    dice = random.Random(4)
    alphabet = [*codepoints.SOMETIMES, *sorted(codepoints.NEVER), codepoints.EMOJI, codepoints.ARABIC, *"a1 #é日"]
    often = [*codepoints.SOMETIMES, codepoints.EMOJI, codepoints.ARABIC, "\u094d", "क", "1", "\u20e3", "❤", "a"]
    found = 0
    for _ in range(count):
        shown = made("".join(dice.choice(dice.choice((alphabet, often))) for _ in range(dice.randrange(1, 9))))
        doubled = any(letter * 2 in shown for letter in codepoints.SOMETIMES)
        found += bool(codepoints.lies(shown, allowed="")) or doubled or made(shown) != shown
    return _counted(count, found)


def _sequences(count: int, made: _Make) -> Outcome:
    return _counted(count, sum(bool(_CONTROLS.search(made(one))) for one in escapes.sequences(count, seed=5)))


def _links(count: int) -> Outcome:
    """Every shape of a link in every disguise, and as many thrown together, each on every page."""
    shaped = list(live_links.every_text())
    some = shaped[:: max(len(shaped) // count, 1)]
    found = [_cell(fault) for one in (*some, *live_links.texts(count, seed=6)) for fault in live_links.faults(one)]
    return Outcome(len(some) + count, 0, 0, tuple(found))


def _links_as_they_are() -> Outcome:
    with replaced(long_term, "_LINK_END", re.compile("(?!)")):
        return _links(20)


def _secrets(hide: _Make) -> Outcome:
    lines = sum(1 for path in baits.SETS.glob("*.*") for _ in path.open(encoding="utf-8"))
    return _counted(lines, len(baits.not_hidden(hide)), what="not hidden")


def _slow_lines() -> Outcome:
    slow = tuple(f"{name}: {took:.2f} s" for name, took in baits.slow(find_secrets))
    return Outcome(len(list(hostile_lines())), 0, 0, slow)


def _ask(part: _Part) -> readers.Trial:
    """Strings to search and filters. Most go to the search alone; one in fifty through the whole library."""
    folder, cases, seed = part
    return _measured(lambda: queries.ask_anything(folder, cases, seed=seed, whole=0.02))


def _read(part: _Part) -> readers.Trial:
    return _measured(lambda: readers.try_readers(*part))


def _measured(work: Callable[[], readers.Trial]) -> readers.Trial:
    """What came of it, and by how many MB the process grew at its highest while it worked."""
    before = peak_memory(os.getpid())
    return work()._replace(grown=peak_memory(os.getpid()) - before)


def _in_parts(work: Callable[[_Part], readers.Trial], cases: int, at: Path) -> Outcome:
    done = _in_processes(work, cases, at)
    grown = max(one.grown for one in done)
    faults = [_cell(sort) for one in done for sort in readers.distinct(one.findings)]
    faults += ["too much memory"] * (grown > _ROOM)
    note = f"slowest {max(one.slowest for one in done) * 1000:.0f} ms; {grown:.0f} MB more at most"
    return Outcome(cases, 0, 0, tuple(faults), note)


def _large(size: int, at: Path) -> Outcome:
    """Each token of each reader, over and over, behind something sound."""
    runs, found = 0, list[str]()
    for reader in readers.readers(str(at)):
        for token in reader.tokens:
            count = size // len(token)
            findings, _ = readers.tried_and_timed(reader, reader.sound[0] + token * count)
            found += [_cell(f"{reader.name}: {one.what} for {token[:12]!r} × {count}") for one in findings]
            runs += 1
    return Outcome(runs, 0, 0, tuple(found))


def _giants(size: int, at: Path) -> Outcome:
    faults, grown = list[str](), list[str]()
    shapes = [(b"x", True), (b"[", True), (b"\0", True), (b"x", False)]
    for number, (piece, ended) in enumerate(shapes):
        folder = at / str(number)
        folder.mkdir()
        commands = test_giants.READING if ended else test_giants.WRITING
        past = apart(test_giants.read_past, test_giants.Giant(str(folder), piece, size, ended, commands))
        faults += [f"{piece!r}: {past}"] * (past.texts != test_giants.KNOWN or past.grown > _ROOM)
        grown.append(f"{past.grown:.0f} MB")
    return Outcome(len(shapes), 0, 0, tuple(faults), f"{size >> 20} MB a line; grown by {', '.join(grown)}")


def _patterns(places: tuple[str, ...] = ("tacit",)) -> Outcome:
    """Runs of everything that a pattern can take, and its own examples over and over."""
    found, unseen = source.patterns([one for one in source.sources() if one.name.startswith(places)])
    examples = source.examples() if places != ("tacit",) else {}
    worst = sorted((backtracking.worst(one, examples.get(one.text, ())) for one in found), key=lambda one: -one.seconds)
    faults = [*(_cell(one.place) for one in worst if one.seconds > _LIMIT), *(unseen if places == ("tacit",) else ())]
    note = f"{len(found)} patterns; slowest {worst[0].seconds * 1000:.1f} ms: {worst[0].place}"
    return Outcome(len(found), 0, 0, tuple(faults), _cell(note))


def _cell(text: str) -> str:
    """Short, and without what would end a cell of the table."""
    return printable(text).replace("|", "¦")[:160]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--case", required=True, metavar="SEED:NUMBER", help="one session again")
    seed, number = map(int, parser.parse_args().case.split(":"))
    faults = learners.try_case(seed, number).faults
    print(learners.told_in_full(seed, number), *map(printable, faults), sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
