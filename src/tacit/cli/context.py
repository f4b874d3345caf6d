"""`tacit context` and `tacit injected`: what agents should know here, and what was injected into their prompts."""

from __future__ import annotations

import os
import sys

from tacit.cli.cards import LIMIT_OPTIONS, echo_remaining, list_limit
from tacit.cli.commands import EXIT_CODE_OPTION, JSON_OPTION, Command, Invocation, Option
from tacit.cli.json_output import JsonObject, entry_reference, missing_json, workflow_json
from tacit.cli.output import echo, echo_json, echo_json_list, pluralize
from tacit.errors import UsageError
from tacit.home.home import Home
from tacit.inject.context import Context, Contexts
from tacit.model.event import local_time, timestamp
from tacit.model.observation import session_id
from tacit.text.display import clip, printable
from tacit.vault.sessions import InjectionRecord

# tacit context


def run_context(call: Invocation) -> int:
    call.refuse_args()
    directory = os.path.abspath(os.path.expanduser(call.value("--cwd") or "."))
    if not os.path.isdir(directory):
        raise UsageError(f"there is no folder {printable(directory)}", "tacit context --cwd .")
    with Home(call.value("--home"), cwd=directory) as home:
        contexts = Contexts(home)
        context = contexts.context(directory)
        if call.flag("--json"):
            echo_json(_context_json(context))
        else:
            sys.stdout.write(contexts.context_text(context))
    return 0


def _context_json(context: Context) -> JsonObject:
    return {
        "directory": context.directory,
        "scopes": context.scopes,
        "directories": [entry_reference(row) for row in context.directories],
        "habits": [entry_reference(row) for row in context.commands],
        "workflows": [workflow_json(workflow) for workflow in context.workflows],
        "memories": [
            {**entry_reference(row), "missing": missing_json(context.missing.get(row.id, ()))}
            for row in context.memories
        ],
    }


CONTEXT = Command(
    name="context",
    usage="",
    help=(
        "What a planner or an agent should know here: the directories you work in, the commands you usually run,\n"
        "your workflows with their last result, and the memory that holds here. Only what you accepted is in it. A\n"
        "memory that names what is not in the work tree says so; one that only describes it is left out."
    ),
    example="tacit context --cwd .",
    run=run_context,
    options=(Option("--cwd", "DIR", "the folder it is about (default: the one you stand in)"), JSON_OPTION),
)


# tacit injected

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
    injections = call.vault.sessions.injections(session=call.value("--session"), limit=list_limit(call))
    shown = 0
    if call.flag("--json"):
        shown = echo_json_list(_injection_json(injection) for injection in injections.entries)
    elif not injections.total:
        echo("Nothing was put into a prompt yet. Agents are given memory by: tacit install claude")
    else:
        for injection in injections.entries:
            shown += 1
            for line in _injection_lines(injection):
                echo(line)
    echo_remaining(call, shown, injections.total, "injection")
    return call.exit_code(found=bool(injections.total))


def _injection_lines(injection: InjectionRecord) -> list[str]:
    body, origin = injection.body, injection.event.origin
    who = printable(f"{body.agent} {origin.session}" if body.agent else "tacit brief")
    trigger = printable(_TRIGGER_LABELS.get(body.moment, body.moment))
    lines = [f"{local_time(origin):%Y-%m-%d %H:%M}  {who}, {trigger}, {pluralize(body.tokens, 'token')}"]
    if body.task:
        lines.append(f"    for: {printable(clip(body.task, 100))}")
    for memory in injection.memories:
        lines.append(f"    {memory.id}  {printable(clip(memory.sentence, 100))}{_reason_suffix(memory.reason)}")
    for session in injection.sessions:
        title = printable(clip(session.row.title, 80))
        lines.append(f"    session {session.row.id}  {title}{_reason_suffix(session.reason)}")
    return lines


def _reason_suffix(reason: str) -> str:
    return f" ({printable(reason)})" if reason else ""


def _injection_json(injection: InjectionRecord) -> JsonObject:
    body, origin = injection.body, injection.event.origin
    return {
        "id": injection.event.id,
        "at": timestamp(origin.at),
        "agent": body.agent,
        "session": session_id(body.agent, origin.session) if body.agent else "",
        "moment": body.moment,
        "task": body.task,
        "tokens": body.tokens,
        "memories": [
            {"id": memory.id, "text": memory.sentence, "reason": memory.reason} for memory in injection.memories
        ],
        "sessions": [
            {"id": session.row.id, "title": session.row.title, "reason": session.reason}
            for session in injection.sessions
        ],
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
        *LIMIT_OPTIONS,
        EXIT_CODE_OPTION,
        JSON_OPTION,
    ),
)
