"""`tacit review`, `accept`, `dismiss` and `promote`: deciding on candidates."""

from __future__ import annotations

import sys

from tacit.cli.add import KINDS, kind_of, say_ruling
from tacit.cli.cards import KIND, LIMIT, OPTIONS, card, filters_of, limited, outcome_line, say_card, say_rest
from tacit.cli.command import Call, Command, Option
from tacit.cli.edit import in_editor
from tacit.cli.output import counted, say
from tacit.cli.show import ask_undecided
from tacit.cli.terminal import ask
from tacit.cli.workflow import make_workflow
from tacit.errors import TacitError
from tacit.model.claim import Kind, is_local
from tacit.text.display import show
from tacit.vault.queries import Listed
from tacit.vault.vault import Vault

# tacit accept.


def run_accept(call: Call) -> int:
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


ACCEPT = Command(
    name="accept",
    words="ID…",
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


# tacit dismiss.


def run_dismiss(call: Call) -> int:
    call.some_words()
    for outcome in call.vault.decisions.dismiss_all(call.words, reason=call.text_value("--reason")):
        say(outcome_line("Dismissed for good", outcome))
    return 0


DISMISS = Command(
    name="dismiss",
    words="ID…",
    help=(
        "Turn candidates down. They are never suggested again, whatever is observed, until you say so yourself.\n"
        "All of them or none; one tacit undo takes all back."
    ),
    example='tacit dismiss 7k2m --reason "only true for this task"',
    run=run_dismiss,
    options=(Option("--reason", "TEXT", "why not"),),
)


# tacit promote.


def run_promote(call: Call) -> int:
    outcome = call.vault.decisions.promote(
        call.text(), kind=kind_of(call) or Kind.PATTERN, evidence=call.text_value("--evidence")
    )
    say(outcome_line("Promoted", outcome))
    say_ruling(outcome)
    return 0


PROMOTE = Command(
    name="promote",
    words="ID",
    help="Accept a candidate under a kind, with evidence. A text that is no candidate yet becomes one first.",
    example='tacit promote 7k2m --kind pattern --evidence "seen in three sessions"',
    run=run_promote,
    options=(
        Option("--text", "TEXT", "the candidate that says just this, instead of an id"),
        Option("--kind", "KIND", f"one of {KINDS}", required=True),
        Option("--evidence", "TEXT", "what shows it", required=True),
    ),
)


# tacit review.

_KEYS = "a accept · e edit · d dismiss · m merge · s skip · q quit"


def run_review(call: Call) -> int:
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


REVIEW = Command(
    name="review",
    words="",
    help=(
        "Go through the candidates, card by card: accept, edit, dismiss, merge or skip. Keys that you typed before a\n"
        "card was shown decide nothing. Without a terminal: a list."
    ),
    example="tacit review --kind workflow_pattern",
    run=run_review,
    options=(KIND, *OPTIONS, LIMIT),
)
