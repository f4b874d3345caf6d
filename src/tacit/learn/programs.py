"""What is known of programs: subcommands, options with values, targets, wrappers, and what nearly everybody runs.

The rows are in `programs.toml`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

from tacit.learn.data import load_data
from tacit.record import Record

_Row = TypeVar("_Row")
Words = frozenset[str]
_NO_WORDS: Words = frozenset()


class Interpreter(Record):
    """A program that is pointed at a script."""

    value_options: Words = _NO_WORDS
    inline_options: Words = _NO_WORDS  # followed by the program itself
    command_scripts: Words = _NO_WORDS  # scripts that have subcommands


class TaskRunner(Record):
    """A program that is pointed at a target, or at several."""

    value_options: Words = _NO_WORDS
    takes_several: bool = False


class PackageManager(Record):
    """A program that runs the scripts of a package; with `implicit_run` also without the word `run`."""

    value_options: Words
    commands: Words
    aliases: Mapping[str, str]
    groups: Words
    implicit_run: bool = False


class SubcommandProgram(Record):
    """A program with `levels` subcommands, and one more behind a word of `groups`."""

    value_options: Words = _NO_WORDS
    groups: Words = _NO_WORDS
    aliases: Mapping[str, str] = {}
    levels: int = 1


class Wrapper(Record):
    """A program that runs another command, behind so many words of its own."""

    value_options: Words = _NO_WORDS
    positionals: int = 0


@dataclass(frozen=True, slots=True)
class ProgramTables:
    """The tables of `programs.toml`, which documents them. Keys of mappings are names of programs."""

    trivial: Words
    no_subcommands: Words
    common_subcommands: Words
    shells: Words
    shell_value_options: Words
    python_modules: Words
    lifecycle_scripts: Words
    flag_commands: Words
    aliases: Mapping[str, str]
    ssh: Mapping[str, Words]
    mode_flags: Mapping[str, Mapping[str, str]]
    interpreters: Mapping[str, Interpreter]
    task_runners: Mapping[str, TaskRunner]
    package_managers: Mapping[str, PackageManager]
    subcommands: Mapping[str, SubcommandProgram]
    wrappers: Mapping[str, Wrapper]
    run_prefixes: Mapping[str, Wrapper]
    read_only: Words
    common: Words


@cache
def program_tables() -> ProgramTables:
    data = load_data("programs.toml")
    words = {name: frozenset(text.split()) for name, text in data["words"].items()}
    read_only = frozenset(data["common"]["read_only"])
    subcommands = _rows(data["subcommands"], SubcommandProgram)
    subcommands |= dict.fromkeys(words.pop("one_subcommand"), SubcommandProgram())
    subcommands |= dict.fromkeys(words.pop("without_subcommand"), SubcommandProgram(levels=0))
    return ProgramTables(
        trivial=frozenset(" ".join(data["trivial"].values()).split()),
        aliases=data["aliases"],
        ssh={name: frozenset(options.split()) for name, options in data["ssh"].items()},
        mode_flags=data["mode_flags"],
        interpreters=_rows(data["interpreters"], Interpreter),
        task_runners=_rows(data["task_runners"], TaskRunner),
        package_managers=_rows(data["package_managers"], PackageManager),
        subcommands=subcommands,
        wrappers=_rows(data["wrappers"], Wrapper) | dict.fromkeys(words.pop("wrappers"), Wrapper()),
        run_prefixes=_rows(data["run_prefixes"], Wrapper),
        read_only=read_only,
        common=read_only.union(data["common"]["writing"]).difference(data["common"]["alternatives"].split()),
        **words,
    )


def _rows(table: dict[str, dict[str, Any]], make: Callable[..., _Row]) -> dict[str, _Row]:
    """Return a value for each row, also under the names in its `also`."""
    rows: dict[str, _Row] = {}
    for name, row in table.items():
        fields = {field: value for field, value in row.items() if field not in ("also", "example", "family", "aliases")}
        fields = {
            field: frozenset(value.split()) if isinstance(value, str) else value for field, value in fields.items()
        }
        if "aliases" in row:
            fields["aliases"] = {alias: word for word, aliases in row["aliases"].items() for alias in aliases.split()}
        rows |= dict.fromkeys((name, *row.get("also", "").split()), make(**fields))
    return rows
