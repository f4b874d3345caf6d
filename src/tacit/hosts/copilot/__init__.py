"""Copilot CLI: its hooks. camelCase names; sessionStart and userPromptSubmitted may run at once, in either order."""

from __future__ import annotations

from collections.abc import Mapping

from tacit.hosts.protocol import HookInput, HookKind, Host, hook_kind, make_hooks, string_field

HOOKS = make_hooks(
    sessionStart=HookKind.START,
    userPromptSubmitted=HookKind.PROMPT,
    agentStop=HookKind.STOP,
    preCompact=HookKind.COMPACTING,
    sessionEnd=HookKind.END,
)
_START_SOURCES = {"new": "startup"}


def parse_copilot_input(event: str, payload: Mapping[str, object]) -> HookInput | None:
    kind, session = hook_kind(HOOKS, event), string_field(payload, "sessionId")
    if kind is None or not session:
        return None
    source = string_field(payload, "source") if kind is HookKind.START else ""
    return HookInput(
        kind=kind,
        session=session,
        transcript=string_field(payload, "transcriptPath"),
        directory=string_field(payload, "cwd"),
        prompt=string_field(payload, "prompt") if kind is HookKind.PROMPT else "",
        source=_START_SOURCES.get(source, source),
    )


def format_copilot_output(event: str, text: str) -> str:
    if event not in ("sessionStart", "userPromptSubmitted") or not text:
        return ""
    import json

    return json.dumps({"additionalContext": text})


HOST = Host("copilot", HOOKS, parse_copilot_input, format_copilot_output, resume_replaces_start=True)
