"""What a command line executes: every command at command position, also behind `sudo`, `xargs`, `bash -c` and others.

Each wrapper adds a layer: `sudo env X=1 npm install` executes `sudo`, `env` and `npm`. What runs elsewhere (`ssh`,
`docker exec`) is no layer.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from tacit.commandline.bash import (
    MAX_DEPTH,
    ScanError,
    SimpleCommand,
    Word,
    changed_directory,
    program_name,
    scan_commands,
    scan_leading_commands,
)
from tacit.commandline.wrappers import RUN_PREFIXES, WRAPPERS, Wrapper

MAX_EXECUTIONS = 500  # of a line
_SHELLS = frozenset(("bash", "sh", "zsh", "dash", "ksh", "ash"))
_STRING_RUNNERS = frozenset(("su", "script", "runuser"))  # programs that run the value of -c
_EXEC_OPTIONS = {
    "find": frozenset(("-exec", "-execdir", "-ok", "-okdir")),
    "fd": frozenset(("-x", "-X", "--exec", "--exec-batch")),
    "fdfind": frozenset(("-x", "-X", "--exec", "--exec-batch")),
}


def executions(line: str) -> list[SimpleCommand]:
    """Return what a line executes, in order. Raise ScanError if the line is not understood."""
    found: list[SimpleCommand] = []
    for command in scan_commands(line):
        for execution in command_layers(command):
            found.append(execution)
            if len(found) > MAX_EXECUTIONS:
                raise ScanError
    return found


def leading_executions(line: str) -> list[SimpleCommand]:
    """Return what a line executes, up to where it is clipped or not understood."""
    layers = (execution for command in scan_leading_commands(line) for execution in command_layers(command))
    return list(islice(layers, MAX_EXECUTIONS))


def command_layers(command: SimpleCommand, depth: int = 0) -> Iterator[SimpleCommand]:
    """Yield a command without its assignments, then what it runs."""
    words = without_assignments(command.words)
    command = command._replace(words=words)
    if len(words) > 2 and words[1] == Word("-C") and command.program in ("git", "make"):
        command = command._replace(directory=changed_directory(command.directory, words[1:3]))
    yield command
    if not words or depth >= MAX_DEPTH:
        return
    outer = (*command.outer, words)
    for inner in _inner_commands(words):
        if isinstance(inner, str):
            try:
                commands = scan_commands(inner, command.directory, depth + 1)
            except ScanError:  # only what is in the string stays unknown
                continue
        else:
            commands = [command._replace(words=inner, outputs=(), heredoc="")]
        for inner_command in commands:
            yield from command_layers(inner_command._replace(outer=outer), depth + 1)


def without_assignments(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """Return a command without the assignments before it."""
    start = 0
    while start < len(words) and _is_assignment(words[start].text):
        start += 1
    return words[start:]


def _is_assignment(text: str) -> bool:
    name, equals, _ = text.partition("=")
    return bool(equals) and name.removesuffix("+").replace("_", "a").isalnum() and not name[0].isdigit()


def _inner_commands(words: tuple[Word, ...]) -> Iterator[tuple[Word, ...] | str]:
    """Yield what a command runs: words of a command, or a string that a shell reads."""
    program = program_name(words)
    if program in _SHELLS:
        yield _script_of_shell(words)
    elif program in _STRING_RUNNERS:
        yield from (words[at + 1].text for at, word in enumerate(words[:-1]) if word == Word("-c"))
    elif program == "eval":
        yield " ".join(word.text for word in words[1:])
    elif program == "watch":
        yield " ".join(word.text for word in _behind_options(words[1:], RUN_PREFIXES["watch"]))
    elif program in _EXEC_OPTIONS:
        yield from _exec_arguments(words, _EXEC_OPTIONS[program])
    elif program.startswith("python") and len(words) > 2 and Word("-m") in words[1:-1]:
        yield words[words.index(Word("-m")) + 1 :]
    elif program == "command" and len(words) > 1 and words[1].text in ("-v", "-V"):
        return
    elif program == "env" and len(words) > 2 and words[1].text in ("-S", "--split-string"):
        yield words[2].text
    elif wrapper := WRAPPERS.get(program) or RUN_PREFIXES.get(program):
        yield _behind_options(words[1:], wrapper)
    else:
        for count in (2, 3):
            if wrapper := RUN_PREFIXES.get(" ".join((program, *(word.text for word in words[1:count])))):
                yield _behind_options(words[count:], wrapper)


def _behind_options(words: tuple[Word, ...], wrapper: Wrapper) -> tuple[Word, ...]:
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


def _script_of_shell(words: tuple[Word, ...]) -> tuple[Word, ...] | str:
    """Return the value of -c, which may be the last letter of several (`bash -lc`), or the script and its words."""
    at = 1
    while at < len(words) and words[at].text[:1] in ("-", "+"):
        text = words[at].text
        is_short = not text.startswith("--")
        if is_short and text.endswith("c") and at + 1 < len(words):
            return words[at + 1].text
        at += 2 if (is_short and text[-1] in "oO") or text in ("--rcfile", "--init-file") else 1
    return words[at:]


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
