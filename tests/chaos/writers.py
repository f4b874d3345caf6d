"""Processes that write until they are killed, and the pipe on which each says what was acknowledged.

An acknowledgement is one line no longer than a pipe writes at once, so it is there whole or not at all.
"""

from __future__ import annotations

import gc
import math
import os
import select
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

Acknowledge = Callable[[str], None]
Work = Callable[[Acknowledge], None]

_MANY_FDS = 1024
_LONGEST_SELECT = 60.0


@dataclass(slots=True)
class Writer:
    """A running process and what it has acknowledged so far."""

    pid: int
    pipe: int
    heard: bytearray = field(default_factory=bytearray)

    @property
    def acknowledged(self) -> list[str]:
        return self.heard.decode("ascii").splitlines()


def start(work: Work) -> Writer:
    """Fork a process that does `work`. Only a process with a single thread may call this."""
    sys.stdout.flush()
    sys.stderr.flush()
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        _work(work, writing)
    os.close(writing)
    return Writer(pid, reading)


def _work(work: Work, pipe: int) -> None:
    """Keep no other file open: a writer whose parent is gone must get an error, not write for ever."""
    status = 1
    try:
        gc.freeze()  # what the parent left behind must not be cleaned up here, closing files that are ours by then
        os.closerange(3, pipe)
        os.closerange(pipe + 1, _MANY_FDS)
        work(lambda text: _say(pipe, text))
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(status)


def _say(pipe: int, text: str) -> None:
    line = f"{text}\n".encode("ascii")
    assert len(line) <= select.PIPE_BUF
    os.write(pipe, line)


def listen(writers: Iterable[Writer], seconds: float) -> None:
    """Take in acknowledgements for so long, or until all have ended; nobody may be held up by a full pipe."""
    by_pipe = {writer.pipe: writer for writer in writers}
    until = time.monotonic() + seconds
    while by_pipe and (left := until - time.monotonic()) > 0:
        for pipe in select.select(list(by_pipe), [], [], min(left, _LONGEST_SELECT))[0]:
            if not _take(by_pipe[pipe]):
                del by_pipe[pipe]


def finish(writers: Iterable[Writer]) -> list[int]:
    """Hear all of them to the end; their exit codes (minus the signal for a killed one), in order."""
    ended = list(writers)
    listen(ended, math.inf)
    for writer in ended:
        os.close(writer.pipe)
    return [os.waitstatus_to_exitcode(os.waitpid(writer.pid, 0)[1]) for writer in ended]


def kill(writers: Iterable[Writer]) -> list[int]:
    """SIGKILL, and hear what they had acknowledged until then."""
    doomed = list(writers)
    for writer in doomed:
        os.kill(writer.pid, signal.SIGKILL)
    return finish(doomed)


def _take(writer: Writer) -> bool:
    data = os.read(writer.pipe, 1 << 16)
    writer.heard += data
    return bool(data)
