"""Labels and descriptions that the command line and the MCP server share."""

from __future__ import annotations

from tacit.model.event import ClaimDecided, ClaimProposed, EventsUndone
from tacit.text.display import printable
from tacit.vault.queries import MemoryEvent

STATUS_LABELS = {"pending": "candidate", "retired": "forgotten"}
HABIT_LABELS = {
    "preferred_cwd": "a directory you work in",
    "recurring_command": "a command you run often",
    "workflow_pattern": "commands you run in order",
    "preference": "a correction you make",
}
# By `Provenance`, from 0 on.
PROVENANCE_LABELS = (
    "from outside: nobody vouches for it",
    "found by a program on this machine",
    "said by an agent",
    "from a file you vouched for",
    "said by you",
)


def describe_event(history_event: MemoryEvent) -> str:
    """Return what an event did to a memory, in words."""
    match history_event.event.body:
        case ClaimProposed(verdict=verdict, source=source):
            return f"{verdict.value} ({printable(source)})"
        case ClaimDecided(verdict=verdict):
            return verdict.value
        case EventsUndone(label=label):
            is_redo = label.startswith("undo of ")
            return printable(f"redo of {label.removeprefix('undo of ')}" if is_redo else f"undo of {label}")
    return "?"


def event_details(history_event: MemoryEvent) -> list[tuple[str, str]]:
    """Return the texts that an event has, each with its label: the new wording, the evidence and the reason."""
    body = history_event.event.body
    details: list[tuple[str, str]] = []
    if isinstance(body, ClaimDecided) and body.instead is not None:
        details.append(("instead", body.instead.sentence))
    if isinstance(body, ClaimProposed | ClaimDecided):
        details += [("evidence", body.evidence), ("reason", body.reason)]
    return [(label, text) for label, text in details if text]
