"""Patterns of commands and paths, what they match, and what a memory expects of tool calls in terms of them.

A pattern is made of a command as a person states it, for each way to write it: `npm install` is also `npm i`, `pnpm
lint` is `pnpm run lint`, `docker compose up` is `docker-compose up`, and `-f` is `--force` where the program says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cache

from tacit.commandline.bash import SimpleCommand, scan_commands
from tacit.commandline.programs import RUN_PREFIXES, WRAPPERS, program_tables
from tacit.commandline.words import ScanError, Word, program_name
from tacit.record import Record


class CommandPattern(Record):
    """Commands of one program.

    Attributes:
        program: its name.
        words: the words that follow it, each with its other spellings.
        required: options and words that the command has anywhere, each with its other spellings.
        lacking: options that the command does not have, each with its other spellings.
        value_options: options of the program that take a value.
        text: the command as the person states it.
        may_be_implied: whether a command without the required words may do the same: `git push` need not name a branch.
    """

    program: str
    words: tuple[tuple[str, ...], ...] = ()
    required: tuple[tuple[str, ...], ...] = ()
    value_options: tuple[str, ...] = ()
    text: str = ""
    may_be_implied: bool = False
    lacking: tuple[tuple[str, ...], ...] = ()

    def matches(self, words: tuple[Word, ...]) -> bool:
        """Return whether a command is one of the pattern."""
        if not self.is_program_of(words):
            return False
        arguments = words[1:]
        if not self.required and not self.lacking:
            return bool(self.words) or len(arguments) != 1 or arguments[0].text not in _INQUIRIES
        given = {word.text for word in self._positionals(arguments) if word.is_literal and word.text[:1] != "-"}
        for word in arguments:
            if word.text == "--":
                break
            if word.text.startswith("-"):
                given.update((word.text, *flags_of(self.program, word.text)))
            elif word.text.startswith("+") and self.program == "git":  # `git push origin +main`
                given.update(("-f", "--force"))
        has_required = all(not given.isdisjoint(spellings) for spellings in self.required)
        return has_required and all(given.isdisjoint(spellings) for spellings in self.lacking)

    def is_program_of(self, words: tuple[Word, ...]) -> bool:
        """Return whether a command is one of the pattern, without regard to what it requires."""
        program = program_name(words)
        is_version = self.program in _VERSIONED and program.rstrip("0123456789.") == self.program
        if program != self.program and not is_version:
            return False
        positionals = self._positionals(words[1:])
        return len(positionals) >= len(self.words) and all(
            word.is_literal and word.text in spellings for word, spellings in zip(positionals, self.words, strict=False)
        )

    def _positionals(self, arguments: tuple[Word, ...]) -> list[Word]:
        """Return the arguments that are neither options nor values of options that are known to have one."""
        found: list[Word] = []
        at = 0
        while at < len(arguments):
            text = arguments[at].text
            if text == "--":
                return found + list(arguments[at + 1 :])
            if text.startswith("-") and len(text) > 1:
                at += 2 if text in self.value_options else 1
            elif text.startswith("+") and self.program == "cargo":  # the toolchain
                at += 1
            else:
                found.append(arguments[at])
                at += 1
        return found


_INQUIRIES = frozenset(("--version", "-v", "-V", "--help", "-h", "help", "version"))
# Of flags whose value is the rest of the word: `sed -i.bak`
_VALUE_LETTERS = {"git": "mFCct", "tar": "f", "curl": "XHdou", "ssh": "ipl", "sed": "i", "perl": "i"}
_MAX_CLUSTER = 5  # characters of several short flags in one word; a longer word is a long flag with one dash
_VERSIONED = frozenset(("python", "pip", "pypy", "ipython"))  # `python3.12` is a `python`


# Programs whose long flags have one dash: `go test -run`
_ONE_DASH = frozenset("go gofmt java javac find terraform openssl ffmpeg mvn ant scala".split())


def flags_of(program: str, word: str) -> Iterator[str]:
    """Yield the flags of a word of a command."""
    if program in _ONE_DASH:
        yield word.partition("=")[0]
    else:
        yield from split_flags(word, _VALUE_LETTERS.get(program, ""))


def split_flags(text: str, value_letters: str = "") -> Iterator[str]:
    """Yield the flags of a word: `-rf` is `-r` and `-f`, `--depth=1` is `--depth`."""
    name = text.partition("=")[0]
    if not name.startswith("--"):
        name = next((name[: at + 1] for at, letter in enumerate(name) if letter in value_letters), name)
    if name.startswith("--") or len(name) > _MAX_CLUSTER or not name[1:].isalpha():
        yield name
    else:
        yield from (f"-{letter}" for letter in name[1:])


# What the sentence of a memory expects (`model/expectations.py` reads it)


class ForbidsCommand(Record):
    """Commands that must not be run, and those that the person names to be run in their place."""

    forbidden: tuple[CommandPattern, ...]
    instead: tuple[CommandPattern, ...] = ()

    def is_violated_by(self, command: SimpleCommand) -> bool:
        """Return whether a command is forbidden. What one of `instead` runs is not: `uv run pytest` runs `pytest`."""
        if not any(pattern.matches(command.words) for pattern in self.forbidden):
            return False
        layers = (*command.outer, command.words)
        return not any(pattern.matches(words) for words in layers for pattern in self.instead)


class RequiresBefore(Record):
    """A command that must be run before another."""

    first: tuple[CommandPattern, ...]
    then: tuple[CommandPattern, ...]


class ProtectsFiles(Record):
    """Files that must not be edited: paths, folders or globs."""

    paths: tuple[str, ...]


class TiesFiles(Record):
    """Whoever changes a file of `changed` has to change one of `companions`, too; if `is_mutual`, also the reverse."""

    changed: tuple[str, ...]
    companions: tuple[str, ...]
    is_mutual: bool = False


class RunsAfter(Record):
    """Commands of which one has to be run after a change of these files."""

    paths: tuple[str, ...]
    run: tuple[CommandPattern, ...]


class AsksBefore(Record):
    """Commands and files that the person wants to be asked about before they are run or edited."""

    commands: tuple[CommandPattern, ...] = ()
    paths: tuple[str, ...] = ()


Expectation = ForbidsCommand | RequiresBefore | ProtectsFiles | TiesFiles | RunsAfter | AsksBefore


def matches_path(pattern: str, path: str) -> bool:
    """Return whether a path, or a folder that it is in, ends with the names of a pattern.

    `migrations/` matches everything in a folder of that name, `*.lock` every such file, `api/schema.json` that file.
    A pattern that begins with `/` matches from the root of the file system.
    """
    names = [name for name in pattern.split("/") if name]
    parts = [part for part in path.replace("\\", "/").split("/") if part]
    starts = [0] if pattern.startswith("/") else range(len(parts) - len(names) + 1)
    return bool(names) and any(
        len(parts) >= start + len(names)
        and all(fnmatchcase(part, name) for part, name in zip(parts[start:], names, strict=False))
        for start in starts
    )


# From a command as a person states it to patterns

# Short flags that mean the same as a long one, by program or by program and word
_LONG_FLAGS = {
    "rm": {"-r": "--recursive", "-R": "--recursive", "-f": "--force"},
    "cp": {"-r": "--recursive", "-R": "--recursive", "-f": "--force"},
    "git push": {"-f": "--force", "-d": "--delete", "-n": "--dry-run"},
    "git commit": {"-n": "--no-verify", "-a": "--all"},
    "git add": {"-A": "--all", "-f": "--force"},
    "git clean": {"-f": "--force"},
    "git checkout": {"-f": "--force"},
    "git status": {"-s": "--short", "-b": "--branch"},
    "git log": {"-p": "--patch"},
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
    if {pattern[:3] for pattern in forbidden} & {pattern[:3] for pattern in instead}:
        forbidden, instead = _as_stated(forbidden), _as_stated(instead)
    return ForbidsCommand(forbidden, instead)


def _as_stated(patterns: tuple[CommandPattern, ...]) -> tuple[CommandPattern, ...]:
    """Return the first pattern of each text. The others are other spellings."""
    texts = dict.fromkeys(pattern.text for pattern in patterns)
    return tuple(next(pattern for pattern in patterns if pattern.text == text) for text in texts)


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
    long_flags = {**_LONG_FLAGS.get(words[0], {}), **_LONG_FLAGS.get(" ".join(words[:2]), {})}
    # A flag that is stated with a value is that flag with this value.
    stated = (flag for option in flags for flag in ([option] if "=" in option else flags_of(program, option)))
    required = [_with_aliases(flag, long_flags) for flag in stated]
    if row and row.takes_several:
        required = [*((target,) for target in rest), *required]
        rest = []
    aliased = tables.package_managers.get(program) or tables.subcommands.get(program)
    return CommandPattern(
        program.rpartition("/")[2],
        tuple(_with_aliases(word, aliased.aliases if aliased else {}) for word in rest),
        tuple(required),
        tuple(sorted(row.value_options)) if row else (),
        " ".join(text.split()),
    )


def _with_aliases(word: str, aliases: Mapping[str, str]) -> tuple[str, ...]:
    """Return a subcommand or flag and its other names: `install` and `i`, `-f` and `--force`."""
    name = aliases.get(word, word)
    return (word, *sorted({name, *(alias for alias, target in aliases.items() if target == name)} - {word}))
