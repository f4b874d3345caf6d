"""`tacit review`, `accept`, `dismiss` and `promote`: decide on candidates."""

from __future__ import annotations

import sys

from tacit.cli.add import KINDS, echo_conflicts, parse_kind
from tacit.cli.cards import (
    FILTER_OPTIONS,
    KIND_OPTION,
    LIMIT_OPTION,
    card_lines,
    echo_card,
    echo_remaining,
    limited,
    outcome_line,
    parse_filters,
)
from tacit.cli.commands import Command, Invocation, Option
from tacit.cli.output import ask, echo, echo_wrapped, pluralize
from tacit.cli.show import ask_conflicts
from tacit.errors import TacitError
from tacit.model.claim import Kind, is_project_scope
from tacit.model.memory import Memory
from tacit.text.display import printable
from tacit.vault.queries import ListedMemory
from tacit.vault.vault import Vault

# tacit accept


def run_accept(call: Invocation) -> int:
    call.require_args()
    outcomes = call.vault.decisions.accept_all(call.args, kind=parse_kind(call), evidence=call.text_value("--evidence"))
    for outcome in outcomes:
        echo(outcome_line("Accepted", outcome))
        echo_conflicts(outcome)
        _make_workflow(call.vault, outcome.memory)
    memories = [(outcome.short, outcome.memory) for outcome in outcomes]
    private = [short for short, memory in memories if is_project_scope(memory.claim.scope) and not memory.shared]
    if private:
        echo(f"  private: in your home only; to share with the project: tacit share {' '.join(private)}")
    return 0


def _make_workflow(vault: Vault, memory: Memory) -> None:
    """Make a workflow of an accepted sequence of commands."""
    if memory.claim.kind is Kind.WORKFLOW_PATTERN:
        from tacit.cli.workflow import make_workflow

        make_workflow(vault, memory)


ACCEPT = Command(
    name="accept",
    usage="ID…",
    help=(
        "Make candidates active: from now on they are in briefs. All of them or none; one tacit undo takes all back.\n"
        "They stay in your home: to put one into the project's fact file, tacit share."
    ),
    example="tacit accept 7k2m 9qwx",
    run=run_accept,
    options=(
        Option("--kind", "KIND", f"file them under another kind: {KINDS}"),
        Option("--evidence", "TEXT", "what convinced you"),
    ),
)


# tacit dismiss


def run_dismiss(call: Invocation) -> int:
    call.require_args()
    for outcome in call.vault.decisions.dismiss_all(call.args, reason=call.text_value("--reason")):
        echo(outcome_line("Dismissed for good", outcome))
    return 0


DISMISS = Command(
    name="dismiss",
    usage="ID…",
    help=(
        "Turn candidates down. They are never suggested again, whatever is observed, until you say so yourself.\n"
        "All of them or none; one tacit undo takes all back."
    ),
    example='tacit dismiss 7k2m --reason "only true for this task"',
    run=run_dismiss,
    options=(Option("--reason", "TEXT", "why not"),),
)


# tacit promote


def run_promote(call: Invocation) -> int:
    outcome = call.vault.decisions.promote(
        call.text(), kind=parse_kind(call) or Kind.PATTERN, evidence=call.text_value("--evidence")
    )
    echo(outcome_line("Promoted", outcome))
    echo_conflicts(outcome)
    return 0


PROMOTE = Command(
    name="promote",
    usage="ID",
    help="Accept a candidate under a kind, with evidence. A text that is no candidate yet becomes one first.",
    example='tacit promote 7k2m --kind pattern --evidence "seen in three sessions"',
    run=run_promote,
    options=(
        Option("--text", "TEXT", "the candidate that says just this, instead of an id"),
        Option("--kind", "KIND", f"one of {KINDS}", required=True),
        Option("--evidence", "TEXT", "what shows it", required=True),
    ),
)


# tacit review

_KEY_HELP = "a accept · e edit · d dismiss · m merge · s skip · q quit"


def run_review(call: Invocation) -> int:
    call.refuse_args()
    vault = call.vault
    pending = vault.suggestions(kind=call.value("--kind"), filters=parse_filters(call))
    if sys.stdin.isatty():
        ask_conflicts(vault)
        from tacit.cli.learn import judge_notice

        if notice := judge_notice(vault):
            echo_wrapped(notice)
    elif undecided := vault.status().undecided:
        memories = pluralize(undecided, "memory contradicts", "memories contradict")
        echo(f"{memories} another, and no rule decides; see: tacit conflicts")
    if not pending:
        echo("Nothing to review.")
        return 0
    shown = limited(call, pending)
    if not sys.stdin.isatty():
        for at, listed in enumerate(shown, 1):
            echo_card(listed, at, len(pending))
        echo_remaining(call, len(shown), len(pending), "candidate")
        return 0
    decided = 0
    for at, listed in enumerate(shown, 1):
        for line in card_lines(listed, at, len(pending)):
            echo_wrapped(line)
        is_decided = _ask_decision(vault, listed)
        if is_decided is None:
            break
        decided += is_decided
    echo(f"Decided {decided} of {pluralize(len(pending), 'candidate')}. tacit undo takes back the latest.")
    echo_remaining(call, len(shown), len(pending), "candidate")
    return 0


def _ask_decision(vault: Vault, listed: ListedMemory) -> bool | None:
    """Ask until the candidate is decided. Return True then, False if it is skipped, None to stop."""
    while True:
        try:
            answer = ask(f"   {_KEY_HELP} > ").strip().lower()[:1]
        except EOFError:
            return None
        if answer in ("q", "s", ""):
            return None if answer == "q" else False
        try:
            if _apply_answer(vault, listed, answer):
                return True
        except TacitError as error:
            echo(f"   {printable(error.message)}")


def _apply_answer(vault: Vault, listed: ListedMemory, answer: str) -> bool:
    """Do what a key stands for. Return False, and print the keys, if it stands for nothing."""
    claim = listed.memory.id
    match answer:
        case "a":
            echo("   " + outcome_line("Accepted", vault.accept(claim)))
            _make_workflow(vault, listed.memory)
        case "d":
            echo("   " + outcome_line("Dismissed for good", vault.dismiss(claim)))
        case "e":
            from tacit.cli.edit import edit_text

            text = ask("   new text (empty: your editor) > ").strip() or edit_text(listed.memory.claim.sentence)
            echo("   " + outcome_line("Revised and accepted", vault.edit(claim, text=text, accept=True)))
        case "m":
            into = ask("   merge into which id > ").strip()
            echo("   " + outcome_line("Merged into", vault.decisions.merge(claim, into)))
        case _:
            echo(f"   {_KEY_HELP}")
            return False
    return True


REVIEW = Command(
    name="review",
    usage="",
    help=(
        "Go through the candidates, card by card: accept, edit, dismiss, merge or skip. Keys that you typed before a\n"
        "card was shown decide nothing. Without a terminal: a list."
    ),
    example="tacit review --kind workflow_pattern",
    run=run_review,
    options=(KIND_OPTION, *FILTER_OPTIONS, LIMIT_OPTION),
)
