"""OpenCode: its hooks. It runs plugins instead of commands; ours (`plugin.js`) reports events named like OpenCode's."""

from __future__ import annotations

from collections.abc import Mapping

from tacit.hosts.protocol import (
    Hook,
    HookInput,
    HookKind,
    Host,
    hook_kind,
    make_hooks,
    parse_common_input,
    with_json_field,
)

HOOKS: tuple[Hook, ...] = make_hooks(
    **{
        "session.start": HookKind.START,
        "chat.message": HookKind.PROMPT,
        "session.idle": HookKind.STOP,
        "session.compacting": HookKind.COMPACTING,
        "session.end": HookKind.END,
    }
)


def parse_opencode_input(event: str, payload: Mapping[str, object]) -> HookInput | None:
    return parse_common_input(hook_kind(HOOKS, event), payload)


def format_opencode_output(event: str, text: str) -> str:
    if event not in ("session.start", "chat.message") or not text:
        return ""
    import json

    return json.dumps({"context": text})


def with_toast(output: str, notice: str) -> str:
    """Add a line that the plugin shows as a toast."""
    return with_json_field(output, "notice", notice)


HOST = Host(
    "opencode", HOOKS, parse_opencode_input, format_opencode_output, resume_replaces_start=True, add_notice=with_toast
)
