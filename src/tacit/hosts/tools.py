"""Tools of hosts: what is captured of a call, which files it changed, and an excerpt of an edit."""

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

_PATCH_FILE_HEADER = re.compile(r"^\*\*\* (?:Add File|Update File|Delete File|Move to): (.{1,4096})$", re.MULTILINE)


def patched_files(patch: str) -> tuple[str, ...]:
    """Return the files that a patch in the format of `apply_patch` adds, updates, deletes or moves, each once."""
    return tuple(dict.fromkeys(match[1].strip() for match in _PATCH_FILE_HEADER.finditer(patch)))


# Files that a shell command changes. Nothing is guessed: only literal words count as file names.

_COMMAND_PREFIXES = frozenset("sudo env time command nohup exec then do else if while until ! builtin {".split())
_SHELLS = frozenset("bash sh zsh dash".split())
_NON_FILE_PREFIXES = ("/dev/", "/proc/", "&")
_MAX_DEPTH = 3
# Most lines change no file. This saves tokenizing them.
_MAY_CHANGE_FILES = re.compile(r">(?!&|\s?/dev/null)|\b(?:tee|g?sed|perl|mv|cp|rm|touch|apply_?patch)\b")
# Matches inside of a substitution or after `xargs`, too.
_TACIT_QUERY = re.compile(
    r"\btacit\s{1,20}(?:recall|brief|context|why|show|list|sessions?|review|injected|history|conflicts|worklog|stats)\b"
)

Words = tuple[ShellWord, ...]


def changed_files(line: str, *, failed: bool = False) -> tuple[str, ...]:
    """Return the files that a command line changes, each once. If it failed, its last command is ignored."""
    if _MAY_CHANGE_FILES.search(line) is None:
        return ()
    return tuple(dict.fromkeys(_find_changed_files(line, _MAX_DEPTH, failed)))


def runs_tacit(line: str) -> bool:
    """Whether a command line queries Tacit. Its output must not be captured again."""
    if "tacit" not in line:
        return False
    return _TACIT_QUERY.search(line) is not None or any(
        _is_tacit(_strip_prefixes(command.words)) for command in split_commands(line)
    )


def _is_tacit(words: Words) -> bool:
    names = [posixpath.basename(word.text) for word in words[:3]]
    return names[:1] == ["tacit"] or (names[1:] == ["-m", "tacit"] and names[0].startswith("python"))


def _find_changed_files(line: str, depth: int, failed: bool) -> Iterator[str]:
    commands = split_commands(line)
    folder: str | None = ""  # working directory relative to the start; None if unknown
    outer_folders: list[str | None] = []  # one per open subshell, which ends with a return to it
    for index, command in enumerate(commands):
        if command.preceding_operator == "(":
            outer_folders.append(folder)
        elif command.preceding_operator == ")" and outer_folders:
            folder = outer_folders.pop()
        if failed and index == len(commands) - 1:
            return
        words = _strip_prefixes(command.words)
        redirects = [word.text for word in command.outputs if _is_file_word(word)]
        files = [*redirects, *_argument_files(words), *patched_files(_patch_text(words, command))]
        if depth and (inner := _nested_line(words)):
            files += _find_changed_files(inner, depth - 1, failed)
        yield from (path for file in files if (path := _resolve_path(folder, file)) is not None)
        folder = _folder_after(folder, words)


def _strip_prefixes(words: Words) -> Words:
    """Return the words from the name of the command on, without assignments and commands like `sudo` before it."""
    for index, word in enumerate(words):
        name, equals, _value = word.text.partition("=")
        if word.text not in _COMMAND_PREFIXES and not (equals and name.isidentifier()):
            return words[index:]
    return ()


def _folder_after(folder: str | None, words: Words) -> str | None:
    """Return the working directory after a command, None if it is unknown."""
    if not words or words[0].text not in ("cd", "pushd", "popd"):
        return folder
    target = words[1] if len(words) == 2 else None
    if words[0].text == "popd" or target is None or not target.is_literal or target.text.startswith("-"):
        return None
    if target.text.startswith("/"):
        return target.text
    return None if folder is None else posixpath.join(folder, target.text)


def _resolve_path(folder: str | None, file: str) -> str | None:
    if file.startswith("/") or folder == "":
        return file
    return None if folder is None else posixpath.normpath(posixpath.join(folder, file))


def _is_file_word(word: ShellWord) -> bool:
    return (
        word.is_literal and bool(word.text) and not word.text.startswith(_NON_FILE_PREFIXES) and not word.text.isdigit()
    )


def _patch_text(words: Words, command: ShellCommand) -> str:
    if not words or words[0].text not in ("apply_patch", "applypatch"):
        return ""
    return command.heredoc_body or (words[1].text if len(words) > 1 else "")


def _nested_line(words: Words) -> str:
    """Return the command line that a shell runs: `bash -lc '…'`."""
    if len(words) < 3 or posixpath.basename(words[0].text) not in _SHELLS:
        return ""
    option, line = words[1].text, words[2]
    return line.text if option.startswith("-") and option.endswith("c") and line.is_literal else ""


def _argument_files(words: Words) -> list[str]:
    """Return the files that a command changes, by its arguments."""
    if not words or not words[0].is_literal:
        return []
    name = posixpath.basename(words[0].text)
    return [file for file in _FILE_COMMANDS[name](words[1:]) if file] if name in _FILE_COMMANDS else []


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
    folder = ""
    while len(words) > 2 and words[0].text == "-C":
        folder, words = words[1].text if words[1].is_literal else "", words[2:]
    find_files = {"mv": _mv_files, "rm": _file_operands}.get(words[0].text) if words else None
    return [posixpath.normpath(posixpath.join(folder, file)) for file in find_files(words[1:])] if find_files else []


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


# What is captured of each tool (B3)


class ResultPolicy(Enum):
    """When the result of a call is captured."""

    ALWAYS = "always"
    FAILURES = "failures"
    NEVER = "never"


class HostTool(Record):
    """A kind of tool: the first of `shown_fields` with a text is shown, `file_fields` name the changed files."""

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
# Tools of MCP servers: `mcp__server__tool`, `mcp_server_tool`, `server__tool`.
_MCP_TOOL_NAME = re.compile(r"mcp_|[a-z0-9-]{1,80}__")
_TACIT_TOOL_NAME = re.compile(r"(?:^|[_.\-/])tacit(?:[_.\-/]|$)")


def lookup_tool(name: str) -> HostTool:
    """Return how a tool is captured, by its name. Tools that are not in the table are captured as they are."""
    lower = name.lower()
    known = TOOLS.get(lower) or TOOLS.get(lower.removeprefix("functions."))
    if known is not None:
        return known
    if _TACIT_TOOL_NAME.search(lower):
        return HostTool(ToolAction.FETCHED, result_policy=ResultPolicy.NEVER)
    return HostTool(ToolAction.FETCHED) if _MCP_TOOL_NAME.match(lower) else _OTHER_TOOL


# Excerpts of edits: `old → new`, only the lines that differ

_OLD_TEXT_FIELDS = ("old_string", "oldString", "old_str", "old_source")
_NEW_TEXT_FIELDS = ("new_string", "newString", "new_str", "new_source", "insert_text", "content", "file_text")
_MAX_SIDE_CHARS = 8000  # of the old and of the new text
_ARROW, _EDIT_SEPARATOR = " → ", " · "
_MIN_SIDE_CHARS = 12  # a side with less room is not worth showing
_WHITESPACE = re.compile(r"\s+")


def edit_excerpt(tool: HostTool, arguments: object, limit: int) -> str:
    """Return at most `limit` characters of what a call removed and added; "" if the tool changes no files."""
    if tool.act is not ToolAction.CHANGED:
        return ""
    excerpt = ""
    for old, new in _parse_hunks(arguments) if tool is PATCH_TOOL else _parse_edits(as_object(arguments)):
        room = limit - len(excerpt) - (len(_EDIT_SEPARATOR) if excerpt else 0)
        edit = _format_edit(*_trim_common_lines(_redact_side(old), _redact_side(new)), room)
        if not edit:
            continue
        excerpt = f"{excerpt}{_EDIT_SEPARATOR}{edit}" if excerpt else edit
        if limit - len(excerpt) < 2 * _MIN_SIDE_CHARS:
            break
    return excerpt


def _parse_edits(fields: JsonDict) -> Iterator[tuple[str, str]]:
    """Yield the old and the new text of each edit."""
    if fields.get("command") == "view":  # some editing tools also show files
        return
    for edit in [fields, *map(as_object, as_list(fields.get("edits")))]:
        old, new = _first_string(edit, _OLD_TEXT_FIELDS), _first_string(edit, _NEW_TEXT_FIELDS)
        if old or new:
            yield old, new


def _parse_hunks(arguments: object) -> Iterator[tuple[str, str]]:
    """Yield the lines that each hunk of a patch removes and adds."""
    text = arguments if isinstance(arguments, str) else _first_string(as_object(arguments), PATCH_TOOL.shown_fields)
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
    """Redact before lines are cut away: a single line of a key does not look like a secret."""
    return redacted(clean(text[:_MAX_SIDE_CHARS]))


def _trim_common_lines(old: str, new: str) -> tuple[str, str]:
    """Return two texts without the lines that are equal at their start and end."""
    before, after = old.split("\n"), new.split("\n")
    common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False)))
    before, after = before[common:], after[common:]
    pairs = zip(reversed(before), reversed(after), strict=False)
    common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    return "\n".join(before[: len(before) - common]), "\n".join(after[: len(after) - common])


def _format_edit(old: str, new: str, room: int) -> str:
    """Return both sides on one line. Room that one side does not need goes to the other."""
    old, new = _WHITESPACE.sub(" ", old).strip(), _WHITESPACE.sub(" ", new).strip()
    room -= len(_ARROW)
    if old == new or room < 2 * _MIN_SIDE_CHARS:
        return ""
    if not old or not new:
        return f"{'−' if old else '+'} {_truncate(old or new, room)}"
    old_room = min(len(old), max(room // 2, room - len(new)))
    return f"{_truncate(old, old_room)}{_ARROW}{_truncate(new, room - old_room)}"


def _truncate(text: str, room: int) -> str:
    """Cut a text, at a space if possible."""
    if len(text) <= room:
        return text
    space = text.rfind(" ", room // 2, room)
    return (text[:space] if space > 0 else text[: room - 1]).rstrip() + "…"
