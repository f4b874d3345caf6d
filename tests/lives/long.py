"""Many stories of one machine, other ones each time: what `make chaos` runs."""

from __future__ import annotations

import sys
from typing import NamedTuple

from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from tests.chaos.outcome import Outcome
from tests.lives.machine import Life, stories_of
from tests.lives.test_accidents import Accidents
from tests.lives.test_one_person import OnePerson
from tests.lives.test_opinions import Opinions
from tests.lives.test_two_people import TwoPeople

MACHINES: dict[str, type[Life]] = {
    "two people": TwoPeople,
    "one person": OnePerson,
    "accidents": Accidents,
    "opinions": Opinions,
}
_LENGTH = 20


class Plan(NamedTuple):
    machine: str
    stories: int


def stories(plan: Plan) -> Outcome:
    """Tell that many stories. The script of one that goes wrong is printed, shrunk."""
    machine = MACHINES[plan.machine]
    chosen = settings(stories_of(plan.stories, _LENGTH), derandomize=False)
    try:
        run_state_machine_as_test(machine, settings=chosen)
    except AssertionError as error:
        print(error, file=sys.stderr)
        return Outcome(runs=machine.told, faults=(str(error),))
    return Outcome(runs=machine.told)
