"""What is learned from a conversation does not depend on the pieces in which it arrives."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.learn.statements.pipeline import StatementState, continue_learning, learn_statements
from tacit.model.observation import ConversationBody, ToolAction, ToolUsed
from tests.support.talking import conversation, prompt, reply

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
@given(st.lists(st.sampled_from(BODIES), max_size=40), st.integers(1, 20))
def test_learning_in_pieces_is_learning_at_once(bodies: list[ConversationBody], size: int) -> None:
    events = conversation(*bodies)
    state, lessons = StatementState(), []
    for start in range(0, len(events), size):
        state, more = continue_learning(state, events[start : start + size])
        lessons += more
    assert lessons == learn_statements(events)
