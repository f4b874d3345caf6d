"""What a host is to a hook: its events, how they are read, and how it is answered."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum

from tacit.record import Record

# What a host is to a hook: the moments it tells of, how it says so, and how it is answered.


class HookKind(StrEnum):
    """When a hook runs, whatever the host calls it."""

    START = "start"
    PROMPT = "prompt"
    STOP = "stop"
    TOOL = "tool"
    COMPACTING = "compacting"
    END = "end"


class HookInput(Record):
    """What a host said when it ran a hook. What it did not say is empty."""

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
    """`read` takes the event and what came with it, and returns None for a call that is not ours. `say` takes the event
    and a text for the model and formats the answer; it returns "" where the host ignores a text at this event.
    `notify` takes the answer of `say` and a line for the person, and adds the line so that the model does not see it;
    None where the host shows no such line. `replaces` says that what is told at a resumption takes the place of what
    was told at the start."""

    name: str
    hooks: tuple[Hook, ...]
    parse_input: Callable[[str, Mapping[str, object]], HookInput | None]
    format_output: Callable[[str, str], str]
    resume_replaces_start: bool = False
    add_notice: Callable[[str, str], str] | None = None


# What the hosts have in common: texts out of a payload of any shape, and the hooks that are registered.

# Somebody waits while a text for the model is looked up; the rest is handed on to another process.
_INJECT_TIMEOUT_SECONDS, _CAPTURE_TIMEOUT_SECONDS = 5, 10
_INJECT_KINDS = (HookKind.START, HookKind.PROMPT)


def make_hooks(**events: HookKind) -> tuple[Hook, ...]:
    return tuple(
        Hook(event, moment, _INJECT_TIMEOUT_SECONDS if moment in _INJECT_KINDS else _CAPTURE_TIMEOUT_SECONDS)
        for event, moment in events.items()
    )


def string_field(payload: Mapping[str, object], name: str) -> str:
    value = payload.get(name)
    return value if isinstance(value, str) else ""


def hook_kind(registered: tuple[Hook, ...], event: str) -> HookKind | None:
    return next((hook.kind for hook in registered if hook.event == event), None)


def parse_common_input(moment: HookKind | None, payload: Mapping[str, object]) -> HookInput | None:
    """Claude Code, Codex and Gemini CLI spell alike."""
    session = string_field(payload, "session_id")
    if moment is None or not session:
        return None
    return HookInput(
        kind=moment,
        session=session,
        transcript=string_field(payload, "transcript_path"),
        directory=string_field(payload, "cwd"),
        prompt=string_field(payload, "prompt") if moment is HookKind.PROMPT else "",
        source=string_field(payload, "source") if moment is HookKind.START else "",
        mode=string_field(payload, "permission_mode"),
        agent_id=string_field(payload, "agent_id"),
    )


def with_system_message(answer: str, notice: str) -> str:
    """An answer with a line that Claude Code, Codex and Gemini CLI show to the person and keep from the model."""
    return with_json_field(answer, "systemMessage", notice)


def with_json_field(answer: str, name: str, value: str) -> str:
    """A JSON object with one more field; "" counts as an empty object."""
    import json

    return json.dumps({**json.loads(answer or "{}"), name: value})


def additional_context(event: str, said: str) -> str:
    """The answer that Claude Code, Codex and Gemini CLI take."""
    import json

    return json.dumps({"hookSpecificOutput": {"hookEventName": event, "additionalContext": said}}) if said else ""
