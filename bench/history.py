"""The import of a history of 100,000 lines: what it costs with learning, and the memory of a process that imports it.

    python -m bench.history [--homes DIR] [--json]

The lines are those of an extended zsh history in which, as in real ones, a few commands make up most and every third
line stands there for the first time.
"""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import tacit
from bench.figures import Figure, against_target, main_of
from tacit.learn.habits import learn_habits
from tacit.shell.history_import import HistoryFile

LINES = 100_000
_TOOLS = "git status|git diff|git add -A|git push|ls -la|cd ..|make test|make|npm test|docker ps|vim README|pytest -q"
_IMPORT = """
import resource, sys, tacit
from tacit.shell.history_import import HistoryFile
with tacit.open(sys.argv[1], cwd=sys.argv[2]) as vault:
    (done,) = vault.histories.import_history([HistoryFile(sys.argv[3], "zsh")])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, done.commands, done.new)
"""


def measure(folder: Path) -> Iterator[Figure]:
    with TemporaryDirectory(dir=folder) as place:
        path = Path(place) / "zsh_history"
        path.write_bytes(b"".join(history(LINES)))
        yield _memory(Path(place), path)
        yield _with_learning(Path(place), path)


def _with_learning(folder: Path, path: Path) -> Figure:
    """From the file to suggestions: lines of the log, the index, and the habits counted in it."""
    with tacit.open(folder / "home-learned", cwd=folder) as vault:
        store = vault.home.store
        logged = _cpu(lambda: vault.histories.import_history([HistoryFile(str(path), "zsh")]))
        indexed, learned = _cpu(store.catch_up), _cpu(lambda: learn_habits(store, str(folder)))
    note = f"CPU: {logged:.2f} s into the log, {indexed:.2f} s into the index, {learned:.2f} s of learning"
    return against_target(f"import of {LINES:,} zsh lines with learning", logged + indexed + learned, "s", note)


def history(count: int, at: int = 1_500_000_000) -> Iterator[bytes]:
    """The lines of an extended history, always the same."""
    chance, often = random.Random("history"), _TOOLS.split("|")
    for number in range(count):
        at += chance.choice((1, 3, 8, 20, 60, 4000 if number % 40 == 0 else 5))
        command = chance.choice(often) if chance.random() < 0.65 else _rare(chance, number)
        yield f": {at}:{chance.choice((0, 0, 0, 1, 12))};{command}\n".encode()


def _rare(chance: random.Random, number: int) -> str:
    return chance.choice(
        (
            f"git commit -m 'fix the cache of page {number}'",
            f"rg -n 'handle_{number}' src/server",
            f"vim src/server/part_{number}.py",
            f"cd ~/src/project-{number % 700}/src",
            f"kubectl logs deploy/api-{number} --tail 100 | grep ERROR",
        )
    )


def _cpu(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def _memory(folder: Path, path: Path) -> Figure:
    command = [sys.executable, "-c", _IMPORT, str(folder / "home-memory"), str(folder), str(path)]
    began = time.monotonic()
    printed = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.split()
    peak, commands, new = (int(word) for word in printed)
    note = f"{commands:,} commands, {new:,} new, {time.monotonic() - began:.0f} s"
    return against_target(f"memory of an import of {LINES:,} lines", peak, "MB", note)


if __name__ == "__main__":
    sys.exit(main_of("history", __doc__, measure))
