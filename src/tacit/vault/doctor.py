"""Checks: read everything, compare with what it should be, say what to type. Nothing is mended by looking."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from shlex import quote

from tacit.core.errors import NotFound
from tacit.core.event import local_day
from tacit.disk.ops import link_refused
from tacit.index import reader
from tacit.log.log import Log
from tacit.log.rewrite import Aside, set_lines_aside
from tacit.log.verify import Finding, Unvouched, unvouched_decisions, verify
from tacit.vault.checks import clock, disk, files, index, laws, lines, locks, repository, spool, sqlite, strays, views
from tacit.vault.opened import Part
from tacit.vault.store import Store

Check = Callable[[Store], Iterator[Finding]]
_CHECKS: tuple[Check, ...] = (
    lines.check,
    files.check,
    strays.check,
    index.check,
    views.check,
    laws.check,
    locks.check,
    spool.check,
    disk.check,
    clock.check,
    repository.check,
    sqlite.check,
)
_LOCK_SECONDS = 0.5  # to wait before commands are told to wait in the spool
# Of these a home in which nothing was recorded yet has none.
_OF_VIEWS = (index.check, views.check)


class Doctor(Part):
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

    def unvouched(self) -> list[Unvouched]:
        """Every decision that this home did not write."""
        return list(unvouched_decisions(self._store.log))

    def quarantine_unsigned(self) -> list[Aside]:
        """Move these decisions to quarantine/, byte for byte; all other lines stay. Index and views are made again."""
        self._must_be_person_of_a_home("sets lines aside", "tacit verify --quarantine-unsigned")
        day = local_day(self._store.speaker.origin()).isoformat()

        def work() -> list[Aside]:
            with self._store.log.alone() as log:
                return [aside for one in _by_segment(log) for aside in set_lines_aside(log, *one, day)]

        return self._store.remade(work)

    def accept_unsigned(self) -> int:
        """Let everything that is in the log now count as this home's; how many decisions that were not are so now."""
        self._must_be_person_of_a_home("vouches for lines", "tacit verify --accept-unsigned")
        with self._store.log.alone() as log:
            found = sum(1 for _ in unvouched_decisions(log))
            if log.signing is not None:
                log.signing.put(log.sizes())
        return found

    def _must_be_person_of_a_home(self, what: str, type_it: str) -> None:
        self._store.speaker.must_be_person(what, type_it)
        if not os.path.isdir(self._store.home.root):
            raise NotFound(f"there is no home at {self._store.home.root}", "tacit init")


def _by_segment(log: Log) -> Sequence[tuple[str, set[int]]]:
    numbers: dict[str, set[int]] = {}
    for one in unvouched_decisions(log):
        numbers.setdefault(one.segment, set()).add(one.number)
    return list(numbers.items())


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
