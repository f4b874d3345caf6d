"""One event, one line: sorted JSON in ASCII with a checksum as its last key.

Nothing here decides; a line that cannot be read becomes `Damaged` with the reason, never an exception.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, NamedTuple
from zlib import crc32

from tacit.core.claim import Claim, Kind, Scope, Triple
from tacit.core.event import Body, Event, Origin, Provenance, timestamp
from tacit.core.ids import EventId
from tacit.core.judgement import PROPOSALS, Decided, Proposed, Undone, Verdict
from tacit.core.observation import Evaluated, Injected, ProjectSeen, Recalled, Score, Sealed, Unknown, WorkLogged

VERSION = 1
_MARK = b',"c":"'
_TAIL = len(_MARK) + 8 + len(b'"}')

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
    return seal(json.dumps(fields, sort_keys=True, allow_nan=False, separators=(",", ":")).encode("ascii"))


def seal(record: bytes) -> bytes:
    """A JSON object as a line: the checksum of all bytes before it put in as the last key."""
    head = record[:-1]
    return head + _MARK + b"%08x" % crc32(head) + b'"}\n'


def decode(line: bytes) -> Event | Damaged:
    """The event of a line (without its line feed)."""
    if (reason := damage(line)) is not None:
        return Damaged(reason)
    try:
        return _event(json.loads(line.decode("ascii")))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError) as error:
        return Damaged(f"the fields do not fit ({type(error).__name__})")


def damage(line: bytes) -> str | None:
    """Why the bytes of this line cannot be trusted; nothing when the checksum holds."""
    if is_cut_off(line):
        return "not a line of this log, or cut off"
    if line[-10:-2] != b"%08x" % crc32(line[:-_TAIL]):
        return "the checksum does not match"
    return None


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
                "carried_strength": body.carried_strength,
                "claim": claim_fields(body.claim),
                "evidence": body.evidence,
                "instead": claim_fields(body.instead) if body.instead else None,
                "reason": body.reason,
            }
        case Evaluated(day=day, scores=scores):
            fields = {"day": day, "scores": [score._asdict() for score in scores]}
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
    origin = Origin(
        at=datetime.fromisoformat(fields["ts"]),
        tz=fields["tz"],
        host=fields["host"],
        session=fields["sess"],
        actor=fields["actor"],
        provenance=_PROVENANCE[fields["src"]],
    )
    body = _body(fields["type"], fields["body"]) if fields["v"] <= VERSION else Unknown(fields["type"])
    return Event(EventId(fields["id"]), EventId(fields["op"]), origin, Scope(fields["scope"]), body)


def _body(name: str, fields: Fields) -> Body:
    """The body of a known type; a type or kind from the future is `Unknown`, kept and never obeyed."""
    reader = _READERS.get(name)
    try:
        return reader(fields) if reader else Unknown(name)
    except KeyError:
        return Unknown(name)


def _claim(fields: Fields) -> Claim:
    triple = fields["triple"]
    return Claim(
        Kind.named(fields["kind"]),
        Scope(fields["scope"]),
        Triple(triple["subject"], triple["predicate"], triple["object"]),
        fields["sentence"],
        tuple(fields["tags"]),
    )


def _proposed(verdict: Verdict) -> Callable[[Fields], Body]:
    return lambda fields: Proposed(
        _claim(fields["claim"]),
        verdict,
        fields.get("source", ""),
        fields.get("evidence", ""),
        fields.get("reason", ""),
        fields.get("confidence", 0.0),
    )


def _decided(verdict: Verdict) -> Callable[[Fields], Body]:
    return lambda fields: Decided(
        _claim(fields["claim"]),
        verdict,
        fields.get("reason", ""),
        fields.get("evidence", ""),
        _claim(fields["instead"]) if "instead" in fields else None,
        fields.get("active", False),
        fields.get("carried_strength", 0),
        tuple(fields.get("carried_evidence", ())),
    )


def _undone(fields: Fields) -> Body:
    targets = tuple(EventId(target) for target in fields.get("targets", ()))
    return Undone(targets, tuple(fields.get("claims", ())), fields.get("label", ""))


def _work_logged(fields: Fields) -> Body:
    rest = (fields.get(name, "") for name in ("changes", "evidence", "next"))
    return WorkLogged(fields.get("task", ""), fields.get("summary", ""), *rest)


def _evaluated(fields: Fields) -> Body:
    scores = (Score(score["name"], score["points"], score["reason"]) for score in fields["scores"])
    return Evaluated(fields.get("day", ""), tuple(scores))


_NAMES: dict[type, str] = {
    Undone: "judgement.undone",
    WorkLogged: "work.logged",
    Recalled: "recall.asked",
    Injected: "brief.given",
    Evaluated: "evaluation.created",
    ProjectSeen: "project.seen",
    Sealed: "log.sealed",
}
_READERS: dict[str, Callable[[Fields], Body]] = {
    **{verdict.value: (_proposed if verdict in PROPOSALS else _decided)(verdict) for verdict in Verdict},
    "judgement.undone": _undone,
    "work.logged": _work_logged,
    "recall.asked": lambda fields: Recalled(fields.get("query", ""), fields.get("hits", 0)),
    "brief.given": lambda fields: Injected(
        tuple(fields.get("memories", ())), fields.get("tokens", 0), fields.get("task", "")
    ),
    "evaluation.created": _evaluated,
    "project.seen": lambda fields: ProjectSeen(fields.get("root", "")),
    "log.sealed": lambda fields: Sealed(fields.get("offset", 0), fields.get("length", 0), fields.get("sha256", "")),
}
EVENT_TYPES = tuple(_READERS)
