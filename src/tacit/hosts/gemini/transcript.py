"""Chats of Gemini CLI: `~/.gemini/tmp/PROJECT/chats/session-*.json`, newer ones `.jsonl`.

The older form is one document that is written anew each time. The newer has a message a line and patches between them;
a patch may repeat messages that stood there before, with the same ids, and a message may come again with its calls.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from typing import BinaryIO

from tacit.hosts.normalize import Call, Place, Teller, key_of
from tacit.hosts.records import (
    Clock,
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
    when,
    whole,
)
from tacit.model.observation import Outcome
from tacit.record import Record

_PASSED = frozenset(("info", "warning", "error", "about", "help", "quit", "compression"))
_BY_HOST = (
    "System: Please continue.",
    "<session_context>",
    "<state_snapshot>",
    "This is the Gemini CLI. We are setting up",
)
_THANKS = "Got it. Thanks for the additional context!"
_SNAPSHOT = "<state_snapshot>"
_FOLDER = re.compile(r"Workspace Directories:\*\*\n {1,4}- ([^\n]{1,4000})")
_OUTCOMES = {"success": Outcome.WELL, "error": Outcome.FAILED, "cancelled": Outcome.REJECTED}
_IDENTITY = re.compile(rb'"projectHash"|"\$set"')


class _Session(Record):
    """What the first lines tell."""

    id: str
    directory: str = ""


class _Talk:
    """What a reader has in mind between the messages of a turn."""

    def __init__(self, teller: Teller, session: _Session) -> None:
        self._teller, self._tally, self._session = teller, teller.tally, session
        self._clock = Clock()

    def hear(self, offset: int, record: Object) -> Iterator[Heard]:
        """A line: a message, a patch, or the head of a session."""
        if "$set" in record:
            yield from self._patch(mapping(record["$set"]))
        elif "type" in record:
            if _is_typed(record) and when(record.get("timestamp")) is not None:
                self._clock = Clock()
                self._tally.settled = offset
            yield from self.message(record)
        else:
            self._tally.passed["head"] += 1

    def _patch(self, fields: Object) -> Iterator[Heard]:
        """All messages anew: as they were where a session is resumed, under other ids where it was compressed."""
        self._tally.passed["patch"] += 1
        yield from self.summary(fields)
        messages = [mapping(one) for one in listing(fields.get("messages"))]
        summaries = [one for one in messages if _SNAPSHOT in _text(one)[:2000]]
        for message in summaries or messages:
            yield from self.message(message)

    def summary(self, fields: Object) -> Iterator[Heard]:
        """What the host sums a session up with, for its list of sessions."""
        if self._clock.last is not None:
            place = Place(self._clock.last, self._session.id, self._session.directory)
            yield from self._teller.titled(place, string(fields.get("summary")), timeless=True)

    def message(self, message: Object) -> Iterator[Heard]:
        kind = string(message.get("type"))
        place = Place(self._clock.at(message.get("timestamp")), self._session.id, self._session.directory)
        match kind:
            case "user":
                yield from self._user(message, place)
            case "gemini" | "model" | "assistant":
                yield from self._gemini(message, place)
            case _ if kind in _PASSED:
                self._tally.passed[kind] += 1
            case _:
                self._tally.unknown[kind[:60]] += 1

    def _user(self, message: Object, place: Place) -> Iterator[Heard]:
        text = _text(message)
        key = key_of(message.get("id"), place.session, place.at, text)
        if _SNAPSHOT in text[:2000]:
            yield from self._teller.compacted(key, place)
        elif _is_typed(message):
            yield from self._teller.prompt(key, place, text)
        else:
            self._tally.passed["user message of the host"] += 1

    def _gemini(self, message: Object, place: Place) -> Iterator[Heard]:
        text = _text(message)
        if text.strip() != _THANKS:
            yield from self._teller.reply(key_of(message.get("id"), place.session, place.at, text), place, text)
        for nth, call in enumerate(map(mapping, listing(message.get("toolCalls"))), 1):
            yield from self._called(call, place, nth)

    def _called(self, call: Object, place: Place, nth: int) -> Iterator[Heard]:
        status = string(call.get("status"))
        if status not in _OUTCOMES:
            self._tally.passed["call that is not done"] += 1
            return
        tool = string(call.get("name"))
        key = key_of(call.get("id"), place.session, place.at, f"{tool} {nth}")
        result = _result(call)
        outcome = Outcome.FAILED if _failed(result) else _OUTCOMES[status]
        at = when(call.get("timestamp")) or place.at
        yield from self._teller.used(Call(key, tool, call.get("args"), place._replace(at=at), nth=nth), result, outcome)


def _text(message: Object) -> str:
    """What was said; the copy for people where there is one, which holds no files that were put behind it."""
    return texts(message.get("displayContent")) or texts(message.get("content"))


def _is_typed(message: Object) -> bool:
    """Whether a message holds words of the person: no result of a tool, nothing that the host wrote."""
    parts = [mapping(part) for part in listing(message.get("content"))]
    if message.get("type") != "user" or any("functionResponse" in part for part in parts):
        return False
    text = _text(message).strip()
    return bool(text) and not text.startswith(_BY_HOST)


def _result(call: Object) -> str:
    """The output of a call."""
    responses = (mapping(mapping(part).get("functionResponse")) for part in listing(call.get("result")))
    given = (mapping(response.get("response")) for response in responses)
    told = "\n".join(texts(one.get("output")) or texts(one.get("error")) for one in given)
    return _ABOUT.sub("", told).strip() or texts(call.get("resultDisplay"))


_ABOUT = re.compile(
    r"^(?:Command: .*|Directory: .*|Error: \(none\)|Signal: .*|Background PIDs: .*|Process Group PGID: .*)\n?",
    re.MULTILINE,
)
_STATUS = re.compile(r"^Exit Code: ([1-9]\d{0,4})$", re.MULTILINE)


def _failed(result: str) -> bool:
    return _STATUS.search(result) is not None


def _session(file: BinaryIO) -> _Session:
    head = first(file, 2)
    named = next((found for record in head if (found := string(record.get("sessionId")))), session_of(path_of(file)))
    seed = next(
        (_text(mapping(one)) for record in head for one in listing(mapping(record.get("$set")).get("messages"))), ""
    )
    folder = _FOLDER.search(seed)
    return _Session(named, folder[1].strip() if folder else "")


def _is_document(file: BinaryIO) -> bool:
    """One document, whole or over many lines, as opposed to a record a line."""
    head = next(iter(first(file)), None)
    return head is None or "messages" in head


def _document(file: BinaryIO, teller: Teller) -> Iterator[Heard]:
    body = whole(file, teller.tally)
    talk = _Talk(teller, _Session(string(body.get("sessionId")) or session_of(path_of(file))))
    for message in map(mapping, listing(body.get("messages"))):
        teller.tally.records += 1
        yield from talk.message(message)
    yield from talk.summary(body)


def _read(file: BinaryIO, offset: int, limits: Limits, tally: Tally) -> Iterator[Heard]:
    """Where a session is resumed, the host gives all its messages other times: they are known by their ids alone."""
    return (heard._replace(timeless=True) for heard in _heard(file, offset, limits, tally))


def _heard(file: BinaryIO, offset: int, limits: Limits, tally: Tally) -> Iterator[Heard]:
    teller = Teller("gemini", limits, tally)
    if _is_document(file):
        yield from _document(file, teller)
        return
    talk = _Talk(teller, _session(file))
    tally.settled = start(file, offset)
    for record in records(file, tally.settled, tally):
        yield from talk.hear(*record)


def _places(environment: Mapping[str, str], user_folder: str) -> list[str]:
    return [os.path.join(environment.get("GEMINI_CLI_HOME") or user_folder, ".gemini", "tmp")]


def _recognises(path: str, head: bytes) -> bool:
    return path.endswith((".json", ".jsonl")) and _IDENTITY.search(head) is not None


SOURCE = Source("gemini", _places, _recognises, _read)
