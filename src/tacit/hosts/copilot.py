"""Transcripts of Copilot CLI: `~/.copilot/session-state/SESSION/events.jsonl`, one event a line."""

from __future__ import annotations

import os
import re
from contextlib import suppress

from tacit.disk.read import open_external
from tacit.errors import TacitError
from tacit.hosts.normalize import EventContext, Events, PendingToolCall, TranscriptReader, TranscriptSource, event_key
from tacit.hosts.records import (
    JsonDict,
    LineScan,
    as_list,
    as_object,
    as_string,
    content_text,
    first_records,
    parse_object,
    read_document,
    record_type,
)
from tacit.model.observation import PromptKind, TitleAuthor, ToolOutcome

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
_SIGNATURES = {
    "*.json": re.compile(rb'\A\s{0,20}\{\s{0,20}"history"\s?:\s?\['),
    "*.jsonl": re.compile(rb'"type" ?: ?"(?:session\.start|user\.message|assistant\.message|session\.info)"'),
}


class _CopilotReader(TranscriptReader):
    agent = "copilot"
    skipped_types = _SKIPPED_TYPES

    def read(self, offset: int) -> Events:
        if self.path.endswith(".json"):  # the format of the first versions: one document with all messages
            document = read_document(self.file, self.stats)
            for message in map(as_object, as_list(document.get("history"))):
                self.stats.records += 1
                at = self.clock.time_of(message.get("time"))
                context = EventContext(at, self.session, as_string(document.get("workspacePath")))
                text = content_text(message.get("content")) or as_string(message.get("result"))
                emit = self.prompt if message.get("role") in ("human", "user") else self.reply
                yield from emit(event_key(message.get("id"), context, text), context, text)
            return
        head = next(iter(first_records(self.file)), {})
        data = as_object(head.get("data"))
        place = as_object(data.get("context"))
        self.session = as_string(data.get("sessionId")) or as_string(head.get("session_id")) or self.session
        self.directory, self.branch = as_string(place.get("cwd")), as_string(place.get("branch"))
        yield from super().read(offset)
        # The name that the person gave the session; one by the host only repeats the first prompt. It has no time.
        text, path = "", os.path.join(os.path.dirname(self.path), "workspace.yaml")
        with suppress(OSError, TacitError), open_external(path) as file:
            text = file.read(_MAX_YAML_BYTES).decode("utf-8", "replace")
        fields = {match[1]: match[2].strip() for match in _NAME_FIELDS.finditer(text)}
        if fields.get("user_named") == "true" and self.clock.last_time is not None:
            name, context = fields.get("name", "").strip("\"'"), self.context_at(self.clock.last_time)
            yield from self.title(context, name, TitleAuthor.PERSON, timeless=True)

    def scan_line(self, raw: bytes) -> LineScan:
        kind = record_type(raw)
        return kind if kind in _SKIPPED_TYPES else "", raw

    def read_record(self, offset: int, record: JsonDict) -> Events:
        kind = as_string(record.get("type"))
        data = as_object(record.get("data")) or record  # older versions have no envelope
        match kind:
            case "user.message":
                yield from self._read_prompt(offset, record, data)
            case "assistant.message":
                text, context = content_text(data.get("content")), self._context(record)
                text = text or as_string(data.get("output"))
                if not _is_from_subagent(data):
                    yield from self.reply(event_key(record.get("id"), context, text), context, text)
            case "tool.execution_start":
                call_id, tool = as_string(data.get("toolCallId")), as_string(data.get("toolName"))
                context, arguments = self._context(record), data.get("arguments")
                key, parsed = event_key(call_id, context, tool), parse_object(arguments) or arguments
                self.calls.setdefault(call_id, PendingToolCall(key, tool, parsed, context, _is_from_subagent(data)))
            case "tool.execution_complete":
                self._context(record)  # advances the clock
                if call := self.take_call(as_string(data.get("toolCallId"))):
                    yield from self.tool_use(call, *_call_result(data))
            case "abort":
                context = self._context(record)
                yield from self.interruption(event_key(record.get("id"), context, kind), context)
            case "session.compaction_complete":
                context = self._context(record)
                yield from self.compaction(event_key(record.get("id"), context, kind), context)
            case _:
                self.count_other(kind)

    def _context(self, record: JsonDict) -> EventContext:
        session = as_string(record.get("session_id")) or self.session
        directory = as_string(record.get("cwd")) or self.directory
        return EventContext(self.clock.time_of(record.get("timestamp")), session, directory, self.branch)

    def _read_prompt(self, offset: int, record: JsonDict, data: JsonDict) -> Events:
        text = content_text(data.get("content")) or as_string(data.get("prompt"))
        if as_string(data.get("source")) not in ("", "user") or _is_from_subagent(data) or not text.strip():
            self.stats.skipped["user.message of the host"] += 1
            return
        yield from self.unanswered_calls()
        self.start_turn(offset, record)
        context = self._context(record)
        kind = PromptKind.TYPED if as_string(data.get("delivery")) in _IMMEDIATE_DELIVERY else PromptKind.QUEUED
        yield from self.prompt(event_key(record.get("id"), context, text), context, text, kind)


def _is_from_subagent(data: JsonDict) -> bool:
    return bool(data.get("parentToolCallId"))


def _call_result(data: JsonDict) -> tuple[str, ToolOutcome]:
    """Return the output of a tool. Only the copy for the model has the guidance that hooks append to it."""
    error, result = as_object(data.get("error")), data.get("result")
    text = as_string(error.get("message")) or as_string(as_object(result).get("detailedContent"))
    if not text:
        text = _HOOK_GUIDANCE.sub("", content_text(as_object(result).get("content")) or content_text(result))
    if data.get("success") is False or error:
        reason = f"{error.get('code')} {error.get('message')}".lower()[:400]
        is_rejected = any(phrase in reason for phrase in _REJECTED_PHRASES)
        outcome = ToolOutcome.REJECTED if is_rejected else ToolOutcome.FAILED
    else:
        status = as_object(data.get("shellExecution")).get("exitCode", 0)
        outcome = ToolOutcome.FAILED if isinstance(status, int) and status != 0 else ToolOutcome.SUCCEEDED
    return _SHELL_ID.sub("", text), outcome


SOURCE = TranscriptSource("copilot", "COPILOT_HOME", ".copilot", ("session-state",), _SIGNATURES, _CopilotReader)
