"""tacit reindex."""

from __future__ import annotations

from tacit.surfaces.cli.command import Call, Command
from tacit.surfaces.cli.words import say
from tacit.vault.meanings import Encoded

SECONDS = 60  # at most for vectors; the rest is made the next time, and by the hooks of agents


def run(call: Call) -> int:
    call.no_words()
    number = call.vault.doctor.reindex()
    say(f"Made the index and all views again: {number} {'memory' if number == 1 else 'memories'}.")
    tell_of_meaning(call.vault.embeddings.encode(SECONDS))
    return 0


def tell_of_meaning(encoded: Encoded | None) -> None:
    """A line where the extra is there and had something to do."""
    if encoded and encoded.new:
        say(f"Meaning: {encoded.new} more texts can be compared, {encoded.all} in all.")


COMMAND = Command(
    name="reindex",
    words="",
    help="Make the index and all views again from the log. Hand edits of views stay.",
    example="tacit reindex",
    run=run,
)
