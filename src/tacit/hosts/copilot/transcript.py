"""Transcripts of Copilot CLI: `~/.copilot/session-state/SESSION/events.jsonl`, one event a line."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from typing import BinaryIO

from tacit.disk.read import open_theirs
from tacit.errors import TacitError
from tacit.hosts.normalize import Call, Place, Teller, key_of
from tacit.hosts.records import (
    Clock,
    Glance,
    Heard,
    Limits,
    Object,
    Source,
    Tally,
    first,
    listing,
    mapping,
    path_of,
    records,
    session_of,
    start,
    string,
    texts,
    type_of,
    when,
    whole,
)
from tacit.model.observation import By, How, Outcome
from tacit.record import Record

_PASSED = frozenset(
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
_YAML = re.compile(r"^(name|user_named):[ \t]*(.{0,1000})$", re.MULTILINE)
_MOST_YAML = 65_536  # bytes
_AT_ONCE = ("", "idle")
_GUIDANCE = re.compile(
    r"\n{1,3}Tool \"[^\"\n]{1,100}\" (?:succeeded|failed)\. Additional guidance from .*\Z", re.DOTALL
)
_SHELL = re.compile(r"\n?<shellId: [^<>\n]{1,100}>\s*\Z")
_REJECTED = ("denied", "rejected", "permission")
_HISTORY = re.compile(rb'\s{0,20}\{\s{0,20}"history"\s?:\s?\[')
_IDENTITY = re.compile(rb'"type" ?: ?"(?:session\.start|user\.message|assistant\.message|session\.info)"')


def _glance(raw: bytes) -> Glance:
    kind = type_of(raw).decode("ascii", "replace")
    return Glance(kind if kind in _PASSED else "", raw)


class _Session(Record):
    """What the first event tells."""

    id: str
    directory: str = ""
    branch: str = ""


class _Talk:
    """What a reader has in mind between the events of a turn."""

    def __init__(self, teller: Teller, session: _Session) -> None:
        self._teller, self._tally, self._session = teller, teller.tally, session
        self._forget()

    def _forget(self) -> None:
        self._clock, self._calls = Clock(), dict[str, Call]()

    def hear(self, offset: int, record: Object) -> Iterator[Heard]:
        kind = string(record.get("type"))
        said = mapping(record.get("data")) or record  # older versions have no envelope
        match kind:
            case "user.message":
                yield from self._prompt(offset, record, said)
            case "assistant.message":
                yield from self._reply(record, said)
            case "tool.execution_start":
                self._called(record, said)
            case "tool.execution_complete":
                yield from self._result(record, said)
            case "abort":
                place = self._place(record)
                yield from self._teller.interrupted(self._key(record, place, kind), place)
            case "session.compaction_complete":
                place = self._place(record)
                yield from self._teller.compacted(self._key(record, place, kind), place)
            case _ if kind in _PASSED:
                self._tally.passed[kind] += 1
            case _:
                self._tally.unknown[kind[:60]] += 1

    def named(self, name: str) -> Iterator[Heard]:
        """The host does not tell since when a session has its name."""
        if self._clock.last is not None:
            session = self._session
            place = Place(self._clock.last, session.id, session.directory, session.branch)
            yield from self._teller.titled(place, name, By.PERSON, timeless=True)

    def _place(self, record: Object) -> Place:
        session = self._session
        named = string(record.get("session_id")) or session.id
        directory = string(record.get("cwd")) or session.directory
        return Place(self._clock.at(record.get("timestamp")), named, directory, session.branch)

    def _prompt(self, offset: int, record: Object, said: Object) -> Iterator[Heard]:
        text = texts(said.get("content")) or string(said.get("prompt"))
        if string(said.get("source")) not in ("", "user") or _is_aside(said) or not text.strip():
            self._tally.passed["user.message of the host"] += 1
            return
        for call in self._calls.values():
            yield from self._teller.unanswered(call)
        if when(record.get("timestamp")) is not None:
            self._forget()
            self._tally.settled = offset
        place = self._place(record)
        how = How.TYPED if string(said.get("delivery")) in _AT_ONCE else How.QUEUED
        yield from self._teller.prompt(self._key(record, place, text), place, text, how)

    def _reply(self, record: Object, said: Object) -> Iterator[Heard]:
        text, place = texts(said.get("content")) or string(said.get("output")), self._place(record)
        if not _is_aside(said):
            yield from self._teller.reply(self._key(record, place, text), place, text)

    def _called(self, record: Object, said: Object) -> None:
        own, tool, place = string(said.get("toolCallId")), string(said.get("toolName")), self._place(record)
        given = _arguments(said.get("arguments"))
        key = key_of(own, place.session, place.at, tool)
        self._calls.setdefault(own, Call(key, tool, given, place, _is_aside(said)))

    def _result(self, record: Object, said: Object) -> Iterator[Heard]:
        self._place(record)
        call = self._calls.pop(string(said.get("toolCallId")), None)
        if call is None:
            self._tally.passed["result without its call"] += 1
            return
        error = mapping(said.get("error"))
        result = string(error.get("message")) or _text(said.get("result"))
        yield from self._teller.used(call, result, _outcome(said, error))

    def _key(self, record: Object, place: Place, text: str) -> str:
        return key_of(record.get("id"), place.session, place.at, text)


def _is_aside(said: Object) -> bool:
    return bool(said.get("parentToolCallId"))


def _arguments(given: object) -> object:
    if not isinstance(given, str):
        return given
    try:
        return mapping(json.loads(given)) or given
    except (ValueError, RecursionError):
        return given


def _text(result: object) -> str:
    """The output of a tool. What hooks put behind it stands only in the copy for the model."""
    fields = mapping(result)
    told = string(fields.get("detailedContent")) or _GUIDANCE.sub("", texts(fields.get("content")) or texts(result))
    return _SHELL.sub("", told)


def _outcome(said: Object, error: Object) -> Outcome:
    if said.get("success") is False or error:
        told = f"{error.get('code')} {error.get('message')}".lower()[:400]
        return Outcome.REJECTED if any(sign in told for sign in _REJECTED) else Outcome.FAILED
    status = mapping(said.get("shellExecution")).get("exitCode", 0)
    return Outcome.FAILED if isinstance(status, int) and status != 0 else Outcome.WELL


def _session(file: BinaryIO) -> _Session:
    head = next(iter(first(file)), {})
    told = mapping(head.get("data"))
    context = mapping(told.get("context"))
    named = string(told.get("sessionId")) or string(head.get("session_id")) or session_of(path_of(file))
    return _Session(named, string(context.get("cwd")), string(context.get("branch")))


def _history(file: BinaryIO, teller: Teller) -> Iterator[Heard]:
    """As the first versions wrote it: one document with everything that was said."""
    session, clock, document = session_of(path_of(file)), Clock(), whole(file, teller.tally)
    for message in map(mapping, listing(document.get("history"))):
        teller.tally.records += 1
        place = Place(clock.at(message.get("time")), session, string(document.get("workspacePath")))
        text = texts(message.get("content")) or string(message.get("result"))
        key = key_of(message.get("id"), session, place.at, text)
        is_prompt = message.get("role") in ("human", "user")
        yield from (teller.prompt if is_prompt else teller.reply)(key, place, text)


def _name(path: str) -> str:
    """The name that the person gave a session. One by the host is the first prompt again."""
    try:
        with open_theirs(os.path.join(os.path.dirname(path), "workspace.yaml")) as file:
            told = file.read(_MOST_YAML).decode("utf-8", "replace")
    except (OSError, TacitError):
        return ""
    fields = {found[1]: found[2].strip() for found in _YAML.finditer(told)}
    return fields.get("name", "").strip("\"'") if fields.get("user_named") == "true" else ""


def _read(file: BinaryIO, offset: int, limits: Limits, tally: Tally) -> Iterator[Heard]:
    teller = Teller("copilot", limits, tally)
    if path_of(file).endswith(".json"):
        yield from _history(file, teller)
        return
    session = _session(file)
    talk = _Talk(teller, session)
    tally.settled = start(file, offset)
    for record in records(file, tally.settled, tally, _glance):
        yield from talk.hear(*record)
    if name := _name(path_of(file)):
        yield from talk.named(name)


def _places(environment: Mapping[str, str], user_folder: str) -> list[str]:
    home = environment.get("COPILOT_HOME") or os.path.join(user_folder, ".copilot")
    return [os.path.join(home, "session-state")]


def _recognises(path: str, head: bytes) -> bool:
    if path.endswith(".json"):
        return _HISTORY.match(head) is not None
    return path.endswith(".jsonl") and _IDENTITY.search(head) is not None


SOURCE = Source("copilot", _places, _recognises, _read)
