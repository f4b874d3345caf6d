"""Hooks of Codex: the protocol of Claude Code; `transcript_path` may be null, SessionEnd by default has one second."""

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


def parse_codex_input(event: str, payload: Mapping[str, object]) -> HookInput | None:
    return parse_common_input(hook_kind(HOOKS, event), payload)


def format_codex_output(event: str, text: str) -> str:
    return additional_context(event, text) if event in ("SessionStart", "UserPromptSubmit") else ""


HOST = Host("codex", HOOKS, parse_codex_input, format_codex_output, add_notice=with_system_message)
