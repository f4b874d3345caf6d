"""Printing and asking: lines, warnings and JSON; styles and wrapping on a terminal; numbers and paths; questions.

Styles and wrapping are for people: a pipe or a file gets plain lines. `NO_COLOR` turns styles off, as does a terminal
that has none (`TERM=dumb`).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TextIO

from tacit.errors import RefusedError

if TYPE_CHECKING:
    from tacit.vault.embeddings import EncodeResult


ENCODE_SECONDS = 60  # the most that a command takes for vectors; hooks and later commands make the rest
_RESET = "\x1b[0m"
_BOLD, _DIM, _RED, _YELLOW, _CYAN = "\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[33m", "\x1b[36m"
_MIN_WIDTH, _MAX_WIDTH = 40, 120


def echo(line: str = "") -> None:
    print(line)


def echo_wrapped(line: str) -> None:
    """Print prose. On a terminal it is wrapped between words, indented as its first line and by two more blanks."""
    print("\n".join(wrap(line, terminal_width())) if sys.stdout.isatty() else line)


def warn(line: str) -> None:
    print(line, file=sys.stderr)


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

    def note(_number: int, _frame: object) -> None:
        if pending:
            raise KeyboardInterrupt
        pending.append(_number)

    def raise_if_pending() -> None:
        if pending:
            raise KeyboardInterrupt

    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:  # it is ignored, or somebody else's
        yield raise_if_pending
        return
    signal.signal(signal.SIGINT, note)
    try:
        yield raise_if_pending
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _json_default(value: object) -> object:
    if isinstance(value, frozenset | set):
        return sorted(value)
    return str(value)


# Styles


def has_styles(stream: TextIO) -> bool:
    """Return whether a stream shows styles: a terminal, unless the person turned them off."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def bold(text: str, stream: TextIO | None = None) -> str:
    return _styled(_BOLD, text, stream)


def dim(text: str, stream: TextIO | None = None) -> str:
    return _styled(_DIM, text, stream)


def red(text: str, stream: TextIO | None = None) -> str:
    return _styled(_RED, text, stream)


def yellow(text: str, stream: TextIO | None = None) -> str:
    return _styled(_YELLOW, text, stream)


def cyan(text: str, stream: TextIO | None = None) -> str:
    return _styled(_CYAN, text, stream)


def _styled(style: str, text: str, stream: TextIO | None) -> str:
    """Return the text with a style, which begins after leading blanks."""
    content = text.lstrip(" ")
    if not content or not has_styles(stream or sys.stdout):
        return text
    return f"{text[: len(text) - len(content)]}{style}{content}{_RESET}"


# Wrapping


def terminal_width() -> int:
    """Return the width for prose on the terminal of standard output. It is 80 if the terminal does not say."""
    try:
        columns = os.get_terminal_size(sys.stdout.fileno()).columns
    except (OSError, ValueError):
        columns = 0
    return max(_MIN_WIDTH, min(columns or 80, _MAX_WIDTH))


def wrap(line: str, width: int) -> Sequence[str]:
    """Return a line broken between words. Styles take no room; a word that is longer than a line stays whole."""
    if len(line) <= width:
        return [line]
    text = line.lstrip(" ")
    indent = " " * (len(line) - len(text))
    lines, current, room = [], indent, len(indent)
    for word in text.split(" "):
        length = _visible_length(word)
        if room + 1 + length > width and current.strip():
            lines.append(current)
            current, room = f"{indent}  {word}", len(indent) + 2 + length
        else:
            blank = " " if current.strip() else ""
            current, room = f"{current}{blank}{word}", room + len(blank) + length
    return [*lines, current]


def _visible_length(word: str) -> int:
    if "\x1b" not in word:
        return len(word)
    return len(word) - sum(word.count(style) * len(style) for style in (_BOLD, _DIM, _RED, _YELLOW, _CYAN, _RESET))


# Numbers, paths and sentences that several commands print


def pluralize(number: int, noun: str, many: str = "") -> str:
    return f"{number:,} {noun if number == 1 else many or noun + 's'}"


def short_path(path: str) -> str:
    """Return a path with `~` for the user's folder."""
    folder = os.path.expanduser("~")
    return f"~{path[len(folder) :]}" if path.startswith(folder + os.sep) else path


def trust_hint(number: int) -> str:
    """Return the line about facts of a repository that wait for a decision. It has nothing of their text."""
    verb = "waits" if number == 1 else "wait"
    return f"{pluralize(number, 'fact')} in docs/memory/memories.ndjson {verb} for your trust: tacit trust"


def conflict_hint(summary: str) -> str:
    """Return the line about a fact file with conflict markers. It has nothing of its text."""
    from tacit.text.display import printable

    return f"{printable(summary)}: tacit sync"


def echo_encoded(encoded: EncodeResult | None) -> None:
    """Print how many vectors were made, if any."""
    if encoded and encoded.new:
        echo(f"Meaning: {encoded.new} more texts can be compared, {encoded.total} in all.")


# Questions to a person at a terminal


def ask(prompt: str) -> str:
    """Return the line that is typed, without its end. Raise EOFError at the end of the input.

    Keys that were typed before the prompt is shown are dropped: they were meant for something else.
    """
    from select import select

    sys.stdout.flush()
    _flush_input()
    sys.stdout.write(prompt)
    sys.stdout.flush()
    with _signal_wakeup() as wake:
        # Without this, a signal between prompt and reading would be handled only after the next key.
        select([sys.stdin, wake], [], [])
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line.rstrip("\n")


def confirm(question: str) -> bool:
    try:
        return ask(f"{question} [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        return False


def ask_unseen(question: str) -> str:
    """Return a line that is typed at the terminal and not shown. Raise RefusedError at the end of the input."""
    from getpass import getpass

    try:
        return getpass(f"{question} (not shown): ")
    except EOFError:
        echo()
        raise RefusedError("nothing was typed, so nothing was changed") from None


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
    import signal

    before = signal.set_wakeup_fd(writing)
    try:
        yield reading
    finally:
        signal.set_wakeup_fd(before)
        os.close(reading)
        os.close(writing)
