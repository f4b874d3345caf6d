"""One event, one line: sorted JSON in ASCII, then the code of the home that wrote it, and a checksum as the last key.

Nothing here decides; a line that cannot be read becomes `Damaged` with the reason, never an exception.
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from zlib import crc32

from tacit.core.claim import Scope
from tacit.core.event import Event, Origin, timestamp
from tacit.core.ids import EventId
from tacit.core.observation import Unknown
from tacit.log.bodies import PROVENANCE, body_fields, read_body, type_of
from tacit.log.fields import Fields, number
from tacit.log.signing import Sign
from tacit.record import Record

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
