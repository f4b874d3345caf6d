"""CPU of everyday commands and hooks as processes, in homes of 1,000 to 1,000,000 memories with 1,000 sessions each.

    python -m bench.verbs [--sizes 1000 10000 100000 1000000] [--json]

A command must cost the same in every home. Each round runs all commands once in each home in turn, so that whatever
else the machine does falls on all sizes alike. What a change leaves to a process in the background is measured apart.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import tacit
from bench.figures import Figure, amount, at_most, encoded, median, sized_arguments, table
from bench.homes import copy_of
from bench.hooks import add_sessions, hook_cpu
from bench.startup import cpu_of
from tacit.disk.lock import FileLock
from tacit.home.home import Home
from tacit.home.store import Following, StoreOptions
from tacit.index.listings import MemoryFilter, latest_memories
from tacit.model.claim import Status
from tacit.vault.vault import Vault

SIZES = (1_000, 10_000, 100_000, 1_000_000)
ROUNDS = 7
_CHANGE, _LISTING, _HOOK = 1.3, 1.5, 1.2
_HOOK_BASE = 10_000  # hooks are held against the home of this size, if it is measured
_HOOKS = ("SessionStart", "UserPromptSubmit")
_BARE = (sys.executable, "-I", "-c", "pass")
_TACIT = os.path.join(os.path.dirname(sys.executable), "tacit")


class Subject(NamedTuple):
    """A home to measure in, a project, and candidates and memories that commands may decide on."""

    home: Path
    project: Path
    candidates: list[str]
    memories: list[str]


Words = Callable[[Subject, int], tuple[str, ...]]


class Verb(NamedTuple):
    """A command. `words` makes its arguments for a round; `target` is the ratio of the largest home to the smallest."""

    name: str
    words: Words
    target: float


def _same(*words: str) -> Words:
    return lambda _subject, _round: words


VERBS = (
    Verb("add", lambda _, number: ("add", f"never use the tool number {number} on a friday"), _CHANGE),
    Verb("undo", _same("undo"), _CHANGE),
    Verb("remember", lambda _, n: ("remember", f"the tool number {n} needs a key", "--evidence", "chat"), _CHANGE),
    Verb("accept", lambda subject, number: ("accept", subject.candidates[2 * number]), _CHANGE),
    Verb("dismiss", lambda subject, number: ("dismiss", subject.candidates[2 * number + 1]), _CHANGE),
    Verb("edit", lambda subject, n: ("edit", subject.memories[2 * n], f"always use the tool {n} twice"), _CHANGE),
    Verb("forget", lambda subject, number: ("forget", subject.memories[2 * number + 1]), _CHANGE),
    Verb("list", _same("list"), _LISTING),
    Verb("suggestions", _same("suggestions"), _LISTING),
    Verb("review --json", _same("review", "--json"), _LISTING),
    Verb("sessions", _same("sessions"), _LISTING),
    Verb("injected", _same("injected"), _LISTING),
    Verb("conflicts", _same("conflicts"), _LISTING),
    Verb("status", _same("status"), _LISTING),
    Verb("stats", _same("stats"), _LISTING),
    Verb("recall", _same("recall", "release"), _LISTING),
)
_NAMES = tuple(verb.name for verb in VERBS)
_PYTHON = "python"
_SIZED = re.compile(r"([\d,]+): (.+)")


def measure(folder: Path, sizes: Sequence[int]) -> Iterator[Figure]:
    with ExitStack() as stack:
        subjects = [_subject(stack.enter_context(copy_of(folder, size))) for size in sizes]
        place = stack.enter_context(tempfile.TemporaryDirectory())
        before = os.getcwd()
        os.chdir(place)  # in no project
        try:
            rounds = [[_round(subject, number) for subject in subjects] for number in range(ROUNDS)]
            followed = [median([_followed(subject, number) for number in range(ROUNDS)]) for subject in subjects]
        finally:
            os.chdir(before)
    bases = dict.fromkeys(_NAMES, 0) | dict.fromkeys(_HOOKS, sizes.index(_HOOK_BASE) if _HOOK_BASE in sizes else 0)
    targets = {verb.name: verb.target for verb in VERBS} | dict.fromkeys(_HOOKS, _HOOK)
    for name, target in targets.items():
        times = [median([row[at][name] for row in rounds]) for at in range(len(sizes))]
        base = bases[name]
        label = f"{_shown(name)}, {sizes[-1]:,} against {sizes[base]:,} memories"
        yield at_most(label, times[-1] / times[base], target, " ×")
        yield from _sized(_shown(name), sizes, times)
    yield from _sized("bare Python", sizes, [median([row[at][_PYTHON] for row in rounds]) for at in range(len(sizes))])
    yield from _sized("what follows a change in the background", sizes, followed)


def _shown(name: str) -> str:
    return f"hook {name}" if name in _HOOKS else f"`tacit {name}`"


def _sized(name: str, sizes: Sequence[int], times: Sequence[float]) -> Iterator[Figure]:
    for size, each in zip(sizes, times, strict=True):
        yield Figure(f"{size:,}: {name}", f"{amount(1000 * each)} ms")


def matrix(figures: Iterable[tuple[str, str]]) -> Iterator[str]:
    """A table of what was measured by size, given the names and amounts of figures: a row for each command."""
    rows: dict[str, dict[str, str]] = {}
    for name, shown in figures:
        if sized := _SIZED.fullmatch(name):
            rows.setdefault(sized[2], {})[sized[1]] = shown
    sizes = list(dict.fromkeys(size for row in rows.values() for size in row))
    if sizes:
        yield f"| CPU with so many memories | {' | '.join(sizes)} |"
        yield "|---" * (len(sizes) + 1) + "|"
    for name, row in rows.items():
        yield f"| {name} | {' | '.join(row.get(size, '') for size in sizes)} |"


def _subject(home: Path) -> Subject:
    project = home.parent / "project"
    project.mkdir()
    add_sessions(home, project)
    with tacit.open(home, cwd=home.parent) as vault:
        return Subject(home, project, _ids(vault, Status.PENDING), _ids(vault, Status.ACTIVE))


def _ids(vault: Vault, status: Status) -> list[str]:
    rows = vault.home.store.read(lambda index: latest_memories(index, MemoryFilter(status), 3 * ROUNDS))
    return [row.id for row in rows]


def _round(subject: Subject, number: int) -> dict[str, float]:
    times = {_PYTHON: cpu_of(_BARE, subject.home)}
    for hook in _HOOKS:
        times[hook] = hook_cpu(hook, subject.home, subject.project)
    for verb in VERBS:
        times[verb.name] = cpu_of((_TACIT, *verb.words(subject, number)), subject.home)
        _wait(subject.home)
    return times


def _wait(home: Path) -> None:
    """For the process that draws pages."""
    time.sleep(0.1)
    with FileLock(str(home / ".tacit" / "write.lock"), 60, 600).acquire():
        pass


def _followed(subject: Subject, number: int) -> float:
    """Seconds of CPU to update the index and the pages after a change that was answered."""
    with Vault(Home(subject.home, options=StoreOptions(Following.PROCESS))) as vault:
        vault.add(f"never use the tool number {number} on a monday")
    start = time.process_time()
    with Home(subject.home) as drawing:
        drawing.store.follow()
    return time.process_time() - start


def main() -> int:
    given = sized_arguments("verbs", __doc__, SIZES)
    figures = list(measure(given.homes.resolve(), given.sizes))
    if given.json:
        print("\n".join(map(encoded, figures)))
    else:
        ratios = [figure for figure in figures if not _SIZED.fullmatch(figure.name)]
        print("\n".join([*table(ratios), "", *matrix((figure.name, figure.measured) for figure in figures)]))
    return 1 if any(figure.ok is False for figure in figures) else 0


if __name__ == "__main__":
    sys.exit(main())
