"""tacit undo."""

from __future__ import annotations

from datetime import datetime

from tacit.core.errors import WrongUse
from tacit.core.text import show
from tacit.surfaces.cli.command import JSON, Call, Command, Option
from tacit.surfaces.cli.forms import Form, utc
from tacit.surfaces.cli.words import say, say_json
from tacit.vault.undoing import Step


def run(call: Call) -> int:
    if call.flag("--list"):
        call.no_words()
        return _list(call)
    if call.flag("--json"):
        raise WrongUse("--json goes with --list", "tacit undo --list --json")
    say(f"Undone: {show(call.vault.undo_redo.undo(call.one_word() if call.words else None))}")
    say("  bring it back: tacit redo")
    return 0


def _list(call: Call) -> int:
    stack = call.vault.undo_redo.undo_stack()
    if call.flag("--json"):
        say_json([_form(step) for step in stack.steps])
        return 0
    say("tacit undo takes these back, one each time:" if stack.steps else "Nothing to undo.")
    for at, step in enumerate(stack.steps, 1):
        by = "" if step.actor == "user" else f" ({show(step.actor)})"
        say(f"{at:>3}  {datetime.fromisoformat(step.at).astimezone():%Y-%m-%d %H:%M}  {show(step.label)}{by}")
    if stack.more:
        say("     and more before that")
    if stack.redo:
        say("tacit redo brings these back, one each time:")
        for at, label in enumerate(stack.redo, 1):
            say(f"{at:>3}  {show(label)}")
    return 0


def _form(step: Step) -> Form:
    return {
        "id": step.operation,
        "at": utc(step.at),
        "actor": step.actor,
        "text": step.label,
        "memory_ids": list(step.memories),
    }


COMMAND = Command(
    name="undo",
    words="[ID]",
    help=(
        "Take back the latest operation; again, the one before it. With an ID, the latest operation on that memory.\n"
        "Nothing is deleted: tacit redo brings back what was undone last, until something else is changed."
    ),
    example="tacit undo --list",
    run=run,
    options=(
        Option("--list", help="show what undo would take back, the latest first; change nothing"),
        JSON,
    ),
)
