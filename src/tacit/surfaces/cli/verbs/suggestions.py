"""tacit suggestions."""

from __future__ import annotations

from tacit.surfaces.cli.command import JSON, Call, Command, Option
from tacit.surfaces.cli.show import memory_json, say_card
from tacit.surfaces.cli.words import say, say_json


def run(call: Call) -> int:
    call.no_words()
    pending = call.vault.suggestions(call.value("--scope") or "all")
    if call.flag("--json"):
        say_json([memory_json(one) for one in pending])
        return 0
    if not pending:
        say("No suggestions. They come from what you run (tacit install zsh) and from what agents propose.")
        return 0
    for at, listed in enumerate(pending, 1):
        say_card(listed, at, len(pending))
    return 0


COMMAND = Command(
    name="suggestions",
    words="",
    help="What waits for your decision, as cards, the surest first, wherever it comes from. Also: tacit candidates.",
    example="tacit suggestions",
    run=run,
    options=(Option("--scope", "SCOPE", "local, global or all (default)"), JSON),
)
