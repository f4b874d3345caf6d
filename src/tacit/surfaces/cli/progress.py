"""A bar on stderr that shows how far something is. On anything but a terminal it shows nothing."""

from __future__ import annotations

import os
import sys
import time

from tacit.core.text import clip, show

_WIDTH = 24
_NAME = 40
_PAUSE = 0.1  # seconds between two drawings: a terminal costs more than what is counted


class Bar:
    """Drawn over itself on one line, and wiped when it is done."""

    def __init__(self, noun: str = "commands") -> None:
        self._noun = noun
        self._shown = sys.stderr.isatty()
        self._drawn_at = float("-inf")

    def __call__(self, path: str, done: int, share: float) -> None:
        now = time.monotonic()
        if not self._shown or now < self._drawn_at + _PAUSE:
            return
        self._drawn_at = now
        full = round(share * _WIDTH)
        name = clip(show(os.path.basename(path)), _NAME)
        self._write(f"{name} [{'#' * full}{' ' * (_WIDTH - full)}] {share:4.0%} {done:,} {self._noun}")

    def say(self, what: str) -> None:
        """Something that takes a while and cannot tell how far it is."""
        if self._shown:
            self._drawn_at = time.monotonic()
            self._write(what)

    def wipe(self) -> None:
        if self._shown and self._drawn_at > 0:
            self._write("")

    def _write(self, text: str) -> None:
        sys.stderr.write(f"\r\x1b[K{text}")
        sys.stderr.flush()
