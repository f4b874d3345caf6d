"""Whether memories are followed: how often each was told and what came of it, and those that need a decision."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime

from tacit.home.home import HomePart
from tacit.index import adherence, sessions
from tacit.index.adherence import CheckRow
from tacit.log.codec import must_decode
from tacit.model.adherence import Adherence, AdherenceCounts
from tacit.model.event import timestamp
from tacit.model.ids import ClaimId, EventId, event_milliseconds
from tacit.model.observation import PromptGiven, ToolUsed
from tacit.record import Record
from tacit.text.display import one_line
from tacit.vault.listing import ListedMemory
from tacit.vault.search import Search

_MAX_TEXT_CHARS = 120


class CheckEvidence(Record):
    """The event of a session that shows a result: the session's id and its short form, and the command or words."""

    event: EventId
    session: ClaimId
    short: str
    at: str
    text: str


class AdherenceReport(Record):
    """How often a memory was told and followed, with the calls that violate it and the prompts that correct it."""

    counts: AdherenceCounts
    violations: tuple[CheckEvidence, ...] = ()
    corrections: tuple[CheckEvidence, ...] = ()


class IneffectiveMemory(Record):
    """A memory that telling did not help. Its report has only what happened since somebody last decided on it."""

    listed: ListedMemory
    report: AdherenceReport


class AdherenceQueries(HomePart):
    """What agents were told, and whether they followed it."""

    def report(self, claim: ClaimId) -> AdherenceReport:
        """Return how often a memory was told and what came of it, the latest first."""
        self._store.catch_up_fully()
        with self._store.snapshot() as connection:
            counts = adherence.adherence_counts(connection, claim)
            return _build_report(connection, counts, adherence.checks_of_claim(connection, claim))

    def results_of_session(self, session: ClaimId) -> dict[ClaimId, Adherence]:
        """Return whether a session followed the memories that its agent was told, by memory."""
        self._store.catch_up_fully()
        checks = self._store.read(lambda connection: adherence.checks_of_session(connection, session))
        return {claim: check.result for claim, check in checks.items()}

    def ineffective(self) -> list[IneffectiveMemory]:
        """Return the memories that were told and violated repeatedly, or corrected, the latest first."""
        self._store.catch_up_fully()
        with self._store.snapshot() as connection:
            reports = {
                claim: _build_report(connection, adherence.adherence_counts(connection, claim), checks)
                for claim, checks in adherence.ineffective_claims(connection, must_decode).items()
            }
        queries = Search(self._home)
        return [IneffectiveMemory(queries.show(claim), report) for claim, report in reports.items()]


def _build_report(connection: sqlite3.Connection, counts: AdherenceCounts, checks: list[CheckRow]) -> AdherenceReport:
    violated = [check for check in checks if check.result is Adherence.VIOLATED]
    corrected = [check for check in checks if check.correction]
    return AdherenceReport(
        counts,
        tuple(_load_evidence(connection, check, check.call) for check in violated),
        tuple(_load_evidence(connection, check, check.correction) for check in corrected),
    )


def _load_evidence(connection: sqlite3.Connection, check: CheckRow, event_id: EventId) -> CheckEvidence:
    """Return the evidence of a check. If the event is not here, it has no text and the time of the check."""
    short = sessions.short_id(connection, check.session)
    for logged in sessions.logged_events(connection, [event_id], must_decode):
        event = logged.event
        match event.body:
            case ToolUsed(input=text, files=files):
                shown = text or ", ".join(files)
            case PromptGiven(text=text):
                shown = text
            case _:
                shown = ""
        return CheckEvidence(event_id, check.session, short, timestamp(event.at), one_line(shown, _MAX_TEXT_CHARS))
    checked_at = datetime.fromtimestamp(event_milliseconds(check.event) / 1000, UTC)
    return CheckEvidence(event_id, check.session, short, timestamp(checked_at), "")
