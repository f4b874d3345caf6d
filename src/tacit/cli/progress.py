"""The progress bar of long commands: one line of standard error, with rate and remaining time.

A pipe or a file gets nothing. Work reports how far it is; whether, when and how that is drawn is decided here alone.
"""

from __future__ import annotations

import os
import sys
import time

from tacit.text.display import clip, printable

_BAR_WIDTH = 24
_MAX_NAME_CHARS = 40
_REDRAW_SECONDS = 0.1  # a terminal costs more than what is counted
_FIRST_DRAW_SECONDS = 1.0  # what is done sooner needs no bar
_MIN_ESTIMATE_SECONDS = 2.0  # a rate that was measured for less says little about the remaining time
_MEGABYTE = 1_000_000
# What to know when work of the store was interrupted, by its task.
_AFTER_INTERRUPT = {
    "making the index": "The index is not finished; nothing is lost, and the next command makes it.",
    "checking the log": "Nothing was changed. Run it again for all findings.",
}


class ProgressBar:
    """A bar in one line of stderr. It shows nothing if that is no terminal. Call `clear` at the end.

    Args:
        noun: what is counted by `__call__`, in the plural.
    """

    def __init__(self, noun: str = "commands") -> None:
        self._noun = noun
        self._is_visible = sys.stderr.isatty()
        self._is_drawn = False
        self._started = time.monotonic()
        self._last_draw = float("-inf")
        self._task = ""
        self._task_started = self._started

    def __call__(self, path: str, done: int, share: float) -> None:
        """Show that `done` things were read, and the share of all work from 0 to 1. `path` is the current file."""
        if self._is_due(after=0):
            rate = f"{done:,} {self._noun}, {done / self._elapsed(self._started):,.0f}/s"
            self._draw(os.path.basename(path), share, rate, self._started)

    def show_bytes(self, task: str, done: int, total: int) -> None:
        """Show how many bytes of a task are done. The bar is removed when all are."""
        if task != self._task:
            self._task, self._task_started = task, time.monotonic()
        if done >= total:
            self._task = ""
            self.clear()
        elif self._is_due(after=_FIRST_DRAW_SECONDS):
            rate = done / self._elapsed(self._task_started) / _MEGABYTE
            self._draw(task, done / total, f"{rate:,.1f} MB/s", self._task_started)

    def interrupted(self) -> str:
        """Return what to know if the work is interrupted now; "" if there is nothing to say."""
        return _AFTER_INTERRUPT.get(self._task, "")

    def show_message(self, text: str) -> None:
        """Show a text instead, for work whose progress is unknown."""
        if self._is_visible:
            self._last_draw = time.monotonic()
            self._write(text)

    def clear(self) -> None:
        if self._is_drawn:
            self._write("")
            self._is_drawn = False

    def _is_due(self, after: float) -> bool:
        now = time.monotonic()
        waits = now < self._started + after or now < self._last_draw + _REDRAW_SECONDS
        return self._is_visible and not waits

    def _elapsed(self, started: float) -> float:
        return max(time.monotonic() - started, 0.001)

    def _draw(self, name: str, share: float, rate: str, started: float) -> None:
        self._last_draw = time.monotonic()
        full = round(share * _BAR_WIDTH)
        bar = f"[{'#' * full}{' ' * (_BAR_WIDTH - full)}]"
        left = _format_remaining(self._elapsed(started), share)
        self._write(f"{clip(printable(name), _MAX_NAME_CHARS)} {bar} {share:4.0%} {rate}{left}")

    def _write(self, text: str) -> None:
        self._is_drawn = True
        sys.stderr.write(f"\r\x1b[K{text}")
        sys.stderr.flush()


def _format_remaining(elapsed: float, share: float) -> str:
    """Return the remaining time as `, 1:05 left`; "" while it cannot be told."""
    if elapsed < _MIN_ESTIMATE_SECONDS or share <= 0:
        return ""
    minutes, seconds = divmod(round(elapsed * (1 - share) / share), 60)
    return f", {minutes}:{seconds:02d} left"
