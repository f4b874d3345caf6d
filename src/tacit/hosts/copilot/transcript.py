"""Transcripts of Copilot CLI: `~/.copilot/session-state/SESSION/events.jsonl`, one event a line."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from typing import BinaryIO

from tacit.disk.read import open_external
from tacit.errors import TacitError
from tacit.hosts.normalize import EventContext, EventNormalizer, PendingToolCall, event_key
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
    parse_object,
    parse_timestamp,
    read_document,
    read_records,
    record_type,
    session_from_path,
    start_offset,
    stream_path,
)
from tacit.model.observation import PromptKind, TitleAuthor, ToolOutcome
from tacit.record import Record

_SKIPPED_TYPES = frozenset(
    "session.start session.resume session.shutdown session.info session.warning session.error session.idle "
    "session.usage_record session.usage_info session.usage_checkpoint session.compaction_start session.truncation "
    "session.model_change session.handoff session.title_changed session.snapshot_rewind session.mode_changed "
    "session.import_legacy session.task_complete session.plan_changed system.message system.notification "
    "assistant.turn_start assistant.turn_end assistant.reasoning assistant.intent assistant.usage "
    "tool.execution_partial_result tool.execution_progress tool.user_requested hook.start hook.end "
    "permission.requested permission.completed subagent.started subagent.completed subagent.failed "
    "subagent.selected skill.invoked model.turn_started model.model_call_started model.model_call_success "
    "model.model_call_failure model.message model.response model.turn_ended model.messages_snapshot".split()
)
_NAME_FIELDS = re.compile(r"^(name|user_named):[ \t]*(.{0,1000})$", re.MULTILINE)
_MAX_YAML_BYTES = 65_536
_IMMEDIATE_DELIVERY = ("", "idle")
_HOOK_GUIDANCE = re.compile(
    r"\n{1,3}Tool \"[^\"\n]{1,100}\" (?:succeeded|failed)\. Additional guidance from .*\Z", re.DOTALL
)
_SHELL_ID = re.compile(r"\n?<shellId: [^<>\n]{1,100}>\s*\Z")
_REJECTED_PHRASES = ("denied", "rejected", "permission")
_LEGACY_SIGNATURE = re.compile(rb'\s{0,20}\{\s{0,20}"history"\s?:\s?\[')
_SIGNATURE = re.compile(rb'"type" ?: ?"(?:session\.start|user\.message|assistant\.message|session\.info)"')


def _scan_line(raw: bytes) -> LineScan:
    kind = record_type(raw).decode("ascii", "replace")
    return LineScan(kind if kind in _SKIPPED_TYPES else "", raw)


class _CopilotSession(Record):
    """What the first event says."""

    id: str
    directory: str = ""
    branch: str = ""


class _CopilotReader:
    """Turns records into events; holds the state of the current turn."""

    def __init__(self, normalizer: EventNormalizer, session: _CopilotSession) -> None:
        self._normalizer, self._stats, self._session = normalizer, normalizer.stats, session
        self._reset()

    def _reset(self) -> None:
        self._clock, self._calls = RecordClock(), dict[str, PendingToolCall]()

    def read_record(self, offset: int, record: JsonDict) -> Iterator[TranscriptEvent]:
        kind = as_string(record.get("type"))
        data = as_object(record.get("data")) or record  # older versions have no envelope
        match kind:
            case "user.message":
                yield from self._read_prompt(offset, record, data)
            case "assistant.message":
                yield from self._read_reply(record, data)
            case "tool.execution_start":
                self._add_call(record, data)
            case "tool.execution_complete":
                yield from self._read_result(record, data)
            case "abort":
                context = self._event_context(record)
                yield from self._normalizer.interruption(self._record_key(record, context, kind), context)
            case "session.compaction_complete":
                context = self._event_context(record)
                yield from self._normalizer.compaction(self._record_key(record, context, kind), context)
            case _ if kind in _SKIPPED_TYPES:
                self._stats.skipped[kind] += 1
            case _:
                self._stats.unknown[kind[:60]] += 1

    def emit_session_name(self, name: str) -> Iterator[TranscriptEvent]:
        """The name is timeless: the host does not say since when the session has it."""
        if self._clock.last_time is not None:
            session = self._session
            context = EventContext(self._clock.last_time, session.id, session.directory, session.branch)
            yield from self._normalizer.title(context, name, TitleAuthor.PERSON, timeless=True)

    def _event_context(self, record: JsonDict) -> EventContext:
        session = self._session
        session_id = as_string(record.get("session_id")) or session.id
        directory = as_string(record.get("cwd")) or session.directory
        return EventContext(self._clock.time_of(record.get("timestamp")), session_id, directory, session.branch)

    def _read_prompt(self, offset: int, record: JsonDict, data: JsonDict) -> Iterator[TranscriptEvent]:
        text = content_text(data.get("content")) or as_string(data.get("prompt"))
        if as_string(data.get("source")) not in ("", "user") or _is_from_subagent(data) or not text.strip():
            self._stats.skipped["user.message of the host"] += 1
            return
        for call in self._calls.values():
            yield from self._normalizer.unanswered_call(call)
        if parse_timestamp(record.get("timestamp")) is not None:
            self._reset()
            self._stats.cursor = offset
        context = self._event_context(record)
        kind = PromptKind.TYPED if as_string(data.get("delivery")) in _IMMEDIATE_DELIVERY else PromptKind.QUEUED
        yield from self._normalizer.prompt(self._record_key(record, context, text), context, text, kind)

    def _read_reply(self, record: JsonDict, data: JsonDict) -> Iterator[TranscriptEvent]:
        text, context = content_text(data.get("content")) or as_string(data.get("output")), self._event_context(record)
        if not _is_from_subagent(data):
            yield from self._normalizer.reply(self._record_key(record, context, text), context, text)

    def _add_call(self, record: JsonDict, data: JsonDict) -> None:
        call_id, tool = as_string(data.get("toolCallId")), as_string(data.get("toolName"))
        context, arguments = self._event_context(record), data.get("arguments")
        key = event_key(call_id, context.session, context.at, tool)
        call = PendingToolCall(key, tool, parse_object(arguments) or arguments, context, _is_from_subagent(data))
        self._calls.setdefault(call_id, call)

    def _read_result(self, record: JsonDict, data: JsonDict) -> Iterator[TranscriptEvent]:
        self._event_context(record)  # advances the clock
        call = self._calls.pop(as_string(data.get("toolCallId")), None)
        if call is None:
            self._stats.skipped["result without its call"] += 1
            return
        error = as_object(data.get("error"))
        result = as_string(error.get("message")) or _result_text(data.get("result"))
        yield from self._normalizer.tool_use(call, result, _tool_outcome(data, error))

    def _record_key(self, record: JsonDict, context: EventContext, text: str) -> str:
        return event_key(record.get("id"), context.session, context.at, text)


def _is_from_subagent(data: JsonDict) -> bool:
    return bool(data.get("parentToolCallId"))


def _result_text(result: object) -> str:
    """Return the output of a tool. Only the copy for the model has the guidance that hooks append to it."""
    fields = as_object(result)
    text = as_string(fields.get("detailedContent"))
    if not text:
        text = _HOOK_GUIDANCE.sub("", content_text(fields.get("content")) or content_text(result))
    return _SHELL_ID.sub("", text)


def _tool_outcome(data: JsonDict, error: JsonDict) -> ToolOutcome:
    if data.get("success") is False or error:
        reason = f"{error.get('code')} {error.get('message')}".lower()[:400]
        return ToolOutcome.REJECTED if any(phrase in reason for phrase in _REJECTED_PHRASES) else ToolOutcome.FAILED
    status = as_object(data.get("shellExecution")).get("exitCode", 0)
    return ToolOutcome.FAILED if isinstance(status, int) and status != 0 else ToolOutcome.SUCCEEDED


def _read_session(file: BinaryIO) -> _CopilotSession:
    head = next(iter(first_records(file)), {})
    data = as_object(head.get("data"))
    context = as_object(data.get("context"))
    session = as_string(data.get("sessionId")) or as_string(head.get("session_id"))
    return _CopilotSession(
        session or session_from_path(stream_path(file)), as_string(context.get("cwd")), as_string(context.get("branch"))
    )


def _read_legacy(file: BinaryIO, normalizer: EventNormalizer) -> Iterator[TranscriptEvent]:
    """Read the format of the first versions: one document with all messages."""
    session, clock = session_from_path(stream_path(file)), RecordClock()
    document = read_document(file, normalizer.stats)
    for message in map(as_object, as_list(document.get("history"))):
        normalizer.stats.records += 1
        context = EventContext(clock.time_of(message.get("time")), session, as_string(document.get("workspacePath")))
        text = content_text(message.get("content")) or as_string(message.get("result"))
        key = event_key(message.get("id"), session, context.at, text)
        is_prompt = message.get("role") in ("human", "user")
        yield from (normalizer.prompt if is_prompt else normalizer.reply)(key, context, text)


def _session_name(path: str) -> str:
    """Return the name that the person gave a session. A name by the host only repeats the first prompt."""
    try:
        with open_external(os.path.join(os.path.dirname(path), "workspace.yaml")) as file:
            text = file.read(_MAX_YAML_BYTES).decode("utf-8", "replace")
    except (OSError, TacitError):
        return ""
    fields = {match[1]: match[2].strip() for match in _NAME_FIELDS.finditer(text)}
    return fields.get("name", "").strip("\"'") if fields.get("user_named") == "true" else ""


def _read_copilot(file: BinaryIO, offset: int, limits: CaptureLimits, stats: ReadStats) -> Iterator[TranscriptEvent]:
    normalizer = EventNormalizer("copilot", limits, stats)
    if stream_path(file).endswith(".json"):
        yield from _read_legacy(file, normalizer)
        return
    reader = _CopilotReader(normalizer, _read_session(file))
    stats.cursor = start_offset(file, offset)
    for record in read_records(file, stats.cursor, stats, _scan_line):
        yield from reader.read_record(*record)
    if name := _session_name(stream_path(file)):
        yield from reader.emit_session_name(name)


def _copilot_paths(environment: Mapping[str, str], user_folder: str) -> list[str]:
    home = environment.get("COPILOT_HOME") or os.path.join(user_folder, ".copilot")
    return [os.path.join(home, "session-state")]


def _is_copilot_transcript(path: str, head: bytes) -> bool:
    if path.endswith(".json"):
        return _LEGACY_SIGNATURE.match(head) is not None
    return path.endswith(".jsonl") and _SIGNATURE.search(head) is not None


SOURCE = TranscriptSource("copilot", _copilot_paths, _is_copilot_transcript, _read_copilot)
