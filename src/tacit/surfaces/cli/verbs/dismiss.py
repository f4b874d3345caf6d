"""tacit dismiss."""

from __future__ import annotations

from tacit.surfaces.cli.command import Call, Command, Option
from tacit.surfaces.cli.show import outcome_line
from tacit.surfaces.cli.words import say


def run(call: Call) -> int:
    call.some_words()
    for reference in call.words:
        say(outcome_line("Dismissed for good", call.vault.dismiss(reference, reason=call.text_value("--reason"))))
    return 0


COMMAND = Command(
    name="dismiss",
    words="ID…",
    help="Turn candidates down. They are never suggested again, whatever is observed, until you say so yourself.",
    example='tacit dismiss 7k2m --reason "only true for this task"',
    run=run,
    options=(Option("--reason", "TEXT", "why not"),),
)
