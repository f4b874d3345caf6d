"""The seal, step by step: a torn tail is closed and described, and what is appended after it stands on its own."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from hashlib import sha256

import pytest

from tacit.log import Log
from tacit.log.codec import DamagedLine, encode
from tacit.log.reader import LogLine
from tacit.log.segment import MEMORY_SEGMENT
from tacit.log.verify import verify
from tacit.model.event import Event
from tacit.model.observation import LogSealed
from tests.chaos import mutants
from tests.chaos.logs import audit, events, judgement, name_of, open_log, origin

# The clock stands still, so that only the log itself can keep ids in order.
_NOON = datetime(2026, 3, 4, 12, tzinfo=UTC)


@pytest.fixture
def log(home: str) -> Log:
    """A log with one event in it."""
    made = open_log(home)
    _append(made, "first")
    return made


def _append(log: Log, name: str) -> Event:
    (event,) = log.append([judgement(name, f"the text of {name}")], origin("test", _NOON))
    return event


def _is_seal(record: LogLine) -> bool:
    return not isinstance(record.event, DamagedLine) and isinstance(record.event.body, LogSealed)


def _bytes(log: Log) -> bytes:
    with open(log.path(MEMORY_SEGMENT), "rb") as file:
        return file.read()


def _tear(log: Log, fragment: bytes) -> int:
    """Leave `fragment` at the end, as a write that was killed does; where it begins."""
    with open(log.path(MEMORY_SEGMENT), "ab") as file:
        file.write(fragment)
    return log.size(MEMORY_SEGMENT) - len(fragment)


def _whole_line(log: Log, name: str) -> bytes:
    """The line an append would write, without writing it."""
    size = log.size(MEMORY_SEGMENT)
    line = encode(_append(log, name))
    os.truncate(log.path(MEMORY_SEGMENT), size)
    return line


@pytest.mark.parametrize("length", [1, 2, 60, 100_000])
def test_a_torn_tail_is_closed_and_described_and_the_next_line_stands_alone(log: Log, length: int) -> None:
    fragment = (b'{"actor":"user","body":{"claim":' * (1 + length // 32))[:length]
    before = _bytes(log)
    offset = _tear(log, fragment)
    written = _append(log, "second")
    _first, sealed, second = events(log, MEMORY_SEGMENT)
    assert second == written
    closed = fragment + b"\x18"
    assert sealed.body == LogSealed(offset, length + 1, sha256(closed).hexdigest())
    assert _bytes(log) == before + closed + b"\n" + encode(sealed) + encode(second)
    assert not [finding for finding in verify(log) if finding.serious]


def test_without_the_seal_the_next_line_is_glued_to_the_fragment_and_lost(log: Log) -> None:
    _tear(log, b'{"actor":"us')
    with mutants.no_seal():
        written = _append(log, "second")
    assert written.id not in [event.id for event in events(log, MEMORY_SEGMENT)]
    found = audit(log, [written.id])
    assert found.lost == 1
    assert found.unreadable == 1
    assert [finding.serious for finding in verify(log)] == [True]


def test_a_tail_that_lacks_nothing_but_its_line_feed_is_kept_and_order_still_rises(log: Log) -> None:
    for number in range(20):  # ids of one millisecond are random; a few in order could be luck
        _tear(log, _whole_line(log, f"torn {number}").rstrip(b"\n"))
        _append(log, f"after {number}")
    found = events(log, MEMORY_SEGMENT)
    assert [event.id for event in found] == sorted(event.id for event in found)
    names = [name_of(event) for event in found if not isinstance(event.body, LogSealed)]
    assert names == ["first", *(f"{what} {number}" for number in range(20) for what in ("torn", "after"))]
    assert not [finding for finding in verify(log) if finding.serious]


@pytest.mark.parametrize("written", [1, 2, 3, 40])
def test_a_seal_that_was_torn_itself_leaves_no_unexplained_line(log: Log, written: int) -> None:
    _tear(log, b'{"actor":"us')
    size = log.size(MEMORY_SEGMENT)
    _append(log, "second")
    os.truncate(
        log.path(MEMORY_SEGMENT), size + written
    )  # killed when it had closed the fragment and begun to describe it
    third = _append(log, "third")
    assert third in events(log, MEMORY_SEGMENT)
    assert audit(log, [third.id]).faults == ()


def test_a_second_seal_that_was_torn_leaves_no_unexplained_line(log: Log) -> None:
    _tear(log, b'{"actor":"us')
    _tear(log, b'\x18\n{"actor":"user","body":{"len')  # two fragments: the first was closed, its seal torn
    _append(log, "second")
    *_, last_seal = (record for record in log.read(MEMORY_SEGMENT) if _is_seal(record))
    os.truncate(log.path(MEMORY_SEGMENT), last_seal.line.offset + 40)
    third = _append(log, "third")
    assert third in events(log, MEMORY_SEGMENT)
    assert audit(log, [third.id]).faults == ()


def test_a_line_that_was_damaged_later_is_not_sealed_as_if_it_had_been_torn(log: Log) -> None:
    rotten = bytearray(_bytes(log))
    rotten[20] ^= 1
    with open(log.path(MEMORY_SEGMENT), "wb") as file:
        file.write(rotten)
    _append(log, "second")
    assert [finding.serious for finding in verify(log)] == [True]


def test_sealing_twice_leaves_two_fragments_and_two_seals(log: Log) -> None:
    for name in ("second", "third"):
        _tear(log, b"{")
        _append(log, name)
    found = audit(log, [event.id for event in events(log, MEMORY_SEGMENT) if not isinstance(event.body, LogSealed)])
    assert (found.fragments, found.acknowledged, found.faults) == (2, 3, ())
