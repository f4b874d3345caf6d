"""Values that break programs, and ways to put them into what was sound before."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tacit.log.codec import with_checksum
from tests.hostile.forged import Fields, changed, leaves, line, renamed

DIGITS = 5_000
# As JSON would hold them; those that no encoder writes stand in `RAW`.
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 7, 2**31, 2**53 + 1, 2**62, 2**63, -(2**63) - 1, 10**30, 0.5, 1e308, -0.0),
    *("", " ", "\0", "a\0b", "\ud800", "a\udfffb", "\n", "\u2028", "\x1b[2J", "../../escaped", "/escaped", "%s{0}$&"),
    *([], [[]], {}, {"a": {}}, [None], ["\ud800"], ["!"], ["0" * 12], ["z" * 12], ["" * 12], [1], {"": 1}),
    *("0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.9Z"),
    *("2024-02-30", "2024-01-01", "not a date", "1" * 300, "x" * 5_000, "ﷺ" * 300, "日" * 3_000, "a." * 2_000),
    *("project:", "project:/", "project:../..", "project:\0", "global\n", "memory.added", "judgement.undone"),
)
# What stands for a value in JSON and is none that we would write.
RAW = (
    *(b"NaN", b"Infinity", b"-Infinity", b"1e400", b"-1e400", b"1" * DIGITS, b"0." + b"1" * DIGITS, b"1e99999999"),
    *(b"[" * 100_000, b'{"a":' * 50_000, b'"\\ud800"', b'"\\u0000"', b'"\\ud83d"', b"\x00", b"'x'", b"01", b""),
    *(b'"x","x":"y"', b'{"a":1,"a":2}', b'"\\x00"', b'"unended', b"nul", b"\xff\xfe", b"\xef\xbb\xbf1"),
)
_HOLE = "HOLE-IN-A-LINE"


def broken_lines(fields: Fields, number: int) -> Iterator[bytes]:
    """The line of these fields with every value in turn replaced by every hostile one, or taken out.

    Each is an event of its own and about a claim of its own, numbered from `number` on.
    """
    for path in leaves(fields):
        if path[0] == "c":
            continue
        for value in VALUES:
            yield line(changed(_own(fields, number := number + 1), path, value))
        yield line(_without(_own(fields, number := number + 1), path))
        for raw in RAW:
            yield _holed(_own(fields, number := number + 1), path, raw)


def _own(fields: Fields, number: int) -> Fields:
    fresh = renamed(fields, number)
    if claim := fresh["body"].get("claim"):
        claim["triple"]["object"] = f"thing {number}"
    return fresh


def _holed(fields: Fields, path: tuple[str | int, ...], raw: bytes) -> bytes:
    """The line with these bytes where a value was."""
    holed = {name: value for name, value in changed(fields, path, _HOLE).items() if name != "c"}
    text = json.dumps(holed, sort_keys=True, separators=(",", ":")).encode("ascii")
    return with_checksum(text.replace(f'"{_HOLE}"'.encode(), raw))


def _without(fields: Fields, path: tuple[str | int, ...]) -> Fields:
    """A copy that lacks one value."""
    fresh = copy.deepcopy(fields)
    place: Any = fresh
    for step in path[:-1]:
        place = place[step]
    del place[path[-1]]
    return fresh


# Bytes


def mutated(dice: random.Random, sound: Sequence[bytes], tokens: Sequence[bytes]) -> bytes:
    """A sound input with a few changes; now and then nothing but noise."""
    if dice.random() < 0.05:
        return dice.randbytes(dice.randrange(200))
    data = dice.choice(sound)
    for _ in range(dice.choice((1, 1, 1, 2, 3, 8))):
        data = dice.choice(_CHANGES)(dice, data, tokens)
    return data[: 1 << 16]


def _flip(dice: random.Random, data: bytes, _tokens: Sequence[bytes]) -> bytes:
    if not data:
        return data
    at = dice.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << dice.randrange(8)]) + data[at + 1 :]


def _insert(dice: random.Random, data: bytes, tokens: Sequence[bytes]) -> bytes:
    at = dice.randrange(len(data) + 1)
    return data[:at] + dice.choice(tokens) + data[at:]


def _overwrite(dice: random.Random, data: bytes, tokens: Sequence[bytes]) -> bytes:
    at, token = dice.randrange(len(data) + 1), dice.choice(tokens)
    return data[:at] + token + data[at + len(token) :]


def _cut(dice: random.Random, data: bytes, _tokens: Sequence[bytes]) -> bytes:
    first, last = sorted((dice.randrange(len(data) + 1), dice.randrange(len(data) + 1)))
    return data[:first] + data[last:]


def _repeat(dice: random.Random, data: bytes, _tokens: Sequence[bytes]) -> bytes:
    first = dice.randrange(len(data) + 1)
    piece = data[first : first + dice.randrange(1, 12)]
    return data[:first] + piece * dice.choice((2, 3, 50, 400)) + data[first:]


def _truncate(dice: random.Random, data: bytes, _tokens: Sequence[bytes]) -> bytes:
    return data[: dice.randrange(len(data) + 1)]


_CHANGES: tuple[Callable[[random.Random, bytes, Sequence[bytes]], bytes], ...] = (
    *(_flip, _insert, _overwrite, _cut, _repeat, _truncate),
)
