"""Checks: read everything, compare with what it should be, say what to type. Nothing is mended by looking."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from tacit.index import reader
from tacit.log.verify import Finding, verify
from tacit.vault.checks import clock, disk, files, index, laws, lines, locks, repository, spool, sqlite, views
from tacit.vault.opened import Opened
from tacit.vault.store import Store

_CHECKS: tuple[Callable[[Store], Iterator[Finding]], ...] = tuple(
    check.check for check in (lines, files, index, views, laws, locks, spool, disk, clock, repository, sqlite)
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
        self._store.file_spooled(_LOCK_SECONDS, most=None)
        self._store.file_backlog()
        left_out = _OF_VIEWS if _is_fresh(self._store) else ()
        return [finding for check in _CHECKS if check not in left_out for finding in check(self._store)]

    def reindex(self) -> int:
        """Make index and views again; says how many memories they hold."""
        self._store.rebuild()
        return self._store.read(lambda connection: sum(1 for _ in reader.entries(connection)))


def _is_fresh(store: Store) -> bool:
    """Whether nothing was recorded or drawn yet: the first command was one that only left a setting or a receipt."""
    views = (store.home.index, store.home.long_term, store.home.facts)
    return not store.log.segments() and not any(map(os.path.lexists, views))
