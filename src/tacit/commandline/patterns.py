"""Patterns of commands and paths, what they match, and what a memory expects of tool calls in terms of them.

Only builtins and `fnmatch` are imported: an agent's tool call waits for this. `spellings.py` makes patterns of what a
person states.
"""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase

from tacit.commandline.bash import SimpleCommand, Word, program_name
from tacit.record import Record


class CommandPattern(Record):
    """Commands of one program.

    Attributes:
        program: its name.
        words: the words that follow it, each with its other spellings.
        required: options and words that the command has anywhere, each with its other spellings.
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

    def matches(self, words: tuple[Word, ...]) -> bool:
        """Return whether a command is one of the pattern."""
        if not self.is_program_of(words):
            return False
        arguments = words[1:]
        is_inquiry = len(arguments) == 1 and arguments[0].text in _INQUIRIES
        return not (is_inquiry and not self.words and not self.required) and self._has_required(arguments)

    def is_program_of(self, words: tuple[Word, ...]) -> bool:
        """Return whether a command is one of the pattern, without regard to what it requires."""
        if not _is_program(self.program, program_name(words)):
            return False
        positionals = self._positionals(words[1:])
        return len(positionals) >= len(self.words) and all(
            word.is_literal and word.text in spellings for word, spellings in zip(positionals, self.words, strict=False)
        )

    def _has_required(self, arguments: tuple[Word, ...]) -> bool:
        if not self.required:
            return True
        given = {word.text for word in self._positionals(arguments) if word.is_literal and word.text[:1] != "-"}
        for word in arguments:
            if word.text == "--":
                break
            if word.text.startswith("-"):
                given.update(split_flags(word.text, _VALUE_LETTERS.get(self.program, "")))
        return all(not given.isdisjoint(spellings) for spellings in self.required)

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
_VALUE_LETTERS = {"git": "mFCct", "tar": "f", "curl": "XHdou", "ssh": "ipl"}  # the rest of the word is their value
_MAX_CLUSTER = 5  # characters of several short flags in one word; a longer word is a long flag with one dash
_VERSIONED = frozenset(("python", "pip", "pypy", "ipython"))  # `python3.12` is a `python`


def _is_program(stated: str, program: str) -> bool:
    return stated == program or (stated in _VERSIONED and program.rstrip("0123456789.") == stated)


def split_flags(text: str, value_letters: str = "") -> Iterator[str]:
    """Yield the flags of a word: `-rf` is `-r` and `-f`, `--depth=1` is `--depth`."""
    name = text.partition("=")[0]
    if name.startswith("--") or len(name) > _MAX_CLUSTER or not name[1:].isalpha():
        yield name
        return
    for letter in name[1:]:
        yield f"-{letter}"
        if letter in value_letters:
            return


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
    """A command that must be run before another. `is_vague`: a script of the project may be the first one, too."""

    first: tuple[CommandPattern, ...]
    then: tuple[CommandPattern, ...]
    is_vague: bool = False


class ProtectsFiles(Record):
    """Files that must not be edited: paths, folders or globs."""

    paths: tuple[str, ...]


class TiesFiles(Record):
    """Whoever changes a file of `changed` has to change one of `companions`, too."""

    changed: tuple[str, ...]
    companions: tuple[str, ...]


Expectation = ForbidsCommand | RequiresBefore | ProtectsFiles | TiesFiles


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
