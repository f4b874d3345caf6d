"""`tacit pick`: search as one types, drawn on the terminal; what is chosen is printed, for the command line of a shell.

It draws on /dev/tty, on the other screen of the terminal, and leaves it as it was however it ends. It runs nothing.
"""

from __future__ import annotations

import os
import re
import signal
import sys
import termios
import time
import tty
from codecs import getincrementaldecoder
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from select import select
from shlex import quote

from tacit.cli.commands import Invocation, Option, command
from tacit.cli.pick_screen import Screen, line_for, page_size, render, screen_size
from tacit.errors import RefusedError
from tacit.search.rank import COMMAND
from tacit.vault.finder import MEMORY, SESSION, Finder, kind_of
from tacit.vault.hits import Hit

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime


@command(
    "",
    'tacit pick --query "docker compose"',
    Option("--query", "TEXT", "what to begin with; - reads it from standard input"),
)
def run_pick(call: Invocation) -> int:
    """Search commands, sessions and memories as you type, and see the passage. Enter prints a command; of a session
    or a memory it prints the tacit command that opens it. Nothing is run. Tab goes through the kinds, Ctrl-U
    clears, Escape leaves without an answer.

    A key in your shell can open it, with the line as the query and the answer on the line:
      tacit config set shell.key alt-i
    The shells you start from then on have the key (tacit install, tacit hook).
    """
    query = call.text_value("--query")
    hint = f"tacit recall {quote(query)}" if query.strip() else "tacit recall QUERY"
    if os.environ.get("TERM", "") in ("", "dumb"):
        raise RefusedError("tacit pick cannot draw on this terminal (TERM is dumb or not set)", hint)
    try:
        terminal = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY)
    except OSError:
        raise RefusedError("tacit pick wants a terminal, and there is none", hint) from None
    call.vault.search.index_new_commands()
    clock = call.vault.home.store.actor.clock
    with own_screen(terminal) as wakeup:
        chosen = Picker(Finder(call.vault.home), _Keyboard(terminal, wakeup), clock, query).run()
    if chosen:
        sys.stdout.write(f"{chosen}\n")
    return 0 if chosen else 1


# The terminal

# The other screen, nothing wrapped, cleared; and back.
_ENTER, _LEAVE = b"\x1b[?1049h\x1b[?7l\x1b[2J", b"\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l"


@contextmanager
def own_screen(terminal: int) -> Iterator[int]:
    """Take the terminal over, and yield what can be read when a signal came. It is given back at any end but a kill."""

    def leave(number: int, _frame: object) -> None:
        raise SystemExit(128 + number)

    before = termios.tcgetattr(terminal)
    wakeup, wake = os.pipe()
    os.set_blocking(wake, False)
    handlers = {signal.SIGWINCH: lambda _number, _frame: None, signal.SIGTERM: leave, signal.SIGHUP: leave}
    restored = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    previous = signal.set_wakeup_fd(wake)
    try:
        tty.setraw(terminal, termios.TCSADRAIN)  # what was typed already is for us
        _write(terminal, _ENTER)
        yield wakeup
    finally:
        with suppress(OSError, termios.error):  # it may be gone
            termios.tcsetattr(terminal, termios.TCSAFLUSH, before)  # keys that were meant for us reach no shell
            _write(terminal, _LEAVE)
        signal.set_wakeup_fd(previous)
        for number, handler in restored.items():
            signal.signal(number, handler)
        os.close(wakeup)
        os.close(wake)


def _write(terminal: int, data: bytes) -> None:
    while data:
        data = data[os.write(terminal, data) :]


# Keys

_KEYS = {
    **dict.fromkeys(("\x1b[A", "\x1bOA", "\x10"), "up"),
    **dict.fromkeys(("\x1b[B", "\x1bOB", "\x0e"), "down"),
    **dict.fromkeys(("\x7f", "\x08"), "backspace"),
    **dict.fromkeys(("\r", "\n"), "enter"),
    **dict.fromkeys(("\x1b", "\x03", "\x04", "\x07"), "cancel"),
    **{"\x1b[5~": "page up", "\x1b[6~": "page down", "\t": "tab", "\x1b[Z": "back tab"},
    **{"\x15": "clear", "\x17": "word", "\x1b[200~": "paste", "\x1b[201~": "pasted"},
}
_KEY = re.compile(r"\x1b\[[ -?]*[@-~]|\x1bO[@-~]|\x1b[^\[O\x1b]|\x1b(?=\x1b)|[^\x1b]", re.DOTALL)
_ESCAPE_SECONDS = 0.05  # then Escape is the key, and not the beginning of a sequence


def split_keys(text: str) -> tuple[list[str], str]:
    """Return the keys in what was read, and the beginning of a sequence at its end. A letter is a key by itself."""
    keys, at = [], 0
    while at < len(text) and (match := _KEY.match(text, at)):
        at = match.end()
        if key := _KEYS.get(match[0]) or (match[0] if match[0].isprintable() else ""):
            keys.append(key)
    return keys, text[at:]


class _Keyboard:
    """Reads keys from a terminal, and wakes up when a signal came."""

    def __init__(self, terminal: int, wakeup: int) -> None:
        self.terminal, self._wakeup = terminal, wakeup
        self._decode, self._pending = getincrementaldecoder("utf-8")("replace").decode, ""

    def read(self, timeout: float | None) -> list[str] | None:
        """Return the keys that were typed, none after a signal; None if the time is over."""
        ready, _, _ = select([self.terminal, self._wakeup], [], [], _ESCAPE_SECONDS if self._pending else timeout)
        if self._wakeup in ready:
            os.read(self._wakeup, 512)
        if self.terminal in ready:
            try:
                data = os.read(self.terminal, 65536)
            except OSError:  # it is gone
                data = b""
            keys, self._pending = split_keys(self._pending + self._decode(data))
            return keys if data else ["cancel"]
        if not ready and self._pending:
            was_escape, self._pending = self._pending == "\x1b", ""
            return ["cancel"] if was_escape else []
        return [] if ready else None


# The search

_KINDS = (None, COMMAND, SESSION, MEMORY)
_PAUSE_SECONDS = 0.12  # of typing; then sessions and memories are searched


class Picker:
    """One search: the query, what was found, and the row that is selected."""

    def __init__(self, finder: Finder, keyboard: _Keyboard, clock: Callable[[], datetime], query: str) -> None:
        self._finder, self._keyboard, self._clock = finder, keyboard, clock
        self._loading: Iterator[None] | None = finder.load()
        self._query, self._kind = " ".join(query.split()), 0
        self._commands: list[Hit] = []
        self._answers: list[Hit] = []
        self._selected, self._message, self._is_pasting = 0, "", False
        self._is_stale = self._is_changed = True  # what is drawn; the query since commands were searched
        self._search_due: float | None = None

    def run(self) -> str:
        """Let a person search. Return what goes onto the command line, "" if nothing was chosen."""
        while True:
            self._search()
            if self._is_stale:
                self._draw()
            keys = self._keyboard.read(self._idle_after())
            if keys is None:
                self._work()
                continue
            self._is_stale = True
            for number, key in enumerate(keys, 1):
                # A line end with more behind it was pasted: nobody types that fast.
                if key == "enter" and number == len(keys) and not self._is_pasting:
                    self._search()
                    line, self._message = line_for(self._hits[self._selected]) if self._hits else ("", "")
                    if line:
                        return line
                elif key == "cancel" and (not self._is_pasting or len(keys) == 1):
                    return ""
                else:
                    self._press(key)

    @property
    def _page(self) -> int:
        return page_size(screen_size(self._keyboard.terminal))

    @property
    def _hits(self) -> list[Hit]:
        """What is listed: at first commands alone; what takes longer to find stands behind those that are shown."""
        kind = _KINDS[self._kind]
        if kind is not None:
            return self._commands if kind == COMMAND else [hit for hit in self._answers if kind_of(hit) == kind]
        first = max(self._page - len(self._answers), self._page // 2)
        return [*self._commands[:first], *self._answers, *self._commands[first:]]

    def _press(self, key: str) -> None:
        self._message = ""
        moves = {"up": -1, "down": 1, "page up": -self._page, "page down": self._page}
        if key in moves:
            self._search()
            self._selected = max(0, min(self._selected + moves[key], len(self._hits) - 1))
            return
        self._is_changed = True
        if key in ("paste", "pasted"):
            self._is_pasting = key == "paste"
        elif len(key) == 1 or self._is_pasting or key == "enter":
            self._query += key if len(key) == 1 else " "
        elif key in ("tab", "back tab"):
            self._kind = (self._kind + (1 if key == "tab" else -1)) % len(_KINDS)
        elif key == "backspace":
            self._query = self._query[:-1]
        else:
            self._query = "" if key == "clear" else self._query.rstrip().rpartition(" ")[0]

    def _search(self) -> None:
        """Find commands if the query or the kind has changed, and sessions and memories as soon as typing pauses."""
        if self._is_changed:
            self._is_changed, self._selected = False, 0
            self._commands = self._finder.find_commands(self._query)
            self._search_due = None if _KINDS[self._kind] == COMMAND else time.monotonic() + _PAUSE_SECONDS

    def _idle_after(self) -> float | None:
        """Return after how many seconds without a key there is work to do; None for never."""
        if self._loading is not None:
            return 0
        return None if self._search_due is None else max(self._search_due - time.monotonic(), 0)

    def _work(self) -> None:
        """Do a piece of what may take longer than a key. The selected row stays the selected one."""
        selected = self._hits[self._selected] if self._selected else None
        if self._loading is None:
            self._search_due, self._is_stale = None, True
            self._answers = self._finder.find_answers(self._query, _KINDS[self._kind])
        elif next(self._loading, self) is self:
            self._loading, self._is_stale = None, True
            self._commands = self._finder.find_commands(self._query)
        if self._is_stale:
            ids = [hit.id for hit in self._hits]
            self._selected = ids.index(selected.id) if selected and selected.id in ids else 0

    def _draw(self) -> None:
        self._is_stale = False
        size = screen_size(self._keyboard.terminal)
        screen = Screen(size, self._query, _KINDS[self._kind], self._hits, self._selected, self._message)
        _write(self._keyboard.terminal, render(screen, self._clock()).encode("utf-8", "replace"))
