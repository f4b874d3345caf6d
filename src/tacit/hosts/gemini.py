"""Chats of Gemini CLI: `~/.gemini/tmp/PROJECT/chats/session-*.json`, newer ones `.jsonl`.

The older form is one document that is rewritten each time. The newer has one message per line and patches between them;
a patch may repeat earlier messages with the same ids, and a message may be repeated with its tool calls.
"""

from __future__ import annotations

import re

from tacit.hosts.normalize import EventContext, Events, PendingToolCall, TranscriptReader, TranscriptSource, event_key
from tacit.hosts.records import (
    JsonDict,
    as_list,
    as_object,
    as_string,
    content_text,
    first_records,
    parse_timestamp,
    read_document,
)
from tacit.model.observation import ToolOutcome

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
_BLOCKED = "Blocked: "
_RESULT_METADATA = re.compile(
    r"^(?:Command: .*|Directory: .*|Error: \(none\)|Signal: .*|Background PIDs: .*|Process Group PGID: .*)\n?",
    re.MULTILINE,
)
_NONZERO_EXIT = re.compile(r"^Exit Code: ([1-9]\d{0,4})$", re.MULTILINE)
_SIGNATURE = re.compile(rb'"projectHash"|"\$set"')


class _GeminiReader(TranscriptReader):
    agent = "gemini"
    skipped_types = frozenset(("info", "warning", "error", "about", "help", "quit", "compression"))

    timeless = True  # when a session is resumed, the host gives its messages other times, but the same ids

    def read(self, offset: int) -> Events:
        first = first_records(self.file)
        if not first or "messages" in first[0]:  # the older form, in one line or in many
            document = read_document(self.file, self.stats)
            self.session = as_string(document.get("sessionId")) or self.session
            for message in map(as_object, as_list(document.get("messages"))):
                self.stats.records += 1
                yield from self._read_message(message)
            yield from self._read_summary(document)
            return
        head = first_records(self.file, 2)
        ids = (as_string(record.get("sessionId")) for record in head)
        self.session = next(filter(None, ids), self.session)
        messages = (message for record in head for message in as_list(as_object(record.get("$set")).get("messages")))
        if folder := _WORKSPACE_FOLDER.search(_message_text(as_object(next(messages, None)))):
            self.directory = folder[1].strip()
        yield from super().read(offset)

    def read_record(self, offset: int, record: JsonDict) -> Events:
        """Read a line: a message, a patch, or the head of a session.

        A patch repeats all messages: unchanged if the session is resumed, with other ids if it was compressed.
        """
        if "$set" in record:
            self.stats.skipped["patch"] += 1
            fields = as_object(record["$set"])
            yield from self._read_summary(fields)
            messages = [as_object(message) for message in as_list(fields.get("messages"))]
            summaries = [message for message in messages if _SNAPSHOT_TAG in _message_text(message)[:2000]]
            for message in summaries or messages:
                yield from self._read_message(message)
        elif "type" in record:
            if _is_user_prompt(record):
                self.start_turn(offset, record)
            yield from self._read_message(record)
        else:
            self.stats.skipped["head"] += 1

    def _read_summary(self, fields: JsonDict) -> Events:
        """The host summarises a session for its list of sessions."""
        if self.clock.last_time is not None:
            context = self.context_at(self.clock.last_time)
            yield from self.title(context, as_string(fields.get("summary")), timeless=True)

    def _read_message(self, message: JsonDict) -> Events:
        kind, text = as_string(message.get("type")), _message_text(message)
        context = self.context_at(self.clock.time_of(message.get("timestamp")))
        key = event_key(message.get("id"), context, text)
        match kind:
            case "user" if _SNAPSHOT_TAG in text[:2000]:
                yield from self.compaction(key, context)
            case "user" if _is_user_prompt(message):
                yield from self.prompt(key, context, text)
            case "user":
                self.stats.skipped["user message of the host"] += 1
            case "gemini" | "model" | "assistant":
                if text.strip() != _SETUP_REPLY:
                    yield from self.reply(key, context, text)
                for ordinal, call in enumerate(map(as_object, as_list(message.get("toolCalls"))), 1):
                    yield from self._read_call(call, context, ordinal)
            case _:
                self.count_other(kind)

    def _read_call(self, call: JsonDict, context: EventContext, ordinal: int) -> Events:
        status = as_string(call.get("status"))
        if status not in _STATUS_OUTCOMES:
            self.stats.skipped["call that is not done"] += 1
            return
        tool = as_string(call.get("name"))
        key = event_key(call.get("id"), context, f"{tool} {ordinal}")
        results = (as_object(as_object(part).get("functionResponse")) for part in as_list(call.get("result")))
        responses = [as_object(result.get("response")) for result in results]
        texts = [content_text(response.get("output")) or content_text(response.get("error")) for response in responses]
        result = _RESULT_METADATA.sub("", "\n".join(texts)).strip() or content_text(call.get("resultDisplay"))
        outcome = ToolOutcome.FAILED if _NONZERO_EXIT.search(result) else _STATUS_OUTCOMES[status]
        if content_text(call.get("resultDisplay")).startswith(_BLOCKED):  # "success" all the same
            outcome = ToolOutcome.REJECTED
        context = context._replace(at=parse_timestamp(call.get("timestamp")) or context.at)
        pending = PendingToolCall(key, tool, call.get("args"), context, ordinal=ordinal)
        yield from self.tool_use(pending, result, outcome)


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


SOURCE = TranscriptSource(
    "gemini", "GEMINI_CLI_HOME", "", (".gemini/tmp",), dict.fromkeys(("*.json", "*.jsonl"), _SIGNATURE), _GeminiReader
)
