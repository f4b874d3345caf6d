"""Three machines of a person: random work, offline and in any order, with kills, wrong clocks, restored homes and a
remote that arrives in pieces.

Each machine has a replica of the remote folder, as sync programs keep them, or all use one git repository. What goes
wrong on the way is healed at the end, every machine syncs, and then all must know the same.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tacit.log.incoming import is_about_memory, is_portable
from tacit.model.claim import Status
from tacit.model.memory import fold_memories
from tacit.purge.tombstones import is_purge
from tacit.remotes import RemoteSteps, segments
from tacit.remotes.keys import Ring, make_ring
from tacit.remotes.segments import Received, ReceivedSegment, receive
from tacit.vault import Vault, purging
from tests.chaos.apart import apart
from tests.chaos.outcome import Outcome, Row, assert_held, mutant_row
from tests.support.machines import LOCKED_RING, Machine

_COUNT = 3
_STEPS = 18
_SETTLING_ROUNDS = 3
_MAX_KILL_SECONDS = 0.12
_CARRIED = 0.7  # the share of files that a replica gets at a time
_WORDS = tuple(f"zebra{number}" for number in range(4))


@dataclass(frozen=True, slots=True)
class Plan:
    """Stories from `first` on. `git`: through a repository instead of replicated folders, `shared`: in one folder."""

    folder: str
    first: int
    stories: int
    git: bool = False
    shared: bool = False
    mutant: str = ""

    @property
    def has_replicas(self) -> bool:
        return not (self.git or self.shared)


class Added(NamedTuple):
    """A memory that was added: words in its sentence and evidence, and the purges that its author knew of."""

    sentence: str
    word: str
    evidence: str
    other: str
    known: frozenset[str] = frozenset()


class Story:
    """One random story, told by its number."""

    def __init__(self, plan: Plan, number: int) -> None:
        self._random = random.Random(f"{number} {plan.git}{' shared' if plan.shared else ''}")
        self.number = number
        self._plan = plan
        self._folder = Path(plan.folder) / f"story{number}"
        self._minutes = 0
        self._added: dict[str, Added] = {}
        self._forgotten: set[str] = set()
        self._purges: set[tuple[str, str]] = set()  # word and operation
        self._backups: dict[str, Path] = {}
        self._areas: dict[str, set[str]] = {}
        self.log: list[str] = []
        self._machines = list(self._make_machines())

    def _make_machines(self) -> Iterator[Machine]:
        self._folder.mkdir(parents=True)
        ring = make_ring()
        if self._plan.git:
            subprocess.run(["git", "init", "-q", "--bare", str(self._folder / "remote.git")], check=True)
        for number in range(self._count()):
            machine = self._make_machine(number)
            machine.join(ring, everything=self._random.random() < 0.3, locked_ring=self._locked(ring))
            yield machine

    def _make_machine(self, number: int) -> Machine:
        shared = "remote.git" if self._plan.git else "remote"
        remote = self._folder / (f"replica{number}" if self._plan.has_replicas else shared)
        remote.mkdir(exist_ok=True)
        clock = timedelta(hours=self._random.choice([0, 0, 0, -5, 7, 30]))
        return Machine(self._folder / f"home{number}", str(remote), clock)

    def _count(self) -> int:
        return _COUNT

    def _locked(self, _ring: Ring) -> bytes:
        """The file that a recovery phrase would open."""
        return LOCKED_RING

    @property
    def added(self) -> int:
        return len(self._added)

    # Steps

    def run(self) -> list[str]:
        """Return what is wrong at the end."""
        try:
            for _ in range(_STEPS):
                self._minutes += self._random.randrange(1, 60 * 24)
                machine = self._random.choice(self._machines)
                machine.minutes = self._minutes
                self._step(machine)
            self._heal()
            return list(self._faults())
        finally:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _steps(self) -> list[tuple[int, Callable[[Machine], object]]]:
        """What may happen, and how often."""
        return [
            (8, self._add),
            (3, self._forget),
            (2, self._purge),
            (8, self._sync),
            (4, self._killed_sync),
            (2, self._restore),
            (8 if self._plan.has_replicas else 0, self._carry),
        ]

    def _step(self, machine: Machine) -> None:
        steps = self._steps()
        (step,) = self._random.choices([step for _, step in steps], [weight for weight, _ in steps])
        self.log.append(f"{step.__name__} {machine.home.name}")
        step(machine)

    def _sync(self, machine: Machine) -> None:
        machine.sync()

    def _add(self, machine: Machine) -> None:
        """Add a memory with words that may have been purged, by somebody who may know of that or not."""
        word, other = self._random.choice(_WORDS), self._random.choice(_WORDS)
        number = len(self._added)
        added = Added(f"rule {number} of {machine.home.name} says {word}", word, f"{other} in book {number}", other)
        with machine.vault() as vault:
            vault.memories.add(added.sentence, everywhere=True, evidence=added.evidence)
            self._added[added.sentence] = added._replace(known=_purges(vault))
            if self._random.random() < 0.3:
                vault.changes.undo()
                vault.changes.redo()

    def _forget(self, machine: Machine) -> None:
        with machine.vault() as vault:
            known = [listed.memory for listed in vault.search.listing(scope="all")]
            if known:
                memory = self._random.choice(known)
                vault.memories.forget(memory.id, reason="no longer")
                self._forgotten.add(memory.claim.sentence)

    def _purge(self, machine: Machine) -> None:
        with machine.vault() as vault:
            if words := [word for word in _WORDS if _is_known(vault, word)]:
                word, before = self._random.choice(words), _purges(vault)
                vault.purger.purge(text=word)
                self._purges |= {(word, operation) for operation in _purges(vault) - before}

    def _killed_sync(self, machine: Machine) -> None:
        """A sync that is killed at a random moment, in a process group of its own with whatever it started."""
        child = os.fork()
        if child == 0:
            try:
                os.setsid()
                with machine.vault() as vault:
                    vault.exchange.machines.sync()
            finally:
                os._exit(0)
        time.sleep(self._random.random() * _MAX_KILL_SECONDS * (4 if self._plan.git else 1))
        for kill in (os.killpg, os.kill):
            try:
                kill(child, signal.SIGKILL)
            except ProcessLookupError:
                continue
        os.waitpid(child, 0)

    def _restore(self, machine: Machine) -> None:
        """Make a backup, or put an earlier one in place, after everything newer was published."""
        backup = self._backups.get(machine.home.name)
        if backup is None:
            self._backups[machine.home.name] = backup = self._folder / f"backup-of-{machine.home.name}"
            shutil.copytree(machine.home, backup)
            return
        self._sync(machine)
        self._areas_of(machine)
        shutil.rmtree(machine.home)
        shutil.copytree(self._backups.pop(machine.home.name), machine.home)
        shutil.rmtree(backup)

    # Replicas of a folder

    def _carry(self, machine: Machine) -> None:
        """Bring files of one replica to another: some of them, in any order, torn or under another name."""
        receiver = self._random.choice([other for other in self._everybody() if other is not machine])
        source, target, own = Path(machine.remote), Path(receiver.remote), self._areas_of(receiver)
        paths = [path for path in sorted(source.rglob("*")) if path.is_file() and path.parent.name not in own]
        for path in [path for path in paths if self._random.random() < _CARRIED]:
            data, place = path.read_bytes(), target / path.relative_to(source)
            place.parent.mkdir(exist_ok=True)
            accident = self._random.random()
            if accident < 0.15:
                data = data[: self._random.randrange(len(data) + 1)]
            elif accident < 0.25:
                place = place.with_name(f"{place.stem} (conflicted copy){place.suffix}")
            elif accident < 0.3:
                place = place.with_name(f"{place.name}~")
            place.write_bytes(data)
        if self._random.random() < _CARRIED:
            receiver.minutes = self._minutes
            self._sync(receiver)

    def _everybody(self) -> list[Machine]:
        return self._machines

    def _areas_of(self, machine: Machine) -> list[str]:
        """All areas that a machine ever wrote to, also those that it forgot about when a backup was restored."""
        keys = machine.store().machine()
        areas = self._areas.setdefault(machine.home.name, set())
        areas |= {keys.id, *keys.former}
        return sorted(areas)

    def _heal(self) -> None:
        """Everything arrives and everybody syncs, as often as it takes for a purge to reach all."""
        for _ in range(_SETTLING_ROUNDS):
            for machine in self._machines:
                machine.minutes = self._minutes = self._minutes + 60
                self._replicate()
                self._sync(machine)
        self._replicate()

    def _replicate(self) -> None:
        """Make all replicas equal: each area is as the machine that writes it has it."""
        if not self._plan.has_replicas:
            return
        owners = {area: machine for machine in self._machines for area in self._areas_of(machine)}
        for area, owner in owners.items():
            source = Path(owner.remote) / area
            for other in self._machines:
                target = Path(other.remote) / area
                if other is not owner and _files(source) != _files(target):
                    shutil.rmtree(target, ignore_errors=True)
                    if source.is_dir():
                        shutil.copytree(source, target)

    # What must hold

    def _faults(self) -> Iterator[str]:
        known = [self._knowledge(machine) for machine in self._machines]
        for number, facts in enumerate(known[1:], 1):
            if facts != known[0]:
                yield f"story {self.number}: machine 0 and {number} differ in {facts ^ known[0]}"
        statuses = {sentence: status for sentence, status, _ in known[0]}
        for added in self._added.values():
            status = statuses.get(added.sentence)
            is_forgotten = added.sentence in self._forgotten
            if self._is_purged(added.word, added):
                if status is not None:
                    yield f"story {self.number}: {added.sentence!r} was purged and is {status}"
            elif status is None:
                yield f"story {self.number}: {added.sentence!r} is lost"
            elif (status == Status.ACTIVE.value) == is_forgotten:
                yield f"story {self.number}: {added.sentence!r} is {status}, forgotten: {is_forgotten}"
        yield from self._leftovers()

    def _is_purged(self, word: str, added: Added) -> bool:
        """Whether a purge of the word holds for what was added: nobody says by accident what they know was purged."""
        return any(purged == word and operation not in added.known for purged, operation in self._purges)

    def _knowledge(self, machine: Machine) -> set[tuple[str, str, int]]:
        """Each memory by its sentence, with status and strength."""
        with machine.vault() as vault:
            events = [event for event in vault.home.store.log.events() if is_portable(event) and is_about_memory(event)]
        known = machine.everything_known
        assert {sentence for sentence, _, _ in known} == {one.claim.sentence for one in fold_memories(events).values()}
        return known

    def _leftovers(self) -> Iterator[str]:
        """No purged text in any log or page, no text at all on a remote."""
        gone = [added.sentence for added in self._added.values() if self._is_purged(added.word, added)]
        gone += [added.evidence for added in self._added.values() if self._is_purged(added.other, added)]
        for machine in self._machines:
            for path in [*machine.home.rglob("*.jsonl"), machine.home / "memory" / "long-term.md"]:
                data = path.read_bytes()
                yield from (f"story {self.number}: {text} in {path}" for text in gone if text.encode() in data)
            for path in Path(machine.remote).rglob("*"):
                if path.is_file() and (b"zebra" in (data := path.read_bytes()) or b"rule" in data):
                    yield f"story {self.number}: plain text in {path}"


def _files(folder: Path) -> set[tuple[str, int, int]] | None:
    """Name, size and time of each file; None if there is no such folder."""
    if not folder.is_dir():
        return None
    return {(entry.name, entry.stat().st_size, entry.stat().st_mtime_ns) for entry in os.scandir(folder)}


def _is_known(vault: Vault, word: str) -> bool:
    """Whether there is something to purge: in a sentence, as evidence may have been purged already."""
    return any(word in listed.memory.claim.sentence for listed in vault.search.listing(status=None, scope="all"))


def _purges(vault: Vault) -> frozenset[str]:
    """The purges that a home knows of."""
    return frozenset(event.op for event in vault.home.store.log.tombstones() if is_purge(event))


def stories(plan: Plan) -> Outcome:
    """Forks, so it is run apart."""
    return told(plan, Story, MUTANTS)


def told(plan: Plan, kind: type[Story], mutants: Mapping[str, Callable[[pytest.MonkeyPatch], None]]) -> Outcome:
    """All stories of a plan; of a mutant as far as the first that shows it."""
    if plan.mutant:
        mutants[plan.mutant](pytest.MonkeyPatch())  # never undone: this process is for the mutant alone
    faults: list[str] = []
    acknowledged = 0
    for number in range(plan.first, plan.first + plan.stories):
        story = kind(plan, number)
        try:
            wrong = story.run()
        except Exception as error:
            wrong = [f"story {number}: {type(error).__name__}: {error}"]
        if wrong:
            faults += [*wrong, f"story {number}: {', '.join(story.log)}"]
        acknowledged += story.added
        if wrong and plan.mutant:
            break
    lost = sum("is lost" in fault for fault in faults)
    return Outcome(plan.stories, acknowledged, lost, tuple(faults))


# Mutants: programs that leave out one step


def _ignore_late(patch: pytest.MonkeyPatch) -> None:
    """A purge reaches only what is older by its id, whoever knew of it."""
    patch.setattr(purging, "late_tombstones", lambda *_arguments: [])


def _ignore_tokens(patch: pytest.MonkeyPatch) -> None:
    """A restored home goes on under its old id."""
    patch.setattr(RemoteSteps, "_check_token", lambda _self, _session, *, change: None)


def _ignore_torn(patch: pytest.MonkeyPatch) -> None:
    """Whatever a manifest lists counts as taken, also what was not there."""

    def hasty(*arguments: Any) -> Received:
        found = receive(*arguments)
        manifest = found.area.manifests[0]
        names = {part.name for part in found.segments}
        rest = [
            ReceivedSegment(manifest, entry.name, [zlib.compress(b"")], arguments[-1])
            for entry in manifest.segments
            if entry.name not in names
        ]
        return found._replace(segments=(*found.segments, *rest))

    patch.setattr(segments, "receive", hasty)


MUTANTS = {"late": _ignore_late, "tokens": _ignore_tokens, "torn": _ignore_torn}


def test_after_any_story_all_machines_know_the_same_and_nothing_is_lost(tmp_path: Path) -> None:
    assert_held(apart(stories, Plan(str(tmp_path), first=0, stories=4)), acknowledged=4)


def rows(short: bool) -> Iterator[Row]:
    """Folder stories are in three rows, so that two run at a time."""
    folders, git, parts = (6, 2, 1) if short else (300, 100, 3)

    def some(at: Path, first: int, count: int, **more: Any) -> Outcome:
        return apart(stories, Plan(str(at), first, count, **more))

    for part in range(parts):
        yield Row(f"M1 three machines, folders {part + 1}", partial(some, first=part * folders, count=folders))
    yield Row("M1 three machines, git", partial(some, first=0, count=git, git=True))
    for mutant in MUTANTS:
        yield mutant_row(f"M1 mutant: {mutant}", partial(some, first=500, count=40, mutant=mutant))
