"""Rows of `make chaos` about sessions with agents: captured exactly once, nothing echoed, nothing left running.

`found` counts prompts that are missing or there twice, sessions and pages that differ from those of the finished files
captured once, texts that came back into memory, and processes and locks that were left. A mutant leaves out one step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings

from tacit.hosts import normalize
from tacit.index import sessions
from tests.chaos import capture_kill, echo, hook_storm
from tests.chaos.long.rows import Result, Test, result
from tests.chaos.outcome import Outcome
from tests.laws import test_capture

_LAWS = {
    "order, repetition, copies": test_capture.test_order_repetition_and_copies_change_nothing,
    "in slices": test_capture.test_files_that_grow_while_they_are_captured_give_the_same,
    "rewritten files": test_capture.test_files_that_were_rewritten_give_the_same,
    "first records gone": test_capture.test_a_file_whose_first_records_are_gone_gives_what_is_new_and_nothing_twice,
    "at every turn": test_capture.test_a_session_that_was_captured_at_every_turn_is_that_of_the_finished_file,
}


@dataclass(frozen=True, slots=True)
class Size:
    """How much of each; nought where every moment is meant."""

    examples: int
    moments: int
    stops: int
    kills: int
    sittings: int
    cycles: int


LONG = Size(examples=300, moments=0, stops=500, kills=300, sittings=200, cycles=100)
SHORT = Size(examples=10, moments=5, stops=40, kills=10, sittings=12, cycles=8)


def tests(short: bool) -> Iterator[Test]:
    size = SHORT if short else LONG
    for name, law in _LAWS.items():
        yield Test(f"B2 {name}", partial(_law, law, size.examples))
    yield Test("B2 mutant: nothing is known already", partial(_forgetful, size.examples), mutant=True)
    yield Test("B2 capture killed at its calls", partial(_run, partial(capture_kill.capture_kill, most=size.moments)))
    yield Test("B2 Stop hooks, transcript grows", partial(_run, partial(hook_storm.stops, count=size.stops)))
    yield Test("B2 Stop hooks, killed", partial(_run, partial(hook_storm.killed, count=size.kills)))
    yield Test("T41 sessions, half the hosts killed", partial(_run, partial(hook_storm.sittings, count=size.sittings)))
    yield Test("T43 inject, capture, learn", partial(_run, partial(echo.echo, cycles=size.cycles)))
    yield Test("T43 mutant: noise is kept", _noisy, mutant=True)


def _run(work: Callable[[Path], Outcome], home: str) -> Result:
    return result(work(Path(home)))


def _law(law: Callable[[], None], examples: int, _home: str) -> Result:
    """A law of the tests with more examples; the first that breaks it is told."""
    every = settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    vars(law)["_hypothesis_internal_use_settings"] = every
    try:
        law()
    except AssertionError as error:
        return Result(examples, 0, 0, 1, str(error).split("\n")[0][:80])
    return Result(examples, 0, 0, 0, "the same events, sessions and pages")


def _forgetful(examples: int, home: str) -> Result:
    """Without looking up what is filed already, reading again records again."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sessions, "known_events", lambda _connection, _events: set())
        return _law(_LAWS["at every turn"], examples, home)


def _noisy(home: str) -> Result:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(normalize, "without_noise", lambda text: text)
        return result(echo.echo(Path(home), 2))
