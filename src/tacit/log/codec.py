"""One event, one line: sorted ASCII JSON with the code of the home that wrote it and a checksum."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from enum import StrEnum
from typing import Any, TypeVar
from zlib import crc32

from tacit.errors import IndexUnwell
from tacit.log.signing import Sign
from tacit.model.claim import Claim, Kind, Provenance, Scope, Triple
from tacit.model.event import PROPOSALS, Body, Decided, Event, Origin, Proposed, Undone, Verdict, timestamp
from tacit.model.ids import EventId
from tacit.model.observation import (
    Act,
    By,
    CommandRan,
    Compacted,
    Conversation,
    Distrusted,
    Evaluated,
    How,
    Injected,
    Interrupted,
    Outcome,
    Print,
    ProjectSeen,
    PromptGiven,
    Purged,
    Recalled,
    ReplyGiven,
    Score,
    Sealed,
    StepRan,
    Stub,
    SummedUp,
    Titled,
    ToolUsed,
    Trusted,
    TrustedLine,
    Unknown,
    WorkflowDropped,
    WorkflowRan,
    WorkflowSaved,
    WorkLogged,
)
from tacit.record import Record

# Fields of a line. It may have a good checksum and still not fit, when another program wrote it: each of these
# refuses what it is not.

Fields = Mapping[str, Any]
_LARGEST = 2**62  # what every reader of the log can hold


def text(fields: Fields, name: str) -> str:
    found = fields.get(name, "")
    if not isinstance(found, str):
        raise TypeError(name)
    return found


def number(fields: Fields, name: str) -> int:
    found = fields.get(name, 0)
    if not isinstance(found, int) or isinstance(found, bool) or abs(found) > _LARGEST:
        raise TypeError(name)
    return found


def share(fields: Fields, name: str) -> float:
    found = fields.get(name, 0.0)
    if not isinstance(found, float | int) or not 0 <= found <= 1:
        raise TypeError(name)
    return float(found)


def texts(fields: Fields, name: str) -> tuple[str, ...]:
    found = fields.get(name, [])
    if found == []:
        return ()
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise TypeError(name)
    return tuple(found)


# Bodies of conversations as JSON fields: the types of `core/conversation.py` by their names, and their readers.

E = TypeVar("E", bound=StrEnum)


def _one_of(known: Mapping[str, E], fields: Fields, name: str, otherwise: E) -> E:
    """A word that this version does not know yet, or that was purged, is as good as none."""
    return known.get(text(fields, name), otherwise)


_HOW: dict[str, How] = {one.value: one for one in How}
_ACT: dict[str, Act] = {one.value: one for one in Act}
_OUTCOME: dict[str, Outcome] = {one.value: one for one in Outcome}
_BY: dict[str, By] = {one.value: one for one in By}


def _prompt(fields: Fields) -> PromptGiven:
    return PromptGiven(
        text(fields, "agent"),
        text(fields, "text"),
        _one_of(_HOW, fields, "how", How.TYPED),
        text(fields, "about"),
        text(fields, "directory"),
        text(fields, "branch"),
    )


def _tool(fields: Fields) -> ToolUsed:
    return ToolUsed(
        text(fields, "agent"),
        text(fields, "tool"),
        _one_of(_ACT, fields, "act", Act.OTHER),
        text(fields, "input"),
        text(fields, "result"),
        _one_of(_OUTCOME, fields, "outcome", Outcome.UNKNOWN),
        texts(fields, "files"),
        text(fields, "directory"),
        fields.get("aside", False) is True,
        text(fields, "change"),
    )


NAMES: dict[type, str] = {
    PromptGiven: "prompt.given",
    ReplyGiven: "reply.given",
    ToolUsed: "tool.used",
    Interrupted: "turn.interrupted",
    Compacted: "session.compacted",
    Titled: "session.titled",
    SummedUp: "session.summarized",
}
READERS: dict[str, Callable[[Fields], Conversation | Titled | SummedUp]] = {
    "prompt.given": _prompt,
    "reply.given": lambda fields: ReplyGiven(text(fields, "agent"), text(fields, "text"), text(fields, "directory")),
    "tool.used": _tool,
    "turn.interrupted": lambda fields: Interrupted(text(fields, "agent")),
    "session.compacted": lambda fields: Compacted(text(fields, "agent")),
    "session.titled": lambda fields: Titled(
        text(fields, "agent"), text(fields, "text"), _one_of(_BY, fields, "by", By.HOST)
    ),
    "session.summarized": lambda fields: SummedUp(*(text(fields, name) for name in SummedUp._fields)),
}


# What a line says: each type of body as JSON fields, and back. A new type is a row in `_NAMES` and in `_READERS`.

PROVENANCE = {one.name.lower(): one for one in Provenance}
_CLAIM = re.compile(r"[0-9a-hjkmnp-tv-z]{12}")


def type_of(body: Body) -> str:
    match body:
        case Proposed(verdict=verdict) | Decided(verdict=verdict):
            return verdict.value
        case Unknown(type=name):
            return name
        case _:
            return _NAMES[type(body)]


def body_fields(body: Body) -> dict[str, object]:
    """The body as JSON fields; empty texts and lists are left out."""
    match body:
        case Proposed():
            fields: dict[str, object] = {
                "claim": claim_fields(body.claim),
                "confidence": body.confidence,
                "events": body.events,
                "evidence": body.evidence,
                "private": body.private,
                "reason": body.reason,
                "source": body.source,
            }
        case Decided():
            fields = {
                "active": body.active,
                "carried_evidence": body.carried_evidence,
                "carried_src": None if body.carried_provenance is None else body.carried_provenance.name.lower(),
                "carried_strength": body.carried_strength,
                "claim": claim_fields(body.claim),
                "evidence": body.evidence,
                "instead": claim_fields(body.instead) if body.instead else None,
                "private": body.private,
                "reason": body.reason,
            }
        case Evaluated(day=day, scores=scores):
            fields = {"day": day, "scores": [score._asdict() for score in scores]}
        case Trusted():
            fields = {**body._asdict(), "lines": [line._asdict() for line in body.lines]}
        case WorkflowRan():
            fields = {**body._asdict(), "steps": [step._asdict() for step in body.steps]}
        case Purged():
            fields = {**body._asdict(), "prints": tuple(made._asdict() for made in body.prints)}
        case Unknown():
            fields = {}
        case _:
            fields = body._asdict()
    return {name: value for name, value in fields.items() if value not in ("", None, (), False)}


def claim_fields(claim: Claim) -> dict[str, object]:
    return {
        "kind": claim.kind.label,
        "scope": claim.scope,
        "sentence": claim.sentence,
        "tags": claim.tags,
        "triple": claim.triple._asdict(),
    }


def read_body(name: str, fields: Fields) -> Body:
    """The body of a known type; a type or kind from the future is `Unknown`, kept and never obeyed."""
    reader = _READERS.get(name)
    try:
        return reader(fields) if reader else Unknown(name)
    except KeyError:
        return Unknown(name)


def _claim(fields: Fields) -> Claim:
    triple = fields["triple"]
    subject, predicate, object_ = triple["subject"], triple["predicate"], triple["object"]
    scope, sentence = fields["scope"], fields["sentence"]
    if not type(subject) is type(predicate) is type(object_) is type(scope) is type(sentence) is str:
        raise TypeError("a text is not a text")
    kind, tags = Kind.named(fields["kind"]), texts(fields, "tags")
    return Claim(kind, Scope(scope), Triple(subject, predicate, object_), sentence, tags)


def _proposed(verdict: Verdict) -> Callable[[Fields], Body]:
    return lambda fields: Proposed(
        _claim(fields["claim"]),
        verdict,
        text(fields, "source"),
        text(fields, "evidence"),
        text(fields, "reason"),
        share(fields, "confidence"),
        tuple(EventId(name) for name in texts(fields, "events")),
        fields.get("private", False) is True,
    )


def _decided(verdict: Verdict) -> Callable[[Fields], Body]:
    return lambda fields: Decided(
        _claim(fields["claim"]),
        verdict,
        text(fields, "reason"),
        text(fields, "evidence"),
        _claim(fields["instead"]) if "instead" in fields else None,
        fields.get("active", False) is True,
        number(fields, "carried_strength"),
        texts(fields, "carried_evidence"),
        PROVENANCE[fields["carried_src"]] if "carried_src" in fields else None,
        fields.get("private", False) is True,
    )


def _undone(fields: Fields) -> Body:
    targets = tuple(EventId(target) for target in texts(fields, "targets"))
    claims = texts(fields, "claims")
    if not all(_CLAIM.fullmatch(claim) for claim in claims):
        raise ValueError("claims")
    return Undone(targets, claims, text(fields, "label"))


def _day(fields: Fields, name: str) -> str:
    """A day names a file: nothing but a day will do."""
    found = text(fields, name)
    if len(found) != len("2024-01-31") or date.fromisoformat(found).isoformat() != found:
        raise ValueError(name)
    return found


def _score(fields: Fields) -> Score:
    return Score(text(fields, "name"), number(fields, "points"), text(fields, "reason"))


def _command(fields: Fields) -> Body:
    return CommandRan(
        text(fields, "command"),
        text(fields, "directory"),
        number(fields, "status"),
        number(fields, "milliseconds"),
        text(fields, "shell"),
        text(fields, "meant"),
        text(fields, "planned"),
    )


def _step(fields: Fields) -> StepRan:
    return StepRan(text(fields, "command"), number(fields, "status"), number(fields, "milliseconds"))


def _workflow_ran(fields: Fields) -> Body:
    return WorkflowRan(
        text(fields, "name"),
        tuple(_step(step) for step in fields.get("steps", ())),
        text(fields, "directory"),
        number(fields, "first"),
        fields.get("completed", False) is True,
    )


def _pair(found: list[str]) -> tuple[str, str]:
    old, new = found
    if not type(old) is type(new) is str:
        raise TypeError("a text is not a text")
    return old, new


def _print(fields: Fields) -> Print:
    made = Print(text(fields, "salt"), number(fields, "length"), number(fields, "weak"), text(fields, "strong"))
    bytes.fromhex(made.salt)
    return made


def _purged(fields: Fields) -> Body:
    return Purged(
        text(fields, "reason"),
        tuple(EventId(name) for name in texts(fields, "events")),
        texts(fields, "claims"),
        tuple(_pair(found) for found in fields.get("moved", ())),
        tuple(_print(found) for found in fields.get("prints", ())),
        fields.get("everywhere", False) is True,
        number(fields, "damaged"),
        text(fields, "before"),
    )


_NAMES: dict[type, str] = {
    Undone: "judgement.undone",
    WorkLogged: "work.logged",
    CommandRan: "command.ran",
    WorkflowSaved: "workflow.saved",
    WorkflowDropped: "workflow.dropped",
    WorkflowRan: "workflow.ran",
    Recalled: "recall.asked",
    Injected: "brief.given",
    Evaluated: "evaluation.created",
    ProjectSeen: "project.seen",
    Trusted: "repository.trusted",
    Distrusted: "repository.distrusted",
    Sealed: "log.sealed",
    Purged: "memory.purged",
    Stub: "event.purged",
    **NAMES,
}
_READERS: dict[str, Callable[[Fields], Body]] = {
    **{verdict.value: (_proposed if verdict in PROPOSALS else _decided)(verdict) for verdict in Verdict},
    "judgement.undone": _undone,
    "work.logged": lambda fields: WorkLogged(*(text(fields, name) for name in WorkLogged._fields)),
    "command.ran": _command,
    "workflow.saved": lambda fields: WorkflowSaved(
        text(fields, "name"), texts(fields, "steps"), text(fields, "directory"), text(fields, "claim")
    ),
    "workflow.dropped": lambda fields: WorkflowDropped(text(fields, "name")),
    "workflow.ran": _workflow_ran,
    "recall.asked": lambda fields: Recalled(text(fields, "query"), number(fields, "hits")),
    "brief.given": lambda fields: Injected(
        texts(fields, "memories"),
        number(fields, "tokens"),
        text(fields, "task"),
        text(fields, "agent"),
        text(fields, "moment"),
        texts(fields, "reasons"),
        texts(fields, "sessions"),
    ),
    **READERS,
    "evaluation.created": lambda fields: Evaluated(
        _day(fields, "day"), tuple(_score(score) for score in fields["scores"])
    ),
    "project.seen": lambda fields: ProjectSeen(text(fields, "root")),
    "repository.trusted": lambda fields: Trusted(
        text(fields, "path"),
        number(fields, "owner"),
        number(fields, "writers"),
        tuple(TrustedLine(text(line, "claim"), text(line, "sha256")) for line in fields.get("lines", ())),
    ),
    "repository.distrusted": lambda fields: Distrusted(text(fields, "path"), text(fields, "reason")),
    "log.sealed": lambda fields: Sealed(number(fields, "offset"), number(fields, "length"), text(fields, "sha256")),
    "memory.purged": _purged,
    "event.purged": lambda fields: Stub(text(fields, "was")),
}
EVENT_TYPES = tuple(_READERS)


# One event, one line: sorted JSON in ASCII, then the code of the home that wrote it, and a checksum as the last key.
#
# Nothing here decides; a line that cannot be read becomes `Damaged` with the reason, never an exception.

VERSION = 1
_MARK = b',"c":"'
_TAIL = len(_MARK) + 8 + len(b'"}')
_CODE_MARK = b',"m":"'
_CODE_DIGITS = 32
_CODE = len(_CODE_MARK) + _CODE_DIGITS + len(b'"')

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")

_ID_IN_LINE = re.compile(rb'"id":"([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})","op":"')

_JSON = json.JSONDecoder()
_TO_TEXT = json.JSONEncoder(ensure_ascii=False)
_TO_JSON = json.JSONEncoder(sort_keys=True, allow_nan=False, separators=(",", ":"))


class Damaged(Record):
    """A line that cannot be believed, and why."""

    reason: str


def encode(event: Event, sign: Sign | None = None) -> bytes:
    """The line of an event, with its line feed; with the code of the home whose `sign` is given."""
    return seal(_record(event), sign)


def _record(event: Event) -> bytes:
    """The event as a JSON object, without code and checksum."""
    origin = event.origin
    fields: dict[str, object] = {
        "actor": origin.actor,
        "body": body_fields(event.body),
        "host": origin.host,
        "id": event.id,
        "op": event.op,
        "scope": event.scope,
        "sess": origin.session,
        "src": origin.provenance.name.lower(),
        "ts": timestamp(origin.at),
        "type": type_of(event.body),
        "tz": origin.tz,
        "v": VERSION,
    }
    return _TO_JSON.encode(fields).encode("ascii")


def seal(record: bytes, sign: Sign | None = None) -> bytes:
    """A JSON object as a line: the code of its content, then the checksum of all bytes before it as the last key."""
    head = record[:-1]
    if sign is not None and (code := sign(head)):
        head += _CODE_MARK + code + b'"'
    return head + _MARK + b"%08x" % crc32(head) + b'"}\n'


def parted(line: bytes) -> tuple[bytes, bytes]:
    """What a line says, and the code that a home put behind it (empty where there is none)."""
    head = line[:-_TAIL]
    if head[-_CODE : -_CODE + len(_CODE_MARK)] == _CODE_MARK and head.endswith(b'"'):
        return head[:-_CODE], head[-_CODE_DIGITS - 1 : -1]
    return head, b""


def is_line_of(event: Event, line: bytes) -> bool:
    """Whether a line (without its line feed) is what this version writes for an event, whoever signed it."""
    return parted(line)[0] == _record(event)[:-1]


def decode(line: bytes) -> Event | Damaged:
    """The event of a line (without its line feed)."""
    if (reason := damage(line)) is not None:
        return Damaged(reason)
    try:
        fields = _JSON.raw_decode(line.decode("ascii"))[0]
        if b"\\ud" in line or b"\\uD" in line:  # an emoji, or half of one, which nothing could store or print
            _TO_TEXT.encode(fields).encode("utf-8")
        return _event(fields)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError) as error:
        return Damaged(f"the fields do not fit ({type(error).__name__})")


def damage(line: bytes) -> str | None:
    """Why the bytes of this line cannot be trusted; nothing when the checksum holds."""
    if is_cut_off(line):
        return "not a line of this log, or cut off"
    if line[-10:-2] != b"%08x" % crc32(line[:-_TAIL]):
        return "the checksum does not match"
    return None


def readable_id(line: bytes) -> EventId | None:
    """The id of a line whose checksum holds, without reading the rest (inside a text the quotes would be escaped)."""
    found = None if damage(line) else _ID_IN_LINE.search(line)
    return EventId(found[1].decode("ascii")) if found else None


def is_cut_off(line: bytes) -> bool:
    """Whether a line lacks the ending that every whole line has."""
    return line[-_TAIL:-10] != _MARK or line[-2:] != b'"}'


def _event(fields: Fields) -> Event:
    host, session, actor = fields["host"], fields["sess"], fields["actor"]
    name, scope = fields["type"], fields["scope"]
    if not type(host) is type(session) is type(actor) is type(name) is type(scope) is str:
        raise TypeError("a text is not a text")
    origin = Origin(_moment(fields, "ts"), number(fields, "tz"), host, session, actor, PROVENANCE[fields["src"]])
    body = read_body(name, fields["body"]) if fields["v"] <= VERSION else Unknown(name)
    return Event(_id(fields, "id"), _id(fields, "op"), origin, Scope(scope), body)


def _id(fields: Fields, name: str) -> EventId:
    found = fields[name]
    if not _UUID.fullmatch(found):
        raise ValueError(name)
    return EventId(found)


def _moment(fields: Fields, name: str) -> datetime:
    found = datetime.fromisoformat(fields[name])
    if found.tzinfo is None:
        raise ValueError(name)
    found.astimezone(UTC)  # the ends of time have no UTC: an OverflowError now, and not in everything that sorts by it
    return found


def must_decode(raw: bytes) -> Event:
    """An event of the index, which holds only lines that could be read."""
    if not isinstance(raw, bytes):  # a damaged index may hold anything
        raise IndexUnwell("a line is no line")
    event = decode(raw.rstrip(b"\n"))
    if isinstance(event, Damaged):
        raise IndexUnwell(event.reason)
    return event
