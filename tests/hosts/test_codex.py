"""What is heard of Codex, case by case."""

from __future__ import annotations

import pytest

from tacit.model.observation import ToolAction, ToolOutcome
from tests.support.transcripts import bodies, calls, hear, lines, prompts

SESSION = "0c0de000-0000-7000-8000-00000000000c"
Record = dict[str, object]


class Writer:
    """Writes records as the host does."""

    def __init__(self) -> None:
        self.count = 0

    def record(self, kind: str, **payload: object) -> Record:
        self.count += 1
        return {"timestamp": f"2026-03-02T11:00:{self.count:02}.000Z", "type": kind, "payload": payload}

    def meta(self, **more: object) -> Record:
        return self.record("session_meta", id=SESSION, cwd="/w", **more)

    def event(self, kind: str, **payload: object) -> Record:
        return self.record("event_msg", type=kind, **payload)

    def message(self, role: str, text: str, *kinds: str) -> Record:
        about = {"internal_chat_message_metadata_passthrough": {"content_item_kinds": list(kinds)}} if kinds else {}
        content = [{"type": "input_text", "text": text}]
        return self.record("response_item", type="message", role=role, content=content, **about)

    def call(self, own: str, name: str, arguments: str) -> Record:
        return self.record("response_item", type="function_call", name=name, call_id=own, arguments=arguments)

    def output(self, own: str, output: object) -> Record:
        return self.record("response_item", type="function_call_output", call_id=own, output=output)


def texts(data: bytes) -> list[str]:
    return [prompt.text for prompt in prompts("codex", data)]


# What a rollout has, and which prompts are heard. `typed` and `put` are marked by the host, `user` is not. A prompt is
# repeated by an `event` in older versions, by an `item` in newer ones.
ROLLOUTS = {
    "a marked prompt and its event are one": ("typed hello; item hello", "hello"),
    "what is marked as put there is no prompt": ("put plain words; developer rules", ""),
    "a prompt and its event are one": ("user a; event a; assistant ok", "a"),
    "in either order": ("event a; user a; assistant ok", "a"),
    "without events when the agent goes on": ("user a; assistant b; user c; assistant d", "a; c"),
    "no event repeats it but another": ("user something the host wrote; event a; assistant b", "a"),
    "it is not marked but another is": ("user something the host wrote; typed a; assistant b", "a"),
    "the same words again": ("user go on; event go on; assistant ok; user go on; event go on", "go on; go on"),
    "after an interruption": ("user go on; event go on; aborted; user go on; event go on", "go on; go on"),
}


@pytest.mark.parametrize(("rollout", "heard"), ROLLOUTS.values(), ids=ROLLOUTS)
def test_a_prompt_is_heard_once(rollout: str, heard: str) -> None:
    w = Writer()
    records = [w.meta()]
    for step in rollout.split("; "):
        kind, _, text = step.partition(" ")
        match kind:
            case "typed" | "put":
                mark = "user.text" if kind == "typed" else "agents_md.instructions"
                records.append(w.message("user", text, mark))
            case "item":
                item = {"type": "UserMessage", "content": [{"type": "text", "text": text}]}
                records.append(w.event("item_completed", item=item))
            case "event":
                records.append(w.event("user_message", message=text))
            case "aborted":
                records.append(w.event("turn_aborted", reason="interrupted"))
            case _:
                records.append(w.message(kind, text))

    assert "; ".join(texts(lines(*records))) == heard


def test_what_an_editor_puts_before_a_request_is_not_part_of_it() -> None:
    w = Writer()
    text = "# Context from my IDE setup:\n\n## Open tabs:\n- a\n\n## My request for Codex:\nfix it"

    assert texts(lines(w.meta(), w.event("user_message", message=text))) == ["fix it"]


def test_the_repository_is_told_by_the_first_record_wherever_reading_begins() -> None:
    w = Writer()
    head = lines(w.meta(git={"branch": "main", "repository_url": "https://example.org/a.git"}))
    data = head + lines(w.event("user_message", message="a"), w.message("assistant", "b"))
    heard, tally = hear("codex", data + lines(w.event("user_message", message="c")))
    again, _ = hear("codex", data + lines(w.event("user_message", message="c")), tally.cursor)

    assert {(one.session, one.remote, one.directory) for one in heard + again} == {
        (SESSION, "https://example.org/a.git", "/w")
    }
    assert len(again) == 1


def test_how_a_command_ended_is_told_by_its_output() -> None:
    w = Writer()
    outputs = {
        "Chunk ID: 1\nProcess exited with code 0\nOutput:\nfine": (ToolOutcome.SUCCEEDED, "fine"),
        "Chunk ID: 1\nProcess exited with code 3\nOutput:\nbad": (ToolOutcome.FAILED, "bad"),
        '{"output":"old","metadata":{"exit_code":1}}': (ToolOutcome.FAILED, "old"),
        "exec command rejected by user": (ToolOutcome.REJECTED, ""),
        'exec_command failed: CreateProcess { message: "Rejected(\\"no\\")" }': (ToolOutcome.REJECTED, ""),
        "aborted by user after 3.1s": (ToolOutcome.UNKNOWN, "aborted by user after 3.1s"),
        "plain": (ToolOutcome.SUCCEEDED, "plain"),
    }
    records = [
        record
        for number, output in enumerate(outputs)
        for record in (
            w.call(f"call_{number}", "shell", '{"command":["bash","-lc","x"]}'),
            w.output(f"call_{number}", output),
        )
    ]

    found = [(call.outcome, call.result) for call in calls("codex", lines(w.meta(), *records))]
    assert found == list(outputs.values())


def test_a_patch_changes_the_files_it_names() -> None:
    w = Writer()
    patch = "*** Begin Patch\n*** Update File: a.py\n*** End Patch"
    made = w.record("response_item", type="custom_tool_call", name="apply_patch", call_id="call_1", input=patch)
    done = w.record("response_item", type="custom_tool_call_output", call_id="call_1", output="Success")
    (call,) = calls("codex", lines(w.meta(), made, done))

    assert (call.act, call.files, call.result) == (ToolAction.CHANGED, ("a.py",), "")


def test_a_command_of_a_script_is_heard_by_itself() -> None:
    w = Writer()
    item = {"type": "CommandExecution", "id": "x1", "command": ["bash", "-lc", "touch a"], "exit_code": 0}
    (call,) = calls("codex", lines(w.meta(), w.event("item_completed", item=item)))

    assert (call.act, call.input, call.files) == (ToolAction.RAN, "touch a", ("a",))


def test_a_helper_works_for_the_session_that_started_it() -> None:
    w = Writer()
    data = lines(
        w.meta(parent_thread_id="0c0de000-0000-7000-8000-0000000000ff"),
        *(w.event("user_message", message="find it"), w.message("assistant", "found")),
        *(w.call("call_1", "shell", '{"command":"touch a"}'), w.output("call_1", "ok")),
    )
    (heard,), _ = hear("codex", data)

    assert heard.session.endswith("ff") and calls("codex", data)[0].aside


def test_the_first_form_without_payloads_is_read() -> None:
    head = {"id": SESSION, "timestamp": "2025-06-01T10:00:00Z", "git": {"branch": "main"}, "instructions": None}
    message = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hello"}]}
    answer = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "hi"}]}

    assert texts(lines(head, {"record_type": "state"}, message, answer)) == ["hello"]
    assert len(bodies("codex", lines(head, message, answer))) == 2
