"""Which command lines are the same command: `git -C x commit -m y` is a `git commit`."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from functools import lru_cache

from tacit.learn.programs import (
    ARGUMENTS,
    FLAGGED,
    INTERPRETERS,
    LIFECYCLE,
    MODULES,
    PLACES,
    PREFIXES,
    RENAMED,
    RUNNERS,
    SHELL_VALUED,
    SHELLS,
    TARGETS,
    TELLING,
    TOOLS,
    TRIVIAL,
    VERBS,
    WRAPPERS,
    Runner,
)
from tacit.record import Record
from tacit.text.shell import MAX_COMMANDS, Pipeline, Words, read

# What a person would call a command: `git -C x commit -m y` is a `git commit`.
#
# Wrappers are taken off, options are passed over, other spellings become one. What is left is the program and the
# words that belong to it: its command (`docker compose up`), the target or script it is pointed at (`make lint`,
# `python train.py`), the place (`ssh build-1`). The tables say which; a program that is in none of them has a command
# if the word behind its name is one that programs commonly have (`mytool deploy`).

MAX_FAMILY = 120  # characters
MAX_DEPTH = 4  # words of a command, targets and prefixes that are named


class Named(Record):
    """The family of one command, its words without wrappers, and whether it is no habit by itself."""

    family: str
    words: Words
    trivial: bool


class _Read(Record):
    """A family, and the words behind those it is made of."""

    family: str
    rest: Words = ()


_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*(\[[^]]*\])?\+?=")
_COMMAND = re.compile(r"[A-Za-z][\w:.+-]{0,39}")
_MODULE = re.compile(r"-[A-Za-z]*m")
_PYTHON = re.compile(r"(python|pypy|pip|ipython)[\d.]*")
_VERSION = re.compile(r"(?<=.)@[\w.^~*-]+$")
# What gets into a history by a slip of the clipboard or of the space bar: signs, addresses, headings, keys.
_NO_COMMAND = re.compile(
    r"[-!#(+=?*%)\]}|&<>^,;:]|//|.*:$|\d+(\.\d+){3}|(?=.*\d)(?=.*[A-Z])(?=.*[a-z])\w[\w+/]{39,}=*$"
)


def named(words: Words) -> Named:
    """The family of one command; of assignments alone it is a name and `=`."""
    bare = words[_unwrapped(words, 0) :]
    if assigned := _ASSIGNMENT.match(bare[0]):
        return Named(assigned[0], (), trivial=True)
    family = _short(_family(bare)) or "?"
    return Named(family, bare, family in TRIVIAL or _NO_COMMAND.match(family) is not None)


def _family(words: Words) -> str:
    """The program's own family, and behind a prefix such as `uv run` that of what it runs."""
    found: list[str] = []
    while len(found) < MAX_DEPTH:
        own = _read(words)
        found.append(own.family)
        prefix = PREFIXES.get(own.family)
        if prefix is None:
            break
        words = own.rest[_past_options(own.rest, 0, prefix.valued) + prefix.own :]
        words = words[_unwrapped(words, 0) :]
        if not words:
            break
        words = (_VERSION.sub("", words[0]), *words[1:])
    return " ".join(found)


def _short(family: str) -> str:
    """One line of bounded length."""
    return " ".join(family[: MAX_FAMILY * 2].split())[:MAX_FAMILY]


# --- what stands before the program ---------------------------------------------------------------------------------


def _unwrapped(words: Words, at: int) -> int:
    """Where the real command begins; a wrapper that wraps nothing is itself the command."""
    while at < len(words):
        wrapper = WRAPPERS.get(words[at])
        if wrapper is not None and words[at : at + 2] not in _LOOKUPS:
            behind = _past_options(words, at + 1, wrapper.valued) + wrapper.own
        elif _ASSIGNMENT.match(words[at]):
            behind = at + 1
        else:
            return at
        if behind >= len(words):
            return at
        at = behind
    return at


_LOOKUPS = (("command", "-v"), ("command", "-V"))


def _past_options(words: Words, at: int, valued: Collection[str]) -> int:
    """The place of the first word that is neither an option nor the value of one."""
    while at < len(words) and words[at][:1] in ("-", "+") and words[at] != "-":
        if words[at] == "--":
            return at + 1
        at += 2 if words[at] in valued else 1
    return at


def _expanded(words: Words) -> Words:
    """The program by the name it is known by: without the folder of programs it lies in, other spellings made one."""
    program = words[0].removesuffix(".exe")
    if "/" in program:
        folder, _, base = program.rpartition("/")
        if _is_of_programs(folder) or base in RENAMED or base in TARGETS or base in TOOLS:
            program = base
    if found := _PYTHON.fullmatch(program):
        program = found[1]
    elif program in RENAMED:
        return (*RENAMED[program].split(), *words[1:])
    elif "/" not in program and program.endswith(".py"):
        return ("python", program, *words[1:])
    elif "/" in program:
        program = _path(program)
    return (program, *words[1:])


def _is_of_programs(folder: str) -> bool:
    if folder.rpartition("/")[2] not in ("bin", "sbin", ".bin", "Scripts"):
        return False
    return folder[:1] in "/~$" or any(inside in folder for inside in ("env/", "node_modules/", "vendor/"))


def _path(script: str) -> str:
    """One spelling of a script's path: `run.sh` and `./run.sh`, `bin/x` and `./bin/x`."""
    bare = script.removeprefix("./")
    return bare if "/" in bare or not bare else f"./{bare}"


# --- one reader for each shape of program ---------------------------------------------------------------------------


def _read(words: Words) -> _Read:
    words = _expanded(words)
    return _READERS.get(words[0], _unknown)(words)


def _unknown(words: Words) -> _Read:
    program = words[0]
    if len(words) > 1 and words[1] in VERBS and program not in TRIVIAL and program not in ARGUMENTS:
        return _Read(f"{program} {words[1]}", words[2:])
    return _Read(program, words[1:])


def _commanded(words: Words) -> _Read:
    """`git -C x stash pop`: the words that are commands, until one that is none."""
    tool = TOOLS[words[0]]
    found, at, left = [words[0]], 1, tool.levels
    while at < len(words) and left and len(found) <= MAX_DEPTH:
        word = tool.short.get(words[at], words[at])
        if word[:1] in ("-", "+"):
            if len(found) > 1 and word.partition("=")[0] not in tool.valued:
                break  # behind a command its own options begin: what follows may be a value
            at += 2 if word in tool.valued else 1
            continue
        if not _COMMAND.fullmatch(word):
            break
        found.append(word)
        at += 1
        left += 0 if word in tool.groups else -1
    family = " ".join(found)
    return _pointed((family, *words[at:])) if family in INTERPRETERS else _Read(family, words[at:])


def _pointed(words: Words) -> _Read:
    """`python train.py`: the script it is pointed at, a module (`-m`), or a program on the line itself (`-c`)."""
    name, (valued, inline, commands), at = words[0], INTERPRETERS[words[0]], 1
    while at < len(words) and words[at][:1] == "-":
        option = words[at]
        if name == "python" and _MODULE.fullmatch(option):
            return _module(words[at + 1 :])
        if option in inline or (option[1:2] != "-" and f"-{option[-1]}" in inline):
            return _Read(f"{name} {option if option in inline else '-' + option[-1]}")
        at += 2 if option in valued else 1
    if at >= len(words) or words[at - 1] == "-" or not words[at]:
        return _Read(name)
    script = words[at] if name == "go run" else words[at].removeprefix("./") or words[at]
    command = words[at + 1 : at + 2] if script.rpartition("/")[2] in commands else ()
    return _Read(" ".join((name, script, *(word for word in command if _COMMAND.fullmatch(word)))))


def _module(words: Words) -> _Read:
    if not words:
        return _Read("python")
    if words[0] in MODULES:
        return _read((words[0].replace("_", "-"), *words[1:]))
    return _Read(f"python -m {words[0]}")


def _shell(words: Words) -> _Read:
    """`bash run.sh` is `./run.sh`."""
    at = 1
    while at < len(words) and words[at][:1] in ("-", "+"):
        if words[at][:2] != "--" and words[at].endswith("c"):
            return _Read(f"{words[0]} -c")
        at += 2 if words[at] in SHELL_VALUED else 1
    script = words[at] if at < len(words) else ""
    return _Read(_path(script)) if script and script[0] not in "<$" else _Read(words[0])


def _targeted(words: Words) -> _Read:
    valued, several = TARGETS[words[0]]
    found, at = [words[0]], 1
    while at < len(words) and len(found) < (MAX_DEPTH if several else 2):
        word = words[at]
        bare = word == "-j" and at + 1 < len(words) and not words[at + 1].isdigit()  # as many jobs as there are
        at += 2 if word in valued and not bare else 1
        if word and word[0] not in "-+" and not _ASSIGNMENT.match(word):
            found.append(word)
    return _Read(" ".join(found))


def _packaged(words: Words) -> _Read:
    """`npm t`, `npm run test`: the script or the command of a package manager."""
    name, runner = words[0], RUNNERS[words[0]]
    at = _past_options(words, 1, runner.valued)
    if name == "yarn" and words[at : at + 1] == ("workspace",):
        at = _past_options(words, at + 2, runner.valued)
    if at >= len(words):
        return _Read("yarn install" if name == "yarn" and not {"-v", "--version"} & set(words) else name)
    command = runner.short.get(words[at], words[at])
    if command == "run":
        at = _past_options(words, at + 1, runner.valued)
        return _Read(_script(name, runner, words[at])) if at < len(words) else _Read(f"{name} run")
    if (name, command) in _ONE_OFF:
        return _Read(_ONE_OFF[name, command], words[at + 1 :])
    if runner.implicit and command not in runner.commands:
        return _Read(_script(name, runner, command))
    more = words[at + 1 : at + 2] if command in runner.groups else ()
    return _Read(" ".join((name, command, *(word for word in more if _COMMAND.fullmatch(word)))), words[at + 1 :])


_ONE_OFF = {("npm", "exec"): "npx", ("bun", "x"): "bunx"}


def _script(name: str, runner: Runner, script: str) -> str:
    script = script.removeprefix("./") or script
    own = script in runner.commands and not (script in LIFECYCLE and name != "bun")
    return f"{name} run {script}" if own or not (runner.implicit or script in LIFECYCLE) else f"{name} {script}"


def _placed(words: Words) -> _Read:
    at = _past_options(words, 1, PLACES[words[0]])
    return _Read(" ".join(words[0:1] + words[at : at + 1]))


def _flagged(words: Words) -> _Read:
    return _Read(" ".join(words[:2]) if words[1:2] and words[1][:1] == "-" else words[0])


def _telling(words: Words) -> _Read:
    meanings = TELLING[words[0]]
    told = next((meanings[word] for word in words[1:] if word in meanings), "")
    return _Read(f"{words[0]} {told}".strip())


def _service(words: Words) -> _Read:
    """`service nginx restart`: as `systemctl restart`, the unit is what it is done to."""
    return _Read(" ".join((words[0], *words[2:3])))


_READERS: dict[str, Callable[[Words], _Read]] = {
    **dict.fromkeys(TOOLS, _commanded),
    **dict.fromkeys((name for name in INTERPRETERS if " " not in name), _pointed),
    **dict.fromkeys(SHELLS, _shell),
    **dict.fromkeys(TARGETS, _targeted),
    **dict.fromkeys(RUNNERS, _packaged),
    **dict.fromkeys(PLACES, _placed),
    **dict.fromkeys(FLAGGED, _flagged),
    **dict.fromkeys(TELLING, _telling),
    "service": _service,
}


# What makes two command lines the same habit.
#
# A line is its pipelines (`a && b; c` has three parts); a pipeline is one habit, that of its first real command; the
# rest of it are consumers. What only looks around or feeds a pipeline (`ls`, `cat`, `echo`) is trivial: `cat x | grep
# y` is a `grep`. A group in brackets or braces is its commands, unless it is piped or redirected; a loop or condition
# is one part, known by its first real command.

_REMEMBERED = 4096  # lines
_REMEMBERED_LENGTH = 512  # characters; longer lines seldom come twice and would fill memory


class Part(Record):
    """One command of a line: what it is in every habit, and how it was typed."""

    family: str  # "git commit", "npm test", "make lint"; never empty
    text: str  # this part as typed (one pipeline), blanks trimmed, control characters but line breaks and tabs gone
    words: tuple[str, ...]  # the words of the first real command, unquoted, wrappers (sudo, env …) taken off
    consumers: tuple[str, ...]  # families of the further commands of the pipeline ("grep", "head")
    trivial: bool  # ls, cd, pwd, clear, exit, history …: not habits, not steps


def parts(line: str) -> tuple[Part, ...]:
    """The commands of a line in order: each part of `a && b; c` counts. Nothing for a blank line or a comment."""
    return _remembered(line) if len(line) <= _REMEMBERED_LENGTH else _parts(line)


def _parts(line: str) -> tuple[Part, ...]:
    return tuple(_part(pipeline) for pipeline in read(line))


_remembered = lru_cache(maxsize=_REMEMBERED)(_parts)


def _part(pipeline: Pipeline) -> Part:
    if len(pipeline.stages) == 1 and len(pipeline.stages[0]) == 1:  # most lines
        return _of(pipeline, named(pipeline.stages[0][0]))
    stages = tuple(_real(tuple(map(named, stage))) for stage in pipeline.stages)
    at = next((at for at, one in enumerate(stages) if not one.trivial), 0)
    return _of(pipeline, stages[at], tuple(one.family for one in stages[at + 1 :][:MAX_COMMANDS]))


def _of(pipeline: Pipeline, first: Named, consumers: tuple[str, ...] = ()) -> Part:
    # Text that had to be cut must never be run: it is nobody's step.
    return Part(first.family, pipeline.text, first.words, consumers, first.trivial or not pipeline.whole)


def _real(commands: tuple[Named, ...]) -> Named:
    """The first of them that is not trivial, or the first."""
    return next((one for one in commands if not one.trivial), commands[0])
