"""`tacit install` and `uninstall`: every shell and agent that Tacit can be put into, and the state it is in there."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

from tacit.cli.command import Call, Command, Option
from tacit.cli.output import say, short_path
from tacit.cli.terminal import agreed
from tacit.errors import Refused, TacitError, WrongUse
from tacit.home.paths import locate
from tacit.hosts.claude import install as claude
from tacit.hosts.codex import install as codex
from tacit.hosts.copilot import install as copilot
from tacit.hosts.cursor import install as cursor
from tacit.hosts.gemini import install as gemini
from tacit.hosts.opencode import install as opencode
from tacit.hosts.registration import GUARD
from tacit.install.change import Change, check, drop, keep, kept, known_by, make
from tacit.install.json_entries import OURS, names_our_hook
from tacit.install.target import Place, Target
from tacit.record import Record
from tacit.shell import install as bash
from tacit.shell import install as fish
from tacit.shell import install as zsh
from tacit.text.display import show

# Changing files of somebody else's: show it, ask for it, do it.


def changes_agreed(call: Call, changes: Sequence[Change], first: Callable[[], None] = lambda: None) -> bool:
    """Make the changes if the person wants them: they said so already, or they are asked at the terminal.

    `first` is done before the first one.
    """
    needed = [change for change in changes if change.is_needed]
    for change in needed:
        check(change)
    for line in (line for change in needed for line in change.lines()):
        say(line)
    if not _is_agreed(call, "Change this file?" if len(needed) == 1 else "Change these files?"):
        return False
    first()
    for change in needed:
        make(change)
    return True


def _is_agreed(call: Call, question: str) -> bool:
    if call.flag("--yes"):
        return True
    if not sys.stdin.isatty():
        raise Refused(
            "nothing was changed: there is no terminal to ask on", f"tacit {call.command.name} {_typed(call)} --yes"
        )
    if not agreed(question):
        say("Nothing was changed.")
        return False
    return True


def _typed(call: Call) -> str:
    """The words and flags that were given."""
    return " ".join([*call.words, *(name for name, values in call.values.items() if values == [""])])


def here(home: str | None = None, *, mcp: bool = False) -> Place:
    """What is installed names its home: `TACIT_HOME` and `HOME` may be others when an agent starts it."""
    environment = dict(os.environ)
    return Place(environment, _program(), sys.executable, locate(home, environment).root, is_home_named=True, mcp=mcp)


def _program() -> tuple[str, ...]:
    """This very program, by a path that holds in any folder."""
    started = os.path.abspath(sys.argv[0])
    if os.path.basename(started) == "tacit" and os.access(started, os.X_OK) and os.path.isfile(started):
        return (started,)
    return (sys.executable, "-m", "tacit")


# In which condition Tacit is in a shell or an agent: up to date, started from a place that is gone, without the guard
# that keeps a missing program from stopping the host, or turned off.

_LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_TESTED = re.compile(r"^if (?:\[|test) -x (.+?)(?: \];.*)?$", re.MULTILINE)
_AROUND = 6  # literals before and behind the file of a hook, or the verb of a server, that belong to the same command


class Condition(Record):
    """A target that has Tacit in it. `gone` are files that it starts or works on and that are no longer there;
    `problem` says why nothing else can be told. Without `is_guarded`, a host takes a missing program for a refusal.
    `is_moved` hooks name the path of an earlier version, which forwards to the one of today."""

    name: str
    path: str
    is_agent: bool
    is_current: bool = True
    gone: tuple[str, ...] = ()
    doubt: str = ""
    problem: str = ""
    hint: str = ""
    is_guarded: bool = True
    is_moved: bool = False

    @property
    def is_stale(self) -> bool:
        """Whether it has to be installed again. Another installation that is there may be meant."""
        return not self.problem and (bool(self.gone) or not self.is_guarded or self.is_moved)


def condition(target: Target, place: Place) -> Condition | None:
    """Nothing where Tacit is not installed. What cannot be read is told only where it was put in from this home."""
    try:
        ours = [change for change in target.removed(place) if change.is_needed]
        if not ours:
            return None
        is_current = not any(change.is_needed for change in target.installed(place))
    except (TacitError, OSError) as error:
        return _unreadable(target, place, error)
    texts = [(change.before or b"").decode("utf-8", "surrogateescape") for change in ours]
    named = sorted({word for text in texts for word in _named(text)})
    return Condition(
        target.name,
        ours[0].path,
        target.is_agent,
        is_current,
        gone=tuple(word for word in named if not os.path.exists(word)),
        doubt=target.doubt(place),
        is_guarded=all(GUARD in words for text in texts for words, _ in _hooks(text) if len(words) > 1),
        is_moved=any(OURS[1] in text for text in texts),
    )


def _unreadable(target: Target, place: Place, error: TacitError | OSError) -> Condition | None:
    path = next(iter(kept(place.home, target.name)), "")
    hint = error.hint if isinstance(error, TacitError) else ""
    return Condition(target.name, path, target.is_agent, problem=str(error), hint=hint) if path else None


def _named(text: str) -> Iterator[str]:
    """The programs, files and homes that our entries or lines name."""
    literals = _literals(text)
    for words, at in _hooks(text):
        command = (words, _at_file(words)) if len(words) > 1 else (literals, at)
        yield from _of_hook(*command)
    yield from _of_servers(literals)
    if "# >>> tacit install " in text:
        block = text.partition("# >>> tacit install ")[2].partition("# <<< tacit install ")[0]
        yield from (word for line in _TESTED.findall(block) for word in _words(line))


def _hooks(text: str) -> Iterator[tuple[list[str], int]]:
    """The words of each literal that names the file of our hooks, and where it is among the literals.

    A hook is one literal with a whole command, or a list of literals, each a word of it.
    """
    for at, literal in enumerate(_literals(text)):
        if names_our_hook(literal):
            yield ([literal] if literal.endswith(OURS) and os.path.isabs(literal) else _words(literal)), at


def _at_file(words: list[str]) -> int:
    return next((at for at, word in enumerate(words) if word.endswith(OURS)), 0)


def _of_hook(words: list[str], at: int) -> Iterator[str]:
    """The interpreter, which stands before its options and the file; the file; and the home, if one is named."""
    first = next((word for word in reversed(words[max(at - _AROUND, 0) : at]) if not word.startswith("-")), "")
    behind = words[at + 1 : at + _AROUND]
    home = [behind[nth + 1] for nth, word in enumerate(behind[:-1]) if word == "--home"]
    yield from (word for word in (first, *words[at : at + 1], *home) if os.path.isabs(word))


def _of_servers(literals: list[str]) -> Iterator[str]:
    """The program of an MCP server of ours."""
    for at, literal in enumerate(literals):
        before = literals[max(at - _AROUND, 0) : at]
        programs = [nth for nth, word in enumerate(before) if os.path.isabs(word)] if literal == "mcp" else []
        if programs and any("tacit" in word for word in before[programs[-1] :]):
            yield before[programs[-1]]


def _literals(text: str) -> list[str]:
    return [string for literal in _LITERAL.findall(text) if (string := _string(literal))]


def _string(literal: str) -> str:
    with suppress(ValueError):
        return str(json.loads(literal))
    return ""


def _words(line: str) -> list[str]:
    with suppress(ValueError):
        return shlex.split(line)
    return []


# Every target by its name.

_SHELLS = (bash.BASH, zsh.ZSH, fish.FISH)
_AGENTS = (claude.TARGET, codex.TARGET, gemini.TARGET, cursor.TARGET, opencode.TARGET, copilot.TARGET)
TARGETS = {target.name: target for target in (*_SHELLS, *_AGENTS)}


def target(name: str, verb: str) -> Target:
    if name not in TARGETS:
        raise WrongUse(
            f"tacit {verb} knows no {name!r}", f"one of: {', '.join(f'tacit {verb} {one}' for one in TARGETS)}"
        )
    return TARGETS[name]


# tacit uninstall.


def run_uninstall(call: Call) -> int:
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


UNINSTALL = Command(
    name="uninstall",
    words="TARGET",
    help=(
        "Take out what tacit install put into a file of a shell or an agent. Every other byte stays as it is, and a\n"
        "file that was made for it goes. The home and all that was recorded stay."
    ),
    example="tacit uninstall zsh",
    run=run_uninstall,
    options=(Option("--yes", help="take it out without being asked"),),
)


# tacit install.

_FOR_AGENTS = ("--mcp", "--capture")


def run_install(call: Call) -> int:
    if call.flag("--uninstall"):
        return run_uninstall(call)
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
    if found.is_moved or not found.is_guarded:
        harm = "" if found.is_guarded else f", which may stop {one.name} once Tacit is removed"
        return f"installed by an earlier version{harm}: {again}"
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


INSTALL = Command(
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
    run=run_install,
    options=(
        Option("--mcp", help="also register the MCP server of Tacit with this agent"),
        Option("--capture", help="also turn on the recording of sessions: tacit autocapture on"),
        Option("--yes", help="change the files without being asked"),
        Option("--uninstall", help="take it out again: the same as tacit uninstall TARGET"),
    ),
)
