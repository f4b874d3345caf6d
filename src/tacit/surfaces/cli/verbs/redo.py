"""tacit redo."""

from __future__ import annotations

from tacit.core.text import show
from tacit.surfaces.cli.command import Call, Command
from tacit.surfaces.cli.words import say


def run(call: Call) -> int:
    call.no_words()
    say(f"Redone: {show(call.vault.undo_redo.redo())}")
    say("  take it back: tacit undo")
    return 0


COMMAND = Command(
    name="redo",
    words="",
    help="Do again what tacit undo took back last; again, what it took back before that. A new change ends this.",
    example="tacit redo",
    run=run,
)
