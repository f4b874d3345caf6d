"""What a command costs as a process, in CPU, against a bare interpreter in the same run.

Each round starts all of them once, so that whatever else the machine does falls on all alike. CPU is user plus
system time of the child as the kernel counted it; waiting for the disk is not in it. A home that was asked much has
activity that is not filed in the index yet, and must answer as cheaply as a fresh one.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import tacit
from bench.figures import Figure, at_most, median, show
from bench.homes import copy_of, queries_of
from tacit.model.claim import GLOBAL
from tacit.model.event import Draft
from tacit.model.observation import RecallAsked

ROUNDS, WARM_UP = 41, 3
MEMORIES, ASKED = 10_000, 800
EVERYDAY_MEMORIES = 100
RECALL_TARGET, HELP_TARGET, EVERYDAY_TARGET = 6, 6, 10
_EVERYDAY = ("add", "list", "show", "why", "status", "accept")
_TACIT = os.path.join(os.path.dirname(sys.executable), "tacit")
_BARE = (sys.executable, "-I", "-c", "pass")


def measure(folder: Path) -> Iterator[Figure]:
    with copy_of(folder, MEMORIES) as fresh, copy_of(folder, MEMORIES) as used:
        queries = _answered(fresh, queries_of(folder, MEMORIES))
        _ask_much(used, queries)
        bare, helped, *recalled = _rounds(fresh, used, queries)
    yield _against(bare, f"`tacit recall` as a process, {MEMORIES:,} memories", recalled[0], RECALL_TARGET)
    yield _against(bare, f"the same after {ASKED} questions", recalled[1], RECALL_TARGET)
    yield _against(bare, "`tacit --help` as a process", helped, HELP_TARGET)
    bare, *everyday = _everyday_rounds()
    for name, times in zip(_EVERYDAY, everyday, strict=True):
        yield _against(bare, f"`tacit {name}` as a process, {EVERYDAY_MEMORIES} memories", times, EVERYDAY_TARGET)


def cpu_of(command: tuple[str, ...], home: Path) -> float:
    """Seconds of CPU that a command took, standing in no project; it must succeed."""
    environment = {"PATH": os.environ.get("PATH", ""), "HOME": str(home.parent), "TACIT_HOME": str(home)}
    silence = [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_WRONLY, 0) for stream in (1, 2)]
    child = os.posix_spawn(command[0], command, environment, file_actions=silence)
    _, status, used = os.wait4(child, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        raise SystemExit(f"{' '.join(command)} failed")
    return used.ru_utime + used.ru_stime


def _rounds(fresh: Path, used: Path, queries: Sequence[str]) -> list[list[float]]:
    before = os.getcwd()
    os.chdir(fresh.parent)
    rounds = [
        (
            cpu_of(_BARE, fresh),
            cpu_of((_TACIT, "--help"), fresh),
            cpu_of((_TACIT, "recall", query), fresh),
            cpu_of((_TACIT, "recall", query), used),
        )
        for query in queries
    ]
    os.chdir(before)
    return [list(column) for column in zip(*rounds[WARM_UP:], strict=True)]


def _everyday_rounds() -> list[list[float]]:
    """Commands on a home of a person who has just begun: each round adds a memory and accepts another candidate."""
    with tempfile.TemporaryDirectory() as place:
        home = Path(place) / "home"
        with tacit.open(home, cwd=place) as vault:
            for number in range(EVERYDAY_MEMORIES):
                vault.add(f"keep the tests of module {number} below {number} seconds")
            shown = vault.add("never push to main").memory.id
            proposed = [
                vault.memories.remember(
                    f"deploys of service {number} need ticket {number}", evidence="said so"
                ).memory.id
                for number in range(ROUNDS + WARM_UP)
            ]
        before = os.getcwd()
        os.chdir(place)
        rounds = [
            (
                cpu_of(_BARE, home),
                cpu_of((_TACIT, "add", f"service {number} listens on port {4000 + number}"), home),
                cpu_of((_TACIT, "list"), home),
                cpu_of((_TACIT, "show", shown), home),
                cpu_of((_TACIT, "why", shown), home),
                cpu_of((_TACIT, "status"), home),
                cpu_of((_TACIT, "accept", candidate), home),
            )
            for number, candidate in enumerate(proposed)
        ]
        os.chdir(before)
    return [list(column) for column in zip(*rounds[WARM_UP:], strict=True)]


def _against(bare: Sequence[float], name: str, times: Sequence[float], target: float) -> Figure:
    base, value = median(bare), median(times)
    note = f"{value * 1000:.0f} ms against {base * 1000:.0f} ms"
    return at_most(f"CPU of {name}, against bare `python -I -c pass`", value / base, target, " ×", note)


def _answered(home: Path, queries: Sequence[str]) -> list[str]:
    """As many queries as there are rounds, of those that find something: a command without answers exits with 1."""
    with tacit.open(home, cwd=home.parent) as vault:
        found = [query for query in queries[: 2 * ROUNDS] if vault.search.recall(query, observe=False)]
    return found[: ROUNDS + WARM_UP]


def _ask_much(home: Path, queries: Sequence[str]) -> None:
    """Note as many questions in the log as a person asks in some weeks."""
    with tacit.open(home, cwd=home.parent) as vault:
        for at in range(ASKED):
            vault.home.store.observe(Draft(RecallAsked(queries[at % len(queries)], 10), GLOBAL))


if __name__ == "__main__":
    show("CPU of commands against a bare interpreter.", measure)
