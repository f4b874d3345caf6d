"""A shell in a pseudo-terminal, with somebody who waits for its prompt before typing on.

The prompt counts, so that it is known again whatever a shell redraws.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import select
import signal
import struct
import subprocess
import termios

from harness.person import Person
from harness.terminal import INTERRUPTIBLE

_PATIENCE = 20.0
_PROMPT = re.compile(rb"<#(\d+)#>")
_ON_TERMINAL = 'exec "$@" <"$0" >"$0" 2>&1'
INTERRUPT, END_OF_INPUT, UP = "\x03", "\x04", "\x1b[A"


class Terminal:
    """One shell at work, with the person's own files."""

    def __init__(self, person: Person, shell: str, **environment: str) -> None:
        self.person, self.shell = person, shell
        self._seen, self._text = 0, b""
        self._terminal, theirs = os.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 1000, 0, 0))
        self._program = subprocess.Popen(
            [*INTERRUPTIBLE, "sh", "-c", _ON_TERMINAL, os.ttyname(theirs), shell, "-i"],
            cwd=person.folder,
            env={**person.environment(TERM="xterm", SHELL=shell), **environment},
            stdin=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        self._wait_for_prompt()

    @property
    def pid(self) -> int:
        return self._program.pid

    def run(self, line: str) -> str:
        """Type a line, wait for the next prompt; what was shown in between, the line itself included."""
        return self.keys(line + "\n")

    def keys(self, keys: str) -> str:
        while self._ready(0):
            self._read()
        self._seen, before = self._prompt(), len(self._text)
        self.press(keys)
        self._wait_for_prompt()
        return self._text[before:].decode(errors="replace").replace("\r", "")

    def press(self, keys: str) -> None:
        """Type without waiting."""
        os.write(self._terminal, keys.encode())

    def wait_until_shown(self, text: str, since: int | None = None) -> None:
        """Wait for a text that is shown from now on, or after a point of time for which `mark` stood."""
        before = self.mark if since is None else since
        while text.encode() not in self._text[before:]:
            self._read()

    @property
    def mark(self) -> int:
        return len(self._text)

    @property
    def shown(self) -> str:
        return self._text.decode(errors="replace").replace("\r", "")

    def forget(self) -> None:
        """What was shown so far is of no interest any more."""
        self._text = b""

    def leave(self) -> None:
        self.press(" exit\n")
        with contextlib.suppress(OSError):
            while os.read(self._terminal, 65536):
                pass
        self.end()

    def end(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        self._program.wait()
        with contextlib.suppress(OSError):
            os.close(self._terminal)

    def _wait_for_prompt(self) -> None:
        while (number := self._prompt()) <= self._seen:
            self._read()
        self._seen = number

    def _prompt(self) -> int:
        return max((int(found) for found in _PROMPT.findall(self._text)), default=0)

    def _ready(self, seconds: float) -> bool:
        return bool(select.select([self._terminal], [], [], seconds)[0])

    def _read(self) -> None:
        assert self._ready(_PATIENCE), f"no prompt; shown was\n{self.shown}"
        try:
            more = os.read(self._terminal, 65536)
        except OSError:
            more = b""
        assert more, f"the shell has gone; shown was\n{self.shown}"
        self._text += more
