"""What a person's other machines cost: publishing a home, joining with an empty one, and purging one line on both.

    python -m bench.machines [--homes DIR] [--sizes 10000 100000] [--json]

Two homes meet at a folder. All are processes, with whatever they start, outside of any project. What is compared with
a rebuild is compared with one in the same run: `tacit doctor --reindex` of the home that has just joined.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path

import tacit
from bench.figures import Figure, against_target, amount, home_arguments, print_figures
from bench.homes import copy_of
from bench.processes import TACIT, Usage, environment_of, run

SIZES = (10_000, 100_000)
_REMOTE = "home"


class Person:
    """A machine of hers: a home, and what is typed there."""

    def __init__(self, home: Path, remote: Path) -> None:
        self.home, self._remote = home, remote
        self._environment = environment_of(home)

    def add_remote(self, phrase: str) -> Usage:
        return self.type("remote", "add", _REMOTE, str(self._remote), given=f"{phrase}\n".encode())

    def type(self, *words: str, given: bytes = b"") -> Usage:
        with chdir(self.home.parent):
            return run((TACIT, *words), self._environment, given=given)


def measure(folder: Path, size: int) -> Iterator[Figure]:
    with copy_of(folder, size) as home:
        remote = home.parent / "remote"
        remote.mkdir()
        laptop, desktop = Person(home, remote), Person(home.parent / "desktop" / "home", remote)
        desktop.home.parent.mkdir()
        with tacit.open(home.parent / "first", cwd=home.parent) as vault:  # a process would show the phrase to nobody
            phrase = vault.exchange.machines.add(_REMOTE, str(remote), everything=False, ask_phrase=str).phrase
        with tacit.open(home, cwd=home.parent) as vault:
            (memory, *_), _ = vault.search.latest(limit=1, offset=size // 3)
        published, joined = laptop.add_remote(phrase), desktop.add_remote(phrase)
        rebuilt = desktop.type("doctor", "--reindex")
        purged = laptop.type("purge", memory.id, "--yes")
        sent, applied = laptop.type("sync"), desktop.type("sync")
        laptop.type("add", "one more rule of the bench")
        added, taken = laptop.type("sync"), desktop.type("sync")

    def compared(name: str, one: Usage) -> Figure:
        note = f"{amount(one.cpu)} s against {amount(rebuilt.cpu)} s"
        return against_target(f"{size:,}: {name}, CPU against a rebuild", one.cpu / rebuilt.cpu, "×", note)

    def cpu(name: str, one: Usage) -> Figure:
        return against_target(f"{size:,}: {name}, CPU", one.cpu, "s", f"{one.wall:.1f} s by the clock")

    yield compared("joining", joined)
    for name, one in (("joining", joined), ("a rebuild", rebuilt), ("a purge that came by a sync", applied)):
        yield against_target(f"{size:,}: memory of {name}", one.memory, "MB")
    yield compared("purging one memory, the machine that it costs most", max(purged, applied))
    yield cpu("publishing everything", published)
    yield compared("the purge where it is typed", purged)
    yield cpu("the purge where it is typed", purged)
    yield cpu("the sync that sends it", sent)
    yield compared("the sync that brings it to the other machine", applied)
    yield cpu("the sync that brings it to the other machine", applied)
    yield cpu("a sync that sends one line", added)
    yield cpu("a sync that takes one line", taken)


def main() -> int:
    given = home_arguments("machines", __doc__, SIZES)
    return max(print_figures(measure(given.homes, size), as_json=given.json) for size in given.sizes)


if __name__ == "__main__":
    sys.exit(main())
