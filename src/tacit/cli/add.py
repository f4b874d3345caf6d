"""`tacit add`, and its former forms `remember` and `suggest`: add statements to memory."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from tacit.cli.cards import outcome_line
from tacit.cli.commands import Invocation, Option, command
from tacit.cli.output import confirm, echo, echo_lines
from tacit.errors import UsageError
from tacit.home.project import FACT_FILE
from tacit.index.reader import MemoryRow
from tacit.model.claim import Kind, Status, is_project_scope
from tacit.text.display import one_line, printable
from tacit.vault.memories import DecisionOutcome

KINDS = ", ".join(kind.label for kind in Kind)
_MAX_QUOTE_CHARS = 300
_SHORT_ID = 6  # letters of the id of another memory
_ACTIVE_OPTIONS = ("--kind", "--tag", "--whole", "--private")  # options that a candidate does not take


@command(
    "TEXT",
    'tacit add "never run the build repeatedly because it is heavy" --kind constraint --tag build',
    Option("--text", "TEXT", "the text, where it cannot be given as a word"),
    Option("--kind", "KIND", f"one of {KINDS}; told from the text if left out"),
    Option("--tag", "TAG", "a word to find it by", repeatable=True),
    Option("--evidence", "TEXT", "where it comes from"),
    Option("--global", help="for every project, not just this one"),
    Option("--whole", help="keep a text of several sentences as one memory"),
    Option("--private", help="keep it in your home, not in the project's fact file"),
    Option("--candidate", help="only note it, to be accepted or dismissed later"),
)
def run_add(call: Invocation) -> None:
    """Add something that holds at once. Understands “add to memory that never …” and “global: I prefer …”.
    In a project it belongs to the project and is shared in docs/memory/memories.ndjson, which is made to be
    committed. What is said in the first person (“I prefer …”, “my editor …”) stays in your home, and so does
    everything with --private, until tacit share. Outside of projects it is global, and so is what begins with
    “global:”, “globally, …”, “everywhere …” or “for all projects: …”. Said again, it becomes stronger; what may
    say the same in other words is named, and you decide. A text with several rules becomes several memories.
    What it contradicts is named: the newest wins, unless the older is a constraint; where that is not certain,
    both hold, and you are asked. With --candidate it waits for your decision instead: recall finds it, and no
    agent is told.
    """
    if call.flag("--candidate"):
        if refused := next((name for name in _ACTIVE_OPTIONS if call.flag(name)), None):
            raise UsageError(f"{refused} is for what holds at once", "leave it out, or leave out --candidate")
        propose(call, "note")
        return
    is_first = not call.vault.setup.has_written_facts
    outcomes = call.vault.memories.add_each(
        call.text(),
        kind=call.value("--kind"),
        tags=call.all_values("--tag"),
        evidence=call.text_value("--evidence"),
        everywhere=call.flag("--global"),
        whole=call.flag("--whole"),
        private=call.flag("--private"),
        look_for_same=True,
    )
    for outcome in outcomes:
        if outcome.memory.status is Status.PENDING:
            echo(outcome_line("Suggested, waiting for a person", outcome))
            continue
        strength = outcome.memory.strength
        echo(outcome_line(f"Reinforced, strength {strength}" if strength > 1 else "Added", outcome))
        echo_sharing(outcome)
        echo_conflicts(outcome)
        echo_lines(same_lines(outcome))
    if len(outcomes) > 1:
        echo(f"That text holds {len(outcomes)} rules; each is a memory of its own. tacit undo takes all of them back.")
    if is_first and any(outcome.in_fact_file for outcome in outcomes):
        from tacit.cli.setup import register_with_first_fact

        register_with_first_fact(call)


def echo_sharing(outcome: DecisionOutcome) -> None:
    """Print whether a memory of a project is in the project's fact file, and how to change that."""
    memory = outcome.memory
    if not is_project_scope(memory.claim.scope):
        return
    if outcome.in_fact_file:
        echo(f"  shared in {FACT_FILE}; to keep it private: tacit share --remove {outcome.short}")
    elif not memory.shared:
        echo(f"  private: it stays in your home; to share it with the project: tacit share {outcome.short}")
    elif not outcome.overruled_by:
        echo(f"  to be shared, but {FACT_FILE} could not be written; see: tacit doctor")


def echo_conflicts(outcome: DecisionOutcome) -> None:
    """Print what a memory contradicts, how that was decided, and how to decide otherwise."""
    echo_lines(conflict_lines(outcome))


def conflict_lines(outcome: DecisionOutcome) -> Iterator[str]:
    """Yield what `echo_conflicts` prints."""
    own = outcome.short
    both = f"tacit conflicts --keep-both {own}"
    for loser in outcome.overrules:
        yield f"  It contradicts and overrules {_reference(loser)}"
        yield "  The newest wins: the older one is no longer told to anybody."
        yield f"  Not so? tacit conflicts --keep {loser.id[:_SHORT_ID]}, or if both hold: {both}"
    if outcome.overruled_by:
        yield f"  It contradicts {_reference(outcome.overruled_by)}"
        yield "  An older constraint holds against what is not one: this one is kept and told to nobody."
        yield f"  Not so? tacit conflicts --keep {own}, or if both hold: {both}"
    for rival in outcome.undecided:
        yield f"  It contradicts {_reference(rival)}"
        yield "  Here no rule decides, so both are kept and marked as a conflict until you do:"
        yield f"  tacit conflicts --keep {own}, --keep {rival.id[:_SHORT_ID]}, or --keep-both {own}"
    for rival in outcome.may_contradict:
        yield f"  It may contradict {_reference(rival)}"
        yield f"  Both hold. If that one is outdated: tacit forget {rival.id[:_SHORT_ID]}; if not: {both}"


def same_lines(outcome: DecisionOutcome) -> Iterator[str]:
    """Yield lines that ask whether a memory says the same as others."""
    for row in outcome.may_be_same:
        other = row.id[:_SHORT_ID]
        yield f"  Does it say the same as {_reference(row)}"
        yield f"  Make them one: tacit edit {outcome.short} --into {other}; or, if it is outdated: tacit forget {other}"


def _reference(row: MemoryRow) -> str:
    return f"[{row.id[:_SHORT_ID]}]: {printable(row.sentence)}"


@command(
    "TEXT",
    'tacit remember "Prefer recall before repeating implementation work" --evidence "user request"',
    Option("--text", "TEXT", "the text, where it cannot be given as a word"),
    Option("--evidence", "TEXT", "where it comes from: a message, a file, a test", required=True),
    Option("--global", help="for every project, not just this one"),
)
def run_remember(call: Invocation) -> None:
    """Note something worth keeping as a candidate. It is found by recall at once, and becomes a memory when you
    accept it. The same text with other evidence is a second observation of the same thing.
    """
    propose(call, "remember")


def propose(call: Invocation, source: str) -> None:
    """Record a candidate. `source` says how it was given."""
    outcome = call.vault.memories.remember(
        call.text(), evidence=call.text_value("--evidence"), everywhere=call.flag("--global"), source=source
    )
    text = printable(outcome.memory.claim.sentence)
    if not outcome.changed:
        echo(f"Memory candidate already exists: {text}")
    elif outcome.memory.status is not Status.PENDING:
        _echo_decided(outcome)
    else:
        echo(f"Remembered candidate: {text}")
        echo(f"  decide: tacit accept {outcome.short}   tacit dismiss {outcome.short}")


def _echo_decided(outcome: DecisionOutcome) -> None:
    """Print what became of a candidate that the person decided on before."""
    memory, text = outcome.memory, printable(outcome.memory.claim.sentence)
    if memory.status is Status.ACTIVE:
        echo(f"Holds already, strength {memory.strength} ({memory.claim.kind.label}) [{outcome.short}]: {text}")
    else:
        decided = "dismissed" if memory.status is Status.DISMISSED else "forgotten"
        echo(f"Noted, and still {decided}: {text}")
        echo(f"  bring it back: tacit restore {outcome.short}")


@command(
    "TEXT",
    'tacit suggest "use pnpm instead of npm" --quote "no npm here please, we use pnpm"',
    Option("--text", "TEXT", "the text, where it cannot be given as a word"),
    Option("--quote", "TEXT", "the person's exact words"),
    Option("--evidence", "TEXT", "what was noticed: a command, a test; wanted without --quote"),
    Option("--reason", "TEXT", "why it will matter again"),
    Option("--kind", "KIND", "constraint, rule, decision, …; told from the sentence if left out"),
    Option("--global", help="for every project, not just this one"),
)
def run_suggest(call: Invocation) -> None:
    """Propose something to remember: the sentence that should hold, and the person's exact words or what was
    noticed. It is a suggestion until the person accepts it. A quote is looked up in what the person typed in
    recorded sessions of this project, this one included; a suggestion without one that was found is marked as
    the agent's own conclusion. An agent gets the question to put to the person; a person at a terminal is asked.
    """
    quote = call.text_value("--quote")
    outcome = call.vault.memories.suggest(
        call.text(),
        evidence=call.text_value("--evidence"),
        quote=quote,
        reason=call.text_value("--reason"),
        kind=call.value("--kind"),
        everywhere=call.flag("--global"),
    )
    sentence = printable(outcome.memory.claim.sentence)
    if not outcome.changed:
        echo(f"Suggested before: {sentence}")
    elif outcome.memory.status is not Status.PENDING:
        _echo_decided(outcome)
        return
    elif call.vault.home.is_person and sys.stdin.isatty():
        if confirm(f"Should I remember: “{sentence}”?"):
            echo("Remembered.")
            echo_conflicts(call.vault.memories.accept(outcome.short))
        else:
            echo(f"It waits: tacit accept {outcome.short}   tacit dismiss {outcome.short}")
        return
    elif outcome.is_quoted:
        echo(f"Suggested, with your words “{printable(one_line(quote, _MAX_QUOTE_CHARS))}”: {sentence}")
    else:
        noticed = call.text_value("--evidence") or quote
        echo(f"I noticed: {printable(noticed)}. Should I remember: “{sentence}”?")
    if quote and not outcome.is_quoted:
        echo("  the quote is in no recorded prompt of this project; the suggestion is marked as the agent's conclusion")
    echo(f"  decide: tacit accept {outcome.short}   tacit dismiss {outcome.short}")
