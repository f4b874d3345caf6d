"""Queries on sessions: the list, one whole session, what was injected into prompts, and whether that was followed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from tacit.errors import NotFoundError, UsageError
from tacit.home.home import HomePart
from tacit.home.rule_files import LateAnswers, late_answers
from tacit.index import adherence, reader, sessions
from tacit.index.adherence import CheckRow
from tacit.index.sessions import SessionRow
from tacit.log.codec import must_decode
from tacit.model.claim import scope_label
from tacit.model.event import Event, timestamp
from tacit.model.ids import ClaimId, EventId, event_milliseconds, is_claim_prefix
from tacit.model.observation import BriefInjected, PromptGiven, ToolUsed
from tacit.model.session import Adherence, AdherenceCounts, Session
from tacit.record import Record
from tacit.text.display import clean, one_line
from tacit.vault.listing import ListedMemory, Listing, load_in_chunks


class ListedSession(Record):
    """A session in a list, with the shortest unique prefix of its id, and how many others asked the same."""

    short: str
    row: SessionRow
    similar_count: int = 0

    @property
    def label(self) -> str:
        return scope_label(self.row.scope)


class InjectedMemory(Record):
    """A memory that was injected into a prompt, with its current sentence and why it was chosen."""

    id: str
    sentence: str
    reason: str


class InjectedSession(Record):
    """An earlier session that was injected, and why it was chosen; "" if it was one of the latest."""

    row: SessionRow
    reason: str


class InjectionRecord(Record):
    """What one injection put into a prompt, and what a trial withheld from it."""

    event: Event
    body: BriefInjected
    memories: tuple[InjectedMemory, ...]
    sessions: tuple[InjectedSession, ...]
    withheld: tuple[InjectedMemory, ...] = ()


class SessionQueries(HomePart):
    """`sessions`, `session` and `injected`."""

    def sessions(
        self, *, project: bool | str = False, limit: int | None = None, grouped: bool = True
    ) -> list[ListedSession]:
        """Return sessions, the latest first, as `listing` does."""
        return list(self.listing(project=project, limit=limit, grouped=grouped).entries)

    def listing(
        self, *, project: bool | str = False, limit: int | None = None, grouped: bool = True
    ) -> Listing[ListedSession]:
        """List sessions, the latest first. Sessions that asked the same are one entry if `grouped`.

        `project` is True for those of the current project, or a folder for those of its project. The first `limit` are
        loaded, or all, and all are counted.
        """
        with self._store.snapshot() as connection:
            folder = self._home.cwd if project is True else project
            scope = self._folder_scope(connection, folder) if folder is not False else None
            listed = sessions.listed_sessions(connection, scope, -1 if limit is None else limit, grouped=grouped)
            total = sessions.count_sessions(connection, scope, grouped=grouped)
        return Listing(load_in_chunks(self._store, listed, _load_listed), total)

    def session(self, reference: str) -> tuple[ListedSession, Session]:
        """Return a session by its id, a prefix of the id, the id that its host gave it, or `last`.

        Raise NotFoundError if there is none, UsageError if the reference fits several.
        """
        with self._store.snapshot() as connection:
            row = _resolve_session(connection, clean(reference).strip())
            listed = ListedSession(sessions.short_id(connection, row.id), row)
            return listed, sessions.load_session(connection, row, must_decode)

    def sessions_to_learn(
        self, *, session: str | None = None, since: str | None = None, everything: bool = False, judge: str = ""
    ) -> list[SessionRow]:
        """Return the sessions to learn from, the earliest first: one, those since a time, or all.

        The default are those that were not learned from yet, or not judged by `judge`; ANY_JUDGE: by nobody.
        """
        if session is not None:
            return [self.session(session)[0].row]
        if not everything and since is None:
            from tacit.learn.sessions import SessionLearning

            return SessionLearning(self._home).unlearned_sessions(judge)
        from tacit.home.input import parse_time

        start = parse_time(since, self._store.actor.clock(), end_of_day=False) if since else ""
        rows = self._store.read(sessions.session_rows)
        return [row for row in reversed(rows) if row.ended_at >= start]

    def is_of_this_project(self, listed: ListedSession) -> bool:
        """Return whether a session is of the current project."""
        return listed.row.scope == self._store.read(lambda connection: self._folder_scope(connection, self._home.cwd))

    def must_be_of_this_project(self, listed: ListedSession) -> None:
        """Raise UsageError if a session is not of the current project."""
        if not self.is_of_this_project(listed):
            raise UsageError(
                f"the session {listed.short} is of {listed.label}, not of this project",
                "say everywhere: true to read it",
            )

    def session_lines(self, session: Session) -> list[str]:
        """Return the lines of a session's page."""
        from tacit.pages.sessions import render_session

        return render_session(session, self._store.options.max_turn_chars)

    def turn_lines(self, session: Session, turn: int, around: int = 0) -> list[str]:
        """Return the lines of one whole turn, with `around` turns before and after it.

        Raise NotFoundError if there is no such turn.
        """
        from tacit.pages.sessions import render_part

        last = len(session.searchable_parts)
        if not 1 <= turn <= last:
            raise NotFoundError(f"this session has no turn {turn}: it has {last}", f"tacit sessions {session.id}")
        numbers = range(max(turn - around, 1), min(turn + around, last) + 1)
        return [line for number in numbers for line in render_part(session, number)]

    def injected(self, *, session: str | None = None, limit: int = 20) -> list[InjectionRecord]:
        """Return what was injected into prompts, of all sessions or of one, the latest first."""
        return self.injected_by_session([session], limit=limit)[0]

    def injections(self, *, session: str | None = None, limit: int | None = None) -> Listing[InjectionRecord]:
        """List what was injected into prompts, of all sessions or of one, the latest first.

        The first `limit` are loaded, or all, and all are counted.
        """
        self._store.catch_up_fully()
        with self._store.snapshot() as connection:
            name = _host_session_id(connection, session) if session else None
            events = sessions.injection_ids(connection, name, -1 if limit is None else limit)
            total = sessions.count_injections(connection, name)
        return Listing(load_in_chunks(self._store, events, _load_injections), total)

    def late_answers(self) -> LateAnswers:
        """Return in how many sessions of the last days a hook was late."""
        return late_answers(self._store.paths)

    def injected_by_session(self, references: Sequence[str | None], *, limit: int = 20) -> list[list[InjectionRecord]]:
        """Return what was injected into the prompts of several sessions, for each the latest first.

        None stands for all sessions together.
        """
        self._store.catch_up_fully()
        with self._store.snapshot() as connection:
            names = [_host_session_id(connection, session) if session else None for session in references]
            return [[*_load_injections(connection, sessions.injection_ids(connection, name, limit))] for name in names]


def _load_listed(connection: sqlite3.Connection, entries: Sequence[tuple[int, int]]) -> Iterator[ListedSession]:
    for number, similar_count in entries:
        if row := sessions.session_row_by_number(connection, number):
            yield ListedSession(sessions.short_id(connection, row.id), row, similar_count)


_MAX_EMPTY_SESSIONS = 50  # sessions without a word that are skipped for `last`


def _resolve_session(connection: sqlite3.Connection, reference: str) -> SessionRow:
    if reference == "last" and (rows := sessions.session_rows(connection, limit=_MAX_EMPTY_SESSIONS)):
        return next((row for row in rows if row.has_content), rows[0])
    lowered = reference.lower()
    ids = sessions.session_ids_with_prefix(connection, lowered) if is_claim_prefix(lowered) else []
    if reference and not ids:
        ids = sessions.session_ids_with_host_prefix(connection, reference)
    if len(ids) > 1:
        shown = ", ".join(sessions.short_id(connection, session_id) for session_id in ids[:5])
        raise UsageError(f"{reference!r} could be any of {shown}", "type more of it; see: tacit sessions")
    row = sessions.session_row(connection, ids[0]) if ids else None
    if row is None:
        raise NotFoundError(f"there is no session {reference!r}", "tacit sessions")
    return row


def _host_session_id(connection: sqlite3.Connection, reference: str) -> str:
    """Return the host's id of a session. A session that was never captured is known by that id alone."""
    try:
        return _resolve_session(connection, clean(reference).strip()).host_session_id
    except NotFoundError:
        return clean(reference).strip()


def _load_injections(connection: sqlite3.Connection, events: Sequence[EventId]) -> Iterator[InjectionRecord]:
    for event in sessions.injections_by_id(connection, must_decode, events):
        body = event.body
        assert isinstance(body, BriefInjected)
        reasons = dict(zip([*body.memories, *body.sessions], body.reasons, strict=False))
        memories: list[InjectedMemory] = []
        withheld: list[InjectedMemory] = []
        for claim in dict.fromkeys((*body.memories, *body.tried)):
            row = reader.memory_row(connection, ClaimId(claim)) if is_claim_prefix(claim) else None
            sentence, is_told = row.sentence if row else "(no longer there)", claim in body.memories
            reason = reasons.get(claim, "") if is_told else "on trial"
            (memories if is_told else withheld).append(InjectedMemory(claim, sentence, reason))
        injected_sessions = [
            InjectedSession(session, reasons.get(session_id, ""))
            for session_id in body.sessions
            if is_claim_prefix(session_id) and (session := sessions.session_row(connection, ClaimId(session_id)))
        ]
        yield InjectionRecord(event, body, tuple(memories), tuple(injected_sessions), tuple(withheld))


# Whether memories were followed

_MAX_TEXT_CHARS = 120


class CheckEvidence(Record):
    """The event of a session that shows a result: the session's id and its short form, and the command or words."""

    event: EventId
    session: ClaimId
    short: str
    at: str
    text: str


class AdherenceReport(Record):
    """How often a memory was told and followed, with the calls that violate it, those that a guard stopped, and the
    prompts that correct it."""

    counts: AdherenceCounts
    violations: tuple[CheckEvidence, ...] = ()
    stops: tuple[CheckEvidence, ...] = ()
    corrections: tuple[CheckEvidence, ...] = ()


class IneffectiveMemory(Record):
    """A memory that telling did not help. Its report has only what happened since somebody last decided on it."""

    listed: ListedMemory
    report: AdherenceReport

    @property
    def is_idle(self) -> bool:
        """Whether it had to do with nothing, as opposed to not being followed."""
        return not self.report.violations and not self.report.corrections

    @property
    def title(self) -> str:
        return "told often, of no use so far: keep telling?" if self.is_idle else "told but not followed"

    @property
    def reason(self) -> str:
        """What is recorded as the reason for a decision about it."""
        return "told often, and of no use" if self.is_idle else "told and not followed"


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
        """Return the memories that were told and did not help.

        First those that were violated repeatedly or corrected, the latest first; then those that had to do with none of
        the sessions that were told them, without evidence.
        """
        self._store.catch_up_fully()
        with self._store.snapshot() as connection:
            shown = adherence.ineffective_claims(connection, must_decode)
            idle = adherence.idle_claims(connection, must_decode)
            shown = {**{claim: [] for claim in idle}, **shown}
            reports = {
                claim: _build_report(connection, adherence.adherence_counts(connection, claim), checks)
                for claim, checks in sorted(shown.items(), key=lambda item: not item[1])
            }
        from tacit.vault.search import Search

        queries = Search(self._home)
        return [IneffectiveMemory(queries.show(claim), report) for claim, report in reports.items()]


def _build_report(connection: sqlite3.Connection, counts: AdherenceCounts, checks: list[CheckRow]) -> AdherenceReport:
    violated, stopped = (
        [check for check in checks if check.result is result] for result in (Adherence.VIOLATED, Adherence.STOPPED)
    )
    corrected = [check for check in checks if check.correction]
    return AdherenceReport(
        counts,
        tuple(_load_evidence(connection, check, check.call) for check in violated),
        tuple(_load_evidence(connection, check, check.call) for check in stopped),
        tuple(_load_evidence(connection, check, check.correction) for check in corrected),
    )


def _load_evidence(connection: sqlite3.Connection, check: CheckRow, event_id: EventId) -> CheckEvidence:
    """Return the evidence of a check. If the event is not here, it has no text and the time of the check."""
    at, shown = datetime.fromtimestamp(event_milliseconds(check.event) / 1000, UTC), ""
    for logged in sessions.logged_events(connection, [event_id], must_decode):
        at, body = logged.event.at, logged.event.body
        if isinstance(body, ToolUsed):
            shown = body.input or ", ".join(body.files)
        elif isinstance(body, PromptGiven):
            shown = body.text
    short = sessions.short_id(connection, check.session)
    return CheckEvidence(event_id, check.session, short, timestamp(at), one_line(shown, _MAX_TEXT_CHARS))
