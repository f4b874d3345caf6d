"""tacit add."""

from __future__ import annotations

from tacit.core.claim import Kind, is_local
from tacit.core.errors import WrongUse
from tacit.core.text import show
from tacit.surfaces.cli.command import Call, Command, Option
from tacit.surfaces.cli.show import outcome_line
from tacit.surfaces.cli.words import say
from tacit.vault.judging import Outcome
from tacit.vault.project import FACTS

KINDS = ", ".join(kind.label for kind in Kind)


def run(call: Call) -> int:
    outcomes = call.vault.decisions.add_each(
        call.text(),
        kind=kind_of(call),
        tags=call.all_values("--tag"),
        evidence=call.text_value("--evidence"),
        everywhere=call.flag("--global"),
        whole=call.flag("--whole"),
        private=call.flag("--private"),
    )
    for outcome in outcomes:
        _say(outcome)
    if len(outcomes) > 1:
        say(f"That text holds {len(outcomes)} rules; each is a memory of its own. tacit undo takes all of them back.")
    return 0


def _say(outcome: Outcome) -> None:
    if outcome.memory.status.value == "pending":
        say(outcome_line("Suggested, waiting for a person", outcome))
        return
    again = outcome.memory.strength > 1
    say(outcome_line(f"Reinforced, strength {outcome.memory.strength}" if again else "Added", outcome))
    say_sharing(outcome)
    say_ruling(outcome)


def say_sharing(outcome: Outcome) -> None:
    """Whether a memory of a project is in the project's fact file, and how to change that."""
    memory = outcome.memory
    if not is_local(memory.claim.scope):
        return
    if outcome.in_file:
        say(f"  shared in {FACTS}; to keep it private: tacit unshare {outcome.short}")
    elif not memory.shared:
        say(f"  private: it stays in your home; to share it with the project: tacit share {outcome.short}")
    elif not outcome.overruled_by:
        say(f"  to be shared, but {FACTS} could not be written; see: tacit doctor")


def say_ruling(outcome: Outcome) -> None:
    """What it contradicts, what became of both, and how to decide otherwise."""
    own = outcome.short
    for beaten in outcome.overrules:
        say(f"  It contradicts and overrules [{beaten.id}]: {show(beaten.sentence)}")
        say("  The newest wins: the older one is no longer told to anybody.")
        say(f"  Not so? tacit conflicts --keep {beaten.id}, or if both hold: tacit conflicts --keep-both {own}")
    if outcome.overruled_by:
        winner = outcome.overruled_by
        say(f"  It contradicts [{winner.id}]: {show(winner.sentence)}")
        say("  An older constraint holds against what is not one: this one is kept and told to nobody.")
        say(f"  Not so? tacit conflicts --keep {own}, or if both hold: tacit conflicts --keep-both {own}")
    for rival in outcome.undecided:
        say(f"  It contradicts [{rival.id}]: {show(rival.sentence)}")
        say("  Here no rule decides, so both are kept and marked as a conflict until you do:")
        say(f"  tacit conflicts --keep {own}, --keep {rival.id}, or --keep-both {own}")


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
        "In a project it belongs to the project and is shared in docs/memory/memories.ndjson, which is made to be\n"
        "committed. What is said in the first person (“I prefer …”, “my editor …”) stays in your home, and so does\n"
        "everything with --private, until tacit share. Outside of projects it is global, and so is what begins with\n"
        "“global:”, “globally, …”, “everywhere …” or “for all projects: …”. Said again, it becomes stronger; a text\n"
        "with several rules becomes several memories. What it contradicts is named: the newest wins, unless the older\n"
        "is a constraint."
    ),
    example='tacit add "never run the build repeatedly because it is heavy" --kind constraint --tag build',
    run=run,
    options=(
        Option("--text", "TEXT", "the text, where it cannot be given as a word"),
        Option("--kind", "KIND", f"one of {KINDS}; told from the text if left out"),
        Option("--tag", "TAG", "a word to find it by", many=True),
        Option("--evidence", "TEXT", "where it comes from"),
        Option("--global", help="for every project, not just this one"),
        Option("--whole", help="keep a text of several sentences as one memory"),
        Option("--private", help="keep it in your home, not in the project's fact file"),
    ),
)
