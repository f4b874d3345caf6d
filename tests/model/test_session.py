"""A session folded from its events: turns, files, title, outcome, project; their order does not matter."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.model.claim import GLOBAL, Provenance, Scope
from tacit.model.event import Event, EventOrigin, timestamp
from tacit.model.ids import event_id
from tacit.model.observation import (
    ConversationBody,
    PromptGiven,
    PromptKind,
    ReplyGiven,
    SessionCompacted,
    SessionSummarized,
    SessionTitled,
    TitleAuthor,
    ToolAction,
    ToolOutcome,
    ToolUsed,
    TurnInterrupted,
)
from tacit.model.session import Session, fold_session

NINE = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
HERE = "/home/kim/shop"


def event(
    number: int, body: ConversationBody | SessionTitled | SessionSummarized, scope: Scope = GLOBAL, tz: int = 0
) -> Event:
    name = event_id(number, bytes(10))
    origin = EventOrigin(NINE + timedelta(minutes=number), tz, "host", "s", "user", Provenance.USER_DIRECT)
    return Event(name, name, origin, scope, body)


def folded(*bodies: ConversationBody | SessionTitled | SessionSummarized) -> Session:
    return fold_session("claude", "s", [event(number, body) for number, body in enumerate(bodies, 1)])


def asked(text: str, how: PromptKind = PromptKind.TYPED, about: str = "") -> PromptGiven:
    return PromptGiven("claude", text, how, about, HERE, "main")


def said(text: str) -> ReplyGiven:
    return ReplyGiven("claude", text, HERE)


def changed(
    *files: str, outcome: ToolOutcome = ToolOutcome.SUCCEEDED, directory: str = HERE, tool: str = "Edit"
) -> ToolUsed:
    return ToolUsed("claude", tool, ToolAction.CHANGED, files[0], "", outcome, files, directory)


def ran(line: str, outcome: ToolOutcome = ToolOutcome.SUCCEEDED, *files: str) -> ToolUsed:
    return ToolUsed("claude", "Bash", ToolAction.RAN, line, "", outcome, files, HERE)


# Turns


def test_a_turn_begins_with_a_request() -> None:
    session = folded(
        asked("one"), said("Yes, one it is."), asked("two", PromptKind.QUEUED), asked("/three", PromptKind.COMMAND)
    )

    assert [(turn.number, turn.request) for turn in session.turns] == [(1, "one"), (2, "two"), (3, "/three")]
    assert session.requests == ["one", "two", "/three"]


def test_what_is_said_within_a_turn_belongs_to_it() -> None:
    session = folded(
        asked("one"),
        asked("not that", PromptKind.REJECTION, "Bash: rm"),
        asked("the blue one", PromptKind.ANSWER, "Which?"),
        asked("git status", PromptKind.SHELL),
        asked("two"),
    )

    assert [len(turn.prompts) for turn in session.turns] == [4, 1]


def test_what_was_done_before_anything_was_asked_is_a_turn_without_a_request() -> None:
    session = folded(said("I am a helper that begins by itself."), asked("one"))

    assert [turn.title for turn in session.turns] == ["(nothing was asked)", "one"]
    assert session.requests == ["one"]


def test_a_turn_is_interrupted_only_where_the_agent_said_nothing_after_it() -> None:
    session = folded(
        asked("one"),
        TurnInterrupted("claude"),
        asked("two"),
        TurnInterrupted("claude"),
        said("I went on all the same."),
    )

    assert [turn.interrupted for turn in session.turns] == [True, False]
    assert session.turns[0].outcome == "Interrupted."
    stopped = folded(asked("one"), said("I begin with the parser."), TurnInterrupted("claude"))
    assert stopped.outcome == "Interrupted. Before that: I begin with the parser."


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

    assert (one.turns, one.title, one.outcome, one.page_name) == (
        other.turns,
        other.title,
        other.outcome,
        other.page_name,
    )


# What is told of it


def test_the_title_is_the_first_request_that_is_no_command() -> None:
    assert (
        folded(asked("/clear", PromptKind.COMMAND), asked("Rename the cart table. Please.")).title
        == "Rename the cart table."
    )
    assert folded(asked("/review the schema", PromptKind.COMMAND)).title == "/review the schema"
    assert folded(said("Only I said something here.")).title == "Only I said something here."
    assert folded(SessionCompacted("claude")).title == "(nothing was said)"


@pytest.mark.parametrize("word", ["yes", "continue", "ok go ahead", "draft PR please", "run the tests", "thanks!"])
def test_a_request_that_tells_nothing_is_no_title_where_another_does(word: str) -> None:
    assert folded(asked(word), said("ok"), asked("Rename the cart table.")).title == "Rename the cart table."
    assert folded(asked(word), said("ok")).title == word


def test_where_no_request_tells_anything_the_title_is_what_was_committed() -> None:
    pushed = ran('gh pr create --draft --title "Keep baskets when the browser is closed" --body "x"')

    assert folded(asked("draft PR please"), pushed, said("Pushed successfully.")).title == (
        "Keep baskets when the browser is closed"
    )
    committed = ran("git add -A && git commit -m \"$(cat <<'EOF'\nRename the cart table\n\nBody\nEOF\n)\"")
    assert folded(asked("commit this"), committed).title == "Rename the cart table"


def test_the_title_of_the_host_comes_first_and_that_of_the_person_before_it() -> None:
    asks, by_person = asked("Rename the cart table."), SessionTitled("claude", "The big rename", TitleAuthor.PERSON)
    by_host = SessionTitled("claude", "Renaming of tables")

    assert folded(asks, by_host).title == "Renaming of tables"
    assert folded(asks, by_person, by_host).title == "The big rename"
    assert folded(asks, by_person, by_person._replace(text="Baskets")).title == "Baskets"
    assert folded(asks, SessionTitled("claude", " ")).title == "Rename the cart table."


def test_a_title_is_no_part_of_what_was_said() -> None:
    bare, named = folded(asked("one"), said("ok")), folded(asked("one"), said("ok"), SessionTitled("claude", "Baskets"))

    assert (named.turns, named.ended_at, named.outcome, named.page_name) == (
        bare.turns,
        bare.ended_at,
        bare.outcome,
        bare.page_name,
    )


def test_the_outcome_is_what_the_agent_said_last_of_a_result_and_never_made_up() -> None:
    worked = (asked("one"), said("The cart table is renamed."))

    assert folded(*worked).outcome == "The cart table is renamed."
    assert folded(*worked, asked("/exit", PromptKind.COMMAND)).outcome == "The cart table is renamed."
    for empty in ("Pushed successfully.", "You're welcome!", "Perfect! Done."):
        assert folded(*worked, asked("push"), said(empty)).outcome == "The cart table is renamed."
    assert folded(asked("one"), said("Done.")).outcome == "Done."
    assert folded(asked("/clear", PromptKind.COMMAND)).outcome == ""


def test_the_outcome_tells_what_was_left_unresolved() -> None:
    worked = (asked("one"), said("The cart table is renamed."))

    assert folded(*worked, asked("and the wiki pages")).outcome == (
        "The last request has no recorded answer: “and the wiki pages”. Before that: The cart table is renamed."
    )
    assert folded(*worked, asked("and the wiki pages"), said("Let me look at the wiki.")).outcome == (
        "The last request has no recorded answer: “and the wiki pages”. Before that: The cart table is renamed."
    )
    assert folded(asked("one"), changed("a.py")).outcome == (
        "The last request has no recorded answer. 1 file was changed."
    )
    assert folded(*worked[:1], ran("make test", ToolOutcome.FAILED), worked[1]).outcome == (
        "The cart table is renamed. The tests failed when they were last run."
    )
    assert "tests failed" not in folded(asked("x"), ran("make test", ToolOutcome.FAILED), ran("make test")).outcome
    assert folded(asked("one"), said("The cart table is renamed. Shall I also drop the view?")).outcome == (
        "The cart table is renamed. Left open: “Shall I also drop the view?”"
    )
    assert folded(
        asked("one"), said("The cart table is renamed."), ran("rake seed", ToolOutcome.FAILED)
    ).outcome.endswith("Failed last: rake seed")


def test_the_outcome_tells_what_came_of_the_turn_with_most_of_the_work_before_what_was_told_last() -> None:
    main = (asked("rename the cart table"), changed("a.py"), changed("b.py"), said("The cart table is renamed."))
    aside = (asked("is the wiki up to date?"), said("The wiki names no table at all."))

    assert folded(*main, *aside).outcome == "The cart table is renamed. Then: The wiki names no table at all."
    assert folded(*main).outcome == "The cart table is renamed."
    assert folded(main[0], changed("a.py"), main[-1], *aside).outcome == "The wiki names no table at all."
    assert folded(*aside, *main).outcome == "The cart table is renamed."


@pytest.mark.parametrize("word", ["This is perfect.", "thanks!", "that works great", "lgtm"])
def test_praise_is_no_request_that_was_left_without_an_answer(word: str) -> None:
    assert folded(asked("one"), said("The cart table is renamed."), asked(word)).outcome == "The cart table is renamed."


def test_work_without_words_is_named_by_what_was_run() -> None:
    assert folded(ran("ls -la"), ran("/usr/bin/find . -name x"), ran("find y")).title == "3 commands: find, ls"
    assert folded(ran("make test")._replace(aside=True)).title == "1 command of a helper: make"


def test_the_outcome_names_the_commit_and_the_pull_request() -> None:
    asks, answer = asked("Rename the cart table."), said("The schema is renamed.")
    committed = ran("git commit -am 'Rename cart to baskets'")
    opened = ran("gh pr create --title 'Baskets' --body x")

    assert folded(asks, committed, answer).outcome == "The schema is renamed. Committed: “Rename cart to baskets”."
    assert folded(asks, opened, answer).outcome == "The schema is renamed. Pull request: “Baskets”."


def test_the_page_is_named_by_the_day_on_the_wall() -> None:
    late = [event(0, asked("one"), tz=15 * 60)]  # nine in the morning is midnight there

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
    assert folded(asked("one"), ran("sed -i s/a/b/ seed.sql && make", ToolOutcome.FAILED, "seed.sql")).files == (
        "seed.sql",
    )


def test_tools_are_counted_the_most_used_first() -> None:
    session = folded(asked("one"), ran("ls"), ran("pwd"), changed("a.py"), changed("b.py", tool="Apply"))

    assert session.tools == (("Bash", 2), ("Apply", 1), ("Edit", 1))


def test_only_commits_that_went_well_count() -> None:
    session = folded(
        asked("one"), ran("git commit -m x"), ran("git commit -m y", ToolOutcome.FAILED), ran("git status")
    )

    assert session.commits == ["x"]
    assert folded(asked("one"), ran("git -C /w commit --amend --no-edit")).commits == [""]


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


def test_a_summary_is_no_part_of_what_was_said() -> None:
    bare, summed_up = folded(asked("one"), said("ok")), folded(asked("one"), said("ok"), summed("it went well", 2))

    assert (summed_up.turns, summed_up.ended_at, summed_up.outcome) == (bare.turns, bare.ended_at, bare.outcome)
    assert (summed_up.page_name, summed_up.scope, summed_up.title) == (bare.page_name, bare.scope, bare.title)


def test_a_summary_knows_how_many_turns_came_after_it() -> None:
    bodies = (asked("one"), said("ok"), summed("one is done", 2), asked("two"), said("ok"), asked("three"))
    session = folded(*bodies)

    assert session.summary is not None and session.summary.newer_turns == 2
    within = folded(asked("one"), summed("one is begun", 1), said("and done"))
    assert within.summary is not None and within.summary.newer_turns == 1
