"""The doctor: all checks of a home or the quick ones, its log alone, and rebuilding its index."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from shlex import quote

from tacit.disk.files import link_error
from tacit.errors import NotFoundError
from tacit.home.home import HomePart
from tacit.home.store import Store
from tacit.index import database, reader
from tacit.log.rewrite import QuarantinedLine, quarantine_lines
from tacit.log.verify import Finding, UnverifiedDecision, unverified_decisions, verify
from tacit.model.event import local_day
from tacit.vault.checks import (
    Check,
    Examination,
    check_clock,
    check_conflicts,
    check_disk,
    check_ends,
    check_files,
    check_guard,
    check_index,
    check_index_state,
    check_laws,
    check_lines,
    check_locks,
    check_merge_driver,
    check_purge,
    check_references,
    check_repository,
    check_spool,
    check_sqlite,
    check_strays,
    check_team,
    check_views,
    check_writable,
    link_finding,
)

_SPOOL_LOCK_SECONDS = 0.5  # to wait before commands are reported as waiting in the spool
_CHECKS: tuple[Check, ...] = (
    check_lines,
    check_files,
    check_writable,
    check_strays,
    check_index,
    check_views,
    check_laws,
    check_locks,
    check_spool,
    check_disk,
    check_clock,
    check_repository,
    check_conflicts,
    check_merge_driver,
    check_guard,
    check_references,
    check_sqlite,
    check_team,
)
# They read no file as a whole.
_QUICK_CHECKS: tuple[Check, ...] = (
    check_purge,
    check_ends,
    check_files,
    check_writable,
    check_index_state,
    check_locks,
    check_spool,
    check_disk,
    check_guard,
    check_sqlite,
    check_team,
)
# They do not apply to a home in which nothing was recorded yet.
_VIEW_CHECKS = (check_index, check_views, check_index_state)


class Doctor(HomePart):
    """Checks of one home, and what repairs its index and its log."""

    def verify(self) -> list[Finding]:
        """Check every line of the log."""
        return list(verify(self._store.log))

    def doctor(self) -> list[Finding]:
        """Run all checks. What waits in the spool, for the index or for a page is appended, indexed or drawn first."""
        if os.path.isdir(self._store.paths.root):
            with suppress(OSError):  # the checks report what is wrong
                self._store.drain_spool(_SPOOL_LOCK_SECONDS, limit=None)
                self._store.finish_following()
        return self._run(_CHECKS)

    def quick(self) -> list[Finding]:
        """Run the checks that take less than a second, however large the home is.

        They read neither the whole log nor the whole index, and no page.
        """
        return self._run(_QUICK_CHECKS)

    def _run(self, checks: Sequence[Check]) -> list[Finding]:
        """Return what the checks find, each finding once."""
        paths = self._store.paths
        if not os.path.isdir(paths.root):
            return [Finding(paths.root, "there is no home yet", "tacit init", False)]
        skipped = _VIEW_CHECKS if _is_empty_home(self._store) else ()
        with database.temporary_files_in(paths.path(".tacit")), closing(Examination(self._home)) as exam:
            findings = (finding for check in checks if check not in skipped for finding in _run_check(check, exam))
            return list(dict.fromkeys(findings))

    def reindex(self) -> int:
        """Rebuild index and views. Return how many memories they have."""
        self._store.rebuild()
        with self._store.snapshot() as connection:
            return len(reader.memory_ids(connection))

    def unvouched(self) -> list[UnverifiedDecision]:
        """Return every decision that this home did not write."""
        return list(unverified_decisions(self._store.log))

    def quarantine_unsigned(self) -> list[QuarantinedLine]:
        """Move every decision that this home did not write to quarantine/, byte for byte. Other lines stay.

        Index and views are rebuilt. Return the lines that were moved.
        Raise RefusedError if an agent asks, NotFoundError if there is no home.
        """
        self._require_person_and_home("sets lines aside", "tacit doctor --quarantine-unsigned")
        day = local_day(self._store.actor.origin()).isoformat()

        def work() -> list[QuarantinedLine]:
            with self._store.log.exclusive() as log:
                numbers: dict[str, set[int]] = {}
                for decision in unverified_decisions(log):
                    numbers.setdefault(decision.segment, set()).add(decision.number)
                return [line for segment in numbers for line in quarantine_lines(log, segment, numbers[segment], day)]

        return self._store.rewrite_log(work)

    def accept_unsigned(self) -> int:
        """Let everything that is in the log now count as written by this home. Return how many decisions were not.

        Raise RefusedError if an agent asks, NotFoundError if there is no home.
        """
        self._require_person_and_home("vouches for lines", "tacit doctor --accept-unsigned")
        with self._store.log.exclusive() as log:
            count = sum(1 for _ in unverified_decisions(log))
            if log.signer is not None:
                log.signer.write_baseline(log.segment_sizes())
        return count

    def _require_person_and_home(self, action: str, command: str) -> None:
        self._store.actor.require_person(action, command)
        if not os.path.isdir(self._store.paths.root):
            raise NotFoundError(f"there is no home at {self._store.paths.root}", "tacit init")


def _run_check(check: Check, exam: Examination) -> Iterator[Finding]:
    """Run one check. A file that it cannot read ends it and is reported; the other checks go on."""
    try:
        yield from check(exam)
    except OSError as error:
        path = str(error.filename or exam.store.paths.root)
        if link_error(error) is not None:
            yield link_finding(path)
        else:
            yield Finding(path, f"it cannot be read: {error.strerror or error}", f"ls -ld {quote(path)}")


def _is_empty_home(store: Store) -> bool:
    """Return whether nothing was recorded or published yet, because only a setting or a receipt was written."""
    views = (store.paths.index, store.paths.long_term, store.paths.facts)
    return not store.log.segments() and not any(map(os.path.lexists, views))
