"""One event, one line: sorted ASCII JSON with the code of the home that wrote it and a checksum."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from enum import StrEnum
from typing import Any, TypeVar
from zlib import crc32

from tacit.errors import IndexUnusableError
from tacit.log.signing import SignLine
from tacit.model.claim import Claim, Kind, Provenance, Scope, Triple
from tacit.model.event import (
    PROPOSING_VERDICTS,
    ClaimDecided,
    ClaimProposed,
    Event,
    EventBody,
    EventOrigin,
    EventsUndone,
    Verdict,
    timestamp,
)
from tacit.model.ids import EventId
from tacit.model.observation import (
    BriefInjected,
    CommandRan,
    ConversationBody,
    EvaluationCreated,
    EvaluationScore,
    Fingerprint,
    LogSealed,
    MemoryPurged,
    ProjectSeen,
    PromptGiven,
    PromptKind,
    PurgedStub,
    RecallAsked,
    ReplyGiven,
    RepositoryDistrusted,
    RepositoryTrusted,
    SessionCompacted,
    SessionSummarized,
    SessionTitled,
    StepRan,
    TitleAuthor,
    ToolAction,
    ToolOutcome,
    ToolUsed,
    TrustedLine,
    TurnInterrupted,
    UnknownBody,
    WorkflowDropped,
    WorkflowRan,
    WorkflowSaved,
    WorkLogged,
)
from tacit.record import Record

# Fields of a line. It may have a good checksum and still not fit, when another program wrote it: each of these
# refuses what it is not.

Fields = Mapping[str, Any]
_MAX_INTEGER = 2**62  # what every reader of the log can hold


def text_field(fields: Fields, name: str) -> str:
    found = fields.get(name, "")
    if not isinstance(found, str):
        raise TypeError(name)
    return found


def integer_field(fields: Fields, name: str) -> int:
    found = fields.get(name, 0)
    if not isinstance(found, int) or isinstance(found, bool) or abs(found) > _MAX_INTEGER:
        raise TypeError(name)
    return found


def fraction_field(fields: Fields, name: str) -> float:
    found = fields.get(name, 0.0)
    if not isinstance(found, float | int) or not 0 <= found <= 1:
        raise TypeError(name)
    return float(found)


def text_list_field(fields: Fields, name: str) -> tuple[str, ...]:
    found = fields.get(name, [])
    if found == []:
        return ()
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise TypeError(name)
    return tuple(found)


# Bodies of conversations as JSON fields: the types of `core/conversation.py` by their names, and their readers.

E = TypeVar("E", bound=StrEnum)


def _enum_field(known: Mapping[str, E], fields: Fields, name: str, otherwise: E) -> E:
    """A word that this version does not know yet, or that was purged, is as good as none."""
    return known.get(text_field(fields, name), otherwise)


_PROMPT_KINDS: dict[str, PromptKind] = {one.value: one for one in PromptKind}
_TOOL_ACTIONS: dict[str, ToolAction] = {one.value: one for one in ToolAction}
_TOOL_OUTCOMES: dict[str, ToolOutcome] = {one.value: one for one in ToolOutcome}
_TITLE_AUTHORS: dict[str, TitleAuthor] = {one.value: one for one in TitleAuthor}


def _decode_prompt(fields: Fields) -> PromptGiven:
    return PromptGiven(
        text_field(fields, "agent"),
        text_field(fields, "text"),
        _enum_field(_PROMPT_KINDS, fields, "how", PromptKind.TYPED),
        text_field(fields, "about"),
        text_field(fields, "directory"),
        text_field(fields, "branch"),
    )


def _decode_tool_use(fields: Fields) -> ToolUsed:
    return ToolUsed(
        text_field(fields, "agent"),
        text_field(fields, "tool"),
        _enum_field(_TOOL_ACTIONS, fields, "act", ToolAction.OTHER),
        text_field(fields, "input"),
        text_field(fields, "result"),
        _enum_field(_TOOL_OUTCOMES, fields, "outcome", ToolOutcome.UNKNOWN),
        text_list_field(fields, "files"),
        text_field(fields, "directory"),
        fields.get("aside", False) is True,
        text_field(fields, "change"),
    )


SESSION_TYPE_NAMES: dict[type, str] = {
    PromptGiven: "prompt.given",
    ReplyGiven: "reply.given",
    ToolUsed: "tool.used",
    TurnInterrupted: "turn.interrupted",
    SessionCompacted: "session.compacted",
    SessionTitled: "session.titled",
    SessionSummarized: "session.summarized",
}
SESSION_DECODERS: dict[str, Callable[[Fields], ConversationBody | SessionTitled | SessionSummarized]] = {
    "prompt.given": _decode_prompt,
    "reply.given": lambda fields: ReplyGiven(
        text_field(fields, "agent"), text_field(fields, "text"), text_field(fields, "directory")
    ),
    "tool.used": _decode_tool_use,
    "turn.interrupted": lambda fields: TurnInterrupted(text_field(fields, "agent")),
    "session.compacted": lambda fields: SessionCompacted(text_field(fields, "agent")),
    "session.titled": lambda fields: SessionTitled(
        text_field(fields, "agent"),
        text_field(fields, "text"),
        _enum_field(_TITLE_AUTHORS, fields, "by", TitleAuthor.HOST),
    ),
    "session.summarized": lambda fields: SessionSummarized(
        *(text_field(fields, name) for name in SessionSummarized._fields)
    ),
}


# What a line says: each type of body as JSON fields, and back. A new type is a row in `_NAMES` and in `_READERS`.

PROVENANCE_BY_NAME = {one.name.lower(): one for one in Provenance}
_CLAIM_ID = re.compile(r"[0-9a-hjkmnp-tv-z]{12}")


def event_type(body: EventBody) -> str:
    match body:
        case ClaimProposed(verdict=verdict) | ClaimDecided(verdict=verdict):
            return verdict.value
        case UnknownBody(type=name):
            return name
        case _:
            return _TYPE_NAMES[type(body)]


def body_fields(body: EventBody) -> dict[str, object]:
    """The body as JSON fields; empty texts and lists are left out."""
    match body:
        case ClaimProposed():
            fields: dict[str, object] = {
                "claim": claim_fields(body.claim),
                "confidence": body.confidence,
                "events": body.events,
                "evidence": body.evidence,
                "private": body.private,
                "reason": body.reason,
                "source": body.source,
            }
        case ClaimDecided():
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
        case EvaluationCreated(day=day, scores=scores):
            fields = {"day": day, "scores": [score._asdict() for score in scores]}
        case RepositoryTrusted():
            fields = {**body._asdict(), "lines": [line._asdict() for line in body.lines]}
        case WorkflowRan():
            fields = {**body._asdict(), "steps": [step._asdict() for step in body.steps]}
        case MemoryPurged():
            fields = {**body._asdict(), "prints": tuple(made._asdict() for made in body.prints)}
        case UnknownBody():
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


def decode_body(name: str, fields: Fields) -> EventBody:
    """The body of a known type; a type or kind from the future is `Unknown`, kept and never obeyed."""
    reader = _BODY_DECODERS.get(name)
    try:
        return reader(fields) if reader else UnknownBody(name)
    except KeyError:
        return UnknownBody(name)


def _decode_claim(fields: Fields) -> Claim:
    triple = fields["triple"]
    subject, predicate, object_ = triple["subject"], triple["predicate"], triple["object"]
    scope, sentence = fields["scope"], fields["sentence"]
    if not type(subject) is type(predicate) is type(object_) is type(scope) is type(sentence) is str:
        raise TypeError("a text is not a text")
    kind, tags = Kind.from_label(fields["kind"]), text_list_field(fields, "tags")
    return Claim(kind, Scope(scope), Triple(subject, predicate, object_), sentence, tags)


def _proposal_decoder(verdict: Verdict) -> Callable[[Fields], EventBody]:
    return lambda fields: ClaimProposed(
        _decode_claim(fields["claim"]),
        verdict,
        text_field(fields, "source"),
        text_field(fields, "evidence"),
        text_field(fields, "reason"),
        fraction_field(fields, "confidence"),
        tuple(EventId(name) for name in text_list_field(fields, "events")),
        fields.get("private", False) is True,
    )


def _decision_decoder(verdict: Verdict) -> Callable[[Fields], EventBody]:
    return lambda fields: ClaimDecided(
        _decode_claim(fields["claim"]),
        verdict,
        text_field(fields, "reason"),
        text_field(fields, "evidence"),
        _decode_claim(fields["instead"]) if "instead" in fields else None,
        fields.get("active", False) is True,
        integer_field(fields, "carried_strength"),
        text_list_field(fields, "carried_evidence"),
        PROVENANCE_BY_NAME[fields["carried_src"]] if "carried_src" in fields else None,
        fields.get("private", False) is True,
    )


def _decode_undo(fields: Fields) -> EventBody:
    targets = tuple(EventId(target) for target in text_list_field(fields, "targets"))
    claims = text_list_field(fields, "claims")
    if not all(_CLAIM_ID.fullmatch(claim) for claim in claims):
        raise ValueError("claims")
    return EventsUndone(targets, claims, text_field(fields, "label"))


def _day_field(fields: Fields, name: str) -> str:
    """A day names a file: nothing but a day will do."""
    found = text_field(fields, name)
    if len(found) != len("2024-01-31") or date.fromisoformat(found).isoformat() != found:
        raise ValueError(name)
    return found


def _decode_score(fields: Fields) -> EvaluationScore:
    return EvaluationScore(text_field(fields, "name"), integer_field(fields, "points"), text_field(fields, "reason"))


def _decode_command(fields: Fields) -> EventBody:
    return CommandRan(
        text_field(fields, "command"),
        text_field(fields, "directory"),
        integer_field(fields, "status"),
        integer_field(fields, "milliseconds"),
        text_field(fields, "shell"),
        text_field(fields, "meant"),
        text_field(fields, "planned"),
    )


def _decode_step(fields: Fields) -> StepRan:
    return StepRan(
        text_field(fields, "command"), integer_field(fields, "status"), integer_field(fields, "milliseconds")
    )


def _decode_workflow_run(fields: Fields) -> EventBody:
    return WorkflowRan(
        text_field(fields, "name"),
        tuple(_decode_step(step) for step in fields.get("steps", ())),
        text_field(fields, "directory"),
        integer_field(fields, "first"),
        fields.get("completed", False) is True,
    )


def _decode_move(found: list[str]) -> tuple[str, str]:
    old, new = found
    if not type(old) is type(new) is str:
        raise TypeError("a text is not a text")
    return old, new


def _decode_fingerprint(fields: Fields) -> Fingerprint:
    made = Fingerprint(
        text_field(fields, "salt"),
        integer_field(fields, "length"),
        integer_field(fields, "weak"),
        text_field(fields, "strong"),
    )
    bytes.fromhex(made.salt)
    return made


def _decode_tombstone(fields: Fields) -> EventBody:
    return MemoryPurged(
        text_field(fields, "reason"),
        tuple(EventId(name) for name in text_list_field(fields, "events")),
        text_list_field(fields, "claims"),
        tuple(_decode_move(found) for found in fields.get("moved", ())),
        tuple(_decode_fingerprint(found) for found in fields.get("prints", ())),
        fields.get("everywhere", False) is True,
        integer_field(fields, "damaged"),
        text_field(fields, "before"),
    )


_TYPE_NAMES: dict[type, str] = {
    EventsUndone: "judgement.undone",
    WorkLogged: "work.logged",
    CommandRan: "command.ran",
    WorkflowSaved: "workflow.saved",
    WorkflowDropped: "workflow.dropped",
    WorkflowRan: "workflow.ran",
    RecallAsked: "recall.asked",
    BriefInjected: "brief.given",
    EvaluationCreated: "evaluation.created",
    ProjectSeen: "project.seen",
    RepositoryTrusted: "repository.trusted",
    RepositoryDistrusted: "repository.distrusted",
    LogSealed: "log.sealed",
    MemoryPurged: "memory.purged",
    PurgedStub: "event.purged",
    **SESSION_TYPE_NAMES,
}
_BODY_DECODERS: dict[str, Callable[[Fields], EventBody]] = {
    **{
        verdict.value: (_proposal_decoder if verdict in PROPOSING_VERDICTS else _decision_decoder)(verdict)
        for verdict in Verdict
    },
    "judgement.undone": _decode_undo,
    "work.logged": lambda fields: WorkLogged(*(text_field(fields, name) for name in WorkLogged._fields)),
    "command.ran": _decode_command,
    "workflow.saved": lambda fields: WorkflowSaved(
        text_field(fields, "name"),
        text_list_field(fields, "steps"),
        text_field(fields, "directory"),
        text_field(fields, "claim"),
    ),
    "workflow.dropped": lambda fields: WorkflowDropped(text_field(fields, "name")),
    "workflow.ran": _decode_workflow_run,
    "recall.asked": lambda fields: RecallAsked(text_field(fields, "query"), integer_field(fields, "hits")),
    "brief.given": lambda fields: BriefInjected(
        text_list_field(fields, "memories"),
        integer_field(fields, "tokens"),
        text_field(fields, "task"),
        text_field(fields, "agent"),
        text_field(fields, "moment"),
        text_list_field(fields, "reasons"),
        text_list_field(fields, "sessions"),
    ),
    **SESSION_DECODERS,
    "evaluation.created": lambda fields: EvaluationCreated(
        _day_field(fields, "day"), tuple(_decode_score(score) for score in fields["scores"])
    ),
    "project.seen": lambda fields: ProjectSeen(text_field(fields, "root")),
    "repository.trusted": lambda fields: RepositoryTrusted(
        text_field(fields, "path"),
        integer_field(fields, "owner"),
        integer_field(fields, "writers"),
        tuple(TrustedLine(text_field(line, "claim"), text_field(line, "sha256")) for line in fields.get("lines", ())),
    ),
    "repository.distrusted": lambda fields: RepositoryDistrusted(
        text_field(fields, "path"), text_field(fields, "reason")
    ),
    "log.sealed": lambda fields: LogSealed(
        integer_field(fields, "offset"), integer_field(fields, "length"), text_field(fields, "sha256")
    ),
    "memory.purged": _decode_tombstone,
    "event.purged": lambda fields: PurgedStub(text_field(fields, "was")),
}
EVENT_TYPES = tuple(_BODY_DECODERS)


# One event, one line: sorted JSON in ASCII, then the code of the home that wrote it, and a checksum as the last key.
#
# Nothing here decides; a line that cannot be read becomes `Damaged` with the reason, never an exception.

FORMAT_VERSION = 1
_CHECKSUM_KEY = b',"c":"'
_CHECKSUM_BYTES = len(_CHECKSUM_KEY) + 8 + len(b'"}')
_MAC_KEY = b',"m":"'
_MAC_DIGITS = 32
_MAC_BYTES = len(_MAC_KEY) + _MAC_DIGITS + len(b'"')

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")

_ID_IN_LINE = re.compile(rb'"id":"([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})","op":"')

_JSON_DECODER = json.JSONDecoder()
_UNICODE_ENCODER = json.JSONEncoder(ensure_ascii=False)
_JSON_ENCODER = json.JSONEncoder(sort_keys=True, allow_nan=False, separators=(",", ":"))


class DamagedLine(Record):
    """A line that cannot be believed, and why."""

    reason: str


def encode(event: Event, sign: SignLine | None = None) -> bytes:
    """The line of an event, with its line feed; with the code of the home whose `sign` is given."""
    return with_checksum(_encode_content(event), sign)


def _encode_content(event: Event) -> bytes:
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
        "type": event_type(event.body),
        "tz": origin.utc_offset_minutes,
        "v": FORMAT_VERSION,
    }
    return _JSON_ENCODER.encode(fields).encode("ascii")


def with_checksum(record: bytes, sign: SignLine | None = None) -> bytes:
    """A JSON object as a line: the code of its content, then the checksum of all bytes before it as the last key."""
    head = record[:-1]
    if sign is not None and (code := sign(head)):
        head += _MAC_KEY + code + b'"'
    return head + _CHECKSUM_KEY + b"%08x" % crc32(head) + b'"}\n'


def split_mac(line: bytes) -> tuple[bytes, bytes]:
    """What a line says, and the code that a home put behind it (empty where there is none)."""
    head = line[:-_CHECKSUM_BYTES]
    if head[-_MAC_BYTES : -_MAC_BYTES + len(_MAC_KEY)] == _MAC_KEY and head.endswith(b'"'):
        return head[:-_MAC_BYTES], head[-_MAC_DIGITS - 1 : -1]
    return head, b""


def is_encoding_of(event: Event, line: bytes) -> bool:
    """Whether a line (without its line feed) is what this version writes for an event, whoever signed it."""
    return split_mac(line)[0] == _encode_content(event)[:-1]


def decode(line: bytes) -> Event | DamagedLine:
    """The event of a line (without its line feed)."""
    if (reason := damage_reason(line)) is not None:
        return DamagedLine(reason)
    try:
        fields = _JSON_DECODER.raw_decode(line.decode("ascii"))[0]
        if b"\\ud" in line or b"\\uD" in line:  # an emoji, or half of one, which nothing could store or print
            _UNICODE_ENCODER.encode(fields).encode("utf-8")
        return _decode_event(fields)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError) as error:
        return DamagedLine(f"the fields do not fit ({type(error).__name__})")


def damage_reason(line: bytes) -> str | None:
    """Why the bytes of this line cannot be trusted; nothing when the checksum holds."""
    if is_truncated(line):
        return "not a line of this log, or cut off"
    if line[-10:-2] != b"%08x" % crc32(line[:-_CHECKSUM_BYTES]):
        return "the checksum does not match"
    return None


def id_in_line(line: bytes) -> EventId | None:
    """The id of a line whose checksum holds, without reading the rest (inside a text the quotes would be escaped)."""
    found = None if damage_reason(line) else _ID_IN_LINE.search(line)
    return EventId(found[1].decode("ascii")) if found else None


def is_truncated(line: bytes) -> bool:
    """Whether a line lacks the ending that every whole line has."""
    return line[-_CHECKSUM_BYTES:-10] != _CHECKSUM_KEY or line[-2:] != b'"}'


def _decode_event(fields: Fields) -> Event:
    host, session, actor = fields["host"], fields["sess"], fields["actor"]
    name, scope = fields["type"], fields["scope"]
    if not type(host) is type(session) is type(actor) is type(name) is type(scope) is str:
        raise TypeError("a text is not a text")
    origin = EventOrigin(
        _time_field(fields, "ts"), integer_field(fields, "tz"), host, session, actor, PROVENANCE_BY_NAME[fields["src"]]
    )
    body = decode_body(name, fields["body"]) if fields["v"] <= FORMAT_VERSION else UnknownBody(name)
    return Event(_id_field(fields, "id"), _id_field(fields, "op"), origin, Scope(scope), body)


def _id_field(fields: Fields, name: str) -> EventId:
    found = fields[name]
    if not _UUID.fullmatch(found):
        raise ValueError(name)
    return EventId(found)


def _time_field(fields: Fields, name: str) -> datetime:
    found = datetime.fromisoformat(fields[name])
    if found.tzinfo is None:
        raise ValueError(name)
    found.astimezone(UTC)  # the ends of time have no UTC: an OverflowError now, and not in everything that sorts by it
    return found


def must_decode(raw: bytes) -> Event:
    """An event of the index, which holds only lines that could be read."""
    if not isinstance(raw, bytes):  # a damaged index may hold anything
        raise IndexUnusableError("a line is no line")
    event = decode(raw.rstrip(b"\n"))
    if isinstance(event, DamagedLine):
        raise IndexUnusableError(event.reason)
    return event
