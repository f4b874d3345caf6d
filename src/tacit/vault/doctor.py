"""Checks: read everything, compare with what it should be, say what to type. Nothing is changed by looking."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from tacit.index import reader
from tacit.log.verify import Finding, verify
from tacit.vault.checks import clock, disk, files, index, laws, lines, locks, repository, sqlite, views
from tacit.vault.opened import Opened
from tacit.vault.store import Store

_CHECKS: tuple[Callable[[Store], Iterator[Finding]], ...] = tuple(
    check.check for check in (lines, files, index, views, laws, locks, disk, clock, repository, sqlite)
)


class Doctoring(Opened):
    """verify, doctor and reindex."""

    def verify(self) -> list[Finding]:
        """Every line of the log."""
        return list(verify(self._store.log))

    def doctor(self) -> list[Finding]:
        """The log and its laws, index and pages made afresh and compared, files, locks, disk, clock, SQLite."""
        if not os.path.isdir(self._store.home.root):
            return [Finding(self._store.home.root, "there is no home yet", "tacit init", False)]
        return [finding for check in _CHECKS for finding in check(self._store)]

    def reindex(self) -> int:
        """Make index and views again; says how many memories they hold."""
        self._store.rebuild()
        return self._store.read(lambda connection: sum(1 for _ in reader.entries(connection)))
