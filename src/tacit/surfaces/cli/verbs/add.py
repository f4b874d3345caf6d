"""tacit add."""

from __future__ import annotations

from tacit.core.claim import Kind
from tacit.core.errors import WrongUse
from tacit.core.text import show
from tacit.surfaces.cli.command import Call, Command, Option
from tacit.surfaces.cli.show import outcome_line
from tacit.surfaces.cli.words import say
from tacit.vault.judging import Outcome

KINDS = ", ".join(kind.label for kind in Kind)


def run(call: Call) -> int:
    outcome = call.vault.add(
        call.text(),
        kind=kind_of(call),
        tags=call.all_values("--tag"),
        evidence=call.text_value("--evidence"),
        everywhere=call.flag("--global"),
    )
    if outcome.memory.status.value == "pending":
        say(outcome_line("Suggested, waiting for a person", outcome))
        return 0
    again = outcome.memory.strength > 1
    say(outcome_line(f"Reinforced, strength {outcome.memory.strength}" if again else "Added", outcome))
    say_ruling(outcome)
    return 0


def say_ruling(outcome: Outcome) -> None:
    """Whether it contradicts something, and what became of that."""
    for beaten in outcome.overrules:
        say(f"  overrules [{beaten.id}] {show(beaten.sentence)}; see: tacit conflicts")
    if outcome.overruled_by:
        winner = outcome.overruled_by
        say(f"  but [{winner.id}] {show(winner.sentence)} holds against it; see: tacit conflicts")
    if outcome.conflict:
        say("  contradicts another memory and no rule decides; see: tacit conflicts")


def kind_of(call: Call) -> Kind | None:
    given = call.value("--kind")
    if given is None:
        return None
    try:
        return Kind.named(given)
    except KeyError:
        raise WrongUse(f"no such kind: {given!r}", f"one of {KINDS}") from None


COMMAND = Command(
    name="add",
    words="TEXT",
    help=(
        "Add something that holds at once. Understands “add to memory that never …” and “global: I prefer …”.\n"
        "In a project it belongs to the project and stands in docs/memory/memories.ndjson; elsewhere it is global.\n"
        "Said again, it becomes stronger."
    ),
    example='tacit add "never run the build repeatedly because it is heavy" --kind constraint --tag build',
    run=run,
    options=(
        Option("--text", "TEXT", "the text, where it cannot be given as a word"),
        Option("--kind", "KIND", f"one of {KINDS}; told from the text if left out"),
        Option("--tag", "TAG", "a word to find it by", many=True),
        Option("--evidence", "TEXT", "where it comes from"),
        Option("--global", help="for every project, not just this one"),
    ),
)
