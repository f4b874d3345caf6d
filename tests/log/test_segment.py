"""Names of segments; appending: what a failing disk leaves, which fragments are sealed, what the person is told."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from tacit.disk.files import OsDisk
from tacit.errors import ReadOnlyError, StoreError
from tacit.log import segment
from tacit.log.codec import encode
from tacit.model.event import Event
from tacit.model.ids import EventId
from tacit.model.observation import LogSealed, WorkLogged
from tests.support.events import event

FIRST, SECOND, THIRD = (event(number, WorkLogged("T-1", f"step {number}")) for number in (1, 2, 3))
TORN = b'{"actor":"user","body":{"sum'
CLOSED = TORN + b"\x18"


@pytest.mark.parametrize(
    ("folder", "name", "own"),
    [
        ("memory", "events.jsonl", True),
        ("memory", "purged.jsonl", True),
        ("memory", "events 2.jsonl", False),
        ("memory", "2026-03.jsonl", False),
        ("imported", "2026-03-02-0123456789ab.jsonl", True),
        ("imported", "history-zsh-0123456789ab.jsonl", True),
        ("imported", "history-zsh-0123456789ab.jsonl.bak", False),
        ("activity", "2026-03.jsonl", True),
        ("activity", "2026-03-agents.jsonl", True),
        ("activity", "2026-03-late.jsonl", True),
        ("activity", "2026-03-laptop.jsonl", False),
    ],
)
def test_own_segments_have_the_names_that_tacit_gives(folder: str, name: str, own: bool) -> None:
    assert segment.is_own_segment(folder, name) is own


class FailingDisk(OsDisk):
    """A disk that fails: writes after `room` bytes, the first `failing_syncs` syncs, or every truncation."""

    def __init__(
        self, *, room: int = 1 << 30, error: int = errno.ENOSPC, failing_syncs: int = 0, truncates: bool = True
    ) -> None:
        super().__init__()
        self.room, self.error, self.failing_syncs, self.truncates = room, error, failing_syncs, truncates
        self.synced = 0

    def write(self, fd: int, data: bytes) -> int:
        if not self.room:
            raise OSError(self.error, os.strerror(self.error))
        written = super().write(fd, data[: self.room])
        self.room -= written
        return written

    def sync_data(self, fd: int) -> None:
        self.synced += 1
        if self.synced <= self.failing_syncs:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        super().sync_data(fd)

    def truncate(self, fd: int, size: int) -> None:
        if not self.truncates:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        super().truncate(fd, size)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory" / "events.jsonl"


def composing(*events: Event) -> segment.ComposeEvents:
    return lambda _last, _seals: events


def appended(path: Path, *events: Event, disk: OsDisk | None = None, durable: bool = True) -> segment.AppendResult:
    return segment.append(disk or OsDisk(), str(path), composing(*events), durable=durable)


def tail_of(path: Path, data: bytes) -> segment.SegmentTail:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    fd = os.open(path, os.O_RDONLY)
    try:
        return segment.read_tail(OsDisk(), fd)
    finally:
        os.close(fd)


# Appending


def test_events_are_written_behind_each_other_into_a_private_file(path: Path) -> None:
    assert appended(path, FIRST) == segment.AppendResult((FIRST,), 0, len(encode(FIRST)))
    assert appended(path, SECOND, THIRD).offset == len(encode(FIRST))
    assert path.read_bytes() == b"".join(map(encode, (FIRST, SECOND, THIRD)))
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)


def test_whoever_composes_is_given_the_last_id_and_a_seal_for_each_fragment(path: Path) -> None:
    given: list[tuple[EventId | None, Sequence[LogSealed]]] = []

    def compose(last: EventId | None, seals: Sequence[LogSealed]) -> list[Event]:
        given.append((last, seals))
        return [SECOND]

    appended(path, FIRST)
    with path.open("ab") as file:
        file.write(TORN)
    segment.append(OsDisk(), str(path), compose, durable=True)
    ((last, (seal,)),) = given
    assert last == FIRST.id
    assert (seal.offset, seal.length) == (len(encode(FIRST)), len(CLOSED))
    assert path.read_bytes() == encode(FIRST) + CLOSED + b"\n" + encode(SECOND)


def test_what_nobody_waits_for_is_written_without_a_sync(path: Path) -> None:
    disk = FailingDisk()
    appended(path, FIRST, disk=disk, durable=False)
    assert (disk.synced, path.read_bytes()) == (0, encode(FIRST))
    appended(path, SECOND, disk=disk)
    assert disk.synced == 1


def test_an_event_that_no_reader_would_take_is_refused_and_nothing_is_written(path: Path) -> None:
    appended(path, FIRST)
    with pytest.raises(ValueError, match=str(segment.MAX_EVENT_BYTES)):
        appended(path, SECOND, event(3, WorkLogged("T-1", "x" * segment.MAX_EVENT_BYTES)))
    assert path.read_bytes() == encode(FIRST)


# A disk that fails


@pytest.mark.parametrize("room", [0, 1, 50])
def test_of_a_write_that_does_not_fit_nothing_is_left(path: Path, room: int) -> None:
    appended(path, FIRST)
    with pytest.raises(StoreError, match=r"no room to write .*; nothing was recorded"):
        appended(path, SECOND, disk=FailingDisk(room=room))
    assert path.read_bytes() == encode(FIRST)


def test_after_a_failed_sync_the_whole_segment_is_written_to_another_file_and_that_is_on_record(path: Path) -> None:
    appended(path, FIRST)
    before = path.open("rb")  # its inode is not reused while it is open
    with before:
        appended(path, SECOND, disk=FailingDisk(failing_syncs=1))
        assert path.stat().st_ino != os.fstat(before.fileno()).st_ino
    assert path.read_bytes() == encode(FIRST) + encode(SECOND)
    assert Path(segment.suspect_path(str(path))).read_text() == "Input/output error\n"


def test_if_nothing_can_be_made_durable_nothing_is_acknowledged_or_left(path: Path) -> None:
    appended(path, FIRST)
    with pytest.raises(StoreError, match="could not be written: Input/output error; nothing was recorded"):
        appended(path, SECOND, disk=FailingDisk(failing_syncs=2))
    assert path.read_bytes() == encode(FIRST)


def test_lines_that_cannot_be_taken_back_are_said_to_be_there_perhaps(path: Path) -> None:
    appended(path, FIRST)
    with pytest.raises(StoreError, match="may be recorded although it failed") as told:
        appended(path, SECOND, disk=FailingDisk(room=50, truncates=False))
    assert "tacit doctor" in told.value.hint


def test_taking_back_does_not_touch_a_segment_that_is_not_as_the_append_left_it(path: Path) -> None:
    appended(path, FIRST)
    for offset, length in ((len(encode(FIRST)), 10), (0, len(encode(FIRST)) - 1)):
        segment.roll_back(OsDisk(), str(path), offset, length, OSError())
        assert path.read_bytes() == encode(FIRST)
    segment.roll_back(OsDisk(), str(path), 0, len(encode(FIRST)), OSError())
    assert path.read_bytes() == b""


def test_a_home_that_cannot_be_written_is_told_as_such(path: Path) -> None:
    with pytest.raises(ReadOnlyError):
        appended(path, FIRST, disk=FailingDisk(room=0, error=errno.EROFS))


def test_a_link_in_the_place_of_a_segment_is_not_followed(path: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.touch()
    path.parent.mkdir()
    path.symlink_to(elsewhere)
    with pytest.raises(StoreError, match="is a symbolic link") as told:
        appended(path, FIRST)
    assert told.value.hint.startswith("rm ") and elsewhere.read_bytes() == b""


# The tail

LINE = encode(FIRST)


def sealing(offset: int) -> bytes:
    return encode(event(2, LogSealed(offset, len(CLOSED), "0" * 64)))


AFTER = len(LINE) + len(CLOSED) + 1  # where the line behind a fragment begins
SEAL = sealing(len(LINE))


@pytest.mark.parametrize(
    ("data", "last", "fragments"),
    [
        (b"", None, []),
        (LINE, FIRST.id, []),
        (LINE[:-1], FIRST.id, []),
        (LINE + TORN, FIRST.id, [len(LINE)]),
        (LINE + CLOSED, FIRST.id, [len(LINE)]),
        (LINE + CLOSED + b"\n", FIRST.id, [len(LINE)]),
        (LINE + CLOSED + b"\n" + TORN, FIRST.id, [len(LINE), AFTER]),
        (LINE + CLOSED + b"\n" + SEAL, SECOND.id, []),
        (LINE + CLOSED + b"\n" + SEAL[:40], FIRST.id, [len(LINE), AFTER]),
        (LINE + CLOSED + b"\n" + SEAL + TORN, SECOND.id, [AFTER + len(SEAL)]),
        (LINE + TORN + b"\n", FIRST.id, []),
        (LINE + TORN + b"\n" + CLOSED, FIRST.id, [AFTER - 1]),
        (LINE + encode(SECOND).replace(b"step", b"stop"), FIRST.id, []),
        (LINE + encode(SECOND)[:-1] + b"\r\n", SECOND.id, []),
    ],
)
def test_fragments_are_torn_lines_that_no_seal_names(
    path: Path, data: bytes, last: EventId | None, fragments: list[int]
) -> None:
    """A complete line with a wrong checksum was damaged later, so it is no fragment. Nor is a line that ends with a
    line feed, unless an append closed it."""
    found = tail_of(path, data)
    assert (found.size, found.last_id) == (len(data), last)
    assert [fragment.offset for fragment in found.fragments] == fragments
    assert all(data[one.offset :].startswith(one.data) for one in found.fragments)
    assert found.lacks_newline is bool(data and not data.endswith(b"\n"))


def test_a_tail_that_is_longer_than_one_read_is_read_whole(path: Path) -> None:
    torn = b'{"actor":"' + b"x" * 100_000
    assert tail_of(path, LINE + torn) == segment.SegmentTail(
        len(LINE + torn), FIRST.id, True, (segment.Fragment(len(LINE), torn),)
    )


def test_megabytes_that_tacit_never_wrote_are_left_as_they_are(path: Path) -> None:
    data = LINE + b"x" * (5 << 20)
    assert tail_of(path, data) == segment.SegmentTail(len(data), None, True, ())
