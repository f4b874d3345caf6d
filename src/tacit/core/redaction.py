"""Secrets: found before anything is written; their kind is named, their value never.

`refuse_secrets` is for what a person tells, `redacted` for what is captured. What each kind looks like stands in the
tables of `tacit.core.secrets`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from tacit.core.errors import Refused
from tacit.core.secrets.search import find


class Secret(NamedTuple):
    """Where the value stands in the text, and what people call it."""

    start: int
    end: int
    kind: str


def find_secrets(text: str) -> list[Secret]:
    """Every secret of a text in order; none overlaps another."""
    return [Secret(*found) for found in find(text)]


def secret_kind(text: str) -> str | None:
    """The kind of the first secret in a text."""
    found = find(text)
    return found[0][2] if found else None


def refuse_secrets(*texts: str) -> None:
    """Raise when a text holds a secret; the message names its kind, never its value."""
    for text in texts:
        if kind := secret_kind(text):
            raise Refused(
                f"this looks like a secret ({kind}), and Tacit stores none",
                "say it without the value, for example where the value is kept",
            )


def redacted(text: str, mark: Callable[[str], str] | None = None) -> str:
    """The text with each secret as `[redacted:KIND]`, or as `[redacted:KIND:MARK]` with eight hex digits of `mark`.

    Done again until nothing is found, since what is hidden may have kept apart what belongs together.
    """
    while found := find_secrets(text):
        text = replaced(text, found, mark)
    return text


def replaced(text: str, secrets: list[Secret], mark: Callable[[str], str] | None = None) -> str:
    """The text with these secrets hidden."""
    parts: list[str] = []
    done = 0
    for start, end, kind in secrets:
        parts += (text[done:start], _hidden(kind, mark(text[start:end]) if mark else ""))
        done = end
    parts.append(text[done:])
    return "".join(parts)


def _hidden(kind: str, mark: str) -> str:
    slug = "".join(sign if sign.isalnum() else "-" for sign in kind.lower())
    return f"[redacted:{slug}:{mark}]" if mark else f"[redacted:{slug}]"
