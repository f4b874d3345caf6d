"""tacit injected."""

from __future__ import annotations

from tacit.core.conversation import session_id
from tacit.core.event import local_time, timestamp
from tacit.core.text import clip, show
from tacit.surfaces.cli.command import EXIT_CODE, JSON, Call, Command, Option
from tacit.surfaces.cli.forms import Form
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
    found = call.vault.sessions.injected(session=call.value("--session"), limit=limit)
    if call.flag("--json"):
        say_json([_form(one) for one in found])
        return call.exit_code(found=bool(found))
    if not found:
        say("Nothing was put into a prompt yet. Agents are given memory by: tacit install claude")
        return call.exit_code(found=False)
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


def _form(one: Injection) -> Form:
    body, origin = one.body, one.event.origin
    return {
        "id": one.event.id,
        "at": timestamp(origin.at),
        "agent": body.agent,
        "session": session_id(body.agent, origin.session) if body.agent else "",
        "moment": body.moment,
        "task": body.task,
        "tokens": body.tokens,
        "memories": [{"id": memory.id, "text": memory.sentence, "reason": memory.reason} for memory in one.memories],
        "sessions": [{"id": told.row.id, "title": told.row.title, "reason": told.reason} for told in one.sessions],
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
        EXIT_CODE,
        JSON,
    ),
)
