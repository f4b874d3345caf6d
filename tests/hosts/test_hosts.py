"""What the hosts tell a hook, and how it answers them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.hosts import HOSTS, HookInput, HookKind

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


@pytest.mark.parametrize(
    ("name", "event", "payload", "expected"),
    [
        (
            "claude",
            "SessionStart",
            {**CLAUDE, "source": "compact", "model": "m"},
            HookInput(HookKind.START, "s1", CLAUDE["transcript_path"], "/home/a/p", source="compact"),
        ),
        (
            "claude",
            "UserPromptSubmit",
            {**CLAUDE, "prompt": "why?", "permission_mode": "plan"},
            HookInput(HookKind.PROMPT, "s1", CLAUDE["transcript_path"], "/home/a/p", prompt="why?", mode="plan"),
        ),
        (
            "claude",
            "Stop",
            {**CLAUDE, "agent_id": "a7", "last_assistant_message": "done"},
            HookInput(HookKind.STOP, "s1", CLAUDE["transcript_path"], "/home/a/p"),
        ),
        ("claude", "Stop", {**CLAUDE, "cursor_version": "3.7"}, None),
        ("claude", "PostToolUse", CLAUDE, None),
        (
            "codex",
            "SessionEnd",
            {"session_id": "c", "transcript_path": None, "cwd": "/p", "reason": "other"},
            HookInput(HookKind.END, "c", "", "/p"),
        ),
        (
            "gemini",
            "BeforeAgent",
            {"session_id": "g", "cwd": "/p", "prompt": "<hook_context>old</hook_context>\n\nmy words"},
            HookInput(HookKind.PROMPT, "g", directory="/p", prompt="my words"),
        ),
        (
            "gemini",
            "SessionStart",
            {"session_id": "g", "source": "resume"},
            HookInput(HookKind.START, "g", source="resume"),
        ),
        ("gemini", "PreCompress", {"session_id": "g", "trigger": "auto"}, None),
        (
            "cursor",
            "sessionStart",
            {"conversation_id": "k", "workspace_roots": ["/p", "/q"], "composer_mode": "agent"},
            HookInput(HookKind.START, "k", directory="/p", source="startup", mode="agent"),
        ),
        ("cursor", "stop", {"conversation_id": "k", "workspace_roots": []}, HookInput(HookKind.STOP, "k")),
        (
            "copilot",
            "sessionStart",
            {"sessionId": "o", "cwd": "/p", "source": "new", "timestamp": 1},
            HookInput(HookKind.START, "o", directory="/p", source="startup"),
        ),
        (
            "copilot",
            "agentStop",
            {"sessionId": "o", "transcriptPath": "/t.jsonl", "cwd": "/p"},
            HookInput(HookKind.STOP, "o", "/t.jsonl", "/p"),
        ),
        (
            "opencode",
            "chat.message",
            {"session_id": "e", "cwd": "/p", "prompt": "go", "transcript_path": "/db"},
            HookInput(HookKind.PROMPT, "e", "/db", "/p", "go"),
        ),
    ],
)
def test_a_call_is_read_as_the_host_makes_it(
    name: str, event: str, payload: Mapping[str, object], expected: HookInput | None
) -> None:
    assert HOSTS[name].parse_input(event, payload) == expected


@settings(max_examples=150, deadline=None)
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
        assert bool(said) == (hook.kind in told_at), hook
        assert said.isascii() and not one.format_output(hook.event, "")
        if said:
            assert "grüße “you”\n" in _texts(json.loads(said))
    assert one.format_output("PostToolUse", "text") == ""


def _texts(value: object) -> list[str]:
    if isinstance(value, dict):
        return [text for one in cast("dict[str, object]", value).values() for text in _texts(one)]
    return [value] if isinstance(value, str) else []


@pytest.mark.parametrize("name", HOSTS)
def test_who_waits_waits_five_seconds_and_tools_are_not_listened_to(name: str) -> None:
    hooks = HOSTS[name].hooks
    assert {hook.timeout for hook in hooks if hook.kind in (HookKind.START, HookKind.PROMPT)} == {5}
    assert {hook.timeout for hook in hooks if hook.kind not in (HookKind.START, HookKind.PROMPT)} == {10}
    assert {HookKind.STOP, HookKind.END} <= {hook.kind for hook in hooks} <= {*HookKind} - {HookKind.TOOL}
    assert all(HOSTS[name].parse_input(hook.event, {}) is None for hook in hooks)


def test_no_other_module_of_the_package_is_imported_with_the_table() -> None:
    code = "import sys, tacit.hosts; print(*sorted(name for name in sys.modules if name.startswith('tacit.')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert {name for name in done.stdout.split() if name.startswith("tacit.hosts.")} == set()
