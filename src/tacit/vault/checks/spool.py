"""Commands that wait in the spool, and commands that were lost: each with the reason, and what to do about it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from shlex import quote

from tacit.core.errors import LockBusy, StoreUnwell
from tacit.core.event import timestamp
from tacit.core.ids import EventId, moment
from tacit.disk.lock import FileLock
from tacit.log.log import SPOOL
from tacit.log.segment import MAX_EVENT
from tacit.log.spool import Spool
from tacit.log.verify import Finding
from tacit.vault.store import Store

_LATEST = 253_402_300_799  # the end of the year 9999: anybody may give a file a name


def check(store: Store) -> Iterator[Finding]:
    spool = Spool(store.log)
    if names := spool.waiting():
        seconds = min(moment(EventId(names[0])) // 1000, _LATEST)
        since = timestamp(datetime.fromtimestamp(seconds, UTC))
        what = f"{_commands(len(names))} since {since} {_wait(len(names))} to be appended to the log: {_why(store)}"
        yield Finding(SPOOL, what, "nothing: the next command that can append files them", False)
    if (dropped := spool.dropped()) and dropped.commands:
        when = f"since {dropped.first}, the last at {dropped.last}: {dropped.why}"
        what = f"{_commands(dropped.commands)} could not be recorded and {_wait(dropped.commands, 'is', 'are')} lost, "
        yield Finding(SPOOL, what + when, f"when you have seen this: rm {quote(spool.counter)}")
    if not os.access(store.home.root, os.W_OK):
        what = "it cannot be written to; commands of shells are neither recorded nor spooled"
        yield Finding(store.home.root, what, f"ls -ld {quote(store.home.root)}", False)


def _commands(number: int) -> str:
    return f"{number:,} command{'s' * (number != 1)}"


def _wait(number: int, one: str = "waits", many: str = "wait") -> str:
    return one if number == 1 else many


def _why(store: Store) -> str:
    """What keeps them waiting, as far as it can be told now."""
    try:
        with FileLock(store.home.log_lock, 0).held():
            pass
    except LockBusy:
        return "another process holds the log's lock"
    except (StoreUnwell, OSError):
        return "the log's lock cannot be had"
    status = os.statvfs(store.home.root)
    return "the disk is full" if status.f_bavail * status.f_frsize < MAX_EVENT else "the log could not be written"
