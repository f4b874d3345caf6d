"""Rows of `make chaos` about input: anything at all into everything that reads, and nothing that lies out of it.

Nothing is acknowledged here, so nothing can be lost; `found` counts inputs that raised what is not documented, took
over a second or filled the memory, and outputs that deceive.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

from harness.hostile_lines import hostile_lines

from tacit.pages import long_term
from tacit.secrets.redact import find_secrets, redacted
from tacit.text.display import harmless, printable
from tests.chaos.apart import apart
from tests.chaos.long.rows import Result, Test
from tests.hostile import (
    backtracking,
    baits,
    codepoints,
    escapes,
    giants,
    live_links,
    readers,
    source,
    test_fence,
    trials,
)

_PROCESSES = 2
_LIMIT = 0.050  # seconds that a pattern may take for 4 KiB (T47)
_ROOM = 150  # MB that a process may grow by (T38, T39)
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f]")


class Size(NamedTuple):
    """How much of each."""

    texts: int
    questions: int
    inputs: int
    giant: int
    large: int


LONG = Size(texts=200_000, questions=1_000_000, inputs=1_000_000, giant=100 << 20, large=1 << 16)
SHORT = Size(texts=5_000, questions=5_000, inputs=10_000, giant=20 << 20, large=1 << 12)


def tests(short: bool) -> Iterator[Test]:
    size = SHORT if short else LONG
    yield Test("T25 contents against the fence", lambda _: _fence(size.texts, harmless))
    yield Test("T25 mutant: only controls escaped", lambda _: _fence(size.texts // 20, printable), mutant=True)
    yield Test("T25 briefs, read back", lambda _: _misread(size.texts // 20))
    yield Test("T26 neighbours of what is invisible", lambda _: _neighbours(size.texts, printable))
    yield Test("T26 mutant: shown as it is", lambda _: _neighbours(size.texts // 20, str), mutant=True)
    yield Test("T27 terminal sequences", lambda _: _sequences(size.texts, printable))
    yield Test("T27 mutant: only ESC taken out", lambda _: _sequences(size.texts // 20, _without_escape), mutant=True)
    yield Test("T27 live links on pages", lambda _: _links(size.texts // 100))
    yield Test("T27 mutant: links as they are", lambda _: _links_as_they_are(), mutant=True)
    yield Test("T32 secrets of every group", lambda _: _secrets(redacted))
    yield Test("T32 mutant: nothing is hidden", lambda _: _secrets(str), mutant=True)
    yield Test("T33 hostile lines of 64 KiB, non-ASCII among them", lambda _: _dear(find_secrets))
    yield Test("T37 strings into search and filters", partial(_in_parts, trials.ask, size.questions))
    yield Test("T38 bytes into every reader", partial(_in_parts, trials.read, size.inputs))
    yield Test("T38 large inputs", partial(_large, size.large))
    yield Test("T39 a giant line in the log", partial(_giants, size.giant))
    yield Test("T47 patterns, 4 KiB each", lambda _: _patterns())


# Secrets


def _secrets(hide: Callable[[str], str]) -> Result:
    found = baits.not_hidden(hide)
    return _counted(sum(1 for path in baits.SETS.glob("*.*") for _ in path.open(encoding="utf-8")), len(found))


def _dear(hide: Callable[[str], object]) -> Result:
    return _counted(len(list(hostile_lines())), len(list(baits.slow(hide))))


# Text that lies


def _fence(count: int, made: Callable[[str], str]) -> Result:
    shaped = re.compile(r"<[\s/!?|<]*(?:[a-z_:|!?/]|$)")
    contents = test_fence.contents(count, seed=3)
    return _counted(count, sum(bool(shaped.search(test_fence.as_others_read(made(one)))) for one in contents))


def _misread(count: int) -> Result:
    return _counted(count, len(test_fence.misread(list(test_fence.contents(count, seed=7)))))


def _neighbours(count: int, made: Callable[[str], str]) -> Result:
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


def _sequences(count: int, made: Callable[[str], str]) -> Result:
    return _counted(count, sum(bool(_CONTROLS.search(made(one))) for one in escapes.sequences(count, seed=5)))


def _links(count: int) -> Result:
    """Every shape of a link in every disguise, and as many thrown together, each on every page."""
    shaped = list(live_links.every_text())
    some = shaped[:: max(len(shaped) // count, 1)]
    found = [fault for one in (*some, *live_links.texts(count, seed=6)) for fault in live_links.faults(one)]
    return _counted(len(some) + count, len(found), _cell(found[0]) if found else "")


def _links_as_they_are() -> Result:
    kept = long_term._LINK_END
    vars(long_term)["_LINK_END"] = re.compile("(?!)")
    try:
        return _links(20)
    finally:
        vars(long_term)["_LINK_END"] = kept


def _without_escape(text: str) -> str:
    return text.replace("\x1b", "")


# Hostile input


def _in_parts(work: Callable[[trials.Part], trials.Done], cases: int, home: str) -> Result:
    """One process a core, each with a seed and a folder of its own."""
    parts = [trials.Part(f"{home}-{seed}", cases // _PROCESSES, seed) for seed in range(_PROCESSES)]
    for part in parts:
        Path(part.folder).mkdir(parents=True)
    with ThreadPoolExecutor(_PROCESSES) as pool:
        done = list(pool.map(partial(apart, work), parts))
    grown = max(one.grown for one in done)
    sorts = list(dict.fromkeys(sort for one in done for sort in one.sorts))
    note = f"slowest {max(one.slowest for one in done) * 1000:.0f} ms; {grown:.0f} MB more at most"
    return _counted(cases, sum(one.wrong for one in done) + (grown > _ROOM), "; ".join([note, *map(_cell, sorts)]))


def _large(size: int, home: str) -> Result:
    """Each token of each reader, over and over, behind something sound."""
    Path(home).mkdir()
    runs, found = 0, list[str]()
    for reader in readers.readers(home):
        for token in reader.tokens:
            count = size // len(token)
            findings, _ = readers.tried_and_timed(reader, reader.sound[0] + token * count)
            found += [f"{reader.name}: {one.what} for {token[:12]!r} × {count}" for one in findings]
            runs += 1
    return _counted(runs, len(found), "; ".join(map(_cell, found)))


def _giants(size: int, home: str) -> Result:
    found, notes = 0, []
    shapes = [(b"x", True, False), (b"[", True, False), (b"\0", True, False), (b"x", False, True)]
    for number, (piece, ended, appending) in enumerate(shapes):
        folder = f"{home}-{number}"
        Path(folder).mkdir(parents=True)
        past = apart(giants.read_past, giants.Giant(folder, piece, size, ended=ended, appending=appending))
        found += past.texts != (giants.BEFORE, giants.AFTER) or past.grown > _ROOM
        notes.append(f"{past.grown:.0f} MB")
    return _counted(len(shapes), found, f"{size >> 20} MB a line; grown by {', '.join(notes)}")


def _patterns() -> Result:
    found, unseen = source.patterns(source.sources())
    worst = sorted(map(backtracking.worst, found), key=lambda one: -one.seconds)
    slow = [one for one in worst if one.seconds > _LIMIT]
    note = f"{len(found)} patterns; slowest {worst[0].seconds * 1000:.0f} ms: {worst[0].place}"
    runs = sum(len(list(backtracking.pumped(one.text))) for one in found)
    return _counted(runs, len(slow) + len(unseen), "; ".join([_cell(note), *(_cell(one.place) for one in slow[1:])]))


def _counted(runs: int, found: int, note: str = "") -> Result:
    return Result(runs, 0, 0, found, note)


def _cell(text: str) -> str:
    """Short, and without what would end a cell of the table."""
    return printable(text).replace("|", "¦")[:160]
