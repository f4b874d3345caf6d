"""Fields of a line. It may have a good checksum and still not fit, when another program wrote it: each of these refuses
what it is not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Fields = Mapping[str, Any]
_LARGEST = 2**62  # what every reader of the log can hold


def text(fields: Fields, name: str) -> str:
    found = fields.get(name, "")
    if not isinstance(found, str):
        raise TypeError(name)
    return found


def number(fields: Fields, name: str) -> int:
    found = fields.get(name, 0)
    if not isinstance(found, int) or isinstance(found, bool) or abs(found) > _LARGEST:
        raise TypeError(name)
    return found


def share(fields: Fields, name: str) -> float:
    found = fields.get(name, 0.0)
    if not isinstance(found, float | int) or not 0 <= found <= 1:
        raise TypeError(name)
    return float(found)


def texts(fields: Fields, name: str) -> tuple[str, ...]:
    found = fields.get(name, [])
    if found == []:
        return ()
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise TypeError(name)
    return tuple(found)
