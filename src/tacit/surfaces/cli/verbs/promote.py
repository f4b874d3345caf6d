"""tacit promote."""

from __future__ import annotations

from tacit.core.claim import Kind
from tacit.surfaces.cli.command import Call, Command, Option
from tacit.surfaces.cli.show import outcome_line
from tacit.surfaces.cli.verbs.add import KINDS, kind_of, say_ruling
from tacit.surfaces.cli.words import say


def run(call: Call) -> int:
    outcome = call.vault.decisions.promote(
        call.text(), kind=kind_of(call) or Kind.PATTERN, evidence=call.text_value("--evidence")
    )
    say(outcome_line("Promoted", outcome))
    say_ruling(outcome)
    return 0


COMMAND = Command(
    name="promote",
    words="ID",
    help="Accept a candidate under a kind, with evidence. A text that is no candidate yet becomes one first.",
    example='tacit promote 7k2m --kind pattern --evidence "seen in three sessions"',
    run=run,
    options=(
        Option("--text", "TEXT", "the candidate that says just this, instead of an id"),
        Option("--kind", "KIND", f"one of {KINDS}", required=True),
        Option("--evidence", "TEXT", "what shows it", required=True),
    ),
)
