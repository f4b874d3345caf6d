"""Cursor. Only sessionStart takes a text for the model; a conversation is its session, a workspace its directory."""

from __future__ import annotations

from collections.abc import Mapping

from tacit.hosts.protocol import HookInput, HookKind, Host, hook_kind, make_hooks, string_field

HOOKS = make_hooks(
    sessionStart=HookKind.START, stop=HookKind.STOP, preCompact=HookKind.COMPACTING, sessionEnd=HookKind.END
)


def parse_cursor_input(event: str, payload: Mapping[str, object]) -> HookInput | None:
    moment = hook_kind(HOOKS, event)
    session = string_field(payload, "conversation_id") or string_field(payload, "session_id")
    if moment is None or not session:
        return None
    return HookInput(
        kind=moment,
        session=session,
        transcript=string_field(payload, "transcript_path"),
        directory=_workspace_directory(payload),
        source="startup" if moment is HookKind.START else "",
        mode=string_field(payload, "composer_mode"),
    )


def _workspace_directory(payload: Mapping[str, object]) -> str:
    roots = payload.get("workspace_roots")
    first = roots[0] if isinstance(roots, list) and roots else ""
    return first if isinstance(first, str) else ""


def format_cursor_output(event: str, text: str) -> str:
    if event != "sessionStart" or not text:
        return ""
    import json

    return json.dumps({"additional_context": text})


HOST = Host("cursor", HOOKS, parse_cursor_input, format_cursor_output)
