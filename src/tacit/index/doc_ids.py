"""How what a question finds is numbered: messages of sessions below zero, then memories, then pages.

A session has a run of numbers of its own, message by message, so that neighbours stand side by side. The run of a later
day comes first: whoever reads numbers in order reads the latest first. A message has two numbers, one for each voice.
"""

from __future__ import annotations

from datetime import date

from tacit.model.ids import EventId, claim_id, claim_number

PERSON, AGENT = 0, 1
_MESSAGES_PER_SESSION = 1 << 16
IDS_PER_SESSION = 2 * _MESSAGES_PER_SESSION
MAX_MESSAGE_INDEX = _MESSAGES_PER_SESSION - 1
_EPOCH = date(2000, 1, 1)
_MAX_DAYS, _SESSION_MASK = (1 << 15) - 1, (1 << 31) - 1
FIRST_PAGE_ID = 1 << 60  # a memory's number is its id, of sixty bits
MIN_DOC_ID, _MAX_DOC_ID = -(1 << 63), (1 << 63) - 1
_ID_RANGES = ((MIN_DOC_ID, 0), (0, FIRST_PAGE_ID), (FIRST_PAGE_ID, _MAX_DOC_ID))


def id_range_of(number: int) -> tuple[int, int]:
    """Where the numbers of its sort begin and end: those of messages, of memories or of pages."""
    return _ID_RANGES[(number >= 0) + (number >= FIRST_PAGE_ID)]


def page_doc_id(event: EventId) -> int:
    return FIRST_PAGE_ID + claim_number(claim_id("page", event))


def session_start_id(day: date, session: int) -> int:
    """Where the run of a session begins."""
    days = min(max((day - _EPOCH).days, 0), _MAX_DAYS)
    return -((days << 31 | session & _SESSION_MASK) + 1) * IDS_PER_SESSION


def message_doc_id(first: int, message: int, voice: int) -> int:
    return first + (min(message, MAX_MESSAGE_INDEX) << 1 | voice)


def start_id_of(number: int) -> int:
    """The beginning of the run that a number lies in."""
    return number - number % IDS_PER_SESSION


def message_index(number: int) -> int:
    """Which message of its session it is, in order."""
    return number % IDS_PER_SESSION >> 1


def role_of(number: int) -> int:
    return number & 1
