"""Which command lines are the same command: `git -C x commit -m y` is a `git commit`."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from functools import lru_cache

from tacit.learn.programs import (
    ALIASES,
    COMMON_SUBCOMMANDS,
    FLAG_COMMANDS,
    INTERPRETERS,
    LIFECYCLE_SCRIPTS,
    MODE_FLAGS,
    NO_SUBCOMMANDS,
    PACKAGE_MANAGERS,
    PYTHON_MODULES,
    RUN_PREFIXES,
    SHELL_VALUE_OPTIONS,
    SHELLS,
    SSH_PROGRAMS,
    SUBCOMMAND_PROGRAMS,
    TASK_RUNNERS,
    TRIVIAL_COMMANDS,
    WRAPPERS,
    PackageManager,
)
from tacit.record import Record
from tacit.text.shell import MAX_COMMANDS, CommandWords, Pipeline, parse_pipelines

# What a person would call a command: `git -C x commit -m y` is a `git commit`.
#
# Wrappers are taken off, options are passed over, other spellings become one. What is left is the program and the
# words that belong to it: its command (`docker compose up`), the target or script it is pointed at (`make lint`,
# `python train.py`), the place (`ssh build-1`). The tables say which; a program that is in none of them has a command
# if the word behind its name is one that programs commonly have (`mytool deploy`).

MAX_FAMILY_CHARS = 120  # characters
MAX_FAMILY_WORDS = 4  # words of a command, targets and prefixes that are named


class CommandName(Record):
    """The family of one command, its words without wrappers, and whether it is no habit by itself."""

    family: str
    words: CommandWords
    is_trivial: bool


class _FamilyMatch(Record):
    """A family, and the words behind those it is made of."""

    family: str
    rest: CommandWords = ()


_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*(\[[^]]*\])?\+?=")
_SUBCOMMAND = re.compile(r"[A-Za-z][\w:.+-]{0,39}")
_MODULE_FLAG = re.compile(r"-[A-Za-z]*m")
_PYTHON = re.compile(r"(python|pypy|pip|ipython)[\d.]*")
_VERSION_SUFFIX = re.compile(r"(?<=.)@[\w.^~*-]+$")
# What gets into a history by a slip of the clipboard or of the space bar: signs, addresses, headings, keys.
_NOT_A_COMMAND = re.compile(
    r"[-!#(+=?*%)\]}|&<>^,;:]|//|.*:$|\d+(\.\d+){3}|(?=.*\d)(?=.*[A-Z])(?=.*[a-z])\w[\w+/]{39,}=*$"
)


def name_command(words: CommandWords) -> CommandName:
    """The family of one command; of assignments alone it is a name and `=`."""
    bare = words[_skip_wrappers(words, 0) :]
    if assigned := _ASSIGNMENT.match(bare[0]):
        return CommandName(assigned[0], (), is_trivial=True)
    family = _clip_family(_family(bare)) or "?"
    return CommandName(family, bare, family in TRIVIAL_COMMANDS or _NOT_A_COMMAND.match(family) is not None)


def _family(words: CommandWords) -> str:
    """The program's own family, and behind a prefix such as `uv run` that of what it runs."""
    found: list[str] = []
    while len(found) < MAX_FAMILY_WORDS:
        own = _parse_family(words)
        found.append(own.family)
        prefix = RUN_PREFIXES.get(own.family)
        if prefix is None:
            break
        words = own.rest[_skip_options(own.rest, 0, prefix.value_options) + prefix.positionals :]
        words = words[_skip_wrappers(words, 0) :]
        if not words:
            break
        words = (_VERSION_SUFFIX.sub("", words[0]), *words[1:])
    return " ".join(found)


def _clip_family(family: str) -> str:
    """One line of bounded length."""
    return " ".join(family[: MAX_FAMILY_CHARS * 2].split())[:MAX_FAMILY_CHARS]


# --- what stands before the program ---------------------------------------------------------------------------------


def _skip_wrappers(words: CommandWords, at: int) -> int:
    """Where the real command begins; a wrapper that wraps nothing is itself the command."""
    while at < len(words):
        wrapper = WRAPPERS.get(words[at])
        if wrapper is not None and words[at : at + 2] not in _LOOKUPS:
            behind = _skip_options(words, at + 1, wrapper.value_options) + wrapper.positionals
        elif _ASSIGNMENT.match(words[at]):
            behind = at + 1
        else:
            return at
        if behind >= len(words):
            return at
        at = behind
    return at


_LOOKUPS = (("command", "-v"), ("command", "-V"))


def _skip_options(words: CommandWords, at: int, valued: Collection[str]) -> int:
    """The place of the first word that is neither an option nor the value of one."""
    while at < len(words) and words[at][:1] in ("-", "+") and words[at] != "-":
        if words[at] == "--":
            return at + 1
        at += 2 if words[at] in valued else 1
    return at


def _normalize_program(words: CommandWords) -> CommandWords:
    """The program by the name it is known by: without the folder of programs it lies in, other spellings made one."""
    program = words[0].removesuffix(".exe")
    if "/" in program:
        folder, _, base = program.rpartition("/")
        if _is_bin_folder(folder) or base in ALIASES or base in TASK_RUNNERS or base in SUBCOMMAND_PROGRAMS:
            program = base
    if found := _PYTHON.fullmatch(program):
        program = found[1]
    elif program in ALIASES:
        return (*ALIASES[program].split(), *words[1:])
    elif "/" not in program and program.endswith(".py"):
        return ("python", program, *words[1:])
    elif "/" in program:
        program = _normalize_script(program)
    return (program, *words[1:])


def _is_bin_folder(folder: str) -> bool:
    if folder.rpartition("/")[2] not in ("bin", "sbin", ".bin", "Scripts"):
        return False
    return folder[:1] in "/~$" or any(inside in folder for inside in ("env/", "node_modules/", "vendor/"))


def _normalize_script(script: str) -> str:
    """One spelling of a script's path: `run.sh` and `./run.sh`, `bin/x` and `./bin/x`."""
    bare = script.removeprefix("./")
    return bare if "/" in bare or not bare else f"./{bare}"


# --- one reader for each shape of program ---------------------------------------------------------------------------


def _parse_family(words: CommandWords) -> _FamilyMatch:
    words = _normalize_program(words)
    return _PARSERS.get(words[0], _parse_unknown)(words)


def _parse_unknown(words: CommandWords) -> _FamilyMatch:
    program = words[0]
    if (
        len(words) > 1
        and words[1] in COMMON_SUBCOMMANDS
        and program not in TRIVIAL_COMMANDS
        and program not in NO_SUBCOMMANDS
    ):
        return _FamilyMatch(f"{program} {words[1]}", words[2:])
    return _FamilyMatch(program, words[1:])


def _parse_subcommands(words: CommandWords) -> _FamilyMatch:
    """`git -C x stash pop`: the words that are commands, until one that is none."""
    tool = SUBCOMMAND_PROGRAMS[words[0]]
    found, at, left = [words[0]], 1, tool.levels
    while at < len(words) and left and len(found) <= MAX_FAMILY_WORDS:
        word = tool.aliases.get(words[at], words[at])
        if word[:1] in ("-", "+"):
            if len(found) > 1 and word.partition("=")[0] not in tool.value_options:
                break  # behind a command its own options begin: what follows may be a value
            at += 2 if word in tool.value_options else 1
            continue
        if not _SUBCOMMAND.fullmatch(word):
            break
        found.append(word)
        at += 1
        left += 0 if word in tool.groups else -1
    family = " ".join(found)
    return _parse_interpreter((family, *words[at:])) if family in INTERPRETERS else _FamilyMatch(family, words[at:])


def _parse_interpreter(words: CommandWords) -> _FamilyMatch:
    """`python train.py`: the script it is pointed at, a module (`-m`), or a program on the line itself (`-c`)."""
    name, (valued, inline, commands), at = words[0], INTERPRETERS[words[0]], 1
    while at < len(words) and words[at][:1] == "-":
        option = words[at]
        if name == "python" and _MODULE_FLAG.fullmatch(option):
            return _parse_python_module(words[at + 1 :])
        if option in inline or (option[1:2] != "-" and f"-{option[-1]}" in inline):
            return _FamilyMatch(f"{name} {option if option in inline else '-' + option[-1]}")
        at += 2 if option in valued else 1
    if at >= len(words) or words[at - 1] == "-" or not words[at]:
        return _FamilyMatch(name)
    script = words[at] if name == "go run" else words[at].removeprefix("./") or words[at]
    command = words[at + 1 : at + 2] if script.rpartition("/")[2] in commands else ()
    return _FamilyMatch(" ".join((name, script, *(word for word in command if _SUBCOMMAND.fullmatch(word)))))


def _parse_python_module(words: CommandWords) -> _FamilyMatch:
    if not words:
        return _FamilyMatch("python")
    if words[0] in PYTHON_MODULES:
        return _parse_family((words[0].replace("_", "-"), *words[1:]))
    return _FamilyMatch(f"python -m {words[0]}")


def _parse_shell_script(words: CommandWords) -> _FamilyMatch:
    """`bash run.sh` is `./run.sh`."""
    at = 1
    while at < len(words) and words[at][:1] in ("-", "+"):
        if words[at][:2] != "--" and words[at].endswith("c"):
            return _FamilyMatch(f"{words[0]} -c")
        at += 2 if words[at] in SHELL_VALUE_OPTIONS else 1
    script = words[at] if at < len(words) else ""
    return _FamilyMatch(_normalize_script(script)) if script and script[0] not in "<$" else _FamilyMatch(words[0])


def _parse_targets(words: CommandWords) -> _FamilyMatch:
    valued, several = TASK_RUNNERS[words[0]]
    found, at = [words[0]], 1
    while at < len(words) and len(found) < (MAX_FAMILY_WORDS if several else 2):
        word = words[at]
        bare = word == "-j" and at + 1 < len(words) and not words[at + 1].isdigit()  # as many jobs as there are
        at += 2 if word in valued and not bare else 1
        if word and word[0] not in "-+" and not _ASSIGNMENT.match(word):
            found.append(word)
    return _FamilyMatch(" ".join(found))


def _parse_package_manager(words: CommandWords) -> _FamilyMatch:
    """`npm t`, `npm run test`: the script or the command of a package manager."""
    name, runner = words[0], PACKAGE_MANAGERS[words[0]]
    at = _skip_options(words, 1, runner.value_options)
    if name == "yarn" and words[at : at + 1] == ("workspace",):
        at = _skip_options(words, at + 2, runner.value_options)
    if at >= len(words):
        return _FamilyMatch("yarn install" if name == "yarn" and not {"-v", "--version"} & set(words) else name)
    command = runner.aliases.get(words[at], words[at])
    if command == "run":
        at = _skip_options(words, at + 1, runner.value_options)
        return _FamilyMatch(_script_family(name, runner, words[at])) if at < len(words) else _FamilyMatch(f"{name} run")
    if (name, command) in _EXEC_ALIASES:
        return _FamilyMatch(_EXEC_ALIASES[name, command], words[at + 1 :])
    if runner.implicit_run and command not in runner.commands:
        return _FamilyMatch(_script_family(name, runner, command))
    more = words[at + 1 : at + 2] if command in runner.groups else ()
    return _FamilyMatch(
        " ".join((name, command, *(word for word in more if _SUBCOMMAND.fullmatch(word)))), words[at + 1 :]
    )


_EXEC_ALIASES = {("npm", "exec"): "npx", ("bun", "x"): "bunx"}


def _script_family(name: str, runner: PackageManager, script: str) -> str:
    script = script.removeprefix("./") or script
    own = script in runner.commands and not (script in LIFECYCLE_SCRIPTS and name != "bun")
    return (
        f"{name} run {script}"
        if own or not (runner.implicit_run or script in LIFECYCLE_SCRIPTS)
        else f"{name} {script}"
    )


def _parse_ssh(words: CommandWords) -> _FamilyMatch:
    at = _skip_options(words, 1, SSH_PROGRAMS[words[0]])
    return _FamilyMatch(" ".join(words[0:1] + words[at : at + 1]))


def _parse_flag_command(words: CommandWords) -> _FamilyMatch:
    return _FamilyMatch(" ".join(words[:2]) if words[1:2] and words[1][:1] == "-" else words[0])


def _parse_mode_flag(words: CommandWords) -> _FamilyMatch:
    meanings = MODE_FLAGS[words[0]]
    told = next((meanings[word] for word in words[1:] if word in meanings), "")
    return _FamilyMatch(f"{words[0]} {told}".strip())


def _parse_service(words: CommandWords) -> _FamilyMatch:
    """`service nginx restart`: as `systemctl restart`, the unit is what it is done to."""
    return _FamilyMatch(" ".join((words[0], *words[2:3])))


_PARSERS: dict[str, Callable[[CommandWords], _FamilyMatch]] = {
    **dict.fromkeys(SUBCOMMAND_PROGRAMS, _parse_subcommands),
    **dict.fromkeys((name for name in INTERPRETERS if " " not in name), _parse_interpreter),
    **dict.fromkeys(SHELLS, _parse_shell_script),
    **dict.fromkeys(TASK_RUNNERS, _parse_targets),
    **dict.fromkeys(PACKAGE_MANAGERS, _parse_package_manager),
    **dict.fromkeys(SSH_PROGRAMS, _parse_ssh),
    **dict.fromkeys(FLAG_COMMANDS, _parse_flag_command),
    **dict.fromkeys(MODE_FLAGS, _parse_mode_flag),
    "service": _parse_service,
}


# What makes two command lines the same habit.
#
# A line is its pipelines (`a && b; c` has three parts); a pipeline is one habit, that of its first real command; the
# rest of it are consumers. What only looks around or feeds a pipeline (`ls`, `cat`, `echo`) is trivial: `cat x | grep
# y` is a `grep`. A group in brackets or braces is its commands, unless it is piped or redirected; a loop or condition
# is one part, known by its first real command.

_MAX_CACHED_LINES = 4096  # lines
_MAX_CACHED_CHARS = 512  # characters; longer lines seldom come twice and would fill memory


class ParsedCommand(Record):
    """One command of a line: what it is in every habit, and how it was typed."""

    family: str  # "git commit", "npm test", "make lint"; never empty
    text: str  # this part as typed (one pipeline), blanks trimmed, control characters but line breaks and tabs gone
    words: tuple[str, ...]  # the words of the first real command, unquoted, wrappers (sudo, env …) taken off
    consumers: tuple[str, ...]  # families of the further commands of the pipeline ("grep", "head")
    is_trivial: bool  # ls, cd, pwd, clear, exit, history …: not habits, not steps


def parse_commands(line: str) -> tuple[ParsedCommand, ...]:
    """The commands of a line in order: each part of `a && b; c` counts. Nothing for a blank line or a comment."""
    return _parse_cached(line) if len(line) <= _MAX_CACHED_CHARS else _parse_commands(line)


def _parse_commands(line: str) -> tuple[ParsedCommand, ...]:
    return tuple(_from_pipeline(pipeline) for pipeline in parse_pipelines(line))


_parse_cached = lru_cache(maxsize=_MAX_CACHED_LINES)(_parse_commands)


def _from_pipeline(pipeline: Pipeline) -> ParsedCommand:
    if len(pipeline.stages) == 1 and len(pipeline.stages[0]) == 1:  # most lines
        return _parsed_command(pipeline, name_command(pipeline.stages[0][0]))
    stages = tuple(_first_nontrivial(tuple(map(name_command, stage))) for stage in pipeline.stages)
    at = next((at for at, one in enumerate(stages) if not one.is_trivial), 0)
    return _parsed_command(pipeline, stages[at], tuple(one.family for one in stages[at + 1 :][:MAX_COMMANDS]))


def _parsed_command(pipeline: Pipeline, first: CommandName, consumers: tuple[str, ...] = ()) -> ParsedCommand:
    # Text that had to be cut must never be run: it is nobody's step.
    return ParsedCommand(
        first.family, pipeline.text, first.words, consumers, first.is_trivial or not pipeline.is_complete
    )


def _first_nontrivial(commands: tuple[CommandName, ...]) -> CommandName:
    """The first of them that is not trivial, or the first."""
    return next((one for one in commands if not one.is_trivial), commands[0])
