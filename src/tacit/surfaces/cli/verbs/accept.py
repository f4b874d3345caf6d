"""tacit accept."""

from __future__ import annotations

from tacit.core.claim import is_local
from tacit.surfaces.cli.command import Call, Command, Option
from tacit.surfaces.cli.show import outcome_line
from tacit.surfaces.cli.verbs.add import KINDS, kind_of, say_ruling
from tacit.surfaces.cli.words import say
from tacit.surfaces.cli.workflows import make_workflow


def run(call: Call) -> int:
    call.some_words()
    outcomes = call.vault.decisions.accept_all(call.words, kind=kind_of(call), evidence=call.text_value("--evidence"))
    for outcome in outcomes:
        say(outcome_line("Accepted", outcome))
        say_ruling(outcome)
        make_workflow(call.vault, outcome.memory)
    private = [one.short for one in outcomes if is_local(one.memory.claim.scope) and not one.memory.shared]
    if private:
        say(f"  private: in your home only; to share with the project: tacit share {' '.join(private)}")
    return 0


COMMAND = Command(
    name="accept",
    words="ID…",
    help=(
        "Make candidates active: from now on they are in briefs. All of them or none; one tacit undo takes all back.\n"
        "They stay in your home: to put one into the project's fact file, tacit share."
    ),
    example="tacit accept 7k2m 9qwx",
    run=run,
    options=(
        Option("--kind", "KIND", f"file them under another kind: {KINDS}"),
        Option("--evidence", "TEXT", "what convinced you"),
    ),
)
