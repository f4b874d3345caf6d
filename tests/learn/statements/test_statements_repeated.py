"""What is decided alike in several sessions."""

from __future__ import annotations

from tacit.index.sessions import SessionChoice
from tacit.learn import Lesson
from tacit.learn.statements import observed_decisions, repeated_lessons
from tacit.model.claim import Kind, Provenance
from tacit.model.ids import EventId
from tacit.model.observation import ConversationBody, PromptKind, ToolAction, ToolUsed
from tests.support.talking import conversation, prompt, reply

QUESTION = "Which package manager should I use?"


def choices(*bodies: ConversationBody, session: str = "s") -> list[SessionChoice]:
    found = [decision.choice for decision in observed_decisions(conversation(*bodies))]
    return [choice._replace(event_id=EventId(f"{session}-{choice.event_id}")) for choice in found]


def repeated(session: list[ConversationBody], *others: list[SessionChoice]) -> list[Lesson]:
    return list(repeated_lessons(observed_decisions(conversation(*session)), others))


def test_the_same_choice_in_two_sessions_is_a_preference_with_all_its_evidence() -> None:
    earlier = choices(prompt("please use pnpm instead of npm here"), session="one")
    (lesson,) = repeated([prompt("hello"), prompt("run it with pnpm, not npm.")], earlier)
    assert lesson.kind is Kind.PREFERENCE and lesson.sentence == "Prefer pnpm over npm."
    assert lesson.evidence == ("e1", "one-e0")
    assert lesson.quote == "run it with pnpm, not npm."
    assert lesson.reason == "chosen in 2 sessions"
    assert lesson.provenance is Provenance.USER_DIRECT and 0.6 < lesson.confidence < 0.75


def test_one_session_is_not_several_however_often_it_is_said() -> None:
    again = [prompt("use pnpm instead of npm"), prompt("use pnpm instead of npm")]
    assert repeated(list(again)) == []


def test_a_choice_that_was_once_the_other_way_round_is_no_preference() -> None:
    own = [prompt("use pnpm instead of npm")]
    same, other = choices(*own), choices(prompt("use npm instead of pnpm"))
    assert len(repeated(list(own), same)) == 1
    assert repeated(list(own), same, other) == []
    assert repeated(list(own), other) == []
    assert repeated([prompt("use yarn instead of npm")], same) == []


def test_a_question_answered_alike_in_two_sessions_is_a_decision() -> None:
    earlier = choices(prompt("pnpm (Recommended)", PromptKind.ANSWER, "Which package manager do you want to use?"))
    (lesson,) = repeated([reply(f"I can set it up. {QUESTION}"), prompt("Use pnpm please")], earlier)
    assert lesson.kind is Kind.DECISION and lesson.sentence == "Decided on the package manager: pnpm."
    assert lesson.evidence == ("e1", "s-e0") and lesson.quote == "pnpm"
    assert lesson.reason == "answered alike in 2 sessions"
    assert lesson.provenance is Provenance.MODEL  # the question is the agent's


def test_a_question_answered_differently_is_no_decision() -> None:
    own = [prompt("pnpm", PromptKind.ANSWER, QUESTION)]
    assert repeated(list(own), choices(prompt("yarn", PromptKind.ANSWER, QUESTION))) == []
    assert repeated(list(own), choices(*own), choices(prompt("yarn", PromptKind.ANSWER, QUESTION))) == []


def test_a_question_is_answered_by_the_next_prompt_alone() -> None:
    used = ToolUsed("claude", "Bash", ToolAction.RAN, "ls")
    assert len(choices(reply(QUESTION), used, prompt("pnpm"))) == 1
    assert choices(reply(QUESTION), prompt("wait"), prompt("pnpm")) == []
    assert choices(reply(QUESTION), prompt("pnpm", PromptKind.SHELL)) == []
