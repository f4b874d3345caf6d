"""One event, one line: sorted JSON in ASCII with a checksum as its last key.

Nothing here decides; a line that cannot be read becomes `Damaged` with the reason, never an exception.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from typing import Any, NamedTuple
from zlib import crc32

from tacit.core.claim import Claim, Kind, Scope, Triple
from tacit.core.event import Body, Event, Origin, timestamp
from tacit.core.ids import EventId
from tacit.core.judgement import PROPOSALS, Decided, Proposed, Undone, Verdict
from tacit.core.observation import (
    CommandRan,
    Distrusted,
    Evaluated,
    Injected,
    Print,
    ProjectSeen,
    Purged,
    Recalled,
    Score,
    Sealed,
    StepRan,
    Stub,
    Trusted,
    TrustedLine,
    Unknown,
    WorkflowDropped,
    WorkflowRan,
    WorkflowSaved,
    WorkLogged,
)
from tacit.core.provenance import Provenance

VERSION = 1
_LARGEST = 2**62  # what every reader of the log can hold
_MARK = b',"c":"'
_TAIL = len(_MARK) + 8 + len(b'"}')

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")

_CLAIM = re.compile(r"[0-9a-hjkmnp-tv-z]{12}")

_ID_IN_LINE = re.compile(rb'"id":"([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})","op":"')

_JSON = json.JSONDecoder()
_TO_TEXT = json.JSONEncoder(ensure_ascii=False)
_TO_JSON = json.JSONEncoder(sort_keys=True, allow_nan=False, separators=(",", ":"))

Fields = Mapping[str, Any]
_PROVENANCE = {one.name.lower(): one for one in Provenance}


class Damaged(NamedTuple):
    """A line that cannot be believed, and why."""

    reason: str


def encode(event: Event) -> bytes:
    """The line of an event, with its line feed."""
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
    return seal(_TO_JSON.encode(fields).encode("ascii"))


def seal(record: bytes) -> bytes:
    """A JSON object as a line: the checksum of all bytes before it put in as the last key."""
    head = record[:-1]
    return head + _MARK + b"%08x" % crc32(head) + b'"}\n'


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
                "evidence": body.evidence,
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


def _event(fields: Fields) -> Event:
    host, session, actor = fields["host"], fields["sess"], fields["actor"]
    name, scope = fields["type"], fields["scope"]
    if not type(host) is type(session) is type(actor) is type(name) is type(scope) is str:
        raise TypeError("a text is not a text")
    origin = Origin(_moment(fields, "ts"), _number(fields, "tz"), host, session, actor, _PROVENANCE[fields["src"]])
    body = _body(name, fields["body"]) if fields["v"] <= VERSION else Unknown(name)
    return Event(_id(fields, "id"), _id(fields, "op"), origin, Scope(scope), body)


def _body(name: str, fields: Fields) -> Body:
    """The body of a known type; a type or kind from the future is `Unknown`, kept and never obeyed."""
    reader = _READERS.get(name)
    try:
        return reader(fields) if reader else Unknown(name)
    except KeyError:
        return Unknown(name)


# A line may have a good checksum and still not fit: another program wrote it. Each of these refuses what it is not.


def _text(fields: Fields, name: str) -> str:
    found = fields.get(name, "")
    if not isinstance(found, str):
        raise TypeError(name)
    return found


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


def _number(fields: Fields, name: str) -> int:
    found = fields.get(name, 0)
    if not isinstance(found, int) or isinstance(found, bool) or abs(found) > _LARGEST:
        raise TypeError(name)
    return found


def _share(fields: Fields, name: str) -> float:
    found = fields.get(name, 0.0)
    if not isinstance(found, float | int) or not 0 <= found <= 1:
        raise TypeError(name)
    return float(found)


def _texts(fields: Fields, name: str) -> tuple[str, ...]:
    found = fields.get(name, [])
    if found == []:
        return ()
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise TypeError(name)
    return tuple(found)


def _claim(fields: Fields) -> Claim:
    triple = fields["triple"]
    subject, predicate, object_ = triple["subject"], triple["predicate"], triple["object"]
    scope, sentence = fields["scope"], fields["sentence"]
    if not type(subject) is type(predicate) is type(object_) is type(scope) is type(sentence) is str:
        raise TypeError("a text is not a text")
    kind, tags = Kind.named(fields["kind"]), _texts(fields, "tags")
    return Claim(kind, Scope(scope), Triple(subject, predicate, object_), sentence, tags)


def _proposed(verdict: Verdict) -> Callable[[Fields], Body]:
    return lambda fields: Proposed(
        _claim(fields["claim"]),
        verdict,
        _text(fields, "source"),
        _text(fields, "evidence"),
        _text(fields, "reason"),
        _share(fields, "confidence"),
    )


def _decided(verdict: Verdict) -> Callable[[Fields], Body]:
    return lambda fields: Decided(
        _claim(fields["claim"]),
        verdict,
        _text(fields, "reason"),
        _text(fields, "evidence"),
        _claim(fields["instead"]) if "instead" in fields else None,
        fields.get("active", False) is True,
        _number(fields, "carried_strength"),
        _texts(fields, "carried_evidence"),
        _PROVENANCE[fields["carried_src"]] if "carried_src" in fields else None,
    )


def _undone(fields: Fields) -> Body:
    targets = tuple(EventId(target) for target in _texts(fields, "targets"))
    claims = _texts(fields, "claims")
    if not all(_CLAIM.fullmatch(claim) for claim in claims):
        raise ValueError("claims")
    return Undone(targets, claims, _text(fields, "label"))


def _day(fields: Fields, name: str) -> str:
    """A day names a file: nothing but a day will do."""
    found = _text(fields, name)
    if len(found) != len("2024-01-31") or date.fromisoformat(found).isoformat() != found:
        raise ValueError(name)
    return found


def _score(fields: Fields) -> Score:
    return Score(_text(fields, "name"), _number(fields, "points"), _text(fields, "reason"))


def _command(fields: Fields) -> Body:
    return CommandRan(
        _text(fields, "command"),
        _text(fields, "directory"),
        _number(fields, "status"),
        _number(fields, "milliseconds"),
        _text(fields, "shell"),
        _text(fields, "meant"),
        _text(fields, "planned"),
    )


def _step(fields: Fields) -> StepRan:
    return StepRan(_text(fields, "command"), _number(fields, "status"), _number(fields, "milliseconds"))


def _workflow_ran(fields: Fields) -> Body:
    return WorkflowRan(
        _text(fields, "name"),
        tuple(_step(step) for step in fields.get("steps", ())),
        _text(fields, "directory"),
        _number(fields, "first"),
        fields.get("completed", False) is True,
    )


def _pair(found: list[str]) -> tuple[str, str]:
    old, new = found
    if not type(old) is type(new) is str:
        raise TypeError("a text is not a text")
    return old, new


def _print(fields: Fields) -> Print:
    made = Print(_text(fields, "salt"), _number(fields, "length"), _number(fields, "weak"), _text(fields, "strong"))
    bytes.fromhex(made.salt)
    return made


def _purged(fields: Fields) -> Body:
    return Purged(
        _text(fields, "reason"),
        tuple(EventId(name) for name in _texts(fields, "events")),
        _texts(fields, "claims"),
        tuple(_pair(found) for found in fields.get("moved", ())),
        tuple(_print(found) for found in fields.get("prints", ())),
        fields.get("everywhere", False) is True,
        _number(fields, "damaged"),
        _text(fields, "before"),
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
}
_READERS: dict[str, Callable[[Fields], Body]] = {
    **{verdict.value: (_proposed if verdict in PROPOSALS else _decided)(verdict) for verdict in Verdict},
    "judgement.undone": _undone,
    "work.logged": lambda fields: WorkLogged(*(_text(fields, name) for name in WorkLogged._fields)),
    "command.ran": _command,
    "workflow.saved": lambda fields: WorkflowSaved(
        _text(fields, "name"), _texts(fields, "steps"), _text(fields, "directory"), _text(fields, "claim")
    ),
    "workflow.dropped": lambda fields: WorkflowDropped(_text(fields, "name")),
    "workflow.ran": _workflow_ran,
    "recall.asked": lambda fields: Recalled(_text(fields, "query"), _number(fields, "hits")),
    "brief.given": lambda fields: Injected(
        _texts(fields, "memories"), _number(fields, "tokens"), _text(fields, "task")
    ),
    "evaluation.created": lambda fields: Evaluated(
        _day(fields, "day"), tuple(_score(score) for score in fields["scores"])
    ),
    "project.seen": lambda fields: ProjectSeen(_text(fields, "root")),
    "repository.trusted": lambda fields: Trusted(
        _text(fields, "path"),
        _number(fields, "owner"),
        _number(fields, "writers"),
        tuple(TrustedLine(_text(line, "claim"), _text(line, "sha256")) for line in fields.get("lines", ())),
    ),
    "repository.distrusted": lambda fields: Distrusted(_text(fields, "path"), _text(fields, "reason")),
    "log.sealed": lambda fields: Sealed(_number(fields, "offset"), _number(fields, "length"), _text(fields, "sha256")),
    "memory.purged": _purged,
    "event.purged": lambda fields: Stub(_text(fields, "was")),
}
EVENT_TYPES = tuple(_READERS)
