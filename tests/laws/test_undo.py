"""Undo restores, and undo of the undo restores again: nothing is lost by either."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tacit.model.decide import undo
from tacit.model.event import Event, EventsUndone
from tacit.model.memory import fold_memories
from tests.laws.strategies import after, law, logs

operations = logs.filter(bool).flatmap(
    lambda log: st.tuples(st.just(log), st.sampled_from(sorted({event.op for event in log})))
)


def _operation(log: list[Event], op: str) -> list[Event]:
    return [event for event in log if event.op == op]


def _taken_back(log: list[Event], operation: list[Event]) -> list[Event]:
    return [*log, after(log, undo(operation, "an operation").body)]


@law
@given(operations)
def test_an_undone_operation_counts_as_never_said(chosen: tuple[list[Event], str]) -> None:
    log, op = chosen
    without = [event for event in log if event.op != op]
    undone = _taken_back(log, _operation(log, op))
    assert fold_memories(undone) == fold_memories(without)
    redone = _taken_back(undone, undone[-1:])
    assert fold_memories(redone) == fold_memories(log)
    assert fold_memories(_taken_back(redone, redone[-1:])) == fold_memories(without)


@law
@given(operations)
def test_an_undo_names_every_claim_it_changes(chosen: tuple[list[Event], str]) -> None:
    log, op = chosen
    undone = _taken_back(log, _operation(log, op))
    before, now = fold_memories(log), fold_memories(undone)
    changed = {claim for claim in {*before, *now} if before.get(claim) != now.get(claim)}
    body = undone[-1].body
    assert isinstance(body, EventsUndone)
    assert changed <= set(body.claims)
