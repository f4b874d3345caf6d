"""tacit brief."""

from __future__ import annotations

import sys

from tacit.core.text import show
from tacit.surfaces.cli.command import JSON, Call, Command, Option
from tacit.surfaces.cli.forms import entry_reference
from tacit.surfaces.cli.words import say_json, waiting_for_trust, warn


def run(call: Call) -> int:
    call.no_words()
    brief = call.vault.queries.brief(task=call.text_value("--for"), tags=call.all_values("--tag"))
    if call.flag("--json"):
        say_json(
            {
                "memories": [entry_reference(entry) for entry in brief.entries],
                "tokens": brief.tokens,
                "text": brief.text,
            }
        )
    else:
        sys.stdout.write(brief.text)
    warn(f"Memory loaded: {len(brief.entries)} entries ({show(call.vault.queries.scope_words)}).")
    if untrusted := call.vault.home.untrusted():
        warn(waiting_for_trust(untrusted))
    return 0


COMMAND = Command(
    name="brief",
    words="",
    help=(
        "At most seven memories that an agent should know now, within a budget of tokens, fenced. The project's\n"
        "constraints and rules are always among them, and are introduced as your standing rules."
    ),
    example='tacit brief --for "write the release notes"',
    run=run,
    options=(
        Option("--for", "TASK", "what the work is about"),
        Option("--tag", "TAG", "prefer memories with this tag", many=True),
        JSON,
    ),
)
