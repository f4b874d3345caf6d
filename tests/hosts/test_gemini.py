"""What is heard of Gemini CLI, case by case."""

from __future__ import annotations

import json

import pytest

from tacit.hosts.gemini import SOURCE
from tacit.model.observation import ReplyGiven, SessionCompacted, SessionTitled, TitleAuthor, ToolOutcome
from tests.support.transcripts import SESSION, bodies, calls, hear, lines, prompts

Record = dict[str, object]
HEAD = {"sessionId": SESSION, "projectHash": "h", "kind": "main"}
CONTEXT = "<session_context>\n- **Workspace Directories:**\n  - /w/shop\n- **Directory Structure:**\n</session_context>"


def message(number: int, kind: str, content: object, **more: object) -> Record:
    own = f"{number:08x}-bbbb-4000-8000-000000000000"
    return {"id": own, "timestamp": f"2026-03-02T12:00:{number:02}.000Z", "type": kind, "content": content, **more}


def patch(*messages: Record, **more: object) -> Record:
    return {"$set": {"messages": list(messages), **more}}


def call(status: str, output: str = "", **more: object) -> Record:
    response = {"functionResponse": {"response": {"output": output}}}
    own = {"id": "run_shell_command-1772452800001-abc01", "name": "run_shell_command", "args": {"command": "make"}}
    return {**own, "status": status, "result": [response], **more}


def test_the_first_lines_say_where_the_session_is() -> None:
    first = message(0, "user", [{"text": CONTEXT}])
    (event,), _ = hear("gemini", lines(HEAD, patch(first), message(1, "user", "hello")))
    assert (event.session, event.directory) == (SESSION, "/w/shop")


def test_a_message_repeated_with_its_calls_is_heard_once_and_its_calls_with_it() -> None:
    said = message(1, "gemini", "I will.")
    heard = bodies("gemini", lines(HEAD, said, {**said, "toolCalls": [call("success", "Output: done")]}))
    assert [type(body).__name__ for body in heard] == ["ReplyGiven", "ToolUsed"]


def test_a_resumed_session_repeats_messages_with_other_times_and_the_same_keys() -> None:
    said, again = message(1, "user", "hello"), message(1, "user", "hello", timestamp="2026-03-02T18:00:00.000Z")
    (first,), _ = hear("gemini", lines(HEAD, said))
    (other,), _ = hear("gemini", lines(HEAD, patch(again)))
    assert first.key == other.key and first.at != other.at and first.timeless and other.timeless
    assert len(prompts("gemini", lines(HEAD, said, patch(again)))) == 1


def test_of_a_compressed_session_only_the_compression_is_heard() -> None:
    snapshot = message(8, "user", [{"text": "<state_snapshot>\nA summary\n</state_snapshot>"}])
    kept = message(9, "gemini", "repeated with another id")
    heard = bodies("gemini", lines(HEAD, patch(snapshot, kept)))
    assert [type(body) for body in heard] == [SessionCompacted]


@pytest.mark.parametrize(
    "content",
    [
        "System: Please continue.",
        "This is the Gemini CLI. We are setting up the context.",
        [{"text": CONTEXT}],
        [{"functionResponse": {"response": {"output": "3 passed"}}}],
        "  ",
    ],
)
def test_what_the_host_writes_as_the_user_is_counted_and_no_prompt(content: object) -> None:
    heard, stats = hear("gemini", lines(HEAD, message(1, "user", content)))
    assert heard == [] and stats.skipped["user message of the host"] == 1


def test_the_reply_to_the_setup_is_not_heard() -> None:
    data = lines(
        HEAD, message(1, "gemini", "Got it. Thanks for the additional context!"), message(2, "gemini", "Done.")
    )
    assert [body.text for body in bodies("gemini", data) if isinstance(body, ReplyGiven)] == ["Done."]


def test_a_prompt_is_what_was_displayed_and_not_the_files_attached_to_it() -> None:
    shown = message(1, "user", [{"text": "see @a.py"}, {"text": "content of a.py"}], displayContent="see @a.py")
    assert [prompt.text for prompt in prompts("gemini", lines(HEAD, shown))] == ["see @a.py"]


@pytest.mark.parametrize(
    ("status", "output", "outcome"),
    [
        ("success", "Output: done", ToolOutcome.SUCCEEDED),
        ("success", "Output: done\nExit Code: 0", ToolOutcome.SUCCEEDED),
        ("success", "Output: none\nExit Code: 2", ToolOutcome.FAILED),
        ("error", "no such tool", ToolOutcome.FAILED),
        ("cancelled", "", ToolOutcome.REJECTED),
    ],
)
def test_how_a_call_ended(status: str, output: str, outcome: ToolOutcome) -> None:
    (used,) = calls("gemini", lines(HEAD, message(1, "gemini", "", toolCalls=[call(status, output)])))
    assert used.outcome is outcome


def test_a_call_that_the_host_blocked_did_not_run() -> None:
    blocked = call("success", "Tool execution blocked", resultDisplay="Blocked: not allowed here")
    (used,) = calls("gemini", lines(HEAD, message(1, "gemini", "", toolCalls=[blocked])))
    assert used.outcome is ToolOutcome.REJECTED


def test_a_call_that_still_runs_is_left_for_a_later_reading() -> None:
    heard, stats = hear("gemini", lines(HEAD, message(1, "gemini", "", toolCalls=[call("executing")])))
    assert heard == [] and stats.skipped["call that is not done"] == 1


def test_a_result_has_no_lines_about_the_process_and_falls_back_to_what_was_displayed() -> None:
    output = "Command: make\nDirectory: (root)\nOutput: done\nError: (none)\nSignal: 0\nProcess Group PGID: 7"
    shown = call("success", "", id="run_shell_command-1772452800002-abc02", resultDisplay="as displayed")
    data = lines(HEAD, message(1, "gemini", "", toolCalls=[call("success", output), shown]))
    assert [used.result for used in calls("gemini", data)] == ["Output: done", "as displayed"]


def test_a_summary_of_the_host_is_the_title_of_the_session() -> None:
    data = lines(HEAD, message(1, "user", "hello"), {"$set": {"summary": "Greeting"}})
    (title,) = (body for body in bodies("gemini", data) if isinstance(body, SessionTitled))
    assert (title.text, title.by) == ("Greeting", TitleAuthor.HOST)


@pytest.mark.parametrize("indent", [None, 2])
def test_the_older_form_is_one_document_on_one_line_or_many(indent: int | None) -> None:
    said = [message(1, "user", "hello"), message(2, "gemini", "hi"), message(3, "info", "Update available")]
    document = {"sessionId": SESSION, "projectHash": "h", "messages": said, "summary": "Greeting"}
    events, stats = hear("gemini", json.dumps(document, indent=indent).encode())
    assert [type(event.body).__name__ for event in events] == ["PromptGiven", "ReplyGiven", "SessionTitled"]
    assert {event.session for event in events} == {SESSION}
    assert (stats.records, stats.skipped["info"]) == (3, 1)


def test_a_chat_is_known_by_its_first_bytes_and_found_where_the_host_keeps_it() -> None:
    assert SOURCE.matches("session-1.jsonl", lines(HEAD)) and SOURCE.matches("a.json", b'{"$set": {}}')
    assert not SOURCE.matches("session-1.txt", lines(HEAD)) and not SOURCE.matches("a.json", b'{"history": []}')
    assert SOURCE.paths({}, "/home/kim") == ["/home/kim/.gemini/tmp"]
    assert SOURCE.paths({"GEMINI_CLI_HOME": "/srv/g"}, "/home/kim") == ["/srv/g/.gemini/tmp"]
