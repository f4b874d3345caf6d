"""Chats of Gemini CLI: `~/.gemini/tmp/PROJECT/chats/session-*.json`, newer ones `.jsonl`.

The older form is one document that is written anew each time. The newer has a message a line and patches between them;
a patch may repeat messages that stood there before, with the same ids, and a message may come again with its calls.
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
_SIGNATURE = re.compile(rb'"projectHash"|"\$set"')


class _GeminiSession(Record):
    """What the first lines tell."""

    id: str
    directory: str = ""


class _GeminiReader:
    """What a reader has in mind between the messages of a turn."""

    def __init__(self, teller: EventNormalizer, session: _GeminiSession) -> None:
        self._normalizer, self._stats, self._session = teller, teller.stats, session
        self._clock = RecordClock()

    def read_record(self, offset: int, record: JsonDict) -> Iterator[TranscriptEvent]:
        """A line: a message, a patch, or the head of a session."""
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
        """All messages anew: as they were where a session is resumed, under other ids where it was compressed."""
        self._stats.skipped["patch"] += 1
        yield from self.read_summary(fields)
        messages = [as_object(one) for one in as_list(fields.get("messages"))]
        summaries = [one for one in messages if _SNAPSHOT_TAG in _message_text(one)[:2000]]
        for message in summaries or messages:
            yield from self.read_message(message)

    def read_summary(self, fields: JsonDict) -> Iterator[TranscriptEvent]:
        """What the host sums a session up with, for its list of sessions."""
        if self._clock.last_time is not None:
            place = EventContext(self._clock.last_time, self._session.id, self._session.directory)
            yield from self._normalizer.title(place, as_string(fields.get("summary")), timeless=True)

    def read_message(self, message: JsonDict) -> Iterator[TranscriptEvent]:
        kind = as_string(message.get("type"))
        place = EventContext(self._clock.time_of(message.get("timestamp")), self._session.id, self._session.directory)
        match kind:
            case "user":
                yield from self._read_user(message, place)
            case "gemini" | "model" | "assistant":
                yield from self._read_reply(message, place)
            case _ if kind in _SKIPPED_TYPES:
                self._stats.skipped[kind] += 1
            case _:
                self._stats.unknown[kind[:60]] += 1

    def _read_user(self, message: JsonDict, place: EventContext) -> Iterator[TranscriptEvent]:
        text = _message_text(message)
        key = event_key(message.get("id"), place.session, place.at, text)
        if _SNAPSHOT_TAG in text[:2000]:
            yield from self._normalizer.compaction(key, place)
        elif _is_user_prompt(message):
            yield from self._normalizer.prompt(key, place, text)
        else:
            self._stats.skipped["user message of the host"] += 1

    def _read_reply(self, message: JsonDict, place: EventContext) -> Iterator[TranscriptEvent]:
        text = _message_text(message)
        if text.strip() != _SETUP_REPLY:
            yield from self._normalizer.reply(event_key(message.get("id"), place.session, place.at, text), place, text)
        for nth, call in enumerate(map(as_object, as_list(message.get("toolCalls"))), 1):
            yield from self._read_call(call, place, nth)

    def _read_call(self, call: JsonDict, place: EventContext, nth: int) -> Iterator[TranscriptEvent]:
        status = as_string(call.get("status"))
        if status not in _STATUS_OUTCOMES:
            self._stats.skipped["call that is not done"] += 1
            return
        tool = as_string(call.get("name"))
        key = event_key(call.get("id"), place.session, place.at, f"{tool} {nth}")
        result = _result_text(call)
        outcome = ToolOutcome.FAILED if _has_failed(result) else _STATUS_OUTCOMES[status]
        at = parse_timestamp(call.get("timestamp")) or place.at
        yield from self._normalizer.tool_use(
            PendingToolCall(key, tool, call.get("args"), place._replace(at=at), ordinal=nth), result, outcome
        )


def _message_text(message: JsonDict) -> str:
    """What was said; the copy for people where there is one, which holds no files that were put behind it."""
    return content_text(message.get("displayContent")) or content_text(message.get("content"))


def _is_user_prompt(message: JsonDict) -> bool:
    """Whether a message holds words of the person: no result of a tool, nothing that the host wrote."""
    parts = [as_object(part) for part in as_list(message.get("content"))]
    if message.get("type") != "user" or any("functionResponse" in part for part in parts):
        return False
    text = _message_text(message).strip()
    return bool(text) and not text.startswith(_HOST_TEXT_PREFIXES)


def _result_text(call: JsonDict) -> str:
    """The output of a call."""
    responses = (as_object(as_object(part).get("functionResponse")) for part in as_list(call.get("result")))
    given = (as_object(response.get("response")) for response in responses)
    told = "\n".join(content_text(one.get("output")) or content_text(one.get("error")) for one in given)
    return _RESULT_METADATA.sub("", told).strip() or content_text(call.get("resultDisplay"))


_RESULT_METADATA = re.compile(
    r"^(?:Command: .*|Directory: .*|Error: \(none\)|Signal: .*|Background PIDs: .*|Process Group PGID: .*)\n?",
    re.MULTILINE,
)
_NONZERO_EXIT = re.compile(r"^Exit Code: ([1-9]\d{0,4})$", re.MULTILINE)


def _has_failed(result: str) -> bool:
    return _NONZERO_EXIT.search(result) is not None


def _read_session(file: BinaryIO) -> _GeminiSession:
    head = first_records(file, 2)
    named = next(
        (found for record in head if (found := as_string(record.get("sessionId")))),
        session_from_path(stream_path(file)),
    )
    seed = next(
        (
            _message_text(as_object(one))
            for record in head
            for one in as_list(as_object(record.get("$set")).get("messages"))
        ),
        "",
    )
    folder = _WORKSPACE_FOLDER.search(seed)
    return _GeminiSession(named, folder[1].strip() if folder else "")


def _is_document(file: BinaryIO) -> bool:
    """One document, whole or over many lines, as opposed to a record a line."""
    head = next(iter(first_records(file)), None)
    return head is None or "messages" in head


def _read_legacy(file: BinaryIO, teller: EventNormalizer) -> Iterator[TranscriptEvent]:
    body = read_document(file, teller.stats)
    talk = _GeminiReader(
        teller, _GeminiSession(as_string(body.get("sessionId")) or session_from_path(stream_path(file)))
    )
    for message in map(as_object, as_list(body.get("messages"))):
        teller.stats.records += 1
        yield from talk.read_message(message)
    yield from talk.read_summary(body)


def _read_gemini(file: BinaryIO, offset: int, limits: CaptureLimits, tally: ReadStats) -> Iterator[TranscriptEvent]:
    """Where a session is resumed, the host gives all its messages other times: they are known by their ids alone."""
    return (heard._replace(timeless=True) for heard in _read_events(file, offset, limits, tally))


def _read_events(file: BinaryIO, offset: int, limits: CaptureLimits, tally: ReadStats) -> Iterator[TranscriptEvent]:
    teller = EventNormalizer("gemini", limits, tally)
    if _is_document(file):
        yield from _read_legacy(file, teller)
        return
    talk = _GeminiReader(teller, _read_session(file))
    tally.cursor = start_offset(file, offset)
    for record in read_records(file, tally.cursor, tally):
        yield from talk.read_record(*record)


def _gemini_paths(environment: Mapping[str, str], user_folder: str) -> list[str]:
    return [os.path.join(environment.get("GEMINI_CLI_HOME") or user_folder, ".gemini", "tmp")]


def _is_gemini_transcript(path: str, head: bytes) -> bool:
    return path.endswith((".json", ".jsonl")) and _SIGNATURE.search(head) is not None


SOURCE = TranscriptSource("gemini", _gemini_paths, _is_gemini_transcript, _read_gemini)
