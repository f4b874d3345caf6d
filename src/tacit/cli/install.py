"""`tacit install` and `uninstall`: every shell and agent that Tacit can be put into, and the state it is in there."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

from tacit.cli.command import Command, Invocation, Option
from tacit.cli.output import echo, short_path
from tacit.cli.terminal import confirm
from tacit.errors import RefusedError, TacitError, UsageError
from tacit.home.paths import find_home
from tacit.hosts.claude import install as claude
from tacit.hosts.codex import install as codex
from tacit.hosts.copilot import install as copilot
from tacit.hosts.cursor import install as cursor
from tacit.hosts.gemini import install as gemini
from tacit.hosts.opencode import install as opencode
from tacit.hosts.registration import GUARD
from tacit.install.change import (
    FileChange,
    apply_change,
    check_writable,
    content_hash,
    delete_receipts,
    read_receipts,
    write_receipts,
)
from tacit.install.json_entries import HOOK_SCRIPT_PATHS, has_our_hook
from tacit.install.target import InstallContext, Target
from tacit.record import Record
from tacit.shell import install as bash
from tacit.shell import install as fish
from tacit.shell import install as zsh
from tacit.text.display import printable

# Changing files of somebody else's: show it, ask for it, do it.


def confirm_and_apply(
    call: Invocation, changes: Sequence[FileChange], first: Callable[[], None] = lambda: None
) -> bool:
    """Make the changes if the person wants them: they said so already, or they are asked at the terminal.

    `first` is done before the first one.
    """
    needed = [change for change in changes if change.is_needed]
    for change in needed:
        check_writable(change)
    for line in (line for change in needed for line in change.diff_lines()):
        echo(line)
    if not _confirm_changes(call, "Change this file?" if len(needed) == 1 else "Change these files?"):
        return False
    first()
    for change in needed:
        apply_change(change)
    return True


def _confirm_changes(call: Invocation, question: str) -> bool:
    if call.flag("--yes"):
        return True
    if not sys.stdin.isatty():
        raise RefusedError(
            "nothing was changed: there is no terminal to ask on",
            f"tacit {call.command.name} {_typed_args(call)} --yes",
        )
    if not confirm(question):
        echo("Nothing was changed.")
        return False
    return True


def _typed_args(call: Invocation) -> str:
    """The words and flags that were given."""
    return " ".join([*call.args, *(name for name, values in call.values.items() if values == [""])])


def install_place(home: str | None = None, *, mcp: bool = False) -> InstallContext:
    """What is installed names its home: `TACIT_HOME` and `HOME` may be others when an agent starts it."""
    environment = dict(os.environ)
    return InstallContext(
        environment,
        _program_command(),
        sys.executable,
        find_home(home, environment).root,
        is_home_explicit=True,
        mcp=mcp,
    )


def _program_command() -> tuple[str, ...]:
    """This very program, by a path that holds in any folder."""
    started = os.path.abspath(sys.argv[0])
    if os.path.basename(started) == "tacit" and os.access(started, os.X_OK) and os.path.isfile(started):
        return (started,)
    return (sys.executable, "-m", "tacit")


# In which condition Tacit is in a shell or an agent: up to date, started from a place that is gone, without the guard
# that keeps a missing program from stopping the host, or turned off.

_STRING_LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_TESTED_PROGRAM = re.compile(r"^if (?:\[|test) -x (.+?)(?: \];.*)?$", re.MULTILINE)
_MAX_LITERAL_DISTANCE = (
    6  # literals before and behind the file of a hook, or the verb of a server, that belong to the same command
)


class InstallState(Record):
    """A target that has Tacit in it. `gone` are files that it starts or works on and that are no longer there;
    `problem` says why nothing else can be told. Without `is_guarded`, a host takes a missing program for a refusal.
    `is_moved` hooks name the path of an earlier version, which forwards to the one of today."""

    name: str
    path: str
    is_agent: bool
    is_current: bool = True
    missing: tuple[str, ...] = ()
    doubt: str = ""
    problem: str = ""
    hint: str = ""
    is_guarded: bool = True
    is_moved: bool = False

    @property
    def is_stale(self) -> bool:
        """Whether it has to be installed again. Another installation that is there may be meant."""
        return not self.problem and (bool(self.missing) or not self.is_guarded or self.is_moved)


def install_state(target: Target, place: InstallContext) -> InstallState | None:
    """Nothing where Tacit is not installed. What cannot be read is told only where it was put in from this home."""
    try:
        ours = [change for change in target.plan_removal(place) if change.is_needed]
        if not ours:
            return None
        is_current = not any(change.is_needed for change in target.plan_install(place))
    except (TacitError, OSError) as error:
        return _unreadable_state(target, place, error)
    texts = [(change.before or b"").decode("utf-8", "surrogateescape") for change in ours]
    named = sorted({word for text in texts for word in _named_paths(text)})
    return InstallState(
        target.name,
        ours[0].path,
        target.is_agent,
        is_current,
        missing=tuple(word for word in named if not os.path.exists(word)),
        doubt=target.warning(place),
        is_guarded=all(GUARD in words for text in texts for words, _ in _hook_commands(text) if len(words) > 1),
        is_moved=any(HOOK_SCRIPT_PATHS[1] in text for text in texts),
    )


def _unreadable_state(target: Target, place: InstallContext, error: TacitError | OSError) -> InstallState | None:
    path = next(iter(read_receipts(place.home, target.name)), "")
    hint = error.hint if isinstance(error, TacitError) else ""
    return InstallState(target.name, path, target.is_agent, problem=str(error), hint=hint) if path else None


def _named_paths(text: str) -> Iterator[str]:
    """The programs, files and homes that our entries or lines name."""
    literals = _string_literals(text)
    for words, at in _hook_commands(text):
        command = (words, _hook_file_index(words)) if len(words) > 1 else (literals, at)
        yield from _hook_paths(*command)
    yield from _server_programs(literals)
    if "# >>> tacit install " in text:
        block = text.partition("# >>> tacit install ")[2].partition("# <<< tacit install ")[0]
        yield from (word for line in _TESTED_PROGRAM.findall(block) for word in _shell_words(line))


def _hook_commands(text: str) -> Iterator[tuple[list[str], int]]:
    """The words of each literal that names the file of our hooks, and where it is among the literals.

    A hook is one literal with a whole command, or a list of literals, each a word of it.
    """
    for at, literal in enumerate(_string_literals(text)):
        if has_our_hook(literal):
            yield (
                (
                    [literal]
                    if literal.endswith(HOOK_SCRIPT_PATHS) and os.path.isabs(literal)
                    else _shell_words(literal)
                ),
                at,
            )


def _hook_file_index(words: list[str]) -> int:
    return next((at for at, word in enumerate(words) if word.endswith(HOOK_SCRIPT_PATHS)), 0)


def _hook_paths(words: list[str], at: int) -> Iterator[str]:
    """The interpreter, which stands before its options and the file; the file; and the home, if one is named."""
    first = next(
        (word for word in reversed(words[max(at - _MAX_LITERAL_DISTANCE, 0) : at]) if not word.startswith("-")), ""
    )
    behind = words[at + 1 : at + _MAX_LITERAL_DISTANCE]
    home = [behind[nth + 1] for nth, word in enumerate(behind[:-1]) if word == "--home"]
    yield from (word for word in (first, *words[at : at + 1], *home) if os.path.isabs(word))


def _server_programs(literals: list[str]) -> Iterator[str]:
    """The program of an MCP server of ours."""
    for at, literal in enumerate(literals):
        before = literals[max(at - _MAX_LITERAL_DISTANCE, 0) : at]
        programs = [nth for nth, word in enumerate(before) if os.path.isabs(word)] if literal == "mcp" else []
        if programs and any("tacit" in word for word in before[programs[-1] :]):
            yield before[programs[-1]]


def _string_literals(text: str) -> list[str]:
    return [string for literal in _STRING_LITERAL.findall(text) if (string := _decode_literal(literal))]


def _decode_literal(literal: str) -> str:
    with suppress(ValueError):
        return str(json.loads(literal))
    return ""


def _shell_words(line: str) -> list[str]:
    with suppress(ValueError):
        return shlex.split(line)
    return []


# Every target by its name.

_SHELL_TARGETS = (bash.BASH, zsh.ZSH, fish.FISH)
_AGENT_TARGETS = (claude.TARGET, codex.TARGET, gemini.TARGET, cursor.TARGET, opencode.TARGET, copilot.TARGET)
TARGETS = {target.name: target for target in (*_SHELL_TARGETS, *_AGENT_TARGETS)}


def find_target(name: str, verb: str) -> Target:
    if name not in TARGETS:
        raise UsageError(
            f"tacit {verb} knows no {name!r}", f"one of: {', '.join(f'tacit {verb} {one}' for one in TARGETS)}"
        )
    return TARGETS[name]


# tacit uninstall.


def run_uninstall(call: Invocation) -> int:
    chosen, place = find_target(call.single_arg(), "uninstall"), install_place(call.value("--home"))
    changes = chosen.plan_removal(place)
    if not any(change.is_needed for change in changes):
        echo(f"Nothing of Tacit is in {' or '.join(printable(change.path) for change in changes)}")
        return 0
    if confirm_and_apply(call, changes):
        delete_receipts(place.home, chosen.name)
        running = "Sessions" if chosen.is_agent else "Shells"
        echo(f"Taken out. {running} that run already go on until they end; what was recorded stays.")
        if any(_is_changed_since(change) for change in changes):
            echo("What you changed in those files since is as you left it.")
    return 0


def _is_changed_since(change: FileChange) -> bool:
    return change.is_needed and change.receipt is not None and content_hash(change.before) != change.receipt.after


UNINSTALL = Command(
    name="uninstall",
    usage="TARGET",
    help=(
        "Take out what tacit install put into a file of a shell or an agent. Every other byte stays as it is, and a\n"
        "file that was made for it goes. The home and all that was recorded stay."
    ),
    example="tacit uninstall zsh",
    run=run_uninstall,
    options=(Option("--yes", help="take it out without being asked"),),
)


# tacit install.

_AGENT_OPTIONS = ("--mcp", "--capture")


def run_install(call: Invocation) -> int:
    if call.flag("--uninstall"):
        return run_uninstall(call)
    if not call.args:
        _echo_targets(call)
        return 0
    chosen = find_target(call.single_arg(), "install")
    if not chosen.is_agent and (given := [name for name in _AGENT_OPTIONS if call.flag(name)]):
        raise UsageError(f"{given[0]} is for agents, and {chosen.name} is a shell", f"tacit install {chosen.name}")
    if _install_target(call, chosen) and chosen.is_agent:
        _offer_capture(call)
    return 0


def _install_target(call: Invocation, chosen: Target) -> bool:
    """Whether it is there afterwards."""
    place = install_place(call.value("--home"), mcp=call.flag("--mcp"))
    changes = chosen.plan_install(place)
    receipts = [change.receipt for change in changes if change.receipt]
    if not any(change.is_needed for change in changes):
        echo(
            "It is there already: "
            + ", ".join(printable(change.path) for change in changes if change.after is not None)
        )
    elif not confirm_and_apply(
        call, changes, lambda: write_receipts(place.home, chosen.name, receipts) if receipts else None
    ):
        return False
    else:
        echo(f"Installed. {chosen.next_step}")
        if doubt := chosen.warning(place):
            echo(f"  {doubt}")
        echo(f"  take it out again: tacit uninstall {chosen.name}")
    return True


def _echo_targets(call: Invocation) -> None:
    """List what Tacit is in, and offer to repair what is stale."""
    place = install_place(call.value("--home"))
    for name, one in TARGETS.items():
        echo(f"  {name:10} {_state_text(one, place)}")
    echo("\nPut it into one: tacit install NAME   Take it out: tacit uninstall NAME")
    stale = [one for one in TARGETS.values() if (found := install_state(one, place)) and found.is_stale]
    if not stale:
        return
    if call.vault.home.is_person and (call.flag("--yes") or sys.stdin.isatty()):
        _repair(call, stale, place)
    else:
        echo(f"Repair {', '.join(one.name for one in stale)} at once: tacit install --yes")


def _state_text(one: Target, place: InstallContext) -> str:
    try:
        if not any(change.is_needed for change in one.plan_removal(place)):
            return "-"
    except (TacitError, OSError) as error:
        return f"cannot be told: {printable(str(error))}"
    found, again = install_state(one, place), f"tacit install {one.name}"
    if found is None or found.problem:
        return f"cannot be told: {printable(found.problem if found else '')}"
    if found.missing:
        return f"broken: {', '.join(map(short_path, found.missing))} is no longer there: {again}"
    if found.is_moved or not found.is_guarded:
        harm = "" if found.is_guarded else f", which may stop {one.name} once Tacit is removed"
        return f"installed by an earlier version{harm}: {again}"
    return "installed" if found.is_current else f"installed, and out of date: {again}"


def _repair(call: Invocation, stale: Sequence[Target], place: InstallContext) -> None:
    """Install again where it is stale, all in one go: shown first, and asked for once."""
    changes = {one: one.plan_install(place) for one in stale}

    def keep_receipts() -> None:
        for one, made in changes.items():
            if receipts := [change.receipt for change in made if change.receipt]:
                write_receipts(place.home, one.name, receipts)

    echo("")
    if confirm_and_apply(call, [change for made in changes.values() for change in made], keep_receipts):
        echo("Repaired:")
        for one in stale:
            echo(f"  {one.name:10} {one.next_step}")


# Recording sessions is a matter of its own, and nobody's default.


def _offer_capture(call: Invocation) -> None:
    if call.flag("--capture"):
        _enable_capture(call)
    elif not _is_capture_on(call):
        question = "Also record your sessions with agents, so that they can be recalled?"
        if sys.stdin.isatty() and not call.flag("--yes") and confirm(question):
            _enable_capture(call)
        else:
            echo("  sessions are not recorded; to do so: tacit autocapture on")


def _enable_capture(call: Invocation) -> None:
    call.vault.configuration.autocapture(True)
    echo("Sessions are recorded from now on; stop it with: tacit autocapture off")


def _is_capture_on(call: Invocation) -> bool:
    return call.vault.configuration.setting("autocapture.enabled").value is True


INSTALL = Command(
    name="install",
    usage="[TARGET]",
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
