"""Questions to a person at a terminal, and progress bars."""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from tacit.text.display import clip, show

# Asking a person at a terminal. An interrupt is noticed whenever it comes; anything but yes is no.


def ask(prompt: str) -> str:
    """One line, without its end. EOFError where there is no more to read.

    Keys that were typed before the prompt is there answer nothing: they were meant for something else.
    """
    sys.stdout.flush()
    _forget_typed()
    sys.stdout.write(prompt)
    sys.stdout.flush()
    with _woken_by_signals() as wake:
        # A signal between the prompt and the reading would wait for the next key; so both are waited for together.
        select.select([sys.stdin, wake], [], [])
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line.rstrip("\n")


def agreed(question: str) -> bool:
    try:
        return ask(f"{question} [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        return False


def _forget_typed() -> None:
    """Drop what waits in the terminal's input, once all that was printed is shown."""
    import termios

    with suppress(termios.error, OSError, ValueError):  # no terminal: a pipe is read from its beginning
        termios.tcdrain(sys.stdout.fileno())
        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)


@contextmanager
def _woken_by_signals() -> Iterator[int]:
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
