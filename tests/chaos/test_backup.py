"""A plain copy of a home while others write in it: restored elsewhere it is whole and has all that was before."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tacit.home.home import Home
from tacit.log.verify import verify
from tacit.model.event import ClaimProposed, Event
from tacit.vault import Vault
from tests.chaos.apart import apart
from tests.chaos.kills import index_faults
from tests.chaos.logs import events, judgement, open_log, origin
from tests.chaos.outcome import Outcome, Row, assert_held, mutant_row, together
from tests.chaos.workload import open_store
from tests.chaos.writers import Acknowledge, Writer, kill, listen, start

_WRITERS, _MOST, _PAUSE = 2, 1_000, 0.02  # so few that looking at a copy takes no longer than making it


@dataclass(frozen=True, slots=True)
class Plan:
    """So many copies. `early` is the mutant: it acknowledges first and writes afterwards."""

    folder: str
    copies: int
    early: bool = False

    @property
    def home(self) -> str:
        return os.path.join(self.folder, "home")


def backups(plan: Plan) -> Outcome:
    """Forks, so it is run apart."""
    Vault(Home(plan.home, cwd=plan.folder, environment={"HOME": plan.folder})).setup.init()
    writers = [start(partial(_write, plan, number)) for number in range(_WRITERS)]
    outcomes = []
    try:
        for number in range(plan.copies):
            outcomes.append(_one(plan, number, writers))
            if plan.early and outcomes[-1].lost:
                break
    finally:
        kill(writers)
    return together(outcomes)


def _write(plan: Plan, number: int, acknowledge: Acknowledge) -> None:
    """One writer uses the whole home, the other only the log, which is faster."""
    with Vault(Home(plan.home, cwd=plan.folder, environment={"HOME": plan.folder})) as vault:
        log = open_log(plan.home)
        for count in range(_MOST):
            time.sleep(_PAUSE)
            name = f"{number}.{count}"
            if plan.early:
                acknowledge(name)
                time.sleep(5 * _PAUSE)
            if number:
                log.append([judgement(name, f"thing {name}")], origin(str(number)))
            else:
                vault.memories.add(f"always test thing {count % 40}", evidence=name)
            if not plan.early:
                acknowledge(name)


def _one(plan: Plan, number: int, writers: list[Writer]) -> Outcome:
    listen(writers, 0.05 if number % 2 else 0.005)
    acknowledged = [name for writer in writers for name in writer.acknowledged]
    copy = Path(plan.folder, f"copy-{number}")
    subprocess.run(["cp", "-r", plan.home, str(copy)], check=False, stderr=subprocess.DEVNULL)  # files may vanish
    faults = tuple(f"copy {number}: {fault}" for fault in _faults(copy, acknowledged))
    lost = sum("is missing" in fault for fault in faults)
    subprocess.run(["rm", "-rf", str(copy)], check=True)
    return Outcome(1, len(acknowledged), lost, faults)


def _name(event: Event) -> str:
    if not isinstance(event.body, ClaimProposed):
        return ""
    return event.body.evidence or event.body.claim.triple.object


def _faults(copy: Path, acknowledged: list[str]) -> Iterator[str]:
    log = open_store(str(copy)).log
    held = {_name(event) for segment in log.segments() for event in events(log, segment)}
    yield from (f"{name} is missing" for name in acknowledged if name not in held)
    yield from (f"serious: {finding.what}" for finding in verify(log) if finding.serious)
    yield from index_faults(copy)


def test_a_copy_made_while_others_write_is_whole(tmp_path: Path) -> None:
    assert_held(apart(backups, Plan(str(tmp_path), copies=12)), acknowledged=100)


def rows(short: bool) -> Iterator[Row]:
    copies = 6 if short else 40
    yield Row("T19 copies while others write", lambda at: apart(backups, Plan(str(at), copies)))
    early = partial(Plan, copies=60, early=True)
    yield mutant_row("T19 mutant: acknowledged too early", lambda at: apart(backups, early(str(at))), "is missing")
