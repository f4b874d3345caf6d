"""tacit reindex."""

from __future__ import annotations

from tacit.surfaces.cli.command import Call, Command
from tacit.surfaces.cli.words import say


def run(call: Call) -> int:
    call.no_words()
    number = call.vault.reindex()
    say(f"Made the index and all views again: {number} {'memory' if number == 1 else 'memories'}.")
    return 0


COMMAND = Command(
    name="reindex",
    words="",
    help="Make the index and all views again from the log. Hand edits of views stay.",
    example="tacit reindex",
    run=run,
)
