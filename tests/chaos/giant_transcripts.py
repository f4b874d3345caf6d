"""Transcripts larger than anything sensible, captured by hooks: all that was said, in little memory, in slices if need
be. A hook returns at once; what it started may work for some seconds, and the next one goes on from there."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from harness.transcripts import Claude, line, lines, story

from tests.chaos.outcome import Outcome
from tests.support.hook_calls import Call, Scene

STOP = Call("capture", "Stop")
ROOM = 150  # MB (T39)
WAITED = 2.0  # seconds that a host may wait (T39)
LARGEST = 256 << 10  # bytes of an event (T39)
_TURNS, _MEGABYTE = 12, 1 << 20
_HOLE = b"hole"
Piece = Callable[[int], Iterator[bytes]]


class Captured(NamedTuple):
    """How it went: hooks until all was there, the longest that a host waited, and the most memory in MB."""

    hooks: int
    waited: float
    peak: int
    missing: tuple[str, ...]
    largest: int


def long_line(size: int) -> Iterator[bytes]:
    yield b'{"type":"user","message":{"role":"user","content":"'
    yield from (b"x" * _MEGABYTE for _ in range(size >> 20))
    yield b'"}}\n'


def deep_line(size: int) -> Iterator[bytes]:
    yield from (b"[" * _MEGABYTE for _ in range(size >> 20))
    yield b"\n"


def hole(_size: int) -> Iterator[bytes]:
    """Nothing at all, which takes no room on a disk: it is passed over when the file is written."""
    yield _HOLE
    yield b"\n"


def many_lines(size: int) -> Iterator[bytes]:
    """What hosts write beside what is said, a line of 200 bytes each."""
    one = line(
        {"type": "progress", "uuid": "p", "toolUseID": "t", "data": {"type": "bash_progress", "output": "x" * 90}}
    )
    yield from (one * 1000 for _ in range(size // len(one) // 1000 + 1))


PIECES: dict[str, Piece] = {"long line": long_line, "deep line": deep_line, "hole": hole, "many lines": many_lines}


def giant(folder: Path, name: str, size: int, hooks: int = 6) -> Outcome:
    """A session whose middle is such a piece. At most so many hooks may be needed."""
    scene = Scene(folder)
    scene.prepare()
    _written(scene, name, size)
    found = _captured(scene, hooks)
    return Outcome(found.hooks, _TURNS, len(found.missing), tuple(_faults(found)), _told(name, size, found))


def _written(scene: Scene, name: str, size: int) -> None:
    teller = Claude(scene.transcript.stem, str(scene.project))
    for turn in story("giant", _TURNS):
        teller.turn(turn)
    half = len(teller.records) // 2
    with scene.transcript.open("wb") as file:
        file.write(lines(teller.records[:half]))
        for piece in PIECES[name](size):
            if piece is _HOLE:
                file.seek(size, 1)
            else:
                file.write(piece)
        file.write(lines(teller.records[half:]))


def _captured(scene: Scene, most: int) -> Captured:
    waited, peak, number = 0.0, 0, 0
    missing = _missing(scene)
    while missing and number < most:
        number += 1
        began = time.monotonic()
        ended = scene.run(STOP)
        waited = max(waited, time.monotonic() - began)
        peak = max(peak, peak_of_what_goes_on(scene))
        missing = _missing(scene) if (ended.code, ended.out, ended.err) == (0, b"", b"") else (f"ended: {ended}",)
    return Captured(number, waited, peak, missing, _largest(scene))


def _missing(scene: Scene) -> tuple[str, ...]:
    """Of what was asked, all that is not in the log."""
    log = b"".join(path.read_bytes() for path in (scene.home / "activity").glob("*-agents.jsonl"))
    return tuple(turn.asked for turn in story("giant", _TURNS) if turn.asked.encode() not in log)


def _largest(scene: Scene) -> int:
    files = (scene.home / "activity").glob("*.jsonl")
    return max((len(one) for path in files for one in path.read_bytes().split(b"\n")), default=0)


def peak_of_what_goes_on(scene: Scene) -> int:
    """The most memory, in MB, of what a hook left behind; it is waited for. A peak never shrinks."""
    peak = 0
    while left := scene.left():
        peak = max([peak, *map(_peak, left)])
        time.sleep(0.01)
    return peak


def _peak(process: int) -> int:
    try:
        status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    except OSError:
        return 0
    return next((int(row.split()[1]) >> 10 for row in status.splitlines() if row.startswith("VmHWM:")), 0)


def _faults(found: Captured) -> Iterator[str]:
    if found.missing:
        yield f"after {found.hooks} hooks still missing: {found.missing[0]} and {len(found.missing) - 1} more"
    if found.waited > WAITED:
        yield f"a host waited for {found.waited:.1f} s"
    if found.peak > ROOM:
        yield f"{found.peak} MB"
    if found.largest > LARGEST:
        yield f"an event of {found.largest} bytes"


def _told(name: str, size: int, found: Captured) -> str:
    waited = found.waited * 1000
    return f"{name} of {size >> 20:,} MB: {found.hooks} hooks, {found.peak} MB, a host waited {waited:.0f} ms at most"
