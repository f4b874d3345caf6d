"""Columns of a terminal: how many of them a text takes, and texts cut to fit. Text must be printable already."""

from __future__ import annotations

from itertools import accumulate


def char_width(char: str) -> int:
    """Return how many columns a character takes, at most: terminals differ about emoji that are joined."""
    if char.isascii():
        return 1
    from unicodedata import category, east_asian_width

    if category(char) in ("Mn", "Me", "Cf") and char != "\ufe0f":  # which makes an emoji of a narrow sign
        return 0
    return 2 if east_asian_width(char) in "WF" else 1


def text_width(text: str) -> int:
    """Return how many columns a text takes."""
    return len(text) if text.isascii() else sum(map(char_width, text))


def clip_to_width(text: str, width: int) -> str:
    """Return the beginning of a text that fits. A cut is marked with an ellipsis."""
    if text_width(text) <= width:
        return text
    return text[: _fitting(text, width - 1)] + "…" if width > 0 else ""


def wrap_to_width(text: str, width: int) -> list[str]:
    """Return a text as lines that fit, broken at a blank in their second half, else anywhere."""
    lines = []
    while text_width(text) > width > 1:
        end = _fitting(text, width)
        blank = text.rfind(" ", end // 2, end)
        end = blank + 1 if blank >= 0 else end
        lines.append(text[:end].rstrip())
        text = text[end:]
    return [*lines, text]


def _fitting(text: str, width: int) -> int:
    """Return how many of the first characters fit."""
    return next((at for at, used in enumerate(accumulate(map(char_width, text))) if used > width), len(text))
