"""Learning from sessions: statements and fixes become proposals with their evidence, each once a session.

Nothing becomes active here that the person did not say clearly, and then only if they set it so. Sessions that did not
change since they were learned from are skipped; if that mark is lost, they are learned from again, and nothing new
comes of it. At the same time it is checked whether a session followed what its agent was told. For a judge, sessions
remain that it has not judged as they are now.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Collection, Iterator, Sequence
from enum import Enum
from functools import partial

from tacit.errors import TacitError
from tacit.home.actor import Actor
from tacit.home.home import Home, HomePart
from tacit.index import reader, sessions
from tacit.index.conflicts import opposing_claims
from tacit.index.database import transaction
from tacit.index.reader import Decode, MemoryRow
from tacit.index.sessions import SessionChoice, SessionRow, SessionVersion
from tacit.learn import Lesson, SessionEvent
from tacit.learn.fixes import ScoredFix, confirmed_fixes, find_fixes, fix_keys
from tacit.learn.statements import doubtful_statements, learn_statements, observed_decisions, repeated_lessons
from tacit.log.codec import must_decode
from tacit.model.claim import GLOBAL, Claim, Kind, Provenance, Scope, Status
from tacit.model.event import POLICY, RULE_FILE, USER, Attribution, ClaimDecided, ClaimProposed, Draft, Event, Verdict
from tacit.model.ids import ClaimId
from tacit.model.observation import CONVERSATION_TYPES, SessionSummarized, TrialChecked
from tacit.model.statement import claim_from
from tacit.record import Record
from tacit.search.restatements import restated_claim
from tacit.text.display import clip, one_line

TYPE_CHECKING = False

if TYPE_CHECKING:
    from tacit.learn.judge.answer import JudgedSession

ANY_JUDGE = "*"  # instead of the name of a judge: whoever it was
SOURCE = "talk"
_ACTOR = "learner:talk"
_MAX_NEW_PER_SESSION = 5  # whoever is asked about more answers none of them
_MAX_QUOTE_CHARS = 300
_MIN_ACCEPT_CONFIDENCE = 0.75  # from here on a lesson may be accepted without a review
_ACCEPT_REASON = "said clearly in your own words (learn.accept)"
_POLICY_ATTRIBUTION = Attribution(POLICY, Provenance.USER_DIRECT)
_MAX_EARLIER_SESSIONS = 40  # of a project in which a fix is looked for again
_MAX_SESSIONS_PER_CHANGE = 16
_MAX_CHANGE_SECONDS = 0.2  # for which the home is locked while sessions are learned from that teach nothing
_MAX_REMEMBERED_BYTES = 4_000_000  # of lines of sessions that are learned from together


class LearnState(Enum):
    """What became of a lesson."""

    NEW = "new"
    ACCEPTED = "accepted at once"
    REPEATED = "said again"
    KNOWN = "known from this session already"
    DISMISSED = "turned down before"
    DEFERRED = "more than one session may ask about at once"


RECORDED_STATES = (LearnState.NEW, LearnState.ACCEPTED, LearnState.REPEATED)


class LearnResult(Record):
    """A lesson of a session as a claim, and what became of it.

    `merged` is a suggestion that says the same in other words, and becomes a part of the claim.
    """

    claim: Claim
    lesson: Lesson
    session: SessionRow
    state: LearnState
    merged: Claim | None = None


class SessionLearning(HomePart):
    """Learning from the sessions of one home."""

    def __init__(self, home: Home) -> None:
        super().__init__(home)
        self._previewed: dict[Scope, dict[ClaimId, list[SessionChoice]]] = {}  # choices that a dry run does not store
        self._fix_keys: dict[SessionVersion, frozenset[str]] = {}  # whoever learns from many sessions needs them often
        # Of the sessions that are being learned from: their lines, and the fixes in their events
        self._decoded: dict[bytes, Event] = {}
        self._fixes: dict[ClaimId, tuple[Sequence[SessionEvent], list[ScoredFix]]] = {}

    def learn_from_session(
        self, row: SessionRow, *, dry_run: bool = False, judged: JudgedSession | None = None
    ) -> list[LearnResult]:
        """Propose what every learner, and a judge if `judged` is given, concludes from a session.

        The judge was asked before, so that nobody waits for it here. With `dry_run` nothing is written.
        """
        earlier = self._read_ahead([row])
        try:
            if dry_run:
                with self._store.snapshot() as connection:
                    return self._results(connection, row, earlier[0], judged)[0]
            return self._record_lessons([row], earlier, judged)[0]
        finally:
            self._forget_sessions()

    def learn_from_sessions(self, rows: Sequence[SessionRow]) -> Iterator[list[LearnResult]]:
        """Propose what every learner concludes from each session, in order.

        Most sessions teach nothing that has to be recorded. Those before one that does share its change of the home,
        because to begin and to end a change takes longer than to learn from most of them.
        """
        done = 0
        while done < len(rows):
            group = rows[done : done + _MAX_SESSIONS_PER_CHANGE]
            try:
                recorded = self._record_lessons(group, self._read_ahead(group))
            finally:
                self._forget_sessions()
            done += len(recorded)
            yield from recorded

    def _read_ahead(self, rows: Sequence[SessionRow]) -> list[frozenset[str]]:
        """Return the keys of fixes in earlier sessions that may confirm those of each row.

        What takes longest is done here, before the home is locked: the lines of sessions are remembered, so that they
        are read quickly then. There are fewer results than rows if that would take too much memory.
        """
        earlier: list[frozenset[str]] = []
        with self._store.snapshot() as connection:
            for row in rows:
                if earlier and sum(map(len, self._decoded)) > _MAX_REMEMBERED_BYTES:
                    break
                earlier.append(self._earlier_fixes(connection, row))
        return earlier

    def _forget_sessions(self) -> None:
        self._decoded, self._fixes = {}, {}

    def session_events(self, row: SessionRow) -> list[SessionEvent]:
        """Return the events of the conversation in a session, in order."""
        with self._store.snapshot() as connection:
            return _session_events(connection, row)

    def unlearned_sessions(self, judge: str = "") -> list[SessionRow]:
        """Return the sessions that were not learned from as they are now, or not judged by `judge`, earliest first.

        Sessions of a subagent alone have nothing for a judge.
        """
        with self._store.snapshot() as connection:
            is_any = judge == ANY_JUDGE
            done = sessions.judged_sessions(connection) if is_any else sessions.learned_sessions(connection, judge)
            rows = (row for row in reversed(sessions.session_rows(connection)) if not judge or row.has_content)
            return [row for row in rows if (row.id, row.ended_at) not in done]

    def doubtful_statements(self) -> Iterator[LearnResult]:
        """Yield what sessions state doubtfully and nobody has proposed or decided on, the latest sessions first.

        A judge has read the sentences of the sessions that it judged. Nothing is recorded: the sessions have it all.
        """
        seen: set[ClaimId] = set()
        for row in reversed(self.unlearned_sessions(ANY_JUDGE)):
            with self._store.snapshot() as connection:
                lessons = doubtful_statements(_session_events(connection, row))
                results = list(_classify_lessons(connection, row, lessons, may_accept=False))
            for result in results:
                if result.claim.id not in seen and result.state in (LearnState.NEW, LearnState.DEFERRED):
                    seen.add(result.claim.id)
                    yield result

    def _record_lessons(
        self, rows: Sequence[SessionRow], earlier: Sequence[frozenset[str]], judged: JudgedSession | None = None
    ) -> list[list[LearnResult]]:
        """Propose what is learned from sessions, up to the first that has something to record.

        Return what became of the lessons of each. It is one at least, and as many as can be done in a short time: other
        processes wait for the lock.
        """
        done: list[list[LearnResult]] = []
        learned: list[tuple[SessionRow, list[SessionChoice]]] = []
        actor, until = self._store.actor, time.monotonic() + _MAX_CHANGE_SECONDS
        judge = judged.judge if judged else ""
        try:
            with self._store.change() as change:
                for row, confirming in zip(rows, earlier, strict=False):
                    results, choices = self._results(change.connection, row, confirming, judged)
                    drafts = list(_session_drafts(change.connection, row, results, judged))
                    done.append(results)
                    learned.append((row, choices))
                    if drafts or time.monotonic() > until:
                        change.record(drafts, actor=Actor(actor.clock, USER, row.host_session_id, actor.host))
                        if any(isinstance(draft.body, TrialChecked) for draft in drafts):
                            from tacit.learn.trials import decided_endings

                            change.record(decided_endings(change.connection))
                        break
        except BaseException:
            learned[-1:] = []  # the lessons of this one were not recorded
            raise
        finally:
            if learned:
                with self._store.update_index() as connection, transaction(connection):
                    for row, choices in learned:
                        sessions.mark_session_learned(connection, row.id, row.ended_at, judge)
                        sessions.save_session_choices(connection, row.id, choices)
        return done

    def _results(
        self, connection: sqlite3.Connection, row: SessionRow, earlier: frozenset[str], judged: JudgedSession | None
    ) -> tuple[list[LearnResult], list[SessionChoice]]:
        """Return what became of the lessons of a session, and what the person chose in it.

        `earlier` are the keys of fixes of earlier sessions.
        """
        events = _session_events(connection, row, self._decode_once)
        decisions = observed_decisions(events)
        choices = [decision.choice for decision in decisions]
        others = sessions.choices_of_other_sessions(connection, row, [choice.subject for choice in choices])
        previewed = self._previewed.setdefault(row.scope, {})
        others |= {session: chosen for session, chosen in previewed.items() if session != row.id}
        previewed[row.id] = choices
        lessons = learn_statements(events)
        lessons += confirmed_fixes(self._fixes_of(row, events), earlier) if earlier else ()
        lessons = _with_findings(lessons, judged.findings if judged else ())
        lessons += repeated_lessons(decisions, list(others.values()))
        results = list(_classify_lessons(connection, row, lessons, may_accept=self._home.settings.learn_accept))
        return results, choices

    def _earlier_fixes(self, connection: sqlite3.Connection, row: SessionRow) -> frozenset[str]:
        """Return the keys of fixes in earlier sessions of the project, if this session has fixes they may confirm."""
        if not self._fix_keys_of(connection, row, is_learned=True):
            return frozenset()
        others = sessions.session_rows(connection, row.scope)
        earlier = [other for other in others if other.id != row.id and other.ended_at <= row.ended_at]
        recent = sorted(earlier, key=lambda other: other.ended_at, reverse=True)[:_MAX_EARLIER_SESSIONS]
        return frozenset(key for other in recent for key in self._fix_keys_of(connection, other, is_learned=False))

    def _fix_keys_of(self, connection: sqlite3.Connection, row: SessionRow, *, is_learned: bool) -> frozenset[str]:
        """Return the keys of the fixes of a session. `is_learned` says that it is being learned from."""
        version = sessions.session_version(connection, row.id)
        if version not in self._fix_keys:
            events = _session_events(connection, row, self._decode_once if is_learned else must_decode)
            fixes = self._fixes_of(row, events) if is_learned else find_fixes(events)
            self._fix_keys[version] = fix_keys(fixes)
        return self._fix_keys[version]

    def _fixes_of(self, row: SessionRow, events: Sequence[SessionEvent]) -> list[ScoredFix]:
        """Return the fixes of a session that is being learned from. They are needed once for their keys."""
        known = self._fixes.get(row.id)
        if known is None or known[0] != events:
            known = self._fixes[row.id] = events, find_fixes(events)
        return known[1]

    def _decode_once(self, raw: bytes) -> Event:
        """Decode a line of a session, which is read before the home is locked and once more while it is."""
        event = self._decoded.get(raw)
        if event is None:
            event = self._decoded[raw] = must_decode(raw)
        return event


def _session_events(
    connection: sqlite3.Connection, row: SessionRow, decode: Decode = must_decode
) -> list[SessionEvent]:
    events = (logged.event for logged in sessions.logged_events_of_session(connection, row, decode))
    return [SessionEvent(event.id, event.body) for event in events if isinstance(event.body, CONVERSATION_TYPES)]


def _classify_lessons(
    connection: sqlite3.Connection, row: SessionRow, lessons: Sequence[Lesson], *, may_accept: bool
) -> Iterator[LearnResult]:
    """Yield the lessons as claims, the surest first, each claim once.

    With `may_accept` a lesson needs no review (C5) that is new, sure, in the person's own words and opposes nothing.
    """
    new = 0
    seen: set[str] = set()
    for lesson in sorted(lessons, key=lambda lesson: -lesson.confidence):
        try:
            stated = claim_from(lesson.sentence, GLOBAL if lesson.everywhere else row.scope, kind=lesson.kind)
        except TacitError:
            continue
        stated = restated_claim(connection, stated, partial(_holds_there, stated.scope))  # the new words are evidence
        claim = _named_claim(connection, lesson, row) or stated
        if claim.id in seen:
            continue
        seen.add(claim.id)
        is_merged = claim.id != stated.id and _is_suggestion_of(connection, stated.id, row)
        state = _claim_state(connection, claim, row)
        if state is LearnState.NEW:
            new += 1
            is_sure = lesson.confidence >= _MIN_ACCEPT_CONFIDENCE and lesson.provenance is Provenance.USER_DIRECT
            if new > _MAX_NEW_PER_SESSION:
                state = LearnState.DEFERRED
            elif may_accept and is_sure and not (lesson.contradicts or opposing_claims(connection, claim)):
                state = LearnState.ACCEPTED
        yield LearnResult(claim, lesson, row, state, stated if is_merged else None)


def _named_claim(connection: sqlite3.Connection, lesson: Lesson, session: SessionRow) -> Claim | None:
    """Return the claim of the memory that a judge says a lesson repeats, None if it does not hold there any more."""
    row = reader.memory_row(connection, lesson.same_as) if lesson.same_as else None
    if row is None or row.status not in (Status.ACTIVE, Status.PENDING) or not _holds_there(session.scope, row):
        return None
    memory = reader.load_memory(connection, row.id, must_decode)
    return memory.claim if memory else None


def _is_suggestion_of(connection: sqlite3.Connection, claim: ClaimId, session: SessionRow) -> bool:
    """Return whether a claim only waits, and was learned from one session alone."""
    row = reader.memory_row(connection, claim)
    events = reader.events_of_claim(connection, claim, must_decode)
    return row is not None and row.status is Status.PENDING and is_learned_in(events, {session.host_session_id})


def is_learned_in(events: Sequence[Event], host_sessions: Collection[str]) -> bool:
    """Return whether all events of a claim were written when some sessions were learned from."""
    return all(event.origin.actor == _ACTOR and event.origin.session in host_sessions for event in events)


def _with_findings(lessons: Sequence[Lesson], findings: Sequence[Lesson]) -> list[Lesson]:
    """Return lessons and what a judge found beside them. What it says of a memory holds for the lesson, too."""
    merged, new = list(lessons), []
    for finding in findings:
        place = next((place for place, lesson in enumerate(lessons) if _is_covered(finding, lesson)), None)
        if place is None:
            new.append(finding)
        elif finding.same_as or finding.contradicts:
            merged[place] = merged[place]._replace(same_as=finding.same_as, contradicts=finding.contradicts)
    return merged + new


def _is_covered(finding: Lesson, lesson: Lesson) -> bool:
    """Return whether a lesson says in the person's own words what a judge says: one card is enough."""
    from tacit.contradiction.polarity import content_stems  # only with a judge

    if finding.everywhere and not lesson.everywhere:
        return False
    if lesson.kind is finding.kind is Kind.KNOWN_FIX and not set(lesson.evidence).isdisjoint(finding.evidence):
        return True
    is_same_quote = lesson.evidence[0] in finding.evidence and (
        lesson.quote in finding.quote or finding.quote in lesson.quote
    )
    stems, others = content_stems(finding.sentence), content_stems(lesson.sentence)
    return is_same_quote and 2 * len(stems & others) >= min(len(stems), len(others))


def _holds_there(scope: Scope, row: MemoryRow) -> bool:
    return row.scope == scope or (row.scope == GLOBAL and row.status is Status.ACTIVE)


def _claim_state(connection: sqlite3.Connection, claim: Claim, session: SessionRow) -> LearnState:
    """Return what becomes of a claim. A quote of an imported line of a rule file teaches nothing."""
    scopes = dict.fromkeys((claim.scope, GLOBAL))
    alike = (reader.events_of_claim(connection, claim._replace(scope=scope).id, must_decode) for scope in scopes)
    bodies = (event.body for events in alike for event in events)
    if any(isinstance(body, ClaimProposed) and body.source == RULE_FILE for body in bodies):
        return LearnState.KNOWN
    row = reader.memory_row(connection, claim.id)
    if row is None:
        return LearnState.NEW
    if row.status in (Status.DISMISSED, Status.RETIRED):
        return LearnState.DISMISSED
    for event in reader.events_of_claim(connection, claim.id, must_decode):
        is_ours = isinstance(event.body, ClaimProposed) and event.body.source == SOURCE
        if is_ours and event.origin.session == session.host_session_id:
            return LearnState.KNOWN
    return LearnState.REPEATED


def _contradicted(connection: sqlite3.Connection, result: LearnResult) -> tuple[str, ...]:
    """Return the memory that a judge says a lesson contradicts, if it holds where the session was."""
    named = result.lesson.contradicts
    row = reader.memory_row(connection, named) if named and named != result.claim.id else None
    return (row.id,) if row and _holds_there(result.session.scope, row) else ()


def proposal_draft(result: LearnResult, contradicted: tuple[str, ...] = ()) -> Draft:
    """Return the proposal of a claim, with what was said in the session as its evidence."""
    claim, lesson, row = result.claim, result.lesson, result.session
    quote = one_line(clip(lesson.quote, 4 * _MAX_QUOTE_CHARS), _MAX_QUOTE_CHARS)
    evidence = f"{row.agent}, {row.ended_at[:10]}, session {row.id}: “{quote}”"
    grounds = (lesson.reason, lesson.confidence, lesson.evidence)
    proposed = ClaimProposed(claim, Verdict.PROPOSED, SOURCE, evidence, *grounds, kind_inferred=True)
    # Where the memory is another one, its wording is not the judge's.
    is_quote = lesson.same_as == claim.id and lesson.provenance is Provenance.MODEL
    provenance = Provenance.USER_DIRECT if is_quote else lesson.provenance
    return Draft(proposed._replace(contradicts=contradicted), claim.scope, Attribution(_ACTOR, provenance))


def _session_drafts(
    connection: sqlite3.Connection, row: SessionRow, results: Sequence[LearnResult], judged: JudgedSession | None
) -> Iterator[Draft]:
    """Yield what is recorded of a session: lessons, a judge's summary, and whether its agent did what it was told."""
    for result in results:
        claim, lesson, _, state, merged = result
        if merged:  # what it rests on is proposed for the other one
            replaced = ClaimDecided(merged, Verdict.REVISED, lesson.reason, instead=claim, kind_inferred=True)
            yield Draft(replaced, claim.scope, _POLICY_ATTRIBUTION)
        if state in RECORDED_STATES:
            yield proposal_draft(result, _contradicted(connection, result))
        elif state is LearnState.KNOWN and (contradicted := _contradicted(connection, result)):
            noticed = ClaimProposed(claim, Verdict.SUGGESTED, SOURCE, "", lesson.reason, contradicts=contradicted)
            yield Draft(noticed, claim.scope, Attribution(_ACTOR, lesson.provenance))
        if state is LearnState.ACCEPTED:
            accepted = ClaimDecided(claim, Verdict.ACCEPTED, _ACCEPT_REASON, kind_inferred=True)
            yield Draft(accepted, claim.scope, _POLICY_ATTRIBUTION)
    # Without a text it says that the judge has read the session: nobody pays for that again after a rebuild.
    if judged and judged.was_asked and (judged.summary, judged.judge) != (row.outcome, row.model):
        summarized = SessionSummarized(row.agent, judged.summary, judged.judge, row.ended_at)
        yield Draft(summarized, row.scope, Attribution(f"model:{judged.judge}", Provenance.MODEL))
    if sessions.injection_events(connection, must_decode, row.host_session_id):  # few were told anything
        from tacit.learn.adherence import check_session

        yield from check_session(connection, row)
        if reader.has_trials(connection):
            from tacit.learn.trials import check_trials

            yield from check_trials(connection, row)
