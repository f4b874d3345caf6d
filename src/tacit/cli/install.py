"""`tacit install` and `uninstall`: the shells and agents that Tacit can be installed in, and its state in each."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial

from tacit.cli.commands import Invocation, Option, command, command_to_type
from tacit.cli.output import confirm, echo, echo_lines, first_lines, fits_on_screen, short_path, terminal_width
from tacit.errors import RefusedError, TacitError, UsageError
from tacit.home.paths import find_home
from tacit.hosts.registration import AGENT_TARGETS, GUARD
from tacit.install import (
    FileChange,
    InstallContext,
    Target,
    apply_change,
    check_writable,
    content_hash,
    delete_receipts,
    read_receipts,
    write_receipts,
)
from tacit.install.entries import HOOK_SCRIPT_PATHS, has_our_hook
from tacit.record import Record
from tacit.shell.install import BASH, FISH, ZSH
from tacit.text.cells import clip_to_width
from tacit.text.display import printable

_SHELL_TARGETS = (BASH, ZSH, FISH)
TARGETS = {target.name: target for target in (*_SHELL_TARGETS, *AGENT_TARGETS.values())}
_STRING_LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_TESTED_PROGRAM = re.compile(r"^if (?:\[|test) -x (.+?)(?: \];.*)?$", re.MULTILINE)
_FOLDED_LINES = 8  # of a change, where all of them are too many for the screen
_MAX_LITERAL_DISTANCE = 6  # between the literals of one command: its program, the hook's file or the server, the home


def confirm_and_apply(
    call: Invocation, changes: Sequence[FileChange], first: Callable[[], None] = lambda: None
) -> bool:
    """Show changes to files, and make them if the person agrees: by --yes, or at the terminal.

    `first` runs before the first change. Return whether they were made; raise RefusedError if nobody can be asked.
    """
    needed = [change for change in changes if change.is_needed]
    for change in needed:
        check_writable(change)
    is_folded = echo_changes(needed)
    can_ask = call.flag("--yes") or sys.stdin.isatty()
    hint = "" if can_ask else f"{command_to_type(call)} --yes"  # only if it is shown: secrets are taken out of it
    refusal = RefusedError("nothing was changed: there is no terminal to ask on", hint)
    question = "Change this file?" if len(needed) == 1 else "Change these files?"
    if not call.agrees(question, refusal, show_all=partial(echo_changes, needed, in_full=True) if is_folded else None):
        return False
    first()
    for change in needed:
        apply_change(change)
    return True


def echo_changes(changes: Sequence[FileChange], *, in_full: bool = False) -> bool:
    """Show changes of files. Unless `in_full`, of each the first lines if all are more than fits on the screen.

    Return whether lines were left out.
    """
    diffs = [list(change.diff_lines()) for change in changes]
    is_folded = not in_full and not fits_on_screen(sum(map(len, diffs)))
    for path, *lines in diffs:
        echo(path)
        folded = (clip_to_width(line, terminal_width()) for line in first_lines(lines, _FOLDED_LINES, "  "))
        echo_lines(folded if is_folded else lines)
    return is_folded


def confirm_and_install(
    call: Invocation, place: InstallContext, planned: Mapping[Target, Sequence[FileChange]]
) -> bool:
    """As `confirm_and_apply`, for changes that put Tacit into targets. How they are undone is stored before."""

    def write_all_receipts() -> None:
        for target, changes in planned.items():
            store_receipts(place, target.name, changes)

    return confirm_and_apply(call, [change for changes in planned.values() for change in changes], write_all_receipts)


def store_receipts(place: InstallContext, name: str, changes: Sequence[FileChange]) -> None:
    """Store how the changes of a target are undone. Do it before they are made."""
    if receipts := [change.receipt for change in changes if change.receipt]:
        write_receipts(place.home, name, receipts)


def install_place(home: str | None = None, *, mcp: bool = False) -> InstallContext:
    """Return what the installed entries depend on: this program, its interpreter and the home.

    The home is always named, because `TACIT_HOME` and `HOME` may be different when an agent runs a hook.
    """
    environment = dict(os.environ)
    program = os.path.abspath(sys.argv[0])
    is_script = os.path.basename(program) == "tacit" and os.access(program, os.X_OK) and os.path.isfile(program)
    command = (program,) if is_script else (sys.executable, "-m", "tacit")
    root = find_home(home, environment).root
    return InstallContext(environment, command, sys.executable, root, is_home_explicit=True, mcp=mcp)


# The state of an installation


class InstallState(Record):
    """The state of Tacit in a shell or an agent.

    `missing` are files that it starts or works on and that do not exist. `doubt` is a setting of the host that turns
    it off. `problem` says why the state cannot be determined, and `hint` what to do. Without `is_guarded`, a host
    takes a missing program for a refusal. If `is_moved`, hooks name the path of an earlier version, which forwards to
    the current one. `old_skill` is the path of the skill if it is missing or another version's; a file that the person
    changed does not count.
    """

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
    old_skill: str = ""

    @property
    def is_stale(self) -> bool:
        """Whether it has to be installed again. Another working installation may be intended."""
        return not self.problem and (bool(self.missing) or not self.is_guarded or self.is_moved)


def install_state(target: Target, place: InstallContext) -> InstallState | None:
    """Return the state of an installation, None if Tacit is not installed there.

    A file that cannot be read is reported only if it was installed from this home.
    """
    try:
        removals = [change for change in _entry_changes(target.plan_removal(place)) if change.is_needed]
        if not removals:
            return None
        needed = [change for change in target.plan_install(place) if change.is_needed]
    except (TacitError, OSError) as error:
        path = next(iter(read_receipts(place.home, target.name)), "")
        hint = error.hint if isinstance(error, TacitError) else ""
        return InstallState(target.name, path, target.is_agent, problem=str(error), hint=hint) if path else None
    texts = [(change.before or b"").decode("utf-8", "surrogateescape") for change in removals]
    paths = sorted({path for text in texts for path in _named_paths(text)})
    return InstallState(
        target.name,
        removals[0].path,
        target.is_agent,
        is_current=not _entry_changes(needed),
        missing=tuple(path for path in paths if not os.path.exists(path)),
        doubt=target.warning(place),
        is_guarded=all(GUARD in words for text in texts for words, _ in _hook_commands(text) if len(words) > 1),
        is_moved=any(HOOK_SCRIPT_PATHS[1] in text for text in texts),
        old_skill=next((change.path for change in needed if change.is_auxiliary), ""),
    )


def _entry_changes(changes: Sequence[FileChange]) -> list[FileChange]:
    """Return the changes of files without which Tacit does not work."""
    return [change for change in changes if not change.is_auxiliary]


def _named_paths(text: str) -> Iterator[str]:
    """Yield the programs, files and homes that Tacit's entries or lines in a file name."""
    literals = _string_literals(text)
    for words, index in _hook_commands(text):
        if len(words) > 1:
            scripts = (at for at, word in enumerate(words) if word.endswith(HOOK_SCRIPT_PATHS))
            yield from _hook_paths(words, next(scripts, 0))
        else:
            yield from _hook_paths(literals, index)
    for index, literal in enumerate(literals):  # the programs of our MCP servers
        before = literals[max(index - _MAX_LITERAL_DISTANCE, 0) : index]
        programs = [at for at, word in enumerate(before) if os.path.isabs(word)] if literal == "mcp" else []
        if programs and any("tacit" in word for word in before[programs[-1] :]):
            yield before[programs[-1]]
    if "# >>> tacit install " in text:
        block = text.partition("# >>> tacit install ")[2].partition("# <<< tacit install ")[0]
        yield from (word for line in _TESTED_PROGRAM.findall(block) for word in _shell_words(line))


def _hook_commands(text: str) -> Iterator[tuple[list[str], int]]:
    """Yield the words of each literal that names the file of our hooks, and its index among the literals.

    A hook is one literal with the whole command, or a list of literals, each with one word.
    """
    for index, literal in enumerate(_string_literals(text)):
        if has_our_hook(literal):
            is_path = literal.endswith(HOOK_SCRIPT_PATHS) and os.path.isabs(literal)
            yield [literal] if is_path else _shell_words(literal), index


def _hook_paths(words: list[str], index: int) -> Iterator[str]:
    """Yield the interpreter, which is before its options and the file; the file, at `index`; and the home, if named."""
    before = words[max(index - _MAX_LITERAL_DISTANCE, 0) : index]
    interpreter = next((word for word in reversed(before) if not word.startswith("-")), "")
    after = words[index + 1 : index + _MAX_LITERAL_DISTANCE]
    homes = [after[at + 1] for at, word in enumerate(after[:-1]) if word == "--home"]
    yield from (path for path in (interpreter, *words[index : index + 1], *homes) if os.path.isabs(path))


def _string_literals(text: str) -> list[str]:
    literals = []
    for match in _STRING_LITERAL.findall(text):
        with suppress(ValueError):
            literals.append(str(json.loads(match)))
    return [literal for literal in literals if literal]


def _shell_words(line: str) -> list[str]:
    with suppress(ValueError):
        return shlex.split(line)
    return []


def find_target(name: str, command: str) -> Target:
    """Return a target by its name. Raise UsageError for an unknown one, with what to type after `tacit`."""
    if name not in TARGETS:
        names = ", ".join(f"tacit {command} {target}" for target in TARGETS)
        raise UsageError(f"tacit {command} knows no {name!r}", f"one of: {names}")
    return TARGETS[name]


@command("TARGET", "tacit uninstall zsh", Option("--yes", help="take it out without being asked"))
def run_uninstall(call: Invocation) -> None:
    """Take out what tacit install put into a file of a shell or an agent. Every other byte stays as it is, and a
    file that was made for it goes. The home and all that was recorded stay.
    """
    target, place = find_target(call.single_arg(), "uninstall"), install_place(call.value("--home"))
    changes = target.plan_removal(place)
    if not any(change.is_needed for change in changes):
        echo(f"Nothing of Tacit is in {' or '.join(printable(change.path) for change in changes)}")
        _echo_notes(changes)
        return
    if confirm_and_apply(call, changes):
        delete_receipts(place.home, target.name)
        running = "Sessions" if target.is_agent else "Shells"
        echo(f"Taken out. {running} that run already go on until they end; what was recorded stays.")
        receipts = [(change, change.receipt) for change in changes if change.is_needed and change.receipt]
        if any(content_hash(change.before) != receipt.after for change, receipt in receipts):
            echo("What you changed in those files since is as you left it.")
        _echo_notes(changes)


def _echo_notes(changes: Sequence[FileChange]) -> None:
    for change in changes:
        if change.note:
            echo(f"  {printable(change.note)}")


@command(
    "[TARGET]",
    "tacit install zsh",
    Option("--mcp", help="also register the MCP server of Tacit with this agent"),
    Option("--capture", help="also turn on the recording of sessions: tacit autocapture on"),
    Option("--yes", help="change the files without being asked"),
    Option("--uninstall", help="take it out again: the same as tacit uninstall TARGET"),
)
def run_install(call: Invocation) -> None:
    """Put Tacit into a shell or an agent. A shell (bash, zsh, fish) gets a few marked lines in the file that it
    reads when it starts; an agent (claude, codex, gemini, cursor, opencode, copilot) gets hooks in its
    settings, beside those of others, and all but cursor get a skill, which says when and how to propose what to
    remember. The change is shown first, and made only if you agree. Without a terminal it wants --yes. Without
    a target it lists them all, and which are installed; entries that start what is no longer there, or that an
    earlier version wrote, are repaired at once if you agree.
    """
    if call.flag("--uninstall"):
        run_uninstall.run(call)
        return
    if not call.args:
        _echo_targets(call)
        return
    target = find_target(call.single_arg(), "install")
    if not target.is_agent and (options := [name for name in ("--mcp", "--capture") if call.flag(name)]):
        raise UsageError(f"{options[0]} is for agents, and {target.name} is a shell", f"tacit install {target.name}")
    place = install_place(call.value("--home"), mcp=call.flag("--mcp"))
    changes = target.plan_install(place)
    if not any(change.is_needed for change in changes):
        paths = ", ".join(printable(change.path) for change in changes if change.after is not None)
        echo(f"It is there already: {paths}")
        _echo_notes(changes)
    elif confirm_and_install(call, place, {target: changes}):
        echo(f"Installed. {target.next_step}")
        if doubt := target.warning(place):
            echo(f"  {doubt}")
        _echo_notes(changes)
        echo(f"  take it out again: tacit uninstall {target.name}")
    else:
        return
    if target.is_agent:
        _offer_capture(call)


def _echo_targets(call: Invocation) -> None:
    """List all targets with their state, and offer to repair those that are stale."""
    place = install_place(call.value("--home"))
    for name, target in TARGETS.items():
        echo(f"  {name:10} {state_text(target, place)[0]}")
    echo("\nPut it into one: tacit install NAME   Take it out: tacit uninstall NAME")
    stale = [target for target in TARGETS.values() if (state := install_state(target, place)) and state.is_stale]
    if not stale:
        return
    if not call.vault.home.is_person or not (call.flag("--yes") or sys.stdin.isatty()):
        echo(f"Repair {', '.join(target.name for target in stale)} at once: tacit install --yes")
        return
    echo()
    if confirm_and_install(call, place, {target: target.plan_install(place) for target in stale}):
        echo("Repaired:")
        for target in stale:
            echo(f"  {target.name:10} {target.next_step}")
            if doubt := target.warning(place):
                echo(f"  {'':10} {doubt}")


def state_text(target: Target, place: InstallContext, absent: str = "-") -> tuple[str, bool]:
    """Return the state of Tacit in a target, `absent` if it is not there; and whether all is well."""
    try:
        if not any(change.is_needed for change in _entry_changes(target.plan_removal(place))):
            return absent, False
    except (TacitError, OSError) as error:
        return f"cannot be told: {printable(str(error))}", False
    state, again = install_state(target, place), f"tacit install {target.name}"
    if state is None or state.problem:
        return f"cannot be told: {printable(state.problem if state else '')}", False
    if state.missing:
        text = f"broken: {', '.join(map(short_path, state.missing))} is no longer there: {again}"
    elif state.is_moved or not state.is_guarded:
        harm = "" if state.is_guarded else f", which may stop {target.name} once Tacit is removed"
        text = f"installed by an earlier version{harm}: {again}"
    elif not state.is_current or state.old_skill:
        text = f"installed, and out of date: {again}"
    else:
        return f"installed. {printable(state.doubt)}" if state.doubt else "installed", True
    return text, False


def _offer_capture(call: Invocation) -> None:
    """Ask whether sessions are to be recorded: that is a decision of its own, and off by default."""
    if not call.flag("--capture"):
        if call.vault.configuration.setting("autocapture.enabled").value is True:
            return
        question = "Also record your sessions with agents, so that they can be recalled?"
        if not sys.stdin.isatty() or call.flag("--yes") or not confirm(question):
            echo("  sessions are not recorded; to do so: tacit autocapture on")
            return
    call.vault.configuration.autocapture(True)
    echo("Sessions are recorded from now on; stop it with: tacit autocapture off")
