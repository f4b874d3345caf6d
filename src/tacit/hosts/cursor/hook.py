"""Cursor. Only sessionStart takes a text for the model; a conversation is its session, a workspace its directory."""

from __future__ import annotations

from collections.abc import Mapping

from tacit.hosts.protocol import Host, Moment, Told, hooks, moment_of, text

HOOKS = hooks(sessionStart=Moment.START, stop=Moment.STOP, preCompact=Moment.COMPACTING, sessionEnd=Moment.END)


def read(event: str, payload: Mapping[str, object]) -> Told | None:
    moment = moment_of(HOOKS, event)
    session = text(payload, "conversation_id") or text(payload, "session_id")
    if moment is None or not session:
        return None
    return Told(
        moment=moment,
        session=session,
        transcript=text(payload, "transcript_path"),
        directory=_directory(payload),
        source="startup" if moment is Moment.START else "",
        mode=text(payload, "composer_mode"),
    )


def _directory(payload: Mapping[str, object]) -> str:
    roots = payload.get("workspace_roots")
    first = roots[0] if isinstance(roots, list) and roots else ""
    return first if isinstance(first, str) else ""


def say(event: str, text: str) -> str:
    if event != "sessionStart" or not text:
        return ""
    import json

    return json.dumps({"additional_context": text})


HOST = Host("cursor", HOOKS, read, say)
