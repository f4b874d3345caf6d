"""tacit session."""

from __future__ import annotations

from tacit.core.conversation import ToolUsed
from tacit.core.errors import WrongUse
from tacit.core.event import timestamp
from tacit.core.session import Session, Summary, Turn
from tacit.core.text import show
from tacit.surfaces.cli.command import JSON, Call, Command, Option
from tacit.surfaces.cli.forms import Form, session_form
from tacit.surfaces.cli.words import say, say_json
from tacit.vault.conversations.listing import ListedSession


def run(call: Call) -> int:
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
    from tacit.notes.sessions import tags

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


COMMAND = Command(
    name="session",
    words="show ID",
    help=(
        "One session as its page shows it: what was asked, what was done, the files that were changed, the tools that\n"
        "were used, how it ended, and what a model said of it, if one summed it up. ID is the beginning of its id,\n"
        "the name its agent gave it, or last. With --turn one turn alone, every word of it."
    ),
    example="tacit session show last",
    run=run,
    options=(
        Option("--turn", "N", "only this turn, as recall names it"),
        Option("--around", "N", "with --turn: so many turns before and after it, too"),
        JSON,
    ),
)
