"""Rollouts of Codex: `~/.codex/sessions/YYYY/MM/DD/rollout-TIME-SESSION.jsonl`.

Newer versions mark what the person typed (`user.text`), older ones repeat it as an event. Otherwise the text that the
host puts before the conversation looks like a prompt. So an unmarked text counts as a prompt if an event repeats it, or
if the agent starts to work and no such event came.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import PurePath

from tacit.disk.read import MAX_WHOLE_BYTES, open_external
from tacit.errors import TacitError
from tacit.hosts.normalize import (
    EventContext,
    Events,
    PendingToolCall,
    TranscriptReader,
    TranscriptSource,
    TypedText,
    event_key,
    is_unique_id,
    without_noise,
)
from tacit.hosts.records import (
    JsonDict,
    LineScan,
    ReadStats,
    as_list,
    as_object,
    as_string,
    content_text,
    first_records,
    parse_object,
    parse_timestamp,
    read_records,
)
from tacit.model.observation import ToolOutcome

# Results of calls: the exit status is part of the text that the agent received

_EXIT_CODE = re.compile(r"(?:Process exited with code|Exit code:?|exit_code:?) (-?\d{1,5})", re.IGNORECASE)
_HEAD_CHARS = 600
_OUTPUT_HEADING = "Output:\n"
_REJECTED_PHRASES = (
    "rejected by user",
    "rejected by the user",
    "denied by a hook",
    "blocked by hook",
    "user denied",
    "rejected(",
)
_ABORTED_PHRASES = ("aborted by user", "command was aborted", "tool call aborted")


CallResult = tuple[str, ToolOutcome]


def parse_call_result(output: object) -> CallResult:
    """Parse the output of a call: a text with a head, an object, or (in older versions) an object written as text."""
    text = content_text(output) or content_text(as_object(output).get("content"))
    if isinstance(output, dict) and not text:
        return _result_from_object(output)
    if text.startswith("{") and (parsed := parse_object(text)):
        return _result_from_object(parsed)
    # The head has lines about time and chunks.
    start = text.find(_OUTPUT_HEADING, 0, _HEAD_CHARS)
    has_head = start >= 0 and _EXIT_CODE.search(text[:start])
    return text[start + len(_OUTPUT_HEADING) :] if has_head else text, _tool_outcome(text)


def result_by_status(status: object, text: str) -> CallResult:
    """Return a result whose outcome is known by its exit status. The outcome is unknown if that is not a number."""
    if isinstance(status, int) and not isinstance(status, bool):
        return text, ToolOutcome.FAILED if status else ToolOutcome.SUCCEEDED
    return text, ToolOutcome.UNKNOWN


def _result_from_object(output: JsonDict) -> CallResult:
    text = content_text(output.get("output")) or content_text(output.get("content")) or as_string(output.get("error"))
    status = as_object(output.get("metadata")).get("exit_code", output.get("exit_code"))
    if isinstance(status, int):
        return result_by_status(status, text)
    has_failed = output.get("success") is False or output.get("isError") is True
    return text, ToolOutcome.FAILED if has_failed else _tool_outcome(text)


def _tool_outcome(text: str) -> ToolOutcome:
    head = text[:_HEAD_CHARS]
    lower = head.lower()
    if any(phrase in lower for phrase in _REJECTED_PHRASES):
        return ToolOutcome.REJECTED
    if any(phrase in lower for phrase in _ABORTED_PHRASES):
        return ToolOutcome.UNKNOWN
    exit_code = _EXIT_CODE.search(head)
    return ToolOutcome.FAILED if exit_code and exit_code[1] != "0" else ToolOutcome.SUCCEEDED


# Records

_SKIPPED_TYPES = frozenset(
    "session_meta world_state token_usage_record inter_agent_communication reasoning agent_reasoning token_count "
    "agent_message agent_reasoning_raw_content agent_reasoning_section_break task_complete turn_complete item_started "
    "thread_settings_applied context_compacted exec_command_begin exec_command_end patch_apply_begin patch_apply_end "
    "mcp_tool_call_begin mcp_tool_call_end web_search_begin web_search_end background_event turn_diff plan_update "
    "error warning stream_error entered_review_mode exited_review_mode ghost_snapshot thread_rolled_back "
    "compaction compaction_summary tool_search_call tool_search_output".split()
)
_LINE_HEAD = re.compile(
    rb'\{(?:"(?:timestamp|ordinal)":(?:"[^"\\]{0,60}"|[0-9]{1,20}),){0,2}"type":"([a-z_]{1,40})"'
    rb'(?:,"payload":\{"type":"([a-z_]{1,40})")?'
)
_HOST_TEXT_PREFIXES = (
    "# AGENTS.md instructions",
    *"<user_instructions> <environment_context> <skill> <INSTRUCTIONS>".split(),
)
_REQUEST_HEADING = "## My request for Codex:"
_IDE_HEADING = "# Context from my IDE setup:"
_USER_TEXT_KIND = "user.text"
_ROLLOUT_FOLDERS, _THREAD_NAMES_FILE = ("sessions", "archived_sessions"), "session_index.jsonl"
_CALL_TYPES = ("function_call", "custom_tool_call", "local_shell_call")
_RESULT_TYPES = ("function_call_output", "custom_tool_call_output")
_SIGNATURE = re.compile(
    rb'"payload" ?: ?\{|"type" ?: ?"(?:session_meta|response_item|event_msg|turn_context)"|"record_type" ?: ?"state"'
)


class _CodexReader(TranscriptReader):
    agent = "codex"
    skipped_types = _SKIPPED_TYPES

    def read(self, offset: int) -> Events:
        # What the first record says. The rollout of a subagent has the id of the session it works for.
        head = next(iter(first_records(self.file)), {})
        meta = as_object(head.get("payload")) if head.get("type") == "session_meta" else head if "git" in head else {}
        git, parent = as_object(meta.get("git")), as_string(meta.get("parent_thread_id"))
        session = parent or as_string(meta.get("session_id")) or as_string(meta.get("id"))
        self.session, self.branch = session or self.session, as_string(git.get("branch"))
        self._first_directory, self.remote = as_string(meta.get("cwd")), as_string(git.get("repository_url"))
        self._is_subagent = bool(parent) or "subagent" in as_object(meta.get("source"))
        self.reset()
        yield from super().read(offset)
        if not self._is_subagent:
            for at, name in _thread_names(self.path, self.session):
                yield from self.title(self.context_at(at)._replace(directory=self._first_directory), name)

    def reset(self) -> None:
        super().reset()
        self.directory = self._first_directory
        self._host_results: dict[str, CallResult] = {}
        self._unconfirmed: list[TypedText] = []
        self._recent_prompts: set[str] = set()  # prompts since the agent last did something
        self._is_working = False  # the agent has done something in this turn

    def scan_line(self, raw: bytes) -> LineScan:
        head = _LINE_HEAD.match(raw)
        if head is None:
            return "", raw
        kind = ((head[2] if head[1] in (b"response_item", b"event_msg") else head[1]) or b"").decode()
        return kind if kind in _SKIPPED_TYPES else "", raw

    def read_record(self, offset: int, record: JsonDict) -> Events:
        kind = as_string(record.get("type"))
        payload = as_object(record.get("payload"))
        context = self._record_context(record)
        match kind:
            case "response_item":
                yield from self._read_item(offset, record, payload, context)
            case "event_msg":
                yield from self._read_event(offset, record, payload, context)
            case "turn_context":
                self.directory = as_string(payload.get("cwd")) or self.directory
                self.stats.skipped[kind] += 1
            case "compacted":
                yield from self.compaction(event_key("", context, kind), context)
            case "message" | "function_call" | "function_call_output":  # the first versions had no envelope
                yield from self._read_item(offset, record, record, context)
            case _:
                self.count_other(kind)

    def _record_context(self, record: JsonDict) -> EventContext:
        return self.context_at(self.clock.time_of(record.get("timestamp")))

    # Prompts and replies

    def _read_item(self, offset: int, record: JsonDict, payload: JsonDict, context: EventContext) -> Events:
        kind = as_string(payload.get("type")) or ("message" if "role" in payload else "")
        role = payload.get("role")
        if kind == "message" and role == "user":
            yield from self._read_user(offset, record, payload, context)
        elif kind in _RESULT_TYPES:
            call_id, (text, outcome) = as_string(payload.get("call_id")), parse_call_result(payload.get("output"))
            known_call, host_result = self.take_call(call_id), self._host_results.pop(call_id, None)
            if host_result is not None and outcome is ToolOutcome.SUCCEEDED:
                text, outcome = host_result[0] or text, host_result[1]
            if known_call is not None:
                yield from self.tool_use(known_call, text, outcome)
        elif kind in _CALL_TYPES:
            yield from self._flush_unconfirmed()
            call_id = as_string(payload.get("call_id")) or as_string(payload.get("id"))
            tool = as_string(payload.get("name")) or kind.removesuffix("_call")
            arguments = payload.get("input", payload.get("arguments", as_object(payload.get("action"))))
            key, parsed = event_key(call_id, context, f"{tool} {arguments}"), parse_object(arguments)
            server = as_string(payload.get("namespace"))  # `mcp__tacit`
            name = f"{server}__{tool}" if server else tool
            call = PendingToolCall(key, name, arguments if parsed is None else parsed, context, self._is_subagent)
            self.calls.setdefault(call_id, call)
        elif kind == "message" and role == "assistant":
            yield from self._flush_unconfirmed()
            text = content_text(payload.get("content"))
            if not self._is_subagent:
                yield from self.reply(event_key(payload.get("id"), context, text), context, text)
        elif kind == "web_search_call":
            yield from self._flush_unconfirmed()
            query = (as_object(payload.get("action")) or payload).get("query")
            key = event_key(payload.get("id"), context, str(query))
            yield from self.tool_use(PendingToolCall(key, "web_search", {"query": query}, context))
        elif kind == "message":
            self.stats.skipped[kind] += 1
        else:
            self.count_other(kind)

    def _read_user(self, offset: int, record: JsonDict, payload: JsonDict, context: EventContext) -> Events:
        metadata = as_object(payload.get("internal_chat_message_metadata_passthrough"))
        kinds = as_list(metadata.get("content_item_kinds"))
        content = payload.get("content")
        parts = [content_text(part) for part in as_list(content)] or [content_text(content)]
        if kinds:
            parts = [part for part, kind in zip(parts, kinds, strict=False) if kind == _USER_TEXT_KIND]
            yield from self._emit_prompt(offset, record, self._typed_text(payload, context, "\n".join(parts)))
        else:
            parts = [part for part in parts if not part.lstrip().startswith(_HOST_TEXT_PREFIXES)]
            typed = self._typed_text(payload, context, "\n".join(parts))
            if typed.text and typed.text not in self._recent_prompts:
                self._unconfirmed.append(typed)

    def _typed_text(self, payload: JsonDict, context: EventContext, text: str) -> TypedText:
        text = without_noise(text)
        _before, heading, request = text.partition(_REQUEST_HEADING)
        if heading and text.lstrip().startswith((_IDE_HEADING, _REQUEST_HEADING)):
            text = request  # an editor put its context before it
        text = text.strip()
        record_id = as_string(payload.get("id"))
        key = event_key(record_id if is_unique_id(record_id) else "", context, text)
        return TypedText(key, context, text)

    def _emit_prompt(self, offset: int, record: JsonDict, typed: TypedText) -> Events:
        """Emit a prompt. A turn starts here, unless the agent has done nothing in the current one yet."""
        if not typed.text or typed.text in self._recent_prompts:
            self.stats.skipped["user message of the host, or again"] += 1
            return
        yield from self.unanswered_calls()
        self.calls = {}
        if self._is_working and self.start_turn(offset, record):
            typed = typed._replace(context=self._record_context(record))
        self._recent_prompts.add(typed.text)
        if not self._is_subagent:
            yield from self.prompt(typed.key, typed.context, typed.text)

    def _flush_unconfirmed(self) -> Events:
        """The agent starts to work. Texts that may have been typed count as prompts if no event named the prompt."""
        prompts = [] if self._recent_prompts else self._unconfirmed
        self._unconfirmed, self._recent_prompts, self._is_working = [], set(), True
        for typed in dict.fromkeys(() if self._is_subagent else prompts):
            yield from self.prompt(typed.key, typed.context, typed.text)

    # Events of the host

    def _read_event(self, offset: int, record: JsonDict, payload: JsonDict, context: EventContext) -> Events:
        kind = as_string(payload.get("type"))
        match kind:
            case "user_message":
                self._unconfirmed = []
                typed = self._typed_text(payload, context, content_text(payload.get("message")))
                yield from self._emit_prompt(offset, record, typed)
            case "item_completed":
                yield from self._read_completed_item(offset, record, as_object(payload.get("item")), context)
            case "turn_aborted":
                self._recent_prompts = set()  # the person may type the same again
                if payload.get("reason") in ("interrupted", None):
                    yield from self.interruption(event_key("", context, kind), context)
            case "task_started" | "turn_started":
                # A turn starts at this event, because some of its records may come before its prompt.
                if not self.calls and not self._unconfirmed and self.start_turn(offset, record):
                    self._record_context(record)  # advances the clock
            case "thread_name_updated" if not self._is_subagent:
                yield from self.title(context, as_string(payload.get("thread_name")))
            case _ if kind in _SKIPPED_TYPES:
                self.stats.skipped[kind] += 1
            case _:
                self.stats.unknown[f"event {kind}"[:60]] += 1

    def _read_completed_item(self, offset: int, record: JsonDict, item: JsonDict, context: EventContext) -> Events:
        kind, call_id = as_string(item.get("type")), as_string(item.get("id"))
        if kind == "UserMessage":
            self._unconfirmed = []
            typed = self._typed_text({}, context, content_text(item.get("content")))
            yield from self._emit_prompt(offset, record, typed)
        elif kind == "CommandExecution" and call_id:
            result = result_by_status(item.get("exit_code"), as_string(item.get("aggregated_output")))
            if call_id in self.calls:
                self._host_results[call_id] = result
            else:  # a script of the agent ran it
                key, arguments = event_key(call_id, context, ""), {"command": item.get("command")}
                call = PendingToolCall(key, "shell", arguments, context, self._is_subagent)
                yield from self.tool_use(call, *result)
        else:
            self.stats.skipped[f"item {kind}"[:60]] += 1


def _thread_names(path: str, session: str) -> Iterator[tuple[datetime, str]]:
    """Yield the names of a session and when it got them. The host does not say from whom.

    One file above the folder of the rollouts has the names of all sessions.
    """
    folder = next((folder for folder in PurePath(path).parents if folder.name in _ROLLOUT_FOLDERS), None)
    if folder is None:
        return
    try:
        with open_external(str(folder.parent / _THREAD_NAMES_FILE), MAX_WHOLE_BYTES) as file:
            for _, record in read_records(file, 0, ReadStats()):
                at = parse_timestamp(record.get("updated_at"))
                if record.get("id") == session and at is not None:
                    yield at, as_string(record.get("thread_name"))
    except (OSError, TacitError):
        return


SOURCE = TranscriptSource("codex", "CODEX_HOME", ".codex", _ROLLOUT_FOLDERS, {"*.jsonl": _SIGNATURE}, _CodexReader)
