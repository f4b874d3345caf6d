"""`tacit context` and `tacit injected`: what agents are given, and what they were given."""

from __future__ import annotations

import os
import sys

from tacit.cli.command import EXIT_CODE_OPTION, JSON_OPTION, Command, Invocation, Option
from tacit.cli.json_output import JsonObject, entry_reference, workflow_json
from tacit.cli.output import echo, echo_json, pluralize
from tacit.errors import UsageError
from tacit.home.home import Home
from tacit.inject.context import Context, Contexts
from tacit.model.event import local_time, timestamp
from tacit.model.observation import session_id
from tacit.text.display import clip, printable
from tacit.vault.sessions import InjectionRecord

# tacit context.


def run_context(call: Invocation) -> int:
    call.refuse_args()
    directory = os.path.abspath(os.path.expanduser(call.value("--cwd") or "."))
    if not os.path.isdir(directory):
        raise UsageError(f"there is no folder {printable(directory)}", "tacit context --cwd .")
    with Home(call.value("--home"), cwd=directory) as home:
        contexts = Contexts(home)
        found = contexts.context(directory)
        if call.flag("--json"):
            echo_json(_context_json(found))
        else:
            sys.stdout.write(contexts.context_text(found))
    return 0


def _context_json(found: Context) -> JsonObject:
    return {
        "directory": found.directory,
        "scopes": found.scopes,
        "directories": [entry_reference(entry) for entry in found.directories],
        "habits": [entry_reference(entry) for entry in found.commands],
        "workflows": [workflow_json(workflow) for workflow in found.workflows],
        "memories": [entry_reference(entry) for entry in found.memories],
    }


CONTEXT = Command(
    name="context",
    usage="",
    help=(
        "What a planner or an agent should know here: the directories you work in, the commands you usually run,\n"
        "your workflows with their last result, and the memory that holds here. Only what you accepted is in it."
    ),
    example="tacit context --cwd .",
    run=run_context,
    options=(Option("--cwd", "DIR", "the folder it is about (default: the one you stand in)"), JSON_OPTION),
)


# tacit injected.

_DEFAULT_LIMIT = 20
_TRIGGER_LABELS = {
    "startup": "at the start of a session",
    "resume": "when a session was resumed",
    "clear": "after the conversation was cleared",
    "compact": "after the conversation was compacted",
    "prompt": "at a prompt",
    "": "asked for",
}


def run_injected(call: Invocation) -> int:
    call.refuse_args()
    limit = call.number("--limit") or _DEFAULT_LIMIT
    found = call.vault.sessions.injected(session=call.value("--session"), limit=limit)
    if call.flag("--json"):
        echo_json([_injection_json(one) for one in found])
        return call.exit_code(found=bool(found))
    if not found:
        echo("Nothing was put into a prompt yet. Agents are given memory by: tacit install claude")
        return call.exit_code(found=False)
    for one in found:
        for line in _injection_lines(one):
            echo(line)
    return 0


def _injection_lines(one: InjectionRecord) -> list[str]:
    body, origin = one.body, one.event.origin
    who = f"{body.agent} {origin.session}" if body.agent else "tacit brief"
    when = _TRIGGER_LABELS.get(body.moment, body.moment)
    told = [
        f"{local_time(origin):%Y-%m-%d %H:%M}  {printable(who)}, {printable(when)}, {pluralize(body.tokens, 'token')}"
    ]
    if body.task:
        told.append(f"    for: {printable(clip(body.task, 100))}")
    told += [
        f"    {memory.id}  {printable(clip(memory.sentence, 100))}{_reason_suffix(memory.reason)}"
        for memory in one.memories
    ]
    for before in one.sessions:
        told.append(
            f"    session {before.row.id}  {printable(clip(before.row.title, 80))}{_reason_suffix(before.reason)}"
        )
    return told


def _reason_suffix(reason: str) -> str:
    return f" ({printable(reason)})" if reason else ""


def _injection_json(one: InjectionRecord) -> JsonObject:
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
    usage="",
    help=(
        "What was put into which prompt: when, into which session of which agent, how many tokens it took, each\n"
        "memory and why it was chosen, and the earlier sessions that were told of. The latest first."
    ),
    example="tacit injected --limit 5",
    run=run_injected,
    options=(
        Option("--session", "ID", "only what this session was given"),
        Option("--limit", "N", f"at most so many (default {_DEFAULT_LIMIT})"),
        EXIT_CODE_OPTION,
        JSON_OPTION,
    ),
)
