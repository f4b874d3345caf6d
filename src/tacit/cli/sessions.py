"""`tacit sessions`, `context` and `injected`: what agents did, what they should know here, and what they were told."""

from __future__ import annotations

import os
import sys
from datetime import datetime

from tacit.cli.cards import LIMIT_OPTIONS, list_limit, missing_json, reference_json, show_list
from tacit.cli.commands import EXIT_CODE_OPTION, JSON_OPTION, Invocation, Option, command
from tacit.cli.output import JsonObject, echo, echo_json, echo_lines, pluralize, utc_timestamp
from tacit.errors import UsageError
from tacit.model.event import local_time, timestamp
from tacit.model.observation import session_id
from tacit.model.session import Outcome
from tacit.text.display import clip, printable

TYPE_CHECKING = False

if TYPE_CHECKING:
    from tacit.model.session import Session, Turn
    from tacit.vault.sessions import InjectionRecord, ListedSession
    from tacit.vault.value import CountedSession

_MAX_FILES = 4
_MAX_OUTCOME_CHARS = 320


@command(
    "[ID]",
    "tacit sessions --project .",
    Option("--turn", "N", "with an ID: only this turn, as recall names it"),
    Option("--around", "N", "with --turn: also so many turns before and after it", least=0),
    Option("--project", "DIR", "only those of the project this folder is in"),
    Option(
        "--result",
        "RESULT",
        f"only those that a figure of tacit week counts: {', '.join(Outcome)}",
        choices=(*Outcome,),
    ),
    Option("--memory", "ID", "with --result: of this memory"),
    Option("--since", "TIME", "only those of this time: since when, for example 7d or 2026-11-15"),
    Option("--before", "TIME", "only those of this time: until when, for example 2026-11-22"),
    *LIMIT_OPTIONS,
    EXIT_CODE_OPTION,
    JSON_OPTION,
)
def run_sessions(call: Invocation) -> int:
    """List sessions with agents, by when something last happened in them, the latest first: what each was about
    (the title it has in its host, else the request that says most), how it ended, and which files were changed.
    Sessions in which the same was asked are one entry.

    With an ID, show one session as on its page: requests, actions, changed files, tools, how it ended, and a
    model's summary, if there is one. ID is the beginning of its id, the name its agent gave it, or last. With
    --turn one turn alone, every word of it.

    With --result, list the sessions that were told a memory, or that followed or violated one, as tool calls show it,
    in which a guard stopped a call, or in which a correction was spared: a memory that came from a correction was told
    and followed. Each names the memories that it counts for.
    """
    args = call.args[1:] if call.args[:1] == ["show"] else call.args
    if len(args) > 1 or (call.args and not args):
        raise UsageError("tacit sessions shows one session", "tacit sessions lists them, then: tacit sessions ID")
    if args:
        _show_session(call, args[0])
        return 0
    if any(call.flag(name) for name in ("--result", "--memory", "--since", "--before")):
        return _list_counted(call)
    if call.flag("--turn") or call.flag("--around"):
        raise UsageError("--turn is about one session", "tacit sessions ID --turn 1")
    folder = call.value("--project")
    if folder is not None and not os.path.isdir(folder):
        raise UsageError(f"{folder!r} is no folder", "tacit sessions --project .")
    listing = call.vault.sessions.listing(project=os.path.abspath(folder) if folder else False, limit=list_limit(call))
    title = f"Sessions ({listing.total})"
    empty = "No sessions. They come with: tacit autocapture on, or tacit import transcripts PATH"
    return show_list(call, listing, "session", session_json, echo_session, title=title, empty=empty)


def _show_session(call: Invocation, reference: str) -> None:
    sessions = call.vault.sessions
    listed, session = sessions.session(reference)
    if call.shows_json(lambda: full_session_json(listed, session)):
        return
    turn, around = call.number("--turn"), call.number("--around")
    if turn is None and around is not None:
        raise UsageError("--around wants --turn", f"tacit sessions {listed.short} --turn 1 --around {around}")
    if turn is None:
        lines = list(sessions.session_lines(session))
    else:
        rest = f"(Turn {turn} of {len(session.searchable_parts)}. The whole session: tacit sessions {listed.short})"
        lines = [f"# {listed.row.title}", *sessions.turn_lines(session, turn, around or 0), "", rest]
    echo_lines(printable(line) if line else "" for line in lines)


def _list_counted(call: Invocation) -> int:
    """List the sessions of some time, or those that a figure counts."""
    example = "tacit sessions --result followed --since 7d"
    if call.flag("--memory") and not call.flag("--result"):
        raise UsageError("--memory wants --result", f"{example} --memory ID")
    if call.flag("--project"):
        raise UsageError("--result and times are about all projects", example)
    times = {"since": call.value("--since"), "before": call.value("--before")}
    result = call.value("--result") or ""
    listing = call.vault.value.sessions(result, **times, memory=call.value("--memory"), limit=list_limit(call))

    def echo_counted(counted: CountedSession) -> None:
        echo_session(counted.listed)
        for memory in counted.memories:
            echo(f"    {result}: {memory.id}  {printable(clip(memory.sentence, 100))}")

    title, empty = f"Sessions ({listing.total})", "No session. What agents were told: tacit injected"
    return show_list(call, listing, "session", counted_session_json, echo_counted, title=title, empty=empty)


def echo_session(session: ListedSession) -> None:
    """Print a session of a list: time, agent, request, outcome, changed files."""
    row = session.row
    # Lists are sorted by the last event of a session. It is shown in the time zone of the first.
    last_at = datetime.fromisoformat(row.ended_at).astimezone(datetime.fromisoformat(row.started_at).tzinfo)
    alike = f", and {pluralize(session.similar_count, 'like it', 'like it')}" if session.similar_count else ""
    who = f"{printable(row.agent)}, {pluralize(row.turn_count, 'turn')}{alike}, {printable(session.label)}"
    echo(f"{session.short}  {last_at:%Y-%m-%d %H:%M}  {who}")
    if not row.is_titled_by_outcome:
        echo(f"    {printable(clip(row.title, 100))}")
    if row.outcome:
        by = f" (summed up by {printable(row.model)})" if row.model else ""
        echo(f"    → {printable(clip(row.outcome, _MAX_OUTCOME_CHARS))}{by}")
    if row.files:
        more = f" and {len(row.files) - _MAX_FILES} more" if len(row.files) > _MAX_FILES else ""
        echo(f"    files: {printable(', '.join(row.files[:_MAX_FILES]))}{more}")


def session_json(listed: ListedSession) -> JsonObject:
    row = listed.row
    return {
        "id": row.id,
        "short": listed.short,
        "agent": row.agent,
        "name": row.host_session_id,
        "scope": row.scope,
        "at": utc_timestamp(row.ended_at),
        "first_at": utc_timestamp(row.started_at),
        "turn_count": row.turn_count,
        "title": row.title,
        "outcome": row.outcome,
        "summarized_by": row.model,
        "files": list(row.files),
        "alike": listed.similar_count,
    }


def counted_session_json(counted: CountedSession) -> JsonObject:
    return {**session_json(counted.listed), "memories": [reference_json(memory) for memory in counted.memories]}


def full_session_json(listed: ListedSession, session: Session) -> JsonObject:
    from tacit.pages.sessions import session_tags

    brief: JsonObject | None = None
    if summary := session.summary:
        brief = {"text": summary.text, "model": summary.model, "turns_since": summary.newer_turns}
    return {
        **session_json(listed),
        "directory": session.directory,
        "branch": session.branch,
        "requests": session.requests,
        "tools": dict(session.tools),
        "files": list(session.files),
        "compactions": session.compactions,
        "tags": session_tags(session),
        "summary": brief,
        "turns": [_turn_json(turn) for turn in session.turns],
    }


def _turn_json(turn: Turn) -> JsonObject:
    return {
        "turn": turn.number,
        "at": timestamp(turn.started_at),
        "prompts": [
            {"text": prompt.text, "how": prompt.how.value or "typed", "about": prompt.about} for prompt in turn.prompts
        ],
        "replies": list(turn.replies),
        "calls": [
            {
                "tool": call.tool,
                "act": call.act.value,
                "input": call.input,
                "result": call.result,
                "outcome": call.outcome.value or "well",
                "files": list(call.files),
                "change": call.change,
                "aside": call.aside,
            }
            for call in turn.calls
        ],
        "interrupted": turn.interrupted,
        "compacted": turn.compacted,
    }


@command(
    "",
    "tacit context --cwd .",
    Option("--cwd", "DIR", "the folder it is about (default: the one you stand in)"),
    JSON_OPTION,
)
def run_context(call: Invocation) -> None:
    """What a planner or an agent should know here: the directories of this project you work in and the commands
    you usually run there, counted in your shell; your workflows with their last result, and the memory that
    holds here, as you accepted them. A memory that names what is not in the work tree says so; one that only
    describes it is left out.
    """
    from tacit.home.home import Home
    from tacit.inject.context import Contexts

    directory = os.path.abspath(os.path.expanduser(call.value("--cwd") or "."))
    if not os.path.isdir(directory):
        raise UsageError(f"there is no folder {printable(directory)}", "tacit context --cwd .")
    with Home(call.value("--home"), cwd=directory) as home:
        contexts = Contexts(home)
        context = contexts.context(directory)
        if not call.flag("--json"):
            sys.stdout.write(contexts.context_text(context))
            return
    from tacit.cli.status import habit_count_json
    from tacit.cli.workflow import workflow_json

    memories = (
        {**reference_json(row), "missing": missing_json((text, "") for text in context.missing.get(row.id, ()))}
        for row in context.memories
    )
    fields = {
        "directory": context.directory,
        "scopes": context.scopes,
        "directories": [reference_json(row) for row in context.directories],
        "habits": [reference_json(row) for row in context.commands],
        "places": [habit_count_json(count) for count in context.most_in],
        "often": [habit_count_json(count) for count in context.most_run],
        "workflows": [workflow_json(workflow) for workflow in context.workflows],
        "memories": list(memories),
    }
    echo_json(fields)


_TRIGGER_LABELS = {
    "startup": "at the start of a session",
    "resume": "when a session was resumed",
    "clear": "after the conversation was cleared",
    "compact": "after the conversation was compacted",
    "prompt": "at a prompt",
    "edit": "when it edited a file",
    "failure": "when a command failed",
    "proposal": "about something to propose",
    "": "asked for",
}


@command(
    "",
    "tacit injected --limit 5",
    Option("--session", "ID", "only what this session was given"),
    *LIMIT_OPTIONS,
    EXIT_CODE_OPTION,
    JSON_OPTION,
)
def run_injected(call: Invocation) -> int:
    """What was put into which prompt: when, into which session of which agent, how many tokens it took, each
    memory and why it was chosen, and the earlier sessions that were told of. The latest first.
    """
    injections = call.vault.sessions.injections(session=call.value("--session"), limit=list_limit(call))
    empty = "Nothing was put into a prompt yet. Agents are given memory by: tacit install claude"
    code = show_list(call, injections, "injection", _injection_json, _echo_injection, empty=empty)
    if (late := call.vault.sessions.late_answers().text) and not call.flag("--json"):
        echo(f"Not counted above: {late}.")
    return code


def _echo_injection(injection: InjectionRecord) -> None:
    body, origin = injection.body, injection.event.origin
    who = printable(f"{body.agent} {origin.session}" if body.agent else "tacit brief")
    trigger = printable(_TRIGGER_LABELS.get(body.moment, body.moment))
    echo(f"{local_time(origin):%Y-%m-%d %H:%M}  {who}, {trigger}, {pluralize(body.tokens, 'token')}")
    if body.task:
        echo(f"    for: {printable(clip(body.task, 100))}")
    for memory in injection.memories:
        echo(f"    {memory.id}  {printable(clip(memory.sentence, 100))}{_reason_suffix(memory.reason)}")
    for memory in injection.withheld:
        echo(f"    withheld, because it is on trial: {memory.id}  {printable(clip(memory.sentence, 100))}")
    for session in injection.sessions:
        title = printable(clip(session.row.title, 80))
        echo(f"    session {session.row.id}  {title}{_reason_suffix(session.reason)}")


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
        **{
            name: [{"id": memory.id, "text": memory.sentence, "reason": memory.reason} for memory in listed]
            for name, listed in (("memories", injection.memories), ("withheld", injection.withheld))
        },
        "sessions": [
            {"id": session.row.id, "title": session.row.title, "reason": session.reason}
            for session in injection.sessions
        ],
    }
