"""OpenCode. It runs no commands but plugins: ours (`install/plugin.js`) tells these events, named as OpenCode does."""

from __future__ import annotations

from collections.abc import Mapping

from tacit.hosts.protocol import Hook, Host, Moment, Told, hooks, moment_of, told, with_field

HOOKS: tuple[Hook, ...] = hooks(
    **{
        "session.start": Moment.START,
        "chat.message": Moment.PROMPT,
        "session.idle": Moment.STOP,
        "session.compacting": Moment.COMPACTING,
        "session.end": Moment.END,
    }
)


def read(event: str, payload: Mapping[str, object]) -> Told | None:
    return told(moment_of(HOOKS, event), payload)


def say(event: str, text: str) -> str:
    if event not in ("session.start", "chat.message") or not text:
        return ""
    import json

    return json.dumps({"context": text})


def notify(answer: str, notice: str) -> str:
    """The plugin shows the line as a toast."""
    return with_field(answer, "notice", notice)


HOST = Host("opencode", HOOKS, read, say, replaces=True, notify=notify)
