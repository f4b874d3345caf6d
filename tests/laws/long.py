"""Rows of `make chaos` about laws: capturing, purging, authority and hand edits, with many more examples.

`found` is 1 where an example broke a law, which is then told. A mutant leaves out one step.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from tacit.index import sessions
from tacit.model import memory
from tacit.model.memory import fold_memories
from tacit.pages import view_store
from tacit.purge.files import HomeFiles
from tacit.purge.tombstones import Tombstones
from tests.chaos.outcome import Outcome, Row, mutant_row, replaced
from tests.laws import test_capture, test_deletion_wins, test_provenance
from tests.laws.test_hand_edits import HandEdits
from tests.support import planting

_IN_ONE_HOME = 10
_CAPTURING = {
    "order, repetition, copies": test_capture.test_order_repetition_and_copies_change_nothing,
    "in slices": test_capture.test_files_that_grow_while_they_are_captured_give_the_same,
    "rewritten files": test_capture.test_files_that_were_rewritten_give_the_same,
    "first records gone": test_capture.test_a_file_whose_first_records_are_gone_gives_what_is_new_and_nothing_twice,
    "at every turn": test_capture.test_a_session_that_was_captured_at_every_turn_is_that_of_the_finished_file,
}
_DELETION = {
    "old copies of lines": test_deletion_wins.test_old_copies_of_lines_bring_nothing_back,
    "stale machines": test_deletion_wins.test_a_machine_that_knows_nothing_of_a_purge_brings_nothing_back,
    "what is not meant stays": test_deletion_wins.test_a_purge_changes_nothing_that_is_not_meant_and_twice_is_once,
    "forgotten and dismissed": test_deletion_wins.test_what_was_forgotten_or_dismissed_stays_so_whatever_others_replay,
}


def rows(short: bool) -> Iterator[Row]:
    examples, interleavings, secrets = (10, 100, 4) if short else (300, 2_500, 200)
    graphs, edits = (300, 20) if short else (10_000, 400)
    for name, law in _CAPTURING.items():
        yield Row(f"B2 {name}", partial(_law, law, examples, "the same events, sessions and pages"))
    again = partial(_law, _CAPTURING["at every turn"], examples, "")
    unknown = partial(_mutant, again, sessions, "known_events", lambda _connection, _events: set())
    yield mutant_row("B2 mutant: nothing is known already", unknown)
    for name, law in _DELETION.items():
        yield Row(f"T17 {name}", partial(_law, law, interleavings, "0 resurrected"))
    copies = partial(_law, _DELETION["old copies of lines"], interleavings, "")
    unheard = partial(_mutant, copies, Tombstones, "apply", lambda _self, event: event)
    yield mutant_row("T17 mutant: tombstones unheard", unheard)
    yield Row("T31 purge proof", partial(_planted, secrets))
    left = partial(_mutant, partial(_planted, 1), HomeFiles, "scrub", lambda _self, _target, _cache=None: iter(()))
    yield mutant_row("T31 mutant: pages are not cleaned", left)
    yield Row("T22 random derivation graphs", partial(_derived, graphs))
    highest = partial(_mutant, partial(_derived, graphs), memory, "min", max)
    yield mutant_row("T22 mutant: the highest class", highest)
    yield Row("S12 hand edits, both sides", partial(_edited, edits))
    mine = partial(_mutant, partial(_edited, edits), view_store, "merge", lambda _base, mine, _theirs, **_more: [*mine])
    yield mutant_row("S12 mutant: drawn over what is unread", mine)


def _mutant(run: Callable[[Path], Outcome], target: object, name: str, value: object, at: Path) -> Outcome:
    with replaced(target, name, value):
        return run(at)


def _every(examples: int) -> settings:
    return settings(
        max_examples=examples,
        stateful_step_count=14,
        deadline=None,
        database=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
    )


def _broken(examples: int, note: str, check: Callable[[], None]) -> Outcome:
    try:
        check()
    except AssertionError as error:
        return Outcome(examples, 0, 0, (str(error).split("\n")[0][:80],))
    return Outcome(examples, 0, 0, (), note)


def _law(law: Callable[[], None], examples: int, note: str, _at: Path) -> Outcome:
    """A law of the tests with more examples."""
    vars(law)["_hypothesis_internal_use_settings"] = _every(examples)
    return _broken(examples, note, law)


def _edited(count: int, _at: Path) -> Outcome:
    check = partial(run_state_machine_as_test, HandEdits, settings=_every(count))
    return _broken(count, "none lost, none made up", check)


def _planted(count: int, at: Path) -> Outcome:
    """Forms of a purged text that are still somewhere, and whatever else was harmed."""
    faults: list[str] = []
    for start in range(0, count, _IN_ONE_HOME):
        folder = at / str(start)
        folder.mkdir()
        faults += planting.story(folder, range(start, min(start + _IN_ONE_HOME, count)))
    note = f"each in {len(planting._PLACES)} sorts of files, 44 forms each"
    return Outcome(count, count, 0, tuple(faults), note)


def _derived(count: int, _at: Path) -> Outcome:
    """Graphs in which something has another class than the lowest of its sources."""
    dice, wrong = random.Random(6), 0
    for _ in range(count):
        graph = test_provenance.grown([dice.randbytes(6) for _ in range(dice.randrange(1, 15))])
        memories = fold_memories(graph.log)
        wrong += any(memories[claim.id].provenance is not least for claim, least in graph.least.items())
    return Outcome(count, 0, 0, ("a class rose",) * wrong, "each class is the lowest of its sources")
