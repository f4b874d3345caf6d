"""The base of all state machines: a world for each story, and whoever is in it."""

from __future__ import annotations

import atexit
import tempfile
from functools import cache
from pathlib import Path

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.internal.conjecture import engine
from hypothesis.stateful import RuleBasedStateMachine, initialize

from tests.lives import steps
from tests.lives.launcher import Launcher
from tests.lives.world import Person, World

engine.MAX_SHRINKING_SECONDS = 90  # who waits for a test has seen enough by then
WHO, WHICH, MAYBE = st.integers(0, 2), st.integers(0, 9), st.booleans()


def stories_of(stories: int, length: int) -> settings:
    """The same stories every time; `python -m tests.chaos.long` tells others."""
    return settings(
        max_examples=stories,
        stateful_step_count=length,
        derandomize=True,
        database=None,
        deadline=None,
        print_blob=False,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )


@cache
def launcher() -> Launcher:
    made = Launcher()
    atexit.register(made.close)
    return made


@cache
def root() -> Path:
    folder = tempfile.TemporaryDirectory(prefix="lives-")
    atexit.register(folder.cleanup)
    return Path(folder.name) / "w"


def make_world(*names: str) -> World:
    return World(launcher(), root(), names or ("ann",))


class Life(RuleBasedStateMachine):
    """One story. Each step ends with a look at what the person who did it sees."""

    names: tuple[str, ...] = ("ann",)
    told = 0  # stories, shrinking included

    def __init__(self) -> None:
        super().__init__()
        self.world = make_world(*self.names)
        type(self).told += 1

    @initialize(lazy=MAYBE)
    def begin(self, lazy: bool) -> None:
        for person in self.world.people:
            person.lazy = lazy

    def person(self, who: int) -> Person:
        return self.world.people[who % len(self.world.people)]

    def choose(self, who: Person, which: int, *statuses: str) -> str | None:
        """A sentence that the person knows, or nothing."""
        known = who.mind.known(*statuses)
        return known[which % len(known)] if known else None

    def end(self) -> None:
        for person in self.world.people:
            steps.look(person)
            steps.ask_agent(person)
        steps.everything(self.world.people[self.told % len(self.world.people)])

    def teardown(self) -> None:
        if not self.world.failed:
            self.end()
