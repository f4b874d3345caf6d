"""Cursor: its hooks. Only the output of sessionStart reaches the model. A conversation is a session."""

from __future__ import annotations

from collections.abc import Mapping

from tacit.hosts.protocol import HookInput, HookKind, Host, hook_kind, make_hooks, string_field

HOOKS = make_hooks(
    sessionStart=HookKind.START, stop=HookKind.STOP, preCompact=HookKind.COMPACTING, sessionEnd=HookKind.END
)


def parse_cursor_input(event: str, payload: Mapping[str, object]) -> HookInput | None:
    kind = hook_kind(HOOKS, event)
    session = string_field(payload, "conversation_id") or string_field(payload, "session_id")
    if kind is None or not session:
        return None
    folders = payload.get("workspace_roots")
    directory = folders[0] if isinstance(folders, list) and folders else ""
    return HookInput(
        kind=kind,
        session=session,
        transcript=string_field(payload, "transcript_path"),
        directory=directory if isinstance(directory, str) else "",
        source="startup" if kind is HookKind.START else "",
        mode=string_field(payload, "composer_mode"),
    )


def format_cursor_output(event: str, text: str) -> str:
    if event != "sessionStart" or not text:
        return ""
    import json

    return json.dumps({"additional_context": text})


HOST = Host("cursor", HOOKS, parse_cursor_input, format_cursor_output)
