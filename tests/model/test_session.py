"""A session folded from its events: turns, files, summary, project; their order does not matter."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.model.claim import Kind, Scope
from tacit.model.event import timestamp
from tacit.model.observation import (
    ConversationBody,
    PromptKind,
    SessionCompacted,
    SessionSummarized,
    SessionTitled,
    ToolOutcome,
    TurnInterrupted,
)
from tacit.model.session import MAX_RANK_CHANGE, Adherence, AdherenceCounts, combined, fold_session, rank_factor
from tests.support.sessions import HERE, NINE, asked, changed, event, folded, ran, said

# Turns


def test_a_turn_begins_with_a_request() -> None:
    session = folded(
        asked("one"), said("Yes, one it is."), asked("two", PromptKind.QUEUED), asked("/three", PromptKind.COMMAND)
    )

    assert [(turn.number, turn.request) for turn in session.turns] == [(1, "one"), (2, "two"), (3, "/three")]
    assert session.requests == ["one", "two", "/three"]
    helper = folded(said("I am a helper that begins by itself."), asked("one"))
    assert ([turn.request for turn in helper.turns], helper.requests) == (["", "one"], ["one"])


def test_what_is_said_within_a_turn_belongs_to_it() -> None:
    session = folded(
        asked("one"),
        asked("not that", PromptKind.REJECTION, "Bash: rm"),
        asked("the blue one", PromptKind.ANSWER, "Which?"),
        asked("git status", PromptKind.SHELL),
        asked("two"),
    )

    assert [len(turn.prompts) for turn in session.turns] == [4, 1]


def test_a_turn_is_interrupted_only_where_the_agent_said_nothing_after_it() -> None:
    session = folded(
        asked("one"),
        TurnInterrupted("claude"),
        asked("two"),
        TurnInterrupted("claude"),
        said("I went on all the same."),
    )

    assert [turn.interrupted for turn in session.turns] == [True, False]


def test_compactions_are_counted_and_the_last_is_known() -> None:
    session = folded(asked("one"), SessionCompacted("claude"), asked("two"), SessionCompacted("claude"), said("ok"))

    assert session.compactions == 2
    assert session.last_compacted_at


@settings(max_examples=60, deadline=None)
@given(st.permutations(range(12)))
def test_the_order_in_which_events_come_does_not_matter(order: Sequence[int]) -> None:
    bodies: list[ConversationBody] = [
        asked(f"{number}") if number % 3 == 0 else said(f"{number}") for number in range(12)
    ]
    events = [event(number, body) for number, body in enumerate(bodies)]
    one, other = fold_session("claude", "s", events), fold_session("claude", "s", [events[at] for at in order])

    assert (one.turns, one.page_name) == (other.turns, other.page_name)


def test_the_page_is_named_by_the_day_on_the_wall() -> None:
    late = [event(0, asked("one"), utc_offset_minutes=15 * 60)]  # nine in the morning is midnight there

    assert fold_session("claude", "s", late).page_name.startswith("2026-03-03-claude-")
    assert fold_session("../Evil/é", "s", late).page_name.startswith("2026-03-03-evil-")


# Files


def test_files_are_those_that_were_changed_each_once_and_as_seen_from_here() -> None:
    session = folded(
        asked("one"),
        changed(f"{HERE}/a.py"),
        changed("b.py", directory=f"{HERE}/deep"),
        changed("./a.py"),
        changed("/etc/hosts"),
        changed("../beside/c.py"),
        ran("ls"),
    )

    assert session.files == ("a.py", "deep/b.py", "/etc/hosts", "/home/kim/beside/c.py")


def test_a_command_that_failed_in_the_end_has_changed_what_it_names() -> None:
    """The source names only files that were changed before it failed."""
    assert folded(asked("one"), ran("sed -i s/a/b/ seed.sql && make", ToolOutcome.FAILED, "", "seed.sql")).files == (
        "seed.sql",
    )


def test_tools_are_counted_the_most_used_first() -> None:
    session = folded(asked("one"), ran("ls"), ran("pwd"), changed("a.py"), changed("b.py", tool="Apply"))

    assert session.tools == (("Bash", 2), ("Apply", 1), ("Edit", 1))


# Project


def test_the_project_is_the_one_most_requests_were_made_in() -> None:
    shop, site = Scope("project:shop"), Scope("project:site")
    events = [
        event(1, asked("one"), site),
        event(2, asked("two"), shop),
        event(3, asked("three"), shop),
        *(event(number, ran("ls"), site) for number in range(4, 12)),
    ]

    assert fold_session("claude", "s", events).scope == shop
    assert fold_session("claude", "s", events[:2]).scope == site  # the first of two


# What a model said of it


def summed(text: str, until: int, model: str = "small") -> SessionSummarized:
    """A summary by a model that was shown everything up to this event."""
    return SessionSummarized("claude", text, model, timestamp(NINE + timedelta(minutes=until)))


def test_the_newest_summary_with_words_is_the_one() -> None:
    session = folded(
        asked("one"), said("ok"), summed("first words", 2), summed("last words", 2, "large"), summed("", 2)
    )

    assert session.summary is not None
    assert (session.summary.text, session.summary.model, session.summary.newer_turns) == ("last words", "large", 0)
    assert folded(asked("one"), summed("", 1)).summary is None


@pytest.mark.parametrize("later", [SessionTitled("claude", "Baskets"), summed("it went well", 2)], ids=type)
def test_a_title_or_summary_is_no_part_of_what_was_said(later: SessionTitled | SessionSummarized) -> None:
    bare, named = folded(asked("one"), said("ok")), folded(asked("one"), said("ok"), later)

    assert (named.turns, named.ended_at, named.page_name, named.scope) == (
        bare.turns,
        bare.ended_at,
        bare.page_name,
        bare.scope,
    )


def test_a_summary_knows_how_many_turns_came_after_it() -> None:
    bodies = (asked("one"), said("ok"), summed("one is done", 2), asked("two"), said("ok"), asked("three"))
    session = folded(*bodies)

    assert session.summary is not None and session.summary.newer_turns == 2
    within = folded(asked("one"), summed("one is begun", 1), said("and done"))
    assert within.summary is not None and within.summary.newer_turns == 1


numbers = st.integers(0, 1000)
counts = st.builds(AdherenceCounts, *[numbers] * 6)
kinds = st.sampled_from(Kind)


@given(counts, kinds)
def test_the_rank_moves_a_little_and_only_by_checks(given_counts: AdherenceCounts, kind: Kind) -> None:
    factor = rank_factor(given_counts, kind)
    assert abs(factor - 1) <= MAX_RANK_CHANGE
    assert rank_factor(given_counts._replace(followed=given_counts.followed + 1), kind) >= factor
    assert rank_factor(given_counts, Kind.CONSTRAINT) >= 1  # constraints never fade
    assert rank_factor(AdherenceCounts(given_counts.injected), kind) == 1  # disuse alone changes nothing


@given(st.lists(st.sampled_from(Adherence)))
def test_one_violation_is_a_violation_and_the_order_does_not_matter(results: list[Adherence]) -> None:
    whole = combined(results)
    assert combined(reversed(results)) is whole
    assert (whole is Adherence.VIOLATED) == (Adherence.VIOLATED in results)
    assert whole in results or (whole is Adherence.UNKNOWN and not results)


def test_what_was_not_checked_is_unknown() -> None:
    checked = AdherenceCounts(followed=11, violated=2, not_applicable=1)
    assert [checked._replace(injected=injected).unknown for injected in (14, 16, 3)] == [0, 2, 0]
