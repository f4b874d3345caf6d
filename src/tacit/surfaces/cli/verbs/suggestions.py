"""tacit suggestions."""

from __future__ import annotations

from tacit.surfaces.cli.command import EXIT_CODE, JSON, Call, Command, Option
from tacit.surfaces.cli.forms import memory_form
from tacit.surfaces.cli.narrowing import KIND, LIMIT, OPTIONS, filters_of, limited, say_rest
from tacit.surfaces.cli.show import say_card
from tacit.surfaces.cli.words import say, say_json


def run(call: Call) -> int:
    call.no_words()
    pending = call.vault.pending.suggestions(
        call.value("--scope") or "all", kind=call.value("--kind"), filters=filters_of(call)
    )
    shown = limited(call, pending)
    if call.flag("--json"):
        say_json([memory_form(one) for one in shown])
        return call.exit_code(found=bool(pending))
    if not pending and any(call.flag(option.name) for option in (KIND, *OPTIONS)):
        say("No suggestions like that.")
    elif not pending:
        say("No suggestions. They come from what you run (tacit install zsh) and from what agents propose.")
    for at, listed in enumerate(shown, 1):
        say_card(listed, at, len(pending))
    say_rest(call, len(shown), len(pending), "suggestion")
    return call.exit_code(found=bool(pending))


COMMAND = Command(
    name="suggestions",
    words="",
    help=(
        "What waits for your decision, as cards: first the habits that tell most about how you work, then what was\n"
        "said or proposed, the surest first. Also: tacit candidates."
    ),
    example="tacit suggestions",
    run=run,
    options=(Option("--scope", "SCOPE", "local, global or all (default)"), KIND, *OPTIONS, LIMIT, EXIT_CODE, JSON),
)
