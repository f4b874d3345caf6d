"""What the hosts tell a hook, and how it answers them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping

import pytest
from harness.person import Person
from harness.transcripts import name_of
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.hosts import HOSTS, HookInput, HookKind, without_private
from tests.clients.apis import all_text
from tests.support.hook_session import NAMES, Sitting

CLAUDE = {
    "session_id": "s1",
    "transcript_path": "/home/a/.claude/projects/p/s1.jsonl",
    "cwd": "/home/a/p",
    "hook_event_name": "SessionStart",
}
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
NAMES_IN_USE = ("session_id", "sessionId", "conversation_id", "prompt", "cwd", "workspace_roots", "source")


TRANSCRIPT = str(CLAUDE["transcript_path"])
GEMINI, CURSOR, COPILOT = {"session_id": "g", "cwd": "/p"}, {"conversation_id": "k"}, {"sessionId": "o", "cwd": "/p"}
START, PROMPT, STOP, END = HookKind.START, HookKind.PROMPT, HookKind.STOP, HookKind.END
CALLS: list[tuple[str, Mapping[str, object], HookInput | None]] = [
    ("claude SessionStart", {"source": "compact"}, HookInput(START, "s1", TRANSCRIPT, "/home/a/p", source="compact")),
    (
        "claude UserPromptSubmit",
        {"prompt": "why?", "permission_mode": "plan"},
        HookInput(PROMPT, "s1", TRANSCRIPT, "/home/a/p", prompt="why?", mode="plan"),
    ),
    ("claude Stop", {"agent_id": "a7"}, HookInput(STOP, "s1", TRANSCRIPT, "/home/a/p")),
    ("claude Stop", {"cursor_version": "3.7"}, None),
    ("claude PostToolUse", {}, None),
    ("codex SessionEnd", {"session_id": "c", "transcript_path": None, "cwd": "/p"}, HookInput(END, "c", "", "/p")),
    (
        "gemini BeforeAgent",
        {**GEMINI, "prompt": "<hook_context>old</hook_context>\n\nmy words"},
        HookInput(PROMPT, "g", directory="/p", prompt="my words"),
    ),
    ("gemini SessionStart", {**GEMINI, "source": "resume"}, HookInput(START, "g", "", "/p", source="resume")),
    ("gemini PreCompress", {**GEMINI, "trigger": "auto"}, None),
    (
        "cursor sessionStart",
        {**CURSOR, "workspace_roots": ["/p", "/q"], "composer_mode": "agent"},
        HookInput(START, "k", directory="/p", source="startup", mode="agent"),
    ),
    ("cursor stop", {**CURSOR, "workspace_roots": []}, HookInput(STOP, "k")),
    ("copilot sessionStart", {**COPILOT, "source": "new"}, HookInput(START, "o", directory="/p", source="startup")),
    ("copilot agentStop", {**COPILOT, "transcriptPath": "/t.jsonl"}, HookInput(STOP, "o", "/t.jsonl", "/p")),
    (
        "opencode chat.message",
        {"session_id": "e", "cwd": "/p", "prompt": "go", "transcript_path": "/db"},
        HookInput(PROMPT, "e", "/db", "/p", "go"),
    ),
]


@pytest.mark.parametrize(("call", "payload", "expected"), CALLS)
def test_a_call_is_read_as_the_host_makes_it(
    call: str, payload: Mapping[str, object], expected: HookInput | None
) -> None:
    host, event = call.split()
    assert HOSTS[host].parse_input(event, {**CLAUDE, **payload} if host == "claude" else payload) == expected


# What a person marks as private

PRIVATE = [
    ("mend it <private>for Ada</private> today", "mend it  today"),
    ("<private>for Ada</private>", ""),
    ("<PRIVATE>for Ada</Private> today", " today"),
    ("mend it\n<private>\nfor Ada\n\nand Bo\n</private>\ntoday", "mend it\n\ntoday"),
    ("mend it <private>for Ada\nand then for Bo", "mend it "),
    ("mend it <private>for Ada</private><private>for Bo</private> today", "mend it  today"),
    ("mend it <private>for Ada</private> today <private>for Bo", "mend it  today "),
    ("mend it <private>for Ada <private>and Bo</private> and Cy</private> today", "mend it  today"),
    ("mend it <private></private>", "mend it "),
    ("is 1 < 2, and is this </private> a private matter?", "is 1 < 2, and is this </private> a private matter?"),
]


@pytest.mark.parametrize(("prompt", "kept"), PRIVATE)
def test_what_is_marked_as_private_is_taken_out_of_a_prompt(prompt: str, kept: str) -> None:
    assert without_private(prompt) == kept


def test_of_several_private_parts_none_stays() -> None:
    """What stands between them may go as well."""
    kept = without_private("one <private>Ada</private> two <private>Bo</private> three <private>Cy</private> four")
    assert kept.startswith("one ") and kept.endswith(" four")
    assert not any(name in kept for name in ("Ada", "Bo", "Cy", "private"))


@pytest.mark.parametrize("host", [name for name, names in NAMES.items() if names.prompt])
def test_no_host_makes_a_hook_see_what_is_private(host: str) -> None:
    payload = {NAMES[host].session: "s", "cwd": "/p", "prompt": "mend <private>Ada's</private> table <private>for Bo"}
    told = HOSTS[host].parse_input(NAMES[host].prompt, payload)
    assert told is not None and told.prompt.split() == ["mend", "table"]


def test_no_memory_is_looked_up_with_what_is_private(person: Person) -> None:
    words = "when does crane_reset run?"
    private = (f"<private>{words}</private>", f"How are you? <private>{words}", f"Hi <PRIVATE>\n{words}\n</PRIVATE>!")
    said = (words, f"{words} <private>Ada asks</private>")
    sittings = {prompt: Sitting(person, name_of(prompt), person.folder) for prompt in (*private, *said)}
    for sitting in sittings.values():
        sitting.start()
    person.tacit("add", "crane_reset runs every night", "--kind", "pattern")  # after the start, which tells some

    found = {prompt: "crane_reset runs every night" in sitting.ask(prompt) for prompt, sitting in sittings.items()}
    assert found == {**dict.fromkeys(private, False), **dict.fromkeys(said, True)}


@settings(max_examples=60, deadline=None)
@given(
    name=st.sampled_from([*HOSTS]),
    event=st.sampled_from(["SessionStart", "Stop", "stop", "sessionEnd", "BeforeAgent", "chat.message", "", "x"]),
    payload=st.dictionaries(st.sampled_from(NAMES_IN_USE) | st.text(max_size=3), ANYTHING, max_size=6),
)
def test_any_payload_is_taken(name: str, event: str, payload: dict[str, object]) -> None:
    told = HOSTS[name].parse_input(event, payload)
    assert told is None or (told.session and all(isinstance(field, str) for field in told))


@pytest.mark.parametrize("name", HOSTS)
def test_a_text_is_said_where_the_host_takes_one_and_nowhere_else(name: str) -> None:
    one = HOSTS[name]
    told_at = (HookKind.PROMPT,) if name == "gemini" else (HookKind.START, HookKind.PROMPT)
    for hook in one.hooks:
        said = one.format_output(hook.event, "grüße “you”\n")
        assert bool(said) == (hook.kind in (*told_at, HookKind.HELPER, HookKind.CALL)), hook
        assert said.isascii() and not one.format_output(hook.event, "")
        if said:
            assert "grüße “you”\n" in all_text(json.loads(said))
    assert one.format_output("Notification", "text") == ""


@pytest.mark.parametrize("name", HOSTS)
def test_who_waits_waits_five_seconds_and_tools_are_not_listened_to(name: str) -> None:
    hooks = HOSTS[name].hooks
    assert {hook.timeout for hook in hooks if hook.kind in (HookKind.START, HookKind.PROMPT)} == {5}
    assert {hook.timeout for hook in hooks if hook.kind is HookKind.END} == {3}
    assert {hook.timeout for hook in hooks if hook.kind in (HookKind.STOP, HookKind.COMPACTING)} == {10}
    assert {HookKind.STOP, HookKind.END} <= {hook.kind for hook in hooks} <= {*HookKind} - {HookKind.TOOL}
    assert all(HOSTS[name].parse_input(hook.event, {}) is None for hook in hooks)


def test_no_other_module_of_the_package_is_imported_with_the_table() -> None:
    code = "import sys, tacit.hosts; print(*sorted(name for name in sys.modules if name.startswith('tacit.')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert {name for name in done.stdout.split() if name.startswith("tacit.hosts.")} == set()
