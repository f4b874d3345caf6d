"""tacit why."""

from __future__ import annotations

from tacit.core.event import local_time
from tacit.core.judgement import Decided, Proposed, Undone
from tacit.core.text import show
from tacit.surfaces.cli.command import JSON, Call, Command
from tacit.surfaces.cli.show import entry_line, memory_json
from tacit.surfaces.cli.words import say, say_json
from tacit.vault.reading import Reason


def run(call: Call) -> int:
    listed, reasons = call.vault.why(call.text())
    if call.flag("--json"):
        say_json({**memory_json(listed), "events": [_json(reason) for reason in reasons]})
        return 0
    say(entry_line(listed))
    for reason in reasons:
        origin = reason.event.origin
        undone = ", undone" if reason.undone else ""
        say(f"  {local_time(origin):%Y-%m-%d %H:%M} {show(origin.actor)}: {what(reason)}{undone}")
        for label, text in details(reason):
            say(f"      {label}: {show(text)}")
        say(f"      {show(str(reason.place))}")
    return 0


def what(reason: Reason) -> str:
    match reason.event.body:
        case Proposed(verdict=verdict, source=source):
            return f"{verdict.value} ({show(source)})"
        case Decided(verdict=verdict):
            return verdict.value
        case Undone(label=label):
            return f"undo of {show(label)}"
    return "?"


def details(reason: Reason) -> list[tuple[str, str]]:
    body = reason.event.body
    found: list[tuple[str, str]] = []
    if isinstance(body, Decided) and body.instead is not None:
        found.append(("instead", body.instead.sentence))
    if isinstance(body, Proposed | Decided):
        found += [("evidence", body.evidence), ("reason", body.reason)]
    return [(label, text) for label, text in found if text]


def _json(reason: Reason) -> dict[str, object]:
    event = reason.event
    return {
        "id": event.id,
        "what": what(reason),
        "at": event.at.isoformat(),
        "actor": event.origin.actor,
        "provenance": event.origin.provenance.name.lower(),
        "undone": reason.undone,
        "path": reason.place.path,
        "line": reason.place.line,
        **dict(details(reason)),
    }


COMMAND = Command(
    name="why",
    words="ID",
    help="Why a memory exists: every event it is made of, who said it when, and the line of the log it stands in.",
    example="tacit why 7k2m",
    run=run,
    options=(JSON,),
)
