"""What is heard of Copilot CLI, case by case."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tacit.hosts.copilot import SOURCE
from tacit.hosts.records import CaptureLimits, ReadStats, TranscriptEvent
from tacit.model.observation import PromptGiven, PromptKind, ReplyGiven, ToolOutcome
from tests.support.transcripts import SESSION, bodies, calls, hear, lines, prompts

Record = dict[str, object]


class Writer:
    """Writes events as the host does, each with a time and an id of its own."""

    def __init__(self) -> None:
        self.count = 0

    def event(self, kind: str, **data: object) -> Record:
        self.count += 1
        own = f"{self.count:08x}-cccc-4000-8000-000000000000"
        return {"type": kind, "data": data, "id": own, "timestamp": f"2026-03-02T13:00:{self.count:02}.000Z"}

    def start(self) -> Record:
        return self.event("session.start", sessionId=SESSION, context={"cwd": "/w", "branch": "main"})

    def prompt(self, text: str, **more: object) -> Record:
        return self.event("user.message", content=text, **more)

    def call(self, own: str, tool: str, arguments: object, **more: object) -> Record:
        return self.event("tool.execution_start", toolCallId=own, toolName=tool, arguments=arguments, **more)

    def result(self, own: str, **data: object) -> Record:
        return self.event("tool.execution_complete", toolCallId=own, **data)


@pytest.fixture
def w() -> Writer:
    return Writer()


def read(path: Path) -> list[TranscriptEvent]:
    with open(path, "rb") as file:
        return list(SOURCE.read(file, 0, CaptureLimits(), ReadStats()))


def test_the_first_event_says_where_the_session_is(w: Writer) -> None:
    (event,), _ = hear("copilot", lines(w.start(), w.prompt("hello")))
    assert (event.session, event.directory) == (SESSION, "/w")
    assert isinstance(event.body, PromptGiven) and event.body.branch == "main"


def test_older_events_have_their_fields_outside_of_an_envelope() -> None:
    older = {"type": "user.message", "prompt": "hello", "session_id": SESSION, "cwd": "/w"}
    (event,), _ = hear("copilot", lines({**older, "timestamp": "2026-03-02T13:00:00Z"}))
    assert (event.session, event.directory) == (SESSION, "/w")
    assert isinstance(event.body, PromptGiven) and event.body.text == "hello"


def test_a_prompt_that_waited_for_its_turn_is_a_queued_one(w: Writer) -> None:
    data = lines(w.prompt("a"), w.prompt("b", delivery="idle"), w.prompt("c", delivery="steering"))
    assert [one.how for one in prompts("copilot", data)] == [PromptKind.TYPED, PromptKind.TYPED, PromptKind.QUEUED]


def test_messages_of_the_host_and_of_subagents_are_counted_and_not_heard(w: Writer) -> None:
    hosts = [w.prompt("x", source="system"), w.prompt("y", parentToolCallId="call_1"), w.prompt(" \n")]
    heard, stats = hear("copilot", lines(*hosts, w.event("assistant.message", content="z", parentToolCallId="call_1")))
    assert heard == [] and stats.skipped["user.message of the host"] == 3


@pytest.mark.parametrize(
    ("data", "outcome"),
    [
        ({"success": True}, ToolOutcome.SUCCEEDED),
        ({"success": True, "shellExecution": {"exitCode": 0}}, ToolOutcome.SUCCEEDED),
        ({"success": True, "shellExecution": {"exitCode": 2}}, ToolOutcome.FAILED),
        ({"success": False}, ToolOutcome.FAILED),
        ({"success": False, "error": {"message": "no such file"}}, ToolOutcome.FAILED),
        ({"success": False, "error": {"message": "no", "code": "denied"}}, ToolOutcome.REJECTED),
        ({"success": False, "error": {"message": "The user rejected this."}}, ToolOutcome.REJECTED),
    ],
)
def test_how_a_call_ended(w: Writer, data: Record, outcome: ToolOutcome) -> None:
    (call,) = calls("copilot", lines(w.call("c1", "bash", {"command": "make"}), w.result("c1", **data)))
    assert call.outcome is outcome


@pytest.mark.parametrize(
    "result",
    [
        {"detailedContent": "moved", "content": "put there"},
        {"content": 'moved\n\nTool "bash" succeeded. Additional guidance from hooks:\nput there'},
        {"content": "moved\n<shellId: 0 completed with exit code 0>"},
        "moved",
    ],
)
def test_a_result_has_neither_guidance_of_hooks_nor_the_id_of_the_shell(w: Writer, result: object) -> None:
    (call,) = calls("copilot", lines(w.call("c1", "bash", {"command": "mv"}), w.result("c1", result=result)))
    assert call.result == "moved"


def test_arguments_may_be_a_text_with_json(w: Writer) -> None:
    text = json.dumps({"command": "make test"})
    (call,) = calls("copilot", lines(w.call("c1", "bash", text), w.result("c1", success=True)))
    assert call.input == "make test"


def test_a_call_without_a_result_is_told_when_the_person_goes_on(w: Writer) -> None:
    pending = [w.prompt("a"), w.call("c1", "bash", {"command": "sleep 9"})]
    assert calls("copilot", lines(*pending)) == []
    (call,) = calls("copilot", lines(*pending, w.prompt("b")))
    assert (call.input, call.outcome) == ("sleep 9", ToolOutcome.UNKNOWN)


def test_a_result_without_its_call_is_counted(w: Writer) -> None:
    heard, stats = hear("copilot", lines(w.result("c9", success=True)))
    assert heard == [] and stats.skipped["result without its call"] == 1


def test_known_types_are_skipped_and_new_ones_counted_as_unknown(w: Writer) -> None:
    _, stats = hear("copilot", lines(w.event("hook.start"), w.event("session.hologram")))
    assert stats.skipped["hook.start"] == 1 and stats.unknown == {"session.hologram": 1}


def test_the_first_versions_wrote_one_document(tmp_path: Path) -> None:
    history = [{"role": "human", "content": "hello"}, {"role": "assistant", "content": [{"text": "hi"}]}]
    path = tmp_path / f"{SESSION}.json"
    path.write_text(json.dumps({"history": history, "workspacePath": "/w"}))
    events = read(path)
    assert [type(event.body) for event in events] == [PromptGiven, ReplyGiven]
    assert {(event.session, event.directory) for event in events} == {(SESSION, "/w")}


def test_a_transcript_is_known_by_its_first_bytes_and_found_where_the_host_keeps_it(w: Writer) -> None:
    assert SOURCE.matches("events.jsonl", lines(w.start())) and not SOURCE.matches("events.txt", lines(w.start()))
    assert SOURCE.matches("a.json", b'{"history": []}') and not SOURCE.matches("a.json", b'{"messages": []}')
    assert SOURCE.paths({}, "/home/kim") == ["/home/kim/.copilot/session-state"]
    assert SOURCE.paths({"COPILOT_HOME": "/srv/c"}, "/home/kim") == ["/srv/c/session-state"]


def test_an_interruption_and_a_compaction_are_heard(w: Writer) -> None:
    heard = bodies("copilot", lines(w.event("abort"), w.event("session.compaction_complete")))
    assert [type(body).__name__ for body in heard] == ["TurnInterrupted", "SessionCompacted"]
