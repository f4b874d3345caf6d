"""The title and the outcome of a session in one line each: which turn they come from, and what they add."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tacit.model.claim import GLOBAL, Provenance
from tacit.model.event import Event, EventOrigin
from tacit.model.ids import event_id
from tacit.model.observation import (
    ConversationBody,
    PromptGiven,
    PromptKind,
    ReplyGiven,
    ToolAction,
    ToolOutcome,
    ToolUsed,
    TurnInterrupted,
)
from tacit.model.recap import (
    MAX_OUTCOME_CHARS,
    MAX_TITLE_CHARS,
    UNANSWERED,
    commit_subjects,
    has_failed_tests,
    pull_request_titles,
    session_outcome,
    session_title,
    turn_outcome,
    turn_title,
)
from tacit.model.session import Turn, fold_session

NINE = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
STOP = TurnInterrupted("claude")


def turns(*bodies: ConversationBody) -> tuple[Turn, ...]:
    events = []
    for number, body in enumerate(bodies, 1):
        name = event_id(number, bytes(10))
        origin = EventOrigin(NINE + timedelta(minutes=number), 0, "host", "s", "user", Provenance.USER_DIRECT)
        events.append(Event(name, name, origin, GLOBAL, body))
    return fold_session("claude", "s", events).turns


def asked(text: str, how: PromptKind = PromptKind.TYPED, about: str = "") -> PromptGiven:
    return PromptGiven("claude", text, how, about)


def said(text: str) -> ReplyGiven:
    return ReplyGiven("claude", text)


def ran(line: str, outcome: ToolOutcome = ToolOutcome.SUCCEEDED, result: str = "") -> ToolUsed:
    return ToolUsed("claude", "Bash", ToolAction.RAN, line, result, outcome)


def test_the_title_of_the_host_is_one_line_of_limited_length() -> None:
    assert session_title("Rename\n the  cart", ()) == "Rename the cart"
    assert len(session_title("cart " * 100, ())) <= MAX_TITLE_CHARS


def test_the_title_is_the_specific_sentence_of_a_request() -> None:
    (turn,) = turns(asked("Hi! Please rename the cart table to baskets. Thanks a lot."))
    assert turn_title(turn) == session_title("", (turn,)) == "Please rename the cart table to baskets."


def test_a_session_that_answers_a_question_is_titled_with_question_and_answer() -> None:
    answered = turns(asked("the blue one", PromptKind.ANSWER, "Which button?"))
    assert session_title("", answered) == "Which button? the blue one"


def test_a_slash_command_is_a_title_only_if_its_arguments_say_something() -> None:
    later = (said("ok"), asked("Rename the cart table."))
    assert session_title("", turns(asked("/review", PromptKind.COMMAND), *later)) == "Rename the cart table."
    review = asked("/review the schema of the cart table", PromptKind.COMMAND)
    assert session_title("", turns(review, *later)) == "/review the schema of the cart table"


@pytest.mark.parametrize(
    ("line", "subject"),
    [
        ("git commit -m 'Rename cart'", "Rename cart"),
        ('git add -A && git commit -am "Rename cart" && git push', "Rename cart"),
        ("git -C /work -c user.name=x commit --message='Rename cart'", "Rename cart"),
        ("git commit -m \"$(cat <<'EOF'\nRename cart\n\nWhy it was renamed\nEOF\n)\"", "Rename cart"),
        ("git commit --amend --no-edit", ""),
    ],
)
def test_the_subject_of_a_commit_is_read_from_its_command(line: str, subject: str) -> None:
    assert commit_subjects(turns(asked("commit"), ran(line))) == [subject]
    assert commit_subjects(turns(asked("commit"), ran(line, ToolOutcome.FAILED))) == []


def test_a_command_that_only_names_commits_is_none() -> None:
    assert commit_subjects(turns(asked("x"), ran("git log --grep commit"), ran("digit commit -m x"))) == []


def test_a_pull_request_that_was_opened_twice_counts_once() -> None:
    opened = ran('gh pr create --draft --title "Baskets" --body "x"')
    assert pull_request_titles(turns(asked("x"), opened, opened)) == ["Baskets"]
    assert pull_request_titles(turns(asked("x"), opened._replace(outcome=ToolOutcome.FAILED))) == []


@pytest.mark.parametrize(
    ("calls", "failed"),
    [
        ([ran("pytest -x", ToolOutcome.FAILED)], True),
        ([ran("pytest -x", ToolOutcome.FAILED), ran("pytest -x")], False),
        ([ran("npm run test:unit | tail", result="3 failed, 9 passed")], True),
        ([ran("npm run test:unit | tail", result="0 failed, 9 passed")], False),
        ([ran("npm test", result="FAILED is a word in this output")], False),
        ([ran("make test", ToolOutcome.FAILED), ran("make test", ToolOutcome.REJECTED)], True),
        ([ran("cat test", ToolOutcome.FAILED)], False),
    ],
)
def test_the_last_test_run_decides_whether_the_tests_failed(calls: list[ToolUsed], failed: bool) -> None:
    assert has_failed_tests(turns(asked("go"), *calls)) is failed


def test_the_outcome_counts_commits_and_names_the_last_unless_there_is_a_pull_request() -> None:
    work = (asked("rename"), said("The cart table is renamed."), ran("git commit -m one"), ran("git commit -m two"))
    done = said("The branch holds both commits.")

    assert "2 commits, the last: “two”." in session_outcome(turns(*work, done))
    opened = session_outcome(turns(*work, ran("gh pr create --title 'Baskets'"), done))
    assert "Pull request: “Baskets”." in opened and "commits, the last" not in opened


def test_an_announcement_before_work_is_no_answer() -> None:
    assert session_outcome(turns(asked("rename the cart"), said("I will look at the schema first."))).startswith(
        UNANSWERED
    )
    assert UNANSWERED not in session_outcome(turns(asked("rename the cart"), said("The cart table is renamed.")))


def test_a_turn_tells_whether_it_was_interrupted() -> None:
    (stopped,) = turns(asked("rename"), STOP)
    (said_before,) = turns(asked("rename"), said("The cart table is renamed."), STOP)
    assert turn_outcome(stopped) == "Interrupted."
    assert turn_outcome(said_before) == "Interrupted. Before that: The cart table is renamed."


def test_an_outcome_has_a_limited_length_and_keeps_what_is_left_to_do() -> None:
    long = said("The cart table is renamed " + "and so is every view that reads from it " * 20 + ".")
    outcome = session_outcome(
        turns(asked("rename"), ran("git commit -m 'Rename'"), ran("make test", ToolOutcome.FAILED), long)
    )
    assert len(outcome) <= MAX_OUTCOME_CHARS
    assert outcome.endswith("Committed: “Rename”. The tests failed when they were last run.")


def test_without_a_request_and_without_work_there_is_no_outcome() -> None:
    assert session_outcome(()) == session_outcome(turns(asked("/clear", PromptKind.COMMAND))) == ""
