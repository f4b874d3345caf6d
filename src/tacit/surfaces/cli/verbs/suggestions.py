"""tacit suggestions."""

from __future__ import annotations

from tacit.core.memory import Status
from tacit.surfaces.cli.command import JSON, Call, Command, Option
from tacit.surfaces.cli.show import say_entries


def run(call: Call) -> int:
    call.no_words()
    pending = call.vault.entries(status=Status.PENDING, scope=call.value("--scope") or "all")
    say_entries(call, pending, "Suggestions")
    return 0


COMMAND = Command(
    name="suggestions",
    words="",
    help="The candidates that wait for a decision, wherever they come from. Also called: tacit candidates.",
    example="tacit suggestions",
    run=run,
    options=(Option("--scope", "SCOPE", "local, global or all (default)"), JSON),
)
