"""Transcripts of Copilot CLI: `~/.copilot/session-state/SESSION/events.jsonl`, one event a line."""

from __future__ import annotations

import json
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
_MAX_YAML_BYTES = 65_536  # bytes
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
    """What the first event tells."""

    id: str
    directory: str = ""
    branch: str = ""


class _CopilotReader:
    """What a reader has in mind between the events of a turn."""

    def __init__(self, teller: EventNormalizer, session: _CopilotSession) -> None:
        self._normalizer, self._stats, self._session = teller, teller.stats, session
        self._reset()

    def _reset(self) -> None:
        self._clock, self._calls = RecordClock(), dict[str, PendingToolCall]()

    def read_record(self, offset: int, record: JsonDict) -> Iterator[TranscriptEvent]:
        kind = as_string(record.get("type"))
        said = as_object(record.get("data")) or record  # older versions have no envelope
        match kind:
            case "user.message":
                yield from self._read_prompt(offset, record, said)
            case "assistant.message":
                yield from self._read_reply(record, said)
            case "tool.execution_start":
                self._add_call(record, said)
            case "tool.execution_complete":
                yield from self._read_result(record, said)
            case "abort":
                place = self._event_context(record)
                yield from self._normalizer.interruption(self._record_key(record, place, kind), place)
            case "session.compaction_complete":
                place = self._event_context(record)
                yield from self._normalizer.compaction(self._record_key(record, place, kind), place)
            case _ if kind in _SKIPPED_TYPES:
                self._stats.skipped[kind] += 1
            case _:
                self._stats.unknown[kind[:60]] += 1

    def emit_session_name(self, name: str) -> Iterator[TranscriptEvent]:
        """The host does not tell since when a session has its name."""
        if self._clock.last_time is not None:
            session = self._session
            place = EventContext(self._clock.last_time, session.id, session.directory, session.branch)
            yield from self._normalizer.title(place, name, TitleAuthor.PERSON, timeless=True)

    def _event_context(self, record: JsonDict) -> EventContext:
        session = self._session
        named = as_string(record.get("session_id")) or session.id
        directory = as_string(record.get("cwd")) or session.directory
        return EventContext(self._clock.time_of(record.get("timestamp")), named, directory, session.branch)

    def _read_prompt(self, offset: int, record: JsonDict, said: JsonDict) -> Iterator[TranscriptEvent]:
        text = content_text(said.get("content")) or as_string(said.get("prompt"))
        if as_string(said.get("source")) not in ("", "user") or _is_from_subagent(said) or not text.strip():
            self._stats.skipped["user.message of the host"] += 1
            return
        for call in self._calls.values():
            yield from self._normalizer.unanswered_call(call)
        if parse_timestamp(record.get("timestamp")) is not None:
            self._reset()
            self._stats.cursor = offset
        place = self._event_context(record)
        how = PromptKind.TYPED if as_string(said.get("delivery")) in _IMMEDIATE_DELIVERY else PromptKind.QUEUED
        yield from self._normalizer.prompt(self._record_key(record, place, text), place, text, how)

    def _read_reply(self, record: JsonDict, said: JsonDict) -> Iterator[TranscriptEvent]:
        text, place = content_text(said.get("content")) or as_string(said.get("output")), self._event_context(record)
        if not _is_from_subagent(said):
            yield from self._normalizer.reply(self._record_key(record, place, text), place, text)

    def _add_call(self, record: JsonDict, said: JsonDict) -> None:
        own, tool, place = (
            as_string(said.get("toolCallId")),
            as_string(said.get("toolName")),
            self._event_context(record),
        )
        given = _parse_arguments(said.get("arguments"))
        key = event_key(own, place.session, place.at, tool)
        self._calls.setdefault(own, PendingToolCall(key, tool, given, place, _is_from_subagent(said)))

    def _read_result(self, record: JsonDict, said: JsonDict) -> Iterator[TranscriptEvent]:
        self._event_context(record)
        call = self._calls.pop(as_string(said.get("toolCallId")), None)
        if call is None:
            self._stats.skipped["result without its call"] += 1
            return
        error = as_object(said.get("error"))
        result = as_string(error.get("message")) or _result_text(said.get("result"))
        yield from self._normalizer.tool_use(call, result, _tool_outcome(said, error))

    def _record_key(self, record: JsonDict, place: EventContext, text: str) -> str:
        return event_key(record.get("id"), place.session, place.at, text)


def _is_from_subagent(said: JsonDict) -> bool:
    return bool(said.get("parentToolCallId"))


def _parse_arguments(given: object) -> object:
    if not isinstance(given, str):
        return given
    try:
        return as_object(json.loads(given)) or given
    except (ValueError, RecursionError):
        return given


def _result_text(result: object) -> str:
    """The output of a tool. What hooks put behind it stands only in the copy for the model."""
    fields = as_object(result)
    told = as_string(fields.get("detailedContent")) or _HOOK_GUIDANCE.sub(
        "", content_text(fields.get("content")) or content_text(result)
    )
    return _SHELL_ID.sub("", told)


def _tool_outcome(said: JsonDict, error: JsonDict) -> ToolOutcome:
    if said.get("success") is False or error:
        told = f"{error.get('code')} {error.get('message')}".lower()[:400]
        return ToolOutcome.REJECTED if any(sign in told for sign in _REJECTED_PHRASES) else ToolOutcome.FAILED
    status = as_object(said.get("shellExecution")).get("exitCode", 0)
    return ToolOutcome.FAILED if isinstance(status, int) and status != 0 else ToolOutcome.SUCCEEDED


def _read_session(file: BinaryIO) -> _CopilotSession:
    head = next(iter(first_records(file)), {})
    told = as_object(head.get("data"))
    context = as_object(told.get("context"))
    named = (
        as_string(told.get("sessionId")) or as_string(head.get("session_id")) or session_from_path(stream_path(file))
    )
    return _CopilotSession(named, as_string(context.get("cwd")), as_string(context.get("branch")))


def _read_legacy(file: BinaryIO, teller: EventNormalizer) -> Iterator[TranscriptEvent]:
    """As the first versions wrote it: one document with everything that was said."""
    session, clock, document = session_from_path(stream_path(file)), RecordClock(), read_document(file, teller.stats)
    for message in map(as_object, as_list(document.get("history"))):
        teller.stats.records += 1
        place = EventContext(clock.time_of(message.get("time")), session, as_string(document.get("workspacePath")))
        text = content_text(message.get("content")) or as_string(message.get("result"))
        key = event_key(message.get("id"), session, place.at, text)
        is_prompt = message.get("role") in ("human", "user")
        yield from (teller.prompt if is_prompt else teller.reply)(key, place, text)


def _session_name(path: str) -> str:
    """The name that the person gave a session. One by the host is the first prompt again."""
    try:
        with open_external(os.path.join(os.path.dirname(path), "workspace.yaml")) as file:
            told = file.read(_MAX_YAML_BYTES).decode("utf-8", "replace")
    except (OSError, TacitError):
        return ""
    fields = {found[1]: found[2].strip() for found in _NAME_FIELDS.finditer(told)}
    return fields.get("name", "").strip("\"'") if fields.get("user_named") == "true" else ""


def _read_copilot(file: BinaryIO, offset: int, limits: CaptureLimits, tally: ReadStats) -> Iterator[TranscriptEvent]:
    teller = EventNormalizer("copilot", limits, tally)
    if stream_path(file).endswith(".json"):
        yield from _read_legacy(file, teller)
        return
    session = _read_session(file)
    talk = _CopilotReader(teller, session)
    tally.cursor = start_offset(file, offset)
    for record in read_records(file, tally.cursor, tally, _scan_line):
        yield from talk.read_record(*record)
    if name := _session_name(stream_path(file)):
        yield from talk.emit_session_name(name)


def _copilot_paths(environment: Mapping[str, str], user_folder: str) -> list[str]:
    home = environment.get("COPILOT_HOME") or os.path.join(user_folder, ".copilot")
    return [os.path.join(home, "session-state")]


def _is_copilot_transcript(path: str, head: bytes) -> bool:
    if path.endswith(".json"):
        return _LEGACY_SIGNATURE.match(head) is not None
    return path.endswith(".jsonl") and _SIGNATURE.search(head) is not None


SOURCE = TranscriptSource("copilot", _copilot_paths, _is_copilot_transcript, _read_copilot)
