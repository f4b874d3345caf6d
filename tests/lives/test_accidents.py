"""What happens to a home: kills, two processes at once, a full disk, editors, old versions, purges."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import initialize, rule

from tests.lives import steps, surfaces
from tests.lives.machine import MAYBE, WHICH, Life, stories_of
from tests.lives.model import ACTIVE, PENDING, RETIRED, Memory
from tests.lives.world import Person

# The stories are about what is done in which order. What interpreters do otherwise is in test_stories.py.
pytestmark = pytest.mark.same_everywhere
SAID = st.sampled_from(
    [f"the service {name} is owned by {owner}" for name, owner in zip("abcdef", "uvwxyz", strict=True)]
)
HOMES = Path(__file__).with_name("homes")
OLD = {
    "never log passwords": Memory(ACTIVE, "constraint", 2),
    "answer in short sentences": Memory(ACTIVE, "constraint", 1),
    "use tabs": Memory(RETIRED, "rule", 1),
    "check the diff twice": Memory(PENDING, "rule", 1),
}
MOMENTS = st.integers(0, 40)  # milliseconds


class Accidents(Life):
    @property
    def ann(self) -> Person:
        return self.world.people[0]

    @initialize(old=MAYBE)
    def know(self, old: bool) -> None:
        """Half of all homes were made by version 0.1."""
        if old:
            steps.take_over(self.ann, HOMES / "0.1.jsonl", OLD)
            steps.look(self.ann)

    @rule(text=SAID)
    def add(self, text: str) -> None:
        steps.add(self.ann, text)
        steps.look(self.ann)

    @rule(which=WHICH)
    def forget(self, which: int) -> None:
        if text := self.choose(self.ann, which, ACTIVE):
            steps.decide(self.ann, "forget", text)
            steps.look(self.ann)

    @rule()
    def undo(self) -> None:
        steps.undo(self.ann)
        steps.look(self.ann)

    @rule(text=SAID, moment=MOMENTS)
    def kill(self, text: str, moment: int) -> None:
        steps.killed_add(self.ann, text, moment / 1000)
        steps.look(self.ann)

    @rule(text=SAID, moment=MOMENTS)
    def kill_the_rest(self, text: str, moment: int) -> None:
        """What a command left behind is killed."""
        with self.ann.killing_the_rest(moment / 1000):
            steps.add(self.ann, text)
        steps.look(self.ann)

    @rule(first=SAID, second=SAID)
    def two_at_once(self, first: str, second: str) -> None:
        steps.add_both(self.ann, first, second)
        steps.look(self.ann)

    @rule(line=st.sampled_from(["make test", "git push"]))
    def command(self, line: str) -> None:
        surfaces.run_command(self.ann, line)
        steps.look(self.ann)

    @rule(name=st.sampled_from(["memory/events.jsonl", "memory/long-term.md", "memory/memories.ndjson"]))
    def other_line_ends(self, name: str) -> None:
        if (self.ann.home / name).exists():
            self.ann.save_with_crlf(name)
            steps.look(self.ann)

    @rule(
        how=st.sampled_from([steps.reindex, steps.delete_views, steps.cut_index, steps.upgrade_index, steps.fill_disk])
    )
    def views(self, how: steps.Step) -> None:
        if self.ann.home.exists():
            how(self.ann)
            steps.look(self.ann)

    @rule(which=WHICH)
    def purge(self, which: int) -> None:
        if text := self.choose(self.ann, which, ACTIVE):
            steps.purge(self.ann, text)
            steps.look(self.ann)


TestAccidents = Accidents.TestCase
TestAccidents.settings = stories_of(5, 10)
