"""What is known of programs: those that run another command (`sudo`, `xargs`, `uv run`), and the tables of
`programs.toml`, which are read when a row is needed for the first time. An agent's tool call waits for the others.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from functools import cache

from tacit.record import Record
from tacit.text.display import regex

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any


ASSIGNMENT = r"[A-Za-z_]\w*(\[[^]]*\])?\+?="
Words = frozenset[str]
_NO_WORDS: Words = frozenset()


class Wrapper(Record):
    """How the words of a wrapper are skipped: options that take a value, and words of its own before the command."""

    value_options: Words = _NO_WORDS
    positionals: int = 0


def _wrapper(value_options: str, positionals: int = 0) -> Wrapper:
    return Wrapper(frozenset(value_options.split()), positionals)


# They are not part of the name of a command: `sudo make test` is a `make test`.
WRAPPERS = {
    **dict.fromkeys(
        "nohup chronic unbuffer setsid command builtin noglob nocorrect coproc and or not !".split(), Wrapper()
    ),
    "sudo": _wrapper("-u --user -g --group -h --host -p --prompt -C -r --role -t --type -T -U -D --chdir -R --chroot"),
    "doas": _wrapper("-u -C -a"),
    "env": _wrapper("-u --unset -C --chdir -S --split-string"),
    "time": _wrapper("-f --format -o --output"),
    "gtime": _wrapper("-f --format -o --output"),
    "nice": _wrapper("-n --adjustment"),
    "ionice": _wrapper("-c --class -n --classdata"),
    "timeout": _wrapper("-s --signal -k --kill-after", positionals=1),
    "gtimeout": _wrapper("-s --signal -k --kill-after", positionals=1),
    "flock": _wrapper("-w --timeout -E", positionals=1),
    "stdbuf": _wrapper("-i -o -e"),
    "caffeinate": _wrapper("-t -w"),
    "exec": _wrapper("-a"),
    "proxychains": _wrapper("-f"),
    "proxychains4": _wrapper("-f"),
}
# They are part of it: `uv run pytest` is what a person would tell a colleague to type.
RUN_PREFIXES = {
    **dict.fromkeys(("entr", "tsocks", "pipenv run", "rye run", "hatch run", "pnpm exec", "yarn exec"), Wrapper()),
    **dict.fromkeys(("bundle exec", "mise exec", "mise x", "asdf exec", "rbenv exec"), Wrapper()),
    "corepack": Wrapper(),
    "fnm exec": _wrapper("--using --fnm-dir"),
    "volta run": _wrapper("--node --npm --pnpm --yarn"),
    "xargs": _wrapper(
        "-I -n -P -L -d -a -s -E --max-args --max-procs --max-lines --delimiter --arg-file --replace --max-chars"
    ),
    "watch": _wrapper("-n --interval"),
    "parallel": _wrapper("-j --jobs -a -n -N -I --max-args --colsep --joblog --delay --timeout"),
    "npx": _wrapper("-p --package -c --call -w --workspace"),
    "npm exec": _wrapper("-p --package"),
    "bunx": _wrapper("-p --package"),
    "uvx": _wrapper("--from --with -p --python"),
    "pipx run": _wrapper("--spec --python"),
    "uv run": _wrapper(
        "--with --with-requirements --with-editable -p --python --extra --group --only-group --no-group --package "
        "--directory --project --env-file --index --index-url --config-file"
    ),
    "uv tool run": _wrapper("--from --with -p --python"),
    "poetry run": _wrapper("-C --directory -P --project"),
    "pdm run": _wrapper("-p --project"),
    "conda run": _wrapper("-n --name -p --prefix"),
    "pnpm dlx": _wrapper("--package"),
    "yarn dlx": _wrapper("-p --package"),
    "direnv exec": _wrapper("", positionals=1),
    "dotenv run": _wrapper("-f"),
    "op run": _wrapper("--env-file --account"),
    "doppler run": _wrapper("-p --project -c --config"),
}


def skip_options(words: Sequence[str], at: int, value_options: Collection[str] = (), positionals: int = 0) -> int:
    """Return the index of the word behind options, the values of those that take one, assignments and `positionals`."""
    while at < len(words):
        text = words[at]
        if text == "--":
            return at + 1 + positionals
        if text[:1] in ("-", "+"):
            at += 2 if text in value_options else 1
            continue
        if not regex(ASSIGNMENT).match(text):
            if not positionals:
                break
            positionals -= 1
        at += 1
    return at


class Program(Record):
    """A row of a table of programs, which says what its fields are for."""

    value_options: Words = _NO_WORDS
    inline_options: Words = _NO_WORDS
    command_scripts: Words = _NO_WORDS
    takes_several: bool = False
    commands: Words = _NO_WORDS
    aliases: Mapping[str, str] = {}
    groups: Words = _NO_WORDS
    implicit_run: bool = False
    levels: int = 1


class ProgramTables(Record):
    """The tables of `programs.toml`, which documents them. Keys of mappings are names of programs."""

    trivial: Words
    no_subcommands: Words
    common_subcommands: Words
    shells: Words
    shell_value_options: Words
    python_modules: Words
    lifecycle_scripts: Words
    momentary: Words
    common_options: Words
    common_names: Words
    flag_commands: Words
    aliases: Mapping[str, str]
    ssh: Mapping[str, Words]
    mode_flags: Mapping[str, Mapping[str, str]]
    interpreters: Mapping[str, Program]
    task_runners: Mapping[str, Program]
    package_managers: Mapping[str, Program]
    subcommands: Mapping[str, Program]
    read_only: Words
    common: Words


@cache
def program_tables() -> ProgramTables:
    import tomllib

    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs.toml"), "rb") as file:
        data = tomllib.load(file)
    words = {name: frozenset(text.split()) for name, text in data["words"].items()}
    read_only = frozenset(data["common"]["read_only"])
    subcommands = _rows(data["subcommands"])
    subcommands |= dict.fromkeys(words.pop("one_subcommand"), Program())
    subcommands |= dict.fromkeys(words.pop("without_subcommand"), Program(levels=0))
    return ProgramTables(
        trivial=frozenset(" ".join(data["trivial"].values()).split()),
        aliases=data["aliases"],
        ssh={name: frozenset(options.split()) for name, options in data["ssh"].items()},
        mode_flags=data["mode_flags"],
        interpreters=_rows(data["interpreters"]),
        task_runners=_rows(data["task_runners"]),
        package_managers=_rows(data["package_managers"]),
        subcommands=subcommands,
        read_only=read_only,
        common=read_only.union(data["common"]["writing"]).difference(data["common"]["alternatives"].split()),
        **words,
    )


def _rows(table: dict[str, dict[str, Any]]) -> dict[str, Program]:
    """Return a value for each row, also under the names in its `also`."""
    rows: dict[str, Program] = {}
    for name, row in table.items():
        fields = {field: row[field] for field in Program._fields if field in row}
        for field, value in fields.items():
            if isinstance(value, str):
                fields[field] = frozenset(value.split())
            elif field == "aliases":
                fields[field] = {alias: word for word, aliases in value.items() for alias in aliases.split()}
        rows |= dict.fromkeys((name, *row.get("also", "").split()), Program(**fields))
    return rows
