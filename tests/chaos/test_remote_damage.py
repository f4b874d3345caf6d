"""Machines whose remote is damaged and goes back: bits are flipped, files cut, deleted and swapped for older ones,
areas and whole remotes become what they were days ago, or nothing, and the copy of a git repository is damaged.

Each machine tells what it meets. When the faults stop and everybody syncs, all know the same, nothing is lost, nothing
that was purged is left, and a machine that joins then gets everything.
"""

from __future__ import annotations

import random
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tacit.model.claim import Status
from tacit.purge.tombstones import is_purge
from tacit.remotes import damage
from tacit.remotes.faults import Fault
from tacit.remotes.keys import make_ring
from tacit.remotes.manifests import Manifest, RemoteReport, unseal_manifest
from tests.chaos.apart import apart
from tests.chaos.outcome import Outcome, Row, assert_held, mutant_row
from tests.support.machines import Machine, plain_text

_MACHINES, _MOST_MACHINES = 3, 5
_STEPS = 22
_HOUR, _DAY = 60, 60 * 24
_SETTLING_ROUNDS = 3
_CARRIED_ROUNDS = 4  # a file that the sync program lost is asked for after a day, sent, and taken
_WORDS = tuple(f"zebra{number}" for number in range(4))
_ACCIDENTS = 1 / 6
_FIXED = ("manifest.age", "ring.age", "keys.age")
SHARED, REPLICAS, GIT = "folder", "replicas", "git"


@dataclass(frozen=True, slots=True)
class Plan:
    """Stories from `first` on, on one folder, on replicas of a folder that a sync program keeps equal, or on git."""

    folder: str
    first: int
    stories: int
    kind: str = SHARED
    mutant: str = ""


class Story:
    """One random story, told by its number."""

    def __init__(self, plan: Plan, number: int) -> None:
        self._random = random.Random(f"damage {number} {plan.kind}")
        self.number = number
        self._kind = plan.kind
        self._folder = Path(plan.folder) / f"story{number}"
        self._folder.mkdir(parents=True)
        self._ring = make_ring()
        self._minutes = 0
        self._added: dict[str, tuple[str, frozenset[str]]] = {}  # the word in it, and the purges that its author knew
        self._forgotten: set[str] = set()
        self._purges: set[tuple[str, str]] = set()  # word and operation
        self._snapshots: list[Path] = []
        self._written: dict[str, dict[str, bytes]] = {}  # what each machine wrote last, by its area
        self._carried: dict[Path, bytes] = {}
        self._is_over = False
        self._faults: list[str] = []
        self.log: list[str] = []
        self._machines: list[Machine] = []
        if self._kind == GIT:
            subprocess.run(["git", "init", "-q", "--bare", str(self._folder / "remote.git")], check=True)
        for _ in range(_MACHINES):
            self._join()

    @property
    def added(self) -> int:
        return len(self._added)

    def run(self) -> list[str]:
        """Return what is wrong."""
        try:
            for _ in range(_STEPS):
                self._minutes += self._random.randrange(1, _DAY)
                self._step(self._random.choice(self._machines))
            self._heal()
            return [f"story {self.number}: {fault}" for fault in (*self._faults, *self._wrong_at_the_end())]
        finally:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _step(self, machine: Machine) -> None:
        machine.minutes = self._minutes
        steps: list[tuple[int, Callable[[Machine], object]]] = [
            (6, self._add),
            (2, self._forget),
            (2, self._purge),
            (9, self._sync),
            (1, self._join_and_sync),
            (2, self._snapshot),
            (3, self._damage_copy if self._kind == GIT else self._damage_file),
            (2, self._roll_back),
        ]
        (step,) = self._random.choices([step for _, step in steps], [weight for weight, _ in steps])
        self.log.append(f"{step.__name__} {machine.home.name}")
        step(machine)

    # What people do

    def _join(self) -> Machine:
        number = len(self._machines)
        names = {SHARED: "remote", REPLICAS: f"replica{number}", GIT: "remote.git"}
        remote = self._folder / names[self._kind]
        remote.mkdir(exist_ok=True)
        machine = Machine(self._folder / f"home{number}", str(remote))
        machine.join(self._ring)
        machine.minutes = self._minutes
        self._machines.append(machine)
        return machine

    def _join_and_sync(self, _machine: Machine) -> None:
        if len(self._machines) < _MOST_MACHINES:
            self._sync(self._join())

    def _add(self, machine: Machine) -> None:
        word = self._random.choice(_WORDS)
        sentence = f"rule {len(self._added)} of {machine.home.name} says {word}"
        with machine.vault() as vault:
            vault.memories.add(sentence, everywhere=True)
            self._added[sentence] = word, _purges(machine)

    def _forget(self, machine: Machine) -> None:
        if known := sorted(machine.known):
            sentence = self._random.choice(known)
            machine.forget(sentence)
            self._forgotten.add(sentence)

    def _purge(self, machine: Machine) -> None:
        if words := [word for word in _WORDS if any(word in sentence for sentence in machine.known)]:
            word, before = self._random.choice(words), _purges(machine)
            machine.purge(word)
            self._purges |= {(word, operation) for operation in _purges(machine) - before}

    def _sync(self, machine: Machine) -> RemoteReport:
        """Sync, and hold what was said against what lies there."""
        self._carry(machine)
        expected = [*self._to_be_told(machine)] if self._kind == SHARED else []
        before = {peer.manifest.machine: peer.manifest.sequence for peer in machine.state.peers}
        report = machine.try_sync()
        if report.problem is not None:
            self._faults.append(f"{machine.home.name} could not sync: {report.problem}")
        told = {other.id: other for other in report.machines}
        for area, what, is_told in expected:
            if (
                not (told.get(area) and is_told(told[area]))
                and area not in report.foreign
                and not (area == machine.area and report.notes)
            ):
                self._faults.append(f"{machine.home.name} did not tell: {what} of {area[:8]} ({report})")
        for peer in machine.state.peers:
            if peer.manifest.sequence < before.get(peer.manifest.machine, 0):
                self._faults.append(
                    f"{machine.home.name} went back to an older manifest of {peer.manifest.machine[:8]}"
                )
        if self._kind != GIT:
            self._written[machine.area] = _files(Path(machine.remote, machine.area))
        return report

    # What goes wrong

    def _damage_file(self, machine: Machine) -> None:
        """A bit, a cut, a deletion, or the same file as it was earlier."""
        paths = [path for path in sorted(Path(machine.remote).rglob("*.age")) if path.stat().st_size]
        if paths:
            path = self._random.choice(paths)
            older = [copy / path.relative_to(machine.remote) for copy in self._snapshots]
            self._harm(path, [copy for copy in older if copy.is_file()])

    def _harm(self, path: Path, older: Sequence[Path] = ()) -> None:
        data = bytearray(path.read_bytes())
        how = self._random.choice(["bit", "bit", "cut", "deletion", *(["older"] if older else [])])
        self.log[-1] += f" {how} {path.parent.name[:8]}/{path.name}"
        if how == "bit":
            data[self._random.randrange(len(data))] ^= 1 << self._random.randrange(8)
            path.write_bytes(data)
        elif how == "cut":
            path.write_bytes(data[: self._random.randrange(len(data))])
        elif how == "deletion":
            path.unlink()
        else:
            shutil.copy(self._random.choice(older), path)

    def _damage_copy(self, machine: Machine) -> None:
        """Bits in the copy of the repository that a home has."""
        mirror = machine.home / ".tacit" / "remotes" / "home.git"
        for path in [path for path in sorted(mirror.rglob("*")) if path.is_file() and path.stat().st_size]:
            if self._random.random() < 0.2:
                data = bytearray(path.read_bytes())
                data[self._random.randrange(len(data))] ^= 1 << self._random.randrange(8)
                path.chmod(0o600)
                path.write_bytes(data)

    def _snapshot(self, machine: Machine) -> None:
        self._snapshots.append(self._folder / f"snapshot{len(self._snapshots)}")
        shutil.copytree(machine.remote, self._snapshots[-1])

    def _roll_back(self, machine: Machine) -> None:
        """The remote, or one area of it, is as it was at a snapshot, or empty."""
        remote, source = Path(machine.remote), self._random.choice([None, *self._snapshots])
        if self._random.random() < 0.5:
            self.log[-1] += f" all to {source and source.name}"
            shutil.rmtree(remote)
            if source:
                shutil.copytree(source, remote)
            elif self._kind == GIT:
                subprocess.run(["git", "init", "-q", "--bare", str(remote)], check=True)
            else:
                remote.mkdir()
            return
        areas = sorted({other.area for other in self._machines})
        area = self._random.choice(areas)
        self.log[-1] += f" {area[:8]} to {source and source.name}"
        place = Path("refs", "heads", area) if self._kind == GIT else Path(area)
        if self._kind == GIT and source:  # its objects are needed; the branches alone go back
            subprocess.run(["cp", "-rn", f"{source}/objects/.", f"{remote}/objects"], check=True)
        shutil.rmtree(remote / place, ignore_errors=True)
        if source and (source / place).is_dir():
            shutil.copytree(source / place, remote / place)

    # A sync program, which carries what its owner changed and does not look at what it brought

    def _carry(self, machine: Machine) -> None:
        """Bring what the others wrote. As long as there are faults, a file in six is damaged or lost on the way."""
        if self._kind != REPLICAS:
            return
        for owner in self._machines:
            source, target = Path(owner.remote, owner.area), Path(machine.remote, owner.area)
            if owner is machine or not source.is_dir():
                continue
            target.mkdir(exist_ok=True)
            for name, data in _files(source).items():
                if self._carried.get(target / name) != data:
                    (target / name).write_bytes(data)
                    self._carried[target / name] = data
                    if not self._is_over and self._random.random() < _ACCIDENTS:
                        self._harm(target / name)
            for name in _files(target).keys() - _files(source).keys():
                (target / name).unlink()
            for path in [path for path in self._carried if path.parent == target and not (source / path.name).exists()]:
                del self._carried[path]

    # What must hold

    def _to_be_told(self, machine: Machine) -> Iterator[tuple[str, str, Callable[[Any], bool]]]:
        """Yield the areas about which something must be said, what it is, and what says it."""
        state, own = machine.state, machine.area
        manifests = {other.area: self._manifest(machine, other.area) for other in self._machines}
        claims: dict[str, int] = {}
        for area, manifest in manifests.items():
            for other, sequence in manifest.sequences if manifest and area != own else ():
                claims[other] = max(sequence, claims.get(other, 0))
        for area, written in self._written.items():
            lying, manifest, peer = _files(Path(machine.remote, area)), manifests.get(area), state.peer(area)
            if area == own:
                changed = {name for name in written if _is_changed(name, written[name], lying.get(name))}
                if changed and state.written is not None:
                    yield area, f"own {sorted(changed)}", lambda _: False
                continue
            seen = max(peer.manifest.sequence if peer else 0, claims.get(area, 0))
            if manifest is None and lying and seen:
                yield area, "an unreadable manifest", lambda told: told.damaged + told.missing > 0
            elif (manifest.sequence if manifest else 0) < seen:
                yield area, "an older part", lambda told: told.is_rolled_back or told.is_incomplete
            elif manifest:
                for entry in manifest.segments:
                    data = lying.get(entry.file)
                    if not (peer and entry.name in peer.taken) and data != written.get(entry.file, data):
                        is_damage = data is not None and len(data) == entry.size
                        if is_damage:
                            yield area, f"a damaged {entry.name[:8]}", lambda told: told.damaged > 0
                        else:
                            yield area, f"a lost {entry.name[:8]}", lambda told: told.damaged + told.missing > 0

    def _manifest(self, machine: Machine, area: str) -> Manifest | None:
        path = Path(machine.remote, area, "manifest.age")
        return unseal_manifest(self._ring, path.read_bytes()) if path.is_file() else None

    def _heal(self) -> None:
        """No fault any more: everybody syncs, a machine joins, and everybody syncs again."""
        self._is_over = True
        rounds = _CARRIED_ROUNDS if self._kind == REPLICAS else _SETTLING_ROUNDS
        for number in range(rounds * 2):
            if number == rounds:
                self._join()
            self._minutes += _DAY + _HOUR
            for machine in self._machines:
                machine.minutes = self._minutes = self._minutes + 1
                self._sync(machine)
        for machine in self._machines:
            machine.minutes = self._minutes = self._minutes + 1
            report = self._sync(machine)
            others = [
                other for other in report.machines if other.is_rolled_back or other.is_incomplete or other.missing
            ]
            if report.damaged or report.foreign or report.notes or others:
                self._faults.append(f"{machine.home.name} is not mended: {report}")

    def _wrong_at_the_end(self) -> Iterator[str]:
        known = [machine.everything_known for machine in self._machines]
        for machine, facts in zip(self._machines[1:], known[1:], strict=True):
            if facts != known[0]:
                yield f"{self._machines[0].home.name} and {machine.home.name} differ in {facts ^ known[0]}"
        statuses = {sentence: status for sentence, status, _ in known[0]}
        for sentence, (word, knew) in self._added.items():
            status = statuses.get(sentence)
            if any(purged == word and operation not in knew for purged, operation in self._purges):
                if status is not None:
                    yield f"{sentence!r} was purged and is {status}"
                yield from (f"{sentence} in {place}" for place in self._places_of(sentence.encode()))
            elif status is None:
                yield f"{sentence!r} is lost"
            elif (status == Status.ACTIVE.value) == (sentence in self._forgotten):
                yield f"{sentence!r} is {status}, forgotten: {sentence in self._forgotten}"

    def _places_of(self, text: bytes) -> Iterator[str]:
        """Yield where a text is left: in a home, or encrypted on a remote or in the copy of one."""
        for machine in self._machines:
            yield from (str(path) for path in machine.home.rglob("*.jsonl") if text in path.read_bytes())
            if self._kind != GIT:
                files = Path(machine.remote).rglob("*.age")
                yield from (str(path) for path in files if text in plain_text(self._ring, path.read_bytes()))
            else:
                mirror = machine.home / ".tacit" / "remotes" / "home.git"
                yield from (str(mirror) for data in _objects(mirror) if text in plain_text(self._ring, data))


def _is_changed(name: str, written: bytes, lying: bytes | None) -> bool:
    """Whether a machine must notice at once that a file of its own is not what it wrote."""
    return written != lying if name in _FIXED else lying is None or len(written) != len(lying)


def _files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()} if folder.is_dir() else {}


def _objects(repository: Path) -> list[bytes]:
    git = ["git", f"--git-dir={repository}", "cat-file"]
    rows = subprocess.run([*git, "--batch-all-objects", "--batch-check"], capture_output=True, check=True).stdout
    blobs = [row.split()[0].decode() for row in rows.splitlines() if b" blob " in row]
    return [subprocess.run([*git, "blob", blob], capture_output=True, check=True).stdout for blob in blobs]


def _purges(machine: Machine) -> frozenset[str]:
    """The purges that a home knows of."""
    with machine.vault() as vault:
        return frozenset(event.op for event in vault.home.store.log.tombstones() if is_purge(event))


def stories(plan: Plan) -> Outcome:
    if plan.mutant:
        MUTANTS[plan.mutant](pytest.MonkeyPatch())  # never undone: this process is for the mutant alone
    faults: list[str] = []
    acknowledged = 0
    for number in range(plan.first, plan.first + plan.stories):
        story = Story(plan, number)
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


def _deaf(patch: pytest.MonkeyPatch) -> None:
    """Nobody sends again what another machine asks for."""
    patch.setattr(damage, "_file_requests", lambda *_words: iter(()))


def _lenient(patch: pytest.MonkeyPatch) -> None:
    """What is damaged counts as still arriving, for ever."""
    patch.setattr(Fault, "is_loss", lambda _self, _now: False)


def _forgetful(patch: pytest.MonkeyPatch) -> None:
    """Whatever lies there is the latest."""
    patch.setattr(damage, "known_areas", lambda view, _state: view.areas)


def _uninformed(patch: pytest.MonkeyPatch) -> None:
    """What other machines saw is not looked at."""
    patch.setattr(damage, "_sequences", lambda *_words: {})


MUTANTS = {"deaf": _deaf, "lenient": _lenient, "forgetful": _forgetful, "uninformed": _uninformed}
_KIND_OF_MUTANT = {"deaf": REPLICAS}
_WORDS_OF_MUTANT = {
    "deaf": "is not mended",
    "lenient": "did not tell: a damaged",
    "forgetful": "went back to an older manifest",
    "uninformed": "did not tell: an older part",
}


@pytest.mark.parametrize("kind", [SHARED, REPLICAS, GIT])
def test_damage_and_remotes_that_went_back_are_told_and_mended(tmp_path: Path, kind: str) -> None:
    assert_held(apart(stories, Plan(str(tmp_path), 0, 1 if kind == GIT else 2, kind)), acknowledged=2)


def rows(short: bool) -> Iterator[Row]:
    """Stories of folders are the most, because there everything that was told is held against what lies there."""

    def some(at: Path, count: int, first: int = 0, **more: Any) -> Outcome:
        return apart(stories, Plan(str(at), first, count, **more))

    counts = {SHARED: 4, REPLICAS: 4, GIT: 1} if short else {SHARED: 300, REPLICAS: 200, GIT: 60}
    for kind, count in counts.items():
        yield Row(f"M3 damaged remotes, {kind}", partial(some, count=count, kind=kind))
    for mutant, words in _WORDS_OF_MUTANT.items():
        kind = _KIND_OF_MUTANT.get(mutant, SHARED)
        yield mutant_row(f"M3 mutant: {mutant}", partial(some, count=60, first=500, kind=kind, mutant=mutant), words)
