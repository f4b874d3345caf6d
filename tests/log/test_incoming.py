"""Which events of a home are for another home of the same person."""

from __future__ import annotations

import pytest

from tacit.log.incoming import is_about_memory, is_portable
from tacit.model import observation
from tacit.model.event import EventBody, EventsUndone
from tests.support.events import event


@pytest.mark.parametrize(
    "body", [observation.LogSealed(0, 1, ""), observation.ProjectSeen("/x"), observation.RepositoryDistrusted("/x", "")]
)
def test_what_is_true_of_one_machine_stays_there(body: EventBody) -> None:
    assert not is_portable(event(1, body))


@pytest.mark.parametrize(
    ("actor", "travels"),
    [
        ("user", True),
        ("agent:x", True),
        ("repository", False),
        ("team", False),
        ("team:alice", False),
        ("teammate", True),
    ],
)
def test_what_each_machine_gets_for_itself_stays_there(actor: str, travels: bool) -> None:
    assert is_portable(event(1, observation.WorkflowDropped("x"), actor)) == travels


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (EventsUndone((), ()), True),
        (observation.EvaluationCreated("2026-03-02", ()), True),
        (observation.WorkflowDropped("x"), True),
        (observation.MemoryPurged(), True),
        (observation.PurgedStub("memory.added"), True),
        (observation.PurgedStub("command.ran"), False),
        (observation.CommandRan("ls", "/", 0), False),
        (observation.WorkLogged("t", "s"), False),
        (observation.RecallAsked("q", 0), False),
        (observation.PromptGiven("claude", "hello"), False),
    ],
)
def test_commands_prompts_and_questions_are_not_about_memory(body: EventBody, expected: bool) -> None:
    assert is_about_memory(event(1, body)) == expected
