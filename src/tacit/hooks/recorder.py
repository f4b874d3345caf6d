"""Reads one record from a pipe, records the command, and learns from time to time. It waits for nobody for long."""

from __future__ import annotations

import os
import signal
import time
from datetime import UTC, datetime

from tacit.disk.files import OsDisk, opened
from tacit.home.home import Home
from tacit.home.paths import with_safe_home
from tacit.shell.record import MOST, Recorded, ShellRecorder, read_record

_DEADLINE = 8  # seconds; then the system ends this process
_SECONDS = 60  # between two times of learning


def record(pipe: int) -> None:
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(_DEADLINE)
    captured = read_record(_all_of(pipe), datetime.now(UTC))
    if captured is None:
        return
    with Home(environment=with_safe_home(os.environ), cwd=captured.ran.directory or "/") as home:
        if ShellRecorder(home).capture(captured) is Recorded.APPENDED and _is_due(home):
            _learn(home)


def _all_of(pipe: int) -> bytes:
    """What was sent, up to a bound; the rest stays in the pipe."""
    parts, room = [], MOST
    while room and (part := os.read(pipe, room)):
        parts.append(part)
        room -= len(part)
    return b"".join(parts)


def _is_due(home: Home) -> bool:
    """Whether it is time to learn again. That it is being done is noted, so that nobody else does it too."""
    mark = home.store.home.learned
    try:
        if abs(time.time() - os.stat(mark).st_mtime) < _SECONDS:
            return False
    except FileNotFoundError:
        pass
    try:
        with opened(OsDisk(home.root), mark, os.O_WRONLY | os.O_CREAT) as fd:
            os.utime(fd)
    except OSError:  # a link or a folder lies there, which `doctor` names; the command itself is recorded
        return False
    return True


def _learn(home: Home) -> None:
    """Learn from all commands since the last time, and leave a notice for the prompt when there is something new."""
    from tacit.disk.files import replace_file
    from tacit.learn.habits.learn import learn

    found = learn(home.store, home.user_folder)
    if found.new and home.settings.shell_notice:
        line = f"tacit: {found.waiting} suggestion{'s' * (found.waiting != 1)}, `tacit review`\n"
        replace_file(OsDisk(home.root), home.store.home.notice, line.encode())
