"""Answers to questions of the agent, and choices that are repeated in one session."""

from __future__ import annotations

import pytest

from tacit.learn.statements import answered_question, typed_answer
from tacit.model.claim import Kind
from tacit.model.observation import PromptKind, ToolAction, ToolOutcome, ToolUsed
from tests.support.talking import learnt, prompt


def test_an_answer_to_a_question_of_design_is_a_decision_that_one_session_does_not_teach() -> None:
    answer = prompt("Postgres (Recommended)", PromptKind.ANSWER, "Which database should we use?")
    decided = answered_question(answer)
    assert decided and (decided.sentence, decided.answer) == ("Decided on the database: Postgres.", "Postgres")
    assert learnt(answer) == []


@pytest.mark.parametrize(
    ("answer", "question"),
    [
        ("yes", "Which database should we use?"),
        ("No, thanks", "Should I add a second database for the tests?"),
        ("The first file", "Which file should I start with?"),
        ("Commit now", "Do you want me to commit what we have?"),
        ("what do you mean?", "Which database should we use?"),
    ],
)
def test_an_answer_that_only_says_how_to_go_on_is_none(answer: str, question: str) -> None:
    assert learnt(prompt(answer, PromptKind.ANSWER, question)) == []


def test_a_rule_in_an_answer_is_learnt_as_a_rule() -> None:
    (one, *_) = learnt(prompt("never use an ORM in this project", PromptKind.ANSWER, "How should I query the tables?"))
    assert one.kind is Kind.CONSTRAINT


@pytest.mark.parametrize("outcome", [ToolOutcome.SUCCEEDED, ToolOutcome.REJECTED])
def test_a_plan_is_the_agents_and_teaches_nothing(outcome: ToolOutcome) -> None:
    text = "Use httpx rather than requests in the client. We decided on Postgres."
    assert learnt(ToolUsed("claude", "ExitPlanMode", ToolAction.PLANNED, text, "", outcome)) == []


def preferred(*texts: str) -> list[str]:
    return [one.sentence for one in learnt(*texts) if one.reason.startswith("chosen")]


def test_what_is_chosen_again_is_a_preference_with_all_its_evidence() -> None:
    found = learnt("use pnpm instead of npm", "hmm", "I said use pnpm, not npm")
    (one,) = [one for one in found if one.reason == "chosen 2 times"]
    assert one.kind is Kind.PREFERENCE
    assert one.sentence == "Prefer pnpm over npm."
    assert one.evidence == ("e0", "e2")
    assert one.quote == "use pnpm instead of npm"
    assert one.confidence < 0.75  # nobody said it in so many words: it waits for a review


def test_what_is_chosen_once_or_both_ways_is_no_preference() -> None:
    assert preferred("use pnpm instead of npm") == []
    assert preferred("use pnpm instead of npm", "use npm instead of pnpm", "use pnpm instead of npm") == []
    assert preferred("should I use pnpm instead of npm?", "why use pnpm instead of npm?") == []


@pytest.mark.parametrize(
    ("question", "text", "sentence"),
    [
        ("Which package manager should I use?", "pnpm", "Decided on the package manager: pnpm."),
        ("I can add it. **Which port should we use?**", "use 8080, please.", "Decided on the port: 8080."),
        ("Done.\n\nWhere should the tests live?", "Let's go with tests/unit", ""),
        ("Two options.\n- How should we name the branches?", "by ticket number", "Decided how to name the branches"),
    ],
)
def test_a_few_words_after_a_question_of_the_agent_answer_it(question: str, text: str, sentence: str) -> None:
    decided = typed_answer(prompt(text), question)
    assert decided is not None and sentence in decided.sentence


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Which package manager should I use?", "yes"),
        ("Which package manager should I use?", "what do you think?"),
        ("Which package manager should I use?", "first fix the failing test in the parser, please"),
        ("Which package manager should I use? I will wait.", "pnpm"),
        ("Which file should I change?", "the parser"),
        ("Does that work for you?", "the parser"),
        ("It is done.", "pnpm"),
    ],
)
def test_other_words_after_a_reply_answer_nothing(question: str, text: str) -> None:
    assert typed_answer(prompt(text), question) is None
