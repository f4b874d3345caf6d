"""tacit sessions."""

from __future__ import annotations

import os
from datetime import datetime

from tacit.core.errors import WrongUse
from tacit.core.text import clip, show
from tacit.index.sessions import Row
from tacit.surfaces.cli.command import EXIT_CODE, JSON, Call, Command, Option
from tacit.surfaces.cli.forms import session_form
from tacit.surfaces.cli.words import counted, say, say_json
from tacit.vault.conversations.listing import ListedSession

_MOST = 20
_FILES = 4
_OUTCOME = 320


def run(call: Call) -> int:
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


COMMAND = Command(
    name="sessions",
    words="",
    help=(
        "Sessions with agents, by when something last happened in them, the latest first: what each was about (the\n"
        "title it has in its host, else the request that tells most), how it ended, and which files were changed.\n"
        "Sessions in which the same was asked are one entry."
    ),
    example="tacit sessions --project .",
    run=run,
    options=(
        Option("--project", "DIR", "only those of the project this folder is in"),
        Option("--limit", "N", f"at most so many (default {_MOST})"),
        EXIT_CODE,
        JSON,
    ),
)
