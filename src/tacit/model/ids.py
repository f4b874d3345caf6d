"""Event ids that sort by time, and claim ids that are equal on every machine.

An event id is a UUIDv7: its first 48 bits are milliseconds, so the order of ids is the total order of the log. If the
clock jumps backwards, `next_event_id` counts on from the last id, and the order holds.
"""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from datetime import datetime
    from typing import NewType

    EventId = NewType("EventId", str)
    ClaimId = NewType("ClaimId", str)
else:
    EventId = ClaimId = str

# Python's own SHA-256 and BLAKE2: `hashlib` loads all of OpenSSL, and hooks would wait for that.
try:
    from _sha2 import sha256  # type: ignore[import-not-found]  # from Python 3.12 on
except ImportError:
    try:
        from _sha256 import sha256  # type: ignore[import-not-found]
    except ImportError:  # another Python may have neither
        from hashlib import sha256

try:
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b

__all__ = ["blake2b", "sha256"]

_PAYLOAD_BITS = 74
_PAYLOAD_MASK = (1 << _PAYLOAD_BITS) - 1
_MS_MASK = (1 << 48) - 1
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # no i, l, o, u: unambiguous when read aloud
_DIGIT_PAIRS = [first + second for first in _ALPHABET for second in _ALPHABET]
_TO_BASE32 = str.maketrans(_ALPHABET, "0123456789abcdefghijklmnopqrstuv")
CLAIM_ID_LENGTH = 12


def event_id(milliseconds: int, entropy: bytes) -> EventId:
    """Return a UUIDv7 for this millisecond. `entropy` is ten random bytes."""
    return _join_uuid(milliseconds & _MS_MASK, int.from_bytes(entropy[:10], "big") & _PAYLOAD_MASK)


def derived_event_id(milliseconds: int, ordinal: int, digest: bytes) -> EventId:
    """Return an id that depends on its arguments alone. `ordinal` orders events of the same millisecond."""
    return _join_uuid(milliseconds & _MS_MASK, min(ordinal, 0xFFF) << 62 | int.from_bytes(digest[:8], "big") >> 2)


def next_event_id(last: EventId | None, milliseconds: int, entropy: bytes) -> EventId:
    """Return an id for now that is greater than `last`, whatever the clock says."""
    fresh = event_id(milliseconds, entropy)
    if last is None or fresh > last:
        return fresh
    ms, payload = _split_uuid(last)
    payload += 1 + int.from_bytes(entropy[:4], "big")
    return _join_uuid((ms + (payload >> _PAYLOAD_BITS)) & _MS_MASK, payload & _PAYLOAD_MASK)


def first_event_id(moment: datetime) -> EventId:
    """Return the lowest id that an event of this millisecond can have: all later events have greater ones."""
    return event_id(int(moment.timestamp() * 1000), bytes(10))


def event_milliseconds(event: EventId) -> int:
    """Return the milliseconds in an id."""
    return _split_uuid(event)[0]


def hash_number(scope: str, key: str) -> int:
    """Return the `claim_number` of the `claim_id` of these: the same 60 bits, without the characters between."""
    return int.from_bytes(sha256(f"{scope}\n{key}".encode("utf-8", "surrogatepass")).digest()[:8], "big") >> 4


def claim_id(scope: str, key: str) -> ClaimId:
    """Return 60 bits of the statement's hash as twelve characters, of which a person can type a prefix."""
    number = hash_number(scope, key)
    return ClaimId("".join([_DIGIT_PAIRS[number >> shift & 1023] for shift in (50, 40, 30, 20, 10, 0)]))


def claim_number(claim: ClaimId) -> int:
    """Return the claim id as an integer with the same order: its row number in the index."""
    return int(claim.translate(_TO_BASE32), 32)


def is_claim_id(text: str) -> bool:
    """Return whether the text could be a whole claim id."""
    return len(text) == CLAIM_ID_LENGTH and is_claim_prefix(text)


def is_claim_prefix(text: str) -> bool:
    """Return whether the text could be the beginning of a claim id."""
    return 0 < len(text) <= CLAIM_ID_LENGTH and all(letter in _ALPHABET for letter in text)


def _join_uuid(ms: int, payload: int) -> EventId:
    high, low = payload >> 62, payload & ((1 << 62) - 1)
    text = f"{ms << 80 | 7 << 76 | high << 64 | 2 << 62 | low:032x}"
    return EventId(f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}")


def _split_uuid(event: EventId) -> tuple[int, int]:
    value = int(event.replace("-", ""), 16)
    return value >> 80, (value >> 64 & 0xFFF) << 62 | value & ((1 << 62) - 1)
