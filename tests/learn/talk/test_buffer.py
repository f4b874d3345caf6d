"""Things wait in the buffer until there is enough of them; what is learnt does not depend on where it is emptied."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.learn.statements.pipeline import Buffer, Talk, add, flush, is_due, learn_from, learn_on
from tacit.learn.types import Said
from tacit.model.observation import Act, Conversation, Outcome, ToolUsed
from tests.learn.talk.talking import conversation, prompt, reply


def batches(said: list[Said], *, apart: int = 0) -> list[int]:
    """How many things were looked at together, each so many milliseconds after the last."""
    buffer, sizes = Buffer(), []
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
    failed = ToolUsed("claude", "Bash", Act.RAN, "make", "no such target", Outcome.FAILED)
    assert batches(conversation(failed, *[reply("ok")] * 5)) == [5, 1]


def test_what_waits_too_long_is_due_although_nothing_comes() -> None:
    buffer, _ = add(Buffer(), conversation(reply("ok"))[0], 1_000)
    assert not is_due(buffer, 60_999)
    assert is_due(buffer, 61_000)
    assert not is_due(Buffer(), 10**9)


BODIES: list[Conversation] = [
    prompt("use pnpm instead of npm"),
    prompt("never do that again without asking"),
    prompt("we use tabs in the whole project"),
    prompt("can you look at it?"),
    reply("I pushed the branch."),
    reply("Done."),
    ToolUsed("claude", "Bash", Act.RAN, "npm install"),
]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(BODIES), max_size=40), st.integers(0, 30_000))
def test_fed_in_pieces_is_fed_at_once(bodies: list[Conversation], apart: int) -> None:
    said = conversation(*bodies)
    buffer, talk, found = Buffer(), Talk(), []
    for place, one in enumerate(said):
        buffer, due = add(buffer, one, place * apart)
        talk, learnt = learn_on(talk, due)
        found += learnt
    _, rest = learn_on(talk, flush(buffer).due)
    assert [*found, *rest] == learn_from(said)
