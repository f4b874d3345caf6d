"""Takes one record from a pipe and hands it to the vault. It waits for nobody for long."""

from __future__ import annotations

import os
import signal
from datetime import UTC, datetime

from tacit.capture.shell import MOST, read_record
from tacit.vault.capturing import Capturing
from tacit.vault.home import with_safe_home

_DEADLINE = 8  # seconds; then the system ends this process


def record(pipe: int) -> None:
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(_DEADLINE)
    captured = read_record(_all_of(pipe), datetime.now(UTC))
    if captured is not None:
        with Capturing(environment=with_safe_home(os.environ), cwd=captured.ran.directory or "/") as vault:
            vault.capture(captured)


def _all_of(pipe: int) -> bytes:
    """What was sent, up to a bound; the rest stays in the pipe."""
    parts, room = [], MOST
    while room and (part := os.read(pipe, room)):
        parts.append(part)
        room -= len(part)
    return b"".join(parts)
