"""Hooks of a host: its events, how their input is parsed, and how output is formatted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum

from tacit.record import Record


class HookKind(StrEnum):
    """When a hook runs, independent of the host's name for the event."""

    START = "start"
    PROMPT = "prompt"
    STOP = "stop"
    TOOL = "tool"
    COMPACTING = "compacting"
    END = "end"


class HookInput(Record):
    """What a host passes to a hook. Fields that it does not pass are empty."""

    kind: HookKind
    session: str
    transcript: str = ""
    directory: str = ""
    prompt: str = ""
    source: str = ""  # startup, resume, clear, compact
    mode: str = ""
    agent_id: str = ""


class Hook(Record):
    """A hook as it is registered with the host."""

    event: str
    kind: HookKind
    timeout: int  # seconds
    matcher: str = ""


class Host(Record):
    """The hooks of one host.

    `parse_input` takes an event and its payload. It returns None for a call that Tacit has to ignore.
    `format_output` takes an event and a text for the model. It returns "" if the host ignores output for this event.
    `add_notice` adds a line for the person, which the model does not see, to such an output. None if the host cannot
    show one.
    `resume_replaces_start` says that a text injected when a session is resumed replaces the one from its start.
    """

    name: str
    hooks: tuple[Hook, ...]
    parse_input: Callable[[str, Mapping[str, object]], HookInput | None]
    format_output: Callable[[str, str], str]
    resume_replaces_start: bool = False
    add_notice: Callable[[str, str], str] | None = None


# Shared by hosts

# The person waits while context is searched. Capture only starts another process.
_INJECT_TIMEOUT_SECONDS, _CAPTURE_TIMEOUT_SECONDS = 5, 10
INJECT_KINDS = (HookKind.START, HookKind.PROMPT)


def make_hooks(**events: HookKind) -> tuple[Hook, ...]:
    return tuple(
        Hook(event, kind, _INJECT_TIMEOUT_SECONDS if kind in INJECT_KINDS else _CAPTURE_TIMEOUT_SECONDS)
        for event, kind in events.items()
    )


def string_field(payload: Mapping[str, object], name: str) -> str:
    value = payload.get(name)
    return value if isinstance(value, str) else ""


def hook_kind(hooks: tuple[Hook, ...], event: str) -> HookKind | None:
    return next((hook.kind for hook in hooks if hook.event == event), None)


def parse_common_input(kind: HookKind | None, payload: Mapping[str, object]) -> HookInput | None:
    """Parse a payload with the field names of Claude Code, Codex and Gemini CLI. None without a kind or a session."""
    session = string_field(payload, "session_id")
    if kind is None or not session:
        return None
    return HookInput(
        kind=kind,
        session=session,
        transcript=string_field(payload, "transcript_path"),
        directory=string_field(payload, "cwd"),
        prompt=string_field(payload, "prompt") if kind is HookKind.PROMPT else "",
        source=string_field(payload, "source") if kind is HookKind.START else "",
        mode=string_field(payload, "permission_mode"),
        agent_id=string_field(payload, "agent_id"),
    )


def with_system_message(output: str, notice: str) -> str:
    """Add a line that Claude Code, Codex and Gemini CLI show to the person but not to the model."""
    return with_json_field(output, "systemMessage", notice)


def with_json_field(output: str, name: str, value: str) -> str:
    """Add a field to a JSON object; "" counts as an empty object."""
    import json

    return json.dumps({**json.loads(output or "{}"), name: value})


def additional_context(event: str, text: str) -> str:
    """Format hook output for Claude Code, Codex and Gemini CLI."""
    import json

    return json.dumps({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}) if text else ""


# The hooks of Claude Code, which Codex has taken over

CLAUDE_HOOKS = make_hooks(
    SessionStart=HookKind.START,
    UserPromptSubmit=HookKind.PROMPT,
    Stop=HookKind.STOP,
    PreCompact=HookKind.COMPACTING,
    SessionEnd=HookKind.END,
)


def parse_claude_input(event: str, payload: Mapping[str, object]) -> HookInput | None:
    return parse_common_input(hook_kind(CLAUDE_HOOKS, event), payload)


def format_claude_output(event: str, text: str) -> str:
    """Format hook output for the events at which it reaches the model."""
    return additional_context(event, text) if event in ("SessionStart", "UserPromptSubmit") else ""
