"""tacit remember."""

from __future__ import annotations

from tacit.surfaces.cli.command import Call, Command, Option
from tacit.surfaces.cli.words import say


def run(call: Call) -> int:
    return propose(call, "remember")


def propose(call: Call, source: str) -> int:
    from tacit.core.text import show

    outcome = call.vault.decisions.remember(
        call.text(), evidence=call.text_value("--evidence"), everywhere=call.flag("--global"), source=source
    )
    text = show(outcome.memory.claim.sentence)
    if not outcome.changed:
        say(f"Memory candidate already exists: {text}")
        return 0
    say(f"Remembered candidate: {text}")
    say(f"  decide: tacit accept {outcome.short}   tacit dismiss {outcome.short}")
    return 0


COMMAND = Command(
    name="remember",
    words="TEXT",
    help=(
        "Note something worth keeping as a candidate. It is found by recall at once, and becomes a memory when you\n"
        "accept it. The same text with other evidence is a second observation of the same thing."
    ),
    example='tacit remember "Prefer recall before repeating implementation work" --evidence "user request"',
    run=run,
    options=(
        Option("--text", "TEXT", "the text, where it cannot be given as a word"),
        Option("--evidence", "TEXT", "where it comes from: a message, a file, a test", required=True),
        Option("--global", help="for every project, not just this one"),
    ),
)
