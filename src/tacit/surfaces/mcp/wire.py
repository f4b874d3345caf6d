"""Lines in and out: one message a line. A line that is too long is passed over without being held."""

from __future__ import annotations

import json
import os
import re
import select
from collections.abc import Iterable, Iterator
from typing import NoReturn

from tacit.record import Record
from tacit.surfaces.mcp.rpc import INVALID_REQUEST, PARSE_ERROR, Failure, Id, Json

LONGEST = 1 << 20  # bytes of a message
_CHUNK = 1 << 16
_EDGE = 512  # kept of either end of a line that is too long: its id stands there
_GONE = select.POLLERR | select.POLLHUP
# Only where the id is certain to be the message's own: right behind its beginning, or right before its end.
_FIRST = re.compile(
    r'\{\s{0,9}"jsonrpc"\s{0,9}:\s{0,9}"2\.0"\s{0,9},\s{0,9}"id"\s{0,9}:\s{0,9}("[^"\\]{0,99}"|\d{1,18})'
)
_LAST = re.compile(r',\s{0,9}"id"\s{0,9}:\s{0,9}("[^"\\]{0,99}"|\d{1,18})\s{0,9}\}\s{0,9}$')


class TooLong(Record):
    """A line that was not held, and whose it was."""

    id: Id | None


class _Line:
    """A line as it comes in, in pieces."""

    def __init__(self) -> None:
        self.size = 0
        self._parts: list[bytes] = []

    def take(self, piece: bytes) -> None:
        self.size += len(piece)
        self._parts.append(piece)
        if self.size > LONGEST:
            held = b"".join(self._parts)
            self._parts = [held[:_EDGE] + held[-_EDGE:]]

    def ended(self) -> bytes | TooLong:
        held = b"".join(self._parts)
        return held if self.size <= LONGEST else TooLong(_id_at_the_edges(held.decode("ascii", "replace")))


def chunks(source: int, sink: int) -> Iterator[bytes]:
    """What comes from a client, until it stops, or no longer listens."""
    poll = select.poll()
    poll.register(source, select.POLLIN)
    poll.register(sink, 0)
    while not any(place == sink and state & _GONE for place, state in poll.poll()):
        chunk = os.read(source, _CHUNK)
        if not chunk:
            return
        yield chunk


def lines(pieces: Iterable[bytes]) -> Iterator[bytes | TooLong]:
    """The lines of a stream; the last one may lack its end."""
    line = _Line()
    for piece in pieces:
        *ends, rest = piece.split(b"\n")
        for end in ends:
            line.take(end)
            yield line.ended()
            line = _Line()
        line.take(rest)
    if line.size:
        yield line.ended()


def read(line: bytes | TooLong) -> object:
    """The value in a line."""
    if isinstance(line, TooLong):
        raise Failure(INVALID_REQUEST, f"the message is longer than {LONGEST:,} bytes", id=line.id)
    try:
        return json.loads(line.decode("utf-8"), parse_constant=_no_number)
    except (ValueError, RecursionError) as error:  # also numbers and nestings without end
        raise Failure(PARSE_ERROR, f"not a line of JSON ({type(error).__name__})") from None


def written(answer: Json | list[Json]) -> bytes:
    return json.dumps(answer, separators=(",", ":"), allow_nan=False).encode("ascii") + b"\n"


def write(sink: int, line: bytes) -> None:
    """All of it, also where the other side is slow."""
    rest = memoryview(line)
    while rest:
        try:
            rest = rest[os.write(sink, rest) :]
        except BlockingIOError:
            select.select([], [sink], [])


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


def _id_at_the_edges(text: str) -> Id | None:
    found = _FIRST.match(text) or _LAST.search(text)
    if not found:
        return None
    return found[1][1:-1] if found[1].startswith('"') else int(found[1])
