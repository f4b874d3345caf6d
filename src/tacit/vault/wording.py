"""Labels and descriptions that the command line and the MCP server share."""

from __future__ import annotations

from tacit.model.event import Decided, Proposed, Undone
from tacit.text.display import show
from tacit.vault.queries import Reason

STATUS_WORDS = {"pending": "candidate", "retired": "forgotten"}
HABIT_WORDS = {
    "preferred_cwd": "a directory you work in",
    "recurring_command": "a command you run often",
    "workflow_pattern": "commands you run in order",
    "preference": "a correction you make",
}
# Who is behind it, from `Provenance` 0 on.
PROVENANCE_WORDS = (
    "from outside: nobody vouches for it",
    "found by a program on this machine",
    "said by an agent",
    "from a file you vouched for",
    "said by you",
)


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
