"""tacit accept."""

from __future__ import annotations

from tacit.surfaces.cli.command import Call, Command, Option
from tacit.surfaces.cli.show import outcome_line
from tacit.surfaces.cli.verbs.add import KINDS, kind_of, say_ruling
from tacit.surfaces.cli.words import say
from tacit.surfaces.cli.workflows import make_workflow


def run(call: Call) -> int:
    call.some_words()
    for reference in call.words:
        outcome = call.vault.accept(reference, kind=kind_of(call), evidence=call.text_value("--evidence"))
        say(outcome_line("Accepted", outcome))
        say_ruling(outcome)
        make_workflow(call.vault, outcome.memory)
    return 0


COMMAND = Command(
    name="accept",
    words="ID…",
    help="Make candidates active: from now on they are in briefs and fact files.",
    example="tacit accept 7k2m 9qwx",
    run=run,
    options=(
        Option("--kind", "KIND", f"file them under another kind: {KINDS}"),
        Option("--evidence", "TEXT", "what convinced you"),
    ),
)
