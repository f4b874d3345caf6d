"""Claude Code: its hooks. Output reaches the model at SessionStart and UserPromptSubmit."""

from __future__ import annotations

from collections.abc import Mapping

from tacit.hosts.protocol import (
    CLAUDE_HOOKS,
    HookInput,
    Host,
    format_claude_output,
    parse_claude_input,
    with_system_message,
)


def parse_input(event: str, payload: Mapping[str, object]) -> HookInput | None:
    if "cursor_version" in payload:  # Cursor also runs the hooks of Claude Code, but has its own
        return None
    return parse_claude_input(event, payload)


HOST = Host("claude", CLAUDE_HOOKS, parse_input, format_claude_output, add_notice=with_system_message)
