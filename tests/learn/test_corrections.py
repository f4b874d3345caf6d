"""Corrections: which prompts are one, and which of them say again what was said before."""

from __future__ import annotations

import pytest

from tacit.learn import load_data
from tacit.learn.corrections import assent_patterns, find_corrections, reproach_patterns, says_again, user_statements
from tacit.learn.statements.sentences import normalize_text
from tacit.model.observation import ConversationBody, PromptKind, ToolUsed
from tacit.search.semantic import text_similarity
from tests.support.talking import conversation, prompt, reply

DONE = reply("It is done.")
TABLES = [(name, row["example"]) for name, rows in load_data("corrections.toml").items() for row in rows]


def corrections(*bodies: ConversationBody | str) -> list[str]:
    events = conversation(*(prompt(body) if isinstance(body, str) else body for body in bodies))
    return [found.text for found in find_corrections(events) if found.is_plain]


@pytest.mark.parametrize(("name", "example"), TABLES)
def test_every_row_has_an_example_that_it_matches(name: str, example: str) -> None:
    patterns = {"assent": assent_patterns, "reproach": reproach_patterns}[name]()
    at = next(number for number, row in enumerate(load_data("corrections.toml")[name]) if row["example"] == example)
    assert patterns[at].search(normalize_text(example))


@pytest.mark.parametrize(
    "text",
    [
        "no, leave compute_tax in euros",
        "wait, that's not what I meant. The tax is in euros",
        "Not as a comment, as a document of its own.",
        "You forgot to run the linter.",
        "I told you to use the helper",
        "why did you delete the fixtures?",
        "please stop adding comments",
        "let's not leave the tests to the very end",
        "nein, nicht in den Controller",
        "from now on, ask before you push",
    ],
)
def test_who_refuses_reproaches_or_states_a_rule_after_work_corrects(text: str) -> None:
    assert corrections("add the tax", DONE, text) == [text]


@pytest.mark.parametrize(
    "text",
    [
        "no problem, go on",
        "no, that's fine",
        "don't you think the list is too long?",
        "not sure that it is needed",
        "this is not a case I'd considered",
        "now add the discount",
        "commit and push",
        "anything else we've missed?",
        "why does the build fail?",
    ],
)
def test_who_agrees_asks_or_goes_on_corrects_nothing(text: str) -> None:
    assert corrections("add the tax", DONE, text) == []


def test_before_any_work_there_is_nothing_to_correct_and_an_answer_corrects_nothing() -> None:
    assert corrections("no tests, please") == []
    assert corrections("add the tax", reply("It is added. Shall I commit it?"), "no, wait with that") == []
    assert corrections("add the tax", ToolUsed("claude", "Bash"), "no, wait with that") == ["no, wait with that"]


def test_the_reason_of_a_rejected_call_corrects_however_it_is_worded() -> None:
    reason = prompt("we keep migrations in one folder", PromptKind.REJECTION)
    assert corrections("add the tax", ToolUsed("claude", "Edit"), reason) == ["we keep migrations in one folder"]


def test_what_is_left_of_a_sentence_is_what_should_be_done() -> None:
    events = conversation(
        *map(
            prompt,
            (
                "No, I already told you to use the money helper again!",
                "no automatic commits from now on",
                "don't touch it",  # "it" is something else tomorrow
                "don't commit the lock file yet",  # for this task
                "should we use the money helper?",
                "add the discount to the cart",  # a task
            ),
        )
    )
    assert [stated.core for stated in user_statements(events)] == [
        "use the money helper",
        "no automatic commits",
    ]


@pytest.mark.parametrize(
    ("core", "earlier"),
    [
        ("use pnpm instead of npm", "use pnpm instead of npm, please"),
        ("leave out the semicolons in our JavaScript", "no semicolons in the JavaScript code"),
        ("run the linter before committing", "run the linter before you commit"),
    ],
)
def test_the_same_in_other_words_is_said_again(core: str, earlier: str) -> None:
    assert says_again(core, earlier, text_similarity)


@pytest.mark.parametrize(
    ("core", "earlier"),
    [
        ("use npm instead of pnpm", "use pnpm instead of npm"),
        ("folders begin with 1, I want 0 first", "folders begin with 0, I want 1 first"),
        ("commit and push the branch", "push the tags and commit the notes"),
        ("never commit the lock file", "never commit the snapshots"),
        ("don't add dependencies without asking", "do not upgrade dependencies without asking"),
        ("use tabs", "use spaces"),
    ],
)
def test_another_rule_about_the_same_is_not_said_again(core: str, earlier: str) -> None:
    assert not says_again(core, earlier, text_similarity)
