"""The title and the outcome of a session in one line each: which turn they come from, and what they add."""

from __future__ import annotations

import pytest

from tacit.model.observation import (
    ConversationBody,
    PromptKind,
    SessionCompacted,
    SessionTitled,
    TitleAuthor,
    ToolOutcome,
    ToolUsed,
    TurnInterrupted,
)
from tacit.model.recap import (
    MAX_OUTCOME_CHARS,
    MAX_TITLE_CHARS,
    commit_subjects,
    has_failed_tests,
    pull_request_titles,
    session_outcome,
    session_title,
    turn_outcome,
    turn_title,
)
from tacit.model.session import Turn
from tests.support.sessions import asked, changed, folded, ran, said


def turns(*bodies: ConversationBody) -> tuple[Turn, ...]:
    return folded(*bodies).turns


def title(*bodies: ConversationBody | SessionTitled) -> str:
    session = folded(*bodies)
    return session_title(session.host_title, session.turns)


def outcome(*bodies: ConversationBody) -> str:
    return session_outcome(turns(*bodies))


def test_the_title_of_the_host_is_one_line_of_limited_length() -> None:
    assert session_title("Rename\n the  cart", ()) == "Rename the cart"
    assert len(session_title("cart " * 100, ())) <= MAX_TITLE_CHARS


def test_the_title_is_the_specific_sentence_of_a_request() -> None:
    (turn,) = turns(asked("Hi! Please rename the cart table to baskets. Thanks a lot."))
    assert turn_title(turn) == session_title("", (turn,)) == "Please rename the cart table to baskets."
    first, second = turns(said("I am a helper that begins by itself."), asked("one"))
    assert (turn_title(first), turn_title(second)) == ("(nothing was asked)", "one")
    assert title(asked("the blue one", PromptKind.ANSWER, "Which button?")) == "Which button? the blue one"


@pytest.mark.parametrize(
    ("line", "subject"),
    [
        ("git commit -m 'Rename cart'", "Rename cart"),
        ('git add -A && git commit -am "Rename cart" && git push', "Rename cart"),
        ("git -C /work -c user.name=x commit --message='Rename cart'", "Rename cart"),
        ("git commit -m \"$(cat <<'EOF'\nRename cart\n\nWhy it was renamed\nEOF\n)\"", "Rename cart"),
        ("git -C /w commit --amend --no-edit", ""),
    ],
)
def test_the_subject_of_a_commit_is_read_from_its_command(line: str, subject: str) -> None:
    assert commit_subjects(turns(asked("commit"), ran(line))) == [subject]
    others = (ran(line, ToolOutcome.FAILED), ran("git log --grep commit"), ran("digit commit -m x"))
    assert commit_subjects(turns(asked("commit"), *others)) == []


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

    assert outcome(work[0], work[2], work[1]) == "The cart table is renamed. Committed: “one”."
    assert "2 commits, the last: “two”." in session_outcome(turns(*work, done))
    opened = session_outcome(turns(*work, ran("gh pr create --title 'Baskets'"), done))
    assert "Pull request: “Baskets”." in opened and "commits, the last" not in opened


def test_a_turn_tells_whether_it_was_interrupted() -> None:
    stop = TurnInterrupted("claude")
    (stopped,) = turns(asked("rename"), stop)
    (said_before,) = turns(asked("rename"), said("The cart table is renamed."), stop)
    assert turn_outcome(stopped) == "Interrupted."
    assert turn_outcome(said_before) == "Interrupted. Before that: The cart table is renamed."


def test_an_outcome_has_a_limited_length_and_keeps_what_is_left_to_do() -> None:
    long = said("The cart table is renamed " + "and so is every view that reads from it " * 20 + ".")
    found = outcome(asked("rename"), ran("git commit -m 'Rename'"), ran("make test", ToolOutcome.FAILED), long)
    assert len(found) <= MAX_OUTCOME_CHARS
    assert found.endswith("Committed: “Rename”. The tests failed when they were last run.")


def test_the_title_is_the_first_request_or_command_that_says_something() -> None:
    later = (said("ok"), asked("Rename the cart table. Please."))
    assert title(asked("/clear", PromptKind.COMMAND), *later) == "Rename the cart table."
    review = asked("/review the schema of the cart table", PromptKind.COMMAND)
    assert title(review, *later) == "/review the schema of the cart table"
    assert title(said("Only I said something here.")) == "Only I said something here."
    assert title(SessionCompacted("claude")) == "(nothing was said)"


@pytest.mark.parametrize("word", ["yes", "continue", "ok go ahead", "draft PR please", "run the tests", "thanks!"])
def test_a_request_that_tells_nothing_is_no_title_where_another_does(word: str) -> None:
    assert title(asked(word), said("ok"), asked("Rename the cart table.")) == "Rename the cart table."
    assert title(asked(word), said("ok")) == word


def test_where_no_request_tells_anything_the_title_is_what_was_committed() -> None:
    pushed = ran('gh pr create --draft --title "Keep baskets when the browser is closed" --body "x"')

    assert title(asked("draft PR please"), pushed, said("Pushed successfully.")) == (
        "Keep baskets when the browser is closed"
    )
    committed = ran("git add -A && git commit -m \"$(cat <<'EOF'\nRename the cart table\n\nBody\nEOF\n)\"")
    assert title(asked("commit this"), committed) == "Rename the cart table"


_GO_ON = ("continue", "go on", "yes", "ok do it", "/compact", "Let’s go", "lgtm", "option 2", "mach weiter", "继续")


def go_on(text: str) -> ConversationBody:
    return asked(text, PromptKind.COMMAND if text.startswith("/") else PromptKind.TYPED)


@pytest.mark.parametrize("text", _GO_ON)
def test_a_session_that_only_goes_on_has_the_title_of_its_last_commit(text: str) -> None:
    work = (ran("git commit -m 'Rename the cart table'"), ran("git commit -m 'Drop the old index'"), said("Done."))
    assert title(go_on(text), *work) == "Drop the old index"
    assert title(go_on(text), *work, ran("git commit -m wip")) == "Drop the old index"
    assert title(go_on(text), ran("git commit -m wip")) == "wip"


@pytest.mark.parametrize("text", _GO_ON)
def test_without_a_commit_it_is_the_first_clause_of_the_result(text: str) -> None:
    reply = said("I renamed the cart table to baskets, and the tests of the shop pass.")
    assert title(go_on(text), ran("ls"), reply) == "I renamed the cart table to baskets"
    assert title(go_on(text), said("Two fixes: quotes are kept; blank lines are not.")).startswith("Two fixes: quotes")
    assert title(go_on(text), said("Let me look.")) == text


@pytest.mark.parametrize("text", ["fix lint errors", "why do the tests fail?", "fix #12", "rename the cart table"])
def test_a_request_that_names_something_is_the_title_whatever_the_agent_answered(text: str) -> None:
    assert title(asked(text), said("The index of the orders was missing in the schema.")) == text


def test_the_example_of_a_fixed_bug_ends_as_its_agent_said() -> None:
    told = (
        asked("Can you help me fix the auth bug in the login flow?"),
        said("I'll look at the authentication code..."),
        ran("cat src/auth.ts"),
        said("Identified missing token validation."),
        changed("src/auth.ts"),
        said("Added validateToken() function"),
        changed("src/handlers/login.ts"),
        ran("npm test"),
        said("Fixed authentication bug. Tests passing."),
    )
    assert outcome(*told) == "Fixed authentication bug."
    assert title(*told) == "Can you help me fix the auth bug in the login flow?"


def test_the_title_of_the_host_comes_first_and_that_of_the_person_before_it() -> None:
    asks, by_person = asked("Rename the cart table."), SessionTitled("claude", "The big rename", TitleAuthor.PERSON)
    by_host = SessionTitled("claude", "Renaming of tables")

    assert title(asks, by_host) == "Renaming of tables"
    assert title(asks, by_person, by_host) == "The big rename"
    assert title(asks, by_person, by_person._replace(text="Baskets")) == "Baskets"
    assert title(asks, SessionTitled("claude", " ")) == "Rename the cart table."


def test_the_outcome_is_what_the_agent_said_last_of_a_result_and_never_made_up() -> None:
    worked = (asked("one"), said("The cart table is renamed."))

    assert outcome(*worked) == "The cart table is renamed."
    assert outcome(*worked, asked("/exit", PromptKind.COMMAND)) == "The cart table is renamed."
    for empty in ("Pushed successfully.", "You're welcome!", "Perfect! Done."):
        assert outcome(*worked, asked("push"), said(empty)) == "The cart table is renamed."
    for praise in ("This is perfect.", "thanks!", "that works great", "lgtm"):  # no request without an answer
        assert outcome(*worked, asked(praise)) == "The cart table is renamed."
    assert outcome(asked("one"), said("Done.")) == "Done."
    assert outcome(asked("/clear", PromptKind.COMMAND)) == session_outcome(()) == ""


def test_the_outcome_tells_what_was_left_unresolved() -> None:
    worked = (asked("one"), said("The cart table is renamed."))

    assert outcome(*worked, asked("and the wiki pages")) == (
        "The last request has no recorded answer: “and the wiki pages”. Before that: The cart table is renamed."
    )
    assert outcome(*worked, asked("and the wiki pages"), said("Let me look at the wiki.")) == (
        "The last request has no recorded answer: “and the wiki pages”. Before that: The cart table is renamed."
    )
    assert outcome(asked("one"), changed("a.py")) == ("The last request has no recorded answer. 1 file was changed.")
    assert outcome(*worked[:1], ran("make test", ToolOutcome.FAILED), worked[1]) == (
        "The cart table is renamed. The tests failed when they were last run."
    )
    assert "tests failed" not in outcome(asked("x"), ran("make test", ToolOutcome.FAILED), ran("make test"))
    assert outcome(worked[0], said("The cart table is renamed. Shall I also drop the view?")) == (
        "The cart table is renamed. Left open: “Shall I also drop the view?”"
    )
    assert outcome(asked("one"), said("The cart table is renamed."), ran("rake seed", ToolOutcome.FAILED)).endswith(
        "Failed last: rake seed"
    )


def test_the_outcome_tells_what_came_of_the_turn_with_most_of_the_work_before_what_was_told_last() -> None:
    main = (asked("rename the cart table"), changed("a.py"), changed("b.py"), said("The cart table is renamed."))
    aside = (asked("is the wiki up to date?"), said("The wiki names no table at all."))

    assert outcome(*main, *aside) == "The cart table is renamed. Then: The wiki names no table at all."
    assert outcome(*main) == "The cart table is renamed."
    assert outcome(main[0], changed("a.py"), main[-1], *aside) == "The wiki names no table at all."
    assert outcome(*aside, *main) == "The cart table is renamed."


def test_work_without_words_is_named_by_what_was_run() -> None:
    assert title(ran("ls -la"), ran("/usr/bin/find . -name x"), ran("find y")) == "3 commands: find, ls"
    assert title(ran("make test")._replace(aside=True)) == "1 command of a helper: make"
