"""From arguments to an exit code: find the command, parse, run it, and turn errors into advice. Also the help texts."""

from __future__ import annotations

import os
import sys

from tacit.cli.command import Command, Invocation
from tacit.cli.commands import ALIASES, GROUPS, SUMMARIES, load_command
from tacit.cli.permissions import access_lines
from tacit.errors import StoreError, TacitError, UsageError

# Help texts. The reference in docs/ is made from the same functions.


def help_overview() -> str:
    """What `tacit --help` prints; loads no verb."""
    lines = [
        "tacit: a local-first memory for the shell and coding agents",
        "",
        "usage: tacit COMMAND [WORDS] [OPTIONS]",
    ]
    for title, commands in GROUPS.items():
        lines += ["", f"{title}:"]
        lines += [f"  {name:<12} {summary}" for name, summary in commands.items()]
    lines += ["", "tacit COMMAND --help tells more. Every command takes --home PATH; what reads takes --json."]
    return "\n".join(lines)


def command_help(command: Command) -> str:
    lines = [f"usage: {' '.join(filter(None, ('tacit', command.name, command.usage)))} [OPTIONS]", "", command.help]
    lines += ["", "options:"]
    for option in command.all_options:
        notes = [note for note in ("required" * option.required, "may be repeated" * option.repeatable) if note]
        trail = f" ({', '.join(notes)})" if notes else ""
        lines.append(f"  {option.name + ' ' + option.metavar:<22} {option.help}{trail}")
    lines += ["", "who may run it:", *(f"  {line}" for line in access_lines(command.name))]
    return "\n".join([*lines, "", "example:", f"  {command.example}"])


# From the words of a call to its exit code: find the verb, read the words, turn errors into advice.


def run(arguments: list[str]) -> int:
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
    print(f"tacit: {printable(error.message)}", file=sys.stderr)
    if error.hint:
        print(f"  → {printable(error.hint)}", file=sys.stderr)
    return error.exit_code


def _dispatch(arguments: list[str]) -> int:
    before: list[str] = []
    if arguments and arguments[0].partition("=")[0] == "--home":  # as good before the verb as behind it
        taken = 1 if "=" in arguments[0] else 2
        before, arguments = arguments[:taken], arguments[taken:]
    if not arguments or arguments[0] in ("--help", "-h", "help"):
        return _print_help(arguments[1:])
    if arguments[0] in ("--version", "-V"):
        from tacit.version import __version__

        print(f"tacit {__version__}")
        return 0
    return _run_command(arguments[0], before + arguments[1:])


def _print_help(names: list[str]) -> int:
    if names:
        return _run_command(names[0], ["--help"])

    print(help_overview())
    return 0


def _run_command(name: str, arguments: list[str]) -> int:
    from tacit.cli.command import parse_args
    from tacit.cli.permissions import must_be_allowed

    name = ALIASES.get(name, name)
    if name not in SUMMARIES:
        raise _no_such_command(name)
    command = load_command(name)
    stop = arguments.index("--") if "--" in arguments else len(arguments)
    if "--help" in arguments[:stop] or "-h" in arguments[:stop]:
        print(command_help(command))
        return 0
    call = parse_args(command, arguments)
    must_be_allowed(call)
    try:
        code = command.run(call)
        if code == 0:
            _after_command(name, call)
        return code
    finally:
        call.close()


def _after_command(name: str, call: Invocation) -> None:

    if name in RECORDING_COMMANDS:
        encode_in_background(call)


def _no_such_command(name: str) -> UsageError:
    from difflib import get_close_matches

    near = get_close_matches(name, SUMMARIES, n=1)
    return UsageError(f"no such command: {name!r}", f"did you mean tacit {near[0]}?" if near else "tacit --help")


# Work that starts after a command has answered, so that nobody waits for it.

# Verbs that record a sentence, or bring one back.
RECORDING_COMMANDS = frozenset(
    ("accept", "add", "edit", "note", "promote", "redo", "remember", "restore", "suggest", "undo")
)
_ENCODE_SECONDS = 20.0


def encode_in_background(call: Invocation) -> None:
    """Make vectors for what was just recorded, in a process of its own that ends by itself.

    Does nothing without the extra `meaning`. Importing numpy and encoding a sentence takes a few tenths of a second,
    too long to wait for after `tacit add`; without it, what was added could be found by its words alone until the next
    `tacit improve` or `tacit reindex`.
    """
    from tacit.home.home import Home
    from tacit.vault.embeddings import Embeddings

    if not Embeddings.can_encode():
        return
    call.close()  # neither a connection to the index nor a lock may be held by two processes
    sys.stdout.flush()
    sys.stderr.flush()
    if os.fork():
        return
    try:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nothing, stream)
        with Home(call.value("--home")) as home:
            Embeddings(home).encode(_ENCODE_SECONDS)
    finally:
        os._exit(0)
