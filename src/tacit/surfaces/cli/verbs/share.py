"""tacit share."""

from __future__ import annotations

from tacit.surfaces.cli.command import Call, Command
from tacit.surfaces.cli.show import outcome_line
from tacit.surfaces.cli.verbs.add import say_ruling, say_sharing
from tacit.surfaces.cli.words import say


def run(call: Call) -> int:
    call.some_words()
    for outcome in call.vault.decisions.share_all(call.words):
        say(outcome_line("Shared", outcome))
        say_sharing(outcome)
        say_ruling(outcome)
    return 0


COMMAND = Command(
    name="share",
    words="ID…",
    help=(
        "Put memories of this project into docs/memory/memories.ndjson, which is made to be committed. All of them or\n"
        "none. Other people who clone the repository see them after tacit trust."
    ),
    example="tacit share 7k2m",
    run=run,
)
