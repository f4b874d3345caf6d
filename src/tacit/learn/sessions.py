"""Learning from sessions: statements and fixes become proposals with their evidence, each once."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from typing import TYPE_CHECKING

from tacit.errors import TacitError
from tacit.home.actor import Speaker
from tacit.home.home import Part
from tacit.index import reader, sessions
from tacit.index.memories import opposing
from tacit.index.sessions import Row
from tacit.learn.fixes.pipeline import learnt_from
from tacit.learn.statements.pipeline import learn_from
from tacit.learn.types import Learnt, Said
from tacit.log.codec import must_decode
from tacit.model.claim import Claim, Provenance, Status
from tacit.model.event import POLICY, USER, Decided, Draft, Event, Proposed, Verdict, Voice
from tacit.model.observation import SAID, SummedUp
from tacit.model.relation import is_alike
from tacit.model.statement import claim_from
from tacit.record import Record
from tacit.search.memories import memories_like
from tacit.text.display import clip
from tacit.text.summarize import one_line

if TYPE_CHECKING:
    from tacit.learn.llm.run import ModelOutcome


# Every learner of conversations, one after the other.


def every_learner(said: Sequence[Said]) -> list[Learnt]:
    """What one session says that should hold on, and what mended what failed in it."""
    return [*learn_from(said), *learnt_from(said)]


# Learning from sessions: what was said in one is proposed with the events it comes from, each thing once a session.
#
# Nothing becomes active here that the person did not say clearly, and then only where they set it so. Sessions that
# did not change since are not looked at again; where that is forgotten, they are, and nothing new comes of it. For a
# model those are left that it has not read as they are now.

SOURCE = "talk"
_ACTOR = "learner:talk"
_MOST = 5  # new things of one session: whoever is asked about more answers none of them
_QUOTE = 300
_CLEAR = 0.75  # from here on a conclusion is sure enough to hold without a review
_ACCEPTED = "said clearly in your own words (learn.accept)"
_POLICY = Voice(POLICY, Provenance.USER_DIRECT)
_NEAR = 20  # memories among which the same in other words is looked for

Learn = Callable[[Sequence[Said]], Sequence[Learnt]]


class State(Enum):
    """What became of a conclusion."""

    NEW = "new"
    ACCEPTED = "accepted at once"
    AGAIN = "said again"
    KNOWN = "known from this session already"
    TURNED_DOWN = "turned down before"
    LATER = "more than one session may ask about at once"


RECORDED = (State.NEW, State.ACCEPTED, State.AGAIN)


class Conclusion(Record):
    """What was learned from a session, and what became of it."""

    claim: Claim
    learnt: Learnt
    session: Row
    state: State


class SessionLearning(Part):
    """learn."""

    def learn_from_session(
        self, row: Row, *, dry_run: bool = False, read: ModelOutcome | None = None
    ) -> list[Conclusion]:
        """With every learner there is, and what a model read in it: that was asked before, so nobody waits for it."""

        if read is None:
            return self.conclude(row, every_learner, dry_run=dry_run)
        return self.conclude(row, lambda said: [*every_learner(said), *read.findings], dry_run=dry_run, read=read)

    def said_in(self, row: Row) -> list[Said]:
        """All that was said and done in a session, in order."""
        return self._store.read(lambda connection: _said(connection, row))

    def unlearned(self, model: str = "") -> list[Row]:
        """Sessions with something that was not learned from yet, or that this model has not read; the earliest first.
        Of a helper's work alone there is nothing that a model could tell."""

        def ask(connection: sqlite3.Connection) -> list[Row]:
            done = sessions.concluded(connection, model)
            rows = (row for row in reversed(sessions.rows(connection)) if not model or row.is_told)
            return [row for row in rows if (row.id, row.at) not in done]

        return self._store.read(ask)

    def conclude(
        self, row: Row, learn: Learn, *, dry_run: bool = False, read: ModelOutcome | None = None
    ) -> list[Conclusion]:
        """What this session says that should hold on; proposed, unless it is only looked at."""
        if dry_run:
            return self._store.read(lambda connection: self._conclusions(connection, row, learn))
        found: list[Conclusion] = []

        def decide(connection: sqlite3.Connection) -> list[Draft]:
            found.extend(self._conclusions(connection, row, learn))
            proposed = [draft for one in found if one.state in RECORDED for draft in _drafts(one)]
            return [*proposed, *(_summed_up(row, read) if read else ())]

        def remember(connection: sqlite3.Connection, _events: Sequence[Event]) -> None:
            """Only what is recorded is done with."""
            sessions.remember_concluded(connection, row.id, row.at, read.model if read else "")

        speaker = self._store.speaker
        self._store.speaker = Speaker(speaker.clock, USER, row.name, speaker.host)
        try:
            self._store.change(decide, remember)
        finally:
            self._store.speaker = speaker
        return found

    def _conclusions(self, connection: sqlite3.Connection, row: Row, learn: Learn) -> list[Conclusion]:
        found = list(_judged(connection, row, learn(_said(connection, row))))
        if not self._home.settings.learn_accept:
            return found
        return [one._replace(state=State.ACCEPTED) if _is_clear(connection, one) else one for one in found]


def _said(connection: sqlite3.Connection, row: Row) -> list[Said]:
    events = (one.event for one in sessions.placed(connection, row, must_decode))
    return [Said(event.id, event.body) for event in events if isinstance(event.body, SAID)]


def _judged(connection: sqlite3.Connection, row: Row, learnt: Sequence[Learnt]) -> Iterator[Conclusion]:
    fresh = 0
    seen: set[str] = set()
    for one in sorted(learnt, key=lambda one: -one.confidence):
        said = _claim(one, row)
        claim = said and _known_as(connection, said)
        if claim is None or claim.id in seen:
            continue
        seen.add(claim.id)
        state = _state(connection, claim, row)
        if state is State.NEW:
            fresh += 1
            state = State.NEW if fresh <= _MOST else State.LATER
        yield Conclusion(claim, one, row, state)


def _claim(one: Learnt, row: Row) -> Claim | None:
    try:
        return claim_from(one.sentence, row.scope, kind=one.kind)
    except TacitError:
        return None


def _known_as(connection: sqlite3.Connection, claim: Claim) -> Claim:
    """The same thing said in other words before is one memory: the first words stay, the new ones are evidence."""
    if reader.entry(connection, claim.id) is not None:
        return claim
    for entry in memories_like(connection, claim.sentence, _NEAR):
        if entry.scope == claim.scope and is_alike(entry.sentence, claim.sentence):
            memory = reader.memory(connection, entry.id, must_decode)
            return memory.claim if memory else claim
    return claim


def _state(connection: sqlite3.Connection, claim: Claim, row: Row) -> State:
    entry = reader.entry(connection, claim.id)
    if entry is None:
        return State.NEW
    if entry.status in (Status.DISMISSED, Status.RETIRED):
        return State.TURNED_DOWN
    events = reader.events_of(connection, claim.id, must_decode)
    return State.KNOWN if any(_is_of(event, row) for event in events) else State.AGAIN


def _is_of(event: Event, row: Row) -> bool:
    return isinstance(event.body, Proposed) and event.body.source == SOURCE and event.origin.session == row.name


def _is_clear(connection: sqlite3.Connection, one: Conclusion) -> bool:
    """Whether it may hold without a review (C5): new, surely meant, in the person's own words, and against nothing."""
    sure = one.state is State.NEW and one.learnt.confidence >= _CLEAR
    return sure and one.learnt.provenance is Provenance.USER_DIRECT and not opposing(connection, one.claim)


def _drafts(one: Conclusion) -> Iterator[Draft]:
    yield _proposed(one)
    if one.state is State.ACCEPTED:
        yield Draft(Decided(one.claim, Verdict.ACCEPTED, _ACCEPTED), one.claim.scope, _POLICY)


def _summed_up(row: Row, read: ModelOutcome) -> Iterator[Draft]:
    """What a model says of the session as it is; the same words again are nothing new."""
    if read.summary and (read.summary, read.model) != (row.outcome, row.model):
        body = SummedUp(row.agent, read.summary, read.model, row.at)
        yield Draft(body, row.scope, Voice(f"model:{read.model}", Provenance.MODEL))


def _proposed(one: Conclusion) -> Draft:
    where = f"{one.session.agent}, {one.session.at[:10]}, session {one.session.id}"
    evidence = f"{where}: “{one_line(clip(one.learnt.quote, 4 * _QUOTE), _QUOTE)}”"
    body = Proposed(
        one.claim,
        Verdict.PROPOSED,
        SOURCE,
        evidence,
        one.learnt.reason,
        one.learnt.confidence,
        one.learnt.evidence,
    )
    return Draft(body, one.claim.scope, Voice(_ACTOR, one.learnt.provenance))
