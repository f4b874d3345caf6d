"""From arguments to an exit code: find the command, parse, run it, and turn errors into advice. Also the help texts."""

from __future__ import annotations

import os
import sys

from tacit.cli.command import Call, Command
from tacit.cli.commands import ALIASES, GROUPS, SUMMARIES, load
from tacit.cli.permissions import told_of
from tacit.errors import StoreUnwell, TacitError, WrongUse

# Help texts. The reference in docs/ is made from the same functions.


def overview() -> str:
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


def for_command(command: Command) -> str:
    lines = [f"usage: {' '.join(filter(None, ('tacit', command.name, command.words)))} [OPTIONS]", "", command.help]
    lines += ["", "options:"]
    for option in command.all_options:
        notes = [note for note in ("required" * option.required, "may be repeated" * option.many) if note]
        trail = f" ({', '.join(notes)})" if notes else ""
        lines.append(f"  {option.name + ' ' + option.value:<22} {option.help}{trail}")
    lines += ["", "who may run it:", *(f"  {line}" for line in told_of(command.name))]
    return "\n".join([*lines, "", "example:", f"  {command.example}"])


# From the words of a call to its exit code: find the verb, read the words, turn errors into advice.


def run(arguments: list[str]) -> int:
    try:
        return _run(arguments)
    except TacitError as error:
        return _explain(error)
    except BrokenPipeError:
        raise
    except OSError as error:
        from tacit.disk.files import link_refused

        if (refused := link_refused(error)) is not None:
            return _explain(refused)
        where = f"{error.filename}: " if error.filename else ""
        return _explain(StoreUnwell(f"{where}{error.strerror or error}", "tacit doctor"))


def _explain(error: TacitError) -> int:
    from tacit.text.display import show

    sys.stdout.flush()
    print(f"tacit: {show(error.message)}", file=sys.stderr)
    if error.hint:
        print(f"  → {show(error.hint)}", file=sys.stderr)
    return error.exit_code


def _run(arguments: list[str]) -> int:
    before: list[str] = []
    if arguments and arguments[0].partition("=")[0] == "--home":  # as good before the verb as behind it
        taken = 1 if "=" in arguments[0] else 2
        before, arguments = arguments[:taken], arguments[taken:]
    if not arguments or arguments[0] in ("--help", "-h", "help"):
        return _help(arguments[1:])
    if arguments[0] in ("--version", "-V"):
        from tacit.version import __version__

        print(f"tacit {__version__}")
        return 0
    return _verb(arguments[0], before + arguments[1:])


def _help(names: list[str]) -> int:
    if names:
        return _verb(names[0], ["--help"])

    print(overview())
    return 0


def _verb(name: str, arguments: list[str]) -> int:
    from tacit.cli.command import read_call
    from tacit.cli.permissions import must_be_allowed

    name = ALIASES.get(name, name)
    if name not in SUMMARIES:
        raise _no_such_command(name)
    command = load(name)
    stop = arguments.index("--") if "--" in arguments else len(arguments)
    if "--help" in arguments[:stop] or "-h" in arguments[:stop]:
        print(for_command(command))
        return 0
    call = read_call(command, arguments)
    must_be_allowed(call)
    try:
        code = command.run(call)
        if code == 0:
            _afterwards(name, call)
        return code
    finally:
        call.close()


def _afterwards(name: str, call: Call) -> None:

    if name in RECORDING:
        encode_in_background(call)


def _no_such_command(name: str) -> WrongUse:
    from difflib import get_close_matches

    near = get_close_matches(name, SUMMARIES, n=1)
    return WrongUse(f"no such command: {name!r}", f"did you mean tacit {near[0]}?" if near else "tacit --help")


# Work that starts after a command has answered, so that nobody waits for it.

# Verbs that record a sentence, or bring one back.
RECORDING = frozenset(("accept", "add", "edit", "note", "promote", "redo", "remember", "restore", "suggest", "undo"))
_SECONDS = 20.0


def encode_in_background(call: Call) -> None:
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
            Embeddings(home).encode(_SECONDS)
    finally:
        os._exit(0)
