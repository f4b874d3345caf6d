"""Where a history names no sessions, a pause of thirty minutes begins a new one (SPEC A9).

A session is named after its shell and its first second, so that reading again finds the same. What has been taken in
before goes on: a history that has lost its beginning since then still belongs to the sessions it had.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from hashlib import sha256

from tacit.record import Record

PAUSE = 30 * 60  # seconds
_UNTIMED = re.compile(r"[a-z]+:[0-9a-f]{12}")


def untimed_session(shell: str, history: str) -> str:
    """The one session of a history without timestamps; `history` is what tells it from others."""
    return f"{shell}:{sha256(history.encode()).hexdigest()[:12]}"


def is_untimed(session: str) -> bool:
    """Whether a session is a whole history without timestamps. (Others are named after ten digits of a time.)"""
    return _UNTIMED.fullmatch(session) is not None


class Sitting(Record):
    """A session that is known already, from its first second to its last."""

    first: int
    last: int
    session: str


class Sessions:
    """The session of one command after the other."""

    def __init__(self, shell: str, known: Iterable[Sitting] = ()) -> None:
        self._shell = shell
        self._known = sorted(known)
        self._firsts = [sitting.first for sitting in self._known]
        self._last: int | None = None
        self._session = ""

    def at(self, second: int, milliseconds: int = 0) -> str:
        """The session of a command that began in this second and took so long."""
        if self._last is None or not self._last - PAUSE < second < self._last + PAUSE:
            self._session = self._session_around(second) or f"{self._shell}:{second}"
        self._last = second + milliseconds // 1000
        return self._session

    def _session_around(self, second: int) -> str:
        before = bisect_right(self._firsts, second)
        for sitting in self._known[max(before - 1, 0) : before + 1]:
            if sitting.first - PAUSE < second < sitting.last + PAUSE:
                return sitting.session
        return ""
