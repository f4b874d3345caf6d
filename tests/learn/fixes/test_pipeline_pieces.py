"""A session in pieces is the same session, and no text of any kind stops the learner."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.learn import Lesson, SessionEvent
from tacit.learn.fixes.errors import lines_of
from tacit.learn.fixes.pipeline import WINDOW, FixTrail, follow_event, learn_fixes, remaining_lessons
from tacit.model.observation import (
    ConversationBody,
    PromptGiven,
    ReplyGiven,
    ToolAction,
    ToolOutcome,
    ToolUsed,
    TurnInterrupted,
)
from tests.support.fix_session import AGENT, edited, failed, heard, ran, read

_KNOWN: list[ConversationBody] = [
    failed("bd ls --x a", "Error: unknown flag: --x"),
    failed("bd ls --y a", "Error: unknown flag: --y"),
    ran("bd ls a"),
    failed("cat src/(app)/a", "bash: syntax error near unexpected token `('"),
    ran("cat 'src/(app)/a'"),
    failed("npm test", "sh: vitest: command not found"),
    ran("npm install"),
    ran("npm test"),
    failed("cat a/b", "cat: a/b: No such file or directory"),
    ran("cat c/b"),
    ran("git status"),
    read(),
    edited(),
    TurnInterrupted(AGENT),
    PromptGiven(AGENT, "go on"),
    ReplyGiven(AGENT, "I will"),
]
_TEXT = st.text(alphabet=st.sampled_from("ab-'\"`()|;&$\n\\ …é:/.[]{}"), max_size=60)
_ANY = st.builds(
    ToolUsed,
    st.just(AGENT),
    st.sampled_from(("Bash", "Task")),
    st.sampled_from(ToolAction),
    _TEXT | st.text(max_size=80),
    st.sampled_from(("", "error: unknown flag: --a", "command not found: a", "no matches found: (a)")) | _TEXT,
    st.sampled_from(ToolOutcome),
)


def _in_pieces(said: list[SessionEvent], ends: list[int]) -> list[Lesson]:
    trail = FixTrail()
    learnt: list[Lesson] = []
    for begin, end in zip([0, *ends], [*ends, len(said)], strict=True):
        for one in said[begin:end]:
            trail, seen = follow_event(trail, one)
            learnt += seen
    return [*learnt, *remaining_lessons(trail)]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(_KNOWN), max_size=30), st.lists(st.integers(0, 30), max_size=4))
def test_fed_in_pieces_it_learns_the_same(bodies: list[ConversationBody], ends: list[int]) -> None:
    said = heard(*bodies)
    assert _in_pieces(said, sorted(min(end, len(said)) for end in ends)) == list(learn_fixes(said))


@settings(max_examples=150, deadline=None)
@given(st.lists(_ANY | st.sampled_from(_KNOWN), max_size=12))
def test_whatever_was_run_what_is_learnt_quotes_what_was_said(bodies: list[ConversationBody]) -> None:
    said = heard(*bodies)
    by_event = {one.event_id: one.body for one in said}
    for learnt in learn_fixes(said):
        first = by_event[learnt.evidence[0]]
        assert isinstance(first, ToolUsed)
        assert learnt.quote
        assert learnt.quote in first.result
        assert learnt.quote in "\n".join(lines_of(first.result))
        assert "\n" not in learnt.sentence
        assert set(learnt.evidence) <= set(by_event)
        assert list(learnt.evidence) == sorted(learnt.evidence, key=lambda event: int(event[1:]))


def test_what_stays_open_is_bounded() -> None:
    trail = FixTrail()
    for said in heard(*(failed(f"cat gone{n}/a", f"cat: gone{n}/a: No such file or directory") for n in range(500))):
        trail, _ = follow_event(trail, said)
    assert len(trail.open) <= WINDOW
    assert len(trail.seen_errors) <= 64
