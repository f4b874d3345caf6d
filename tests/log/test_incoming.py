"""Which events of a home are for another home of the same person."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tacit.log.incoming import is_about_memory, is_portable
from tacit.model.claim import GLOBAL, Provenance
from tacit.model.event import Event, EventBody, EventOrigin, EventsUndone
from tacit.model.ids import EventId
from tacit.model.observation import (
    CommandRan,
    EvaluationCreated,
    LogSealed,
    MemoryPurged,
    ProjectSeen,
    PromptGiven,
    PurgedStub,
    RecallAsked,
    RepositoryDistrusted,
    WorkflowDropped,
    WorkLogged,
)

AT = datetime(2026, 3, 2, tzinfo=UTC)


def event(body: EventBody, actor: str = "user") -> Event:
    origin = EventOrigin(AT, 0, "host", "", actor, Provenance.USER_DIRECT)
    return Event(EventId("x"), EventId("x"), origin, GLOBAL, body)


@pytest.mark.parametrize("body", [LogSealed(0, 1, ""), ProjectSeen("/x"), RepositoryDistrusted("/x", "")])
def test_what_is_true_of_one_machine_stays_there(body: EventBody) -> None:
    assert not is_portable(event(body))


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
    assert is_portable(event(WorkflowDropped("x"), actor)) == travels


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (EventsUndone((), ()), True),
        (EvaluationCreated("2026-03-02", ()), True),
        (WorkflowDropped("x"), True),
        (MemoryPurged(), True),
        (PurgedStub("memory.added"), True),
        (PurgedStub("command.ran"), False),
        (CommandRan("ls", "/", 0), False),
        (WorkLogged("t", "s"), False),
        (RecallAsked("q", 0), False),
        (PromptGiven("claude", "hello"), False),
    ],
)
def test_commands_prompts_and_questions_are_not_about_memory(body: EventBody, expected: bool) -> None:
    assert is_about_memory(event(body)) == expected
