"""Encoding and decoding events: one line each, sorted ASCII JSON that ends with a MAC and a checksum.

A new type of body is an entry in `_BODY_TYPES`; it is decoded by the annotations of its fields. A line that cannot be
read is decoded as a `DamagedLine` with the reason; no exception is raised.
"""

from __future__ import annotations

import json
import re
from codecs import BOM_UTF8
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from enum import StrEnum
from functools import lru_cache, partial
from zlib import crc32

from tacit.errors import IndexUnusableError
from tacit.log.signing import SignLine
from tacit.model import observation
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
from tacit.record import Record

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any


# Typed access to fields. A line that another program wrote may have a correct checksum and fields of wrong types;
# these raise TypeError for it, and return an empty value for a missing field.

Fields = Mapping[str, "Any"]
ReadField = Callable[[Fields, str], object]
_MAX_INTEGER = 2**62  # what every reader of the log can hold


def text_field(fields: Fields, name: str) -> str:
    value = fields.get(name, "")
    if type(value) is not str:
        raise TypeError(name)
    return value


def integer_field(fields: Fields, name: str) -> int:
    value = fields.get(name, 0)
    if type(value) is not int or abs(value) > _MAX_INTEGER:
        raise TypeError(name)
    return value


def fraction_field(fields: Fields, name: str) -> float:
    value = fields.get(name, 0.0)
    if not isinstance(value, float | int) or not 0 <= value <= 1:
        raise TypeError(name)
    return float(value)


def text_list_field(fields: Fields, name: str) -> tuple[str, ...]:
    values = fields.get(name, [])
    if values == []:
        return ()
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise TypeError(name)
    return tuple(values)


def _enum_reader(default: StrEnum) -> ReadField:
    """Return a reader of members by their values: `default` if one was purged or this version does not know it."""
    members = {member.value: member for member in type(default)}
    return lambda fields, name: members.get(text_field(fields, name), default)


# Bodies

PROVENANCE_BY_NAME = {provenance.name.lower(): provenance for provenance in Provenance}
_CLAIM_ID = re.compile(r"[0-9a-hjkmnp-tv-z]{12}")
_ADHERENCE_RESULTS = frozenset(("followed", "violated", "stopped", "not_applicable"))  # of model/session.py


def event_type(body: EventBody) -> str:
    if isinstance(body, ClaimProposed | ClaimDecided):
        return body.verdict.value
    return body.type if isinstance(body, observation.UnknownBody) else _TYPE_NAMES[type(body)]


def body_fields(body: EventBody) -> dict[str, object]:
    """Return the body as JSON fields. Empty texts and lists are left out."""
    fields: dict[str, object] = body._asdict()
    match body:
        case ClaimProposed() | ClaimDecided():
            del fields["verdict"]
            fields["claim"] = claim_fields(body.claim)
            if isinstance(body, ClaimDecided):
                del fields["carried_provenance"]
                if body.carried_provenance is not None:
                    fields["carried_src"] = body.carried_provenance.name.lower()
                if body.instead:
                    fields["instead"] = claim_fields(body.instead)
        case observation.EvaluationCreated():
            fields["scores"] = [score._asdict() for score in body.scores]
        case observation.RepositoryTrusted():
            fields["lines"] = [line._asdict() for line in body.lines]
        case observation.WorkflowRan():
            fields["steps"] = [step._asdict() for step in body.steps]
        case observation.MemoryPurged():
            fields["prints"] = tuple(fingerprint._asdict() for fingerprint in body.prints)
        case observation.UnknownBody():
            fields = {}
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
    """Return the body of a type. One of a newer version is an `UnknownBody`, which is kept and has no effect."""
    decoder = _BODY_DECODERS.get(name)
    try:
        return decoder(fields) if decoder else observation.UnknownBody(name)
    except KeyError:
        return observation.UnknownBody(name)


def _decode_claim(fields: Fields) -> Claim:
    triple = fields["triple"]
    subject, predicate, object_ = triple["subject"], triple["predicate"], triple["object"]
    scope, sentence = fields["scope"], fields["sentence"]
    if not type(subject) is type(predicate) is type(object_) is type(scope) is type(sentence) is str:
        raise TypeError("a text is not a text")
    kind, tags = Kind.from_label(fields["kind"]), text_list_field(fields, "tags")
    return Claim(kind, Scope(scope), Triple(subject, predicate, object_), sentence, tags)


def _decode_move(pair: list[str]) -> tuple[str, str]:
    old, new = pair
    if not type(old) is type(new) is str:
        raise TypeError("a text is not a text")
    return old, new


def _decode_fingerprint(fields: Fields) -> observation.Fingerprint:
    fingerprint: observation.Fingerprint = _decode_plain_fingerprint(fields)
    bytes.fromhex(fingerprint.salt)  # raises ValueError
    return fingerprint


def _list_reader(decode_item: Callable[[Any], object]) -> ReadField:
    return lambda fields, name: tuple([decode_item(item) for item in fields.get(name, ())])


def _record_decoder(kind: type[Any], **readers: ReadField) -> Callable[[Fields], Any]:
    """Return a function that makes a record of JSON fields: by `readers`, else by the annotation of each field."""
    plan = [(name, readers.get(name) or _READERS[annotation]) for name, annotation in kind.__annotations__.items()]
    make = partial(tuple.__new__, kind)  # all fields are given, so the constructor has nothing to do
    return lambda fields: make([read(fields, name) for name, read in plan])


# How fields are read, by their annotations. One that is required raises KeyError.
_READERS: dict[str, ReadField] = {
    "str": text_field,
    "int": integer_field,
    "float": fraction_field,
    "bool": lambda fields, name: fields.get(name, False) is True,
    "tuple[str, ...]": text_list_field,
    "tuple[EventId, ...]": text_list_field,
    "EventId": text_field,
    "Claim": lambda fields, name: _decode_claim(fields[name]),
    "Claim | None": lambda fields, name: _decode_claim(fields[name]) if name in fields else None,
    "PromptKind": _enum_reader(observation.PromptKind.TYPED),
    "ToolAction": _enum_reader(observation.ToolAction.OTHER),
    "ToolOutcome": _enum_reader(observation.ToolOutcome.UNKNOWN),
    "TitleAuthor": _enum_reader(observation.TitleAuthor.HOST),
    "tuple[tuple[str, str], ...]": _list_reader(_decode_move),
    "tuple[Fingerprint, ...]": _list_reader(_decode_fingerprint),
}
_decode_plain_fingerprint = _record_decoder(observation.Fingerprint)
_decode_score = _record_decoder(observation.EvaluationScore)
_READERS["tuple[StepRan, ...]"] = _list_reader(_record_decoder(observation.StepRan))
_READERS["tuple[TrustedLine, ...]"] = _list_reader(_record_decoder(observation.TrustedLine))


def _judgement_decoder(verdict: Verdict) -> Callable[[Fields], EventBody]:
    def carried_provenance(fields: Fields, _name: str) -> Provenance | None:
        return PROVENANCE_BY_NAME[fields["carried_src"]] if "carried_src" in fields else None

    kind = ClaimProposed if verdict in PROPOSING_VERDICTS else ClaimDecided
    return _record_decoder(kind, verdict=lambda _fields, _name: verdict, carried_provenance=carried_provenance)


def _decode_undo(fields: Fields) -> EventBody:
    targets = tuple(map(EventId, text_list_field(fields, "targets")))
    claims = text_list_field(fields, "claims")
    if not all(_CLAIM_ID.fullmatch(claim) for claim in claims):
        raise ValueError("claims")
    return EventsUndone(targets, claims, text_field(fields, "label"))


def _decode_check(fields: Fields) -> EventBody:
    """Decode the check of a memory. All of its fields are ids or a known word, so nothing in it needs redaction."""
    claim, session = text_field(fields, "claim"), text_field(fields, "session")
    if not (_CLAIM_ID.fullmatch(claim) and _CLAIM_ID.fullmatch(session)):
        raise ValueError("claim")
    result = text_field(fields, "result")
    events = [EventId(text_field(fields, name)) for name in ("call", "correction")]
    if not all(event == "" or _UUID.fullmatch(event) for event in events):
        raise ValueError("call")
    return observation.MemoryChecked(claim, session, result if result in _ADHERENCE_RESULTS else "", *events)


def _trial_decoder(kind: type[Any]) -> Callable[[Fields], EventBody]:
    """Return a decoder of an event of a trial. Its texts are ids or known words, so nothing in it needs redaction."""
    decode_fields = _record_decoder(kind)

    def decode_checked(fields: Fields) -> EventBody:
        body: EventBody = decode_fields(fields)
        for name, form in _TRIAL_FORMS.items():
            if name in kind._fields and not form.fullmatch(getattr(body, name)):
                raise ValueError(name)
        return body

    return decode_checked


def _decode_evaluation(fields: Fields) -> EventBody:
    """Decode an evaluation. Its day must be an ISO date, since it becomes part of a file name."""
    day = text_field(fields, "day")
    if len(day) != len("2024-01-31") or date.fromisoformat(day).isoformat() != day:
        raise ValueError("day")
    return observation.EvaluationCreated(day, tuple(_decode_score(score) for score in fields["scores"]))


_UUID_FORM = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_TRIAL_FORMS = {
    **dict.fromkeys(("claim", "session"), _CLAIM_ID),
    "trial": re.compile(_UUID_FORM),
    **dict.fromkeys(("call", "correction"), re.compile(f"(?:{_UUID_FORM})?")),
    "seed": re.compile("[0-9a-f]{20}"),
    **dict.fromkeys(("ending", "outcome", "apart"), re.compile("[a-z_]{0,24}")),  # words of model/trial.py
}
_CHECKED_DECODERS: dict[type, Callable[[Fields], EventBody]] = {
    EventsUndone: _decode_undo,
    observation.MemoryChecked: _decode_check,
    observation.EvaluationCreated: _decode_evaluation,
    **{
        kind: _trial_decoder(kind)
        for kind in (observation.TrialStarted, observation.TrialEnded, observation.TrialChecked)
    },
}
_BODY_TYPES: dict[str, type] = {
    "judgement.undone": EventsUndone,
    "work.logged": observation.WorkLogged,
    "command.ran": observation.CommandRan,
    "workflow.saved": observation.WorkflowSaved,
    "workflow.dropped": observation.WorkflowDropped,
    "workflow.ran": observation.WorkflowRan,
    "recall.asked": observation.RecallAsked,
    "brief.given": observation.BriefInjected,
    "memory.checked": observation.MemoryChecked,
    "trial.started": observation.TrialStarted,
    "trial.ended": observation.TrialEnded,
    "trial.checked": observation.TrialChecked,
    "prompt.given": observation.PromptGiven,
    "reply.given": observation.ReplyGiven,
    "tool.used": observation.ToolUsed,
    "turn.interrupted": observation.TurnInterrupted,
    "session.compacted": observation.SessionCompacted,
    "session.titled": observation.SessionTitled,
    "session.summarized": observation.SessionSummarized,
    "evaluation.created": observation.EvaluationCreated,
    "project.seen": observation.ProjectSeen,
    "repository.trusted": observation.RepositoryTrusted,
    "repository.distrusted": observation.RepositoryDistrusted,
    "log.sealed": observation.LogSealed,
    "memory.purged": observation.MemoryPurged,
    "event.purged": observation.PurgedStub,
}
_TYPE_NAMES = {kind: name for name, kind in _BODY_TYPES.items()}
_BODY_DECODERS: dict[str, Callable[[Fields], EventBody]] = {
    **{verdict.value: _judgement_decoder(verdict) for verdict in Verdict},
    **{name: _CHECKED_DECODERS.get(kind) or _record_decoder(kind) for name, kind in _BODY_TYPES.items()},
}
EVENT_TYPES = tuple(_BODY_DECODERS)


# Lines

FORMAT_VERSION = 1
_CHECKSUM_KEY = b',"c":"'
_CHECKSUM_BYTES = len(_CHECKSUM_KEY) + 8 + len(b'"}')
_MAC_KEY = b',"m":"'
_MAC_DIGITS = 32
_MAC_BYTES = len(_MAC_KEY) + _MAC_DIGITS + len(b'"')
_UUID = re.compile(_UUID_FORM)
_ID_IN_LINE = re.compile(rb'"id":"([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})","op":"')
_BLANKS = b" \t\r"
_JSON_DECODER = json.JSONDecoder()
_UNICODE_ENCODER = json.JSONEncoder(ensure_ascii=False)
_JSON_ENCODER = json.JSONEncoder(sort_keys=True, allow_nan=False, separators=(",", ":"))


class DamagedLine(Record):
    """A line that cannot be read, and why."""

    reason: str


def encode(event: Event, sign: SignLine | None = None) -> bytes:
    """Return the line of an event, with its line feed. It has a MAC if `sign` is given."""
    return with_checksum(_encode_content(event), sign)


def _encode_content(event: Event) -> bytes:
    """Return the event as a JSON object, without MAC and checksum."""
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
    """Return a JSON object as a line. Its last keys are the MAC, and a checksum of all bytes before it."""
    head = record[:-1]
    if sign is not None and (mac := sign(head)):
        head += _MAC_KEY + mac + b'"'
    return head + _CHECKSUM_KEY + b"%08x" % crc32(head) + b'"}\n'


def trim(line: bytes) -> bytes:
    """Return a line without what an editor put around it: a byte order mark, blanks, or the CR of a CRLF.

    Checksum and MAC are of the bytes from the opening brace on, so a line that was saved so is as good as before.
    """
    if line.endswith(b"}") and line.startswith(b"{"):  # the usual case
        return line
    return line.removeprefix(BOM_UTF8).strip(_BLANKS)


def split_mac(line: bytes) -> tuple[bytes, bytes]:
    """Return the content of a line and its MAC (b"" if it has none)."""
    head = trim(line)[:-_CHECKSUM_BYTES]
    if head[-_MAC_BYTES : -_MAC_BYTES + len(_MAC_KEY)] == _MAC_KEY and head.endswith(b'"'):
        return head[:-_MAC_BYTES], head[-_MAC_DIGITS - 1 : -1]
    return head, b""


def is_encoding_of(event: Event, line: bytes) -> bool:
    """Return whether a line (without its line feed) is what this version writes for an event, whatever its MAC."""
    return split_mac(line)[0] == _encode_content(event)[:-1]


def decode(line: bytes) -> Event | DamagedLine:
    """Return the event of a line (without its line feed)."""
    line = trim(line)
    if (reason := damage_reason(line)) is not None:
        return DamagedLine(reason)
    try:
        fields = _JSON_DECODER.raw_decode(line.decode("ascii"))[0]
        if b"\\u" in line and (
            b"\\ud" in line or b"\\uD" in line
        ):  # perhaps a lone surrogate, which cannot be stored or printed
            _UNICODE_ENCODER.encode(fields).encode("utf-8")
        return _decode_event(fields)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError) as error:
        return DamagedLine(f"the fields do not fit ({type(error).__name__})")


def damage_reason(line: bytes) -> str | None:
    """Return why the bytes of a line are damaged; None if the checksum matches."""
    line = trim(line)
    if not _has_ending(line):
        return "not a line of this log, or cut off"
    if line[-10:-2] != b"%08x" % crc32(line[:-_CHECKSUM_BYTES]):
        return "the checksum does not match"
    return None


def id_in_line(line: bytes) -> EventId | None:
    """Return the id of a line without decoding it; None if it is damaged. Inside a text the quotes would be escaped."""
    match = None if damage_reason(line) else _ID_IN_LINE.search(line)
    return EventId(match[1].decode("ascii")) if match else None


def is_truncated(line: bytes) -> bool:
    """Return whether a line lacks the ending that every complete line has."""
    return not _has_ending(trim(line))


def _has_ending(line: bytes) -> bool:
    return line[-_CHECKSUM_BYTES:-10] == _CHECKSUM_KEY and line[-2:] == b'"}'


def _decode_event(fields: Fields) -> Event:
    host, session, actor = fields["host"], fields["sess"], fields["actor"]
    name, scope = fields["type"], fields["scope"]
    if not type(host) is type(session) is type(actor) is type(name) is type(scope) is str:
        raise TypeError("a text is not a text")
    origin = EventOrigin(
        parse_time(fields["ts"]), integer_field(fields, "tz"), host, session, actor, PROVENANCE_BY_NAME[fields["src"]]
    )
    body = decode_body(name, fields["body"]) if fields["v"] <= FORMAT_VERSION else observation.UnknownBody(name)
    event_id = _id_field(fields, "id")
    op = event_id if fields["op"] == event_id else _id_field(fields, "op")
    return Event(event_id, op, origin, Scope(scope), body)


def _id_field(fields: Fields, name: str) -> EventId:
    value = fields[name]
    if not _UUID.fullmatch(value):
        raise ValueError(name)
    return EventId(value)


def parse_time(text: str) -> datetime:
    """Return the time of an event. Raise ValueError if it has no offset, OverflowError if it cannot be one in UTC."""
    time = datetime.fromisoformat(text)
    if time.tzinfo is None:
        raise ValueError("ts")
    if time.tzinfo is not UTC:
        time.astimezone(UTC)  # raises OverflowError near the limits of datetime: here, not in code that sorts by time
    return time


_LONG_LINE_BYTES = 4096


def must_decode(raw: bytes) -> Event:
    """Return the event of a line from the index. Raise IndexUnusableError if it cannot be read.

    The index holds only readable lines, unless it is damaged.
    """
    if not isinstance(raw, bytes):
        raise IndexUnusableError("a line is no line")
    event = _decode_long(raw) if len(raw) > _LONG_LINE_BYTES else decode(raw.rstrip(b"\n"))
    if isinstance(event, DamagedLine):
        raise IndexUnusableError(event.reason)
    return event


@lru_cache(maxsize=4)
def _decode_long(raw: bytes) -> Event | DamagedLine:
    """Decode a line that is asked for again and again: the undo of many judgements is an event of each memory."""
    return decode(raw.rstrip(b"\n"))
