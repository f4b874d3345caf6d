"""Tools of hosts: what is captured of a call, which files it changed, and an excerpt of an edit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from itertools import takewhile

from tacit.commandline.executions import changed_files, leading_executions, patched_files
from tacit.hosts.records import MAX_NAME_CHARS, JsonDict, as_list, as_object, as_string
from tacit.model.observation import ToolAction, ToolOutcome
from tacit.record import Record
from tacit.secrets import redacted, secret_kind
from tacit.text.display import clean

# Shell lines

# Matches inside of a substitution or after `xargs`, too.
_TACIT_QUERY = re.compile(
    r"\btacit\s{1,20}(?:recall|brief|context|why|show|list|sessions?|review|injected|history|conflicts|worklog|stats)\b"
)


def runs_tacit(line: str) -> bool:
    """Whether a command line queries Tacit. Its output must not be captured again."""
    if "tacit" not in line:
        return False
    return _TACIT_QUERY.search(line) is not None or any(
        command.program == "tacit" for command in leading_executions(line)
    )


_PLAIN_QUERY = re.compile(rf"\s*({_TACIT_QUERY.pattern})[^|&;<>\n]*\Z")


def without_query(line: str) -> str:
    """Return a line without the words of a query to Tacit, which would be found by the next one."""
    match = _PLAIN_QUERY.match(line) if "tacit" in line else None
    return f"{match[1]} …" if match and match.end(1) < len(line.rstrip()) else line


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


def is_own_tool(name: str) -> bool:
    """Return whether a tool is one of Tacit's server. What it is asked is nothing that anybody said or did."""
    return _TACIT_TOOL_NAME.search(name.lower()) is not None


def lookup_tool(name: str) -> HostTool:
    """Return how a tool is captured, by its name. Tools that are not in the table are captured as they are."""
    lower = name.lower()
    known = TOOLS.get(lower) or TOOLS.get(lower.removeprefix("functions."))
    if known is not None:
        return known
    if is_own_tool(lower):
        return HostTool(ToolAction.FETCHED, result_policy=ResultPolicy.NEVER)
    return HostTool(ToolAction.FETCHED) if _MCP_TOOL_NAME.match(lower) else _OTHER_TOOL


# Arguments of tool calls

_PATCH_START = "*** Begin Patch"
_TEXT_FIELDS = ("question", "content", "step", "subject", "description", "path", "file_path", "text", "name")
_MAX_PARTS = 20
_MAX_FILES = 200


def summarize_input(tool: HostTool, arguments: object) -> str:
    """Return the first of the tool's `shown_fields` that has a text, else all fields as `name: text`."""
    if isinstance(arguments, str):
        return arguments
    fields = as_object(arguments)
    for name in tool.shown_fields:
        if name in fields and (text := _value_text(fields[name])):
            return text
    return ", ".join(f"{name}: {text}" for name, value in fields.items() if (text := _value_text(value)))


def _value_text(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        words = [word for word in value[:_MAX_PARTS] if isinstance(word, str)]
        if len(words) == len(value) >= 3 and words[1] in ("-lc", "-c", "-ic"):  # bash -lc LINE
            return words[2]
        if words:
            return " ".join(words)
        return "; ".join(text for part in value[:_MAX_PARTS] if (text := _value_text(part)))
    if isinstance(value, dict):
        return next((text for name in _TEXT_FIELDS if (text := as_string(value.get(name)))), "")
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


def files_changed_by(tool: HostTool, arguments: object, command: str, outcome: ToolOutcome) -> tuple[str, ...]:
    """Return the files that a call changed, each once. A call that was rejected or may not have run changed none."""
    files: tuple[str, ...] = ()
    if tool.act is ToolAction.RAN and outcome in (ToolOutcome.SUCCEEDED, ToolOutcome.FAILED):
        files = changed_files(command, failed=outcome is ToolOutcome.FAILED)
    elif tool is PATCH_TOOL and outcome is ToolOutcome.SUCCEEDED:
        files = patched_files(summarize_input(tool, arguments))
    elif tool.act is ToolAction.CHANGED and outcome is ToolOutcome.SUCCEEDED:
        edits = _edits_in(as_object(arguments))
        files = tuple(path for edit in edits for name in tool.file_fields if (path := as_string(edit.get(name))))
    names = (clean(file) for file in files if 0 < len(file) <= MAX_NAME_CHARS and "\n" not in file)
    return tuple(dict.fromkeys(names))[:_MAX_FILES]


def _edits_in(fields: JsonDict) -> list[JsonDict]:
    """Return the arguments of each edit of a call. Some editing tools also show files."""
    return [] if fields.get("command") == "view" else [fields, *map(as_object, as_list(fields.get("edits")))]


# Excerpts of edits: `old → new`, only the lines that differ

_OLD_TEXT_FIELDS = ("old_string", "oldString", "old_str", "old_source")
_NEW_TEXT_FIELDS = ("new_string", "newString", "new_str", "new_source", "insert_text", "content", "file_text")
_MAX_SIDE_CHARS = 8000  # of the old and of the new text
_ARROW, _EDIT_SEPARATOR = " → ", " · "
_MIN_SIDE_CHARS = 12  # a side with less room is not worth showing
_WHITESPACE = re.compile(r"\s+")


def edit_excerpt(tool: HostTool, arguments: object, limit: int) -> str:
    """Return at most `limit` characters of what a call removed and added; "" if the tool changes no files.

    Codex applies patches through its shell tool.
    """
    if tool.act is ToolAction.RAN:
        command = summarize_input(tool, arguments)
        return edit_excerpt(PATCH_TOOL, command, limit) if _PATCH_START in command else ""
    if tool.act is not ToolAction.CHANGED:
        return ""
    excerpt, edits = "", _edits_in(as_object(arguments))
    sides = ((_first_string(edit, _OLD_TEXT_FIELDS), _first_string(edit, _NEW_TEXT_FIELDS)) for edit in edits)
    for old, new in _parse_hunks(arguments) if tool is PATCH_TOOL else sides:
        room = limit - len(excerpt) - (len(_EDIT_SEPARATOR) if excerpt else 0)
        edit = _format_edit(old, new, room)
        if not edit:
            continue
        excerpt = f"{excerpt}{_EDIT_SEPARATOR}{edit}" if excerpt else edit
        if limit - len(excerpt) < 2 * _MIN_SIDE_CHARS:
            break
    return excerpt


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


def _format_edit(old: str, new: str, room: int) -> str:
    """Return both sides on one line, only what differs. Room that one side does not need goes to the other."""
    old, new = clean(old[:_MAX_SIDE_CHARS]), clean(new[:_MAX_SIDE_CHARS])
    # Redacted before lines are cut away: a single line of a key does not look like a secret. Both sides are searched at
    # once: if they contain no secret together, neither does alone.
    if secret_kind(f"{old}\n{new}" if old and new else old or new) is not None:
        old, new = redacted(old), redacted(new)
    before, after = old.split("\n"), new.split("\n")
    start = _count_equal(before, after)
    end = _count_equal(before[start:][::-1], after[start:][::-1])
    kept = ("\n".join(lines[start : len(lines) - end]) for lines in (before, after))
    old, new = (_WHITESPACE.sub(" ", text).strip() for text in kept)
    room -= len(_ARROW)
    if old == new or room < 2 * _MIN_SIDE_CHARS:
        return ""
    if not old or not new:
        return f"{'−' if old else '+'} {_truncate(old or new, room)}"
    old_room = min(len(old), max(room // 2, room - len(new)))
    return f"{_truncate(old, old_room)}{_ARROW}{_truncate(new, room - old_room)}"


def _count_equal(first: list[str], second: list[str]) -> int:
    """Return how many lines two texts have in common from their start on."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False)))


def _truncate(text: str, room: int) -> str:
    """Cut a text, at a space if possible."""
    if len(text) <= room:
        return text
    space = text.rfind(" ", room // 2, room)
    return (text[:space] if space > 0 else text[: room - 1]).rstrip() + "…"
