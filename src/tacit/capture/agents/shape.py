"""Looking into what JSON gave: the value where it has the shape that is asked for, and nothing where it has not."""

from __future__ import annotations

Object = dict[str, object]


def mapping(value: object) -> Object:
    return value if isinstance(value, dict) else {}


def listing(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def string(value: object) -> str:
    return value if isinstance(value, str) else ""


def texts(value: object) -> str:
    """The text of a content: a string, a block with a text, or a list of these."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return string(value.get("text"))
    return "\n".join(part for part in map(texts, value) if part) if isinstance(value, list) and _is_flat(value) else ""


def _is_flat(value: list[object]) -> bool:
    return not any(isinstance(part, list) for part in value)
