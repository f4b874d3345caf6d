"""The command line: from arguments to an exit code. Find the command, parse its arguments, run it, and print errors.

A run imports the module of one command; `tacit --help` imports none.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from tacit.cli.commands import ALIASES, SUMMARIES, Invocation, load_command, must_be_allowed, parse_args
from tacit.cli.output import red, warn
from tacit.errors import IndexDamagedError, StoreError, TacitError, UsageError

# Commands that record a sentence, or bring one back.
# They report conflicts of a merge themselves, or must print nothing below a prompt.
_CONFLICT_COMMANDS = frozenset(("doctor", "pick", "status", "sync"))


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command. Return its exit code: 0 done, 1 nothing found or refused, 2 usage error, 3 or more unwell."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(
            stream, "reconfigure"
        ):  # print what the terminal cannot show as escapes, instead of raising an error
            stream.reconfigure(errors="backslashreplace")
    try:
        return _flush_output(_run(list(sys.argv[1:] if argv is None else argv)))
    except BrokenPipeError:  # the reader has seen enough, as with `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except KeyboardInterrupt:
        sys.stderr.write("\n")
        return 130


def _flush_output(code: int) -> int:
    """Flush the output. If that fails, as on a full disk, say that the command itself was carried out."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        if code == 0:
            code = 3
            sys.stderr.write("tacit: this was done, but the answer could not be written: ")
        sys.stderr.write(f"{error.strerror}\n")
    return code


def _run(arguments: list[str]) -> int:
    """Run the command that the arguments name. Print errors, with what to type next. Return the exit code."""
    try:
        return _dispatch(arguments)
    except TacitError as error:
        return _print_error(error)
    except BrokenPipeError:
        raise
    except OSError as error:
        from tacit.disk.files import link_error

        if (refused := link_error(error)) is not None:
            return _print_error(refused)
        where = f"{error.filename}: " if error.filename else ""
        return _print_error(StoreError(f"{where}{error.strerror or error}", "tacit doctor"))


def _print_error(error: TacitError) -> int:
    from tacit.text.display import printable

    sys.stdout.flush()
    warn(f"{red('tacit:', sys.stderr)} {printable(error.message)}")
    if error.hint:
        warn(f"  → {printable(error.hint)}")
    return error.exit_code


def _dispatch(arguments: list[str]) -> int:
    home: list[str] = []
    if arguments and arguments[0].partition("=")[0] == "--home":  # it may also be before the command
        count = 1 if "=" in arguments[0] else 2
        home, arguments = arguments[:count], arguments[count:]
    if not arguments:
        from tacit.cli.status import run_overview

        call = parse_args(run_overview, home)
        try:
            return run_overview.run(call) or 0
        finally:
            call.close()
    if arguments[0] in ("--help", "-h", "help"):
        if arguments[1:] in ([], ["all"]):
            from tacit.cli.help import help_all, help_overview

            print(help_all() if arguments[1:] else help_overview())
            return 0
        return _run_command(arguments[1], ["--help"])
    if arguments[0] in ("--version", "-V"):
        from tacit import __version__

        print(f"tacit {__version__}")
        return 0
    return _run_command(arguments[0], home + arguments[1:])


def _run_command(name: str, arguments: list[str]) -> int:
    alias = name if name in ALIASES else ""
    name, *preset = ALIASES.get(name, (name,))
    if name not in SUMMARIES:
        from difflib import get_close_matches

        near = get_close_matches(name, [*SUMMARIES, *ALIASES], n=1)
        raise UsageError(f"no such command: {name!r}", f"did you mean tacit {near[0]}?" if near else "tacit --help")
    command = load_command(name)
    stop = arguments.index("--") if "--" in arguments else len(arguments)
    if "--help" in arguments[:stop] or "-h" in arguments[:stop]:
        from tacit.cli.help import command_help

        print(command_help(command, alias))
        return 0
    call = parse_args(command, [*preset, *arguments])
    must_be_allowed(call)
    call.check_args()
    code = 1
    try:
        try:
            code = command.run(call) or 0
        except IndexDamagedError:  # it was made again
            if call.vault.home.store.change_count:
                raise
            code = command.run(call) or 0
        if name not in _CONFLICT_COMMANDS:
            _warn_of_conflicts(call)
    except KeyboardInterrupt:
        if message := call.interrupted():
            warn(f"Interrupted. {message}")
        raise
    finally:  # also after Ctrl-C: what was decided until then is recorded
        if call.close():
            _follow_in_background(call.value("--home"))
    return code


def _warn_of_conflicts(call: Invocation) -> None:
    """Print a line for each fact file in which a merge left conflict markers, after a command that opened the home."""
    if not call.is_vault_open or not call.vault.home.may_have_conflict_markers():
        return
    from tacit.cli.output import conflict_hint
    from tacit.home.repository import conflicted_files

    for file in conflicted_files(call.vault.home.store):
        warn(conflict_hint(file.summary))


def _follow_in_background(home_root: str | None) -> None:
    """Draw the pages that wait, in a process of its own: nobody waits for it.

    A page is there a moment after the command has answered; if the process is killed before that, the next command
    draws it.

    A program that calls `main` and has threads waits: a fork would inherit locks that one of them holds, such as that
    of SQLite, and nobody would release them.
    """
    if (threading := sys.modules.get("threading")) and threading.active_count() > 1:
        follow(home_root)
        return
    sys.stdout.flush()
    sys.stderr.flush()
    if child := os.fork():
        os.waitpid(child, 0)  # which ends at once: a program that calls `main` gets no zombies
        return
    try:
        os.setsid()
        if os.fork():
            os._exit(0)
        null = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(null, stream)
        follow(home_root)
    finally:
        os._exit(0)


def follow(home_root: str | None) -> None:
    """Do what a command left to be done: follow the log."""
    from tacit.home.home import Home

    with Home(home_root) as home:
        home.store.follow()
