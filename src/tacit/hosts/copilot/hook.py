"""Copilot CLI. It spells in camelCase, and may run sessionStart and userPromptSubmitted at once, in either order."""

from __future__ import annotations

from collections.abc import Mapping

from tacit.hosts.protocol import Host, Moment, Told, hooks, moment_of, text

HOOKS = hooks(
    sessionStart=Moment.START,
    userPromptSubmitted=Moment.PROMPT,
    agentStop=Moment.STOP,
    preCompact=Moment.COMPACTING,
    sessionEnd=Moment.END,
)
_SOURCES = {"new": "startup"}


def read(event: str, payload: Mapping[str, object]) -> Told | None:
    moment, session = moment_of(HOOKS, event), text(payload, "sessionId")
    if moment is None or not session:
        return None
    source = text(payload, "source") if moment is Moment.START else ""
    return Told(
        moment=moment,
        session=session,
        transcript=text(payload, "transcriptPath"),
        directory=text(payload, "cwd"),
        prompt=text(payload, "prompt") if moment is Moment.PROMPT else "",
        source=_SOURCES.get(source, source),
    )


def say(event: str, text: str) -> str:
    if event not in ("sessionStart", "userPromptSubmitted") or not text:
        return ""
    import json

    return json.dumps({"additionalContext": text})


HOST = Host("copilot", HOOKS, read, say, replaces=True)
