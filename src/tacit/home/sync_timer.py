"""What a home knows of the timer that its person switched on for `tacit sync`, and when a sync is overdue.

The file is about this machine, so it is not in the log. Nobody asks the system's scheduler to know whether there is a
timer; `tacit sync --timer show` and `tacit setup --check` do.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from datetime import datetime, timedelta

from tacit.disk.files import OsDisk, make_folder, read_file, replace_file
from tacit.home.paths import HomePaths
from tacit.record import Record

_PATIENCE = timedelta(days=7)  # of somebody who syncs by hand
_MISSED_INTERVALS, _MIN_TIMED_PATIENCE = 3, timedelta(days=1)  # a machine may have slept for a night


class SyncTimer(Record):
    """A timer: how often it runs, as it was typed and in seconds, and which scheduler runs it."""

    every: str
    seconds: int
    scheduler: str


def read_timer(paths: HomePaths) -> SyncTimer | None:
    """Return the timer that was switched on; None if there is none, or the file is not valid."""
    try:
        fields = json.loads(read_file(paths.sync_timer) or b"{}")
        return SyncTimer(str(fields["every"]), int(fields["seconds"]), str(fields["scheduler"]))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def write_timer(paths: HomePaths, timer: SyncTimer | None) -> None:
    """Store the timer; None if it was switched off."""
    if timer is None:
        with suppress(FileNotFoundError):
            OsDisk(paths.root).remove(paths.sync_timer)
        return
    make_folder(os.path.dirname(paths.sync_timer), below=paths.root)
    replace_file(OsDisk(paths.root), paths.sync_timer, json.dumps(timer._asdict()).encode("ascii") + b"\n")


def is_overdue(synced_at: datetime | None, now: datetime, timer: SyncTimer | None) -> bool:
    """Return whether the last sync is so long ago that the person wants to know."""
    patience = _PATIENCE
    if timer is not None:
        patience = max(_MISSED_INTERVALS * timedelta(seconds=timer.seconds), _MIN_TIMED_PATIENCE)
    return synced_at is None or now - synced_at > patience
