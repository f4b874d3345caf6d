"""OpenCode. It runs no commands but plugins: ours (`install/plugin.js`) tells these events, named as OpenCode does."""

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


def with_toast(answer: str, notice: str) -> str:
    """The plugin shows the line as a toast."""
    return with_json_field(answer, "notice", notice)


HOST = Host(
    "opencode", HOOKS, parse_opencode_input, format_opencode_output, resume_replaces_start=True, add_notice=with_toast
)
