"""Rollouts of Codex: `~/.codex/sessions/YYYY/MM/DD/rollout-TIME-SESSION.jsonl`."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import PurePath
from typing import BinaryIO

from tacit.disk.read import MAX_WHOLE_BYTES, open_external
from tacit.errors import TacitError
from tacit.hosts.normalize import EventContext, EventNormalizer, PendingToolCall, event_key, is_unique_id, without_noise
from tacit.hosts.records import (
    CaptureLimits,
    JsonDict,
    LineScan,
    ReadStats,
    RecordClock,
    TranscriptEvent,
    TranscriptSource,
    as_list,
    as_object,
    as_string,
    content_text,
    first_records,
    parse_timestamp,
    read_records,
    session_from_path,
    start_offset,
    stream_path,
)
from tacit.model.observation import ToolOutcome
from tacit.record import Record

# How a call of Codex ended, read from the text that the agent was given back.

_EXIT_CODE = re.compile(r"(?:Process exited with code|Exit code:?|exit_code:?) (-?\d{1,5})", re.IGNORECASE)
_HEAD_CHARS = 600
_OUTPUT_HEADING = "Output:\n"
_REJECTED_PHRASES = ("rejected by user", "rejected by the user", "denied by a hook", "blocked by hook", "user denied")
_ABORTED_PHRASES = ("aborted by user", "command was aborted", "tool call aborted")


class CodexCallResult(Record):
    """The text of a result and how the call ended."""

    text: str
    outcome: ToolOutcome


def parse_call_result(output: object) -> CodexCallResult:
    """What a call gave back: plain text with a head, or an object written as text, as older versions do it."""
    text = content_text(output) or content_text(as_object(output).get("content"))
    if isinstance(output, dict) and not text:
        return _result_from_object(output)
    if text.startswith("{") and (inner := _parse_object(text)):
        return _result_from_object(inner)
    return CodexCallResult(_strip_result_head(text), _tool_outcome(text))


def result_by_status(status: object, text: str) -> CodexCallResult:
    """What the host itself noted about a command."""
    if isinstance(status, int) and not isinstance(status, bool):
        return CodexCallResult(text, ToolOutcome.FAILED if status else ToolOutcome.SUCCEEDED)
    return CodexCallResult(text, ToolOutcome.UNKNOWN)


def _parse_object(text: str) -> dict[str, object]:
    try:
        return as_object(json.loads(text))
    except (ValueError, RecursionError):
        return {}


def _result_from_object(output: dict[str, object]) -> CodexCallResult:
    text = content_text(output.get("output")) or content_text(output.get("content")) or as_string(output.get("error"))
    status = as_object(output.get("metadata")).get("exit_code", output.get("exit_code"))
    if isinstance(status, int):
        return result_by_status(status, text)
    failed = output.get("success") is False or output.get("isError") is True
    return CodexCallResult(text, ToolOutcome.FAILED if failed else _tool_outcome(text))


def _tool_outcome(text: str) -> ToolOutcome:
    head = text[:_HEAD_CHARS]
    lower = head.lower()
    if any(sign in lower for sign in _REJECTED_PHRASES):
        return ToolOutcome.REJECTED
    if any(sign in lower for sign in _ABORTED_PHRASES):
        return ToolOutcome.UNKNOWN
    found = _EXIT_CODE.search(head)
    return ToolOutcome.FAILED if found and found[1] != "0" else ToolOutcome.SUCCEEDED


def _strip_result_head(text: str) -> str:
    """Without the lines about time and chunks that stand before the output."""
    at = text.find(_OUTPUT_HEADING, 0, _HEAD_CHARS)
    return text[at + len(_OUTPUT_HEADING) :] if at >= 0 and _EXIT_CODE.search(text[:at]) else text


# Rollouts of Codex: `~/.codex/sessions/YYYY/MM/DD/rollout-TIME-SESSION.jsonl`.
#
# Newer versions mark what the person typed (`user.text`); older ones repeat it as an event; in both, what the host
# put before the conversation looks like words of the person otherwise. A text that is not marked counts as theirs
# when an event says the same, or when the agent goes on and no event came.

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
    "<user_instructions>",
    "<environment_context>",
    "<skill>",
    "<INSTRUCTIONS>",
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


def _scan_line(raw: bytes) -> LineScan:
    found = _LINE_HEAD.match(raw)
    if found is None:
        return LineScan("", raw)
    kind = (found[2] if found[1] in (b"response_item", b"event_msg") else found[1]) or b""
    return LineScan(kind.decode() if kind.decode() in _SKIPPED_TYPES else "", raw)


class _CodexSession(Record):
    """What the first record of a rollout tells. A helper's own rollout names the session it works for."""

    id: str
    directory: str = ""
    branch: str = ""
    remote: str = ""
    is_subagent: bool = False


class _TypedText(Record):
    """A text that the person may have typed."""

    key: str
    context: EventContext
    text: str


class _CodexReader:
    """What a reader has in mind between the records of a turn."""

    def __init__(self, teller: EventNormalizer, session: _CodexSession) -> None:
        self._normalizer, self._stats, self._session = teller, teller.stats, session
        self._reset()

    def _reset(self) -> None:
        self._clock = RecordClock()
        self._directory = self._session.directory
        self._calls: dict[str, PendingToolCall] = {}
        self._host_results: dict[str, CodexCallResult] = {}
        self._unconfirmed: list[_TypedText] = []
        self._recent_prompts: set[str] = set()  # prompts since the agent did something
        self._is_working = False  # the agent has done something

    def read_record(self, offset: int, record: JsonDict) -> Iterator[TranscriptEvent]:
        kind = as_string(record.get("type"))
        payload = as_object(record.get("payload"))
        place = self._event_context(record)
        match kind:
            case "response_item":
                yield from self._read_item(offset, record, payload, place)
            case "event_msg":
                yield from self._read_event(offset, record, payload, place)
            case "turn_context":
                self._directory = as_string(payload.get("cwd")) or self._directory
                self._stats.skipped[kind] += 1
            case "compacted":
                yield from self._normalizer.compaction(event_key("", place.session, place.at, kind), place)
            case _ if kind in _SKIPPED_TYPES:
                self._stats.skipped[kind] += 1
            case "message" | "function_call" | "function_call_output":  # as the first versions wrote it
                yield from self._read_item(offset, record, record, place)
            case _:
                self._stats.unknown[kind[:60]] += 1

    def _event_context(self, record: JsonDict) -> EventContext:
        session = self._session
        at = self._clock.time_of(record.get("timestamp"))
        return EventContext(at, session.id, self._directory, session.branch, session.remote)

    # What was said

    def _read_item(
        self, offset: int, record: JsonDict, payload: JsonDict, place: EventContext
    ) -> Iterator[TranscriptEvent]:
        kind = as_string(payload.get("type")) or ("message" if "role" in payload else "")
        if kind == "message" and payload.get("role") == "user":
            yield from self._read_user(offset, record, payload, place)
        elif kind == "message" and payload.get("role") == "assistant":
            yield from self._flush_unconfirmed()
            yield from self._emit_reply(payload, place)
        elif kind in _CALL_TYPES:
            yield from self._flush_unconfirmed()
            self._add_call(payload, place)
        elif kind in _RESULT_TYPES:
            yield from self._read_result(as_string(payload.get("call_id")), parse_call_result(payload.get("output")))
        elif kind == "web_search_call":
            yield from self._flush_unconfirmed()
            yield from self._emit_web_search(payload, place)
        elif kind == "message" or kind in _SKIPPED_TYPES:
            self._stats.skipped[kind] += 1
        else:
            self._stats.unknown[kind[:60]] += 1

    def _read_user(
        self, offset: int, record: JsonDict, payload: JsonDict, place: EventContext
    ) -> Iterator[TranscriptEvent]:
        marks = _content_kinds(payload)
        parts = [content_text(part) for part in as_list(payload.get("content"))] or [
            content_text(payload.get("content"))
        ]
        if marks:
            theirs = [part for part, mark in zip(parts, marks, strict=False) if mark == _USER_TEXT_KIND]
            yield from self._emit_prompt(offset, record, self._typed_text(payload, place, "\n".join(theirs)))
        else:
            theirs = [part for part in parts if not part.lstrip().startswith(_HOST_TEXT_PREFIXES)]
            typed = self._typed_text(payload, place, "\n".join(theirs))
            if typed.text and typed.text not in self._recent_prompts:
                self._unconfirmed.append(typed)

    def _typed_text(self, payload: JsonDict, place: EventContext, text: str) -> _TypedText:
        said = _strip_ide_context(without_noise(text)).strip()
        own = as_string(payload.get("id"))
        return _TypedText(event_key(own if is_unique_id(own) else "", place.session, place.at, said), place, said)

    def _emit_prompt(self, offset: int, record: JsonDict, typed: _TypedText) -> Iterator[TranscriptEvent]:
        """The person spoke: here a turn begins, unless this is still the beginning of one."""
        if not typed.text or typed.text in self._recent_prompts:
            self._stats.skipped["user message of the host, or again"] += 1
            return
        for call in self._calls.values():
            yield from self._normalizer.unanswered_call(call)
        self._calls = {}
        if self._is_working and parse_timestamp(record.get("timestamp")) is not None:
            self._reset()
            typed = typed._replace(context=self._event_context(record))
            self._stats.cursor = offset
        self._recent_prompts.add(typed.text)
        if not self._session.is_subagent:
            yield from self._normalizer.prompt(typed.key, typed.context, typed.text)

    def _flush_unconfirmed(self) -> Iterator[TranscriptEvent]:
        """The agent works: what may have been typed and was not said again by an event was typed."""
        maybe = [] if self._recent_prompts else self._unconfirmed
        self._unconfirmed, self._recent_prompts, self._is_working = [], set(), True
        for typed in dict.fromkeys(maybe):
            if not self._session.is_subagent:
                yield from self._normalizer.prompt(typed.key, typed.context, typed.text)

    def _emit_reply(self, payload: JsonDict, place: EventContext) -> Iterator[TranscriptEvent]:
        text = content_text(payload.get("content"))
        if not self._session.is_subagent:
            key = event_key(payload.get("id"), place.session, place.at, text)
            yield from self._normalizer.reply(key, place, text)

    # What was done

    def _add_call(self, payload: JsonDict, place: EventContext) -> None:
        own = as_string(payload.get("call_id")) or as_string(payload.get("id"))
        tool = as_string(payload.get("name")) or as_string(payload.get("type")).removesuffix("_call")
        given = payload.get("input", payload.get("arguments", as_object(payload.get("action"))))
        key = event_key(own, place.session, place.at, f"{tool} {given}")
        self._calls.setdefault(
            own, PendingToolCall(key, tool, _parse_arguments(given), place, self._session.is_subagent)
        )

    def _read_result(self, own: str, result: CodexCallResult) -> Iterator[TranscriptEvent]:
        call = self._calls.pop(own, None)
        noted = self._host_results.pop(own, None)
        if call is None:
            self._stats.skipped["result without its call"] += 1
        elif noted is not None and result.outcome is ToolOutcome.SUCCEEDED:
            yield from self._normalizer.tool_use(call, noted.text or result.text, noted.outcome)
        else:
            yield from self._normalizer.tool_use(call, result.text, result.outcome)

    def _emit_web_search(self, payload: JsonDict, place: EventContext) -> Iterator[TranscriptEvent]:
        given = as_object(payload.get("action")) or payload
        key = event_key(payload.get("id"), place.session, place.at, str(given.get("query")))
        yield from self._normalizer.tool_use(PendingToolCall(key, "web_search", {"query": given.get("query")}, place))

    # What the host noted

    def _read_event(
        self, offset: int, record: JsonDict, payload: JsonDict, place: EventContext
    ) -> Iterator[TranscriptEvent]:
        kind = as_string(payload.get("type"))
        match kind:
            case "user_message":
                yield from self._confirm_prompt(offset, record, payload, content_text(payload.get("message")), place)
            case "item_completed":
                yield from self._read_completed_item(offset, record, as_object(payload.get("item")), place)
            case "turn_aborted":
                yield from self._read_abort(payload, place)
            case "task_started" | "turn_started":
                self._start_turn(offset, record)
            case "thread_name_updated" if not self._session.is_subagent:
                yield from self._normalizer.title(place, as_string(payload.get("thread_name")))
            case _ if kind in _SKIPPED_TYPES:
                self._stats.skipped[kind] += 1
            case _:
                self._stats.unknown[f"event {kind}"[:60]] += 1

    def _read_abort(self, payload: JsonDict, place: EventContext) -> Iterator[TranscriptEvent]:
        self._recent_prompts = set()  # the person may now say the same again
        if payload.get("reason") in ("interrupted", None):
            yield from self._normalizer.interruption(event_key("", place.session, place.at, "turn_aborted"), place)

    def _start_turn(self, offset: int, record: JsonDict) -> None:
        """The host says that a turn begins; what belongs to it may stand before its prompt."""
        if not self._calls and not self._unconfirmed and parse_timestamp(record.get("timestamp")) is not None:
            self._reset()
            self._event_context(record)
            self._stats.cursor = offset

    def _confirm_prompt(
        self, offset: int, record: JsonDict, payload: JsonDict, text: str, place: EventContext
    ) -> Iterator[TranscriptEvent]:
        typed = self._typed_text(payload, place, text)
        again = [maybe for maybe in self._unconfirmed if maybe.text == typed.text]
        self._unconfirmed = []
        yield from self._emit_prompt(
            offset, record, again[0]._replace(context=place, key=typed.key) if again else typed
        )

    def _read_completed_item(
        self, offset: int, record: JsonDict, item: JsonDict, place: EventContext
    ) -> Iterator[TranscriptEvent]:
        kind, own = as_string(item.get("type")), as_string(item.get("id"))
        if kind == "UserMessage":
            yield from self._confirm_prompt(offset, record, {}, content_text(item.get("content")), place)
        elif kind == "CommandExecution" and own:
            result = result_by_status(item.get("exit_code"), as_string(item.get("aggregated_output")))
            if own in self._calls:
                self._host_results[own] = result
            else:  # a script of the agent ran it
                yield from self._emit_command(own, item, result, place)
        else:
            self._stats.skipped[f"item {kind}"[:60]] += 1

    def _emit_command(
        self, own: str, item: JsonDict, result: CodexCallResult, place: EventContext
    ) -> Iterator[TranscriptEvent]:
        key = event_key(own, place.session, place.at, "")
        call = PendingToolCall(key, "shell", {"command": item.get("command")}, place, self._session.is_subagent)
        yield from self._normalizer.tool_use(call, result.text, result.outcome)


def _content_kinds(payload: JsonDict) -> list[str]:
    """What the host says each part of a message is."""
    about = as_object(payload.get("internal_chat_message_metadata_passthrough"))
    return [as_string(mark) for mark in as_list(about.get("content_item_kinds"))]


def _strip_ide_context(text: str) -> str:
    """What was typed, without what an editor put before it."""
    _before, found, request = text.partition(_REQUEST_HEADING)
    return request if found and text.lstrip().startswith((_IDE_HEADING, _REQUEST_HEADING)) else text


def _parse_arguments(given: object) -> object:
    if not isinstance(given, str) or not given.lstrip().startswith("{"):
        return given
    try:
        parsed = json.loads(given)
    except (ValueError, RecursionError):
        return given
    return parsed if isinstance(parsed, dict) else given


def _read_session(file: BinaryIO) -> _CodexSession:
    named = session_from_path(stream_path(file))
    head = next(iter(first_records(file)), {})
    meta = as_object(head.get("payload")) if head.get("type") == "session_meta" else head if "git" in head else {}
    own = as_string(meta.get("session_id")) or as_string(meta.get("id")) or named
    parent = as_string(meta.get("parent_thread_id"))
    is_aside = bool(parent) or "subagent" in as_object(meta.get("source"))
    git = as_object(meta.get("git"))
    return _CodexSession(
        parent or own,
        as_string(meta.get("cwd")),
        as_string(git.get("branch")),
        as_string(git.get("repository_url")),
        is_aside,
    )


def _thread_names(path: str, session: str) -> Iterator[tuple[datetime, str]]:
    """The names that a session was given, with their times. The host keeps them for all sessions in one file, above the
    folder of its rollouts, and does not tell who gave them."""
    folder = next((head for head in map(str, PurePath(path).parents) if os.path.basename(head) in _ROLLOUT_FOLDERS), "")
    if not folder:
        return
    try:
        with open_external(os.path.join(os.path.dirname(folder), _THREAD_NAMES_FILE), MAX_WHOLE_BYTES) as file:
            for _, record in read_records(file, 0, ReadStats()):
                at = parse_timestamp(record.get("updated_at"))
                if record.get("id") == session and at is not None:
                    yield at, as_string(record.get("thread_name"))
    except (OSError, TacitError):
        return


def _read_codex(file: BinaryIO, offset: int, limits: CaptureLimits, tally: ReadStats) -> Iterator[TranscriptEvent]:
    teller, session = EventNormalizer("codex", limits, tally), _read_session(file)
    talk = _CodexReader(teller, session)
    tally.cursor = start_offset(file, offset)
    for record in read_records(file, tally.cursor, tally, _scan_line):
        yield from talk.read_record(*record)
    if not session.is_subagent:
        for at, name in _thread_names(stream_path(file), session.id):
            place = EventContext(at, session.id, session.directory, session.branch, session.remote)
            yield from teller.title(place, name)


def _codex_paths(environment: Mapping[str, str], user_folder: str) -> list[str]:
    home = environment.get("CODEX_HOME") or os.path.join(user_folder, ".codex")
    return [os.path.join(home, "sessions"), os.path.join(home, "archived_sessions")]


def _is_codex_transcript(path: str, head: bytes) -> bool:
    return path.endswith(".jsonl") and _SIGNATURE.search(head) is not None


SOURCE = TranscriptSource("codex", _codex_paths, _is_codex_transcript, _read_codex)
