"""Learning from sessions: statements and fixes become proposals with their evidence, each once."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from typing import TYPE_CHECKING

from tacit.errors import TacitError
from tacit.home.actor import Actor
from tacit.home.home import HomePart
from tacit.index import reader, sessions
from tacit.index.memories import opposing_claims
from tacit.index.sessions import SessionRow
from tacit.learn.fixes.pipeline import learn_fixes
from tacit.learn.statements.pipeline import learn_statements
from tacit.learn.types import Lesson, SessionEvent
from tacit.log.codec import must_decode
from tacit.model.claim import Claim, Provenance, Status
from tacit.model.event import POLICY, USER, Attribution, ClaimDecided, ClaimProposed, Draft, Event, Verdict
from tacit.model.observation import CONVERSATION_TYPES, SessionSummarized
from tacit.model.relation import is_restatement
from tacit.model.statement import claim_from
from tacit.record import Record
from tacit.search.memories import similar_memories
from tacit.text.display import clip
from tacit.text.summarize import one_line

if TYPE_CHECKING:
    from tacit.learn.llm.run import ModelOutcome


# Every learner of conversations, one after the other.


def learn_all(said: Sequence[SessionEvent]) -> list[Lesson]:
    """What one session says that should hold on, and what mended what failed in it."""
    return [*learn_statements(said), *learn_fixes(said)]


# Learning from sessions: what was said in one is proposed with the events it comes from, each thing once a session.
#
# Nothing becomes active here that the person did not say clearly, and then only where they set it so. Sessions that
# did not change since are not looked at again; where that is forgotten, they are, and nothing new comes of it. For a
# model those are left that it has not read as they are now.

SOURCE = "talk"
_ACTOR = "learner:talk"
_MAX_NEW_PER_SESSION = 5  # new things of one session: whoever is asked about more answers none of them
_MAX_QUOTE_CHARS = 300
_MIN_ACCEPT_CONFIDENCE = 0.75  # from here on a conclusion is sure enough to hold without a review
_ACCEPT_REASON = "said clearly in your own words (learn.accept)"
_POLICY_VOICE = Attribution(POLICY, Provenance.USER_DIRECT)
_MAX_SIMILAR = 20  # memories among which the same in other words is looked for

SessionLearner = Callable[[Sequence[SessionEvent]], Sequence[Lesson]]


class LearnState(Enum):
    """What became of a conclusion."""

    NEW = "new"
    ACCEPTED = "accepted at once"
    REPEATED = "said again"
    KNOWN = "known from this session already"
    DISMISSED = "turned down before"
    DEFERRED = "more than one session may ask about at once"


RECORDED_STATES = (LearnState.NEW, LearnState.ACCEPTED, LearnState.REPEATED)


class LearnResult(Record):
    """What was learned from a session, and what became of it."""

    claim: Claim
    lesson: Lesson
    session: SessionRow
    state: LearnState


class SessionLearning(HomePart):
    """learn."""

    def learn_from_session(
        self, row: SessionRow, *, dry_run: bool = False, read: ModelOutcome | None = None
    ) -> list[LearnResult]:
        """With every learner there is, and what a model read in it: that was asked before, so nobody waits for it."""

        if read is None:
            return self.record_lessons(row, learn_all, dry_run=dry_run)
        return self.record_lessons(row, lambda said: [*learn_all(said), *read.findings], dry_run=dry_run, read=read)

    def session_events(self, row: SessionRow) -> list[SessionEvent]:
        """All that was said and done in a session, in order."""
        return self._store.read(lambda connection: _session_events(connection, row))

    def unlearned_sessions(self, model: str = "") -> list[SessionRow]:
        """Sessions with something that was not learned from yet, or that this model has not read; the earliest first.
        Of a helper's work alone there is nothing that a model could tell."""

        def ask(connection: sqlite3.Connection) -> list[SessionRow]:
            done = sessions.learned_sessions(connection, model)
            rows = (row for row in reversed(sessions.session_rows(connection)) if not model or row.has_content)
            return [row for row in rows if (row.id, row.at) not in done]

        return self._store.read(ask)

    def record_lessons(
        self, row: SessionRow, learn: SessionLearner, *, dry_run: bool = False, read: ModelOutcome | None = None
    ) -> list[LearnResult]:
        """What this session says that should hold on; proposed, unless it is only looked at."""
        if dry_run:
            return self._store.read(lambda connection: self._results(connection, row, learn))
        found: list[LearnResult] = []

        def decide(connection: sqlite3.Connection) -> list[Draft]:
            found.extend(self._results(connection, row, learn))
            proposed = [draft for one in found if one.state in RECORDED_STATES for draft in _result_drafts(one)]
            return [*proposed, *(_summary_drafts(row, read) if read else ())]

        def remember(connection: sqlite3.Connection, _events: Sequence[Event]) -> None:
            """Only what is recorded is done with."""
            sessions.mark_session_learned(connection, row.id, row.at, read.model if read else "")

        speaker = self._store.actor
        self._store.actor = Actor(speaker.clock, USER, row.name, speaker.host)
        try:
            self._store.change(decide, remember)
        finally:
            self._store.actor = speaker
        return found

    def _results(self, connection: sqlite3.Connection, row: SessionRow, learn: SessionLearner) -> list[LearnResult]:
        found = list(_classify_lessons(connection, row, learn(_session_events(connection, row))))
        if not self._home.settings.learn_accept:
            return found
        return [one._replace(state=LearnState.ACCEPTED) if _may_accept(connection, one) else one for one in found]


def _session_events(connection: sqlite3.Connection, row: SessionRow) -> list[SessionEvent]:
    events = (one.event for one in sessions.logged_events_of_session(connection, row, must_decode))
    return [SessionEvent(event.id, event.body) for event in events if isinstance(event.body, CONVERSATION_TYPES)]


def _classify_lessons(
    connection: sqlite3.Connection, row: SessionRow, learnt: Sequence[Lesson]
) -> Iterator[LearnResult]:
    fresh = 0
    seen: set[str] = set()
    for one in sorted(learnt, key=lambda one: -one.confidence):
        said = _claim_from_lesson(one, row)
        claim = said and _matching_claim(connection, said)
        if claim is None or claim.id in seen:
            continue
        seen.add(claim.id)
        state = _claim_state(connection, claim, row)
        if state is LearnState.NEW:
            fresh += 1
            state = LearnState.NEW if fresh <= _MAX_NEW_PER_SESSION else LearnState.DEFERRED
        yield LearnResult(claim, one, row, state)


def _claim_from_lesson(one: Lesson, row: SessionRow) -> Claim | None:
    try:
        return claim_from(one.sentence, row.scope, kind=one.kind)
    except TacitError:
        return None


def _matching_claim(connection: sqlite3.Connection, claim: Claim) -> Claim:
    """The same thing said in other words before is one memory: the first words stay, the new ones are evidence."""
    if reader.memory_row(connection, claim.id) is not None:
        return claim
    for entry in similar_memories(connection, claim.sentence, _MAX_SIMILAR):
        if entry.scope == claim.scope and is_restatement(entry.sentence, claim.sentence):
            memory = reader.load_memory(connection, entry.id, must_decode)
            return memory.claim if memory else claim
    return claim


def _claim_state(connection: sqlite3.Connection, claim: Claim, row: SessionRow) -> LearnState:
    entry = reader.memory_row(connection, claim.id)
    if entry is None:
        return LearnState.NEW
    if entry.status in (Status.DISMISSED, Status.RETIRED):
        return LearnState.DISMISSED
    events = reader.events_of_claim(connection, claim.id, must_decode)
    return LearnState.KNOWN if any(_is_proposal_from(event, row) for event in events) else LearnState.REPEATED


def _is_proposal_from(event: Event, row: SessionRow) -> bool:
    return isinstance(event.body, ClaimProposed) and event.body.source == SOURCE and event.origin.session == row.name


def _may_accept(connection: sqlite3.Connection, one: LearnResult) -> bool:
    """Whether it may hold without a review (C5): new, surely meant, in the person's own words, and against nothing."""
    sure = one.state is LearnState.NEW and one.lesson.confidence >= _MIN_ACCEPT_CONFIDENCE
    return sure and one.lesson.provenance is Provenance.USER_DIRECT and not opposing_claims(connection, one.claim)


def _result_drafts(one: LearnResult) -> Iterator[Draft]:
    yield _proposal_draft(one)
    if one.state is LearnState.ACCEPTED:
        yield Draft(ClaimDecided(one.claim, Verdict.ACCEPTED, _ACCEPT_REASON), one.claim.scope, _POLICY_VOICE)


def _summary_drafts(row: SessionRow, read: ModelOutcome) -> Iterator[Draft]:
    """What a model says of the session as it is; the same words again are nothing new."""
    if read.summary and (read.summary, read.model) != (row.outcome, row.model):
        body = SessionSummarized(row.agent, read.summary, read.model, row.at)
        yield Draft(body, row.scope, Attribution(f"model:{read.model}", Provenance.MODEL))


def _proposal_draft(one: LearnResult) -> Draft:
    where = f"{one.session.agent}, {one.session.at[:10]}, session {one.session.id}"
    evidence = f"{where}: “{one_line(clip(one.lesson.quote, 4 * _MAX_QUOTE_CHARS), _MAX_QUOTE_CHARS)}”"
    body = ClaimProposed(
        one.claim,
        Verdict.PROPOSED,
        SOURCE,
        evidence,
        one.lesson.reason,
        one.lesson.confidence,
        one.lesson.evidence,
    )
    return Draft(body, one.claim.scope, Attribution(_ACTOR, one.lesson.provenance))
