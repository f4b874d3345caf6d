"""What is never captured, wherever it comes from: a line that gives Tacit a text to take out."""

from __future__ import annotations

_TAKING_OUT = ("purge", "redact")


def is_unsaid(line: str) -> bool:
    """`tacit purge --text …` must not bring in what it takes out."""
    words = line.split()
    return any(word in words for word in _TAKING_OUT) and any(word.rpartition("/")[2] == "tacit" for word in words)
