"""How what a question finds is numbered: messages of sessions below zero, then memories, then pages.

A session has a run of numbers of its own, message by message, so that neighbours stand side by side. The run of a later
day comes first: whoever reads numbers in order reads the latest first. A message has two numbers, one for each voice.
"""

from __future__ import annotations

from datetime import date

from tacit.model.ids import EventId, claim_id, claim_number

PERSON, AGENT = 0, 1
_MESSAGES = 1 << 16
RUN = 2 * _MESSAGES
MOST = _MESSAGES - 1
_EPOCH = date(2000, 1, 1)
_DAYS, _IDS = (1 << 15) - 1, (1 << 31) - 1
PAGES = 1 << 60  # a memory's number is its id, of sixty bits
LEAST, _MOST = -(1 << 63), (1 << 63) - 1
_REALMS = ((LEAST, 0), (0, PAGES), (PAGES, _MOST))


def realm_of(number: int) -> tuple[int, int]:
    """Where the numbers of its sort begin and end: those of messages, of memories or of pages."""
    return _REALMS[(number >= 0) + (number >= PAGES)]


def page_number(event: EventId) -> int:
    return PAGES + claim_number(claim_id("page", event))


def first_number(day: date, session: int) -> int:
    """Where the run of a session begins."""
    days = min(max((day - _EPOCH).days, 0), _DAYS)
    return -((days << 31 | session & _IDS) + 1) * RUN


def number_of(first: int, message: int, voice: int) -> int:
    return first + (min(message, MOST) << 1 | voice)


def run_of(number: int) -> int:
    """The beginning of the run that a number lies in."""
    return number - number % RUN


def message_of(number: int) -> int:
    """Which message of its session it is, in order."""
    return number % RUN >> 1


def voice_of(number: int) -> int:
    return number & 1
