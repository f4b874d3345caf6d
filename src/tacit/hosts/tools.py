"""Tools of hosts: what is kept of a call, which files it changed, and what an edit changed."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from enum import Enum
from itertools import takewhile

from tacit.hosts.records import Object, listing, mapping, string
from tacit.model.observation import Act
from tacit.record import Record
from tacit.secrets.redact import redacted
from tacit.text.display import clean
from tacit.text.shell import Step, Word, steps

# The files of a patch as `apply_patch` takes it.

_FILE = re.compile(r"^\*\*\* (?:Add File|Update File|Delete File|Move to): (.{1,4096})$", re.MULTILINE)


def patched_files(patch: str) -> tuple[str, ...]:
    """The files that a patch adds, updates, deletes or moves, each once."""
    return tuple(dict.fromkeys(found[1].strip() for found in _FILE.finditer(patch)))


# Which files a shell command changes, as far as its words say so. Never a guess: only literal words name a file.

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


# What each host calls its tools, and what is kept of a call (B3). One row a tool, by its name in lower case.


class Keeps(Enum):
    """When the result of a call is kept."""

    ALWAYS = "always"
    FAILURES = "failures"
    NEVER = "never"


class Tool(Record):
    """`shows` are fields of the input of which the first that is there is shown; `changes` name changed files."""

    act: Act = Act.OTHER
    shows: tuple[str, ...] = ()
    keeps: Keeps = Keeps.ALWAYS
    changes: tuple[str, ...] = ()


_PATHS = ("file_path", "filePath", "path", "absolute_path", "notebook_path", "relative_path", "dir_path", "paths")
_COMMANDS = ("command", "cmd", "commands", "script", "input", "chars")
_RAN = Tool(Act.RAN, _COMMANDS)
_CHANGED = Tool(Act.CHANGED, _PATHS, Keeps.FAILURES, ("file_path", "filePath", "path", "notebook_path"))
PATCHED = Tool(Act.CHANGED, ("patch", "patchText", "input", "command"), Keeps.FAILURES)
_READ = Tool(Act.READ, _PATHS, Keeps.NEVER)
_SEARCHED = Tool(Act.SEARCHED, ("pattern", "query", "glob", *_PATHS), Keeps.NEVER)
_DELEGATED = Tool(Act.DELEGATED, ("description", "prompt", "objective", "message", "task", "skill", "name"))
_ASKED = Tool(Act.ASKED, ("question", "questions", "message"), Keeps.NEVER)
_PLANNED = Tool(Act.PLANNED, ("plan", "subject", "explanation", "todos", "taskId"), Keeps.NEVER)
_FETCHED = Tool(Act.FETCHED, ("url", "query", "prompt"))
_OTHER = Tool()
_QUIET = Tool(keeps=Keeps.NEVER)

_NAMES = {
    _RAN: "bash shell local_shell shell_command exec_command exec unified_exec run_shell_command container.exec "
    "run_terminal_cmd powershell write_stdin write_bash terminal",
    _CHANGED: "edit multiedit write notebookedit write_file replace create edit_file create_file str_replace "
    "str_replace_editor str_replace_based_edit_tool insert delete_file",
    PATCHED: "apply_patch applypatch patch",
    _READ: "read notebookread read_file read_many_files view view_image list_directory list_dir ls list",
    _SEARCHED: "glob grep rg grep_files grep_search search_file_content codesearch toolsearch file_search",
    _DELEGATED: "task agent skill spawn_agent delegate_to_agent codebase_investigator slashcommand sendmessage",
    _ASKED: "askuserquestion ask_user question request_user_input",
    _PLANNED: "todowrite todoread write_todos update_plan update_todo exitplanmode enterplanmode exit_plan_mode "
    "taskcreate taskupdate tasklist taskget plan_exit",
    _FETCHED: "webfetch websearch web_fetch web_search google_web_search webpage fetch",
    _QUIET: "report_intent save_memory store_memory",
}
TOOLS = {name: tool for tool, names in _NAMES.items() for name in names.split()}
# A tool of a server: `mcp__server__tool`, `mcp_server_tool`, `server__tool`.
_SERVED = re.compile(r"mcp_|[a-z0-9-]{1,80}__")
_TACIT = re.compile(r"(?:^|[_.\-/])tacit(?:[_.\-/]|$)")


def tool_of(name: str) -> Tool:
    """The row of a tool; what is not in the table is kept as it is."""
    lower = name.lower()
    known = TOOLS.get(lower)
    if known is None and lower.startswith("functions."):
        known = TOOLS.get(lower.removeprefix("functions."))
    if known is not None:
        return known
    if _TACIT.search(lower):
        return Tool(Act.FETCHED, keeps=Keeps.NEVER)
    return Tool(Act.FETCHED) if _SERVED.match(lower) else _OTHER


# What an edit changed, as `old → new` in a few words: the lines that differ, not those around them.
#
# Secrets are looked for before anything is cut away: a line of a key alone does not look like one.

_OLD = ("old_string", "oldString", "old_str", "old_source")
_NEW = ("new_string", "newString", "new_str", "new_source", "insert_text", "content", "file_text")
_PATCH = ("patch", "patchText", "input", "command")
_LOOKED_AT = 8000  # characters of each side
_ARROW, _BETWEEN = " → ", " · "
_FEWEST = 12  # characters that are worth showing of one side
_BLANKS = re.compile(r"\s+")


def excerpt(tool: Tool, given: object, limit: int) -> str:
    """At most `limit` characters of what a call took out and put in; nothing of calls that change no file."""
    if tool.act is not Act.CHANGED:
        return ""
    edits = list(_patched(given) if tool is PATCHED else _edited(mapping(given)))
    told = ""
    for old, new in edits:
        room = limit - len(told) - (len(_BETWEEN) if told else 0)
        one = _shown(*_differing(_plain(old), _plain(new)), room)
        if not one:
            continue
        told = f"{told}{_BETWEEN}{one}" if told else one
        if limit - len(told) < 2 * _FEWEST:
            break
    return told


def _edited(fields: Object) -> Iterator[tuple[str, str]]:
    """The old and the new text of each edit of a call."""
    if fields.get("command") == "view":  # an editor that also shows files
        return
    for edit in [fields, *map(mapping, listing(fields.get("edits")))]:
        old, new = _first(edit, _OLD), _first(edit, _NEW)
        if old or new:
            yield old, new


def _patched(given: object) -> Iterator[tuple[str, str]]:
    """The lines that each hunk of a patch takes out and puts in."""
    text = given if isinstance(given, str) else _first(mapping(given), _PATCH)
    old: list[str] = []
    new: list[str] = []
    for line in [*text[:_LOOKED_AT].split("\n"), "@@"]:
        if line.startswith(("@@", "***", "--- ", "+++ ")):
            if old or new:
                yield "\n".join(old), "\n".join(new)
            old, new = [], []
        elif line.startswith("-"):
            old.append(line[1:])
        elif line.startswith("+"):
            new.append(line[1:])


def _first(fields: Object, names: tuple[str, ...]) -> str:
    return next((text for name in names if (text := string(fields.get(name)))), "")


def _plain(text: str) -> str:
    return redacted(clean(text[:_LOOKED_AT]))


def _differing(old: str, new: str) -> tuple[str, str]:
    """Two texts without the lines that they begin and end with alike."""
    before, after = old.split("\n"), new.split("\n")
    alike = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False)))
    before, after = before[alike:], after[alike:]
    ends = zip(reversed(before), reversed(after), strict=False)
    alike = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], ends))
    return "\n".join(before[: len(before) - alike]), "\n".join(after[: len(after) - alike])


def _shown(old: str, new: str, room: int) -> str:
    """Both sides on one line; what one does not need the other may have."""
    old, new = _BLANKS.sub(" ", old).strip(), _BLANKS.sub(" ", new).strip()
    room -= len(_ARROW)
    if old == new or room < 2 * _FEWEST:
        return ""
    if not old or not new:
        return f"{'−' if old else '+'} {_cut(old or new, room)}"
    half = room // 2
    first = min(len(old), max(half, room - len(new)))
    return f"{_cut(old, first)}{_ARROW}{_cut(new, room - first)}"


def _cut(text: str, room: int) -> str:
    """The beginning of a text, up to a blank where there is one."""
    if len(text) <= room:
        return text
    blank = text.rfind(" ", room // 2, room)
    return (text[:blank] if blank > 0 else text[: room - 1]).rstrip() + "…"
