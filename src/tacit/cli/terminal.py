"""Questions to a person at a terminal, and progress bars."""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from tacit.text.display import clip, printable

# Asking a person at a terminal. An interrupt is noticed whenever it comes; anything but yes is no.


def ask(prompt: str) -> str:
    """One line, without its end. EOFError where there is no more to read.

    Keys that were typed before the prompt is there answer nothing: they were meant for something else.
    """
    sys.stdout.flush()
    _flush_input()
    sys.stdout.write(prompt)
    sys.stdout.flush()
    with _signal_wakeup() as wake:
        # A signal between the prompt and the reading would wait for the next key; so both are waited for together.
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
    """Drop what waits in the terminal's input, once all that was printed is shown."""
    import termios

    with suppress(termios.error, OSError, ValueError):  # no terminal: a pipe is read from its beginning
        termios.tcdrain(sys.stdout.fileno())
        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)


@contextmanager
def _signal_wakeup() -> Iterator[int]:
    ours, theirs = os.pipe()
    os.set_blocking(theirs, False)
    before = signal.set_wakeup_fd(theirs)
    try:
        yield ours
    finally:
        signal.set_wakeup_fd(before)
        os.close(ours)
        os.close(theirs)


# A bar on stderr that shows how far something is. On anything but a terminal it shows nothing.

_BAR_WIDTH = 24
_MAX_NAME_CHARS = 40
_REDRAW_SECONDS = 0.1  # seconds between two drawings: a terminal costs more than what is counted


class ProgressBar:
    """Drawn over itself on one line, and wiped when it is done."""

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

    def show_message(self, what: str) -> None:
        """Something that takes a while and cannot tell how far it is."""
        if self._is_visible:
            self._last_draw = time.monotonic()
            self._write(what)

    def clear(self) -> None:
        if self._is_visible and self._last_draw > 0:
            self._write("")

    def _write(self, text: str) -> None:
        sys.stderr.write(f"\r\x1b[K{text}")
        sys.stderr.flush()
