"""A story of a memory on trial: a scripted agent on two branches, an upgrade, and a person who decides in the end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from harness.transcripts import name_of

from tacit.model.coin import is_treated
from tests.lives import steps, surfaces
from tests.lives.machine import make_world
from tests.lives.test_agents import Agent
from tests.lives.world import Person, World

PNPM, LINTER = "never use npm here, use pnpm", "run the linter before each push"


@pytest.fixture
def world() -> Iterator[World]:
    made = make_world("ann")
    yield made
    if not made.failed:
        steps.look(made.people[0])
        steps.everything(made.people[0])


@pytest.fixture
def ann(world: World) -> Person:
    person = world.people[0]
    person.tacit("autocapture", "on")
    for rule in (PNPM, LINTER):
        steps.add(person, rule)
    return person


def report(who: Person) -> Any:
    return who.quietly(lambda: who.json("trial"))[0]


def work(who: Person, number: int, branch: str, seed: str) -> bool:
    """A session that needs a package. The agent uses npm, unless it is told not to. Return whether it was told."""
    agent = Agent(who, f"session {number}", branch)
    told = PNPM in agent.told
    assert told == is_treated(seed, "claude", agent.session) and LINTER in agent.told
    agent.ask("Install what the shop needs.")
    agent.run("pnpm install" if told else "npm install")
    agent.end()
    return told


def sessions_until_it_ends(who: Person) -> list[bool]:
    """Sessions on two branches, and an upgrade among them, until the trial has ended by itself."""
    seed, told = report(who)["seed"], []
    for number in range(40):
        branch = "cart" if number % 3 == 2 else "main"
        steps.checkout(who, branch)
        told.append(work(who, number, branch, seed))
        if number == 5:
            steps.upgrade_index(who)
        if report(who)["verdict"]:
            break
    return told


def test_a_memory_that_helps_is_kept_on_the_page_and_told_to_everybody_again(ann: Person) -> None:
    steps.commit(ann)
    name = ann.id_of(PNPM)
    assert "on trial" in ann.tacit("trial", name, "--sessions", "40").out
    told = sessions_until_it_ends(ann)
    found = report(ann)
    assert found["verdict"] == "helps" and found["is_open"]
    counted = found["told_sessions"], found["other_sessions"]
    assert [arm["applied_count"] for arm in counted] == [told.count(True), told.count(False)]
    assert [arm["bad_count"] for arm in counted] == [0, told.count(False)]
    shown = ann.tacit("why", name).out
    assert "telling it helps" in shown and f"followed {told.count(True)}, violated 0" in shown

    untold = next(f"later {n}" for n in range(100) if not is_treated(found["seed"], "claude", name_of(f"later {n}")))
    assert PNPM in surfaces.start_session(ann, untold).model
    with surfaces.page(ann) as browser:
        asked = browser.get(f"/?card={name}")
        assert "telling it helps. Keep it?" in asked.visible
        assert "telling it helps" in browser.get(f"/memories/{name}").visible
        browser.press(asked, "keep_tried")
    ann.mind.lose_history()
    assert not report(ann)["is_open"]
    assert "tried" not in [card["card"] for card in ann.json("review", "--all")]
