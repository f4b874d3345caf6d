"""The last redaction: no secret reaches a line, and nothing else of an event changes."""

from __future__ import annotations

import pytest
from harness.secret_examples import written

from tacit.log.codec import encode
from tacit.log.redact import redact_body, redact_events
from tacit.model.event import ClaimProposed, EventBody, EventsUndone
from tacit.model.observation import (
    BriefInjected,
    CommandRan,
    MemoryChecked,
    PromptGiven,
    PromptKind,
    RecallAsked,
    RepositoryDistrusted,
    StepRan,
    UnknownBody,
    WorkflowRan,
    WorkLogged,
)
from tests.support.events import added, event, numbered, says

SECRET = written("ghp_<a36>")
COMMAND = f"curl -H 'Authorization: Bearer {SECRET}' example.org"


def test_every_text_of_a_body_is_redacted_however_deep_it_is() -> None:
    run = WorkflowRan(f"deploy {SECRET}", (StepRan("make", 0, 5), StepRan(COMMAND, 1, 7)), "/work", 2)
    redacted = redact_body(run)
    assert isinstance(redacted, WorkflowRan) and isinstance(redacted.steps[1], StepRan)
    assert SECRET not in str(redacted)
    assert "[redacted:" in redacted.name and redacted.steps[1].command.startswith("curl -H ")
    assert (redacted.steps[0], redacted.steps[1][1:], redacted.first) == (run.steps[0], (1, 7), 2)


def test_fields_that_are_no_free_text_keep_their_type() -> None:
    prompt = redact_body(PromptGiven("claude", f"the token is {SECRET}", PromptKind.QUEUED))
    assert isinstance(prompt, PromptGiven) and prompt.how is PromptKind.QUEUED
    proposed = added(says("the proxy needs a token"), f"said with {SECRET}")
    redacted = redact_body(proposed)
    assert isinstance(redacted, ClaimProposed)
    assert redacted._replace(evidence=proposed.evidence) == proposed
    assert SECRET.encode() not in encode(event(1, redacted))


def test_the_digest_of_the_secret_itself_is_in_its_place() -> None:
    redacted = redact_body(WorkLogged("T-1", f"rotated {SECRET} today"), lambda secret: f"{len(secret)}-chars")
    assert isinstance(redacted, WorkLogged)
    assert redacted.summary.startswith("rotated [redacted:") and redacted.summary.endswith(":40-chars] today")


@pytest.mark.parametrize(
    "body",
    [
        CommandRan("git push --force-with-lease", "/work"),
        UnknownBody(f"future.{SECRET}"),
        RepositoryDistrusted(f"/srv/{SECRET}/facts", "it changed"),
        BriefInjected((SECRET,), 12),
        MemoryChecked("0123456789ab", "0123456789ab", "violated"),
    ],
)
def test_a_body_without_a_secret_and_one_that_tacit_computed_are_the_same_object(body: EventBody) -> None:
    assert redact_body(body) is body


def test_the_task_of_a_brief_is_redacted() -> None:
    body = redact_body(BriefInjected(("m1",), 12, task=f"deploy with {SECRET}"))
    assert isinstance(body, BriefInjected)
    assert body.task.startswith("deploy with [redacted:") and body.memories == ("m1",)


def test_of_an_undo_only_the_label_is_redacted_for_its_ids_have_to_match_the_log() -> None:
    body = EventsUndone((numbered(1),), (SECRET,), f"add {SECRET}")
    redacted = redact_body(body)
    assert isinstance(redacted, EventsUndone)
    assert redacted.label.startswith("add [redacted:")
    assert redacted._replace(label=body.label) == body


@pytest.mark.parametrize("places", [(), (0,), (31, 32), (5, 6, 64, 69)])
def test_of_many_events_those_with_a_secret_change_and_the_order_stays(places: tuple[int, ...]) -> None:
    events = [
        event(number, RecallAsked(f"where is {SECRET if number in places else 'the backup'}", 1))
        for number in range(70)
    ]
    redacted = redact_events(events)
    assert [one.id for one in redacted] == [one.id for one in events]
    assert [number for number, one in enumerate(redacted) if one != events[number]] == list(places)
    assert SECRET not in str(redacted)
    assert redact_events([]) == []


def test_a_text_that_comes_again_is_redacted_wherever_it_is() -> None:
    events = [event(number, CommandRan(f"make {number}", "/srv/app")) for number in range(100)]
    for number in (3, 40, 41, 99):
        events[number] = event(number, CommandRan(COMMAND if number % 2 else "make", f"/srv/{SECRET}"))
    redacted = redact_events(events)
    assert SECRET not in str(redacted)
    assert [number for number, one in enumerate(redacted) if one != events[number]] == [3, 40, 41, 99]
