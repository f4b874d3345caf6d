"""Checks of the log: its lines and their dates, commands in the spool, copies that other programs left."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from shlex import quote

from tacit.disk.files import open_plain
from tacit.disk.lock import FileLock
from tacit.errors import LockBusyError, StoreError
from tacit.home.paths import HOME_FOLDERS, OPTIONAL_FOLDERS
from tacit.home.store import Store
from tacit.log.codec import damage_reason, decode
from tacit.log.reader import Cursor, LogReader, read_blocks
from tacit.log.segment import MAX_EVENT_BYTES, PURGED_SEGMENT, SPOOL_FOLDER
from tacit.log.spool import Spool
from tacit.log.verify import PURGE_MARKER, Finding, verify
from tacit.model.event import Event, timestamp
from tacit.model.ids import EventId, event_milliseconds
from tacit.purge.files import is_stray_copy
from tacit.purge.tombstones import load_tombstones
from tacit.vault.checks import Examination

_MAX_CLOCK_SKEW = timedelta(minutes=5)
_MAX_UNIX_SECONDS = 253_402_300_799  # the end of the year 9999: anybody may give a file a name
_TAIL_BYTES = 64 * 1024
_TIME = re.compile(rb'"ts":"([0-9TZ:.-]{27})","type":"')


def check_lines(exam: Examination) -> Iterator[Finding]:
    """Every line of the log, and whether the disk ever refused to keep one."""
    store = exam.store
    yield from verify(store.log, forms=True)
    for segment in store.log.segments():
        if marker := store.log.suspect_file(segment):
            what = "the disk once refused to keep what was written; it was written afresh elsewhere"
            yield Finding(segment, what, f"check the disk (dmesg, smartctl), then: rm {quote(marker)}")


def check_ends(exam: Examination) -> Iterator[Finding]:
    """The last lines of each segment: a write that failed leaves its traces there."""
    log = exam.store.log
    for segment in log.segments():
        with open_plain(log.path(segment)) as file:
            file.seek(max(log.size(segment) - _TAIL_BYTES, 0))
            lines = file.read().split(b"\n")
        whole = lines[1:-1] if log.size(segment) > _TAIL_BYTES else lines[:-1]
        if any(line.strip() and damage_reason(line) for line in whole):
            yield Finding(
                segment, "a line near its end is damaged, or was cut off by a crash", "tacit doctor --log", False
            )


def check_purge(exam: Examination) -> Iterator[Finding]:
    """A purge that was interrupted."""
    if os.path.exists(exam.store.paths.purge_marker):
        yield Finding(PURGE_MARKER, "a purge was interrupted", "tacit purge --again")


def check_clock(exam: Examination) -> Iterator[Finding]:
    """The clock. Events stay in order if it is wrong, but their dates are wrong."""
    store = exam.store
    now = store.actor.origin().at
    latest = max(_future_times(store.log, now + _MAX_CLOCK_SKEW), default=now)
    if latest > now:
        what = f"the last event is of {timestamp(latest)}, the clock says {timestamp(now)}"
        yield Finding("the clock", what, "date; set the clock. The order of events does not depend on it", False)
    tombstones = load_tombstones(store.log, since=now + _MAX_CLOCK_SKEW)
    if tombstones and latest > now:
        what = f"a purge is dated {timestamp(latest)}; until then, what it purged is left out of commands you run"
        yield Finding(PURGED_SEGMENT, what, "nothing: all other commands are recorded as they are", False)


def _future_times(log: LogReader, limit: datetime) -> Iterator[datetime]:
    """Yield the times of events after `limit`. Other lines are not decoded."""
    after = timestamp(limit).encode("ascii")
    for segment in log.segments():
        for block in read_blocks(log.path(segment)):
            for line in block.lines if max(_TIME.findall(b"\n".join(block.lines)), default=b"") > after else ():
                event = decode(line) if any(time > after for time in _TIME.findall(line)) else None
                if isinstance(event, Event) and event.at > limit:
                    yield event.at


def check_spool(exam: Examination) -> Iterator[Finding]:
    """Commands that wait in the spool, and commands that were lost, with the reason."""
    store = exam.store
    spool = Spool(store.log)
    if names := spool.waiting():
        seconds = min(event_milliseconds(EventId(names[0])) // 1000, _MAX_UNIX_SECONDS)
        since = timestamp(datetime.fromtimestamp(seconds, UTC))
        verb = "waits" if len(names) == 1 else "wait"
        what = f"{_commands_text(len(names))} since {since} {verb} to be appended to the log: {_spool_reason(store)}"
        yield Finding(SPOOL_FOLDER, what, "nothing: the next command that can append files them", False)
    if (dropped := spool.dropped()) and dropped.commands:
        verb = "is" if dropped.commands == 1 else "are"
        what = f"{_commands_text(dropped.commands)} could not be recorded and {verb} lost, "
        when = f"since {dropped.first}, the last at {dropped.last}: {dropped.reason}"
        yield Finding(SPOOL_FOLDER, what + when, f"when you have seen this: rm {quote(spool.counter_path)}")


def _commands_text(count: int) -> str:
    return f"{count:,} command{'s' * (count != 1)}"


def _spool_reason(store: Store) -> str:
    """Return why commands wait in the spool, as far as that can be seen now."""
    try:
        with FileLock(store.paths.log_lock, 0).acquire():
            pass
    except LockBusyError:
        return "another process holds the log's lock"
    except (StoreError, OSError):
        return "the log's lock cannot be had"
    status = os.statvfs(store.paths.root)
    return "the disk is full" if status.f_bavail * status.f_frsize < MAX_EVENT_BYTES else "the log could not be written"


def check_strays(exam: Examination) -> Iterator[Finding]:
    """Copies that sync programs and editors left in the home. Those with events are read; all are named."""
    store = exam.store
    strays = store.log.strays()
    known: set[EventId] = set()
    if strays:
        known = {event_id for segment in store.log.own_segments() for event_id in store.log.ids(segment, Cursor())}
    for segment in strays:
        ids = set(store.log.ids(segment, Cursor()))
        path = store.paths.path(segment)
        if new := len(ids - known):
            what = f"a copy that another program left; it is read: {new} of its {len(ids)} events stand nowhere else"
            yield Finding(path, what, "nothing: it counts; keep it", False)
        else:
            what = "a copy that another program left; all of its events stand in our own files too"
            yield Finding(path, what, f"rm {quote(path)}", False)
        known |= ids
    read = {store.paths.path(segment) for segment in strays}
    for folder in ("", *HOME_FOLDERS, *OPTIONAL_FOLDERS):
        yield from _unread_copies(store.paths.path(folder).rstrip(os.sep), folder, read)


def _unread_copies(folder_path: str, folder: str, read: set[str]) -> Iterator[Finding]:
    if (os.path.islink(folder_path) and folder) or not os.path.isdir(folder_path):
        return
    for name in sorted(os.listdir(folder_path)):
        path = os.path.join(folder_path, name)
        if is_stray_copy(folder, name) and path not in read and os.path.isfile(path) and not os.path.islink(path):
            what = "a copy or backup that another program left; it is not read"
            yield Finding(path, what, f"rm {quote(path)}, or to keep it elsewhere: mv {quote(path)} ~/", False)
