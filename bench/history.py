"""What the import of a history costs against the least one could do with it: read the lines and `json.dumps` them.

Both are done in turn in one process, on 100,000 lines of an extended zsh history in which, as in real ones, a few
commands make up most and every third line stands there for the first time. Learning is not part of that, and measured
last. The memory is that of another process, which imports the same file; with `--huge` also one of 2 GB.

The baseline makes one JSON object of each line, with two numbers beside it, as a command has a time and a duration. Of
the bare string it would be one call into C; that figure stands beside it, and no event can be made in so little.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import tacit
from bench.figures import Figure, amount, at_most, median, show
from tacit.learn.habits import learn_habits
from tacit.shell.history_import import HistoryFile

LINES, ROUNDS = 100_000, 7
TARGET, MEMORY, LEARNED = 3, 200, 6
HUGE = 2 << 30
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
        yield from _speed(Path(place), path)
        yield _memory(Path(place), path, f"{LINES:,} lines")
        yield _with_learning(Path(place), path)


def _with_learning(folder: Path, path: Path) -> Figure:
    """From the file to suggestions: lines of the log, the index, and the habits counted in it."""
    with tacit.open(folder / "home-learned", cwd=folder) as vault:
        store = vault.home.store
        filed = _cpu(lambda: vault.histories.import_history([HistoryFile(str(path), "zsh")]))
        indexed, learned = _cpu(store.catch_up), _cpu(lambda: learn_habits(store, str(folder)))
    note = f"CPU: {filed:.2f} s into the log, {indexed:.2f} s into the index, {learned:.2f} s of learning"
    return at_most(f"import of {LINES:,} zsh lines with learning", filed + indexed + learned, LEARNED, " s", note)


def huge(folder: Path) -> Iterator[Figure]:
    """Two gigabytes: ordinary lines, lines of a megabyte, bytes that are no text, and a hole."""
    with TemporaryDirectory(dir=folder) as place:
        path = Path(place) / "zsh_history"
        _fill(path)
        yield _memory(Path(place), path, f"{path.stat().st_size / (1 << 30):.1f} GB")


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


def _speed(folder: Path, path: Path) -> Iterator[Figure]:
    imports, dumps, strings = [], [], []
    for number in range(ROUNDS):
        with tacit.open(folder / f"home-{number}", cwd=folder) as vault:
            imports.append(_cpu(lambda: vault.histories.import_history([HistoryFile(str(path), "zsh")])))
        dumps.append(_cpu(lambda: _dump_records(path)))
        strings.append(_cpu(lambda: _dump_strings(path)))
    one, other, least = (median(times) for times in (imports, dumps, strings))
    note = f"{one:.2f} s against {other:.2f} s; {one / LINES * 1e6:.1f} µs a line"
    yield at_most(f"import of {LINES:,} zsh lines against reading and `json.dumps`", one / other, TARGET, " ×", note)
    yield Figure("the same against `json.dumps` of the bare strings", f"{amount(one / least)} × ({least:.2f} s)")


def _cpu(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def _dump_records(path: Path) -> None:
    with open(path, encoding="utf-8") as file:
        for line in file:
            json.dumps({"command": line, "at": 1_600_000_000, "duration": 0})


def _dump_strings(path: Path) -> None:
    with open(path, encoding="utf-8") as file:
        for line in file:
            json.dumps(line)


def _memory(folder: Path, path: Path, what: str) -> Figure:
    command = [sys.executable, "-c", _IMPORT, str(folder / "home-memory"), str(folder), str(path)]
    began = time.monotonic()
    told = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.split()
    peak, commands, new = (int(word) for word in told)
    note = f"{commands:,} commands, {new:,} new, {time.monotonic() - began:.0f} s"
    return at_most(f"memory of an import of {what}", peak, MEMORY, " MB", note)


def _fill(path: Path) -> None:
    with open(path, "wb") as file:
        for number in range(HUGE // (64 << 20)):
            file.writelines(history(LINES, 1_300_000_000 + number * 10_000_000))
            file.write(b"x" * (1 << 20) + b"\n" + os.urandom(1 << 20))
            for _ in range(24):
                file.write(b": 1700000000:0;" + b"y" * (1 << 20) + b"\n")
            file.seek(number * (64 << 20) + (64 << 20))  # a hole reads as NULs
        file.write(b"\n: 1700000001:0;the last one\n")


if __name__ == "__main__":
    if "--huge" in sys.argv:
        sys.argv.remove("--huge")
        show("Memory of an import of 2 GB.", huge)
    else:
        show("Import of a history against reading and json.dumps.", measure)
