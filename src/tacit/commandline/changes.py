"""Files that a command line changes. Nothing is guessed: only literal words count as file names."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator

from tacit.commandline.bash import SimpleCommand, Word, scan_leading_commands
from tacit.commandline.executions import command_layers
from tacit.text.display import regex

_NON_FILE_PREFIXES = ("/dev/", "/proc/", "&")
_PATCH_HEADERS = ("*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ")
_MAX_PATH_CHARS = 4096
_GLUED_QUOTE = r"\w[\"']+\w"
_FILE_OUTPUT = r">(?!&?[ \t]*(?:[0-9]{1,3}(?:[\s;|&)]|\Z)|/dev/|/proc/))"  # neither `2>&1` nor `>/dev/null`
Words = tuple[Word, ...]


def changed_files(line: str, *, failed: bool = False) -> tuple[str, ...]:
    """Return the files that a line changes, each once. If it failed, its last command is ignored."""
    if not _may_change_files(line):
        return ()  # most lines change no file
    commands = scan_leading_commands(line)
    layers = (layer for command in (commands[:-1] if failed else commands) for layer in command_layers(command))
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
    options = [word.text for word in words if word.text.startswith("-")]
    if not any(option.startswith("--in-place") or _has_short_option(option, "i") for option in options):
        return []
    operands, has_script = _operands_without_scripts(words)
    return operands if has_script else operands[1:]


def _perl_files(words: Words) -> list[str]:
    if not any(_has_short_option(word.text, "i") for word in words):
        return []
    operands, has_script = _operands_without_scripts(words)
    return operands if has_script else []


def _has_short_option(option: str, letter: str) -> bool:
    """Whether a word has this letter among its short options: `-Ei`, `-pi`, `-i.bak`."""
    flags = option[1:].partition(".")[0]
    return option.startswith("-") and not option.startswith("--") and letter in flags and len(flags) <= 4


def _operands_without_scripts(words: Words) -> tuple[list[str], bool]:
    """Return the operands ("" for one that is not a file name), and whether an option gives a script."""
    operands: list[str] = []
    has_script = is_argument = False
    for word in words:
        if is_argument:
            is_argument = False
        elif (word.is_literal and word.text in ("--expression", "--file")) or _is_script_option(word.text):
            has_script = is_argument = True
        elif word.text.startswith(("--expression=", "--file=")):
            has_script = True
        elif word.text and not (word.text.startswith("-") and word.is_literal):
            operands.append(word.text if _is_file_word(word) else "")
    return operands, has_script


def _is_script_option(option: str) -> bool:
    return option.startswith("-") and not option.startswith("--") and option[-1:] in ("e", "f") and len(option) <= 5


def _mv_files(words: Words) -> list[str]:
    return [*_file_operands(words)[:-1], *_cp_files(words)]


def _cp_files(words: Words) -> list[str]:
    """Return where the files are afterwards: the last operand, or below it if it must be a folder."""
    if any(not word.is_literal for word in words) or any(word.text.startswith("-t") for word in words):
        return []
    files = _file_operands(words)
    if len(files) < 2:
        return []
    *sources, target = files
    is_folder = len(sources) > 1 or target.endswith("/") or target in (".", "..")
    if not is_folder:
        return [target]
    return [posixpath.normpath(posixpath.join(target, posixpath.basename(file))) for file in sources]


def _git_files(words: Words) -> list[str]:
    while len(words) > 2 and words[0].text == "-C":  # it is in the directory of the command already
        words = words[2:]
    find_files = {"mv": _mv_files, "rm": _file_operands}.get(words[0].text) if words else None
    return find_files(words[1:]) if find_files else []


def _last_operand(words: Words) -> list[str]:
    files = _file_operands(words)
    return files[-1:] if len(files) > 1 else []


def _operands_behind_mode(words: Words) -> list[str]:
    """`chmod MODE FILE…`"""
    return [word.text for word in words if not word.text.startswith("-")][1:]


def _touch_files(words: Words) -> list[str]:
    return [] if any(word.text in ("-r", "-d", "-t") for word in words) else _file_operands(words)


_FILE_COMMANDS: dict[str, Callable[[Words], list[str]]] = {
    "tee": _file_operands,
    "sed": _sed_files,
    "gsed": _sed_files,
    "perl": _perl_files,
    "git": _git_files,
    "mv": _mv_files,
    "cp": _cp_files,
    "rm": _file_operands,
    "touch": _touch_files,
    "truncate": _file_operands,
    "shred": _file_operands,
    "unlink": _file_operands,
    "rmdir": _file_operands,
    "ln": _last_operand,
    "rsync": _last_operand,
    "chmod": _operands_behind_mode,
    "chown": _operands_behind_mode,
}
# Without `git`, which changes files by its `mv` and `rm`.
_FILE_COMMAND = rf"\b(?:{'|'.join(name for name in _FILE_COMMANDS if name != 'git')})(?![\w.-])"
