"""CPU of everyday commands and hooks as processes, in homes of 1,000 to 1,000,000 memories with 1,000 sessions each.

    python -m bench.verbs [--sizes 1000 10000 100000 1000000] [--json]

A command must cost the same in every home. Each round runs all commands once in each home in turn, so that whatever
else the machine does falls on all sizes alike. What a change leaves to a process in the background is measured apart.
"""

from __future__ import annotations

import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, chdir
from pathlib import Path
from typing import NamedTuple

import tacit
from bench.figures import Figure, against_target, amount, home_arguments, median, print_figures
from bench.homes import copy_of
from bench.hooks import add_sessions, inject
from bench.processes import BARE, TACIT, environment_of, run
from tacit.disk.lock import FileLock
from tacit.home.home import Home
from tacit.home.store import Following, StoreOptions
from tacit.model.claim import Status
from tacit.vault import Vault

SIZES = (1_000, 10_000, 100_000, 1_000_000)
ROUNDS = 7
HOOK_BASE = 10_000  # hooks are held against the home of this size, if it is measured
HOOKS = ("SessionStart", "UserPromptSubmit")
_SIZED = re.compile(r"([\d,]+): (.+)")


class Subject(NamedTuple):
    """A home to measure in, a project, and candidates that commands may accept."""

    home: Path
    project: Path
    candidates: list[str]


# Commands, and what makes their arguments for a round.
COMMANDS: dict[str, Callable[[Subject, int], tuple[str, ...]]] = {
    "add": lambda _, number: (f"never use the tool number {number} on a friday",),
    "accept": lambda subject, number: (subject.candidates[number],),
    "list": lambda _subject, _number: (),
    "review --json": lambda _subject, _number: (),
    "recall": lambda _subject, _number: ("release",),
}


def measure(folder: Path, sizes: Sequence[int]) -> Iterator[Figure]:
    with ExitStack() as stack:
        subjects = [_subject(stack.enter_context(copy_of(folder, size))) for size in sizes]
        stack.enter_context(chdir(stack.enter_context(tempfile.TemporaryDirectory())))  # in no project
        rounds = [[_round(subject, number) for subject in subjects] for number in range(ROUNDS)]
        followed = [median([_followed(subject, number) for number in range(ROUNDS)]) for subject in subjects]
    hook_base = sizes.index(HOOK_BASE) if HOOK_BASE in sizes else 0
    for name in rounds[0][0]:
        times = [median([row[at][name] for row in rounds]) for at in range(len(sizes))]
        base = hook_base if name.startswith("hook") else 0
        if name != "bare Python":
            yield against_target(
                f"{name}, {sizes[-1]:,} against {sizes[base]:,} memories", times[-1] / times[base], "×"
            )
        yield from _by_size(name, sizes, times)
    yield from _by_size("what follows a change in the background", sizes, followed)


def _by_size(name: str, sizes: Sequence[int], times: Sequence[float]) -> Iterator[Figure]:
    for size, seconds in zip(sizes, times, strict=True):
        yield Figure(f"{size:,}: {name}", f"{amount(1000 * seconds)} ms")


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
        candidates, _ = vault.search.latest(status=Status.PENDING, limit=ROUNDS)
        return Subject(home, project, [memory.id for memory in candidates])


def _round(subject: Subject, number: int) -> dict[str, float]:
    environment, times = environment_of(subject.home), {}
    for name, arguments in COMMANDS.items():
        times[f"`tacit {name}`"] = run((TACIT, *name.split(), *arguments(subject, number)), environment).cpu
        time.sleep(0.1)  # for the process that draws pages to begin
        with FileLock(str(subject.home / ".tacit" / "write.lock"), 60, 600).acquire():
            pass
    for event in HOOKS:
        times[f"hook {event}"] = inject(event, subject.home, subject.project).cpu
    return {**times, "bare Python": run(BARE, environment).cpu}


def _followed(subject: Subject, number: int) -> float:
    """Seconds of CPU to update the index and the pages after a change that was answered."""
    with Vault(Home(subject.home, options=StoreOptions(Following.PROCESS))) as vault:
        vault.add(f"never use the tool number {number} on a monday")
    start = time.process_time()
    with Home(subject.home) as home:
        home.store.follow()
    return time.process_time() - start


def main() -> int:
    given = home_arguments("verbs", __doc__, SIZES)
    figures = list(measure(given.homes, given.sizes))
    by_size = [figure for figure in figures if not given.json and _SIZED.fullmatch(figure.name)]
    code = print_figures((figure for figure in figures if figure not in by_size), as_json=given.json)
    for line in matrix((figure.name, figure.measured) for figure in by_size):
        print(line)
    return code


if __name__ == "__main__":
    sys.exit(main())
