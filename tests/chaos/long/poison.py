"""The long form of the tests of poison, taint, trust, consent and hand edits, in rows of tests/chaos/long/__main__.py.

`found` counts payloads that were believed, classes that rose, lines of an attacker that were trusted, what an agent or
a variable was allowed that is the person's, and hand edits that were lost or made up. A mutant leaves out one step on
purpose, and something must be found there.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from tacit import cli
from tacit.home import settings as home_settings
from tacit.home.settings import ANY
from tacit.model import decide, memory
from tacit.model.memory import fold_memories
from tacit.pages import view_store
from tests.chaos import consent, trust_races
from tests.chaos.long.rows import Result, Test, result
from tests.hostile import poison
from tests.laws import test_provenance
from tests.laws.test_hand_edits import HandEdits


class Size(NamedTuple):
    """How much of each."""

    ways: int
    graphs: int
    rounds: int
    edits: int
    markers: int
    environments: int


LONG = Size(ways=7, graphs=10_000, rounds=1_000, edits=400, markers=len(consent.MARKERS), environments=20_000)
SHORT = Size(ways=1, graphs=300, rounds=50, edits=20, markers=1, environments=500)
_MUTANT_ROUNDS = 500


def tests(short: bool) -> Iterator[Test]:
    size = SHORT if short else LONG
    yield Test("T21 payloads, planted every way", partial(_poisoned, size.ways))
    yield Test("T21 mutant: an agent's word holds", _adopted, mutant=True)
    yield Test("T22 random derivation graphs", lambda _: _derived(size.graphs))
    yield Test("T22 mutant: the highest class", lambda _: _highest(size.graphs), mutant=True)
    yield Test("T24 races for a fact file", partial(_raced, size.rounds))
    yield Test("T24 mutant: accepted unseen", partial(_raced, _MUTANT_ROUNDS, careless=True), mutant=True)
    yield Test("C5 every verb, every agent", partial(_verbs, size.markers))
    yield Test("C5 mutant: the table is not asked", _unasked, mutant=True)
    yield Test("C5 settings against variables", lambda _: result(consent.variables(size.environments)))
    yield Test("C5 mutant: variables overrule", lambda _: _overruled(size.environments // 10), mutant=True)
    yield Test("S12 hand edits, both sides", lambda _: _edited(size.edits))
    yield Test("S12 mutant: drawn over what is unread", lambda _: _drawn_over(size.edits), mutant=True)


# T21


def _poisoned(ways: int, home: str) -> Result:
    """Every payload goes `ways` of the seven ways."""
    texts = poison.payloads()
    wrong = [fault for turn in range(ways) for fault in _story(Path(home, str(turn)), texts[turn:] + texts[:turn])]
    return Result(ways * len(texts), 0, 0, len(wrong), wrong[0] if wrong else "0 bytes in briefs and active memories")


def _story(folder: Path, texts: Sequence[str]) -> list[str]:
    folder.mkdir(parents=True)
    story = poison.told(folder, texts)
    story.one.person.tacit("reindex")  # as this process reads the log
    return poison.believed(story)


def _adopted(home: str) -> Result:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(decide, "may_add_directly", lambda _provenance: True)
        patch.setattr(memory, "_may_decide", lambda _memory, _event: True)
        return _poisoned(1, home)


# T22


def _derived(count: int) -> Result:
    dice, wrong = random.Random(6), 0
    for _ in range(count):
        graph = test_provenance.grown([dice.randbytes(6) for _ in range(dice.randrange(1, 15))])
        memories = fold_memories(graph.log)
        wrong += any(memories[claim.id].provenance is not least for claim, least in graph.least.items())
    return Result(count, 0, 0, wrong, "each class is the lowest of its sources")


def _highest(count: int) -> Result:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(memory, "min", max, raising=False)
        return _derived(count)._replace(note="")


# T24


def _raced(rounds: int, home: str, *, careless: bool = False) -> Result:
    found = trust_races.races(Path(home), rounds, careless=careless)
    return result(found, f"{found.acknowledged:,} of {found.runs:,} looks were accepted")


# Consent


def _verbs(markers: int, home: str) -> Result:
    return result(consent.verbs(Path(home), consent.MARKERS[:markers]))


def _unasked(home: str) -> Result:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cli, "must_be_allowed", lambda _call: None)
        return result(consent.verbs(Path(home), consent.MARKERS[:1], ("as it is",)))


def _overruled(count: int) -> Result:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(home_settings, "rule_of", lambda _name: ANY)
        return result(consent.variables(count))


# Hand edits


def _edited(count: int) -> Result:
    every = settings(
        max_examples=count,
        stateful_step_count=14,
        deadline=None,
        database=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
    )
    try:
        run_state_machine_as_test(HandEdits, settings=every)
    except AssertionError as error:
        return Result(count, 0, 0, 1, str(error).split("\n")[0][:80])
    return Result(count, 0, 0, 0, "none lost, none made up")


def _drawn_over(count: int) -> Result:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(view_store, "merge", lambda _base, mine, _theirs, **_more: list(mine))
        return _edited(count)
