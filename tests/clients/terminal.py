"""A client on a pseudo-terminal, with somebody who reads the screen before typing on."""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import signal
import struct
import subprocess
import termios
import time
from types import TracebackType
from typing import Self

import pyte

from tests.clients.desk import LIMIT, Desk

_LINES, _COLUMNS = 40, 120
_ON_TERMINAL = 'exec "$@" <"$0" >"$0" 2>&1'
_PAUSE = 0.5  # seconds before Enter: keys that come all at once are taken for a paste, and Enter for a part of it


class Terminal:
    """One client at work in the repository of a desk."""

    def __init__(self, desk: Desk) -> None:
        self._until = time.monotonic() + LIMIT
        self._screen = pyte.Screen(_COLUMNS, _LINES)
        self._stream = pyte.ByteStream(self._screen)
        self._terminal, theirs = os.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", _LINES, _COLUMNS, 0, 0))
        words = [*desk.command, "--permission-mode", "acceptEdits", "--allowedTools", "Bash"]
        self._client = subprocess.Popen(
            ["sh", "-c", _ON_TERMINAL, os.ttyname(theirs), *words],
            cwd=desk.repository,
            env={**desk.client_environment, "TERM": "xterm-256color"},
            stdin=theirs,
            start_new_session=True,
        )
        os.close(theirs)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._client.pid, signal.SIGKILL)
        self._client.wait()
        os.close(self._terminal)

    @property
    def shown(self) -> str:
        return "\n".join(line.rstrip() for line in self._screen.display)

    def type_when(self, awaited: str, words: str) -> None:
        while awaited not in self.shown:
            assert self._read(), f"the client has gone; shown was\n{self.shown}"
        self._press(words)
        self._press("\r")

    def wait_for_the_end(self) -> None:
        while self._read():
            pass
        self._client.wait(max(self._until - time.monotonic(), 0))

    def _press(self, keys: str) -> None:
        os.write(self._terminal, keys.encode())
        pause = time.monotonic() + _PAUSE
        while time.monotonic() < pause and self._is_ready(_PAUSE):
            self._read()

    def _read(self) -> bool:
        """Whether there was anything to read; not when the client is gone."""
        assert self._is_ready(max(self._until - time.monotonic(), 0)), f"it waits; shown was\n{self.shown}"
        try:
            more = os.read(self._terminal, 65536)
        except OSError:  # how Linux says that the other end is closed
            return False
        self._stream.feed(more)
        return bool(more)

    def _is_ready(self, seconds: float) -> bool:
        return bool(select.select([self._terminal], [], [], seconds)[0])
