"""tacit review."""

from __future__ import annotations

import sys

from tacit.core.errors import TacitError
from tacit.core.text import show
from tacit.surfaces.cli.asking import ask
from tacit.surfaces.cli.command import Call, Command
from tacit.surfaces.cli.narrowing import KIND, LIMIT, OPTIONS, filters_of, limited, say_rest
from tacit.surfaces.cli.show import card, outcome_line, say_card
from tacit.surfaces.cli.verbs.conflicts import ask_undecided
from tacit.surfaces.cli.verbs.edit import in_editor
from tacit.surfaces.cli.words import counted, say
from tacit.surfaces.cli.workflows import make_workflow
from tacit.vault.reading import Listed
from tacit.vault.vault import Vault

_KEYS = "a accept · e edit · d dismiss · m merge · s skip · q quit"


def run(call: Call) -> int:
    call.no_words()
    vault = call.vault
    pending = vault.suggestions(kind=call.value("--kind"), filters=filters_of(call))
    if sys.stdin.isatty():
        ask_undecided(vault)
    elif undecided := vault.status().undecided:
        told = counted(undecided, "memory contradicts", "memories contradict")
        say(f"{told} another, and no rule decides; see: tacit conflicts")
    if not pending:
        say("Nothing to review.")
        return 0
    shown = limited(call, pending)
    if not sys.stdin.isatty():
        for at, listed in enumerate(shown, 1):
            say_card(listed, at, len(pending))
        say_rest(call, len(shown), len(pending), "candidate")
        return 0
    decided = 0
    for at, listed in enumerate(shown, 1):
        for line in card(listed, at, len(pending)):
            say(line)
        answer = _decide(vault, listed)
        if answer is None:
            break
        decided += answer
    say(f"Decided {decided} of {counted(len(pending), 'candidate')}. tacit undo takes back the latest.")
    say_rest(call, len(shown), len(pending), "candidate")
    return 0


def _decide(vault: Vault, listed: Listed) -> int | None:
    """Ask until the card is decided: 1 decided, 0 skipped, None to stop."""
    while True:
        try:
            answer = ask(f"   {_KEYS} > ").strip().lower()[:1]
        except EOFError:
            return None
        if answer in ("q", "s", ""):
            return None if answer == "q" else 0
        try:
            if _act(vault, listed, answer):
                return 1
        except TacitError as error:
            say(f"   {show(error.message)}")


def _act(vault: Vault, listed: Listed, answer: str) -> bool:
    name = listed.memory.id
    match answer:
        case "a":
            say("   " + outcome_line("Accepted", vault.accept(name)))
            make_workflow(vault, listed.memory)
        case "d":
            say("   " + outcome_line("Dismissed for good", vault.dismiss(name)))
        case "e":
            text = ask("   new text (empty: your editor) > ").strip() or in_editor(listed.memory.claim.sentence)
            say("   " + outcome_line("Revised and accepted", vault.edit(name, text=text, accept=True)))
        case "m":
            into = ask("   merge into which id > ").strip()
            say("   " + outcome_line("Merged into", vault.decisions.merge(name, into)))
        case _:
            say(f"   {_KEYS}")
            return False
    return True


COMMAND = Command(
    name="review",
    words="",
    help=(
        "Go through the candidates, card by card: accept, edit, dismiss, merge or skip. Keys that you typed before a\n"
        "card was shown decide nothing. Without a terminal: a list."
    ),
    example="tacit review --kind workflow_pattern",
    run=run,
    options=(KIND, *OPTIONS, LIMIT),
)
