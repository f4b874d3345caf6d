"""What the hosts have in common: texts out of a payload of any shape, and the hooks that are registered."""

from __future__ import annotations

from collections.abc import Mapping

from tacit.surfaces.hooks.hosts.host import Hook, Moment, Told

# Somebody waits while a text for the model is looked up; the rest is handed on to another process.
_WAITED_FOR, _HANDED_ON = 5, 10
_WAITING = (Moment.START, Moment.PROMPT)


def hooks(**events: Moment) -> tuple[Hook, ...]:
    return tuple(
        Hook(event, moment, _WAITED_FOR if moment in _WAITING else _HANDED_ON) for event, moment in events.items()
    )


def text(payload: Mapping[str, object], name: str) -> str:
    value = payload.get(name)
    return value if isinstance(value, str) else ""


def moment_of(registered: tuple[Hook, ...], event: str) -> Moment | None:
    return next((hook.moment for hook in registered if hook.event == event), None)


def told(moment: Moment | None, payload: Mapping[str, object]) -> Told | None:
    """Claude Code, Codex and Gemini CLI spell alike."""
    session = text(payload, "session_id")
    if moment is None or not session:
        return None
    return Told(
        moment=moment,
        session=session,
        transcript=text(payload, "transcript_path"),
        directory=text(payload, "cwd"),
        prompt=text(payload, "prompt") if moment is Moment.PROMPT else "",
        source=text(payload, "source") if moment is Moment.START else "",
        mode=text(payload, "permission_mode"),
        agent_id=text(payload, "agent_id"),
    )


def system_message(answer: str, notice: str) -> str:
    """An answer with a line that Claude Code, Codex and Gemini CLI show to the person and keep from the model."""
    return with_field(answer, "systemMessage", notice)


def with_field(answer: str, name: str, value: str) -> str:
    """A JSON object with one more field; "" counts as an empty object."""
    import json

    return json.dumps({**json.loads(answer or "{}"), name: value})


def additional_context(event: str, said: str) -> str:
    """The answer that Claude Code, Codex and Gemini CLI take."""
    import json

    return json.dumps({"hookSpecificOutput": {"hookEventName": event, "additionalContext": said}}) if said else ""
