"""Tool calls at the hook that a host runs before a tool: how they are parsed, and how a decision about one is printed.

Hosts differ in what they do with an answer. Codex ignores an answer with an unknown key, with `ask` or without a
reason; Gemini CLI hangs at `ask` without a terminal. So each gets its own form, and `ask` becomes `deny` where nobody
can be asked. Cursor is not here: its contract was not tested.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from tacit.hosts import Hook, HookKind, string_field
from tacit.record import Record

GUARD_TIMEOUT_SECONDS = 5
# How a reason begins. Transcripts repeat it as the result of a call, where it is recognised.
STOP_PREFIX = "The call breaks a rule of this person ["
WARN_PREFIX = "The call was not stopped, but it breaks a rule of this person ["
_MAX_HOST_PREFIX = 80  # characters that a host puts before a reason: "Command blocked by PreToolUse hook: "
_SHELL_TOOLS = frozenset(("Bash", "bash", "run_shell_command", "shell", "local_shell", "exec_command"))
_EDIT_TOOLS = frozenset(
    "Edit Write MultiEdit NotebookEdit write_file replace edit write multiedit create str_replace_editor "
    "str_replace apply_patch patch".split()
)
_PATH_FIELDS = ("file_path", "notebook_path", "filePath", "path", "absolute_path")
_PATCH_FIELDS = ("input", "patch", "patchText", "command")
_PATCH_PREFIXES = ("*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: ")
_DIRECTORY_FIELDS = ("workdir", "dir_path", "directory", "cwd")

# The hook of each host, with a matcher where that saves the start of a process for other tools
GUARD_HOOKS = {
    "claude": Hook("PreToolUse", HookKind.TOOL, GUARD_TIMEOUT_SECONDS, "Bash|Edit|Write|MultiEdit|NotebookEdit"),
    "codex": Hook("PreToolUse", HookKind.TOOL, GUARD_TIMEOUT_SECONDS),
    "gemini": Hook("BeforeTool", HookKind.TOOL, GUARD_TIMEOUT_SECONDS, "run_shell_command|write_file|replace"),
    "copilot": Hook("preToolUse", HookKind.TOOL, GUARD_TIMEOUT_SECONDS),
    "opencode": Hook("tool.execute.before", HookKind.TOOL, GUARD_TIMEOUT_SECONDS),
}
_ASKING_HOSTS = ("claude", "copilot")


class ToolCall(Record):
    """A command that an agent is about to run, or the files that it is about to edit."""

    session: str
    directory: str
    command: str = ""
    paths: tuple[str, ...] = ()


def parse_tool_call(payload: Mapping[str, object]) -> ToolCall | None:
    """Return the call that a hook is told of; None for a tool that neither runs commands nor edits files."""
    if "cursor_version" in payload:  # Cursor runs the hooks of Claude Code, but does not obey them in the same way
        return None
    tool = string_field(payload, "tool_name") or string_field(payload, "toolName")
    given = payload.get("tool_input", payload.get("toolArgs"))
    arguments = json.loads(given) if isinstance(given, str) and given.startswith("{") else given
    if not isinstance(arguments, dict):
        return None
    session = string_field(payload, "session_id") or string_field(payload, "sessionId")
    directory = string_field(payload, "cwd")
    if tool in _SHELL_TOOLS:
        for own in filter(None, (string_field(arguments, name) for name in _DIRECTORY_FIELDS)):
            directory = own if own.startswith("/") else f"{directory}/{own}"
        command = arguments.get("command", arguments.get("cmd"))
        if isinstance(command, list):  # of words
            from shlex import join

            command = join([word for word in command if isinstance(word, str)])
        command = command if isinstance(command, str) else ""
        paths = tuple(_patched_paths(command)) if "*** Begin Patch" in command else ()
        return ToolCall(session, directory, command, paths)
    if tool in _EDIT_TOOLS:
        paths = tuple(filter(None, (string_field(arguments, name) for name in _PATH_FIELDS)))
        patches = (string_field(arguments, name) for name in _PATCH_FIELDS)
        return ToolCall(
            session, directory, "", paths + tuple(path for text in patches for path in _patched_paths(text))
        )
    return None


def _patched_paths(patch: str) -> list[str]:
    """Return the files that a patch in the form of `apply_patch` changes."""
    return [
        line.removeprefix(prefix).strip()
        for line in patch.split("\n")
        for prefix in _PATCH_PREFIXES
        if line.startswith(prefix)
    ]


_EXIT_STATUS = re.compile(r"\bexit(?:ed with)? (?:code|status):? (\d{1,3})\b", re.IGNORECASE)
_FAILURE_WORDS = re.compile(
    r"\b(?:error|fail(?:ed|ure)?|fatal|panic|denied|cannot|can't|not found|no such|usage)\b", re.IGNORECASE
)
_RESULT_FIELDS = ("tool_response", "tool_result", "toolResult")
_OUTPUT_FIELDS = ("llmContent", "textResultForLlm", "stdout", "stderr", "output", "message")


def failed_output(payload: Mapping[str, object]) -> str:
    """Return what a command printed that has failed; "" if it did not fail, or if the person stopped it.

    Some hosts have a hook for failures, and `error` in it. For others the exit status in the output tells; where
    there is none, words do.
    """
    if payload.get("is_interrupt") is True:
        return ""
    result = "\n".join(_output_text(payload.get(name)) for name in _RESULT_FIELDS if name in payload)
    if error := _output_text(payload.get("error")):
        return f"{error}\n{result}"
    status = payload.get("exit")
    if match := _EXIT_STATUS.search(result) if status is None else None:
        status = int(match[1])
    has_failed = bool(_FAILURE_WORDS.search(result)) if status is None else status != 0
    return result if has_failed else ""


def _output_text(value: object) -> str:
    if isinstance(value, dict):
        return "\n".join(filter(None, (_output_text(value.get(name)) for name in _OUTPUT_FIELDS)))
    return value if isinstance(value, str) else ""


def is_stopped_result(result: str) -> bool:
    """Return whether the result of a call says that a guard stopped it."""
    return STOP_PREFIX in result[: _MAX_HOST_PREFIX + len(STOP_PREFIX)]


def without_warning(result: str) -> str:
    """Return the result of a call without the warning of a guard, which is added at its end."""
    return result.partition(WARN_PREFIX)[0]


def format_decision(host: str, decision: str, reason: str) -> str:
    """Return what a hook prints: `decision` is warn, ask or deny. "" for a host without a guard."""
    if host not in GUARD_HOOKS or not reason:
        return ""
    if decision == "ask" and host not in _ASKING_HOSTS:
        decision = "deny"
    is_warning = decision == "warn"
    stop = {"permissionDecision": decision, "permissionDecisionReason": reason}
    answer: dict[str, object]
    match host:
        case "claude" | "codex":
            fields = {"additionalContext": reason} if is_warning else stop
            answer = {"hookSpecificOutput": {"hookEventName": GUARD_HOOKS[host].event, **fields}}
        case "copilot":
            answer = {"additionalContext": reason} if is_warning else {**stop}
        case "gemini":  # passes no warning on to the model, and this to the person
            answer = {"systemMessage": reason} if is_warning else {"decision": decision, "reason": reason}
        case _:
            answer = {"warn": reason} if is_warning else {"deny": reason}
    return json.dumps(answer)
