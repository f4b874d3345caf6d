"""Document ids: messages of sessions are below zero, then come memories, then pages.

A session has a range of ids of its own, in the order of its messages, so that neighbours are adjacent. Ranges of later
days come first: reading ids in order reads the latest messages first. A message has two ids, one for each role.
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
FIRST_PAGE_ID = 1 << 60  # the doc id of a memory is its claim id, which has 60 bits
MIN_DOC_ID, _MAX_DOC_ID = -(1 << 63), (1 << 63) - 1
_ID_RANGES = ((MIN_DOC_ID, 0), (0, FIRST_PAGE_ID), (FIRST_PAGE_ID, _MAX_DOC_ID))


def id_range_of(doc_id: int) -> tuple[int, int]:
    """Return where the ids of its sort begin and end: those of messages, of memories or of pages."""
    return _ID_RANGES[(doc_id >= 0) + (doc_id >= FIRST_PAGE_ID)]


def page_doc_id(event: EventId) -> int:
    """Return the id of the page that an event makes."""
    return FIRST_PAGE_ID + claim_number(claim_id("page", event))


def session_start_id(day: date, session: int) -> int:
    """Return the first id of a session, given the day it began and its id as a number."""
    days = min(max((day - _EPOCH).days, 0), _MAX_DAYS)
    return -((days << 31 | session & _SESSION_MASK) + 1) * IDS_PER_SESSION


def message_doc_id(start_id: int, index: int, role: int) -> int:
    """Return the id of a message. Messages beyond the last index share one."""
    return start_id + (min(index, MAX_MESSAGE_INDEX) << 1 | role)


def start_id_of(doc_id: int) -> int:
    """Return the first id of the session that a message belongs to."""
    return doc_id - doc_id % IDS_PER_SESSION


def message_index(doc_id: int) -> int:
    """Return the position of a message in its session."""
    return doc_id % IDS_PER_SESSION >> 1


def role_of(doc_id: int) -> int:
    """Return PERSON or AGENT for a message."""
    return doc_id & 1
