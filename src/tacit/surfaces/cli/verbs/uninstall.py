"""tacit uninstall."""

from __future__ import annotations

from tacit.core.text import show
from tacit.surfaces.cli.agreeing import change_agreed
from tacit.surfaces.cli.command import Call, Command, Option
from tacit.surfaces.cli.words import say
from tacit.surfaces.install.target import here
from tacit.surfaces.install.targets import target


def run(call: Call) -> int:
    chosen = target(call.one_word(), "uninstall")
    change = chosen.removed(here())
    if not change.is_needed:
        say(f"Nothing of Tacit is in {show(change.path)}")
    elif change_agreed(call, change):
        say("Taken out. Shells that run already go on until they end; what was recorded stays.")
    return 0


COMMAND = Command(
    name="uninstall",
    words="SHELL",
    help=(
        "Take out what tacit install put into a file of bash, zsh or fish. Every other byte stays as it is, and a\n"
        "file that was made for it goes. The home and all that was recorded stay."
    ),
    example="tacit uninstall zsh",
    run=run,
    options=(Option("--yes", help="take it out without being asked"),),
)
