"""What the log knows of histories already: which commands were taken in, in which sessions, and where they ended."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from datetime import datetime

from tacit.capture.history.sessions import Sitting
from tacit.core.ids import EventId
from tacit.disk.ops import open_plain
from tacit.log.codec import readable_id
from tacit.log.log import IMPORTED, Log
from tacit.log.reader import lines

HISTORY = f"{IMPORTED}/history-"
TAIL = 50  # commands by which the end of what was taken in is found again
DIGEST = 9  # bytes of what a command is known by
_COMMAND = re.compile(rb'"body":\{"command":("(?:[^"\\]|\\.)*")')
_SESSION = re.compile(rb'"sess":"([^"\\]*)"')
_TIME = re.compile(rb'"ts":"([^"]{19})')
_RAN = b'"type":"command.ran"'


class Known:
    """`ids` by their keys; `heard` are commands that came in another way, by second and text."""

    def __init__(self, log: Log, segment: str) -> None:
        self.ids: set[bytes] = set()
        self.heard: set[int] = set()
        self.tail: deque[int] = deque(maxlen=TAIL)
        self.count = 0
        self.last = 0
        self._sittings: dict[str, Sitting] = {}
        for name in log.segments():
            if name.startswith(IMPORTED):
                self._scan(log, name, own=name == segment, other=_is_other(name, segment))
            elif not name.startswith("memory"):
                self._scan(log, name, own=False, other=True)

    @property
    def sittings(self) -> list[Sitting]:
        return list(self._sittings.values())

    def _scan(self, log: Log, segment: str, *, own: bool, other: bool) -> None:
        for line in _readable(log, segment):
            name = readable_id(line)
            if name is None:
                continue
            if not other:
                self.ids.add(key_of(name))
            if (own or other) and _RAN in line:
                self._hear(line, own=own)
            self.count += own

    def _hear(self, line: bytes, *, own: bool) -> None:
        command, session, time = _COMMAND.search(line), _SESSION.search(line), _TIME.search(line)
        if not (command and session and time):
            return
        second = _second(time[1])
        if not own:
            self.heard.add(heard_key(second, command[1].decode("ascii")))
            return
        self.tail.append(hash(command[1].decode("ascii")))
        self.last = max(self.last, second)
        self._sit(session[1].decode("ascii"), second)

    def _sit(self, session: str, second: int) -> None:
        first, last, _ = self._sittings.get(session, (second, second, ""))
        self._sittings[session] = Sitting(min(first, second), max(last, second), session)


def command_id(milliseconds: int, digest: bytes) -> EventId:
    """What `event_id` makes of these nine bytes, two empty bits behind the first twelve: sooner put together."""
    time, rest = milliseconds.to_bytes(6, "big").hex(), digest.hex()
    return EventId(f"{time[:8]}-{time[8:]}-7{rest[:3]}-8{rest[3:6]}-{rest[6:]}")


def key_of(name: EventId) -> bytes:
    """What an id is known by whatever its milliseconds: they tell only the order within a second."""
    return bytes.fromhex(name[21:23] + name[24:])


def heard_key(second: int, quoted: str) -> int:
    return hash((second, quoted))


def _is_other(segment: str, own: str) -> bool:
    """Whether a segment is the history of another shell: the same commands may stand in both, at the same times."""
    return segment.startswith(HISTORY) and segment.rpartition("-")[0] != own.rpartition("-")[0]


def _readable(log: Log, segment: str) -> Iterator[bytes]:
    with open_plain(log.path(segment)) as file:
        yield from (line.data for line in lines(file))


def _second(text: bytes) -> int:
    return int(datetime.fromisoformat(text.decode("ascii") + "+00:00").timestamp())
