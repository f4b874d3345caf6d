"""Homes of one person that take each other in know the same, in whatever order and however often they do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.errors import TacitError
from tacit.home.home import Home
from tacit.model.ids import ClaimId
from tacit.model.memory import Memory
from tacit.model.observation import WorkLogged
from tacit.vault import Vault
from tests.chaos.apart import folder_in_memory
from tests.laws.strategies import law

TEXTS = ("use pnpm", "use npm", "never force push", "I prefer tabs")
DEEDS: dict[str, Callable[[Vault, str], object]] = {
    "add": lambda vault, text: vault.memories.add(text, evidence="said"),
    "remember": lambda vault, text: vault.memories.remember(text, evidence="seen"),
    "forget": lambda vault, text: vault.memories.forget(text, reason="r", evidence="e"),
    "edit": lambda vault, text: vault.memories.edit(text, text=f"{TEXTS[TEXTS.index(text) - 1]} at work"),
    "undo": lambda vault, _text: vault.changes.undo(),
    "log": lambda vault, text: vault.memories.log(WorkLogged("t", text)),
    "accept": lambda vault, text: vault.memories.accept(text),
    "dismiss": lambda vault, text: vault.memories.dismiss(text),
}
Step = tuple[int, str, int]  # at which machine, what, about what
steps = st.lists(
    st.tuples(st.integers(0, 2), st.sampled_from(["add", *DEEDS]), st.integers(0, len(TEXTS) - 1)),
    min_size=3,
    max_size=10,
)
meetings = st.lists(st.tuples(st.integers(0, 1), st.integers(1, 2)), max_size=4)


@dataclass(slots=True)
class Machines:
    """Some homes of one person, each on a machine of its own."""

    folder: Path
    numbers: Iterator[int] = field(default_factory=count)

    @contextmanager
    def at(self, machine: str) -> Iterator[Vault]:
        with Vault(Home(self.folder / machine, cwd=self.folder, environment={"HOME": str(self.folder)})) as vault:
            yield vault

    def live(self, said: Sequence[Step]) -> None:
        for machine, verb, about in said:
            with self.at(str(machine)) as vault, suppress(TacitError):
                DEEDS[verb](vault, TEXTS[about])
        for machine in range(3):
            with self.at(str(machine)) as vault:
                vault.memories.log(WorkLogged("t", f"of machine {machine}"))

    def take(self, machine: str, other: str) -> None:
        """An export of one is taken in by another."""
        out = self.folder / f"export-{next(self.numbers)}"
        with self.at(other) as vault:
            vault.exchange.export(str(out))
        with self.at(machine) as vault:
            vault.exchange.import_(str(out), mine=True)

    def union(self, name: str, *parts: str) -> str:
        for part in parts:
            self.take(name, part)
        return name

    def known(self, machine: str) -> dict[ClaimId, Memory]:
        with self.at(machine) as vault:
            return {one.memory.id: one.memory for one in vault.search.listing(status=None)}


@settings(law, max_examples=10)
@given(steps, meetings)
def test_two_homes_that_take_each_other_in_know_the_same(said: list[Step], met: list[tuple[int, int]]) -> None:
    with folder_in_memory() as folder:
        machines = Machines(folder)
        machines.live(said)
        for one, times in [*met, (0, 1), (1, 1)]:
            for _ in range(times):
                machines.take(str(one), str(1 - one))
        assert machines.known("0") == machines.known("1")


@settings(law, max_examples=8)
@given(steps)
def test_the_union_of_three_homes_is_the_same_in_any_grouping_and_order(said: list[Step]) -> None:
    with folder_in_memory() as folder:
        machines = Machines(folder)
        machines.live(said)
        left = machines.union("left", machines.union("first two", "0", "1"), "2")
        right = machines.union("right", "0", machines.union("last two", "2", "1"))
        assert machines.known(left) == machines.known(right)
        assert machines.known(machines.union("all", "2", "0", "1", "0")) == machines.known(left)


@settings(law, max_examples=8)
@given(steps, st.integers(0, 3), st.booleans())
def test_what_one_purged_neither_has_after_they_met(said: list[Step], about: int, first: bool) -> None:
    with folder_in_memory() as folder:
        machines = Machines(folder)
        machines.live(said)
        with machines.at("0") as vault, suppress(TacitError):
            vault.add(TEXTS[about])
            vault.purger.purge(text=TEXTS[about])
        for one in (0, 1, 0) if first else (1, 0, 1):
            machines.take(str(one), str(1 - one))
        assert machines.known("0") == machines.known("1")
        assert not [one for one in machines.known("1").values() if TEXTS[about] in one.claim.sentence]
