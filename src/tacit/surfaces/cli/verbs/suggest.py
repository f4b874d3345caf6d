"""tacit suggest."""

from __future__ import annotations

import sys

from tacit.core.text import show
from tacit.surfaces.cli.asking import agreed
from tacit.surfaces.cli.command import Call, Command, Option
from tacit.surfaces.cli.verbs.add import kind_of
from tacit.surfaces.cli.words import say


def run(call: Call) -> int:
    outcome = call.vault.decisions.suggest(
        call.text(),
        evidence=call.text_value("--evidence"),
        reason=call.text_value("--reason"),
        kind=kind_of(call),
        everywhere=call.flag("--global"),
    )
    sentence = show(outcome.memory.claim.sentence)
    if not outcome.changed:
        say(f"Suggested before: {sentence}")
    elif call.vault.home.is_person and sys.stdin.isatty():
        return _decided(call, outcome.short, sentence)
    else:
        say(f"I noticed: {show(call.text_value('--evidence'))}. Should I remember: “{sentence}”?")
    say(f"  decide: tacit accept {outcome.short}   tacit dismiss {outcome.short}")
    return 0


def _decided(call: Call, short: str, sentence: str) -> int:
    """At a terminal the person is there and can say."""
    if agreed(f"Should I remember: “{sentence}”?"):
        call.vault.decisions.accept(short)
        say("Remembered.")
    else:
        say(f"It waits: tacit accept {short}   tacit dismiss {short}")
    return 0


COMMAND = Command(
    name="suggest",
    words="TEXT",
    help=(
        "Propose something to remember: what was noticed, and the sentence that should hold. It is a suggestion until\n"
        "the person accepts it. An agent gets the question to put to the person; a person at a terminal is asked."
    ),
    example='tacit suggest "use pnpm instead of npm" --evidence "you corrected me twice"',
    run=run,
    options=(
        Option("--text", "TEXT", "the text, where it cannot be given as a word"),
        Option("--evidence", "TEXT", "what was noticed: a quote, a command, a test", required=True),
        Option("--reason", "TEXT", "why it will matter again"),
        Option("--kind", "KIND", "constraint, rule, decision, …; told from the sentence if left out"),
        Option("--global", help="for every project, not just this one"),
    ),
)
