"""tacit forget."""

from __future__ import annotations

import sys

from tacit.core.event import REPOSITORY
from tacit.core.text import show
from tacit.surfaces.cli.asking import ask
from tacit.surfaces.cli.command import Call, Command, Option
from tacit.surfaces.cli.words import say
from tacit.vault.project import FACTS


def run(call: Call) -> int:
    reference, by_text = call.text(), call.flag("--text")
    reason, evidence = call.text_value("--reason"), call.text_value("--evidence")
    is_asked = not call.flag("--reason") and not call.flag("--evidence") and sys.stdin.isatty()
    if is_asked:
        say(f"Forget: {show(call.vault.queries.show(reference, by_text=by_text).memory.claim.sentence)}")
        reason = _asked("  why? (Enter to skip) ")
        evidence = _asked("  what shows it? (Enter to skip) ")
    outcome = call.vault.decisions.forget(reference, reason=reason, evidence=evidence, by_text=by_text)
    say(f"Memory pruned or revised: {show(outcome.memory.claim.sentence)}")
    if outcome.memory.shared or outcome.memory.source == REPOSITORY:
        say(f"  taken out of {FACTS}, too")
    say(f"  take it back: tacit undo   or later: tacit restore {outcome.short}")
    return 0


def _asked(question: str) -> str:
    try:
        return ask(question).strip()
    except EOFError:
        say()
        return ""


COMMAND = Command(
    name="forget",
    words="ID",
    help=(
        "Retire a memory or candidate: it disappears from recall, briefs and fact files at once. Its history stays,\n"
        "and it can be restored. On a terminal you are asked for a reason and for evidence; both may be left out."
    ),
    example="tacit forget 7k2m",
    run=run,
    options=(
        Option("--text", "TEXT", "the memory that says just this, instead of an id"),
        Option("--reason", "TEXT", "why it no longer holds"),
        Option("--evidence", "TEXT", "what shows it"),
    ),
)
