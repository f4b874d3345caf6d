"""Reading a history that a test has written out."""

from __future__ import annotations

from collections import Counter
from io import BytesIO

from tacit.shell.history_formats import FORMATS, SECOND, HistoryEntry, SkippedEntry

AT = 1_700_000_000


def entries(shell: str, data: bytes) -> list[HistoryEntry]:
    return [one for one in FORMATS[shell].read(BytesIO(data)) if isinstance(one, HistoryEntry)]


def commands(shell: str, data: bytes) -> list[str]:
    return [entry.command for entry in entries(shell, data)]


def timed(shell: str, data: bytes) -> list[tuple[int, str]]:
    return [(entry.at // SECOND, entry.command) for entry in entries(shell, data)]


def unread(shell: str, data: bytes) -> Counter[str]:
    return Counter(one.reason for one in FORMATS[shell].read(BytesIO(data)) if isinstance(one, SkippedEntry))
