"""What a line says: each type of body as JSON fields, and back. A new type is a row in `_NAMES` and in `_READERS`."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date

from tacit.core.claim import Claim, Kind, Scope, Triple
from tacit.core.event import Body
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
from tacit.log import conversations
from tacit.log.fields import Fields, number, share, text, texts

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
    **conversations.NAMES,
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
    **conversations.READERS,
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
