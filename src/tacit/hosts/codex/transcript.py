"""Rollouts of Codex: `~/.codex/sessions/YYYY/MM/DD/rollout-TIME-SESSION.jsonl`."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import PurePath
from typing import BinaryIO

from tacit.disk.read import MOST, open_theirs
from tacit.errors import TacitError
from tacit.hosts.normalize import Call, Place, Teller, is_lasting, key_of, without_noise
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
    when,
)
from tacit.model.observation import Outcome
from tacit.record import Record

# How a call of Codex ended, read from the text that the agent was given back.

_STATUS = re.compile(r"(?:Process exited with code|Exit code:?|exit_code:?) (-?\d{1,5})", re.IGNORECASE)
_HEAD = 600
_OUTPUT = "Output:\n"
_REJECTED = ("rejected by user", "rejected by the user", "denied by a hook", "blocked by hook", "user denied")
_ABORTED = ("aborted by user", "command was aborted", "tool call aborted")


class Ended(Record):
    """The text of a result and how the call ended."""

    text: str
    outcome: Outcome


def ended(output: object) -> Ended:
    """What a call gave back: plain text with a head, or an object written as text, as older versions do it."""
    text = texts(output) or texts(mapping(output).get("content"))
    if isinstance(output, dict) and not text:
        return _object(output)
    if text.startswith("{") and (inner := _parsed(text)):
        return _object(inner)
    return Ended(_without_head(text), _outcome(text))


def by_status(status: object, text: str) -> Ended:
    """What the host itself noted about a command."""
    if isinstance(status, int) and not isinstance(status, bool):
        return Ended(text, Outcome.FAILED if status else Outcome.WELL)
    return Ended(text, Outcome.UNKNOWN)


def _parsed(text: str) -> dict[str, object]:
    try:
        return mapping(json.loads(text))
    except (ValueError, RecursionError):
        return {}


def _object(output: dict[str, object]) -> Ended:
    text = texts(output.get("output")) or texts(output.get("content")) or string(output.get("error"))
    status = mapping(output.get("metadata")).get("exit_code", output.get("exit_code"))
    if isinstance(status, int):
        return by_status(status, text)
    failed = output.get("success") is False or output.get("isError") is True
    return Ended(text, Outcome.FAILED if failed else _outcome(text))


def _outcome(text: str) -> Outcome:
    head = text[:_HEAD]
    lower = head.lower()
    if any(sign in lower for sign in _REJECTED):
        return Outcome.REJECTED
    if any(sign in lower for sign in _ABORTED):
        return Outcome.UNKNOWN
    found = _STATUS.search(head)
    return Outcome.FAILED if found and found[1] != "0" else Outcome.WELL


def _without_head(text: str) -> str:
    """Without the lines about time and chunks that stand before the output."""
    at = text.find(_OUTPUT, 0, _HEAD)
    return text[at + len(_OUTPUT) :] if at >= 0 and _STATUS.search(text[:at]) else text


# Rollouts of Codex: `~/.codex/sessions/YYYY/MM/DD/rollout-TIME-SESSION.jsonl`.
#
# Newer versions mark what the person typed (`user.text`); older ones repeat it as an event; in both, what the host
# put before the conversation looks like words of the person otherwise. A text that is not marked counts as theirs
# when an event says the same, or when the agent goes on and no event came.

_PASSED = frozenset(
    "session_meta world_state token_usage_record inter_agent_communication reasoning agent_reasoning token_count "
    "agent_message agent_reasoning_raw_content agent_reasoning_section_break task_complete turn_complete item_started "
    "thread_settings_applied context_compacted exec_command_begin exec_command_end patch_apply_begin patch_apply_end "
    "mcp_tool_call_begin mcp_tool_call_end web_search_begin web_search_end background_event turn_diff plan_update "
    "error warning stream_error entered_review_mode exited_review_mode ghost_snapshot thread_rolled_back "
    "compaction compaction_summary tool_search_call tool_search_output".split()
)
_HEAD_CODEX = re.compile(
    rb'\{(?:"(?:timestamp|ordinal)":(?:"[^"\\]{0,60}"|[0-9]{1,20}),){0,2}"type":"([a-z_]{1,40})"'
    rb'(?:,"payload":\{"type":"([a-z_]{1,40})")?'
)
_BY_HOST = ("# AGENTS.md instructions", "<user_instructions>", "<environment_context>", "<skill>", "<INSTRUCTIONS>")
_REQUEST = "## My request for Codex:"
_IDE = "# Context from my IDE setup:"
_TYPED = "user.text"
_FOLDERS, _INDEX = ("sessions", "archived_sessions"), "session_index.jsonl"
_CALLS = ("function_call", "custom_tool_call", "local_shell_call")
_RESULTS = ("function_call_output", "custom_tool_call_output")
_IDENTITY = re.compile(
    rb'"payload" ?: ?\{|"type" ?: ?"(?:session_meta|response_item|event_msg|turn_context)"|"record_type" ?: ?"state"'
)


def _glance(raw: bytes) -> Glance:
    found = _HEAD_CODEX.match(raw)
    if found is None:
        return Glance("", raw)
    kind = (found[2] if found[1] in (b"response_item", b"event_msg") else found[1]) or b""
    return Glance(kind.decode() if kind.decode() in _PASSED else "", raw)


class _Session(Record):
    """What the first record of a rollout tells. A helper's own rollout names the session it works for."""

    id: str
    directory: str = ""
    branch: str = ""
    remote: str = ""
    is_aside: bool = False


class _Typed(Record):
    """A text that the person may have typed."""

    key: str
    place: Place
    text: str


class _Talk:
    """What a reader has in mind between the records of a turn."""

    def __init__(self, teller: Teller, session: _Session) -> None:
        self._teller, self._tally, self._session = teller, teller.tally, session
        self._forget()

    def _forget(self) -> None:
        self._clock = Clock()
        self._directory = self._session.directory
        self._calls: dict[str, Call] = {}
        self._noted: dict[str, Ended] = {}
        self._maybe: list[_Typed] = []
        self._said: set[str] = set()  # prompts since the agent did something
        self._is_working = False  # the agent has done something

    def hear(self, offset: int, record: Object) -> Iterator[Heard]:
        kind = string(record.get("type"))
        payload = mapping(record.get("payload"))
        place = self._place(record)
        match kind:
            case "response_item":
                yield from self._item(offset, record, payload, place)
            case "event_msg":
                yield from self._event(offset, record, payload, place)
            case "turn_context":
                self._directory = string(payload.get("cwd")) or self._directory
                self._tally.passed[kind] += 1
            case "compacted":
                yield from self._teller.compacted(key_of("", place.session, place.at, kind), place)
            case _ if kind in _PASSED:
                self._tally.passed[kind] += 1
            case "message" | "function_call" | "function_call_output":  # as the first versions wrote it
                yield from self._item(offset, record, record, place)
            case _:
                self._tally.unknown[kind[:60]] += 1

    def _place(self, record: Object) -> Place:
        session = self._session
        at = self._clock.at(record.get("timestamp"))
        return Place(at, session.id, self._directory, session.branch, session.remote)

    # What was said

    def _item(self, offset: int, record: Object, payload: Object, place: Place) -> Iterator[Heard]:
        kind = string(payload.get("type")) or ("message" if "role" in payload else "")
        if kind == "message" and payload.get("role") == "user":
            yield from self._user(offset, record, payload, place)
        elif kind == "message" and payload.get("role") == "assistant":
            yield from self._go_on()
            yield from self._reply(payload, place)
        elif kind in _CALLS:
            yield from self._go_on()
            self._called(payload, place)
        elif kind in _RESULTS:
            yield from self._result(string(payload.get("call_id")), ended(payload.get("output")))
        elif kind == "web_search_call":
            yield from self._go_on()
            yield from self._searched(payload, place)
        elif kind == "message" or kind in _PASSED:
            self._tally.passed[kind] += 1
        else:
            self._tally.unknown[kind[:60]] += 1

    def _user(self, offset: int, record: Object, payload: Object, place: Place) -> Iterator[Heard]:
        marks = _marks(payload)
        parts = [texts(part) for part in listing(payload.get("content"))] or [texts(payload.get("content"))]
        if marks:
            theirs = [part for part, mark in zip(parts, marks, strict=False) if mark == _TYPED]
            yield from self._prompt(offset, record, self._typed(payload, place, "\n".join(theirs)))
        else:
            theirs = [part for part in parts if not part.lstrip().startswith(_BY_HOST)]
            typed = self._typed(payload, place, "\n".join(theirs))
            if typed.text and typed.text not in self._said:
                self._maybe.append(typed)

    def _typed(self, payload: Object, place: Place, text: str) -> _Typed:
        said = _request(without_noise(text)).strip()
        own = string(payload.get("id"))
        return _Typed(key_of(own if is_lasting(own) else "", place.session, place.at, said), place, said)

    def _prompt(self, offset: int, record: Object, typed: _Typed) -> Iterator[Heard]:
        """The person spoke: here a turn begins, unless this is still the beginning of one."""
        if not typed.text or typed.text in self._said:
            self._tally.passed["user message of the host, or again"] += 1
            return
        for call in self._calls.values():
            yield from self._teller.unanswered(call)
        self._calls = {}
        if self._is_working and when(record.get("timestamp")) is not None:
            self._forget()
            typed = typed._replace(place=self._place(record))
            self._tally.settled = offset
        self._said.add(typed.text)
        if not self._session.is_aside:
            yield from self._teller.prompt(typed.key, typed.place, typed.text)

    def _go_on(self) -> Iterator[Heard]:
        """The agent works: what may have been typed and was not said again by an event was typed."""
        maybe = [] if self._said else self._maybe
        self._maybe, self._said, self._is_working = [], set(), True
        for typed in dict.fromkeys(maybe):
            if not self._session.is_aside:
                yield from self._teller.prompt(typed.key, typed.place, typed.text)

    def _reply(self, payload: Object, place: Place) -> Iterator[Heard]:
        text = texts(payload.get("content"))
        if not self._session.is_aside:
            key = key_of(payload.get("id"), place.session, place.at, text)
            yield from self._teller.reply(key, place, text)

    # What was done

    def _called(self, payload: Object, place: Place) -> None:
        own = string(payload.get("call_id")) or string(payload.get("id"))
        tool = string(payload.get("name")) or string(payload.get("type")).removesuffix("_call")
        given = payload.get("input", payload.get("arguments", mapping(payload.get("action"))))
        key = key_of(own, place.session, place.at, f"{tool} {given}")
        self._calls.setdefault(own, Call(key, tool, _arguments(given), place, self._session.is_aside))

    def _result(self, own: str, result: Ended) -> Iterator[Heard]:
        call = self._calls.pop(own, None)
        noted = self._noted.pop(own, None)
        if call is None:
            self._tally.passed["result without its call"] += 1
        elif noted is not None and result.outcome is Outcome.WELL:
            yield from self._teller.used(call, noted.text or result.text, noted.outcome)
        else:
            yield from self._teller.used(call, result.text, result.outcome)

    def _searched(self, payload: Object, place: Place) -> Iterator[Heard]:
        given = mapping(payload.get("action")) or payload
        key = key_of(payload.get("id"), place.session, place.at, str(given.get("query")))
        yield from self._teller.used(Call(key, "web_search", {"query": given.get("query")}, place))

    # What the host noted

    def _event(self, offset: int, record: Object, payload: Object, place: Place) -> Iterator[Heard]:
        kind = string(payload.get("type"))
        match kind:
            case "user_message":
                yield from self._confirmed(offset, record, payload, texts(payload.get("message")), place)
            case "item_completed":
                yield from self._completed(offset, record, mapping(payload.get("item")), place)
            case "turn_aborted":
                yield from self._aborted(payload, place)
            case "task_started" | "turn_started":
                self._began(offset, record)
            case "thread_name_updated" if not self._session.is_aside:
                yield from self._teller.titled(place, string(payload.get("thread_name")))
            case _ if kind in _PASSED:
                self._tally.passed[kind] += 1
            case _:
                self._tally.unknown[f"event {kind}"[:60]] += 1

    def _aborted(self, payload: Object, place: Place) -> Iterator[Heard]:
        self._said = set()  # the person may now say the same again
        if payload.get("reason") in ("interrupted", None):
            yield from self._teller.interrupted(key_of("", place.session, place.at, "turn_aborted"), place)

    def _began(self, offset: int, record: Object) -> None:
        """The host says that a turn begins; what belongs to it may stand before its prompt."""
        if not self._calls and not self._maybe and when(record.get("timestamp")) is not None:
            self._forget()
            self._place(record)
            self._tally.settled = offset

    def _confirmed(self, offset: int, record: Object, payload: Object, text: str, place: Place) -> Iterator[Heard]:
        typed = self._typed(payload, place, text)
        again = [maybe for maybe in self._maybe if maybe.text == typed.text]
        self._maybe = []
        yield from self._prompt(offset, record, again[0]._replace(place=place, key=typed.key) if again else typed)

    def _completed(self, offset: int, record: Object, item: Object, place: Place) -> Iterator[Heard]:
        kind, own = string(item.get("type")), string(item.get("id"))
        if kind == "UserMessage":
            yield from self._confirmed(offset, record, {}, texts(item.get("content")), place)
        elif kind == "CommandExecution" and own:
            result = by_status(item.get("exit_code"), string(item.get("aggregated_output")))
            if own in self._calls:
                self._noted[own] = result
            else:  # a script of the agent ran it
                yield from self._ran(own, item, result, place)
        else:
            self._tally.passed[f"item {kind}"[:60]] += 1

    def _ran(self, own: str, item: Object, result: Ended, place: Place) -> Iterator[Heard]:
        key = key_of(own, place.session, place.at, "")
        call = Call(key, "shell", {"command": item.get("command")}, place, self._session.is_aside)
        yield from self._teller.used(call, result.text, result.outcome)


def _marks(payload: Object) -> list[str]:
    """What the host says each part of a message is."""
    about = mapping(payload.get("internal_chat_message_metadata_passthrough"))
    return [string(mark) for mark in listing(about.get("content_item_kinds"))]


def _request(text: str) -> str:
    """What was typed, without what an editor put before it."""
    _before, found, request = text.partition(_REQUEST)
    return request if found and text.lstrip().startswith((_IDE, _REQUEST)) else text


def _arguments(given: object) -> object:
    if not isinstance(given, str) or not given.lstrip().startswith("{"):
        return given
    try:
        parsed = json.loads(given)
    except (ValueError, RecursionError):
        return given
    return parsed if isinstance(parsed, dict) else given


def _session(file: BinaryIO) -> _Session:
    named = session_of(path_of(file))
    head = next(iter(first(file)), {})
    meta = mapping(head.get("payload")) if head.get("type") == "session_meta" else head if "git" in head else {}
    own = string(meta.get("session_id")) or string(meta.get("id")) or named
    parent = string(meta.get("parent_thread_id"))
    is_aside = bool(parent) or "subagent" in mapping(meta.get("source"))
    git = mapping(meta.get("git"))
    return _Session(
        parent or own,
        string(meta.get("cwd")),
        string(git.get("branch")),
        string(git.get("repository_url")),
        is_aside,
    )


def _names(path: str, session: str) -> Iterator[tuple[datetime, str]]:
    """The names that a session was given, with their times. The host keeps them for all sessions in one file, above the
    folder of its rollouts, and does not tell who gave them."""
    folder = next((head for head in map(str, PurePath(path).parents) if os.path.basename(head) in _FOLDERS), "")
    if not folder:
        return
    try:
        with open_theirs(os.path.join(os.path.dirname(folder), _INDEX), MOST) as file:
            for _, record in records(file, 0, Tally()):
                at = when(record.get("updated_at"))
                if record.get("id") == session and at is not None:
                    yield at, string(record.get("thread_name"))
    except (OSError, TacitError):
        return


def _read(file: BinaryIO, offset: int, limits: Limits, tally: Tally) -> Iterator[Heard]:
    teller, session = Teller("codex", limits, tally), _session(file)
    talk = _Talk(teller, session)
    tally.settled = start(file, offset)
    for record in records(file, tally.settled, tally, _glance):
        yield from talk.hear(*record)
    if not session.is_aside:
        for at, name in _names(path_of(file), session.id):
            place = Place(at, session.id, session.directory, session.branch, session.remote)
            yield from teller.titled(place, name)


def _places(environment: Mapping[str, str], user_folder: str) -> list[str]:
    home = environment.get("CODEX_HOME") or os.path.join(user_folder, ".codex")
    return [os.path.join(home, "sessions"), os.path.join(home, "archived_sessions")]


def _recognises(path: str, head: bytes) -> bool:
    return path.endswith(".jsonl") and _IDENTITY.search(head) is not None


SOURCE = Source("codex", _places, _recognises, _read)
