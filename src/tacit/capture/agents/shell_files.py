"""Which files a shell command changes, as far as its words say so. Never a guess: only literal words name a file."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator

from tacit.capture.agents.patches import patched_files
from tacit.capture.agents.shell_words import Step, Word, steps

_BEFORE = frozenset("sudo env time command nohup exec then do else if while until ! builtin {".split())
_SHELLS = frozenset("bash sh zsh dash".split())
_NO_FILES = ("/dev/", "/proc/", "&")
_DEPTH = 3
# Most lines change nothing, and are not taken apart.
_MAY_CHANGE = re.compile(r">(?!&|\s?/dev/null)|\b(?:tee|g?sed|perl|mv|cp|rm|touch|apply_?patch)\b")

# Also inside of a substitution, or behind `xargs`.
_ASKS = re.compile(
    r"\btacit\s{1,20}(?:recall|brief|context|why|show|list|sessions?|review|injected|history|conflicts|worklog|stats)\b"
)

Words = tuple[Word, ...]


def changed_files(line: str, *, failed: bool = False) -> tuple[str, ...]:
    """The files that a line changes, each once. When it failed, its last command is not believed."""
    if _MAY_CHANGE.search(line) is None:
        return ()
    return tuple(dict.fromkeys(_changed(line, _DEPTH, failed)))


def runs_tacit(line: str) -> bool:
    """Whether a line asks Tacit for something: what it answers must not come back."""
    if "tacit" not in line:
        return False
    return _ASKS.search(line) is not None or any(_is_tacit(_command(step.words)) for step in steps(line))


def _is_tacit(words: Words) -> bool:
    names = [posixpath.basename(word.text) for word in words[:3]]
    return names[:1] == ["tacit"] or (names[1:] == ["-m", "tacit"] and names[0].startswith("python"))


def _changed(line: str, depth: int, failed: bool) -> Iterator[str]:
    known = steps(line)
    folder: str | None = ""
    outer: list[str | None] = []
    for nth, step in enumerate(known):
        folder = _entered(step.after, folder, outer)
        words = _command(step.words)
        if failed and nth == len(known) - 1:
            return
        for file in (*_written(step), *_named(words), *patched_files(_patch(words, step))):
            if (path := _path(folder, file)) is not None:
                yield path
        if depth and (inner := _inner(words)):
            yield from (path for file in _changed(inner, depth - 1, failed) if (path := _path(folder, file)))
        folder = _folder(folder, words)


def _entered(after: str, folder: str | None, outer: list[str | None]) -> str | None:
    """A folder that was entered inside of brackets is left at their end."""
    if after == "(":
        outer.append(folder)
    elif after == ")" and outer:
        return outer.pop()
    return folder


def _command(words: Words) -> Words:
    """The words from the name of the command on, without what may stand before it."""
    for nth, word in enumerate(words):
        if word.text not in _BEFORE and not _is_assignment(word.text):
            return words[nth:]
    return ()


def _is_assignment(text: str) -> bool:
    name, sign, _value = text.partition("=")
    return bool(sign) and name.isidentifier()


def _folder(folder: str | None, words: Words) -> str | None:
    """Where the commands after this one run; nothing where that is not known."""
    if not words or words[0].text not in ("cd", "pushd", "popd"):
        return folder
    to = words[1] if len(words) == 2 else None
    if words[0].text == "popd" or to is None or not to.is_literal or to.text.startswith("-"):
        return None
    return to.text if to.text.startswith("/") else None if folder is None else posixpath.join(folder, to.text)


def _path(folder: str | None, file: str) -> str | None:
    if file.startswith("/") or not folder:
        return file if file.startswith("/") or folder is not None else None
    return posixpath.normpath(posixpath.join(folder, file))


def _written(step: Step) -> list[str]:
    return [word.text for word in step.outputs if _names_file(word)]


def _names_file(word: Word) -> bool:
    return word.is_literal and bool(word.text) and not word.text.startswith(_NO_FILES) and not word.text.isdigit()


def _patch(words: Words, step: Step) -> str:
    if not words or words[0].text not in ("apply_patch", "applypatch"):
        return ""
    return step.fed or (words[1].text if len(words) > 1 else "")


def _inner(words: Words) -> str:
    """The line that a shell is given: `bash -lc '…'`."""
    if len(words) < 3 or posixpath.basename(words[0].text) not in _SHELLS:
        return ""
    option, line = words[1].text, words[2]
    return line.text if option.startswith("-") and option.endswith("c") and line.is_literal else ""


def _named(words: Words) -> list[str]:
    """The files that the words of a command name as changed."""
    if not words or not words[0].is_literal:
        return []
    name = posixpath.basename(words[0].text)
    return [file for file in _CHANGES[name](words[1:]) if file] if name in _CHANGES else []


def _literal(words: Words) -> list[str]:
    """The words that are no options."""
    plain = [word for word in words if not (word.is_literal and word.text.startswith("-") and word.text != "-")]
    return [word.text for word in plain if _names_file(word)]


def _sed(words: Words) -> list[str]:
    """`sed -i SCRIPT FILE…`: the script is the first word, unless an option brings it."""
    options = [word.text for word in words if word.text.startswith("-")]
    if not any(option.startswith("--in-place") or _has(option, "i") for option in options):
        return []
    rest, brought = _without_scripts(words)
    return rest if brought else rest[1:]


def _perl(words: Words) -> list[str]:
    if not any(_has(word.text, "i") for word in words):
        return []
    rest, brought = _without_scripts(words)
    return rest if brought else []


def _has(option: str, letter: str) -> bool:
    """Whether a letter is among the short options: `-Ei`, `-pi`, `-i.bak`."""
    flags = option[1:].partition(".")[0]
    return option.startswith("-") and not option.startswith("--") and letter in flags and len(flags) <= 4


def _without_scripts(words: Words) -> tuple[list[str], bool]:
    """The words that are no options and no scripts, and whether an option brought a script."""
    rest: list[Word] = []
    brought = skips = False
    for word in words:
        if skips:
            skips = False
        elif (word.is_literal and word.text in ("--expression", "--file")) or _ends_with_script(word.text):
            brought = skips = True
        elif word.text.startswith(("--expression=", "--file=")):
            brought = True
        elif not word.text.startswith("-") or not word.is_literal:
            rest.append(word)
    plain = [word for word in rest if word.text]
    return [word.text if _names_file(word) else "" for word in plain], brought


def _ends_with_script(option: str) -> bool:
    return option.startswith("-") and not option.startswith("--") and option[-1:] in ("e", "f") and len(option) <= 5


def _moved(words: Words) -> list[str]:
    return [*_literal(words)[:-1], *_copied(words)]


def _copied(words: Words) -> list[str]:
    """Where the files are afterwards: the last word, or under it when it is plainly a folder."""
    if any(not word.is_literal for word in words) or any(word.text.startswith("-t") for word in words):
        return []
    files = _literal(words)
    if len(files) < 2:
        return []
    *sources, target = files
    is_folder = len(sources) > 1 or target.endswith("/") or target in (".", "..")
    return (
        [posixpath.normpath(posixpath.join(target, posixpath.basename(file))) for file in sources]
        if is_folder
        else [target]
    )


def _git(words: Words) -> list[str]:
    folder = ""
    while len(words) > 2 and words[0].text == "-C":
        folder, words = words[1].text if words[1].is_literal else "", words[2:]
    changed = {"mv": _moved, "rm": _literal}.get(words[0].text) if words else None
    return [posixpath.normpath(posixpath.join(folder, file)) for file in changed(words[1:])] if changed else []


def _touched(words: Words) -> list[str]:
    return [] if any(word.text in ("-r", "-d", "-t") for word in words) else _literal(words)


_CHANGES: dict[str, Callable[[Words], list[str]]] = {
    "tee": _literal,
    "sed": _sed,
    "gsed": _sed,
    "perl": _perl,
    "git": _git,
    "mv": _moved,
    "cp": _copied,
    "rm": _literal,
    "touch": _touched,
}
