"""tacit stats."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tacit.core.text import clip, show
from tacit.surfaces.cli.command import JSON, Call, Command
from tacit.surfaces.cli.forms import Form, counts
from tacit.surfaces.cli.words import counted, say, say_json
from tacit.vault.statistics import Often, Statistics, Week

_BARS = "▁▂▃▄▅▆▇█"
_SHOWN = 5
_HABITS = {
    "preferred_cwd": ("directory", "directories"),
    "recurring_command": ("command", "commands"),
    "workflow_pattern": ("sequence", "sequences"),
    "preference": ("correction", "corrections"),
}


def run(call: Call) -> int:
    call.no_words()
    found = call.vault.pending.statistics()
    if call.flag("--json"):
        say_json(_form(found))
        return 0
    for line in lines(found):
        say(line)
    if found.commands:
        review = ": tacit review" if found.waiting else ""
        say(f"Decided   {found.accepted} accepted, {found.dismissed} dismissed, {found.waiting} waiting{review}")
    return 0


def lines(found: Statistics) -> Iterator[str]:
    if not found.commands:
        yield "No commands yet. Let your shell tell: tacit install zsh; or read what it kept: tacit import history"
        return
    shells = ", ".join(f"{show(name) or 'unknown'} {count:,}" for name, count in found.shells)
    yield f"Commands  {found.commands:,} ({found.failed:,} failed) in {counted(found.sessions, 'session')}: {shells}"
    yield f"From      {found.first} to {found.last}, in {counted(found.directories, 'directory', 'directories')}"
    yield f"Weeks     {chart(found.weeks)}  since {found.weeks[0].monday.isoformat()}, at most {_most(found.weeks):,}"
    yield from _often("Most run", found.often)
    yield from _often("Most in", found.places)
    yield f"Habits    {', '.join(counted(count, *_HABITS[kind]) for kind, count in found.habits)}"


def chart(weeks: Sequence[Week]) -> str:
    """One bar a week; an empty week is a dot."""
    most = _most(weeks) or 1
    tops = len(_BARS) - 1
    return "".join(_BARS[round(week.commands / most * tops)] if week.commands else "·" for week in weeks)


def _most(weeks: Sequence[Week]) -> int:
    return max(week.commands for week in weeks)


def _often(title: str, found: Sequence[Often]) -> Iterator[str]:
    for at, one in enumerate(found[:_SHOWN]):
        yield f"{title if at == 0 else '':9} {one.runs:6,} × {show(clip(one.key, 80))}"


def _form(found: Statistics) -> Form:
    return {
        "command_count": found.commands,
        "failed_count": found.failed,
        "session_count": found.sessions,
        "directory_count": found.directories,
        "first_day": found.first,
        "last_day": found.last,
        "shells": counts(found.shells, "shell"),
        "weeks": [{"day": week.monday.isoformat(), "command_count": week.commands} for week in found.weeks],
        "often": [_often_form(one) for one in found.often],
        "places": [_often_form(one) for one in found.places],
        "kinds": counts(found.habits, "kind"),
        "pending": found.waiting,
        "accepted_count": found.accepted,
        "dismissed": found.dismissed,
    }


def _often_form(one: Often) -> Form:
    return {"text": one.key, "run_count": one.runs, "session_count": one.sessions}


COMMAND = Command(
    name="stats",
    words="",
    help="What was captured from your shells and what was learned from it, with a bar for each of the last weeks.",
    example="tacit stats",
    run=run,
    options=(JSON,),
)
