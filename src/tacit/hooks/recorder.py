"""Reads one record from a pipe, records the command, and learns from time to time. It waits for nobody for long."""

from __future__ import annotations

import os
import signal
import time
from datetime import UTC, datetime

from tacit.disk.files import OsDisk, open_fd
from tacit.home.home import Home
from tacit.home.paths import without_unsafe_home
from tacit.shell.record import MAX_RECORD_BYTES, CapturedCommand, RecordOutcome, ShellRecorder, parse_record

_DEADLINE_SECONDS = 8  # seconds; then the system ends this process
_LEARN_INTERVAL_SECONDS = 60  # between two times of learning


def record(pipe: int) -> None:
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(_DEADLINE_SECONDS)
    captured = parse_record(_read_pipe(pipe), datetime.now(UTC))
    if captured is None:
        return
    with Home(environment=without_unsafe_home(os.environ), cwd=captured.observation.directory or "/") as home:
        record_command(home, captured)


def record_command(home: Home, captured: CapturedCommand) -> None:
    """Record a command, and learn from all of them when it is time again."""
    if ShellRecorder(home).capture(captured) is RecordOutcome.APPENDED and _is_due(home):
        _learn_habits(home)


def _read_pipe(pipe: int) -> bytes:
    """What was sent, up to a bound; the rest stays in the pipe."""
    parts, room = [], MAX_RECORD_BYTES
    while room and (part := os.read(pipe, room)):
        parts.append(part)
        room -= len(part)
    return b"".join(parts)


def _is_due(home: Home) -> bool:
    """Whether it is time to learn again. That it is being done is noted, so that nobody else does it too."""
    mark = home.store.paths.learned_marker
    try:
        if abs(time.time() - os.stat(mark).st_mtime) < _LEARN_INTERVAL_SECONDS:
            return False
    except FileNotFoundError:
        pass
    try:
        with open_fd(OsDisk(home.root), mark, os.O_WRONLY | os.O_CREAT) as fd:
            os.utime(fd)
    except OSError:  # a link or a folder lies there, which `doctor` names; the command itself is recorded
        return False
    return True


def _learn_habits(home: Home) -> None:
    """Learn from all commands since the last time, and leave a notice for the prompt when there is something new."""
    from tacit.disk.files import replace_file
    from tacit.learn.habits.learn import learn_habits

    found = learn_habits(home.store, home.user_folder)
    if found.new and home.settings.shell_notice:
        line = f"tacit: {found.pending} suggestion{'s' * (found.pending != 1)}, `tacit review`\n"
        replace_file(OsDisk(home.root), home.store.paths.notice_file, line.encode())
