"""tacit show."""

from __future__ import annotations

from tacit.core.text import show
from tacit.surfaces.cli.command import JSON, Call, Command
from tacit.surfaces.cli.forms import memory_form
from tacit.surfaces.cli.show import entry_line
from tacit.surfaces.cli.words import say, say_json


def run(call: Call) -> int:
    listed = call.vault.queries.show(call.text())
    if call.flag("--json"):
        say_json(memory_form(listed))
        return 0
    memory = listed.memory
    say(entry_line(listed))
    say(f"    id {memory.id}, source {show(memory.source)}, confidence {memory.confidence:.2f}")
    say(f"    says: {show(' | '.join(memory.claim.triple))}")
    if memory.claim.tags:
        say(f"    tags: {show(', '.join(memory.claim.tags))}")
    for given in memory.evidence:
        say(f"    evidence of {given.day}: {show(given.text)}")
    if memory.reason:
        say(f"    reason: {show(memory.reason)}")
    say(f"    more: tacit why {listed.short}")
    return 0


COMMAND = Command(
    name="show",
    words="ID",
    help="One memory, whole.",
    example="tacit show 7k2m",
    run=run,
    options=(JSON,),
)
