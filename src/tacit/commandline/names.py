"""Which command lines are the same command: `git -C x commit -m y` is a `git commit`.

The family of a command is what a person would call it. Wrappers are removed, options are skipped, other spellings
become one. What is left is the program and the words that belong to it: its subcommand (`docker compose up`), the
target or script it is pointed at (`make lint`, `python train.py`), the host (`ssh build-1`). The tables of
`programs.toml` say which. A program that is in none of them has a subcommand if the word behind its name is a common
one (`mytool deploy`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, lru_cache
from itertools import islice

from tacit.commandline.bash import MAX_COMMANDS, CommandWords, Pipeline, first_word, scan_pipelines
from tacit.commandline.programs import ASSIGNMENT, RUN_PREFIXES, WRAPPERS, Program, program_tables, skip_options
from tacit.commandline.words import ScanError
from tacit.record import Record
from tacit.text.display import clean, clip

MAX_LINE_CHARS = 8192  # a longer line is never a habit, and its text is clipped
MAX_PIPELINES = 20
MAX_FAMILY_CHARS = 120
MAX_FAMILY_WORDS = 4  # subcommands, targets and prefixes
_MAX_CACHED_LINES = 4096
_MAX_CACHED_CHARS = 512  # longer lines seldom come twice and would fill memory


class CommandName(Record):
    """The family of a command, its words without wrappers, and whether it is no habit by itself."""

    family: str
    words: CommandWords
    is_trivial: bool


class ParsedCommand(Record):
    """One pipeline of a line."""

    family: str  # "git commit", "npm test", "make lint"; never empty
    text: str  # as typed, stripped, without control characters other than line breaks and tabs
    words: tuple[str, ...]  # the words of the first command that is not trivial, unquoted, without wrappers
    consumers: tuple[str, ...]  # families of the commands behind it in the pipeline ("grep", "head")
    is_trivial: bool  # ls, cd, pwd, clear, exit, history …: neither a habit nor a step of one


def parse_commands(line: str) -> tuple[ParsedCommand, ...]:
    """Return the commands of a line in order; each part of `a && b; c` is one. A blank line or a comment has none.

    A pipeline has the family of its first command that does more than look around or feed it: `cat x | grep y` is a
    `grep`. A group in brackets or braces is its commands, unless it is piped or redirected. A loop or a condition is
    one command.
    """
    return _parse_cached(line) if len(line) <= _MAX_CACHED_CHARS else _parse_commands(line)


def _parse_commands(line: str) -> tuple[ParsedCommand, ...]:
    text = clean_line(line)
    if len(text) > MAX_LINE_CHARS:
        # Text that had to be cut must never be run: it is nobody's step.
        command = _name_pipeline(_split_loosely(text[:MAX_LINE_CHARS]))
        return (command._replace(text=clip(text, MAX_LINE_CHARS), is_trivial=True),)
    # A word may be a blank to Python but not to the shell, such as a line separator; nothing could be shown of it.
    return tuple(command for command in map(_name_pipeline, parse_pipelines(text)) if command.text)


_parse_cached = lru_cache(maxsize=_MAX_CACHED_LINES)(_parse_commands)


def _name_pipeline(pipeline: Pipeline) -> ParsedCommand:
    stages = [_first_nontrivial([name_command(words) for words in stage]) for stage in pipeline.stages]
    command = _first_nontrivial(stages)
    consumers = stages[stages.index(command) + 1 :][:MAX_COMMANDS]
    families = tuple([stage.family for stage in consumers])
    return ParsedCommand(command.family, pipeline.text, command.words, families, command.is_trivial)


def _first_nontrivial(commands: list[CommandName]) -> CommandName:
    return next((command for command in commands if not command.is_trivial), commands[0])


# Pipelines. A line of simple words and pipes is split, which takes a third of the time; any other is scanned as bash. A
# line that is not bash (an open quote, the syntax of fish or zsh) is one pipeline as typed.

_CONTROL_CHARS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_PLAIN_LINE = re.compile(r"[A-Za-z0-9_@%+=:,./~^*? \-]+")
# Plain words, quoted ones in which nothing is expanded, and pipes
_SIMPLE_WORD = r"""(?:[A-Za-z0-9_@%+=:,./~^*?\-]+|'[ -&(-~]*'|"[ #%-[\]-_a-~]*")"""
_SIMPLE_LINE = re.compile(rf"{_SIMPLE_WORD}(?:(?: +(?:\| *)?|\| *){_SIMPLE_WORD})*")
_SIMPLE_WORD_OR_PIPE = re.compile(rf"{_SIMPLE_WORD}|\|")
# Pieces of a line that is not bash: quoted ones, separators, and what is between them; then pieces of words
_LINE_PIECE = re.compile(r"""\\.?|'[^']*'?|"(?:\\.|[^"\\])*"?|[;&|\n]|[^;&|\n'"\\]+""", re.DOTALL)
_QUOTED_TEXT = r"\\.|'[^']*(?:'|$)|\"(?:\\.|[^\"\\])*(?:\"|$)"
_QUOTED_PART = re.compile(_QUOTED_TEXT, re.DOTALL)
_WORD_PIECE = re.compile(rf"{_QUOTED_TEXT}|\s+|.", re.DOTALL)
_DELETE_QUOTES = str.maketrans("", "", "'\"\\")
_BLOCK_OPENERS = frozenset("if while until begin then do else { (".split())
# They begin something else than a command: the head of a loop, or the end of a block.
_NO_COMMANDS = frozenset("for switch case select foreach repeat in elif fi done esac end".split())
_KEYWORDS = _BLOCK_OPENERS | _NO_COMMANDS | {"function", "time", "coproc", "!", "[[", "[", "}"}


def clean_line(line: str) -> str:
    """Return a line without surrounding blanks and control characters. Line breaks become \\n; tabs stay."""
    if line.isascii() and line.isprintable():
        return line.strip()
    head = line if len(line) <= MAX_LINE_CHARS * 2 else line[: MAX_LINE_CHARS * 2]
    return _CONTROL_CHARS.sub("", clean(head.replace("\r\n", "\n").replace("\r", "\n").replace("\0", ""))).strip()


def parse_pipelines(text: str) -> tuple[Pipeline, ...]:
    """Return the pipelines of a clean line; none for a blank line or a comment."""
    stages: list[list[str]] = []
    if _PLAIN_LINE.fullmatch(text):
        stages = [text.split()]
    elif _SIMPLE_LINE.fullmatch(text):
        stages = [[]]
        for word in _SIMPLE_WORD_OR_PIPE.findall(text):
            if word == "|":
                stages.append([])
            else:
                stages[-1].append(word[1:-1] if word[0] in "'\"" else word)
    if stages and not any(words[0] in _KEYWORDS for words in stages):
        return (Pipeline(text, tuple((tuple(words),) for words in stages[: MAX_COMMANDS + 1])),)
    try:
        return tuple(islice(scan_pipelines(text), MAX_PIPELINES))
    except ScanError:
        return (_split_loosely(text),)


def _split_loosely(text: str) -> Pipeline:
    """Return one pipeline for a whole text that is not bash. Its commands are the parts between separators."""
    segments = [""]
    for piece in _LINE_PIECE.findall(text):
        if piece in ";&|\n":
            segments.append("")
        else:
            segments[-1] += piece
    commands = (words for segment in segments if segment and (words := _loose_words(segment)))
    return Pipeline(text, (tuple(islice(commands, MAX_COMMANDS)) or (first_word(text),),))


def _loose_words(segment: str) -> CommandWords:
    """Return the words up to a bracket or redirection; none for the head of a loop or the end of a block."""
    words = segment.split()
    while words and (words[0] in _BLOCK_OPENERS or words[:2] == ["time", "{"]):
        del words[0]
    if not words or words[0].startswith("#") or words[0] in _NO_COMMANDS:
        return ()
    ends = (at for at, word in enumerate(words) if at and word[0] in "()<>{}")
    return tuple(strip_quotes(word) for word in words[: next(ends, len(words))])


# Words with their quotes


def quoted_words(command: str) -> list[str]:
    """Return the words of a command with their quotes. An unclosed quote extends to the end."""
    words = [""]
    for piece in _WORD_PIECE.finditer(command):
        if piece[0].isspace():
            words.append("")
        else:
            words[-1] += " ".join(piece[0].split(" "))
    return [" ".join(word.split()) for word in words if word]


def strip_quotes(word: str) -> str:
    """Return a word without quotes and backslashes."""
    return word.translate(_DELETE_QUOTES)


def outside_quotes(word: str) -> str:
    """Return a word with each quoted or escaped part as a blank."""
    return _QUOTED_PART.sub(" ", word)


# The name of a command: program and subcommand

_FamilyMatch = tuple[str, CommandWords]  # a family, and the words behind those it is made of
_ASSIGNMENT = re.compile(ASSIGNMENT)
_SUBCOMMAND = re.compile(r"[A-Za-z][\w:.+-]{0,39}")
_MODULE_FLAG = re.compile(r"-[A-Za-z]*m")
_PYTHON = re.compile(r"(python|pypy|pip|ipython)[\d.]*")
_VERSION_SUFFIX = re.compile(r"(?<=.)@[\w.^~*-]+$")
# What gets into a history by a slip of the clipboard or of the space bar: punctuation, addresses, headings, keys.
_NOT_A_COMMAND = re.compile(
    r"[-!#(+=?*%)\[\]}|&<>^,;:]|//|.*:$|\d+(\.\d+){3}|(?=.*\d)(?=.*[A-Z])(?=.*[a-z])\w[\w+/]{39,}=*$"
)
_LOOKUPS = (("command", "-v"), ("command", "-V"))
_EXEC_ALIASES = {("npm", "exec"): "npx", ("bun", "x"): "bunx"}


def name_command(words: CommandWords) -> CommandName:
    """Return the name of one command. The family of assignments alone is the first name and `=`."""
    bare = words[_skip_wrappers(words) :]
    if assignment := _ASSIGNMENT.match(bare[0]):
        return CommandName(assignment[0], (), is_trivial=True)
    families: list[str] = []
    inner = bare
    while len(families) < MAX_FAMILY_WORDS:  # behind a prefix such as `uv run`, the family of the command that it runs
        family, rest = _match_family(inner)
        families.append(family)
        prefix = RUN_PREFIXES.get(family)
        if prefix is None:
            break
        inner = rest[skip_options(rest, 0, *prefix) :]
        inner = inner[_skip_wrappers(inner) :]
        if not inner:
            break
        inner = (_VERSION_SUFFIX.sub("", inner[0]), *inner[1:])
    family, is_trivial = _clean_family(" ".join(families)[: MAX_FAMILY_CHARS * 2])
    return CommandName(family, bare, is_trivial)


@lru_cache(maxsize=_MAX_CACHED_LINES)  # people use a few families
def _clean_family(text: str) -> tuple[str, bool]:
    """Return a family without line breaks, and whether it is no habit by itself."""
    family = " ".join(text.split())[:MAX_FAMILY_CHARS] or "?"
    return family, family in program_tables().trivial or _NOT_A_COMMAND.match(family) is not None


def _skip_wrappers(words: CommandWords) -> int:
    """Return where the real command begins. A wrapper that wraps nothing is itself the command."""
    at = 0
    while at < len(words):
        wrapper = WRAPPERS.get(words[at])
        if wrapper is not None and words[at : at + 2] not in _LOOKUPS:
            behind = skip_options(words, at + 1, *wrapper)
        elif _ASSIGNMENT.match(words[at]):
            behind = at + 1
        else:
            return at
        if behind >= len(words):
            return at
        at = behind
    return at


def _match_family(words: CommandWords) -> _FamilyMatch:
    """Match a program by its usual name: without the folder it is installed in, other names replaced."""
    tables, program = program_tables(), words[0].removesuffix(".exe")
    if "/" in program:
        folder, _, base = program.rpartition("/")
        is_bin_folder = folder.rpartition("/")[2] in ("bin", "sbin", ".bin", "Scripts") and (
            folder[:1] in "/~$" or any(parent in folder for parent in ("env/", "node_modules/", "vendor/"))
        )
        if is_bin_folder or any(base in names for names in (tables.aliases, tables.task_runners, tables.subcommands)):
            program = base
    name: CommandWords = (program,)
    if python := _PYTHON.fullmatch(program):
        name = (python[1],)
    elif program in tables.aliases:
        name = tuple(tables.aliases[program].split())
    elif "/" not in program and program.endswith(".py"):
        name = ("python", program)
    elif "/" in program:
        name = (_normalize_script(program),)
    return _matchers().get(name[0], _match_unknown)((*name, *words[1:]))


def _normalize_script(script: str) -> str:
    """Return one spelling of a script's path: `run.sh` and `./run.sh`, `bin/x` and `./bin/x`."""
    bare = script.removeprefix("./")
    return bare if "/" in bare or not bare else f"./{bare}"


# One function for each shape of program


@cache
def _matchers() -> dict[str, Callable[[CommandWords], _FamilyMatch]]:
    tables = program_tables()
    return {
        **dict.fromkeys(tables.subcommands, _match_subcommands),
        **dict.fromkeys((name for name in tables.interpreters if " " not in name), _match_script),
        **dict.fromkeys(tables.shells, _match_shell_script),
        **dict.fromkeys(tables.task_runners, _match_targets),
        **dict.fromkeys(tables.package_managers, _match_package_manager),
        **dict.fromkeys((*tables.ssh, *tables.flag_commands, *tables.mode_flags, "service"), _match_one_word),
    }


def _match_unknown(words: CommandWords) -> _FamilyMatch:
    tables, program = program_tables(), words[0]
    is_subcommand = len(words) > 1 and words[1] in tables.common_subcommands
    if is_subcommand and program not in tables.trivial and program not in tables.no_subcommands:
        return f"{program} {words[1]}", words[2:]
    return program, words[1:]


def _match_subcommands(words: CommandWords) -> _FamilyMatch:
    """`git -C x stash pop`: the words that are subcommands, up to one that is none."""
    program = program_tables().subcommands[words[0]]
    names, at, levels = [words[0]], 1, program.levels
    while at < len(words) and levels and len(names) <= MAX_FAMILY_WORDS:
        word = program.aliases.get(words[at], words[at])
        if word[:1] in ("-", "+"):
            if len(names) > 1 and word.partition("=")[0] not in program.value_options:
                break  # behind a subcommand its own options begin: what follows may be a value
            at += 2 if word in program.value_options else 1
            continue
        if not _SUBCOMMAND.fullmatch(word):
            break
        names.append(word)
        at += 1
        levels -= word not in program.groups
    family = " ".join(names)
    is_interpreter = family in program_tables().interpreters
    return _match_script((family, *words[at:])) if is_interpreter else (family, words[at:])


def _match_script(words: CommandWords) -> _FamilyMatch:
    """`python train.py`: the script of an interpreter, a module (`-m`), or a program on the line itself (`-c`)."""
    name, at = words[0], 1
    row = program_tables().interpreters[name]
    while at < len(words) and words[at][:1] == "-":
        option = words[at]
        if name == "python" and _MODULE_FLAG.fullmatch(option):
            module, arguments = words[at + 1 : at + 2], words[at + 2 :]
            if module and module[0] in program_tables().python_modules:
                return _match_family((module[0].replace("_", "-"), *arguments))
            return f"python -m {module[0]}" if module else "python", ()
        if option in row.inline_options or (option[1:2] != "-" and f"-{option[-1]}" in row.inline_options):
            return f"{name} {option if option in row.inline_options else '-' + option[-1]}", ()
        at += 2 if option in row.value_options else 1
    if at >= len(words) or words[at - 1] == "-" or not words[at]:
        return name, ()
    script = words[at] if name == "go run" else words[at].removeprefix("./") or words[at]
    has_command = script.rpartition("/")[2] in row.command_scripts
    return " ".join((name, script, *(_subcommand(words, at + 1) if has_command else ()))), ()


def _subcommand(words: CommandWords, at: int) -> CommandWords:
    """Return the word at an index if it can be a subcommand."""
    return tuple(word for word in words[at : at + 1] if _SUBCOMMAND.fullmatch(word))


def _match_shell_script(words: CommandWords) -> _FamilyMatch:
    """`bash run.sh` is `./run.sh`."""
    at = 1
    while at < len(words) and words[at][:1] in ("-", "+"):
        if words[at][:2] != "--" and words[at].endswith("c"):
            return f"{words[0]} -c", ()
        at += 2 if words[at] in program_tables().shell_value_options else 1
    script = words[at] if at < len(words) else ""
    return _normalize_script(script) if script and script[0] not in "<$" else words[0], ()


def _match_targets(words: CommandWords) -> _FamilyMatch:
    """`make -j 4 lint test`: the targets of a task runner."""
    row = program_tables().task_runners[words[0]]
    names, at = [words[0]], 1
    while at < len(words) and len(names) < (MAX_FAMILY_WORDS if row.takes_several else 2):
        word = words[at]
        is_bare = word == "-j" and at + 1 < len(words) and not words[at + 1].isdigit()  # without a number of jobs
        at += 2 if word in row.value_options and not is_bare else 1
        if word and word[0] not in "-+" and not _ASSIGNMENT.match(word):
            names.append(word)
    return " ".join(names), ()


def _match_package_manager(words: CommandWords) -> _FamilyMatch:
    """`npm t`, `npm run test`: the script or the command of a package manager."""
    name, manager = words[0], program_tables().package_managers[words[0]]
    at = skip_options(words, 1, manager.value_options)
    if name == "yarn" and words[at : at + 1] == ("workspace",):
        at = skip_options(words, at + 2, manager.value_options)
    if at >= len(words):
        return "yarn install" if name == "yarn" and not {"-v", "--version"} & set(words) else name, ()
    command = manager.aliases.get(words[at], words[at])
    if command == "run":
        at = skip_options(words, at + 1, manager.value_options)
        return _script_family(name, manager, words[at]) if at < len(words) else f"{name} run", ()
    if (name, command) in _EXEC_ALIASES:
        return _EXEC_ALIASES[name, command], words[at + 1 :]
    if manager.implicit_run and command not in manager.commands:
        return _script_family(name, manager, command), ()
    more = _subcommand(words, at + 1) if command in manager.groups else ()
    return " ".join((name, command, *more)), words[at + 1 :]


def _script_family(name: str, manager: Program, script: str) -> str:
    """Return the shorter form, without `run`, if it means the script and no command of the package manager."""
    script = script.removeprefix("./") or script
    is_lifecycle = script in program_tables().lifecycle_scripts
    is_command = script in manager.commands and not (is_lifecycle and name != "bun")
    needs_run = is_command or not (manager.implicit_run or is_lifecycle)
    return f"{name} run {script}" if needs_run else f"{name} {script}"


def _match_one_word(words: CommandWords) -> _FamilyMatch:
    """`ssh build-1`: the host. `tar -x`: the flag, or the mode that it selects. `service nginx restart`: no unit."""
    tables, program = program_tables(), words[0]
    if program in tables.ssh:
        at = skip_options(words, 1, tables.ssh[program])
        return " ".join((program, *words[at : at + 1])), ()
    if program in tables.flag_commands:
        return " ".join(words[:2]) if words[1:2] and words[1][:1] == "-" else program, ()
    if program in tables.mode_flags:
        modes = tables.mode_flags[program]
        return f"{program} {next((modes[word] for word in words[1:] if word in modes), '')}".strip(), ()
    return " ".join((program, *words[2:3])), ()  # as with `systemctl restart`
