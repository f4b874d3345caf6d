"""The hosts (coding agents): the hooks of each, how the input of one is parsed, and how output is formatted.

Hooks import this module at every prompt, so it imports no other one of the package.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from enum import StrEnum

from tacit.record import Record


class HookKind(StrEnum):
    """When a hook runs, independent of the host's name for the event."""

    START = "start"
    PROMPT = "prompt"
    HELPER = "helper"  # a subagent starts
    STOP = "stop"
    TOOL = "tool"  # a guard decides about a tool call
    CALL = "call"  # a tool is about to edit a file, or a command has failed
    COMPACTING = "compacting"
    END = "end"


_PRIVATE = re.compile(r"<private(?:\s[^<>]{0,200})?>(?:.*</private>|.*)", re.IGNORECASE | re.DOTALL)
INJECT_KINDS = (HookKind.START, HookKind.PROMPT, HookKind.HELPER, HookKind.CALL)


class Hook(Record):
    """A hook as it is registered with the host."""

    event: str
    kind: HookKind
    timeout: int  # seconds
    matcher: str = ""


class HookInput(Record):
    """What a host passes to a hook. Fields that it does not pass are empty."""

    kind: HookKind
    session: str
    transcript: str = ""
    directory: str = ""
    prompt: str = ""
    source: str = ""  # startup, resume, clear, compact
    mode: str = ""


class PayloadFields(Record):
    """What a host calls the fields of its JSON; the first of `sessions` that is there names the session."""

    sessions: tuple[str, ...] = ("session_id",)
    transcript: str = "transcript_path"
    folders: str = ""  # a list of directories instead of `cwd`; the first one counts
    source: str = "source"
    mode: str = "permission_mode"


_CLAUDE_FIELDS = PayloadFields()


class Host(Record):
    """The hooks of one host.

    At `output_events` a text reaches the model: in `context_field`, or if that is "" in Claude Code's form. A line in
    `notice_field` is shown to the person, and the model does not see it. `start_sources` translates how a session
    started. `resume_replaces_start` says that a text injected when a session is resumed replaces that from its start.
    """

    name: str
    hooks: tuple[Hook, ...]
    output_events: tuple[str, ...]
    context_field: str = ""
    notice_field: str = ""  # "" if the host cannot show one
    fields: PayloadFields = _CLAUDE_FIELDS
    start_sources: Mapping[str, str] = {}
    foreign_field: str | None = None  # input with this field is for the hooks of another host
    context_tag: str = ""  # around what hooks have added to a prompt
    resume_replaces_start: bool = False

    def parse_input(self, event: str, payload: Mapping[str, object]) -> HookInput | None:
        """Return what a hook was told; None for a call that Tacit has to ignore."""
        kind, names = next((hook.kind for hook in self.hooks if hook.event == event), None), self.fields
        session = next(filter(None, (string_field(payload, name) for name in names.sessions)), "")
        if kind is None or not session or self.foreign_field in payload:
            return None
        folders = payload.get(names.folders) if names.folders else [payload.get("cwd")]
        directory = folders[0] if isinstance(folders, list) and folders else ""
        prompt = string_field(payload, "prompt") if kind is HookKind.PROMPT else ""
        source = string_field(payload, names.source) if kind is HookKind.START else None
        return HookInput(
            kind,
            session,
            string_field(payload, names.transcript),
            directory if isinstance(directory, str) else "",
            without_private(_without_tagged(prompt, self.context_tag) if self.context_tag else prompt),
            "" if source is None else self.start_sources.get(source, source),
            string_field(payload, names.mode),
        )

    def format_output(self, event: str, text: str) -> str:
        """Return a text for the model as the host wants it; "" if the host ignores output for this event."""
        if not text or event not in self.output_events:
            return ""
        output = {"hookEventName": event, "additionalContext": text}
        return json.dumps({self.context_field: text} if self.context_field else {"hookSpecificOutput": output})

    def add_notice(self, output: str, notice: str) -> str:
        """Return an output with a line for the person."""
        return json.dumps({**json.loads(output or "{}"), self.notice_field: notice})


def without_private(text: str) -> str:
    """Return a prompt without what the person marked as private, from the first mark to the last one, or to the end."""
    return _PRIVATE.sub("", text) if "<" in text else text


def string_field(payload: Mapping[str, object], name: str) -> str:
    value = payload.get(name)
    return value if isinstance(value, str) else ""


def _without_tagged(text: str, tag: str) -> str:
    """Return a text without the parts between an opening and a closing tag."""
    kept, rest = "", text
    while True:
        before, opening, inner = rest.partition(f"<{tag}>")
        _, closing, after = inner.partition(f"</{tag}>")
        if not (opening and closing):
            return (kept + rest).strip()
        kept, rest = kept + before, after


_WAIT_SECONDS = 5  # that a host waits for what the model is told


def _hooks(**events: str) -> tuple[Hook, ...]:
    """Return hooks by their kinds. The person waits while context is searched; capture only starts another process.

    Codex allows three seconds at the end of a session, and warns at every start if more are asked for.
    """
    kinds = ((HookKind(kind), event) for kind, event in events.items())
    seconds = {**dict.fromkeys(INJECT_KINDS, _WAIT_SECONDS), HookKind.END: 3}
    return tuple(Hook(event, kind, seconds.get(kind, 10)) for kind, event in kinds)


def _call_hooks(*events: str) -> tuple[Hook, ...]:
    """Return hooks about tool calls, each from "EVENT MATCHER". A matcher saves a process at other tools."""
    parts = (event.partition(" ") for event in events)
    return tuple(Hook(event, HookKind.CALL, _WAIT_SECONDS, matcher) for event, _, matcher in parts)


_CLAUDE_HOOKS = _hooks(
    start="SessionStart",
    prompt="UserPromptSubmit",
    helper="SubagentStart",
    stop="Stop",
    compacting="PreCompact",
    end="SessionEnd",
)
_CLAUDE_OUTPUT = ("SessionStart", "UserPromptSubmit", "SubagentStart")
_TABLE = (
    # Cursor runs the hooks of Claude Code, too, but has its own.
    Host(
        "claude",
        (*_CLAUDE_HOOKS, *_call_hooks("PreToolUse Edit|Write|MultiEdit|NotebookEdit", "PostToolUseFailure Bash")),
        (*_CLAUDE_OUTPUT, "PreToolUse", "PostToolUseFailure"),
        notice_field="systemMessage",
        foreign_field="cursor_version",
    ),
    # The protocol of Claude Code; `transcript_path` may be null, and SessionEnd has one second.
    Host(
        "codex",
        (*_CLAUDE_HOOKS, *_call_hooks("PreToolUse Bash|apply_patch|Edit|Write", "PostToolUse Bash")),
        (*_CLAUDE_OUTPUT, "PreToolUse", "PostToolUse"),
        notice_field="systemMessage",
    ),
    # Output at SessionStart makes it lose prompts when a session is resumed; a line for the person may be shown there.
    # PreCompress is not used, because it runs before every model call, whether anything is compressed or not.
    Host(
        "gemini",
        (
            *_hooks(start="SessionStart", prompt="BeforeAgent", stop="AfterAgent", end="SessionEnd"),
            *_call_hooks("AfterTool write_file|replace|run_shell_command"),  # before a tool, nothing is passed on
        ),
        output_events=("BeforeAgent", "AfterTool"),
        notice_field="systemMessage",
        context_tag="hook_context",
    ),
    # A conversation is a session.
    Host(
        "cursor",
        _hooks(start="sessionStart", stop="stop", compacting="preCompact", end="sessionEnd"),
        output_events=("sessionStart",),
        context_field="additional_context",
        fields=PayloadFields(
            ("conversation_id", "session_id"), folders="workspace_roots", source="", mode="composer_mode"
        ),
        start_sources={"": "startup"},
    ),
    # It runs plugins instead of commands; ours (`opencode_plugin.js`) reports events named like OpenCode's.
    Host(
        "opencode",
        (
            *_hooks(
                start="session.start",
                prompt="chat.message",
                stop="session.idle",
                compacting="session.compacting",
                end="session.end",
            ),
            *_call_hooks("tool.execute.after"),
        ),
        output_events=("session.start", "chat.message", "tool.execute.after"),
        context_field="context",
        notice_field="notice",
        resume_replaces_start=True,
    ),
    # sessionStart and userPromptSubmitted may run at once, in either order.
    Host(
        "copilot",
        (
            *_hooks(
                start="sessionStart",
                prompt="userPromptSubmitted",
                stop="agentStop",
                compacting="preCompact",
                end="sessionEnd",
            ),
            *_call_hooks("preToolUse", "postToolUse"),  # a command that fails is no failure of its tool
        ),
        output_events=("sessionStart", "userPromptSubmitted", "preToolUse", "postToolUse"),
        context_field="additionalContext",
        fields=PayloadFields(("sessionId",), "transcriptPath", mode=""),
        start_sources={"new": "startup"},
        resume_replaces_start=True,
    ),
)
HOSTS = {host.name: host for host in _TABLE}
