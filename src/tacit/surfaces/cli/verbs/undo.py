"""tacit undo."""

from __future__ import annotations

from tacit.core.text import show
from tacit.surfaces.cli.command import Call, Command
from tacit.surfaces.cli.words import say


def run(call: Call) -> int:
    say(f"Undone: {show(call.vault.undo(call.one_word() if call.words else None))}")
    return 0


COMMAND = Command(
    name="undo",
    words="[ID]",
    help=(
        "Take back the latest operation, or the latest on one memory. Nothing is deleted: undo again, and it\n"
        "counts again."
    ),
    example="tacit undo",
    run=run,
)
