"""Three to five machines of a person that lose one another: keys are changed, also twice in a row and on two machines
at once, a machine is lost and goes on with the home it has, others sleep for months, are restored and come back.

As in test_machines.py, with a folder that arrives in pieces or a git repository. The person does what a person would:
forgets what was lost, and types the newest phrase where Tacit asks for one.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tacit.errors import KeysError, NotFoundError, RefusedError
from tacit.remotes import keys
from tacit.remotes.handover import FoundKeys, OthersKeys
from tacit.remotes.keys import MachineKeys, Ring, decrypt, lock_ring, make_phrase
from tacit.remotes.machines import KeysReport
from tacit.remotes.manifests import RemoteReport
from tacit.remotes.segments import received_segments
from tacit.remotes.state import LEFT_BEHIND, RemoteState
from tacit.remotes.transport import open_transport
from tests.chaos.apart import apart
from tests.chaos.outcome import Outcome, Row, assert_held, mutant_row
from tests.chaos.test_machines import Plan, Story, told
from tests.support.machines import Machine

_LEAST, _MOST = 3, 5
_LONGEST_SETTLING = 10  # rounds
_FORGET = re.compile(r"tacit remote forget-machine ([0-9a-f]+)")


class Phrase(NamedTuple):
    """What the person wrote down last, and the number that `tacit remote list` shows for it."""

    words: str
    fingerprint: str


class KeyStory(Story):
    def __init__(self, plan: Plan, number: int) -> None:
        self._thieves: list[Machine] = []
        self._asleep: set[str] = set()
        self._theirs: list[str] = []  # what thieves wrote
        self._had: dict[str, list[Ring | MachineKeys]] = {}
        self._phrase = Phrase(make_phrase(f"{number:16}".encode()), "")
        self._there: dict[str, set[str]] = {}  # areas that were there when keys were given up, by those
        self._wrong: list[str] = []
        super().__init__(plan, number)

    def _count(self) -> int:
        return _LEAST + self.number % (_MOST - _LEAST + 1)

    def _locked(self, ring: Ring) -> bytes:
        self._phrase = self._phrase._replace(fingerprint=ring.fingerprint)
        return lock_ring(ring, self._phrase.words)

    def _steps(self) -> list[tuple[int, Callable[[Machine], object]]]:
        changes: list[tuple[int, Callable[[Machine], object]]] = [
            (3, self._rotate),
            (3, self._lose),
            (4, self._forget_lost),
            (6 if self._thieves else 0, self._steal),
            (1, self._join),
            (1, self._sleep),
        ]
        return [*super()._steps(), *changes]

    def _step(self, machine: Machine) -> None:
        if machine.home.name not in self._asleep:
            super()._step(machine)

    # What a person does

    def _sync(self, machine: Machine) -> None:
        with self._watched(machine, "sync"):
            report = machine.try_sync()
        if machine not in self._thieves:  # whoever has that one has no phrase
            self._follow(machine, report)

    def _follow(self, machine: Machine, report: RemoteReport) -> None:
        """Do what Tacit says, as a rule."""
        removed = to_forget(report)
        if isinstance(report.problem, KeysError) and not removed:
            self._blame_for_phrase(machine)
            if self._random.random() < 0.7:
                self._type_phrase(machine)
            return
        assert report.problem is None or removed, report.problem
        for reference in removed:
            self._change(machine, partial(machine.forget_machine, reference))

    def _type_phrase(self, machine: Machine) -> None:
        if machine.state.ring.fingerprint != self._phrase.fingerprint:
            with suppress(RefusedError), self._watched(machine, "type"):  # the keys may not have arrived
                machine.add_remote(self._phrase.words)

    def _change(self, machine: Machine, work: Callable[[], KeysReport]) -> None:
        areas = {path.partition("/")[0] for path, _ in remote_files(machine) if path.endswith("/manifest.age")}
        with suppress(NotFoundError), self._watched(machine, "change"):
            changed = work()
            if changed.phrase:
                self._there[machine.state.ring.formers[-1]] = areas
                self._phrase = Phrase(changed.phrase, changed.report.fingerprint)

    def _blame_for_phrase(self, machine: Machine) -> None:
        """On a remote that everybody sees alike, nobody who was there when keys were changed needs a phrase."""
        if not self._plan.has_replicas and machine.area in self._there.get(machine.state.ring.mac_key, ()):
            self.blame(f"{machine.home.name} was there and did not get the keys")

    def _rotate(self, machine: Machine) -> None:
        for _ in range(self._random.choice([1, 1, 2])):
            self._change(machine, machine.rotate)

    def _sleep(self, machine: Machine) -> None:
        if len(self._asleep) + 2 < len(self._machines):
            self._asleep.add(machine.home.name)

    def _join(self, _machine: Machine) -> None:
        """A new machine, with a copy of what somebody has."""
        if len(self._machines) + len(self._thieves) >= _MOST + 1:
            return
        model = self._random.choice(self._machines)
        if not any(path.endswith("/ring.age") for path, _ in remote_files(model)):
            return  # it would be the first one there, with keys of its own
        new = self._make_machine(len(self._machines) + len(self._thieves))
        new.minutes = self._minutes
        if self._plan.has_replicas:
            shutil.copytree(model.remote, new.remote, dirs_exist_ok=True)
        with suppress(RefusedError):
            new.add_remote(self._phrase.words)
            self._machines.append(new)

    # A machine that is lost

    def _lose(self, machine: Machine) -> None:
        """Lose it once somebody has what it published: what nobody has is lost with it."""
        others = [other for other in self._machines if other is not machine and other.home.name not in self._asleep]
        forgotten = machine.state.forgotten
        if len(self._machines) < _LEAST or not all(thief.area in forgotten for thief in self._thieves):
            return
        self._sync(machine)
        ring = machine.state.ring
        keepers = [other for other in others if other.state.ring.mac_key == ring.mac_key]
        if machine.state.keys_problem or not keepers:
            return
        keeper = self._random.choice(keepers)
        if self._plan.has_replicas:
            shutil.copytree(Path(machine.remote, machine.area), Path(keeper.remote, machine.area), dirs_exist_ok=True)
        with self._watched(keeper, "sync"):
            report = keeper.try_sync()
        if report.problem or any(peer.missing for peer in report.machines if peer.id == machine.area):
            return
        if keeper.state.ring.mac_key == ring.mac_key and machine.area in {peer.id for peer in report.machines}:
            self._machines.remove(machine)
            self._thieves.append(machine)

    def _forget_lost(self, machine: Machine) -> None:
        for thief in self._thieves:
            if thief.area not in machine.state.forgotten:
                self._change(machine, partial(machine.forget_machine, thief.area))

    def _steal(self, _machine: Machine) -> None:
        """Whoever has a lost machine goes on with it."""
        thief = self._random.choice(self._thieves)
        thief.minutes = self._minutes
        self._theirs.append(f"thief {len(self._theirs)} says rule magpie")
        thief.add(self._theirs[-1])
        with self._watched(thief, "steal"):
            thief.try_sync()

    def _restore(self, machine: Machine) -> None:
        """Only a machine that passes on what lost ones had said."""
        self._sync(machine)
        state = machine.state
        if not state.keys_problem and all(thief.area in state.forgotten for thief in self._thieves):
            super()._restore(machine)

    def _everybody(self) -> list[Machine]:
        return [*(machine for machine in self._machines if machine.home.name not in self._asleep), *self._thieves]

    # What must hold all the time

    def _watched(self, machine: Machine, what: str) -> _Watch:
        return _Watch(self, machine, what)

    def keys_of(self, machine: Machine) -> list[Ring | MachineKeys]:
        """All keys that a machine ever had."""
        had = self._had.setdefault(machine.home.name, [])
        had += [key for key in (machine.state.ring, machine.store().machine()) if key not in had]
        return had

    def thieves_that(self, machine: Machine) -> list[Machine]:
        """The lost machines that a machine knows to be removed."""
        return [thief for thief in self._thieves if thief.area in machine.state.forgotten]

    def blame(self, fault: str) -> None:
        self._wrong.append(f"story {self.number}: {fault}")

    # The end

    def _heal(self) -> None:
        """Everything arrives, everybody wakes, whoever was lost is removed, and the person types what is asked for."""
        self._asleep.clear()
        for round_number in range(_LONGEST_SETTLING):
            problems = 0
            for machine in list(self._machines):
                machine.minutes = self._minutes = self._minutes + 60
                self._replicate()
                with self._watched(machine, "sync"):
                    report = machine.try_sync()
                problems += bool(report.problem) or bool(to_forget(report))
                if isinstance(report.problem, KeysError) and not to_forget(report):
                    self._blame_for_phrase(machine)
                    for other in self._machines if round_number > 1 else [machine]:
                        self._type_phrase(other)
                else:
                    self._follow(machine, report)
                    self._forget_lost(machine)
            if not problems and len({machine.state.ring.mac_key for machine in self._machines}) == 1:
                break
        super()._heal()

    def _faults(self) -> Iterator[str]:
        yield from self._wrong
        yield from super()._faults()
        if len({machine.state.ring.mac_key for machine in self._machines}) != 1:
            yield f"story {self.number}: there are two halves"
        for machine in self._machines:
            stay = machine.state.stayers(machine.store().machine())
            if wrong := [thief.home.name for thief in self._thieves if thief.area in stay]:
                yield f"story {self.number}: {machine.home.name} does not know that {wrong} were removed"
        for thief in self._thieves:
            own = tuple(self._areas_of(thief))  # it wrote that, and whoever has a copy of it may not have heard
            for machine in self._machines[: None if self._plan.has_replicas else 1]:
                files = [pair for pair in remote_files(machine) if not pair[0].startswith(own)]
                for path in readable(self.keys_of(thief), files):
                    yield f"story {self.number}: {thief.home.name} can read {path} of {machine.home.name}"


class _Watch:
    """What a machine may not do once it knows that another one was removed: take from it, or let it read."""

    def __init__(self, story: KeyStory, machine: Machine, what: str) -> None:
        self._story, self._machine, self._what = story, machine, what

    def __enter__(self) -> None:
        machine = self._machine
        self._knew = self._story.thieves_that(machine)
        self._taken = {thief.area: taken_from(machine, thief) for thief in self._story._thieves}
        self._files = dict(remote_files(machine, machine.area)) if self._knew else {}

    def __exit__(self, *error: object) -> None:
        story, machine = self._story, self._machine
        story.keys_of(machine)
        # A sync opens the keys first; a change of keys takes first what the others had sent.
        knows = story.thieves_that(machine) if self._what == "sync" else self._knew
        given = machine.state.stayers(machine.store().machine())
        for thief in story._thieves:
            if thief.area in machine.state.ring.forgotten and thief.area in given:
                story.blame(f"{machine.home.name} would give new keys to {thief.home.name}, which was removed")
        for thief in knows:
            if taken_from(machine, thief) - self._taken.get(thief.area, set()):
                story.blame(f"{machine.home.name} took lines of {thief.home.name} in {self._what}")
        for thief in self._knew:
            files = [pair for pair in remote_files(machine, machine.area) if self._files.get(pair[0]) != pair[1]]
            for path in readable(story.keys_of(thief), files):
                story.blame(f"{machine.home.name} wrote {path}, which {thief.home.name} can read")


def to_forget(report: RemoteReport) -> list[str]:
    """The machines that Tacit says to remove once more."""
    hint = report.problem.hint if report.problem else None
    return [found for text in (*report.notes, hint or "") for found in _FORGET.findall(text)]


def taken_from(machine: Machine, thief: Machine) -> set[bytes]:
    """The ids of lines that a machine has from another one."""
    found: set[bytes] = set()
    for segment in received_segments([thief.area]):
        path = machine.home / segment
        if path.exists():
            found |= set(re.findall(rb'"id":"([0-9A-Za-z]+)"', path.read_bytes()))
    return found


def remote_files(machine: Machine, area: str = "") -> list[tuple[str, bytes]]:
    """The files of a machine's remote, of all areas or one, as somebody who looks at it finds them."""
    transport = open_transport(machine.remote, f"{machine.remote}-looked-at")
    transport.fetch()
    paths = [path for path in sorted(transport.files()) if path.startswith(area)]
    return [(path, data) for path in paths if (data := transport.read(path)) is not None]


def readable(had: list[Ring | MachineKeys], files: list[tuple[str, bytes]]) -> list[str]:
    """The files that somebody with these keys can read."""
    return [path for path, data in files if any(decrypt(key, data) is not None for key in had)]


def stories(plan: Plan) -> Outcome:
    return told(plan, KeyStory, MUTANTS)


# Mutants: programs that leave out one step


def _only_readable(patch: pytest.MonkeyPatch) -> None:
    """New keys are for machines that have those of now."""
    stayers = RemoteState.stayers

    def some(self: RemoteState, machine: MachineKeys) -> dict[str, Any]:
        return {name: member for name, member in stayers(self, machine).items() if name in self.members()}

    patch.setattr(RemoteState, "stayers", some)


def _last_only(patch: pytest.MonkeyPatch) -> None:
    """Only the keys just before vouch for new ones."""

    def next_ring(ring: Ring, *arguments: Any) -> Ring:
        return keys_next(ring, *arguments)._replace(formers=(ring.mac_key,))

    keys_next = keys.next_ring
    patch.setattr(keys, "next_ring", next_ring)


def _goes_on(patch: pytest.MonkeyPatch) -> None:
    """A machine that was left behind goes on with the keys it has."""
    find = OthersKeys.find

    def hopeful(self: OthersKeys) -> FoundKeys:
        found = find(self)
        return found if found.problem != LEFT_BEHIND else FoundKeys(None)

    patch.setattr(OthersKeys, "find", hopeful)


def _not_passed_on(patch: pytest.MonkeyPatch) -> None:
    """Nobody else is told who was removed."""
    with_new_keys = RemoteState.with_new_keys

    def forgetful(self: RemoteState, ring: Ring, *arguments: Any) -> RemoteState:
        if len(arguments) == 1:  # its own change
            return with_new_keys(self, ring, *arguments)
        return with_new_keys(self, ring._replace(forgotten=()), *arguments)._replace(ring=ring)

    patch.setattr(RemoteState, "with_new_keys", forgetful)


MUTANTS = {"readable": _only_readable, "last": _last_only, "goes on": _goes_on, "not passed on": _not_passed_on}


def test_whatever_happens_to_keys_who_stays_knows_the_same_and_who_was_lost_nothing(tmp_path: Path) -> None:
    for folder, shared in (("apart", False), ("shared", True)):
        assert_held(apart(stories, Plan(str(tmp_path / folder), first=0, stories=3, shared=shared)), acknowledged=3)


def rows(short: bool) -> Iterator[Row]:
    folders, shared, git, parts = (2, 4, 1, 1) if short else (200, 300, 100, 3)

    def some(at: Path, first: int, count: int, **more: Any) -> Outcome:
        return apart(stories, Plan(str(at), first, count, **more))

    for part in range(parts):
        yield Row(f"M2 changes of keys, folders {part + 1}", partial(some, first=part * folders, count=folders))
    yield Row("M2 changes of keys, one folder", partial(some, first=0, count=shared, shared=True))
    yield Row("M2 changes of keys, git", partial(some, first=0, count=git, git=True))
    for mutant in MUTANTS:
        yield mutant_row(f"M2 mutant: {mutant}", partial(some, first=2000, count=60, shared=True, mutant=mutant))
