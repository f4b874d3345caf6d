"""Asking a person yes or no. Only at a terminal; anything but yes is no."""

from __future__ import annotations


def agreed(question: str) -> bool:
    try:
        return input(f"{question} [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        return False
