"""tacit note."""

from __future__ import annotations

from tacit.surfaces.cli.command import Call, Command, Option
from tacit.surfaces.cli.verbs.remember import propose


def run(call: Call) -> int:
    return propose(call, "note")


COMMAND = Command(
    name="note",
    words="TEXT",
    help="Note a candidate in passing. Like remember, but evidence may come later.",
    example='tacit note "The staging database is reset every Monday"',
    run=run,
    options=(
        Option("--text", "TEXT", "the text, where it cannot be given as a word"),
        Option("--evidence", "TEXT", "where it comes from"),
        Option("--global", help="for every project, not just this one"),
    ),
)
