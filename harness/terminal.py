"""A real terminal: a pseudo-terminal with somebody who waits for a prompt and types an answer."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

from harness.person import Person, Said

_PATIENCE = 60.0
END_OF_INPUT, INTERRUPT = "\x04", "\x03"
# Starts a program that a terminal's Ctrl-C reaches even if the tests were started by `nohup` or in the background of a
# script, where interrupts are ignored. Programs inherit that, and shells cannot undo it.
INTERRUPTIBLE = (
    *(sys.executable, "-I", "-S", "-c"),
    "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execvp(sys.argv[1], sys.argv[1:])",
)
# The first of a new session that opens a terminal is the one whom its control characters reach.
_ON_TERMINAL = 'exec "$@" <"$0" >"$0" 2>&1'


def converse(
    person: Person, *words: str, answers: Iterable[tuple[str, str]], cwd: Path | None = None, **environment: str
) -> Said:
    """Run a command in a terminal; for each (prompt, answer), wait for the one and type the other.

    It is shown without colour, unless NO_COLOR is given as empty.
    """
    ours, theirs = os.openpty()
    started = subprocess.Popen(
        [*INTERRUPTIBLE, "sh", "-c", _ON_TERMINAL, os.ttyname(theirs), sys.executable, "-m", "tacit", *words],
        cwd=cwd or person.folder,
        env=person.environment(**{"TERM": "xterm", "NO_COLOR": "1", **environment}),
        stdin=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    try:
        shown = _talk(ours, answers)
        code = started.wait(_PATIENCE)
    finally:
        os.close(ours)
        if started.poll() is None:
            started.kill()
    return Said(code, shown.decode().replace("\r\n", "\n"), "")


def _talk(terminal: int, answers: Iterable[tuple[str, str]]) -> bytes:
    shown, seen = b"", 0
    for prompt, answer in answers:
        while (at := shown.find(prompt.encode(), seen)) < 0:
            shown += _more(terminal) or _missing(prompt, shown)
        seen = at + len(prompt.encode())
        os.write(terminal, answer.encode() + (b"" if answer in (END_OF_INPUT, INTERRUPT) else b"\n"))
    while more := _more(terminal):
        shown += more
    return shown


def _missing(prompt: str, shown: bytes) -> bytes:
    raise AssertionError(f"never asked {prompt!r}; shown was {shown.decode(errors='replace')}")


def _more(terminal: int) -> bytes:
    """What was printed since; nothing when the program is gone."""
    until = time.monotonic() + _PATIENCE
    ready, _, _ = select.select([terminal], [], [], max(until - time.monotonic(), 0))
    if not ready:
        raise AssertionError("the program neither prints nor ends")
    try:
        return os.read(terminal, 65536)
    except OSError:  # how Linux says that the other end is closed
        return b""
