"""Rules come from what the person typed, not from what they pasted or what a machine wrote for them."""

from __future__ import annotations

import pytest

from tacit.learn.statements.sentences import prompt_sentences, typed_sentences
from tacit.model.observation import PromptKind
from tests.support.talking import learnt, prompt, reply, sentences

RULE = "Never commit the lock file of the docs."


def own(text: str) -> str:
    return "|".join(sentence.text for sentence in typed_sentences(text))


@pytest.mark.parametrize(
    "text",
    [
        f"what does this mean?\n```\n{RULE}\n```",
        f"look at this\n> {RULE}",
        f"I got this feedback for my branch:\n\n{RULE}\nConsider adding tests for it.",
        f"This session is being continued from a previous conversation.\n{RULE}",
        f"Implement the following plan:\n\n# Plan\n\n{RULE}",
        f"<task-notification>\n{RULE}\n</task-notification>",
        f"<system-reminder>{RULE}</system-reminder>",
        f'{RULE}\n\n<activation critical="true">\n1. LOAD the agent\n</activation>',
        f'the file says "{RULE}" somewhere',
        "2026-01-09 19:23:47 ERROR never use the implicit flow with this client",
        "# Spec\n\n## Goals\n\n- Always store the token\n- Never log it\n- Every user has a role\n"
        "## Steps\n\n1. Always validate\n2. Never trust\n3. All fields must be set\n",
        "When the parser meets a tab it always returns zero, which is incorrect and never noticed. " * 6,
    ],
)
def test_what_the_person_did_not_write_teaches_nothing(text: str) -> None:
    assert learnt(text) == []


def test_what_stands_around_something_pasted_is_still_the_persons() -> None:
    text = f"{RULE}\n```\nalways = never\n```\nFrom now on we use tabs in the whole project."
    assert own(text) == f"{RULE}|From now on we use tabs in the whole project."
    assert sentences(text) == [RULE, "We use tabs in the whole project."]


def test_a_list_in_the_persons_own_voice_is_read() -> None:
    text = "## My points\n\n1. I don't want the migration code.\n2. Please drop the cache.\n3. We never use pip here."
    assert len(learnt(text)) == 2


def test_prose_of_a_document_is_read_by_a_judge_and_not_taken_as_typed() -> None:
    text = "# Plan\n\n- Never log the token\n- Store it\n- Check it\n- Ship it\n- Test it\n- Name it\n"
    found = prompt_sentences(text)
    assert "Never log the token" in [sentence.text for sentence in found]
    assert not any(sentence.is_typed for sentence in found)


def test_code_and_logs_are_read_by_nobody() -> None:
    text = "look:\n```\nnever = 1\n```\n2026-01-09 19:23:47 ERROR never again\nthanks"
    assert [sentence.text for sentence in prompt_sentences(text)] == ["look:", "thanks"]


def test_what_the_agent_says_teaches_nothing() -> None:
    assert learnt(reply("We always use tabs here. Never use spaces in this project.")) == []


def test_what_the_person_runs_teaches_nothing() -> None:
    assert learnt(prompt("git commit -m 'never push the lock file'", PromptKind.SHELL)) == []
