"""Chats of Gemini CLI: `~/.gemini/tmp/PROJECT/chats/session-*.json`, newer ones `.jsonl`.

The older form is one document that is rewritten each time. The newer has one message per line and patches between them;
a patch may repeat earlier messages with the same ids, and a message may be repeated with its tool calls.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from typing import BinaryIO

from tacit.hosts.normalize import EventContext, EventNormalizer, PendingToolCall, event_key
from tacit.hosts.records import (
    CaptureLimits,
    JsonDict,
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
    session_from_path,
    start_offset,
    stream_path,
)
from tacit.model.observation import ToolOutcome
from tacit.record import Record

_SKIPPED_TYPES = frozenset(("info", "warning", "error", "about", "help", "quit", "compression"))
_HOST_TEXT_PREFIXES = (
    "System: Please continue.",
    "<session_context>",
    "<state_snapshot>",
    "This is the Gemini CLI. We are setting up",
)
_SETUP_REPLY = "Got it. Thanks for the additional context!"
_SNAPSHOT_TAG = "<state_snapshot>"
_WORKSPACE_FOLDER = re.compile(r"Workspace Directories:\*\*\n {1,4}- ([^\n]{1,4000})")
_STATUS_OUTCOMES = {"success": ToolOutcome.SUCCEEDED, "error": ToolOutcome.FAILED, "cancelled": ToolOutcome.REJECTED}
_RESULT_METADATA = re.compile(
    r"^(?:Command: .*|Directory: .*|Error: \(none\)|Signal: .*|Background PIDs: .*|Process Group PGID: .*)\n?",
    re.MULTILINE,
)
_NONZERO_EXIT = re.compile(r"^Exit Code: ([1-9]\d{0,4})$", re.MULTILINE)
_SIGNATURE = re.compile(rb'"projectHash"|"\$set"')


class _GeminiSession(Record):
    """What the first lines say."""

    id: str
    directory: str = ""


class _GeminiReader:
    """Turns messages into events."""

    def __init__(self, normalizer: EventNormalizer, session: _GeminiSession) -> None:
        self._normalizer, self._stats, self._session = normalizer, normalizer.stats, session
        self._clock = RecordClock()

    def read_record(self, offset: int, record: JsonDict) -> Iterator[TranscriptEvent]:
        """Read a line: a message, a patch, or the head of a session."""
        if "$set" in record:
            yield from self._read_patch(as_object(record["$set"]))
        elif "type" in record:
            if _is_user_prompt(record) and parse_timestamp(record.get("timestamp")) is not None:
                self._clock = RecordClock()
                self._stats.cursor = offset
            yield from self.read_message(record)
        else:
            self._stats.skipped["head"] += 1

    def _read_patch(self, fields: JsonDict) -> Iterator[TranscriptEvent]:
        """A patch repeats all messages: unchanged if the session is resumed, with other ids if it was compressed."""
        self._stats.skipped["patch"] += 1
        yield from self.read_summary(fields)
        messages = [as_object(message) for message in as_list(fields.get("messages"))]
        summaries = [message for message in messages if _SNAPSHOT_TAG in _message_text(message)[:2000]]
        for message in summaries or messages:
            yield from self.read_message(message)

    def read_summary(self, fields: JsonDict) -> Iterator[TranscriptEvent]:
        """The host summarises a session for its list of sessions."""
        if self._clock.last_time is not None:
            context = EventContext(self._clock.last_time, self._session.id, self._session.directory)
            yield from self._normalizer.title(context, as_string(fields.get("summary")), timeless=True)

    def read_message(self, message: JsonDict) -> Iterator[TranscriptEvent]:
        kind = as_string(message.get("type"))
        context = EventContext(self._clock.time_of(message.get("timestamp")), self._session.id, self._session.directory)
        match kind:
            case "user":
                yield from self._read_user(message, context)
            case "gemini" | "model" | "assistant":
                yield from self._read_reply(message, context)
            case _ if kind in _SKIPPED_TYPES:
                self._stats.skipped[kind] += 1
            case _:
                self._stats.unknown[kind[:60]] += 1

    def _read_user(self, message: JsonDict, context: EventContext) -> Iterator[TranscriptEvent]:
        text = _message_text(message)
        key = event_key(message.get("id"), context.session, context.at, text)
        if _SNAPSHOT_TAG in text[:2000]:
            yield from self._normalizer.compaction(key, context)
        elif _is_user_prompt(message):
            yield from self._normalizer.prompt(key, context, text)
        else:
            self._stats.skipped["user message of the host"] += 1

    def _read_reply(self, message: JsonDict, context: EventContext) -> Iterator[TranscriptEvent]:
        text = _message_text(message)
        if text.strip() != _SETUP_REPLY:
            key = event_key(message.get("id"), context.session, context.at, text)
            yield from self._normalizer.reply(key, context, text)
        for ordinal, call in enumerate(map(as_object, as_list(message.get("toolCalls"))), 1):
            yield from self._read_call(call, context, ordinal)

    def _read_call(self, call: JsonDict, context: EventContext, ordinal: int) -> Iterator[TranscriptEvent]:
        status = as_string(call.get("status"))
        if status not in _STATUS_OUTCOMES:
            self._stats.skipped["call that is not done"] += 1
            return
        tool = as_string(call.get("name"))
        key = event_key(call.get("id"), context.session, context.at, f"{tool} {ordinal}")
        result = _result_text(call)
        outcome = ToolOutcome.FAILED if _NONZERO_EXIT.search(result) else _STATUS_OUTCOMES[status]
        context = context._replace(at=parse_timestamp(call.get("timestamp")) or context.at)
        pending = PendingToolCall(key, tool, call.get("args"), context, ordinal=ordinal)
        yield from self._normalizer.tool_use(pending, result, outcome)


def _message_text(message: JsonDict) -> str:
    """Return the text of a message, preferably the displayed one: it does not contain attached files."""
    return content_text(message.get("displayContent")) or content_text(message.get("content"))


def _is_user_prompt(message: JsonDict) -> bool:
    """Whether the person wrote a message; it is not a tool result or a text of the host."""
    parts = [as_object(part) for part in as_list(message.get("content"))]
    if message.get("type") != "user" or any("functionResponse" in part for part in parts):
        return False
    text = _message_text(message).strip()
    return bool(text) and not text.startswith(_HOST_TEXT_PREFIXES)


def _result_text(call: JsonDict) -> str:
    results = (as_object(as_object(part).get("functionResponse")) for part in as_list(call.get("result")))
    responses = (as_object(result.get("response")) for result in results)
    text = "\n".join(
        content_text(response.get("output")) or content_text(response.get("error")) for response in responses
    )
    return _RESULT_METADATA.sub("", text).strip() or content_text(call.get("resultDisplay"))


def _read_session(file: BinaryIO) -> _GeminiSession:
    head = first_records(file, 2)
    ids = (as_string(record.get("sessionId")) for record in head)
    session = next(filter(None, ids), session_from_path(stream_path(file)))
    messages = (message for record in head for message in as_list(as_object(record.get("$set")).get("messages")))
    folder = _WORKSPACE_FOLDER.search(_message_text(as_object(next(messages, None))))
    return _GeminiSession(session, folder[1].strip() if folder else "")


def _read_legacy(file: BinaryIO, normalizer: EventNormalizer) -> Iterator[TranscriptEvent]:
    document = read_document(file, normalizer.stats)
    session = as_string(document.get("sessionId")) or session_from_path(stream_path(file))
    reader = _GeminiReader(normalizer, _GeminiSession(session))
    for message in map(as_object, as_list(document.get("messages"))):
        normalizer.stats.records += 1
        yield from reader.read_message(message)
    yield from reader.read_summary(document)


def _read_gemini(file: BinaryIO, offset: int, limits: CaptureLimits, stats: ReadStats) -> Iterator[TranscriptEvent]:
    """Events are timeless: when a session is resumed, the host gives its messages other times, but the same ids."""
    return (event._replace(timeless=True) for event in _read_events(file, offset, limits, stats))


def _read_events(file: BinaryIO, offset: int, limits: CaptureLimits, stats: ReadStats) -> Iterator[TranscriptEvent]:
    normalizer = EventNormalizer("gemini", limits, stats)
    head = next(iter(first_records(file)), None)
    if head is None or "messages" in head:  # one document, in one line or in many
        yield from _read_legacy(file, normalizer)
        return
    reader = _GeminiReader(normalizer, _read_session(file))
    stats.cursor = start_offset(file, offset)
    for record in read_records(file, stats.cursor, stats):
        yield from reader.read_record(*record)


def _gemini_paths(environment: Mapping[str, str], user_folder: str) -> list[str]:
    return [os.path.join(environment.get("GEMINI_CLI_HOME") or user_folder, ".gemini", "tmp")]


def _is_gemini_transcript(path: str, head: bytes) -> bool:
    return path.endswith((".json", ".jsonl")) and _SIGNATURE.search(head) is not None


SOURCE = TranscriptSource("gemini", _gemini_paths, _is_gemini_transcript, _read_gemini)
