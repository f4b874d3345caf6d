"""What a reader of bytes is to the tests that try it with anything."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Reader(NamedTuple):
    """`refusals` are the errors it is documented to raise; anything else is a finding."""

    name: str
    sound: tuple[bytes, ...]
    tokens: tuple[bytes, ...]
    read: Callable[[bytes], object]
    refusals: tuple[type[Exception], ...] = ()
