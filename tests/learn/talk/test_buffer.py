"""Things wait in the buffer until there is enough of them; what is learnt does not depend on where it is emptied."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.learn.statements.pipeline import (
    EventBuffer,
    StatementState,
    add,
    continue_learning,
    flush,
    is_due,
    learn_statements,
)
from tacit.learn.types import SessionEvent
from tacit.model.observation import ConversationBody, ToolAction, ToolOutcome, ToolUsed
from tests.learn.talk.talking import conversation, prompt, reply


def batches(said: list[SessionEvent], *, apart: int = 0) -> list[int]:
    """How many things were looked at together, each so many milliseconds after the last."""
    buffer, sizes = EventBuffer(), []
    for place, one in enumerate(said):
        buffer, due = add(buffer, one, place * apart)
        if due:
            sizes.append(len(due))
    return [*sizes, len(flush(buffer).due)]


def test_twenty_things_are_looked_at_together() -> None:
    assert batches(conversation(*[reply("working")] * 45)) == [20, 20, 5]


def test_a_minute_is_long_enough() -> None:
    assert batches(conversation(*[reply("working")] * 7), apart=20_000) == [4, 3]


def test_a_trigger_needs_five_things() -> None:
    few = conversation(prompt("never push to main"), *[reply("ok")] * 3)
    assert batches(few) == [4]
    assert batches(conversation(*[reply("ok")] * 4, prompt("never push to main"), reply("ok"))) == [5, 1]
    assert batches(conversation(*[reply("ok")] * 4, prompt("show me the file"), reply("ok"))) == [6]


def test_a_failure_is_a_trigger() -> None:
    failed = ToolUsed("claude", "Bash", ToolAction.RAN, "make", "no such target", ToolOutcome.FAILED)
    assert batches(conversation(failed, *[reply("ok")] * 5)) == [5, 1]


def test_what_waits_too_long_is_due_although_nothing_comes() -> None:
    buffer, _ = add(EventBuffer(), conversation(reply("ok"))[0], 1_000)
    assert not is_due(buffer, 60_999)
    assert is_due(buffer, 61_000)
    assert not is_due(EventBuffer(), 10**9)


BODIES: list[ConversationBody] = [
    prompt("use pnpm instead of npm"),
    prompt("never do that again without asking"),
    prompt("we use tabs in the whole project"),
    prompt("can you look at it?"),
    reply("I pushed the branch."),
    reply("Done."),
    ToolUsed("claude", "Bash", ToolAction.RAN, "npm install"),
]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(BODIES), max_size=40), st.integers(0, 30_000))
def test_fed_in_pieces_is_fed_at_once(bodies: list[ConversationBody], apart: int) -> None:
    said = conversation(*bodies)
    buffer, talk, found = EventBuffer(), StatementState(), []
    for place, one in enumerate(said):
        buffer, due = add(buffer, one, place * apart)
        talk, learnt = continue_learning(talk, due)
        found += learnt
    _, rest = continue_learning(talk, flush(buffer).due)
    assert [*found, *rest] == learn_statements(said)
