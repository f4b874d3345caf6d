"""The doctor: all checks of a home or the quick ones, its log alone, and rebuilding its index."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from shlex import quote

from tacit.disk.files import link_error
from tacit.home.home import HomePart
from tacit.index import database, reader
from tacit.log import Log
from tacit.log.rewrite import QuarantinedLine, quarantine_lines, quarantine_unreadable
from tacit.log.verify import Finding, UnverifiedDecision, unverified_decisions, verify
from tacit.model.event import local_day
from tacit.vault import checks
from tacit.vault.checks import Check, Examination

_SPOOL_LOCK_SECONDS = 0.5  # to wait before commands are reported as waiting in the spool


ReportCheck = Callable[[int, int, str], None]  # the number of a check, how many there are, and what it looks at


def _ignore_check(_at: int, _of: int, _what: str) -> None:
    pass


class Doctor(HomePart):
    """Checks of one home, and what repairs its index and its log."""

    def verify(self) -> list[Finding]:
        """Check every line of the log."""
        return list(verify(self._store.log))

    def doctor(self, report: ReportCheck = _ignore_check) -> list[Finding]:
        """Run all checks. What waits in the spool, for the index or for a page is appended, indexed or drawn first.

        `report` is called before each check. What it raises ends them.
        """
        if os.path.isdir(self._store.paths.root):
            with suppress(OSError):  # the checks report what is wrong
                self._store.drain_spool(_SPOOL_LOCK_SECONDS, limit=None)
                self._store.finish_following()
        return self._run(checks.CHECKS, report)

    def quick(self) -> list[Finding]:
        """Run the checks that take less than a second, however large the home is.

        They read neither the whole log nor the whole index, and no page.
        """
        return self._run(checks.QUICK_CHECKS, _ignore_check)

    def _run(self, wanted: Sequence[Check], report: ReportCheck) -> list[Finding]:
        """Return what the checks find, each finding once."""
        paths = self._store.paths
        if not os.path.isdir(paths.root):
            return [Finding(paths.root, "there is no home yet", "tacit init", False)]
        # In a home with nothing but a setting or a receipt, nothing was recorded or published yet.
        is_empty = not self._store.log.segments() and not any(
            map(os.path.lexists, (paths.index, paths.long_term, paths.facts))
        )
        run = [check for check in wanted if not (is_empty and check in checks.VIEW_CHECKS)]
        findings: list[Finding] = []
        with database.temporary_files_in(paths.path(".tacit")), closing(Examination(self._home)) as exam:
            for at, check in enumerate(run):
                report(at, len(run), (check.__doc__ or "").partition(".")[0])
                findings += _run_check(check, exam)
        return list(dict.fromkeys(findings))

    def reindex(self) -> int:
        """Rebuild index and views. Return how many memories they have."""
        self._store.rebuild()
        with self._store.snapshot() as connection:
            return len(reader.memory_ids(connection))

    def unvouched(self) -> list[UnverifiedDecision]:
        """Return every decision that this home did not write."""
        return list(unverified_decisions(self._store.log))

    def mend(self) -> list[QuarantinedLine]:
        """Move every unreadable line of the log to quarantine/. Readable lines do not change. Raise as the next one."""

        def unreadable(log: Log, day: str) -> Iterator[QuarantinedLine]:
            for segment in log.segments():
                yield from quarantine_unreadable(log, segment, day)

        return self._quarantine("mends the log", "--mend", unreadable)

    def quarantine_unsigned(self) -> list[QuarantinedLine]:
        """Move every decision that this home did not write to quarantine/, byte for byte. Other lines stay.

        Index and views are rebuilt. Return the lines that were moved.
        Raise RefusedError if an agent asks, NotFoundError if there is no home.
        """

        def unsigned(log: Log, day: str) -> Iterator[QuarantinedLine]:
            numbers: dict[str, set[int]] = {}
            for decision in unverified_decisions(log):
                numbers.setdefault(decision.segment, set()).add(decision.number)
            for segment, lines in numbers.items():
                yield from quarantine_lines(log, segment, lines, day)

        return self._quarantine("sets lines aside", "--quarantine-unsigned", unsigned)

    def _quarantine(
        self, action: str, option: str, move: Callable[[Log, str], Iterable[QuarantinedLine]]
    ) -> list[QuarantinedLine]:
        self._require_person_and_home(action, option)
        day = local_day(self._store.actor.origin()).isoformat()

        def work() -> list[QuarantinedLine]:
            with self._store.log.exclusive() as log:
                return list(move(log, day))

        return self._store.rewrite_log(work)

    def accept_unsigned(self) -> int:
        """Let everything that is in the log now count as written by this home. Return how many decisions were not.

        Raise RefusedError if an agent asks, NotFoundError if there is no home.
        """
        self._require_person_and_home("vouches for lines", "--accept-unsigned")
        with self._store.log.exclusive() as log:
            count = sum(1 for _ in unverified_decisions(log))
            if log.signer is not None:
                log.signer.write_baseline(log.segment_sizes())
        return count

    def _require_person_and_home(self, action: str, option: str) -> None:
        self._store.actor.require_person(action, f"tacit doctor {option}")
        self._require_home()


def _run_check(check: Check, exam: Examination) -> Iterator[Finding]:
    """Run one check. A file that it cannot read ends it and is reported; the other checks go on."""
    try:
        yield from check(exam)
    except OSError as error:
        path = str(error.filename or exam.store.paths.root)
        if link_error(error) is not None:
            yield checks.link_finding(path)
        else:
            yield Finding(path, f"it cannot be read: {error.strerror or error}", f"ls -ld {quote(path)}")
