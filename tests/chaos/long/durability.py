"""Rows of `make chaos` about what must not be lost: kill storms, crowds of writers, rebuilds and cuts of power."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from tests.chaos import crowd, power, rebuild, storm, workload
from tests.chaos.apart import apart
from tests.chaos.audit import Audit
from tests.chaos.long.rows import Result, Test

_WRITERS, _PROCESSES, _QUESTIONS = 16, 4, 200


@dataclass(frozen=True, slots=True)
class Size:
    """How much of each."""

    kills: int
    torn: int
    appends: int
    operations: int
    missed: int
    cuts: int
    mutant_cuts: int


LONG = Size(kills=1_000, torn=400, appends=1_000, operations=300, missed=50, cuts=20_000, mutant_cuts=4_000)
SHORT = Size(kills=60, torn=80, appends=40, operations=30, missed=5, cuts=300, mutant_cuts=100)


def tests(short: bool) -> Iterator[Test]:
    size = SHORT if short else LONG
    yield from _storms(size)
    yield from _cuts(size)
    yield from _crowds(size)
    yield from _rebuilds(size)


# T01


def _storms(size: Size) -> Iterator[Test]:
    yield Test("T01 kill storm on disk", lambda home: _storm(storm.Plan(home, size.kills)), on_disk=True)
    fast = partial(storm.Plan, seed=2, index=False)  # so many lines that indexing them would take longer than the storm
    yield Test("T01 kill storm in memory", lambda home: _storm(fast(home, size.kills)))
    mean = partial(storm.Plan, seed=3, mean=True, index=False)
    yield Test("T01 kills in the middle of writes", lambda home: _storm(mean(home, size.torn)))
    no_seal = partial(mean, kills=10 * size.torn, seal=False)
    yield Test("T01 mutant: no seal", lambda home: _storm_until_torn(no_seal(home)), mutant=True)


def _storm(plan: storm.Plan) -> Result:
    outcome = apart(storm.storm, plan)
    note = f"{outcome.audit.fragments} sealed fragments; {_unheard(outcome.audit)} there without acknowledgement"
    return _audited(outcome.kills, outcome.audit, note, other=0 if outcome.rebuilt_alike else 1)


def _storm_until_torn(plan: storm.Plan) -> Result:
    outcome = apart(storm.storms_until_a_write_is_torn, plan)
    return _audited(outcome.kills, outcome.audit, "kills until a line was lost")


def _unheard(audit: Audit) -> int:
    return audit.found - (audit.acknowledged - audit.lost)


def _audited(runs: int, audit: Audit, note: str = "", *, other: int = 0) -> Result:
    return Result(runs, audit.acknowledged, audit.lost, audit.faults + other, note)


# T03


def _crowds(size: Size) -> Iterator[Test]:
    yield Test("T03 sixteen writers", lambda home: _crowd(crowd.Plan(home, _WRITERS, size.appends)), on_disk=True)
    mutant = partial(crowd.Plan, writers=_WRITERS, appends=min(size.appends, 100), lock=False, in_pieces=True)
    yield Test("T03 mutant: in pieces, no lock", lambda home: _crowd(mutant(home)), mutant=True)


def _crowd(plan: crowd.Plan) -> Result:
    outcome = apart(crowd.crowd, plan)
    wrong = outcome.failed + outcome.misplaced
    return _audited(plan.writers * plan.appends, outcome.audit, _waiting(outcome) if plan.lock else "", other=wrong)


def _waiting(outcome: crowd.Outcome) -> str:
    half, most, longest = (outcome.wait(share) * 1000 for share in (0.5, 0.99, 1))
    return f"lock waited for: p50 {half:.1f} ms, p99 {most:.0f} ms, at most {longest:.0f} ms"


# T06


def _rebuilds(size: Size) -> Iterator[Test]:
    yield Test("T06 rebuild after random work", lambda home: _rebuilt(_life(home, size)))
    yield Test("T06 mutant: one event not applied", lambda home: _missed(_life(home, size), size.missed), mutant=True)


def _life(home: str, size: Size) -> workload.Plan:
    return workload.Plan(home, f"{home}-project", _PROCESSES, size.operations)


def _rebuilt(plan: workload.Plan) -> Result:
    done = apart(workload.live, plan)
    found = rebuild.compare(plan.home, _QUESTIONS)
    note = f"{found.memories} memories; {found.answered} of {_QUESTIONS} questions answered, all alike"
    differences = [found.same_rows, found.same_answers].count(False)
    return Result(plan.processes * plan.operations, done.total(), 0, differences, "" if differences else note)


def _missed(plan: workload.Plan, count: int) -> Result:
    """Some events are left out, one at a time; every such index must look different."""
    done = apart(workload.live, plan)
    entries = list(rebuild.filed(rebuild.open_store(plan.home)))
    whole = rebuild.index_of(entries)
    missed = random.Random(1).sample(rebuild.folded(entries), count)
    caught = sum(rebuild.index_of(entries, unheard=event) != whole for event in missed)
    return Result(count, done.total(), 0, caught if caught == count else 0, f"{caught} of {count} told apart")


# T02. A mutant must fail in a twentieth of all stories: 1,000 of 20,000.

_TWENTIETH = 20


def _cuts(size: Size) -> Iterator[Test]:
    """In memory, because the disk that is cut is simulated; only the last look at a log takes a real one."""
    whole = partial(power.Plan, holes=False)
    yield Test("T02 power cuts, append", partial(_append, power.Plan, size.cuts))
    yield Test("T02 power cuts, no sector lost", partial(_append, whole, size.cuts))
    for name, mutant in power.APPEND_MUTANTS.items():
        failed = partial(_stories, power.failed_stories, mutant, size.mutant_cuts)
        yield Test(f"T02 mutant: {name}", failed, mutant=True)
    yield Test("T02 power cuts, replace", partial(_replace, power.Plan, size.cuts))
    for name, mutant in power.REPLACE_MUTANTS.items():
        torn = partial(_stories, power.torn_stories, mutant, size.mutant_cuts)
        yield Test(f"T02 mutant: {name} (replace)", torn, mutant=True)


def _append(planned: Callable[[str], power.Plan], seeds: int, home: str) -> Result:
    plan = planned(home)
    found = power.append_stories(plan, range(seeds))
    if plan.holes:  # a line that nobody was promised may have a hole that no seal can tell
        return Result(seeds, found.acknowledged, found.lost, found.lost + found.doubled + found.disordered)
    return _audited(seeds, found, f"{found.fragments} sealed fragments; {found.unreadable} bad lines without a seal")


def _replace(planned: Callable[[str], power.Plan], seeds: int, home: str) -> Result:
    found = power.replace_stories(planned(home), range(seeds))
    return Result(seeds, found.acknowledged, found.wrong, found.wrong)


def _stories(
    count: Callable[[power.Plan, range], int], planned: Callable[[str], power.Plan], seeds: int, home: str
) -> Result:
    failed, least = count(planned(home), range(seeds)), seeds // _TWENTIETH
    return Result(seeds, 0, failed, failed, f"stories that failed; at least {least:,} must", least)
