"""tacit why."""

from __future__ import annotations

from datetime import UTC, datetime

from tacit.core.claim import Kind
from tacit.core.conversation import PromptGiven, ReplyGiven, ToolUsed
from tacit.core.event import local_time, timestamp
from tacit.core.gist import one_line
from tacit.core.judgement import Decided, Proposed, Undone
from tacit.core.memory import Memory
from tacit.core.observation import UNKNOWN_STATUS
from tacit.core.text import clip, show
from tacit.index.habits import Ran
from tacit.surfaces.cli.command import JSON, Call, Command
from tacit.surfaces.cli.forms import Form, memory_form
from tacit.surfaces.cli.show import entry_line
from tacit.surfaces.cli.words import say, say_json
from tacit.vault.reading import Reason, Source

_HABITS = (Kind.PREFERRED_CWD, Kind.RECURRING_COMMAND, Kind.WORKFLOW_PATTERN, Kind.PREFERENCE)


def run(call: Call) -> int:
    listed, reasons = call.vault.queries.why(call.text())
    behind = _occurrences(call, listed.memory)
    if call.flag("--json"):
        events, commands = [_event_form(reason) for reason in reasons], [_command_form(ran) for ran in behind]
        say_json({**memory_form(listed), "events": events, "commands": commands})
        return 0
    say(entry_line(listed))
    for reason in reasons:
        origin = reason.event.origin
        undone = ", undone" if reason.undone else ""
        say(f"  {local_time(origin):%Y-%m-%d %H:%M} {show(origin.actor)}: {what(reason)}{undone}")
        for label, text in details(reason):
            say(f"      {label}: {show(text)}")
        say(f"      {show(str(reason.place))}")
        for source in reason.sources:
            by = source.event.origin
            say(f"      {local_time(by):%Y-%m-%d %H:%M} {show(by.actor)}: {_words(source)}")
            say(f"        {show(str(source.place))}")
    for ran in behind:
        where = f" in {show(ran.command.directory)}" if ran.command.directory else ""
        say(f"  {_moment(ran)}{where}: {show(clip(ran.command.command, 100))}")
    return 0


def _occurrences(call: Call, memory: Memory) -> list[Ran]:
    """The latest commands behind a habit."""
    if memory.kind not in _HABITS:  # what looks them up takes long to load
        return []

    return call.vault.pending.occurrences(memory)


def _words(source: Source) -> str:
    """What was said or done, in short."""
    match source.event.body:
        case PromptGiven(text=text) | ReplyGiven(text=text):
            return show(one_line(text, 160))
        case ToolUsed(tool=tool, input=given, outcome=outcome):
            ended = f" ({outcome.value})" if outcome.value else ""
            return show(f"{tool}: {one_line(given, 120)}{ended}")
    return "…"


def _moment(ran: Ran) -> str:
    return f"{datetime.fromtimestamp(ran.at / 1000):%Y-%m-%d %H:%M}"


def what(reason: Reason) -> str:
    match reason.event.body:
        case Proposed(verdict=verdict, source=source):
            return f"{verdict.value} ({show(source)})"
        case Decided(verdict=verdict):
            return verdict.value
        case Undone(label=label):
            is_redo = label.startswith("undo of ")
            return show(f"redo of {label.removeprefix('undo of ')}" if is_redo else f"undo of {label}")
    return "?"


def details(reason: Reason) -> list[tuple[str, str]]:
    body = reason.event.body
    found: list[tuple[str, str]] = []
    if isinstance(body, Decided) and body.instead is not None:
        found.append(("instead", body.instead.sentence))
    if isinstance(body, Proposed | Decided):
        found += [("evidence", body.evidence), ("reason", body.reason)]
    return [(label, text) for label, text in found if text]


def _event_form(reason: Reason) -> Form:
    event, told = reason.event, dict(details(reason))
    return {
        "id": event.id,
        "text": what(reason),
        "at": timestamp(event.at),
        "actor": event.origin.actor,
        "provenance": event.origin.provenance.name.lower(),
        "undone": reason.undone,
        "path": reason.place.path,
        "line": reason.place.line,
        "sources": [
            {"id": one.event.id, "text": _words(one), "path": one.place.path, "line": one.place.line}
            for one in reason.sources
        ],
        "evidence": [told["evidence"]] if "evidence" in told else [],
        "reason": told.get("reason", ""),
        "instead": told.get("instead", ""),
    }


def _command_form(ran: Ran) -> Form:
    command = ran.command
    return {
        "id": ran.event,
        "text": command.command,
        "at": timestamp(datetime.fromtimestamp(ran.at / 1000, UTC)),
        "directory": command.directory,
        "exit_status": None if command.status == UNKNOWN_STATUS else command.status,
        "milliseconds": command.milliseconds,
        "shell": command.shell,
        "meant": command.meant,
        "planned": command.planned,
    }


COMMAND = Command(
    name="why",
    words="ID",
    help=(
        "Why a memory exists: every event it is made of, who said it when, and the line of the log it stands in;\n"
        "of a habit also the latest commands behind it."
    ),
    example="tacit why 7k2m",
    run=run,
    options=(JSON,),
)
