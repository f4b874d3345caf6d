"""Sessions that were captured and whose end nobody told: a host that crashes runs no hook, and what it wrote last would
be missed. The next session that starts looks after them. Hosts delete their transcripts; ours is the lasting copy."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import suppress

from tacit.disk.ops import OsDisk, opened
from tacit.vault.conversations.pending import Note, leave, notes_in, place_in
from tacit.vault.home import HomePaths

_DAYS = 7  # after which a session that was never ended is taken for ended
_MOST = 50  # sessions looked at by one that starts


def goes_on(home: HomePaths, note: Note) -> None:
    """A session was captured, and may have more to tell."""
    leave(home, note, home.unfinished)


def has_ended(home: HomePaths, note: Note) -> None:
    with suppress(OSError):
        OsDisk(home.root).remove(place_in(home.unfinished, note))


def grown(home: HomePaths) -> Iterator[Note]:
    """Those whose transcripts were written to since they were captured last. Each is told once."""
    disk = OsDisk(home.root)
    for path, note in list(notes_in(home.unfinished))[:_MOST]:
        with suppress(OSError):
            captured = os.stat(path).st_mtime
            if not os.path.exists(note.transcript) or captured < time.time() - _DAYS * 86_400:
                disk.remove(path)
            elif os.stat(note.transcript).st_mtime > captured:
                with opened(disk, path, os.O_WRONLY) as fd:
                    os.utime(fd)
                yield note
