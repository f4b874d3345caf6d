"""tacit brief."""

from __future__ import annotations

import sys

from tacit.core.text import show
from tacit.surfaces.cli.command import JSON, Call, Command, Option
from tacit.surfaces.cli.words import say_json, warn


def run(call: Call) -> int:
    call.no_words()
    brief = call.questions.brief(task=call.text_value("--for"), tags=call.all_values("--tag"))
    if call.flag("--json"):
        say_json(
            {
                "entries": [
                    {"id": one.id, "kind": one.kind.label, "scope": one.scope, "text": one.sentence}
                    for one in brief.entries
                ],
                "tokens": brief.tokens,
                "text": brief.text,
            }
        )
    else:
        sys.stdout.write(brief.text)
    warn(f"Memory loaded: {len(brief.entries)} entries ({show(call.questions.scope_words)}).")
    return 0


COMMAND = Command(
    name="brief",
    words="",
    help=(
        "Three to seven memories that an agent should know now, within a budget of tokens, fenced as reference data;\n"
        "nothing when fewer than three are known. Constraints come first, the project's before global ones."
    ),
    example='tacit brief --for "write the release notes"',
    run=run,
    options=(
        Option("--for", "TASK", "what the work is about"),
        Option("--tag", "TAG", "prefer memories with this tag", many=True),
        JSON,
    ),
)
