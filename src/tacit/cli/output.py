"""Printing and asking: lines, warnings, JSON and progress; styles and wrapping; numbers and paths; questions.

Styles, wrapping and bars are for people at a terminal: a pipe or a file gets plain lines. `NO_COLOR` turns styles off,
as does a terminal that has none (`TERM=dumb`).
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial

from tacit.errors import RefusedError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import TextIO


JsonObject = dict[str, object]  # docs/reference/json.md describes every field that is printed

_RESET = "\x1b[0m"
_BOLD, _DIM, _CYAN = "\x1b[1m", "\x1b[2m", "\x1b[36m"
_RED, _GREEN, _YELLOW = "\x1b[31m", "\x1b[32m", "\x1b[33m"
_STYLES = (_BOLD, _DIM, _RED, _GREEN, _YELLOW, _CYAN, _RESET)
_MIN_WIDTH, _MAX_WIDTH = 40, 120


def echo(line: str = "") -> None:
    print(line)


def echo_lines(lines: Iterable[str]) -> None:
    for line in lines:
        print(line)


def echo_wrapped(*lines: str, hang: int = 2) -> None:
    """Print prose. On a terminal it is wrapped between words, indented as its first line and by `hang` more blanks."""
    for line in lines:
        print("\n".join(wrap(line, terminal_width(), hang)) if sys.stdout.isatty() else line)


def warn(line: str) -> None:
    print(line, file=sys.stderr)


def first_lines(lines: Sequence[str], most: int, indent: str = "") -> Iterator[str]:
    """Yield the first lines, and how many more there are."""
    yield from lines[:most]
    if len(lines) > most:
        yield f"{indent}… and {len(lines) - most} more"


def echo_json(value: object) -> None:
    import json

    print(json.dumps(value, indent=2, default=_json_default))


def echo_json_list(values: Iterable[object]) -> int:
    """Print a list as `echo_json` does, each value as it comes. Return how many there were.

    If that is interrupted, the list is closed, so that what was printed is JSON.
    """
    import json

    number = 0
    sys.stdout.write("[")
    try:
        with _delayed_interrupt() as raise_if_interrupted:
            for value in values:
                text = json.dumps(value, indent=2, default=_json_default).replace("\n", "\n  ")
                sys.stdout.write(f"{',' if number else ''}\n  {text}")
                number += 1
                raise_if_interrupted()
    except BrokenPipeError:
        raise
    except BaseException:
        sys.stdout.write("\n]\n")
        raise
    sys.stdout.write("\n]\n" if number else "]\n")
    return number


@contextmanager
def _delayed_interrupt() -> Iterator[Callable[[], None]]:
    """Keep Ctrl-C from ending a write in the middle. Yield a function that raises KeyboardInterrupt if it was typed.

    Typed again, it is raised at once: the program that reads the output may have stopped.
    """
    import signal

    pending: list[int] = []

    def raise_if_pending() -> None:
        if pending:
            raise KeyboardInterrupt

    def note(number: int, _frame: object) -> None:
        raise_if_pending()
        pending.append(number)

    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:  # it is ignored, or somebody else's
        yield raise_if_pending
        return
    signal.signal(signal.SIGINT, note)
    try:
        yield raise_if_pending
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _json_default(value: object) -> object:
    return sorted(value) if isinstance(value, frozenset | set) else str(value)


# Styles


def _styled(style: str, text: str, stream: TextIO | None = None) -> str:
    """Return the text with a style, which begins after leading blanks, if the stream (standard output) shows styles."""
    content = text.lstrip(" ")
    is_terminal = (stream or sys.stdout).isatty() and os.environ.get("TERM") != "dumb"
    if not content or not is_terminal or os.environ.get("NO_COLOR"):
        return text
    return f"{text[: len(text) - len(content)]}{style}{content}{_RESET}"


bold, dim = partial(_styled, _BOLD), partial(_styled, _DIM)
red, green = partial(_styled, _RED), partial(_styled, _GREEN)
yellow, cyan = partial(_styled, _YELLOW), partial(_styled, _CYAN)


# Wrapping


def fits_on_screen(lines: int) -> bool:
    """Return whether so many lines can be read at once: 24 if the terminal does not say, all without one."""
    try:
        return lines < (os.get_terminal_size(sys.stdout.fileno()).lines or 24)
    except (OSError, ValueError):
        return True


def terminal_width() -> int:
    """Return the width for prose on the terminal of standard output. It is 80 if the terminal does not say."""
    try:
        columns = os.get_terminal_size(sys.stdout.fileno()).columns
    except (OSError, ValueError):
        columns = 0
    return max(_MIN_WIDTH, min(columns or 80, _MAX_WIDTH))


def wrap(line: str, width: int, hang: int = 2) -> Sequence[str]:
    """Return a line broken between words. Styles take no room; a word that is longer than a line stays whole."""
    if len(line) <= width:
        return [line]
    text = line.lstrip(" ")
    indent = " " * (len(line) - len(text))
    lines, current, room = [], indent, len(indent)
    for word in text.split(" "):
        length = len(word) - sum(word.count(style) * len(style) for style in _STYLES)
        if room + 1 + length > width and current.strip():
            lines.append(current)
            current, room = f"{indent}{' ' * hang}{word}", len(indent) + hang + length
        else:
            blank = " " if current.strip() else ""
            current, room = f"{current}{blank}{word}", room + len(blank) + length
    return [*lines, current]


# Numbers, paths and sentences that several commands print


def pluralize(number: int, noun: str, many: str = "") -> str:
    return f"{number:,} {noun if number == 1 else many or noun + 's'}"


def short_path(path: str) -> str:
    """Return a path with `~` for the user's folder."""
    folder = os.path.expanduser("~")
    return f"~{path[len(folder) :]}" if path.startswith(folder + os.sep) else path


def local_minute(at: str) -> str:
    """Return a time that was stored with its offset as people read it, in the time zone of now."""
    from datetime import datetime

    return f"{datetime.fromisoformat(at).astimezone():%Y-%m-%d %H:%M}"


def utc_timestamp(at: str) -> str:
    """Return a time that was stored with its offset as JSON has times: in UTC, with microseconds and a Z."""
    from datetime import datetime

    from tacit.model.event import timestamp

    return timestamp(datetime.fromisoformat(at))


def trust_hint(number: int) -> str:
    """Return the line about facts of a repository that wait for a decision. It has nothing of their text."""
    verb = "waits" if number == 1 else "wait"
    return f"{pluralize(number, 'fact')} in docs/memory/memories.ndjson {verb} for your trust: tacit trust"


def conflict_hint(summary: str) -> str:
    """Return the line about a fact file with conflict markers. It has nothing of its text."""
    from tacit.text.display import printable

    return f"{printable(summary)}: tacit sync"


# Questions to a person at a terminal


def ask(prompt: str) -> str:
    """Return the line that is typed, without its end. Raise EOFError at the end of the input.

    Keys that were typed before the prompt is shown are dropped: they were meant for something else.
    """
    import signal
    import termios
    from select import select

    sys.stdout.flush()
    with suppress(termios.error, OSError, ValueError):  # no terminal: a pipe is read from its beginning
        termios.tcdrain(sys.stdout.fileno())
        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)
    sys.stdout.write(prompt)
    sys.stdout.flush()
    # Wait for a key or a signal: one that comes between prompt and reading would be handled only after the next key.
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    before = signal.set_wakeup_fd(writing)
    try:
        select([sys.stdin, reading], [], [])
    finally:
        signal.set_wakeup_fd(before)
        os.close(reading)
        os.close(writing)
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line.rstrip("\n")


def ask_key(prompt: str) -> str | None:
    """Return the first letter of the answer, in lower case; "" for an empty one, None at the end of the input."""
    try:
        return ask(f"{prompt} > ").strip().lower()[:1]
    except EOFError:
        return None


def ask_choice(choices: str) -> str | None:
    """Ask until one of the choices is typed, such as `a accept · s skip · q quit`. Return its letter.

    An empty line is "s"; None stands for q and the end of the input.
    """
    letters = [choice[0] for choice in choices.split(" · ")]
    while (key := ask_key(f"   {choices}")) not in (None, "", *letters):
        pass
    return None if key in (None, "q") else key or "s"


def confirm(question: str, show_all: Callable[[], object] | None = None) -> bool:
    """Ask yes or no. With `show_all`, not all was shown of what is asked about, and d shows it."""
    keys = "[y/N, d shows every line]" if show_all else "[y/N]"
    try:
        while (answer := ask(f"{question} {keys} ").strip().lower()) in ("d", "diff") and show_all:
            show_all()
    except EOFError:
        return False
    return answer in ("y", "yes")


def ask_unseen(question: str) -> str:
    """Return a line that is typed at the terminal and not shown. Raise RefusedError at the end of the input."""
    from getpass import getpass

    try:
        return getpass(f"{question} (not shown): ")
    except EOFError:
        echo()
        raise RefusedError("nothing was typed, so nothing was changed") from None


# The progress bar of long commands. Work reports how far it is; whether, when and how that is drawn is decided here.

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
    """A bar in one line of stderr, with rate and remaining time; nothing if that is no terminal. `clear` it at the end.

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

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(self, *_error: object) -> None:
        self.clear()

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
        from tacit.text.display import clip, printable

        self._last_draw = time.monotonic()
        full = round(share * _BAR_WIDTH)
        bar = f"[{'#' * full}{' ' * (_BAR_WIDTH - full)}]"
        elapsed, left = self._elapsed(started), ""
        if elapsed >= _MIN_ESTIMATE_SECONDS and share > 0:
            minutes, seconds = divmod(round(elapsed * (1 - share) / share), 60)
            left = f", {minutes}:{seconds:02d} left"
        self._write(f"{clip(printable(name), _MAX_NAME_CHARS)} {bar} {share:4.0%} {rate}{left}")

    def _write(self, text: str) -> None:
        self._is_drawn = True
        sys.stderr.write(f"\r\x1b[K{text}")
        sys.stderr.flush()
