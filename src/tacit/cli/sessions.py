"""`tacit sessions`: list sessions with agents, or show one."""

from __future__ import annotations

import os
from datetime import datetime

from tacit.cli.cards import LIMIT_OPTIONS, echo_remaining, list_limit
from tacit.cli.commands import EXIT_CODE_OPTION, JSON_OPTION, Command, Invocation, Option
from tacit.cli.json_output import JsonObject, session_json
from tacit.cli.output import echo, echo_json, echo_json_list, pluralize
from tacit.errors import UsageError
from tacit.index.sessions import SessionRow
from tacit.model.event import timestamp
from tacit.model.observation import ToolUsed
from tacit.model.session import Session, SessionSummary, Turn
from tacit.text.display import clip, printable
from tacit.vault.sessions import ListedSession

# One session


def _show_session(call: Invocation, reference: str) -> int:
    listed, session = call.vault.sessions.session(reference)
    if call.flag("--json"):
        echo_json(_full_session_json(listed, session))
        return 0
    turn, around = call.number("--turn"), call.number("--around", least=0)
    if turn is None and around is not None:
        raise UsageError("--around wants --turn", f"tacit sessions {listed.short} --turn 1 --around {around}")
    lines = (
        _turn_lines(call, listed, session, turn, around or 0) if turn else call.vault.sessions.session_lines(session)
    )
    for line in lines:
        echo(printable(line) if line else "")
    return 0


def _turn_lines(call: Invocation, listed: ListedSession, session: Session, turn: int, around: int) -> list[str]:
    """Return one turn below the title of the session, and how to see the rest."""
    lines = call.vault.sessions.turn_lines(session, turn, around)
    rest = f"(Turn {turn} of {len(session.searchable_parts)}. The whole session: tacit sessions {listed.short})"
    return [f"# {listed.row.title}", *lines, "", rest]


def _full_session_json(listed: ListedSession, session: Session) -> JsonObject:
    from tacit.pages.sessions import session_tags

    return {
        **session_json(listed),
        "directory": session.directory,
        "branch": session.branch,
        "requests": session.requests,
        "tools": dict(session.tools),
        "files": list(session.files),
        "compactions": session.compactions,
        "tags": session_tags(session),
        "summary": _summary_json(session.summary) if session.summary else None,
        "turns": [_turn_json(turn) for turn in session.turns],
    }


def _summary_json(summary: SessionSummary) -> JsonObject:
    return {"text": summary.text, "model": summary.model, "turns_since": summary.newer_turns}


def _turn_json(turn: Turn) -> JsonObject:
    return {
        "turn": turn.number,
        "at": timestamp(turn.started_at),
        "prompts": [
            {"text": prompt.text, "how": prompt.how.value or "typed", "about": prompt.about} for prompt in turn.prompts
        ],
        "replies": list(turn.replies),
        "calls": [_tool_call_json(call) for call in turn.calls],
        "interrupted": turn.interrupted,
        "compacted": turn.compacted,
    }


def _tool_call_json(call: ToolUsed) -> JsonObject:
    return {
        "tool": call.tool,
        "act": call.act.value,
        "input": call.input,
        "result": call.result,
        "outcome": call.outcome.value or "well",
        "files": list(call.files),
        "change": call.change,
        "aside": call.aside,
    }


# The list

_MAX_FILES = 4
_MAX_OUTCOME_CHARS = 320


def run_sessions(call: Invocation) -> int:
    args = call.args[1:] if call.args[:1] == ["show"] else call.args
    if len(args) > 1 or (call.args and not args):
        raise UsageError("tacit sessions shows one session", "tacit sessions lists them, then: tacit sessions ID")
    if args:
        return _show_session(call, args[0])
    if call.flag("--turn") or call.flag("--around"):
        raise UsageError("--turn is about one session", "tacit sessions ID --turn 1")
    folder = call.value("--project")
    if folder is not None and not os.path.isdir(folder):
        raise UsageError(f"{folder!r} is no folder", "tacit sessions --project .")
    listing = call.vault.sessions.listing(project=os.path.abspath(folder) if folder else False, limit=list_limit(call))
    shown = 0
    if call.flag("--json"):
        shown = echo_json_list(session_json(session) for session in listing.entries)
    elif not listing.total:
        echo("No sessions. They come with: tacit autocapture on, or tacit import transcripts PATH")
    else:
        echo(f"Sessions ({listing.total})")
        for session in listing.entries:
            shown += 1
            for line in listed_session_lines(session):
                echo(line)
    echo_remaining(call, shown, listing.total, "session")
    return call.exit_code(found=bool(listing.total))


def listed_session_lines(session: ListedSession) -> list[str]:
    """Return the lines of a session in a list: time, agent, request, outcome, changed files."""
    row = session.row
    alike = f", and {pluralize(session.similar_count, 'like it', 'like it')}" if session.similar_count else ""
    who = f"{printable(row.agent)}, {pluralize(row.turn_count, 'turn')}{alike}, {printable(session.label)}"
    lines = [f"{session.short}  {_last_activity(row):%Y-%m-%d %H:%M}  {who}"]
    lines.append(f"    {printable(clip(row.title, 100))}")
    if row.outcome:
        by = f" (summed up by {printable(row.model)})" if row.model else ""
        lines.append(f"    → {printable(clip(row.outcome, _MAX_OUTCOME_CHARS))}{by}")
    if row.files:
        more = f" and {len(row.files) - _MAX_FILES} more" if len(row.files) > _MAX_FILES else ""
        lines.append(f"    files: {printable(', '.join(row.files[:_MAX_FILES]))}{more}")
    return lines


def _last_activity(row: SessionRow) -> datetime:
    """Return the time of the last event of a session, by which lists are sorted, in the time zone of its beginning."""
    return datetime.fromisoformat(row.ended_at).astimezone(datetime.fromisoformat(row.started_at).tzinfo)


SESSIONS = Command(
    name="sessions",
    usage="[ID]",
    help=(
        "List sessions with agents, by when something last happened in them, the latest first: what each was about\n"
        "(the title it has in its host, else the request that says most), how it ended, and which files were changed.\n"
        "Sessions in which the same was asked are one entry.\n"
        "\n"
        "With an ID, show one session as on its page: requests, actions, changed files, tools, how it ended, and a\n"
        "model's summary, if there is one. ID is the beginning of its id, the name its agent gave it, or last. With\n"
        "--turn one turn alone, every word of it."
    ),
    example="tacit sessions --project .",
    run=run_sessions,
    options=(
        Option("--turn", "N", "with an ID: only this turn, as recall names it"),
        Option("--around", "N", "with --turn: also so many turns before and after it"),
        Option("--project", "DIR", "only those of the project this folder is in"),
        *LIMIT_OPTIONS,
        EXIT_CODE_OPTION,
        JSON_OPTION,
    ),
)
