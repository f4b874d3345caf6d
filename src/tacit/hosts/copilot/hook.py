"""Copilot CLI. It spells in camelCase, and may run sessionStart and userPromptSubmitted at once, in either order."""

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
    moment, session = hook_kind(HOOKS, event), string_field(payload, "sessionId")
    if moment is None or not session:
        return None
    source = string_field(payload, "source") if moment is HookKind.START else ""
    return HookInput(
        kind=moment,
        session=session,
        transcript=string_field(payload, "transcriptPath"),
        directory=string_field(payload, "cwd"),
        prompt=string_field(payload, "prompt") if moment is HookKind.PROMPT else "",
        source=_START_SOURCES.get(source, source),
    )


def format_copilot_output(event: str, text: str) -> str:
    if event not in ("sessionStart", "userPromptSubmitted") or not text:
        return ""
    import json

    return json.dumps({"additionalContext": text})


HOST = Host("copilot", HOOKS, parse_copilot_input, format_copilot_output, resume_replaces_start=True)
