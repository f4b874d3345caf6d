"""tacit unshare."""

from __future__ import annotations

from tacit.surfaces.cli.command import Call, Command
from tacit.surfaces.cli.show import outcome_line
from tacit.surfaces.cli.words import say
from tacit.vault.project import FACTS


def run(call: Call) -> int:
    call.some_words()
    for outcome in call.vault.decisions.unshare_all(call.words):
        say(outcome_line("Private again", outcome))
    say(f"  no longer in {FACTS}; commit that file if it was committed before")
    return 0


COMMAND = Command(
    name="unshare",
    words="ID…",
    help=(
        "Take memories out of docs/memory/memories.ndjson. They stay active in your home. What was committed before\n"
        "stays in the history of the repository."
    ),
    example="tacit unshare 7k2m",
    run=run,
)
