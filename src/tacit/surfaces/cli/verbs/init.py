"""tacit init."""

from __future__ import annotations

from tacit.core.text import show
from tacit.surfaces.cli.command import Call, Command, Option
from tacit.surfaces.cli.words import say


def run(call: Call) -> int:
    call.no_words()
    wrappers = True if call.flag("--wrappers") else False if call.flag("--no-wrappers") else None
    made = call.vault.setup.init(wrappers=wrappers, agents=call.all_values("--agent"))
    say(f"Home ready: {show(made.home)}" if made.changed else f"Nothing to do: {show(made.home)} is ready.")
    for path in made.changed:
        if path in made.wrapped:
            say(f"  {'told' if wrappers else 'taken out of'} {show(path)}")
    if wrappers and not made.wrapped:
        say(f"No agent found (looked for {', '.join(made.looked_for)}). Name one: tacit init --wrappers --agent claude")
    if wrappers is None:
        say('Next: tacit add "…"   tacit remember "…" --evidence "…"   tacit init --wrappers to tell your agents')
    return 0


COMMAND = Command(
    name="init",
    words="",
    help=(
        "Make the home. With --wrappers, add a short instruction to the files of the agents you use (Claude Code,\n"
        "Codex, Gemini), between markers; --no-wrappers takes it out again and leaves every other byte. Run twice,\n"
        "it changes nothing."
    ),
    example="tacit init --wrappers",
    run=run,
    options=(
        Option("--wrappers", help="tell agents about Tacit, in their own files"),
        Option("--no-wrappers", help="take that out again"),
        Option("--agent", "NAME", "only this agent: claude, codex or gemini", many=True),
    ),
)
