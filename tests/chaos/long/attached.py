"""Rows of `make chaos` with agents, shells and their programs attached: hooks of every host, recorders, servers,
installers, clocks, languages, giants, a year of work, and everything once more without a network.

`found` counts what a host, a person or a later look would notice. Times are part of a row only where it says so.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tests.chaos import (
    budget,
    clocks,
    giant_transcripts,
    hook_contract,
    hook_storm,
    installs,
    locales,
    many_sessions,
    mcp_storm,
    offline,
    removed,
    replay,
    stalled_read,
    year,
)
from tests.chaos.long.rows import Result, Test, result
from tests.chaos.outcome import Outcome
from tests.chaos.speed import slowdown
from tests.hooks.test_agent import WRONG
from tests.support.hook_calls import CALLS, Call

# What other rows of the table run in their long form anyway.
_SUITE = ("--ignore=tests/chaos", "--ignore=tests/hostile")
_LOG, _TIMES, _OPENED, _ASKED = 400, 2.0, 100, 50  # MB, × the log, ms, ms (T44)


@dataclass(frozen=True, slots=True)
class Size:
    """How much of each; nought where every moment is meant."""

    transcripts: int
    rounds: int
    hooks: int
    messages: int
    giant: int
    hole: int
    sessions: int
    troubles: int
    moments: int
    languages: int
    installs: int
    kills: int
    days: int
    calls: tuple[Call, ...]
    hosts: int
    suite: tuple[str, ...]


LONG = Size(
    *(50, 10, 500, 20_000, 100 << 20, 10 << 30, 10_000, len(WRONG), 14, 6, 300, 0, 365, (), len(removed.HOSTS), _SUITE)
)
SHORT = Size(
    4, 3, 24, 1_000, 20 << 20, 1 << 30, 300, 3, 3, 1, 20, 1, 2, CALLS[:1], 1, ("tests/shell/test_record_light.py",)
)


def tests(short: bool) -> Iterator[Test]:
    size = SHORT if short else LONG
    yield _row("T16 captured over and over", lambda at: replay.replay(at, size.transcripts, size.rounds))
    yield _row("T18 hooks of all sorts, file grows", lambda at: hook_storm.live(at, size.hooks))
    yield _row("T42 models that misbehave", lambda at: budget.misbehaving(at, size.messages // 200))
    yield _row("T34 anything into the MCP server", lambda _: mcp_storm.storm(size.messages, seed=2))
    yield from _giants(size)
    yield from _hooks(size)
    yield from _year(size)
    yield from _surroundings(size)
    yield from _installing(size)
    if offline.namespace():
        yield _row("T50 tests without a network", lambda _: offline.suite(*size.suite))


def _row(name: str, work: Callable[[Path], Outcome], *, on_disk: bool = False) -> Test:
    return Test(name, lambda home: result(work(Path(home))), on_disk=on_disk)


def _giants(size: Size) -> Iterator[Test]:
    sizes = {"long line": size.giant, "deep line": 5 << 20, "many lines": 2 * size.giant, "hole": size.hole}
    for piece, large in sizes.items():
        work = partial(giant_transcripts.giant, name=piece, size=large)
        yield _row(f"T39 transcript, {piece}", work, on_disk=True)
    yield _row("T39 many sessions", lambda at: many_sessions.many_sessions(at, size.sessions), on_disk=True)


def _hooks(size: Size) -> Iterator[Test]:
    yield _row("T40 hooks of all hosts in trouble", lambda at: hook_contract.contract(at, WRONG[: size.troubles]))
    yield _row("T40 hooks on a slow disk", hook_contract.lost_on_a_slow_disk)
    yield _row("T40 hooks, a read that stalls", lambda at: stalled_read.stalled(at, size.calls))
    yield _row("T40 and no signal ends it", lambda at: stalled_read.stalled(at, size.calls, killable=False))


def _surroundings(size: Size) -> Iterator[Test]:
    told = clocks.MOMENTS[: size.moments]
    yield _row("T45 clocks that are told", lambda at: clocks.clocks(at, told))
    if clocks.faked():
        yield _row("T45 clocks of the machine", lambda at: clocks.clocks(at, told, machine=True))
    yield _row("T46 languages and bytes", lambda at: locales.locales(at, locales.LOCALES[: size.languages]))


def _installing(size: Size) -> Iterator[Test]:
    yield _row("T49 installed and taken out", lambda at: installs.again(at, size.installs))
    yield _row("T49 installed, then removed", lambda at: removed.removed(at, removed.HOSTS[: size.hosts]))
    for name in installs.AGENTS:
        yield _row(f"T49 install killed, {name}", partial(installs.killed, name=name, most=size.kills))


# T44


def _year(size: Size) -> Iterator[Test]:
    yield Test("T44 a year of work", partial(_grown, size.days), on_disk=True, alone=True)


def _grown(days: int, home: str) -> Result:
    found = year.year(Path(home), days)
    shutil.rmtree(home)
    slower = slowdown()
    most, opened = sorted(found.asked)[int(len(found.asked) * 0.99)] / slower, found.opened / slower
    times = found.on_disk / found.log
    wrong = list(found.lost)
    wrong += [f"log {found.log >> 20} MB"] * (found.log > _LOG << 20)
    wrong += [f"index {times:.1f} × the log"] * (times > _TIMES) + [f"p99 {most:.0f} ms"] * (most > _ASKED)
    wrong += [f"opened in {opened:.0f} ms"] * (opened > _OPENED)
    note = f"{found.days} days, log {found.log >> 20} MB, index {times:.2f} ×, opened {opened:.0f} ms CPU, "
    note += f"recall p99 {most:.0f} ms CPU; too much: {', '.join(wrong) or 'nothing'}"
    return Result(found.events, found.events, len(found.lost), len(wrong), note)
