"""What each host calls its tools, and what is kept of a call (B3). One row a tool, by its name in lower case."""

from __future__ import annotations

import re
from enum import Enum

from tacit.core.conversation import Act
from tacit.record import Record


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
