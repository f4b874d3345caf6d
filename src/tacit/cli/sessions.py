"""`tacit sessions` and `tacit session`."""

from __future__ import annotations

import os
from datetime import datetime

from tacit.cli.command import EXIT_CODE, JSON, Call, Command, Option
from tacit.cli.json_forms import Form, session_form
from tacit.cli.output import counted, say, say_json
from tacit.errors import WrongUse
from tacit.index.sessions import Row
from tacit.model.event import timestamp
from tacit.model.observation import ToolUsed
from tacit.model.session import Session, Summary, Turn
from tacit.text.display import clip, show
from tacit.vault.sessions import ListedSession

# tacit session.


def run_session(call: Call) -> int:
    if not call.words or call.words[0] != "show" or len(call.words) != 2:
        raise WrongUse(
            "tacit session wants show and the id of a session", "tacit sessions, then: tacit session show ID"
        )
    listed, session = call.vault.sessions.session(call.words[1])
    if call.flag("--json"):
        say_json(_form(listed, session))
        return 0
    turn, around = call.number("--turn"), call.number("--around", least=0)
    if turn is None and around is not None:
        raise WrongUse("--around wants --turn", f"tacit session show {listed.short} --turn 1 --around {around}")
    lines = _part(call, listed, session, turn, around or 0) if turn else call.vault.sessions.session_lines(session)
    for line in lines:
        say(show(line) if line else "")
    return 0


def _part(call: Call, listed: ListedSession, session: Session, turn: int, around: int) -> list[str]:
    """One turn, under the title of the session, and how to see the rest."""
    told = call.vault.sessions.session_part_lines(session, turn, around)
    rest = f"(Turn {turn} of {len(session.parts)}. The whole session: tacit session show {listed.short})"
    return [f"# {session.title}", *told, "", rest]


def _form(listed: ListedSession, session: Session) -> Form:
    from tacit.pages.sessions import tags

    return {
        **session_form(listed),
        "directory": session.directory,
        "branch": session.branch,
        "requests": session.requests,
        "tools": dict(session.tools),
        "files": list(session.files),
        "compactions": session.compactions,
        "tags": tags(session),
        "summary": _summary(session.summary) if session.summary else None,
        "turns": [_turn(turn) for turn in session.turns],
    }


def _summary(summary: Summary) -> Form:
    return {"text": summary.text, "model": summary.model, "turns_since": summary.behind}


def _turn(turn: Turn) -> Form:
    return {
        "turn": turn.number,
        "at": timestamp(turn.at),
        "prompts": [
            {"text": prompt.text, "how": prompt.how.value or "typed", "about": prompt.about} for prompt in turn.prompts
        ],
        "replies": list(turn.replies),
        "calls": [_call(call) for call in turn.calls],
        "interrupted": turn.interrupted,
        "compacted": turn.compacted,
    }


def _call(call: ToolUsed) -> Form:
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


SESSION = Command(
    name="session",
    words="show ID",
    help=(
        "One session as its page shows it: what was asked, what was done, the files that were changed, the tools that\n"
        "were used, how it ended, and what a model said of it, if one summed it up. ID is the beginning of its id,\n"
        "the name its agent gave it, or last. With --turn one turn alone, every word of it."
    ),
    example="tacit session show last",
    run=run_session,
    options=(
        Option("--turn", "N", "only this turn, as recall names it"),
        Option("--around", "N", "with --turn: so many turns before and after it, too"),
        JSON,
    ),
)


# tacit sessions.

_MOST = 20
_FILES = 4
_OUTCOME = 320


def run_sessions(call: Call) -> int:
    call.no_words()
    folder = call.value("--project")
    if folder is not None and not os.path.isdir(folder):
        raise WrongUse(f"{folder!r} is no folder", "tacit sessions --project .")
    limit = call.number("--limit") or _MOST
    listed = call.vault.sessions.sessions(project=os.path.abspath(folder) if folder else False)
    if call.flag("--json"):
        say_json([session_form(one) for one in listed[:limit]])
        return call.exit_code(found=bool(listed))
    if not listed:
        say("No sessions. They come with: tacit autocapture on, or tacit capture PATH")
        return call.exit_code(found=False)
    say(f"Sessions ({len(listed)})")
    for one in listed[:limit]:
        for line in lines(one):
            say(line)
    if len(listed) > limit:
        say(f"… and {len(listed) - limit:,} earlier ones: tacit sessions --limit {len(listed)}")
    return 0


def lines(one: ListedSession) -> list[str]:
    """A session in a list: when, who, what was asked, how it ended, what was changed."""
    row = one.row
    alike = f", and {counted(one.alike, 'like it', 'like it')}" if one.alike else ""
    who = f"{show(row.agent)}, {counted(row.turns, 'turn')}{alike}, {show(one.label)}"
    told = [f"{one.short}  {_last(row):%Y-%m-%d %H:%M}  {who}"]
    told.append(f"    {show(clip(row.title, 100))}")
    if row.outcome:
        by = f" (summed up by {show(row.model)})" if row.model else ""
        told.append(f"    → {show(clip(row.outcome, _OUTCOME))}{by}")
    if row.files:
        more = f" and {len(row.files) - _FILES} more" if len(row.files) > _FILES else ""
        told.append(f"    files: {show(', '.join(row.files[:_FILES]))}{more}")
    return told


def _last(row: Row) -> datetime:
    """When something was last said or done in it, by the clock where it began: lists are sorted by it."""
    return datetime.fromisoformat(row.at).astimezone(datetime.fromisoformat(row.began).tzinfo)


SESSIONS = Command(
    name="sessions",
    words="",
    help=(
        "Sessions with agents, by when something last happened in them, the latest first: what each was about (the\n"
        "title it has in its host, else the request that tells most), how it ended, and which files were changed.\n"
        "Sessions in which the same was asked are one entry."
    ),
    example="tacit sessions --project .",
    run=run_sessions,
    options=(
        Option("--project", "DIR", "only those of the project this folder is in"),
        Option("--limit", "N", f"at most so many (default {_MOST})"),
        EXIT_CODE,
        JSON,
    ),
)
