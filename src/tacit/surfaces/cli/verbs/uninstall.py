"""tacit uninstall."""

from __future__ import annotations

from tacit.core.text import show
from tacit.surfaces.cli.agreeing import changes_agreed
from tacit.surfaces.cli.command import Call, Command, Option
from tacit.surfaces.cli.words import say
from tacit.surfaces.install.change import Change
from tacit.surfaces.install.receipt import drop, known_by
from tacit.surfaces.install.target import here
from tacit.surfaces.install.targets import target


def run(call: Call) -> int:
    chosen, place = target(call.one_word(), "uninstall"), here(call.value("--home"))
    changes = chosen.removed(place)
    if not any(change.is_needed for change in changes):
        say(f"Nothing of Tacit is in {' or '.join(show(change.path) for change in changes)}")
        return 0
    if changes_agreed(call, changes):
        drop(place.home, chosen.name)
        running = "Sessions" if chosen.is_agent else "Shells"
        say(f"Taken out. {running} that run already go on until they end; what was recorded stays.")
        if any(_is_changed_since(change) for change in changes):
            say("What you changed in those files since is as you left it.")
    return 0


def _is_changed_since(change: Change) -> bool:
    return change.is_needed and change.receipt is not None and known_by(change.before) != change.receipt.after


COMMAND = Command(
    name="uninstall",
    words="TARGET",
    help=(
        "Take out what tacit install put into a file of a shell or an agent. Every other byte stays as it is, and a\n"
        "file that was made for it goes. The home and all that was recorded stay."
    ),
    example="tacit uninstall zsh",
    run=run,
    options=(Option("--yes", help="take it out without being asked"),),
)
