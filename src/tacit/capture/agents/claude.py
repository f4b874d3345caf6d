"""Transcripts of Claude Code: `~/.claude/projects/FOLDER/SESSION.jsonl`, helpers in `SESSION/subagents/agent-*.jsonl`.

A turn begins with a prompt. There everything before it is settled, and the reader forgets all it had in mind, so that
reading from there on is the same as having read everything.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import BinaryIO

from tacit.capture.agents.claude_queue import Queue, Queued
from tacit.capture.agents.claude_said import (
    INTERRUPTED,
    Answer,
    answers_of_rejection,
    is_rejection,
    words_of,
    words_of_rejection,
)
from tacit.capture.agents.heard import Heard, Limits, Source, Tally
from tacit.capture.agents.lines import Glance, records, start, type_of
from tacit.capture.agents.named import path_of, session_of
from tacit.capture.agents.shape import Object, listing, mapping, string, texts
from tacit.capture.agents.telling import Call, Place, Teller, key_of
from tacit.capture.agents.tools import tool_of
from tacit.capture.agents.when import Clock, when
from tacit.core.conversation import Act, By, How, Outcome

_PASSED = frozenset(
    "progress file-history-snapshot pr-link attachment agent-name agent-setting "
    "agent-color last-prompt permission-mode mode bridge-session api-request api-request-shape api-request-blob "
    "prompt_snapshot tools-used atis-latch cost-state worktree-state content-replacement task-summary tag".split()
)
_THINKING = b'"content":[{"type":"thinking"'
_COPY = b',"toolUseResult":'
_ASKED = (b'{"questions":', b'{"answers":')
_NEAR, _FAR = 200, 2000  # bytes
_CHUNK = 1 << 20
_TITLES = {
    "custom-title": ("customTitle", By.PERSON),
    "ai-title": ("aiTitle", By.HOST),
    "summary": ("summary", By.HOST),
}
_NOISE = frozenset(kind.encode() for kind in _PASSED)
_MACHINE_ORIGINS = ("task-notification", "hook", "coordinator", "teammate", "auto-continuation")
_IDENTITY = re.compile(
    rb'"(?:sessionId|parentUuid|leafUuid)" ?:|"type" ?: ?"(?:user|assistant|summary|queue-operation)"'
)


def _glance(raw: bytes) -> Glance:
    """Most records are of no use; and of a result, half the bytes are a copy of what was read or written."""
    kind = type_of(raw)
    if kind == b"user":
        return Glance("", _without_copy(raw))
    if not kind:
        return Glance("thinking" if _only_thinks(raw) else "", raw)
    return Glance(kind.decode() if kind in _NOISE else "", raw)


def _only_thinks(raw: bytes) -> bool:
    return (
        raw.find(_THINKING, 0, _FAR) >= 0
        and raw.find(b'"type":"tool_use"', _NEAR) < 0
        and raw.find(b'"type":"text"', _NEAR) < 0
    )


def _without_copy(raw: bytes) -> bytes:
    """A user record without `toolUseResult`, where that stands behind all that is needed and says nothing itself."""
    at = raw.find(_COPY)
    if at < 0 or raw.startswith(_ASKED, at + len(_COPY)) or b'"interrupted":true' in raw[-_FAR:]:
        return raw
    before = raw[max(at - _NEAR, 0) : at]
    is_behind = b'"timestamp":"' in before and b'"uuid":"' in before and raw.find(b'"sessionId":"', 0, _FAR) >= 0
    return raw[:at] + b"}" if is_behind else raw


class _Talk:
    """What a reader has in mind between the records of a turn."""

    def __init__(self, teller: Teller, file: BinaryIO) -> None:
        self._teller, self._tally, self._file = teller, teller.tally, file
        path = path_of(file)
        self._named = session_of(path)
        self._early: list[Object] = []  # titles before anything that tells a time
        self._is_aside = os.path.basename(path).startswith("agent-")
        self._forget()

    def _forget(self) -> None:
        self._clock, self._queue = Clock(), Queue()
        self._calls: dict[str, Call] = {}
        self._titles = 0
        self._session, self._directory, self._branch = self._named, "", ""

    def hear(self, offset: int, record: Object) -> Iterator[Heard]:
        kind = string(record.get("type"))
        match kind:
            case "user":
                yield from self._user(offset, record)
            case "assistant":
                yield from self._assistant(record)
            case "queue-operation":
                yield from self._queued(record)
            case "system":
                yield from self._system(record)
            case _ if kind in _TITLES:
                yield from self._titled(offset, record)
            case _ if kind in _PASSED:
                self._tally.passed[kind] += 1
            case _:
                self._tally.unknown[kind[:60]] += 1
        if self._early and self._clock.last is not None:
            for nth, early in enumerate(self._early):
                yield from self._title(early, self._clock.last, nth)
            self._early = []

    def _place(self, record: Object) -> Place:
        self._session = string(record.get("sessionId")) or self._session
        self._directory = string(record.get("cwd")) or self._directory
        self._branch = string(record.get("gitBranch")) or self._branch
        return Place(self._clock.at(record.get("timestamp")), self._session, self._directory, self._branch)

    def _aside(self, record: Object) -> bool:
        return self._is_aside or record.get("isSidechain") is True or bool(record.get("agentId"))

    # Words of the person, and results of calls

    def _user(self, offset: int, record: Object) -> Iterator[Heard]:
        content = mapping(record.get("message")).get("content")
        blocks = [mapping(block) for block in listing(content)]
        results = [block for block in blocks if block.get("type") == "tool_result"]
        if results:
            place = self._place(record)
            yield from self._told(self._queue.go_on())
            for block in results:
                yield from self._result(record, block, place)
        spoken = content if isinstance(content, str) else _spoken(blocks)
        if spoken and not self._is_by_machine(record):
            yield from self._spoken(offset, record, spoken)

    def _is_by_machine(self, record: Object) -> bool:
        origin = string(mapping(record.get("origin")).get("kind"))
        marks = ("isMeta", "isCompactSummary", "isVisibleInTranscriptOnly")
        is_machine = any(record.get(mark) is True for mark in marks) or origin in _MACHINE_ORIGINS
        if is_machine or self._aside(record):
            self._tally.passed["user record of the host"] += 1
            return True
        return False

    def _spoken(self, offset: int, record: Object, text: str) -> Iterator[Heard]:
        if text.startswith(INTERRUPTED):
            place = self._place(record)
            yield from self._teller.interrupted(self._key(record, place, text), place)
            return
        said = words_of(text)
        if said is None:
            self._tally.passed["user record of the host"] += 1
            return
        told_before, late = self._queue.arrives(said.text)
        yield from self._told(late)
        for call in self._calls.values():
            yield from self._teller.unanswered(call)
        self._calls = {}
        if not told_before and self._queue.is_empty and _stands_alone(record):
            self._forget()
            self._tally.settled = offset
        place = self._place(record)
        if not told_before:
            yield from self._teller.prompt(self._key(record, place, said.text), place, said.text, said.how)

    def _told(self, queued: list[Queued]) -> Iterator[Heard]:
        for one in queued:
            yield from self._teller.prompt(one.key, one.place, one.text, How.QUEUED)

    def _queued(self, record: Object) -> Iterator[Heard]:
        place, text = self._place(record), string(record.get("content"))
        match record.get("operation"):
            case "enqueue" if (said := words_of(text)) is not None:
                key = key_of(record.get("uuid"), place.session, place.at, text)
                yield from self._told(self._queue.put(Queued(key, place, said.text)))
            case "remove":
                yield from self._told(self._queue.remove(text))
            case "dequeue":
                self._queue.dequeue()
            case "popAll":
                self._queue.take_back()
            case _:
                self._tally.passed["queue-operation"] += 1

    # Words and calls of the agent

    def _assistant(self, record: Object) -> Iterator[Heard]:
        message, place = mapping(record.get("message")), self._place(record)
        if record.get("isApiErrorMessage") is True or message.get("model") == "<synthetic>":
            self._tally.passed["assistant record of the host"] += 1
            return
        yield from self._told(self._queue.go_on())
        content, is_aside = message.get("content"), self._aside(record)
        blocks = listing(content) if isinstance(content, list) else [{"type": "text", "text": content}]
        for nth, block in enumerate(map(mapping, blocks)):
            if block.get("type") == "tool_use":
                self._called(block, place, is_aside, nth)
            elif block.get("type") == "text" and not is_aside:
                text = string(block.get("text"))
                key = self._key(record, place, text)
                yield from self._teller.reply(f"{key}#{nth}" if nth else key, place, text, nth)

    def _called(self, block: Object, place: Place, is_aside: bool, nth: int) -> None:
        own = string(block.get("id"))
        tool = string(block.get("name"))
        key = key_of(own, place.session, place.at, tool)
        self._calls.setdefault(own, Call(key, tool, block.get("input"), place, is_aside, nth))

    def _result(self, record: Object, block: Object, place: Place) -> Iterator[Heard]:
        own, result = string(block.get("tool_use_id")), texts(block.get("content"))
        outcome = _outcome(record, block, result)
        call = self._calls.pop(own, None)
        if call is not None:
            yield from self._teller.used(call, result, outcome)
        else:  # what the person said with it is heard all the same
            self._tally.passed["result without its call"] += 1
            call = Call(key_of(own, place.session, place.at, result), "", "", place, self._aside(record))
        if not call.aside:
            yield from self._answers(call, record, result, outcome, place)

    def _answers(self, call: Call, record: Object, result: str, outcome: Outcome, place: Place) -> Iterator[Heard]:
        """What the person said with a result: why not, or what they chose."""
        if outcome is Outcome.REJECTED and (said := words_of_rejection(result)):
            about = self._teller.about(call) if call.tool else ""
            yield from self._teller.prompt(f"{call.key}#said", place, said, How.REJECTION, about, 1)
        if not call.tool or tool_of(call.tool).act is Act.ASKED:
            for nth, (question, answer) in enumerate(_answered(record) or answers_of_rejection(result)):
                key = f"{call.key}#answer{nth}"
                yield from self._teller.prompt(key, place, answer, How.ANSWER, question, nth + 1)

    # The host

    def _titled(self, offset: int, record: Object) -> Iterator[Heard]:
        """A title has no time of its own: it comes right behind the record before it. A summary is the title of the
        session whose record it names, and stands in files of others too."""
        if self._is_aside or (record.get("type") == "summary" and not self._is_before(offset, record.get("leafUuid"))):
            self._tally.passed["title of another session"] += 1
        elif self._clock.last is None:
            self._early.append(record)
        else:
            self._titles += 1
            yield from self._title(record, self._clock.last + timedelta(milliseconds=1), self._titles)

    def _title(self, record: Object, at: datetime, nth: int) -> Iterator[Heard]:
        field, by = _TITLES[string(record.get("type"))]
        session = string(record.get("sessionId")) or self._session
        place = Place(at, session, self._directory, self._branch)
        yield from self._teller.titled(place, string(record.get(field)), by, nth)

    def _is_before(self, offset: int, uuid: object) -> bool:
        """Whether the record of this id stands in the file before an offset."""
        if not isinstance(uuid, str) or not uuid:
            return False
        sought = [f'"uuid":{blank}"{uuid}"'.encode("utf-8", "replace") for blank in ("", " ")]
        here = self._file.tell()
        try:
            return any(_holds(self._file, offset, one) for one in sought)
        finally:
            self._file.seek(here)

    def _system(self, record: Object) -> Iterator[Heard]:
        subtype = string(record.get("subtype"))
        if subtype != "compact_boundary" or self._aside(record):
            self._tally.passed[f"system {subtype}"[:60].strip()] += 1
            return
        place = self._place(record)
        yield from self._teller.compacted(self._key(record, place, subtype), place)

    def _key(self, record: Object, place: Place, text: str) -> str:
        return key_of(record.get("uuid"), place.session, place.at, text)


def _stands_alone(record: Object) -> bool:
    """Whether a record says by itself when and in which session it was: then nothing before it is needed."""
    return when(record.get("timestamp")) is not None and bool(string(record.get("sessionId")))


def _spoken(blocks: list[Object]) -> str:
    """The words of a record; what was only shown is named."""
    found = [string(block.get("text")) for block in blocks if block.get("type") == "text"]
    if interrupted := [text for text in found if text.startswith(INTERRUPTED)]:
        return interrupted[0]
    shown = [f"[{block.get('type')}]" for block in blocks if block.get("type") in ("image", "document")]
    return "\n".join(text for text in found if text.strip()) or " ".join(shown)


def _outcome(record: Object, block: Object, result: str) -> Outcome:
    decision = mapping(record.get("permissionDecision")).get("decision")
    if block.get("is_error") is True:
        rejected = is_rejection(result) or record.get("toolDenialKind") or decision in ("deny", "reject")
        return Outcome.REJECTED if rejected else Outcome.FAILED
    return Outcome.UNKNOWN if mapping(record.get("toolUseResult")).get("interrupted") is True else Outcome.WELL


def _answered(record: Object) -> list[Answer]:
    """What was chosen or written for each question, and what was noted beside it."""
    told = mapping(record.get("toolUseResult"))
    notes = mapping(told.get("annotations"))
    answers = ((question, _answer(answer)) for question, answer in mapping(told.get("answers")).items())
    noted = ((question, text, string(mapping(notes.get(question)).get("notes"))) for question, text in answers)
    return [Answer(question, f"{text}\n{note}".strip()) for question, text, note in noted if text or note]


def _answer(answer: object) -> str:
    return answer if isinstance(answer, str) else ", ".join(filter(None, map(string, listing(answer))))


def _holds(file: BinaryIO, end: int, sought: bytes) -> bool:
    """Whether the first `end` bytes of a file hold this."""
    file.seek(0)
    kept, left = b"", end
    while left > 0 and (chunk := file.read(min(_CHUNK, left))):
        left -= len(chunk)
        if sought in kept + chunk:
            return True
        kept = chunk[-len(sought) :]
    return False


def _read(file: BinaryIO, offset: int, limits: Limits, tally: Tally) -> Iterator[Heard]:
    talk = _Talk(Teller("claude", limits, tally), file)
    tally.settled = start(file, offset)
    for record in records(file, tally.settled, tally, _glance):
        yield from talk.hear(*record)


def _places(environment: Mapping[str, str], user_folder: str) -> list[str]:
    home = environment.get("CLAUDE_CONFIG_DIR") or os.path.join(user_folder, ".claude")
    return [os.path.join(home, "projects")]


def _recognises(path: str, head: bytes) -> bool:
    return path.endswith(".jsonl") and _IDENTITY.search(head) is not None


SOURCE = Source("claude", _places, _recognises, _read)
