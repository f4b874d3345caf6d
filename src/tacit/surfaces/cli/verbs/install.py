"""tacit install."""

from __future__ import annotations

import sys

from tacit.core.errors import TacitError, WrongUse
from tacit.core.text import show
from tacit.surfaces.cli.agreeing import changes_agreed
from tacit.surfaces.cli.asking import agreed
from tacit.surfaces.cli.command import Call, Command, Option
from tacit.surfaces.cli.verbs import uninstall
from tacit.surfaces.cli.words import say
from tacit.surfaces.install.receipt import keep
from tacit.surfaces.install.target import Place, Target, here
from tacit.surfaces.install.targets import TARGETS, target

_FOR_AGENTS = ("--mcp", "--capture")


def run(call: Call) -> int:
    if call.flag("--uninstall"):
        return uninstall.run(call)
    if not call.words:
        return _say_targets(here(call.value("--home")))
    chosen = target(call.one_word(), "install")
    if not chosen.is_agent and (given := [name for name in _FOR_AGENTS if call.flag(name)]):
        raise WrongUse(f"{given[0]} is for agents, and {chosen.name} is a shell", f"tacit install {chosen.name}")
    if _is_installed(call, chosen) and chosen.is_agent:
        _settle_capture(call)
    return 0


def _is_installed(call: Call, chosen: Target) -> bool:
    """Whether it is there afterwards."""
    place = here(call.value("--home"), mcp=call.flag("--mcp"))
    changes = chosen.installed(place)
    receipts = [change.receipt for change in changes if change.receipt]
    if not any(change.is_needed for change in changes):
        say(f"It is there already: {', '.join(show(change.path) for change in changes if change.after is not None)}")
    elif not changes_agreed(call, changes, lambda: keep(place.home, chosen.name, receipts) if receipts else None):
        return False
    else:
        say(f"Installed. {chosen.afterwards}")
        if doubt := chosen.doubt(place):
            say(f"  {doubt}")
        say(f"  take it out again: tacit uninstall {chosen.name}")
    return True


def _say_targets(place: Place) -> int:
    for name, one in TARGETS.items():
        say(f"  {name:10} {_state(one, place)}")
    say("\nPut it into one: tacit install NAME   Take it out: tacit uninstall NAME")
    return 0


def _state(one: Target, place: Place) -> str:
    try:
        if not any(change.is_needed for change in one.removed(place)):
            return "-"
        is_current = not any(change.is_needed for change in one.installed(place))
    except (TacitError, OSError) as error:
        return f"cannot be told: {show(str(error))}"
    return "installed" if is_current else f"installed, and out of date: tacit install {one.name}"


# Recording sessions is a matter of its own, and nobody's default.


def _settle_capture(call: Call) -> None:
    if call.flag("--capture"):
        _turn_capture_on(call)
    elif not _is_capture_on(call):
        question = "Also record your sessions with agents, so that they can be recalled?"
        if sys.stdin.isatty() and not call.flag("--yes") and agreed(question):
            _turn_capture_on(call)
        else:
            say("  sessions are not recorded; to do so: tacit autocapture on")


def _turn_capture_on(call: Call) -> None:
    call.vault.autocapture(True)
    say("Sessions are recorded from now on; stop it with: tacit autocapture off")


def _is_capture_on(call: Call) -> bool:
    return call.vault.setting("autocapture.enabled").value is True


COMMAND = Command(
    name="install",
    words="[TARGET]",
    help=(
        "Put Tacit into a shell or an agent. A shell (bash, zsh, fish) gets a few marked lines in the file that it\n"
        "reads when it starts; an agent (claude, codex, gemini, cursor, opencode, copilot) gets hooks in its\n"
        "settings, beside those of others. The change is shown first, and made only if you agree. Without a terminal\n"
        "it wants --yes. Without a target it lists them all, and which are installed."
    ),
    example="tacit install zsh",
    run=run,
    options=(
        Option("--mcp", help="also register the MCP server of Tacit with this agent"),
        Option("--capture", help="also turn on the recording of sessions: tacit autocapture on"),
        Option("--yes", help="change the files without being asked"),
        Option("--uninstall", help="take it out again: the same as tacit uninstall TARGET"),
    ),
)
