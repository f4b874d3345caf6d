"""tacit install."""

from __future__ import annotations

from tacit.core.text import show
from tacit.surfaces.cli.agreeing import change_agreed
from tacit.surfaces.cli.command import Call, Command, Option
from tacit.surfaces.cli.verbs import uninstall
from tacit.surfaces.cli.words import say
from tacit.surfaces.install.target import here
from tacit.surfaces.install.targets import target


def run(call: Call) -> int:
    if call.flag("--uninstall"):
        return uninstall.run(call)
    chosen = target(call.one_word(), "install")
    change = chosen.installed(here())
    if not change.is_needed:
        say(f"It is there already: {show(change.path)}")
    elif change_agreed(call, change):
        say(f"Installed. {chosen.afterwards}")
        say(f"  take it out again: tacit uninstall {chosen.name}")
    return 0


COMMAND = Command(
    name="install",
    words="SHELL",
    help=(
        "Let bash, zsh or fish load Tacit when it starts: a few marked lines at the end of ~/.bashrc, .zshrc or\n"
        "config.fish. They are shown first, and added only if you agree. Without a terminal it wants --yes."
    ),
    example="tacit install zsh",
    run=run,
    options=(
        Option("--yes", help="add them without being asked"),
        Option("--uninstall", help="take them out again: the same as tacit uninstall SHELL"),
    ),
)
