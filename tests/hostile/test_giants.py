"""Lines larger than anything we write, in a real log: they are passed over, and cost the memory of an ordinary one."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import pytest
from harness.person import Person

from tests.chaos.apart import apart
from tests.chaos.program import peak_memory

# Lines are passed over by their length, before anything reads them.
pytestmark = pytest.mark.same_everywhere
KNOWN = ["never force push", "prefer small commits"]
MEGABYTE = 1 << 20
READING = ("recall force", "list", "verify", "reindex")
WRITING = ("add run-the-tests", *READING)
ROOM = 60  # MB for reading a log, whatever is in it


class Giant(NamedTuple):
    """A line of so many bytes, made of one piece over and over; without its line feed it is a write that was torn."""

    folder: str
    piece: bytes
    size: int
    ended: bool = True
    commands: tuple[str, ...] = READING


class Past(NamedTuple):
    """What was found on both sides of it, how commands ended, and by how many MB the process grew at its highest."""

    texts: list[str]
    codes: list[int]
    grown: float


def read_past(giant: Giant) -> Past:
    """Make a home with such a line in its log, before the last line or torn behind it, and run the commands. In a
    process of its own."""
    person = Person(Path(giant.folder))
    for text in KNOWN:
        person.tacit("add", text)
    lines = person.events.read_bytes().splitlines(keepends=True)
    with person.events.open("wb") as file:
        file.writelines(lines[:-1] if giant.ended else lines)
        piece = giant.piece * (MEGABYTE // len(giant.piece))
        for _ in range(giant.size // len(piece)):
            file.write(piece)
        file.writelines((b"\n", lines[-1]) if giant.ended else ())
    before = peak_memory(os.getpid())
    codes = [person.tacit(*words.split(), code=None).code for words in giant.commands]
    grown = peak_memory(os.getpid()) - before
    return Past([text for query in KNOWN for text in person.texts(query)], codes, grown)


@pytest.mark.parametrize(
    ("piece", "size"),
    [(b"x", 100), (b"[", 5), (b'{"a":', 5), (b"1", 5), (b"\0", 100)],
    ids=["100 MB", "deep lists", "deep objects", "a number", "100 MB of nothing"],
)
def test_a_giant_line_is_passed_over(tmp_path: Path, piece: bytes, size: int) -> None:
    past = apart(read_past, Giant(str(tmp_path), piece, size * MEGABYTE))
    assert past.texts == KNOWN
    assert past.codes == [0, 0, 3, 0]  # verify names it
    assert past.grown < ROOM


def test_behind_a_giant_that_has_no_end_there_is_room_for_more(tmp_path: Path) -> None:
    past = apart(read_past, Giant(str(tmp_path), b"x", 100 * MEGABYTE, ended=False, commands=WRITING))
    assert past.texts == KNOWN
    assert past.codes == [0, 0, 0, 3, 0]  # no write of ours was ever so long: verify names it
    assert past.grown < ROOM
