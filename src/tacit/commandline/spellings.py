"""From a command as a person states it to patterns of all the ways to write it.

`npm install` is also `npm i`, `pnpm lint` is `pnpm run lint`, `docker compose up` is `docker-compose up`, and `-f` is
`--force` where the program says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from tacit.commandline.bash import ScanError, scan_commands
from tacit.commandline.names import TaskRunner, program_tables
from tacit.commandline.patterns import CommandPattern, ForbidsCommand, split_flags
from tacit.commandline.wrappers import RUN_PREFIXES, WRAPPERS

# Short flags that mean the same as a long one, by program or by program and word
_LONG_FLAGS = {
    "rm": {"-r": "--recursive", "-R": "--recursive", "-f": "--force"},
    "cp": {"-r": "--recursive", "-R": "--recursive", "-f": "--force"},
    "git push": {"-f": "--force", "-d": "--delete", "-n": "--dry-run"},
    "git commit": {"-n": "--no-verify", "-a": "--all"},
    "git add": {"-A": "--all", "-f": "--force"},
    "git clean": {"-f": "--force"},
    "git checkout": {"-f": "--force"},
    "git branch": {"-d": "--delete", "-f": "--force"},
    "npm": {"-g": "--global"},
    "pnpm": {"-g": "--global"},
    "docker": {"-f": "--force"},
    "kubectl": {"-f": "--filename"},
}


def parse_patterns(text: str) -> tuple[CommandPattern, ...]:
    """Return patterns for each way to write a command; () if the text is not one plain command."""
    try:
        commands = scan_commands(text)
    except ScanError:
        return ()
    if len(commands) != 1 or commands[0].outputs or not all(word.is_literal for word in commands[0].words):
        return ()
    program, *arguments = [word.text for word in commands[0].words] or [""]
    program = program.rpartition("/")[2]
    if not program or program.startswith("-") or "=" in program:
        return ()
    words = [program, *(word for word in arguments if not word.startswith("-"))]
    flags = [word for word in arguments if word.startswith("-")]
    return tuple(_pattern(spelling, flags, text) for spelling in dict.fromkeys(_spellings(tuple(words))))


def forbids(forbidden: tuple[CommandPattern, ...], instead: tuple[CommandPattern, ...]) -> ForbidsCommand:
    """Return the expectation that one command is run in place of another.

    If they are two spellings of one command (`docker-compose` and `docker compose`), only those count that are stated.
    """
    if {_key(pattern) for pattern in forbidden} & {_key(pattern) for pattern in instead}:
        forbidden, instead = _as_stated(forbidden), _as_stated(instead)
    return ForbidsCommand(forbidden, instead)


def _key(pattern: CommandPattern) -> tuple[object, ...]:
    return pattern.program, pattern.words, pattern.required


def _as_stated(patterns: tuple[CommandPattern, ...]) -> tuple[CommandPattern, ...]:
    stated: dict[str, CommandPattern] = {}
    for pattern in patterns:
        stated.setdefault(pattern.text, pattern)  # the first is as stated
    return tuple(stated.values())


@cache
def known_programs() -> frozenset[str]:
    """Return the names of all programs of the tables."""
    tables = program_tables()
    by_kind = (tables.package_managers, tables.subcommands, tables.task_runners, tables.interpreters)
    more = (tables.aliases, tables.ssh, tables.no_subcommands, tables.python_modules, tables.shells)
    names = {name for table in (*by_kind, *more, WRAPPERS, RUN_PREFIXES, ("pip",)) for name in table}
    return frozenset(name for name in names if " " not in name) - {"and", "or", "not", "!"}


def _spellings(words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield the program and words of a command, as stated and in other ways."""
    yield words
    tables = program_tables()
    full = (*tables.aliases[words[0]].split(), *words[1:]) if words[0] in tables.aliases else words
    for variant in (full, *_script_spellings(full)):
        yield variant
        for alias, name in tables.aliases.items():
            names = tuple(name.split())
            if variant[: len(names)] == names:
                yield (alias, *variant[len(names) :])


def _script_spellings(words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield the script of a package with `run` or without it: `npm run test` is `npm test`."""
    tables = program_tables()
    manager = tables.package_managers.get(words[0])
    if manager is None or len(words) < 2:
        return
    script = words[2] if words[1] == "run" and len(words) > 2 else words[1]
    is_lifecycle = script in tables.lifecycle_scripts and words[0] != "bun"
    if not is_lifecycle and (not manager.implicit_run or script in manager.commands):
        return
    yield (words[0], *words[2:]) if words[1] == "run" else (words[0], "run", *words[1:])


def _pattern(words: tuple[str, ...], flags: list[str], text: str) -> CommandPattern:
    program, *rest = words
    tables = program_tables()
    name = tables.aliases.get(program, program).split()[0]
    tables_of_options = (tables.subcommands, tables.package_managers, tables.task_runners, tables.interpreters)
    row = next((table[name] for table in tables_of_options if name in table), None)
    required = [_flag_spellings(words, flag) for option in flags for flag in split_flags(option)]
    if isinstance(row, TaskRunner) and row.takes_several:
        required = [*((target,) for target in rest), *required]
        rest = []
    return CommandPattern(
        program.rpartition("/")[2],
        tuple(_word_spellings(program, word) for word in rest),
        tuple(required),
        tuple(sorted(row.value_options)) if row else (),
        " ".join(text.split()),
    )


def _word_spellings(program: str, word: str) -> tuple[str, ...]:
    """Return a subcommand and its other names: `install` and `i`."""
    tables = program_tables()
    row = tables.package_managers.get(program) or tables.subcommands.get(program)
    aliases = row.aliases if row else {}
    name = aliases.get(word, word)
    return (word, *sorted({name, *(alias for alias, target in aliases.items() if target == name)} - {word}))


def _flag_spellings(words: tuple[str, ...], flag: str) -> tuple[str, ...]:
    names = {**_LONG_FLAGS.get(words[0], {}), **_LONG_FLAGS.get(" ".join(words[:2]), {})}
    name = names.get(flag, flag)
    return (flag, *sorted({name, *(short for short, long in names.items() if long == name)} - {flag}))
