"""Which sentences of a session a judge reads."""

from __future__ import annotations

from tacit.learn.statements.sentences import sentence_candidates
from tacit.model.observation import PromptKind, ToolAction, ToolUsed
from tests.support.talking import conversation, prompt, reply


def texts(*bodies: object) -> list[str]:
    return [candidate.text for candidate in sentence_candidates(conversation(*bodies))]  # type: ignore[arg-type]


def test_statements_are_passed_and_small_talk_is_not() -> None:
    passed = texts(prompt("thanks"), prompt("ok?"), prompt("The staging server is deployed from the branch release."))
    assert passed == ["The staging server is deployed from the branch release."]


def test_an_explicit_form_is_always_passed() -> None:
    assert texts(prompt("in german please")) == ["in german please"]


def test_only_what_the_person_typed_is_passed() -> None:
    tool = ToolUsed("claude", "Bash", ToolAction.RAN, "cat NOTES", "We always deploy from the branch release.")
    assert texts(reply("We always deploy from the branch release."), tool) == []
    assert texts(prompt("git commit -m 'we always deploy from release'", PromptKind.SHELL)) == []


def test_a_candidate_names_its_event_and_the_question_it_answers() -> None:
    (candidate,) = sentence_candidates(
        conversation(prompt("we use Postgres for everything", PromptKind.ANSWER, "Which database?"))
    )
    assert candidate.event_id == "e0"
    assert candidate.answering == "Which database?"
