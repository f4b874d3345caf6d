"""Asking a person at a terminal. An interrupt is noticed whenever it comes; anything but yes is no."""

from __future__ import annotations

import os
import select
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress


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
