"""Event ids that sort by time, and claim ids that are equal on every machine."""

from __future__ import annotations

from typing import NewType

# SHA-256 as Python itself has it. The module that is meant for it loads all of OpenSSL, and hooks wait for that.

try:
    from _sha2 import sha256  # type: ignore[import-not-found]  # from Python 3.12 on
except ImportError:
    try:
        from _sha256 import sha256  # type: ignore[import-not-found]
    except ImportError:  # another Python may have neither
        from hashlib import sha256

__all__ = ["sha256"]


# Event ids that sort by time, and claim ids that are the same on every machine.
#
# An event id is a UUID whose first 48 bits are milliseconds, so sorting ids *is* the total order of the log. The
# clock may jump backwards; `following` then counts on from the last id, so that order never does.

EventId = NewType("EventId", str)
ClaimId = NewType("ClaimId", str)

_PAYLOAD_BITS = 74
_PAYLOAD_MASK = (1 << _PAYLOAD_BITS) - 1
_MS_MASK = (1 << 48) - 1
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # no i, l, o, u: read aloud without doubt
_DIGIT_PAIRS = [first + second for first in _ALPHABET for second in _ALPHABET]
_TO_BASE32 = str.maketrans(_ALPHABET, "0123456789abcdefghijklmnopqrstuv")
CLAIM_ID_LENGTH = 12


def event_id(milliseconds: int, entropy: bytes) -> EventId:
    """A UUIDv7 for this millisecond; `entropy` is ten random bytes."""
    return _join_uuid(milliseconds & _MS_MASK, int.from_bytes(entropy[:10], "big") & _PAYLOAD_MASK)


def derived_event_id(milliseconds: int, place: int, digest: bytes) -> EventId:
    """An id made of what it names: the same whenever it is made. `place` orders what has the same millisecond."""
    return _join_uuid(milliseconds & _MS_MASK, min(place, 0xFFF) << 62 | int.from_bytes(digest[:8], "big") >> 2)


def next_event_id(last: EventId | None, milliseconds: int, entropy: bytes) -> EventId:
    """An id for now that is greater than `last`, whatever the clock says."""
    fresh = event_id(milliseconds, entropy)
    if last is None or fresh > last:
        return fresh
    ms, payload = _split_uuid(last)
    payload += 1 + int.from_bytes(entropy[:4], "big")
    return _join_uuid((ms + (payload >> _PAYLOAD_BITS)) & _MS_MASK, payload & _PAYLOAD_MASK)


def event_milliseconds(event: EventId) -> int:
    """The milliseconds in an id."""
    return _split_uuid(event)[0]


def claim_id(scope: str, key: str) -> ClaimId:
    """Sixty bits of the statement's hash: twelve letters that a person can type a prefix of."""
    number = int.from_bytes(sha256(f"{scope}\n{key}".encode("utf-8", "surrogatepass")).digest()[:8], "big") >> 4
    return ClaimId("".join([_DIGIT_PAIRS[number >> shift & 1023] for shift in (50, 40, 30, 20, 10, 0)]))


def claim_number(claim: ClaimId) -> int:
    """The claim id as an integer with the same order (a row number for an index)."""
    return int(claim.translate(_TO_BASE32), 32)


def is_claim_prefix(text: str) -> bool:
    """Whether this could be the beginning of a claim id."""
    return 0 < len(text) <= CLAIM_ID_LENGTH and all(letter in _ALPHABET for letter in text)


def _join_uuid(ms: int, payload: int) -> EventId:
    high, low = payload >> 62, payload & ((1 << 62) - 1)
    value = ms << 80 | 7 << 76 | high << 64 | 2 << 62 | low
    text = f"{value:032x}"
    return EventId(f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}")


def _split_uuid(event: EventId) -> tuple[int, int]:
    value = int(event.replace("-", ""), 16)
    return value >> 80, (value >> 64 & 0xFFF) << 62 | value & ((1 << 62) - 1)
