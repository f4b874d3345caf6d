"""From the words of a call to its exit code: find the verb, read the words, turn errors into advice."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from tacit.core.errors import StoreUnwell, TacitError, WrongUse
from tacit.surfaces.cli.commands import ALIASES, SUMMARIES, load

if TYPE_CHECKING:
    from tacit.surfaces.cli.command import Call


def run(arguments: list[str]) -> int:
    try:
        return _run(arguments)
    except TacitError as error:
        return _explain(error)
    except BrokenPipeError:
        raise
    except OSError as error:
        from tacit.disk.ops import link_refused

        if (refused := link_refused(error)) is not None:
            return _explain(refused)
        where = f"{error.filename}: " if error.filename else ""
        return _explain(StoreUnwell(f"{where}{error.strerror or error}", "tacit doctor"))


def _explain(error: TacitError) -> int:
    from tacit.core.text import show

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
    from tacit.surfaces.cli.help import overview

    print(overview())
    return 0


def _verb(name: str, arguments: list[str]) -> int:
    from tacit.surfaces.cli.command import read_call
    from tacit.surfaces.cli.who import must_be_allowed

    name = ALIASES.get(name, name)
    if name not in SUMMARIES:
        raise _no_such_command(name)
    command = load(name)
    stop = arguments.index("--") if "--" in arguments else len(arguments)
    if "--help" in arguments[:stop] or "-h" in arguments[:stop]:
        from tacit.surfaces.cli.help import for_command

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
    from tacit.surfaces.cli.background import RECORDING, encode_in_background

    if name in RECORDING:
        encode_in_background(call)


def _no_such_command(name: str) -> WrongUse:
    from difflib import get_close_matches

    near = get_close_matches(name, SUMMARIES, n=1)
    return WrongUse(f"no such command: {name!r}", f"did you mean tacit {near[0]}?" if near else "tacit --help")
