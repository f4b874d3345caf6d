"""A line of 100 MB, or one nested five million deep: it is passed over, and costs the memory of an ordinary one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.chaos.apart import apart
from tests.hostile.giants import AFTER, BEFORE, Giant, read_past

MEGABYTE = 1 << 20
ROOM = 60  # MB for reading a log, whatever is in it


@pytest.mark.parametrize(
    ("piece", "size"),
    [
        (b"x", 100 * MEGABYTE),
        (b"[", 5 * MEGABYTE),
        (b'{"a":', 5 * MEGABYTE),
        (b"1", 5 * MEGABYTE),
        (b"\0", 100 * MEGABYTE),
    ],
    ids=["100 MB", "deep lists", "deep objects", "a number", "100 MB of nothing"],
)
def test_a_giant_line_is_passed_over(tmp_path: Path, piece: bytes, size: int) -> None:
    past = apart(read_past, Giant(str(tmp_path), piece, size))
    assert past.texts == (BEFORE, AFTER)
    assert past.codes == (0, 0, 3, 0)  # verify names it
    assert past.grown < ROOM


def test_behind_a_giant_that_has_no_end_there_is_room_for_more(tmp_path: Path) -> None:
    past = apart(read_past, Giant(str(tmp_path), b"x", 100 * MEGABYTE, ended=False, appending=True))
    assert past.texts == (BEFORE, AFTER)
    assert past.codes == (0, 0, 0, 3, 0)  # no write of ours was ever so long: verify names it
    assert past.grown < ROOM
