"""Checks of a home, which `tacit doctor` runs.

Each check reads, compares, and yields findings that say what to type. A check repairs nothing.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from functools import cached_property

from tacit.home.home import Home
from tacit.log.verify import Finding


class Examination:
    """What the checks of one run share: the home, and a fresh index of the log, which is built when it is needed."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self.store = home.store

    @cached_property
    def fresh_index(self) -> sqlite3.Connection:
        """An index that was just made from the log. What the stored index and the views say is compared with it."""
        return self.store.indexer.temporary_index()

    def close(self) -> None:
        if "fresh_index" in self.__dict__:
            self.fresh_index.close()


Check = Callable[[Examination], Iterator[Finding]]
