"""What was read from pages, noted before it is recorded: a crash between the two is known, and nothing is said twice.

The note lies in the home while a sync is under way. Whoever takes the home's lock next and finds it looks whether the
log has the judgements: if so, the lines they were read from are Tacit's; if not, they are still to be read.
"""

from __future__ import annotations

import json
import os

from tacit.core.event import Event
from tacit.core.judgement import Decided, Proposed
from tacit.disk.ops import Disk
from tacit.disk.replace import read_file, replace_file
from tacit.log.log import MEMORY, Cursor, Log
from tacit.notes.shelf import Shelf
from tacit.record import Record


class Reading(Record):
    """So many judgements are to stand after this point of the log; then these are the copies of the pages."""

    after: Cursor
    judgements: int
    copies: dict[str, bytes]


class Noticeboard:
    """Where the note lies."""

    def __init__(self, path: str, disk: Disk) -> None:
        self._path = path
        self._disk = disk

    def announce(self, reading: Reading) -> None:
        copies = {path: data.decode("utf-8", "surrogateescape") for path, data in reading.copies.items()}
        note = json.dumps({"after": reading.after, "judgements": reading.judgements, "copies": copies})
        replace_file(self._disk, self._path, note.encode("ascii"))

    def conclude(self, log: Log, shelf: Shelf) -> None:
        """Let the pages follow what was recorded, and take the note down. The home's lock is held."""
        reading = _read(read_file(self._path))
        if reading and _is_recorded(log, reading):
            for path, copy in reading.copies.items():
                shelf.settle(path, copy)
        if os.path.lexists(self._path):
            self._disk.remove(self._path)


def _is_recorded(log: Log, reading: Reading) -> bool:
    """All of it: of an operation that was torn, the rest is still to be said. Nobody else judged since."""
    if not reading.judgements:
        return True
    if not log.size(MEMORY) or not log.still_there(MEMORY, reading.after):
        return False
    events = [record.event for record in log.read(MEMORY, reading.after)]
    judged = sum(isinstance(one, Event) and isinstance(one.body, Proposed | Decided) for one in events)
    return judged >= reading.judgements


def _read(data: bytes | None) -> Reading | None:
    """Nothing for what we did not write."""
    try:
        note = json.loads(data or b"")
        copies = {path: text.encode("utf-8", "surrogateescape") for path, text in note["copies"].items()}
        return Reading(Cursor(*note["after"]), int(note["judgements"]), copies)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
