"""tacit dismiss."""

from __future__ import annotations

from tacit.surfaces.cli.command import Call, Command, Option
from tacit.surfaces.cli.show import outcome_line
from tacit.surfaces.cli.words import say


def run(call: Call) -> int:
    call.some_words()
    for outcome in call.vault.decisions.dismiss_all(call.words, reason=call.text_value("--reason")):
        say(outcome_line("Dismissed for good", outcome))
    return 0


COMMAND = Command(
    name="dismiss",
    words="ID…",
    help=(
        "Turn candidates down. They are never suggested again, whatever is observed, until you say so yourself.\n"
        "All of them or none; one tacit undo takes all back."
    ),
    example='tacit dismiss 7k2m --reason "only true for this task"',
    run=run,
    options=(Option("--reason", "TEXT", "why not"),),
)
