"""The last redaction: no secret reaches a line, and nothing else of an event changes."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.secret_examples import written

from tacit.disk.files import OsDisk
from tacit.disk.lock import FileLock
from tacit.log import Log
from tacit.log.codec import encode
from tacit.log.segment import redact_body, redact_events
from tacit.model import observation
from tacit.model.claim import GLOBAL
from tacit.model.event import ClaimDecided, ClaimProposed, Draft, EventBody, EventsUndone, Verdict
from tacit.model.statement import claim_from
from tacit.purge.tombstones import load_tombstones
from tests.support.events import added, event, numbered, says

SECRET = written("ghp_<a36>")
COMMAND = f"curl -H 'Authorization: Bearer {SECRET}' example.org"


TOLD = f"the key is {SECRET} for now"
CLAIM, PLAIN = claim_from(TOLD, GLOBAL), claim_from("use pnpm", GLOBAL)
BODIES: list[EventBody] = [
    ClaimProposed(CLAIM, Verdict.ADDED, "user_direct"),
    ClaimProposed(PLAIN, Verdict.PROPOSED, "remember", evidence=TOLD, reason=TOLD),
    ClaimProposed(PLAIN._replace(tags=(SECRET,)), Verdict.PROPOSED, "remember"),
    ClaimDecided(PLAIN, Verdict.REVISED, instead=CLAIM, carried_evidence=("fine", TOLD)),
    EventsUndone((), (), TOLD),
    observation.WorkLogged(TOLD, TOLD, TOLD, TOLD, TOLD),
    observation.CommandRan(TOLD, TOLD, 0, 5, "zsh", TOLD, TOLD),
    observation.WorkflowSaved("check", (TOLD, "make"), TOLD),
    observation.WorkflowRan("check", (observation.StepRan(TOLD, 1),), TOLD),
    observation.RecallAsked(TOLD, 1),
    observation.BriefInjected((), 1, TOLD),
    observation.EvaluationCreated("2026-03-02", (observation.EvaluationScore("a measure", 1, TOLD),)),
]


def appended(home: Path, body: EventBody) -> bytes:
    lock = FileLock(str(home / "lock"), 5)
    log = Log(str(home), OsDisk(), lock, lambda: bytes(10), lambda _secret: "0123abcd", load_purges=load_tombstones)
    log.append([Draft(body, GLOBAL)], event(1, body).origin)
    return b"".join(path.read_bytes() for path in home.rglob("*.jsonl"))


@pytest.mark.parametrize("body", BODIES, ids=lambda body: type(body).__name__)
def test_a_secret_in_any_field_is_hidden_before_the_disk_sees_it(tmp_path: Path, body: EventBody) -> None:
    data = appended(tmp_path, body)
    assert SECRET.encode() not in data and SECRET.lower().encode() not in data
    assert b"[redacted:github-token:0123abcd]" in data


def test_what_holds_no_secret_is_written_as_it_was_said(tmp_path: Path) -> None:
    assert b"redacted" not in appended(tmp_path, observation.WorkLogged("T-1", "never commit an AWS access key"))


def test_every_text_of_a_body_is_redacted_however_deep_it_is() -> None:
    run = observation.WorkflowRan(
        f"deploy {SECRET}", (observation.StepRan("make", 0, 5), observation.StepRan(COMMAND, 1, 7)), "/work", 2
    )
    redacted = redact_body(run)
    assert isinstance(redacted, observation.WorkflowRan) and isinstance(redacted.steps[1], observation.StepRan)
    assert SECRET not in str(redacted)
    assert "[redacted:" in redacted.name and redacted.steps[1].command.startswith("curl -H ")
    assert (redacted.steps[0], redacted.steps[1][1:], redacted.first) == (run.steps[0], (1, 7), 2)


def test_fields_that_are_no_free_text_keep_their_type() -> None:
    prompt = redact_body(observation.PromptGiven("claude", f"the token is {SECRET}", observation.PromptKind.QUEUED))
    assert isinstance(prompt, observation.PromptGiven) and prompt.how is observation.PromptKind.QUEUED
    proposed = added(says("the proxy needs a token"), f"said with {SECRET}")
    redacted = redact_body(proposed)
    assert isinstance(redacted, ClaimProposed)
    assert redacted._replace(evidence=proposed.evidence) == proposed
    assert SECRET.encode() not in encode(event(1, redacted))


@pytest.mark.parametrize(
    "body",
    [
        observation.CommandRan("git push --force-with-lease", "/work"),
        observation.UnknownBody(f"future.{SECRET}"),
        observation.RepositoryDistrusted(f"/srv/{SECRET}/facts", "it changed"),
        observation.BriefInjected((SECRET,), 12),
        observation.MemoryChecked("0123456789ab", "0123456789ab", "violated"),
    ],
)
def test_a_body_without_a_secret_and_one_that_tacit_computed_are_the_same_object(body: EventBody) -> None:
    assert redact_body(body) is body


def test_of_an_undo_only_the_label_is_redacted_for_its_ids_have_to_match_the_log() -> None:
    body = EventsUndone((numbered(1),), (SECRET,), f"add {SECRET}")
    redacted = redact_body(body)
    assert isinstance(redacted, EventsUndone)
    assert redacted.label.startswith("add [redacted:")
    assert redacted._replace(label=body.label) == body


@pytest.mark.parametrize("places", [(), (0,), (31, 32), (5, 6, 64, 69)])
def test_of_many_events_those_with_a_secret_change_and_the_order_stays(places: tuple[int, ...]) -> None:
    events = [
        event(number, observation.RecallAsked(f"where is {SECRET if number in places else 'the backup'}", 1))
        for number in range(70)
    ]
    redacted = redact_events(events)
    assert [one.id for one in redacted] == [one.id for one in events]
    assert [number for number, one in enumerate(redacted) if one != events[number]] == list(places)
    assert SECRET not in str(redacted)
    assert redact_events([]) == []


def test_a_text_that_comes_again_is_redacted_wherever_it_is() -> None:
    events = [event(number, observation.CommandRan(f"make {number}", "/srv/app")) for number in range(100)]
    for number in (3, 40, 41, 99):
        events[number] = event(number, observation.CommandRan(COMMAND if number % 2 else "make", f"/srv/{SECRET}"))
    redacted = redact_events(events)
    assert SECRET not in str(redacted)
    assert [number for number, one in enumerate(redacted) if one != events[number]] == [3, 40, 41, 99]
