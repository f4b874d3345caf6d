"""The program with one step left out on purpose: `python mutated.py MUTANT WORDS…`. Tests must catch each."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def cursor_first() -> None:
    """The index says how far it has read before it has filed what it read."""
    from tacit.index import writer

    def apply(connection: Any, events: Iterable[Any], cursors: Iterable[Any], *others: Any, **named: Any) -> None:
        entries = list(events)
        connection.executemany("INSERT OR REPLACE INTO log_cursors VALUES (?, ?, ?, ?)", cursors)
        if connection.in_transaction:  # it would be a part of that one
            connection.execute("COMMIT")
            connection.execute("BEGIN IMMEDIATE")
        whole(connection, entries, [], *others, **named)

    whole, writer.apply_events = writer.apply_events, apply


def in_place() -> None:
    """Views are emptied and written where they lie, a few bytes at a time."""
    from tacit.disk.files import Disk, open_fd
    from tacit.pages import view_store
    from tacit.vault import configure

    def replace_file(disk: Disk, path: str, data: bytes, mode: int = 0o600, below: str = "") -> None:
        with open_fd(disk, path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode) as fd:
            for start in range(0, len(data), 100):
                disk.write(fd, data[start : start + 100])

    for module in (view_store, configure):
        vars(module)["replace_file"] = replace_file


def blind_to_errors() -> None:
    """A write or sync that failed counts as done."""
    from tacit.disk.files import OsDisk

    def write(self: OsDisk, fd: int, data: bytes) -> int:
        with suppress(OSError):
            os.write(fd, data)
        return len(data)

    def sync_data(self: OsDisk, fd: int) -> None:
        with suppress(OSError):
            os.fdatasync(fd)

    OsDisk.write, OsDisk.sync_data = write, sync_data  # type: ignore[method-assign]


def sync_again() -> None:
    """A sync that failed is simply tried again: the second one succeeds, and the data is gone all the same."""
    from tacit.disk.files import OsDisk

    def sync_data(self: OsDisk, fd: int) -> None:
        try:
            os.fdatasync(fd)
        except OSError:
            os.fdatasync(fd)

    OsDisk.sync_data = sync_data  # type: ignore[method-assign]


def no_lock() -> None:
    """Locks keep nobody out."""
    from tacit.disk.lock import FileLock

    @contextmanager
    def held(self: FileLock, timeout: float | None = None) -> Iterator[None]:
        yield

    FileLock.acquire = held  # type: ignore[method-assign]


def links_followed() -> None:
    """Files are opened wherever they lead, also those that should be new."""
    from tacit.disk.files import OsDisk

    def open_what_lies_there(self: OsDisk, path: str, flags: int, mode: int) -> int:
        return os.open(path, flags & ~os.O_EXCL | (os.O_TRUNC if flags & os.O_EXCL else 0), mode)

    OsDisk.open = open_what_lies_there  # type: ignore[method-assign]


def keeps_refused() -> None:
    """Lines of an append that failed stay in the log."""
    from tacit import log
    from tacit.log import segment

    for module in (log, segment):
        vars(module)["roll_back"] = lambda *_words: None


def open_to_all() -> None:
    """Files and folders are made for everybody."""
    from tacit.disk import files, lock
    from tacit.pages import view_store

    for module in (lock, files, view_store):
        vars(module)["PRIVATE_FILE"] = 0o666
    files.PRIVATE_FOLDER = 0o777


def never_spools() -> None:
    """What cannot be appended is given up, as if it had been kept."""
    from tacit.log import Log

    Log.spool = lambda self, draft, origin: True  # type: ignore[method-assign]


def unlink_first() -> None:
    """A spooled record is deleted before it is in the log."""
    from tacit.log import spool

    taken = spool.Spool._take_event

    def taken_away(self: Any, folder: int, name: str) -> Any:
        event = taken(self, folder, name)
        os.unlink(name, dir_fd=folder)
        return event

    spool.Spool._take_event = taken_away  # type: ignore[method-assign]


def forgets_ids() -> None:
    """Who files does not look whether somebody else did before being killed."""
    from tacit.log import spool

    spool.Spool._logged_ids = lambda self, events: set()  # type: ignore[method-assign]


MUTANTS: dict[str, Callable[[], None]] = {
    mutant.__name__: mutant
    for mutant in (
        *(cursor_first, in_place, blind_to_errors, sync_again, no_lock, links_followed, open_to_all),
        *(keeps_refused, never_spools, unlink_first, forgets_ids),
    )
}


def deferred(word: str, text: str = "") -> None:
    """No mutant: a command that defers pages (`add TEXT`), and the process that draws them (`draw`), one after the
    other, so that either can be killed at each of its moments."""
    from tacit.cli import finish
    from tacit.home.home import Home
    from tacit.home.settings import Settings
    from tacit.home.store import Following, StoreOptions
    from tacit.vault import Vault

    if word == "draw":
        finish(None, follows=True, encodes=False)
        return
    with Vault(Home(settings=Settings(), options=StoreOptions(Following.PROCESS))) as vault:
        vault.add(text)


def main() -> int:
    if sys.argv[1] == "deferred":
        deferred(*sys.argv[2:])
        return 0
    MUTANTS[sys.argv[1]]()
    if sys.argv[2:] == ["--record"]:
        from tacit.hooks.recorder import record

        record(0)
        os._exit(0)
    from tacit.cli import main as cli_main

    return cli_main(sys.argv[2:])


if __name__ == "__main__":
    sys.path[:0] = [os.path.join(_ROOT, "src"), _ROOT]
    sys.exit(main())
