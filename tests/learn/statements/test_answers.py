"""Answers and repeated choices; plans teach nothing."""

from __future__ import annotations

import pytest

from tacit.model.claim import Kind, Provenance
from tacit.model.observation import PromptKind, ToolAction, ToolOutcome, ToolUsed
from tests.support.talking import learnt, prompt


def test_an_answer_to_a_question_of_design_is_a_decision() -> None:
    (one,) = learnt(prompt("Postgres (Recommended)", PromptKind.ANSWER, "Which database should we use?"))
    assert one.kind is Kind.DECISION
    assert one.sentence == "Decided on the database: Postgres."
    assert one.quote == "Postgres"
    assert one.provenance is Provenance.MODEL  # the question is the agent's


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


def test_a_plan_of_the_agent_decides_nothing() -> None:
    plan = "Use httpx rather than requests in the client. Never use requests again."
    assert learnt(ToolUsed("claude", "ExitPlanMode", ToolAction.PLANNED, plan, "", ToolOutcome.SUCCEEDED)) == []


def preferred(*texts: str) -> list[str]:
    return [one.sentence for one in learnt(*texts) if one.reason.startswith("chosen")]


def test_what_is_chosen_again_is_a_preference_with_all_its_evidence() -> None:
    found = learnt("use pnpm instead of npm", "hmm", "I said use pnpm, not npm")
    (one,) = [one for one in found if one.reason == "chosen 2 times"]
    assert one.kind is Kind.PREFERENCE
    assert one.sentence == "Prefer pnpm over npm."
    assert one.evidence == ("e0", "e2")
    assert one.quote == "use pnpm instead of npm"


def test_what_is_chosen_once_or_both_ways_is_no_preference() -> None:
    assert preferred("use pnpm instead of npm") == []
    assert preferred("use pnpm instead of npm", "use npm instead of pnpm", "use pnpm instead of npm") == []
    assert preferred("should I use pnpm instead of npm?", "why use pnpm instead of npm?") == []
