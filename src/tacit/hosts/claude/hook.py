"""Hooks of Claude Code. Output reaches the model at SessionStart and UserPromptSubmit."""

from __future__ import annotations

from collections.abc import Mapping

from tacit.hosts.protocol import (
    HookInput,
    HookKind,
    Host,
    additional_context,
    hook_kind,
    make_hooks,
    parse_common_input,
    with_system_message,
)

HOOKS = make_hooks(
    SessionStart=HookKind.START,
    UserPromptSubmit=HookKind.PROMPT,
    Stop=HookKind.STOP,
    PreCompact=HookKind.COMPACTING,
    SessionEnd=HookKind.END,
)


def parse_claude_input(event: str, payload: Mapping[str, object]) -> HookInput | None:
    if "cursor_version" in payload:  # Cursor also runs the hooks of Claude Code, but has its own
        return None
    return parse_common_input(hook_kind(HOOKS, event), payload)


def format_claude_output(event: str, text: str) -> str:
    return additional_context(event, text) if event in ("SessionStart", "UserPromptSubmit") else ""


HOST = Host("claude", HOOKS, parse_claude_input, format_claude_output, add_notice=with_system_message)
