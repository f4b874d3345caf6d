"""tacit injected."""

from __future__ import annotations

from tacit.core.event import local_time
from tacit.core.text import clip, show
from tacit.surfaces.cli.command import JSON, Call, Command, Option
from tacit.surfaces.cli.words import counted, say, say_json
from tacit.vault.conversations.listing import Injection

_MOST = 20
_WHEN = {
    "startup": "at the start of a session",
    "resume": "when a session was resumed",
    "clear": "after the conversation was cleared",
    "compact": "after the conversation was compacted",
    "prompt": "at a prompt",
    "": "asked for",
}


def run(call: Call) -> int:
    call.no_words()
    limit = call.number("--limit") or _MOST
    found = call.vault.injected(session=call.value("--session"), limit=limit)
    if call.flag("--json"):
        say_json([_json(one) for one in found])
        return 0 if found else 1
    if not found:
        say("Nothing was put into a prompt yet. Agents are given memory by: tacit install claude")
        return 1
    for one in found:
        for line in _lines(one):
            say(line)
    return 0


def _lines(one: Injection) -> list[str]:
    body, origin = one.body, one.event.origin
    who = f"{body.agent} {origin.session}" if body.agent else "tacit brief"
    when = _WHEN.get(body.moment, body.moment)
    told = [f"{local_time(origin):%Y-%m-%d %H:%M}  {show(who)}, {show(when)}, {counted(body.tokens, 'token')}"]
    if body.task:
        told.append(f"    for: {show(clip(body.task, 100))}")
    told += [f"    {memory.id}  {show(clip(memory.sentence, 100))}{_why(memory.reason)}" for memory in one.memories]
    for before in one.sessions:
        told.append(f"    session {before.row.id}  {show(clip(before.row.title, 80))}{_why(before.reason)}")
    return told


def _why(reason: str) -> str:
    return f" ({show(reason)})" if reason else ""


def _json(one: Injection) -> dict[str, object]:
    body, origin = one.body, one.event.origin
    return {
        "at": origin.at.isoformat(),
        "agent": body.agent,
        "session": origin.session,
        "moment": body.moment,
        "for": body.task,
        "tokens": body.tokens,
        "memories": [{"id": memory.id, "text": memory.sentence, "why": memory.reason} for memory in one.memories],
        "sessions": [{"id": told.row.id, "title": told.row.title, "why": told.reason} for told in one.sessions],
    }


COMMAND = Command(
    name="injected",
    words="",
    help=(
        "What was put into which prompt: when, into which session of which agent, how many tokens it took, each\n"
        "memory and why it was chosen, and the earlier sessions that were told of. The latest first."
    ),
    example="tacit injected --limit 5",
    run=run,
    options=(
        Option("--session", "ID", "only what this session was given"),
        Option("--limit", "N", f"at most so many (default {_MOST})"),
        JSON,
    ),
)
