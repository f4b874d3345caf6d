"""tacit restore."""

from __future__ import annotations

from tacit.surfaces.cli.command import Call, Command, Option
from tacit.surfaces.cli.show import outcome_line
from tacit.surfaces.cli.words import say
from tacit.vault.project import FACTS


def run(call: Call) -> int:
    outcome = call.vault.decisions.restore(call.text(), reason=call.text_value("--reason"))
    say(outcome_line("Restored", outcome))
    if outcome.in_file and outcome.memory.shared:
        say(f"  also in {FACTS}")
    return 0


COMMAND = Command(
    name="restore",
    words="ID",
    help="Make a forgotten or dismissed memory active again.",
    example="tacit restore 7k2m",
    run=run,
    options=(
        Option("--text", "TEXT", "the memory that says just this, instead of an id"),
        Option("--reason", "TEXT", "why it holds after all"),
    ),
)
