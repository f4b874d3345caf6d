"""What a person sees: a screen that understands what `tacit pick` draws with, and the program in a terminal with it."""

from __future__ import annotations

import fcntl
import os
import re
import select
import struct
import subprocess
import sys
import termios
import time
from codecs import getincrementaldecoder
from collections.abc import Callable
from typing import ClassVar
from unicodedata import category, east_asian_width

from harness.person import Person
from harness.terminal import INTERRUPTIBLE

_PATIENCE, _PAUSE_SECONDS = 10.0, 0.4
_ON_TERMINAL = 'exec "$@" <"$0" 2>"$0"'
_PART = re.compile(r"\x1b\[(\??)([\d;]*)([A-Za-z])|\x1b.|[^\x1b]", re.DOTALL)
_UNFINISHED = re.compile(r"\x1b(?:\[[?\d;]*)?$")
_OTHER_SCREEN = "1049"


class Screen:
    """Two screens of a terminal, of which one is shown. `overflows` counts what did not fit into a row."""

    def __init__(self, columns: int, rows: int) -> None:
        self.columns, self.rows = columns, rows
        self.is_other, self.is_cursor_shown, self.overflows = False, True, 0
        self._cells: dict[tuple[int, int], str] = {}
        self._row = self._column = 1
        self._pending = ""

    def feed(self, text: str) -> None:
        text = self._pending + text
        cut = _UNFINISHED.search(text)
        self._pending = cut[0] if cut else ""
        for part in _PART.finditer(text, 0, len(text) - len(self._pending)):
            if part[3]:
                self._control(part[1], part[2], part[3])
            elif len(part[0]) == 1:
                self._character(part[0])

    def _control(self, private: str, numbers: str, name: str) -> None:
        first, _, second = numbers.partition(";")
        if private and first == _OTHER_SCREEN:
            self.is_other, self._cells = name == "h", {}
        elif private and first == "25":
            self.is_cursor_shown = name == "h"
        elif name == "H":
            self._row, self._column = int(first or 1), int(second or 1)
        elif name == "G":
            self._column = int(first or 1)
        elif name == "J":
            self._cells = {}
        elif name == "K":
            for column in range(self._column, self.columns + 1):
                self._cells.pop((self._row, column), None)

    def _character(self, char: str) -> None:
        if char == "\r":
            self._column = 1
        elif char == "\n":
            self._row += 1
        elif category(char) in ("Mn", "Me", "Cf"):
            place = (self._row, self._column - 1)
            self._cells[place] = self._cells.get(place, "") + char
        elif char.isprintable():
            width = 2 if east_asian_width(char) in "WF" else 1
            if self._column + width - 1 > self.columns or self._row > self.rows:
                self.overflows += 1
                return
            self._cells[self._row, self._column] = char
            if width == 2:
                self._cells[self._row, self._column + 1] = ""
            self._column += width

    @property
    def cursor(self) -> tuple[int, int]:
        return self._row, self._column

    @property
    def lines(self) -> list[str]:
        return [
            "".join(self._cells.get((row, column), " ") for column in range(1, self.columns + 1)).rstrip()
            for row in range(1, self.rows + 1)
        ]


class Picking:
    """`tacit pick` in a terminal of its own, and what a person sees there."""

    opened: ClassVar[list[Picking]] = []

    def __init__(self, person: Person, query: str = "", columns: int = 80, rows: int = 24, **environment: str) -> None:
        self.screen, self.raw, self._fed = Screen(columns, rows), "", 0
        self._decode = getincrementaldecoder("utf-8")("replace").decode
        self._terminal, theirs = os.openpty()
        self.settings = termios.tcgetattr(theirs)
        self._set_size(columns, rows)
        words = [sys.executable, "-P", "-m", "tacit", "pick", *(["--query", query] if query else [])]
        self.program = subprocess.Popen(
            [*INTERRUPTIBLE, "sh", "-c", _ON_TERMINAL, os.ttyname(theirs), *words],
            cwd=person.folder,
            env=person.environment(**{"TERM": "xterm", **environment}),
            stdin=theirs,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        os.close(theirs)
        self.opened.append(self)
        self.wait(lambda screen: screen.is_other and bool(screen.lines[-1]))

    def press(self, keys: str) -> None:
        os.write(self._terminal, keys.encode())

    def wait(self, condition: Callable[[Screen], bool]) -> list[str]:
        """Read until what is shown is as it should be. Return its lines."""
        until = time.monotonic() + _PATIENCE
        while not condition(self.screen):
            assert select.select([self._terminal], [], [], max(until - time.monotonic(), 0))[0], self.screen.lines
            self._read()
        return self.screen.lines

    def wait_for(self, text: str) -> list[str]:
        return self.wait(lambda screen: any(text in line for line in screen.lines))

    def type(self, query: str) -> list[str]:
        """Type a query, and wait until all that is found is shown, also what takes a while."""
        self.press(query)
        self.wait_for(f"> {query}")
        time.sleep(_PAUSE_SECONDS)
        while select.select([self._terminal], [], [], _PAUSE_SECONDS)[0]:
            self._read()
        return self.screen.lines

    def resize(self, columns: int, rows: int) -> list[str]:
        self.screen.columns, self.screen.rows = columns, rows
        self.screen.feed("\x1b[2J")
        self._set_size(columns, rows)
        return self.wait(lambda screen: "─" * columns in screen.lines and bool(screen.lines[-1]))

    def end(self, keys: str = "") -> tuple[int, str]:
        """Press these keys, and return its exit code and what it printed."""
        self.press(keys)
        assert self.program.stdout is not None
        until = time.monotonic() + _PATIENCE
        while self._read() and (self.program.poll() is None or select.select([self._terminal], [], [], 0)[0]):
            assert time.monotonic() < until, self.screen.lines
        printed = self.program.stdout.read().decode()
        self.settings_after = termios.tcgetattr(self._terminal)
        os.close(self._terminal)
        return self.program.wait(_PATIENCE), printed

    def close(self) -> None:
        if self.program.poll() is None:
            self.program.kill()
            self.program.wait()

    def _set_size(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self._terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def _read(self) -> bool:
        if not select.select([self._terminal], [], [], 0.05)[0]:
            return True
        try:
            data = os.read(self._terminal, 65536)
        except OSError:  # how Linux says that the other end is closed
            return False
        self.raw += self._decode(data)
        self.screen.feed(self.raw[self._fed :])
        self._fed = len(self.raw)
        return bool(data)
