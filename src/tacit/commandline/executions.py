"""What a command line executes and which files it changes, also behind `sudo`, `xargs`, `bash -c` and others.

Each wrapper adds a layer: `sudo env X=1 npm install` executes `sudo`, `env` and `npm`. What runs elsewhere (`ssh`,
`docker exec`) is a layer, too. Nothing is guessed: only literal words count as names of files, and a program that a
variable or `$(which …)` names is known only if the line itself says what it is.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import dropwhile, islice, pairwise

from tacit.commandline.bash import SimpleCommand, changed_directory, scan_commands, scan_leading_commands
from tacit.commandline.programs import ASSIGNMENT, RUN_PREFIXES, WRAPPERS, Wrapper, skip_options
from tacit.commandline.words import MAX_DEPTH, ScanError, Word, program_name
from tacit.text.display import regex

MAX_EXECUTIONS = 500  # of a line
_SHELLS = frozenset(("bash", "sh", "zsh", "dash", "ksh", "ash"))
_STRING_RUNNERS = frozenset(("su", "script", "runuser"))  # programs that run the value of -c
_EXEC_OPTIONS = {
    "find": frozenset(("-exec", "-execdir", "-ok", "-okdir")),
    "fd": frozenset(("-x", "-X", "--exec", "--exec-batch")),
    "fdfind": frozenset(("-x", "-X", "--exec", "--exec-batch")),
}
_CONTAINER_OPTIONS = frozenset("-e --env -u --user -w --workdir --env-file --detach-keys --index -f --file".split())
# They run a command on another machine or in a container, behind its name.
_ELSEWHERE = {
    "ssh": Wrapper(frozenset("-p -i -l -o -F -J -L -R -D -W -b -c -E -e -I -m -O -Q -S -w -B".split()), positionals=1),
    **dict.fromkeys(("docker exec", "podman exec"), Wrapper(_CONTAINER_OPTIONS, positionals=1)),
    "docker compose exec": Wrapper(_CONTAINER_OPTIONS, positionals=1),
}
_VARIABLE = r"\$\{?([A-Za-z_]\w*)\}?\Z"
_LOOKED_UP = r"(?:\$\(|`)(?:which|command -v|type -p) ([\w./-]+)[)`]\Z"
_NODE_VERSION = r"-|v?\d|lts|node\Z|stable\Z|default\Z|system\Z"
Words = tuple[Word, ...]


def executions(line: str) -> list[SimpleCommand]:
    """Return what a line executes, in order. Raise ScanError if the line is not understood."""
    layers = (layer for command in _resolved(scan_commands(line)) for layer in _layers(command))
    found = list(islice(layers, MAX_EXECUTIONS + 1))
    if len(found) > MAX_EXECUTIONS:
        raise ScanError
    return found


def leading_executions(line: str) -> list[SimpleCommand]:
    """Return what a line executes, up to where it is clipped or not understood."""
    layers = (layer for command in _resolved(scan_leading_commands(line)) for layer in _layers(command))
    return list(islice(layers, MAX_EXECUTIONS))


def _resolved(commands: Iterable[SimpleCommand]) -> Iterator[SimpleCommand]:
    """Yield commands with what the line says elsewhere: which program a variable is, and what is piped into a shell."""
    values: dict[str, str] = {}
    printed = ""
    for typed in commands:
        command, words = typed, typed.words
        if words and all(word.is_literal and regex(ASSIGNMENT).match(word.text) for word in words):
            values.update((name, value) for name, _, value in (word.text.partition("=") for word in words))
        elif words and not words[0].is_literal and (program := _known_program(words[0].text, values)):
            command = command._replace(words=(Word(program), *words[1:]))
        if printed and command.is_piped and command.program in _SHELLS and not command.heredoc:
            command = command._replace(heredoc=printed)
        printed = " ".join(word.text for word in words[1:]) if command.program in ("echo", "printf") else ""
        yield command


def _known_program(text: str, values: Mapping[str, str]) -> str:
    if match := regex(_VARIABLE).match(text):
        return values.get(match[1], "")
    match = regex(_LOOKED_UP).match(text)
    return match[1] if match else ""


def _layers(command: SimpleCommand, depth: int = 0) -> Iterator[SimpleCommand]:
    """Yield a command without the assignments before it, then what it runs."""
    start = 0
    while start < len(command.words) and regex(ASSIGNMENT).match(command.words[start].text):
        start += 1
    words = command.words[start:]
    command = command._replace(words=words)
    if len(words) > 2 and words[1] == Word("-C") and command.program in ("git", "make"):
        command = command._replace(directory=changed_directory(command.directory, words[1:3]))
    yield command
    if not words or depth >= MAX_DEPTH:
        return
    outer = (*command.outer, words)
    inner_commands = [*_inner_commands(words)]
    if command.program in _SHELLS and command.heredoc and not _script_of_shell(words):
        inner_commands.append(command.heredoc)
    for inner in inner_commands:
        if isinstance(inner, str):
            try:
                commands = scan_commands(inner, command.directory, depth + 1)
            except ScanError:  # only what is in the string stays unknown
                continue
        else:
            commands = [command._replace(words=inner, outputs=(), heredoc="")]
        for inner_command in commands:
            yield from _layers(inner_command._replace(outer=outer), depth + 1)


def _inner_commands(words: Words) -> Iterator[Words | str]:
    """Yield what a command runs: words of a command, or a string that a shell reads."""
    program = program_name(words)
    if find_inner := _INNER_COMMANDS.get(program):
        yield from find_inner(words)
    elif program in _SHELLS:
        yield _script_of_shell(words)
    elif program in _STRING_RUNNERS:
        yield from (words[at + 1].text for at, word in enumerate(words[:-1]) if word == Word("-c"))
    elif program in _EXEC_OPTIONS:
        yield from _exec_arguments(words, _EXEC_OPTIONS[program])
    elif program.startswith("python") and len(words) > 2 and Word("-m") in words[1:-1]:
        yield words[words.index(Word("-m")) + 1 :]
    elif program == "command" and len(words) > 1 and words[1].text in ("-v", "-V"):
        return
    elif program == "env" and len(words) > 2 and words[1].text in ("-S", "--split-string"):
        yield words[2].text
    elif wrapper := WRAPPERS.get(program) or RUN_PREFIXES.get(program):
        yield _behind_options(words, 1, wrapper)
    else:
        for count in (2, 3):
            prefix = " ".join((program, *(word.text for word in words[1:count])))
            if wrapper := RUN_PREFIXES.get(prefix) or _ELSEWHERE.get(prefix):
                yield _behind_options(words, count, wrapper)


def _words_behind_nvm(words: Words) -> Iterator[Words]:
    """`nvm exec [VERSION] COMMAND`"""
    if len(words) > 2 and words[1].text == "exec":
        yield tuple(dropwhile(lambda word: regex(_NODE_VERSION).match(word.text) is not None, words[2:]))


def _joined(words: Words) -> str:
    return " ".join(word.text for word in words)


# Of programs whose arguments are joined and read by a shell, and of those with a form of their own.
_INNER_COMMANDS: dict[str, Callable[[Words], Iterable[Words | str]]] = {
    "eval": lambda words: [_joined(words[1:])],
    "watch": lambda words: [_joined(_behind_options(words, 1, RUN_PREFIXES["watch"]))],
    "ssh": lambda words: [_joined(_behind_options(words, 1, _ELSEWHERE["ssh"]))],
    "trap": lambda words: [word.text for word in words[1:2]],
    "nvm": _words_behind_nvm,
}


def _behind_options(words: Words, at: int, wrapper: Wrapper) -> Words:
    """Return the words of the command behind a wrapper. The version of a package, as in `npx npm@10`, is left out."""
    inner = words[skip_options([word.text for word in words], at, *wrapper) :]
    if inner and inner[0].is_literal and "@" in inner[0].text[1:]:
        inner = (inner[0]._replace(text=inner[0].text.rpartition("@")[0]), *inner[1:])
    return inner


def _script_of_shell(words: Words) -> Words | str:
    """Return the value of -c, which may be the last letter of several (`bash -lc`), or the script and its words."""
    at = 1
    while at < len(words) and words[at].text[:1] in ("-", "+"):
        text = words[at].text
        is_short = not text.startswith("--")
        if is_short and text.endswith("c") and at + 1 < len(words):
            return words[at + 1].text
        at += 2 if (is_short and text[-1] in "oO") or text in ("--rcfile", "--init-file") else 1
    return words[at:]


def _exec_arguments(words: Words, options: frozenset[str]) -> Iterator[Words]:
    at = 0
    while at < len(words):
        if words[at].text in options:
            end = at + 1
            while end < len(words) and words[end].text not in (";", "+"):
                end += 1
            yield words[at + 1 : end]
            at = end
        at += 1


# Files that a line changes

_NON_FILE_PREFIXES = ("/dev/", "/proc/", "&")
_PATCH_HEADERS = ("*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ")
_MAX_PATH_CHARS = 4096
_GLUED_QUOTE = r"\w[\"']+\w"
_FILE_OUTPUT = r">(?!&?[ \t]*(?:[0-9]{1,3}(?:[\s;|&)]|\Z)|/dev/|/proc/))"  # neither `2>&1` nor `>/dev/null`


def changed_files(line: str, *, failed: bool = False) -> tuple[str, ...]:
    """Return the files that a line changes, each once. If it failed, its last command is ignored."""
    if not _may_change_files(line):
        return ()  # most lines change no file
    commands = scan_leading_commands(line)
    layers = (layer for command in (commands[:-1] if failed else commands) for layer in _layers(command))
    paths = (_resolve_path(layer.directory, file) for layer in layers for file in changed_by(layer))
    return tuple(dict.fromkeys(path for path in paths if path and not path.startswith("~")))


def _may_change_files(line: str) -> bool:
    """Return whether a line has a redirection to a file or the name of a command that changes files."""
    if not any(name in line for name in (">", "patch", *_FILE_COMMANDS)):
        return False
    if "patch" in line or "\\" in line or regex(_GLUED_QUOTE).search(line):  # `r"m"` is a name, too
        return True
    return regex(_FILE_OUTPUT).search(line) is not None or regex(_FILE_COMMAND).search(line) is not None


def changed_by(command: SimpleCommand) -> Iterator[str]:
    """Yield the files that a command surely writes, removes or replaces, relative to its directory."""
    if not command.is_complete:
        return
    yield from (word.text for word in command.outputs if _is_file_word(word))
    if find_files := _FILE_COMMANDS.get(command.program):
        yield from filter(None, find_files(command.words[1:]))
    elif command.program in ("apply_patch", "applypatch"):
        yield from patched_files(command.heredoc or "".join(word.text for word in command.words[1:2]))


def patched_files(patch: str) -> tuple[str, ...]:
    """Return the files that a patch in the format of `apply_patch` adds, updates, deletes or moves, each once."""
    names = (
        line.removeprefix(header).strip()
        for line in patch.split("\n")
        for header in _PATCH_HEADERS
        if line.startswith(header) and len(line) <= _MAX_PATH_CHARS
    )
    return tuple(dict.fromkeys(filter(None, names)))


def _resolve_path(directory: str | None, file: str) -> str | None:
    if file.startswith(("/", "~")) or directory == "":
        return file
    return None if directory is None else posixpath.normpath(posixpath.join(directory, file))


def _is_file_word(word: Word) -> bool:
    return (
        word.is_literal and bool(word.text) and not word.text.startswith(_NON_FILE_PREFIXES) and not word.text.isdigit()
    )


def _file_operands(words: Words) -> list[str]:
    """Return the file names among the words that are not options."""
    operands = [word for word in words if not (word.is_literal and word.text.startswith("-") and word.text != "-")]
    return [word.text for word in operands if _is_file_word(word)]


def _sed_files(words: Words) -> list[str]:
    """`sed -i SCRIPT FILE…`: the script is the first operand, unless it is given by an option."""
    is_in_place = any(word.text.startswith("--in-place") for word in words) or _has_short_option(words, "i")
    operands, has_script = _operands_without_scripts(words)
    return (operands if has_script else operands[1:]) if is_in_place else []


def _perl_files(words: Words) -> list[str]:
    operands, has_script = _operands_without_scripts(words)
    return operands if has_script and _has_short_option(words, "i") else []


def _has_short_option(words: Words, letter: str) -> bool:
    """Whether a word has this letter among its short options: `-Ei`, `-pi`, `-i.bak`."""
    options = [word.text[1:].partition(".")[0] for word in words if word.text.startswith("-")]
    return any(letter in flags and len(flags) <= 4 and not flags.startswith("-") for flags in options)


def _operands_without_scripts(words: Words) -> tuple[list[str], bool]:
    """Return the operands ("" for one that is not a file name), and whether an option gives a script."""
    operands: list[str] = []
    has_script = is_argument = False
    for word in words:
        text = word.text
        is_short_option = text.startswith("-") and not text.startswith("--") and len(text) <= 5
        if is_argument:
            is_argument = False
        elif (word.is_literal and text in ("--expression", "--file")) or (is_short_option and text[-1] in "ef"):
            has_script = is_argument = True
        elif text.startswith(("--expression=", "--file=")):
            has_script = True
        elif text and not (text.startswith("-") and word.is_literal):
            operands.append(text if _is_file_word(word) else "")
    return operands, has_script


def _mv_files(words: Words) -> list[str]:
    return [*_file_operands(words)[:-1], *_cp_files(words)]


def _cp_files(words: Words) -> list[str]:
    """Return where the files are afterwards: the last operand, or below it if it must be a folder."""
    if any(not word.is_literal or word.text.startswith("-t") for word in words):
        return []
    files = _file_operands(words)
    if len(files) < 2:
        return []
    *sources, target = files
    if len(sources) == 1 and not target.endswith("/") and target not in (".", ".."):
        return [target]
    return [posixpath.normpath(posixpath.join(target, posixpath.basename(file))) for file in sources]


def _git_files(words: Words) -> list[str]:
    while len(words) > 2 and words[0].text == "-C":  # it is in the directory of the command already
        words = words[2:]
    finders = {"mv": _mv_files, "rm": _file_operands, "restore": _git_restore_files, "checkout": _files_behind_dashes}
    find_files = finders.get(words[0].text) if words else None
    return find_files(words[1:]) if find_files else []


def _git_restore_files(words: Words) -> list[str]:
    return _file_operands(_without_values(words, ("-s", "--source")))


def _files_behind_dashes(words: Words) -> list[str]:
    """`git checkout BRANCH -- FILE…`: without the dashes a word may be a branch."""
    return _file_operands(words[words.index(Word("--")) + 1 :]) if Word("--") in words else []


def _without_values(words: Words, options: Collection[str]) -> Words:
    return tuple(word for before, word in zip((Word(""), *words), words, strict=False) if before.text not in options)


def _values_of(*options: str) -> Callable[[Words], list[str]]:
    """Return what finds the files that are values of options: `-o FILE`, `-oFILE`, `--output=FILE`."""

    def find_files(words: Words) -> list[str]:
        found = [word for before, word in pairwise(words) if before.text in options]
        files = [word.text for word in found if _is_file_word(word)]
        for word in words:
            for option in options:
                name = f"{option}=" if option.startswith("--") else option
                if word.is_literal and word.text.startswith(name) and word.text != option:
                    files.append(word.text.removeprefix(name))
        return files

    return find_files


def _dd_files(words: Words) -> list[str]:
    return [word.text.removeprefix("of=") for word in words if word.is_literal and word.text.startswith("of=")]


def _patch_files(words: Words) -> list[str]:
    return _file_operands(_without_values(words, ("-i", "--input", "-d", "--directory", "-o", "--output")))[:1]


def _last_operand(words: Words) -> list[str]:
    files = _file_operands(words)
    return files[-1:] if len(files) > 1 else []


def _operands_behind_mode(words: Words) -> list[str]:
    """`chmod MODE FILE…`"""
    return [word.text for word in words if not word.text.startswith("-")][1:]


def _touch_files(words: Words) -> list[str]:
    return [] if any(word.text in ("-r", "-d", "-t") for word in words) else _file_operands(words)


_FILE_COMMANDS: dict[str, Callable[[Words], list[str]]] = {
    **dict.fromkeys(("tee", "rm", "truncate", "shred", "unlink", "rmdir"), _file_operands),
    **dict.fromkeys(("sed", "gsed"), _sed_files),
    **dict.fromkeys(("ln", "rsync"), _last_operand),
    **dict.fromkeys(("chmod", "chown"), _operands_behind_mode),
    "perl": _perl_files,
    "git": _git_files,
    "mv": _mv_files,
    "cp": _cp_files,
    "touch": _touch_files,
    "curl": _values_of("-o", "--output"),
    "wget": _values_of("-O", "--output-document"),
    "dd": _dd_files,
    "patch": _patch_files,
}
# Without `git`, which changes files by its `mv`, `rm`, `restore` and `checkout`.
_FILE_COMMAND = rf"\b(?:{'|'.join(name for name in _FILE_COMMANDS if name != 'git')}|restore|checkout)(?![\w.-])"
