"""`tacit context` and `tacit injected`: what agents are given, and what they were given."""

from __future__ import annotations

import os
import sys

from tacit.cli.command import EXIT_CODE, JSON, Call, Command, Option
from tacit.cli.json_forms import Form, entry_reference, workflow_form
from tacit.cli.output import counted, say, say_json
from tacit.errors import WrongUse
from tacit.home.home import Home
from tacit.inject.context import Context, Contexts
from tacit.model.event import local_time, timestamp
from tacit.model.observation import session_id
from tacit.text.display import clip, show
from tacit.vault.sessions import Injection

# tacit context.


def run_context(call: Call) -> int:
    call.no_words()
    directory = os.path.abspath(os.path.expanduser(call.value("--cwd") or "."))
    if not os.path.isdir(directory):
        raise WrongUse(f"there is no folder {show(directory)}", "tacit context --cwd .")
    with Home(call.value("--home"), cwd=directory) as home:
        contexts = Contexts(home)
        found = contexts.context(directory)
        if call.flag("--json"):
            say_json(_form(found))
        else:
            sys.stdout.write(contexts.context_text(found))
    return 0


def _form(found: Context) -> Form:
    return {
        "directory": found.directory,
        "scopes": found.scopes,
        "directories": [entry_reference(entry) for entry in found.directories],
        "habits": [entry_reference(entry) for entry in found.commands],
        "workflows": [workflow_form(workflow) for workflow in found.workflows],
        "memories": [entry_reference(entry) for entry in found.memories],
    }


CONTEXT = Command(
    name="context",
    words="",
    help=(
        "What a planner or an agent should know here: the directories you work in, the commands you usually run,\n"
        "your workflows with their last result, and the memory that holds here. Only what you accepted is in it."
    ),
    example="tacit context --cwd .",
    run=run_context,
    options=(Option("--cwd", "DIR", "the folder it is about (default: the one you stand in)"), JSON),
)


# tacit injected.

_MOST = 20
_WHEN = {
    "startup": "at the start of a session",
    "resume": "when a session was resumed",
    "clear": "after the conversation was cleared",
    "compact": "after the conversation was compacted",
    "prompt": "at a prompt",
    "": "asked for",
}


def run_injected(call: Call) -> int:
    call.no_words()
    limit = call.number("--limit") or _MOST
    found = call.vault.sessions.injected(session=call.value("--session"), limit=limit)
    if call.flag("--json"):
        say_json([_injection_form(one) for one in found])
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


def _injection_form(one: Injection) -> Form:
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


INJECTED = Command(
    name="injected",
    words="",
    help=(
        "What was put into which prompt: when, into which session of which agent, how many tokens it took, each\n"
        "memory and why it was chosen, and the earlier sessions that were told of. The latest first."
    ),
    example="tacit injected --limit 5",
    run=run_injected,
    options=(
        Option("--session", "ID", "only what this session was given"),
        Option("--limit", "N", f"at most so many (default {_MOST})"),
        EXIT_CODE,
        JSON,
    ),
)
