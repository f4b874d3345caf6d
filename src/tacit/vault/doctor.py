"""Checks: read everything, compare with what it should be, say what to type. Nothing is mended by looking."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from shlex import quote

from tacit.disk.ops import link_refused
from tacit.index import reader
from tacit.log.verify import Finding, verify
from tacit.vault.checks import clock, disk, files, index, laws, lines, locks, repository, spool, sqlite, strays, views
from tacit.vault.opened import Opened
from tacit.vault.store import Store

Check = Callable[[Store], Iterator[Finding]]
_CHECKS: tuple[Check, ...] = tuple(
    check.check for check in (lines, files, strays, index, views, laws, locks, spool, disk, clock, repository, sqlite)
)
_LOCK_SECONDS = 0.5  # to wait before commands are told to wait in the spool
# Of these a home in which nothing was recorded yet has none.
_OF_VIEWS = (index.check, views.check)


class Doctoring(Opened):
    """verify, doctor and reindex."""

    def verify(self) -> list[Finding]:
        """Every line of the log."""
        return list(verify(self._store.log))

    def doctor(self) -> list[Finding]:
        """The log and its laws, index and pages made afresh and compared, files, locks, disk, clock, SQLite. What was
        recorded and only waits to be filed is filed before."""
        if not os.path.isdir(self._store.home.root):
            return [Finding(self._store.home.root, "there is no home yet", "tacit init", False)]
        with suppress(OSError):  # the checks tell what is wrong
            self._store.file_spooled(_LOCK_SECONDS, most=None)
            self._store.file_backlog()
        left_out = _OF_VIEWS if _is_fresh(self._store) else ()
        found = (one for check in _CHECKS if check not in left_out for one in _checked(check, self._store))
        return list(dict.fromkeys(found))

    def reindex(self) -> int:
        """Make index and views again; says how many memories they hold."""
        self._store.rebuild()
        return self._store.read(lambda connection: sum(1 for _ in reader.entries(connection)))


def _checked(check: Check, store: Store) -> Iterator[Finding]:
    """One check. A file that it cannot read ends it, and is named; the others go on."""
    try:
        yield from check(store)
    except OSError as error:
        where = str(error.filename or store.home.root)
        if link_refused(error) is not None:
            yield files.linked(where)
            return
        what = f"it cannot be read: {error.strerror or error}"
        yield Finding(where, what, f"ls -ld {quote(where)}")


def _is_fresh(store: Store) -> bool:
    """Whether nothing was recorded or drawn yet: the first command was one that only left a setting or a receipt."""
    views = (store.home.index, store.home.long_term, store.home.facts)
    return not store.log.segments() and not any(map(os.path.lexists, views))
