"""Tools of hosts: what is kept of a call, which files it changed, and what an edit changed."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from enum import Enum
from itertools import takewhile

from tacit.hosts.records import JsonDict, as_list, as_object, as_string
from tacit.model.observation import ToolAction
from tacit.record import Record
from tacit.secrets.redact import redacted
from tacit.text.display import clean
from tacit.text.shell import ShellCommand, ShellWord, split_commands

# The files of a patch as `apply_patch` takes it.

_PATCH_FILE_HEADER = re.compile(r"^\*\*\* (?:Add File|Update File|Delete File|Move to): (.{1,4096})$", re.MULTILINE)


def patched_files(patch: str) -> tuple[str, ...]:
    """The files that a patch adds, updates, deletes or moves, each once."""
    return tuple(dict.fromkeys(found[1].strip() for found in _PATCH_FILE_HEADER.finditer(patch)))


# Which files a shell command changes, as far as its words say so. Never a guess: only literal words name a file.

_COMMAND_PREFIXES = frozenset("sudo env time command nohup exec then do else if while until ! builtin {".split())
_SHELLS = frozenset("bash sh zsh dash".split())
_NON_FILE_PREFIXES = ("/dev/", "/proc/", "&")
_MAX_DEPTH = 3
# Most lines change nothing, and are not taken apart.
_MAY_CHANGE_FILES = re.compile(r">(?!&|\s?/dev/null)|\b(?:tee|g?sed|perl|mv|cp|rm|touch|apply_?patch)\b")

# Also inside of a substitution, or behind `xargs`.
_TACIT_QUERY = re.compile(
    r"\btacit\s{1,20}(?:recall|brief|context|why|show|list|sessions?|review|injected|history|conflicts|worklog|stats)\b"
)

Words = tuple[ShellWord, ...]


def changed_files(line: str, *, failed: bool = False) -> tuple[str, ...]:
    """The files that a line changes, each once. When it failed, its last command is not believed."""
    if _MAY_CHANGE_FILES.search(line) is None:
        return ()
    return tuple(dict.fromkeys(_find_changed_files(line, _MAX_DEPTH, failed)))


def runs_tacit(line: str) -> bool:
    """Whether a line asks Tacit for something: what it answers must not come back."""
    if "tacit" not in line:
        return False
    return _TACIT_QUERY.search(line) is not None or any(
        _is_tacit(_strip_prefixes(step.words)) for step in split_commands(line)
    )


def _is_tacit(words: Words) -> bool:
    names = [posixpath.basename(word.text) for word in words[:3]]
    return names[:1] == ["tacit"] or (names[1:] == ["-m", "tacit"] and names[0].startswith("python"))


def _find_changed_files(line: str, depth: int, failed: bool) -> Iterator[str]:
    known = split_commands(line)
    folder: str | None = ""
    outer: list[str | None] = []
    for nth, step in enumerate(known):
        folder = _track_subshell(step.preceding_operator, folder, outer)
        words = _strip_prefixes(step.words)
        if failed and nth == len(known) - 1:
            return
        for file in (*_redirect_targets(step), *_argument_files(words), *patched_files(_patch_text(words, step))):
            if (path := _resolve_path(folder, file)) is not None:
                yield path
        if depth and (inner := _nested_line(words)):
            yield from (
                path for file in _find_changed_files(inner, depth - 1, failed) if (path := _resolve_path(folder, file))
            )
        folder = _folder_after(folder, words)


def _track_subshell(after: str, folder: str | None, outer: list[str | None]) -> str | None:
    """A folder that was entered inside of brackets is left at their end."""
    if after == "(":
        outer.append(folder)
    elif after == ")" and outer:
        return outer.pop()
    return folder


def _strip_prefixes(words: Words) -> Words:
    """The words from the name of the command on, without what may stand before it."""
    for nth, word in enumerate(words):
        if word.text not in _COMMAND_PREFIXES and not _is_assignment(word.text):
            return words[nth:]
    return ()


def _is_assignment(text: str) -> bool:
    name, sign, _value = text.partition("=")
    return bool(sign) and name.isidentifier()


def _folder_after(folder: str | None, words: Words) -> str | None:
    """Where the commands after this one run; nothing where that is not known."""
    if not words or words[0].text not in ("cd", "pushd", "popd"):
        return folder
    to = words[1] if len(words) == 2 else None
    if words[0].text == "popd" or to is None or not to.is_literal or to.text.startswith("-"):
        return None
    return to.text if to.text.startswith("/") else None if folder is None else posixpath.join(folder, to.text)


def _resolve_path(folder: str | None, file: str) -> str | None:
    if file.startswith("/") or not folder:
        return file if file.startswith("/") or folder is not None else None
    return posixpath.normpath(posixpath.join(folder, file))


def _redirect_targets(step: ShellCommand) -> list[str]:
    return [word.text for word in step.outputs if _is_file_word(word)]


def _is_file_word(word: ShellWord) -> bool:
    return (
        word.is_literal and bool(word.text) and not word.text.startswith(_NON_FILE_PREFIXES) and not word.text.isdigit()
    )


def _patch_text(words: Words, step: ShellCommand) -> str:
    if not words or words[0].text not in ("apply_patch", "applypatch"):
        return ""
    return step.heredoc_body or (words[1].text if len(words) > 1 else "")


def _nested_line(words: Words) -> str:
    """The line that a shell is given: `bash -lc '…'`."""
    if len(words) < 3 or posixpath.basename(words[0].text) not in _SHELLS:
        return ""
    option, line = words[1].text, words[2]
    return line.text if option.startswith("-") and option.endswith("c") and line.is_literal else ""


def _argument_files(words: Words) -> list[str]:
    """The files that the words of a command name as changed."""
    if not words or not words[0].is_literal:
        return []
    name = posixpath.basename(words[0].text)
    return [file for file in _FILE_COMMANDS[name](words[1:]) if file] if name in _FILE_COMMANDS else []


def _file_operands(words: Words) -> list[str]:
    """The words that are no options."""
    plain = [word for word in words if not (word.is_literal and word.text.startswith("-") and word.text != "-")]
    return [word.text for word in plain if _is_file_word(word)]


def _sed_files(words: Words) -> list[str]:
    """`sed -i SCRIPT FILE…`: the script is the first word, unless an option brings it."""
    options = [word.text for word in words if word.text.startswith("-")]
    if not any(option.startswith("--in-place") or _has_short_option(option, "i") for option in options):
        return []
    rest, brought = _operands_without_scripts(words)
    return rest if brought else rest[1:]


def _perl_files(words: Words) -> list[str]:
    if not any(_has_short_option(word.text, "i") for word in words):
        return []
    rest, brought = _operands_without_scripts(words)
    return rest if brought else []


def _has_short_option(option: str, letter: str) -> bool:
    """Whether a letter is among the short options: `-Ei`, `-pi`, `-i.bak`."""
    flags = option[1:].partition(".")[0]
    return option.startswith("-") and not option.startswith("--") and letter in flags and len(flags) <= 4


def _operands_without_scripts(words: Words) -> tuple[list[str], bool]:
    """The words that are no options and no scripts, and whether an option brought a script."""
    rest: list[ShellWord] = []
    brought = skips = False
    for word in words:
        if skips:
            skips = False
        elif (word.is_literal and word.text in ("--expression", "--file")) or _is_script_option(word.text):
            brought = skips = True
        elif word.text.startswith(("--expression=", "--file=")):
            brought = True
        elif not word.text.startswith("-") or not word.is_literal:
            rest.append(word)
    plain = [word for word in rest if word.text]
    return [word.text if _is_file_word(word) else "" for word in plain], brought


def _is_script_option(option: str) -> bool:
    return option.startswith("-") and not option.startswith("--") and option[-1:] in ("e", "f") and len(option) <= 5


def _mv_files(words: Words) -> list[str]:
    return [*_file_operands(words)[:-1], *_cp_files(words)]


def _cp_files(words: Words) -> list[str]:
    """Where the files are afterwards: the last word, or under it when it is plainly a folder."""
    if any(not word.is_literal for word in words) or any(word.text.startswith("-t") for word in words):
        return []
    files = _file_operands(words)
    if len(files) < 2:
        return []
    *sources, target = files
    is_folder = len(sources) > 1 or target.endswith("/") or target in (".", "..")
    return (
        [posixpath.normpath(posixpath.join(target, posixpath.basename(file))) for file in sources]
        if is_folder
        else [target]
    )


def _git_files(words: Words) -> list[str]:
    folder = ""
    while len(words) > 2 and words[0].text == "-C":
        folder, words = words[1].text if words[1].is_literal else "", words[2:]
    changed = {"mv": _mv_files, "rm": _file_operands}.get(words[0].text) if words else None
    return [posixpath.normpath(posixpath.join(folder, file)) for file in changed(words[1:])] if changed else []


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
}


# What each host calls its tools, and what is kept of a call (B3). One row a tool, by its name in lower case.


class ResultPolicy(Enum):
    """When the result of a call is kept."""

    ALWAYS = "always"
    FAILURES = "failures"
    NEVER = "never"


class HostTool(Record):
    """`shows` are fields of the input of which the first that is there is shown; `changes` name changed files."""

    act: ToolAction = ToolAction.OTHER
    shown_fields: tuple[str, ...] = ()
    result_policy: ResultPolicy = ResultPolicy.ALWAYS
    file_fields: tuple[str, ...] = ()


_PATH_FIELDS = ("file_path", "filePath", "path", "absolute_path", "notebook_path", "relative_path", "dir_path", "paths")
_COMMAND_FIELDS = ("command", "cmd", "commands", "script", "input", "chars")
_SHELL_TOOL = HostTool(ToolAction.RAN, _COMMAND_FIELDS)
_EDIT_TOOL = HostTool(
    ToolAction.CHANGED, _PATH_FIELDS, ResultPolicy.FAILURES, ("file_path", "filePath", "path", "notebook_path")
)
PATCH_TOOL = HostTool(ToolAction.CHANGED, ("patch", "patchText", "input", "command"), ResultPolicy.FAILURES)
_READ_TOOL = HostTool(ToolAction.READ, _PATH_FIELDS, ResultPolicy.NEVER)
_SEARCH_TOOL = HostTool(ToolAction.SEARCHED, ("pattern", "query", "glob", *_PATH_FIELDS), ResultPolicy.NEVER)
_SUBAGENT_TOOL = HostTool(
    ToolAction.DELEGATED, ("description", "prompt", "objective", "message", "task", "skill", "name")
)
_QUESTION_TOOL = HostTool(ToolAction.ASKED, ("question", "questions", "message"), ResultPolicy.NEVER)
_PLAN_TOOL = HostTool(ToolAction.PLANNED, ("plan", "subject", "explanation", "todos", "taskId"), ResultPolicy.NEVER)
_FETCH_TOOL = HostTool(ToolAction.FETCHED, ("url", "query", "prompt"))
_OTHER_TOOL = HostTool()
_SILENT_TOOL = HostTool(result_policy=ResultPolicy.NEVER)

_TOOL_NAMES = {
    _SHELL_TOOL: "bash shell local_shell shell_command exec_command exec unified_exec run_shell_command container.exec "
    "run_terminal_cmd powershell write_stdin write_bash terminal",
    _EDIT_TOOL: "edit multiedit write notebookedit write_file replace create edit_file create_file str_replace "
    "str_replace_editor str_replace_based_edit_tool insert delete_file",
    PATCH_TOOL: "apply_patch applypatch patch",
    _READ_TOOL: "read notebookread read_file read_many_files view view_image list_directory list_dir ls list",
    _SEARCH_TOOL: "glob grep rg grep_files grep_search search_file_content codesearch toolsearch file_search",
    _SUBAGENT_TOOL: "task agent skill spawn_agent delegate_to_agent codebase_investigator slashcommand sendmessage",
    _QUESTION_TOOL: "askuserquestion ask_user question request_user_input",
    _PLAN_TOOL: "todowrite todoread write_todos update_plan update_todo exitplanmode enterplanmode exit_plan_mode "
    "taskcreate taskupdate tasklist taskget plan_exit",
    _FETCH_TOOL: "webfetch websearch web_fetch web_search google_web_search webpage fetch",
    _SILENT_TOOL: "report_intent save_memory store_memory",
}
TOOLS = {name: tool for tool, names in _TOOL_NAMES.items() for name in names.split()}
# A tool of a server: `mcp__server__tool`, `mcp_server_tool`, `server__tool`.
_MCP_TOOL_NAME = re.compile(r"mcp_|[a-z0-9-]{1,80}__")
_TACIT_TOOL_NAME = re.compile(r"(?:^|[_.\-/])tacit(?:[_.\-/]|$)")


def lookup_tool(name: str) -> HostTool:
    """The row of a tool; what is not in the table is kept as it is."""
    lower = name.lower()
    known = TOOLS.get(lower)
    if known is None and lower.startswith("functions."):
        known = TOOLS.get(lower.removeprefix("functions."))
    if known is not None:
        return known
    if _TACIT_TOOL_NAME.search(lower):
        return HostTool(ToolAction.FETCHED, result_policy=ResultPolicy.NEVER)
    return HostTool(ToolAction.FETCHED) if _MCP_TOOL_NAME.match(lower) else _OTHER_TOOL


# What an edit changed, as `old → new` in a few words: the lines that differ, not those around them.
#
# Secrets are looked for before anything is cut away: a line of a key alone does not look like one.

_OLD_TEXT_FIELDS = ("old_string", "oldString", "old_str", "old_source")
_NEW_TEXT_FIELDS = ("new_string", "newString", "new_str", "new_source", "insert_text", "content", "file_text")
_PATCH_FIELDS = ("patch", "patchText", "input", "command")
_MAX_SIDE_CHARS = 8000  # characters of each side
_ARROW, _EDIT_SEPARATOR = " → ", " · "
_MIN_SIDE_CHARS = 12  # characters that are worth showing of one side
_WHITESPACE = re.compile(r"\s+")


def edit_excerpt(tool: HostTool, given: object, limit: int) -> str:
    """At most `limit` characters of what a call took out and put in; nothing of calls that change no file."""
    if tool.act is not ToolAction.CHANGED:
        return ""
    edits = list(_parse_hunks(given) if tool is PATCH_TOOL else _parse_edits(as_object(given)))
    told = ""
    for old, new in edits:
        room = limit - len(told) - (len(_EDIT_SEPARATOR) if told else 0)
        one = _format_edit(*_trim_common_lines(_redact_side(old), _redact_side(new)), room)
        if not one:
            continue
        told = f"{told}{_EDIT_SEPARATOR}{one}" if told else one
        if limit - len(told) < 2 * _MIN_SIDE_CHARS:
            break
    return told


def _parse_edits(fields: JsonDict) -> Iterator[tuple[str, str]]:
    """The old and the new text of each edit of a call."""
    if fields.get("command") == "view":  # an editor that also shows files
        return
    for edit in [fields, *map(as_object, as_list(fields.get("edits")))]:
        old, new = _first_string(edit, _OLD_TEXT_FIELDS), _first_string(edit, _NEW_TEXT_FIELDS)
        if old or new:
            yield old, new


def _parse_hunks(given: object) -> Iterator[tuple[str, str]]:
    """The lines that each hunk of a patch takes out and puts in."""
    text = given if isinstance(given, str) else _first_string(as_object(given), _PATCH_FIELDS)
    old: list[str] = []
    new: list[str] = []
    for line in [*text[:_MAX_SIDE_CHARS].split("\n"), "@@"]:
        if line.startswith(("@@", "***", "--- ", "+++ ")):
            if old or new:
                yield "\n".join(old), "\n".join(new)
            old, new = [], []
        elif line.startswith("-"):
            old.append(line[1:])
        elif line.startswith("+"):
            new.append(line[1:])


def _first_string(fields: JsonDict, names: tuple[str, ...]) -> str:
    return next((text for name in names if (text := as_string(fields.get(name)))), "")


def _redact_side(text: str) -> str:
    return redacted(clean(text[:_MAX_SIDE_CHARS]))


def _trim_common_lines(old: str, new: str) -> tuple[str, str]:
    """Two texts without the lines that they begin and end with alike."""
    before, after = old.split("\n"), new.split("\n")
    alike = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False)))
    before, after = before[alike:], after[alike:]
    ends = zip(reversed(before), reversed(after), strict=False)
    alike = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], ends))
    return "\n".join(before[: len(before) - alike]), "\n".join(after[: len(after) - alike])


def _format_edit(old: str, new: str, room: int) -> str:
    """Both sides on one line; what one does not need the other may have."""
    old, new = _WHITESPACE.sub(" ", old).strip(), _WHITESPACE.sub(" ", new).strip()
    room -= len(_ARROW)
    if old == new or room < 2 * _MIN_SIDE_CHARS:
        return ""
    if not old or not new:
        return f"{'−' if old else '+'} {_truncate(old or new, room)}"
    half = room // 2
    first = min(len(old), max(half, room - len(new)))
    return f"{_truncate(old, first)}{_ARROW}{_truncate(new, room - first)}"


def _truncate(text: str, room: int) -> str:
    """The beginning of a text, up to a blank where there is one."""
    if len(text) <= room:
        return text
    blank = text.rfind(" ", room // 2, room)
    return (text[:blank] if blank > 0 else text[: room - 1]).rstrip() + "…"
