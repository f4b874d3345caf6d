"""Tool calls as hosts report them, and decisions as hosts obey them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tacit.hosts.tool_calls import (
    GUARD_HOOKS,
    STOP_PREFIX,
    WARN_PREFIX,
    ToolCall,
    format_decision,
    is_stopped_result,
    parse_tool_call,
    without_warning,
)

PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+*** Add File: no.py\n*** Delete File: b.py\n*** End Patch"


def told(tool: str, **arguments: object) -> dict[str, Any]:
    return {"session_id": "s", "cwd": "/w", "tool_name": tool, "tool_input": arguments}


COPILOT = {"sessionId": "s", "cwd": "/w", "toolName": "bash"}
CALLS: dict[str, tuple[dict[str, Any], ToolCall | None]] = {
    "claude runs": (told("Bash", command="npm i"), ToolCall("s", "/w", "npm i")),
    "claude edits": (told("Edit", file_path="/w/a", old_string="x"), ToolCall("s", "/w", "", ("/w/a",))),
    "claude reads": (told("Read", file_path="/w/a"), None),
    "codex patches": (told("apply_patch", command=PATCH), ToolCall("s", "/w", "", ("a.py", "b.py"))),
    "gemini runs elsewhere": (told("run_shell_command", command="x", dir_path="d"), ToolCall("s", "/w/d", "x")),
    "copilot runs": ({**COPILOT, "toolArgs": {"command": "x"}}, ToolCall("s", "/w", "x")),
    "copilot runs, arguments as text": ({**COPILOT, "toolArgs": '{"command": "x"}'}, ToolCall("s", "/w", "x")),
    "opencode edits": (told("write", filePath="/w/a", content=""), ToolCall("s", "/w", "", ("/w/a",))),
    "a command as words": (told("shell", command=["bash", "-c", "npm i"]), ToolCall("s", "/w", "bash -c 'npm i'")),
    "cursor runs hooks of claude": ({**told("Bash", command="x"), "cursor_version": "1"}, None),
    "no arguments": ({"session_id": "s", "tool_name": "Bash"}, None),
}


@pytest.mark.parametrize(("payload", "call"), CALLS.values(), ids=CALLS)
def test_a_call_is_parsed(payload: dict[str, Any], call: ToolCall | None) -> None:
    assert parse_tool_call(payload) == call


def decision(event: str, **fields: str) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": event, **fields}}


# What each host obeys; any other field or value makes some of them run the tool.
PRINTED: dict[tuple[str, str], dict[str, Any]] = {
    ("claude", "deny"): decision("PreToolUse", permissionDecision="deny", permissionDecisionReason="R"),
    ("claude", "ask"): decision("PreToolUse", permissionDecision="ask", permissionDecisionReason="R"),
    ("claude", "warn"): decision("PreToolUse", additionalContext="R"),
    ("codex", "deny"): decision("PreToolUse", permissionDecision="deny", permissionDecisionReason="R"),
    ("codex", "ask"): decision("PreToolUse", permissionDecision="deny", permissionDecisionReason="R"),
    ("codex", "warn"): decision("PreToolUse", additionalContext="R"),
    ("gemini", "deny"): {"decision": "deny", "reason": "R"},
    ("gemini", "ask"): {"decision": "deny", "reason": "R"},
    ("gemini", "warn"): {"systemMessage": "R"},
    ("copilot", "deny"): {"permissionDecision": "deny", "permissionDecisionReason": "R"},
    ("copilot", "ask"): {"permissionDecision": "ask", "permissionDecisionReason": "R"},
    ("copilot", "warn"): {"additionalContext": "R"},
    ("opencode", "deny"): {"deny": "R"},
    ("opencode", "ask"): {"deny": "R"},
    ("opencode", "warn"): {"warn": "R"},
}


@pytest.mark.parametrize(("host", "chosen"), PRINTED)
def test_a_decision_is_printed_as_the_host_obeys_it(host: str, chosen: str) -> None:
    assert json.loads(format_decision(host, chosen, "R")) == PRINTED[host, chosen]


def test_the_result_of_a_stopped_call_is_recognised_and_a_warning_taken_out() -> None:
    reason = f"{STOP_PREFIX}7k2m]: “never npm”. It runs `npm i`."
    assert all(map(is_stopped_result, (reason, f"Command blocked by PreToolUse hook: {reason}")))
    assert not is_stopped_result(f"{'x' * 100} {reason}") and not is_stopped_result("npm: not found")
    assert without_warning(f"done\n\n{WARN_PREFIX}7k2m]: “never npm”.") == "done\n\n"


def test_nothing_is_printed_for_a_host_without_a_guard_or_without_a_reason() -> None:
    assert format_decision("cursor", "deny", "R") == "" and format_decision("codex", "deny", "") == ""
    assert set(GUARD_HOOKS) == {host for host, _ in PRINTED}
