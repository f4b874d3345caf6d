"""Questions to a person at a terminal, and a progress bar.

An interrupt is noticed whenever it comes. Any answer but yes is no.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from tacit.text.display import clip, printable

_BAR_WIDTH = 24
_MAX_NAME_CHARS = 40
_REDRAW_SECONDS = 0.1  # a terminal costs more than what is counted


def ask(prompt: str) -> str:
    """Return the line that is typed, without its end. Raise EOFError at the end of the input.

    Keys that were typed before the prompt is shown are dropped: they were meant for something else.
    """
    sys.stdout.flush()
    _flush_input()
    sys.stdout.write(prompt)
    sys.stdout.flush()
    with _signal_wakeup() as wake:
        # Without this, a signal between prompt and reading would be handled only after the next key.
        select.select([sys.stdin, wake], [], [])
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line.rstrip("\n")


def confirm(question: str) -> bool:
    try:
        return ask(f"{question} [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        return False


def _flush_input() -> None:
    """Drop the pending input of the terminal, once all output is shown."""
    import termios

    with suppress(termios.error, OSError, ValueError):  # no terminal: a pipe is read from its beginning
        termios.tcdrain(sys.stdout.fileno())
        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)


@contextmanager
def _signal_wakeup() -> Iterator[int]:
    """Yield a file descriptor that becomes readable when a signal comes."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    before = signal.set_wakeup_fd(writing)
    try:
        yield reading
    finally:
        signal.set_wakeup_fd(before)
        os.close(reading)
        os.close(writing)


class ProgressBar:
    """A bar in one line of stderr. It shows nothing if that is no terminal. Call `clear` at the end."""

    def __init__(self, noun: str = "commands") -> None:
        self._noun = noun
        self._is_visible = sys.stderr.isatty()
        self._last_draw = float("-inf")

    def __call__(self, path: str, done: int, share: float) -> None:
        now = time.monotonic()
        if not self._is_visible or now < self._last_draw + _REDRAW_SECONDS:
            return
        self._last_draw = now
        full = round(share * _BAR_WIDTH)
        name = clip(printable(os.path.basename(path)), _MAX_NAME_CHARS)
        self._write(f"{name} [{'#' * full}{' ' * (_BAR_WIDTH - full)}] {share:4.0%} {done:,} {self._noun}")

    def show_message(self, text: str) -> None:
        """Show a text instead, for work whose progress is unknown."""
        if self._is_visible:
            self._last_draw = time.monotonic()
            self._write(text)

    def clear(self) -> None:
        if self._is_visible and self._last_draw > 0:
            self._write("")

    def _write(self, text: str) -> None:
        sys.stderr.write(f"\r\x1b[K{text}")
        sys.stderr.flush()
