"""Claude Code. What a hook answers reaches the model at SessionStart and UserPromptSubmit."""

from __future__ import annotations

from collections.abc import Mapping

from tacit.hosts.protocol import Host, Moment, Told, additional_context, hooks, moment_of, system_message, told

HOOKS = hooks(
    SessionStart=Moment.START,
    UserPromptSubmit=Moment.PROMPT,
    Stop=Moment.STOP,
    PreCompact=Moment.COMPACTING,
    SessionEnd=Moment.END,
)


def read(event: str, payload: Mapping[str, object]) -> Told | None:
    if "cursor_version" in payload:  # Cursor runs the hooks of Claude Code, too; it has hooks of its own
        return None
    return told(moment_of(HOOKS, event), payload)


def say(event: str, text: str) -> str:
    return additional_context(event, text) if event in ("SessionStart", "UserPromptSubmit") else ""


HOST = Host("claude", HOOKS, read, say, notify=system_message)
