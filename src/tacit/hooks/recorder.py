"""Read one record from a pipe, record the command, and learn habits from time to time."""

from __future__ import annotations

import os
import signal
import time
from datetime import UTC, datetime

from tacit.disk.files import OsDisk, open_fd, replace_file
from tacit.home.home import Home
from tacit.home.paths import without_unsafe_home
from tacit.shell import MAX_RECORD_BYTES, CapturedCommand, RecordOutcome, ShellRecorder, parse_record

_DEADLINE_SECONDS = 8  # then the kernel ends this process
_LEARN_INTERVAL_SECONDS = 60


def record(pipe: int) -> None:
    """Record the command that the snippet sends on a pipe. What is no record is dropped."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(_DEADLINE_SECONDS)
    data = b""
    while len(data) < MAX_RECORD_BYTES and (part := os.read(pipe, MAX_RECORD_BYTES - len(data))):
        data += part
    captured = parse_record(data, datetime.now(UTC))
    if captured is None:
        return
    with Home(environment=without_unsafe_home(os.environ), cwd=captured.observation.directory or "/") as home:
        record_command(home, captured)


def record_command(home: Home, captured: CapturedCommand) -> None:
    """Record a command, and learn from all commands if that was not done lately.

    If there are new suggestions, a notice for the prompt is left.
    """
    if ShellRecorder(home).capture(captured) is not RecordOutcome.APPENDED or not _is_due(home):
        return
    from tacit.learn.habits import learn_habits

    if learn_habits(home.store, home.user_folder).new and home.settings.shell_notice:
        pending = home.count_pending()
        line = f"tacit: {pending} suggestion{'s' * (pending != 1)}, `tacit review`\n"
        replace_file(OsDisk(home.root), home.store.paths.notice_file, line.encode())


def _is_due(home: Home) -> bool:
    """Return whether it is time to learn again. If so, touch the marker first, so that no other process learns, too."""
    marker = home.store.paths.learned_marker
    try:
        if abs(time.time() - os.stat(marker).st_mtime) < _LEARN_INTERVAL_SECONDS:
            return False
    except FileNotFoundError:
        pass
    try:
        with open_fd(OsDisk(home.root), marker, os.O_WRONLY | os.O_CREAT) as fd:
            os.utime(fd)
    except OSError:  # a link or a folder lies there, which `doctor` names; the command itself is recorded
        return False
    return True
