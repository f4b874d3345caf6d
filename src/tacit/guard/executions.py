"""What a command line executes: every command at command position, also behind `sudo`, `xargs`, `bash -c` and others.

Each wrapper adds a layer: `sudo env X=1 npm install` executes `sudo`, `env` and `npm`. What runs elsewhere (`ssh`,
`docker exec`) is no layer.
"""

from __future__ import annotations

from collections.abc import Iterator

from tacit.guard.scan import MAX_DEPTH, ScanError, SimpleCommand, Word, scan_commands
from tacit.record import Record

MAX_EXECUTIONS = 500  # of a line


class Execution(Record):
    """One command with the layers around it, outermost first. Assignments before it are left out."""

    words: tuple[Word, ...]
    outputs: tuple[Word, ...] = ()
    directory: str | None = ""
    outer: tuple[tuple[Word, ...], ...] = ()

    @property
    def program(self) -> str:
        """The name of the program without its folder; "" if it is not known."""
        return _program_name(self.words)


class _Wrapper(Record):
    """How a wrapper's own words are skipped: options that take a value, and the number of words before the command."""

    value_options: frozenset[str] = frozenset()
    positionals: int = 0


def _wrapper(options: str = "", positionals: int = 0) -> _Wrapper:
    return _Wrapper(frozenset(options.split()), positionals)


_WRAPPERS = {
    "sudo": _wrapper("-u -g -p -C -h -r -t -D -R -T -U --user --group --prompt --host --chdir --chroot"),
    "doas": _wrapper("-u -C"),
    "env": _wrapper("-u -C --unset --chdir"),
    "time": _wrapper("-f -o --format --output"),
    "nohup": _wrapper(),
    "setsid": _wrapper(),
    "nice": _wrapper("-n --adjustment"),
    "ionice": _wrapper("-c -n -p --class --classdata"),
    "stdbuf": _wrapper("-i -o -e --input --output --error"),
    "timeout": _wrapper("-k -s --kill-after --signal", 1),
    "gtimeout": _wrapper("-k -s --kill-after --signal", 1),
    "flock": _wrapper("-w -E --timeout", 1),
    "command": _wrapper(),
    "builtin": _wrapper(),
    "exec": _wrapper("-a"),
    "chronic": _wrapper(),
    "unbuffer": _wrapper(),
    "caffeinate": _wrapper("-t -w"),
    "xargs": _wrapper("-n -P -I -L -d -a -E -s --max-args --max-procs --replace --max-lines --delimiter --arg-file"),
    "parallel": _wrapper("-j -n -N -I -a --jobs --max-args --colsep --joblog --delay --timeout"),
    "entr": _wrapper(),
    "npx": _wrapper("-p --package"),
    "bunx": _wrapper(),
    "uvx": _wrapper("--from --with -p --python"),
    "pipx run": _wrapper("--spec"),
    "uv run": _wrapper("--with --python -p --extra --group --project --directory --env-file --package"),
    "poetry run": _wrapper(),
    "pipenv run": _wrapper(),
    "pdm run": _wrapper(),
    "rye run": _wrapper(),
    "hatch run": _wrapper(),
    "bundle exec": _wrapper(),
    "mise exec": _wrapper(),
    "mise x": _wrapper(),
    "direnv exec": _wrapper(positionals=1),
    "pnpm exec": _wrapper(),
    "pnpm dlx": _wrapper(),
    "yarn dlx": _wrapper(),
    "npm exec": _wrapper("-p --package"),
}
_SHELLS = frozenset(("bash", "sh", "zsh", "dash", "ksh", "ash"))
_STRING_RUNNERS = frozenset(("su", "script", "runuser"))  # programs that run the value of -c
_EXEC_OPTIONS = {
    "find": frozenset(("-exec", "-execdir", "-ok", "-okdir")),
    "fd": frozenset(("-x", "-X", "--exec", "--exec-batch")),
    "fdfind": frozenset(("-x", "-X", "--exec", "--exec-batch")),
}


def executions(line: str) -> list[Execution]:
    """Return what a line executes, in order. Raise ScanError if the line is not understood."""
    found: list[Execution] = []
    for command in scan_commands(line):
        for execution in _layers(command, (), 0):
            found.append(execution)
            if len(found) > MAX_EXECUTIONS:
                raise ScanError
    return found


def _layers(command: SimpleCommand, outer: tuple[tuple[Word, ...], ...], depth: int) -> Iterator[Execution]:
    """Yield a command, then what it runs."""
    words = without_assignments(command.words)
    yield Execution(words, command.outputs, command.directory, outer)
    if not words or depth >= MAX_DEPTH:
        return
    around = (*outer, words)
    for inner in _inner_commands(words):
        if isinstance(inner, str):
            try:
                commands = scan_commands(inner, command.directory, depth + 1)
            except ScanError:  # only what is in the string stays unknown
                continue
        else:
            commands = [SimpleCommand(inner, (), command.directory)]
        for inner_command in commands:
            yield from _layers(inner_command, around, depth + 1)


def without_assignments(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """Return a command without the assignments before it."""
    start = 0
    while start < len(words) and _is_assignment(words[start].text):
        start += 1
    return words[start:]


def _is_assignment(text: str) -> bool:
    name, equals, _ = text.partition("=")
    return bool(equals) and name.removesuffix("+").replace("_", "a").isalnum() and not name[0].isdigit()


def _program_name(words: tuple[Word, ...]) -> str:
    return words[0].text.rpartition("/")[2] if words and words[0].is_literal else ""


def _inner_commands(words: tuple[Word, ...]) -> Iterator[tuple[Word, ...] | str]:
    """Yield what a command runs: words of a command, or a string that a shell reads."""
    program = _program_name(words)
    pair = f"{program} {words[1].text}" if len(words) > 1 else ""
    if program in _SHELLS or program in _STRING_RUNNERS:
        yield from _string_of_option(words)
    elif program == "eval":
        yield " ".join(word.text for word in words[1:])
    elif program == "watch":
        yield " ".join(word.text for word in _behind_options(words[1:], _wrapper("-n --interval")))
    elif program in _EXEC_OPTIONS:
        yield from _exec_arguments(words, _EXEC_OPTIONS[program])
    elif program.startswith("python") and len(words) > 2 and Word("-m") in words[1:-1]:
        yield words[words.index(Word("-m")) + 1 :]
    elif program == "command" and len(words) > 1 and words[1].text in ("-v", "-V"):
        return
    elif program == "env" and len(words) > 2 and words[1].text in ("-S", "--split-string"):
        yield words[2].text
    elif program in _WRAPPERS:
        yield _behind_options(words[1:], _WRAPPERS[program])
    elif pair in _WRAPPERS:
        yield _behind_options(words[2:], _WRAPPERS[pair])


def _behind_options(words: tuple[Word, ...], wrapper: _Wrapper) -> tuple[Word, ...]:
    """Return the words behind a wrapper's options, positional words and assignments."""
    at, positionals = 0, wrapper.positionals
    while at < len(words):
        text = words[at].text
        if text == "--":
            at += 1
            return words[at + positionals :]
        if text.startswith("-"):
            at += 2 if text in wrapper.value_options else 1
        elif _is_assignment(text):
            at += 1
        elif positionals:
            positionals -= 1
            at += 1
        else:
            break
    return words[at:]


def _string_of_option(words: tuple[Word, ...]) -> Iterator[str]:
    """Yield the value of -c, which may be the last letter of several: `bash -lc`."""
    for at, word in enumerate(words[1:-1], 1):
        if word.text.startswith("-") and not word.text.startswith("--") and word.text.endswith("c"):
            yield words[at + 1].text
            return


def _exec_arguments(words: tuple[Word, ...], options: frozenset[str]) -> Iterator[tuple[Word, ...]]:
    at = 0
    while at < len(words):
        if words[at].text in options:
            end = at + 1
            while end < len(words) and words[end].text not in (";", "+"):
                end += 1
            yield words[at + 1 : end]
            at = end
        at += 1
