"""Examples of the rows, written out. `<a36>` stands for 36 letters or digits, so no table looks like a leak itself."""

from __future__ import annotations

import re
from itertools import count

from tacit.secrets.spec import ALPHABETS

_HOLE = re.compile(r"<([a-z])(\d+)>|<uuid>")
_STEP = 7919  # coprime to the length of every alphabet, so that a run of it does not repeat itself


def written(example: str) -> str:
    """The text an example stands for; the same one each time."""
    numbers = count(len(example))
    return _HOLE.sub(lambda hole: _filled(hole, next(numbers)), example)


def _filled(hole: re.Match[str], number: int) -> str:
    if hole[0] == "<uuid>":
        return "-".join(run("x", size, number + size) for size in (8, 4, 4, 4, 12))
    return run(hole[1], int(hole[2]), number)


def run(alphabet: str, size: int, seed: int) -> str:
    """A run that looks drawn by lot, and holds a digit wherever the alphabet has digits."""
    signs = re.sub(r"(.)-(.)", _range, ALPHABETS[alphabet])
    state, drawn = seed * _STEP + 1, []
    for _ in range(size):
        state = (state * 1103515245 + 12345) % 2147483648
        drawn.append(signs[(state >> 8) % len(signs)])
    if "0" in signs and size > 2:
        drawn[1] = "7"
    return "".join(drawn)


def _range(ends: re.Match[str]) -> str:
    return "".join(map(chr, range(ord(ends[1]), ord(ends[2]) + 1)))
