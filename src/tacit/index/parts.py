"""How what a question finds in a session is numbered: message by message, so that neighbours stand side by side.

A session has a run of numbers of its own, all below zero, so that memories and pages stand apart. The run of a later
day comes first: whoever reads numbers in order reads the latest first. A message has two numbers, one for each voice.
"""

from __future__ import annotations

from datetime import date

PERSON, AGENT = 0, 1
_MESSAGES = 1 << 16
RUN = 2 * _MESSAGES
MOST = _MESSAGES - 1
_EPOCH = date(2000, 1, 1)
_DAYS, _IDS = (1 << 15) - 1, (1 << 31) - 1


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
