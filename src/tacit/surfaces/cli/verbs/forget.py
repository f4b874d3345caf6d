"""tacit forget."""

from __future__ import annotations

from tacit.core.text import show
from tacit.surfaces.cli.command import Call, Command, Option
from tacit.surfaces.cli.words import say


def run(call: Call) -> int:
    outcome = call.vault.forget(
        call.text(),
        reason=call.text_value("--reason"),
        evidence=call.text_value("--evidence"),
        by_text=call.flag("--text"),
    )
    say(f"Memory pruned or revised: {show(outcome.memory.claim.sentence)}")
    say(f"  take it back: tacit undo   or later: tacit restore {outcome.short}")
    return 0


COMMAND = Command(
    name="forget",
    words="ID",
    help=(
        "Retire a memory or candidate: it disappears from recall, briefs and fact files at once. Its history stays,\n"
        "and it can be restored."
    ),
    example='tacit forget 7k2m --reason "superseded" --evidence "correction of today"',
    run=run,
    options=(
        Option("--text", "TEXT", "the memory that says just this, instead of an id"),
        Option("--reason", "TEXT", "why it no longer holds", required=True),
        Option("--evidence", "TEXT", "what shows it", required=True),
    ),
)
