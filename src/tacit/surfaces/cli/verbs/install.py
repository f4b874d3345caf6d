"""tacit install."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from tacit.core.errors import TacitError, WrongUse
from tacit.core.text import show
from tacit.surfaces.cli.agreeing import changes_agreed
from tacit.surfaces.cli.asking import agreed
from tacit.surfaces.cli.command import Call, Command, Option
from tacit.surfaces.cli.verbs import uninstall
from tacit.surfaces.cli.words import say, short_path
from tacit.surfaces.install.condition import condition
from tacit.surfaces.install.receipt import keep
from tacit.surfaces.install.target import Place, Target, here
from tacit.surfaces.install.targets import TARGETS, target

_FOR_AGENTS = ("--mcp", "--capture")


def run(call: Call) -> int:
    if call.flag("--uninstall"):
        return uninstall.run(call)
    if not call.words:
        _say_targets(call)
        return 0
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


def _say_targets(call: Call) -> None:
    """List what Tacit is in, and offer to repair what is stale."""
    place = here(call.value("--home"))
    for name, one in TARGETS.items():
        say(f"  {name:10} {_state(one, place)}")
    say("\nPut it into one: tacit install NAME   Take it out: tacit uninstall NAME")
    stale = [one for one in TARGETS.values() if (found := condition(one, place)) and found.is_stale]
    if not stale:
        return
    if call.vault.home.is_person and (call.flag("--yes") or sys.stdin.isatty()):
        _repair(call, stale, place)
    else:
        say(f"Repair {', '.join(one.name for one in stale)} at once: tacit install --yes")


def _state(one: Target, place: Place) -> str:
    try:
        if not any(change.is_needed for change in one.removed(place)):
            return "-"
    except (TacitError, OSError) as error:
        return f"cannot be told: {show(str(error))}"
    found, again = condition(one, place), f"tacit install {one.name}"
    if found is None or found.problem:
        return f"cannot be told: {show(found.problem if found else '')}"
    if found.gone:
        return f"broken: {', '.join(map(short_path, found.gone))} is no longer there: {again}"
    if not found.is_guarded:
        return f"installed by an earlier version, which may stop {one.name} once Tacit is removed: {again}"
    return "installed" if found.is_current else f"installed, and out of date: {again}"


def _repair(call: Call, stale: Sequence[Target], place: Place) -> None:
    """Install again where it is stale, all in one go: shown first, and asked for once."""
    changes = {one: one.installed(place) for one in stale}

    def keep_receipts() -> None:
        for one, made in changes.items():
            if receipts := [change.receipt for change in made if change.receipt]:
                keep(place.home, one.name, receipts)

    say("")
    if changes_agreed(call, [change for made in changes.values() for change in made], keep_receipts):
        say("Repaired:")
        for one in stale:
            say(f"  {one.name:10} {one.afterwards}")


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
    call.vault.configuration.autocapture(True)
    say("Sessions are recorded from now on; stop it with: tacit autocapture off")


def _is_capture_on(call: Call) -> bool:
    return call.vault.configuration.setting("autocapture.enabled").value is True


COMMAND = Command(
    name="install",
    words="[TARGET]",
    help=(
        "Put Tacit into a shell or an agent. A shell (bash, zsh, fish) gets a few marked lines in the file that it\n"
        "reads when it starts; an agent (claude, codex, gemini, cursor, opencode, copilot) gets hooks in its\n"
        "settings, beside those of others. The change is shown first, and made only if you agree. Without a terminal\n"
        "it wants --yes. Without a target it lists them all, and which are installed; entries that start what is no\n"
        "longer there, or that an earlier version wrote, are repaired at once if you agree."
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
