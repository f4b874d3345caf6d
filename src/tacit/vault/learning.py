"""Learning from commands: what was filed is counted, what became a habit is proposed, and nobody is flooded."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, partial

from tacit.core.claim import GLOBAL, Kind
from tacit.core.errors import LockBusy, ReadOnly
from tacit.core.event import Draft, Event, Voice
from tacit.core.ids import ClaimId, EventId, moment
from tacit.core.judgement import Proposed, Verdict
from tacit.core.memory import Memory
from tacit.core.provenance import Provenance
from tacit.core.status import Status
from tacit.index import habits, reader
from tacit.index.disputes import opposing
from tacit.index.habits import Counted, Ran
from tacit.learn.habits.choose import WAITING, Odds, chosen
from tacit.learn.habits.fold import fold
from tacit.learn.habits.habit import SCALES, Seen, Tally, claim_of, confidence, label, seen_of
from tacit.learn.habits.recipe import Recipe, recipe
from tacit.learn.habits.trail import Trail, step
from tacit.vault.filing import must_decode
from tacit.vault.reading import Counts, Listed, Questions
from tacit.vault.store import Store

SOURCE = "habit"
# Commands are what a person did, not what they said.
_LEARNER = Voice("learner:habit", Provenance.USER_FILE)
_OCCURRENCES, _BACK = 20, 50  # sessions to look at, and commands in each
_SHOWN = 5  # occurrences told as a reason
_LOOKED_AT = 150  # habits of a kind, the most frequent: what is rarer waits until it is not


@dataclass(frozen=True, slots=True)
class Learned:
    """What learning came to: new suggestions, and how many wait for a decision."""

    new: tuple[ClaimId, ...]
    waiting: int


class Learning(Questions):
    """Habits of one home."""

    def suggestions(self, scope: str = "all") -> list[Listed]:
        """What waits for a decision, the surest first; learned up to now where the home can be written."""
        self._learn_if_possible()
        pending = self.entries(status=Status.PENDING, scope=scope)

        def counted(connection: sqlite3.Connection) -> dict[ClaimId, Tally]:
            return {memory.id: tally for memory, tally in waiting(connection)}

        tallies = self._store.read(counted)
        shown = [_with_counts(one, tallies.get(one.memory.id)) for one in pending]
        kept = [one for one in shown if one.counted or one.memory.source != SOURCE]
        told = self._store.read(lambda connection: [_with_reasons(connection, one) for one in kept])
        return sorted(told, key=lambda one: -one.memory.confidence)

    def occurrences(self, memory: Memory) -> list[Ran]:
        """The commands behind a habit: the last one of each session it was seen in, the latest first."""
        seen = seen_of(memory.claim)

        def ask(connection: sqlite3.Connection) -> list[Ran]:
            ends = habits.sessions_of(connection, *seen, most=_SHOWN) if seen else []
            return [ran for end in ends for ran in habits.recent(connection, end, 1)]

        return self._store.read(ask)

    def recipe(self, memory: Memory) -> Recipe | None:
        """How the commands of a habit were really typed, and where; nothing for what is no sequence."""
        seen = seen_of(memory.claim)
        if seen is None or seen.kind is not Kind.WORKFLOW_PATTERN:
            return None

        def ask(connection: sqlite3.Connection) -> Recipe:
            ends = habits.sessions_of(connection, *seen, most=_OCCURRENCES)
            return recipe(seen.key, [[ran.command for ran in habits.recent(connection, end, _BACK)] for end in ends])

        return self._store.read(ask)

    def _learn_if_possible(self) -> None:
        """Where there is a home, and it can be written."""
        if os.path.isdir(self.home):
            with suppress(ReadOnly, LockBusy):
                self.learn()

    def learn(self) -> Learned:
        return learn(self._store)


def learn(store: Store) -> Learned:
    """Take in the commands since the last time, and suggest what became a habit."""

    def decision(connection: sqlite3.Connection) -> Sequence[Draft]:
        habits.learn(connection, learned)
        return proposals(connection)

    def tell(connection: sqlite3.Connection, events: list[Event]) -> Learned:
        bodies = [event.body for event in events]
        new = [one.claim.id for one in bodies if isinstance(one, Proposed) and one.verdict is Verdict.PROPOSED]
        return Learned(tuple(new), len(waiting(connection)))

    return store.change(decision, tell)


def _with_reasons(connection: sqlite3.Connection, one: Listed) -> Listed:
    if one.counted:
        return one
    bodies = (event.body for event in reader.events_of(connection, one.memory.id, must_decode))
    reasons = [body.reason for body in bodies if isinstance(body, Proposed) and body.reason]
    entries = (reader.entry(connection, claim) for claim in opposing(connection, one.memory.claim))
    return one._replace(why=reasons[-1] if reasons else "", against=tuple(entry for entry in entries if entry))


def _with_counts(listed: Listed, tally: Tally | None) -> Listed:
    if tally is None:
        return listed
    return listed._replace(counted=Counts(label(tally.seen), tally.runs, tally.sessions, _day(tally)))


def learned(trail: str, commands: Sequence[Ran]) -> tuple[str, list[tuple[Seen, ...]]]:
    """A session's learners over further commands; the trail is kept as text between the times."""
    walked = _trail(trail)
    found = []
    for ran in commands:
        walked, seen = fold(walked, step(ran.at, ran.command))
        found.append(seen)
    return json.dumps(walked), found


def _trail(text: str) -> Trail:
    if not text:
        return Trail()
    families, at, failed = json.loads(text)
    return Trail(tuple(families), at, failed)


def proposals(connection: sqlite3.Connection) -> list[Draft]:
    """New habits for the places that are free, and more confidence for those that wait."""
    pending = waiting(connection)
    raised = [_proposed(tally, Verdict.SUGGESTED) for memory, tally in pending if confidence(tally) > memory.confidence]
    free = WAITING - len(pending)
    if free <= 0:
        return raised
    fresh = (tally for tally in candidates(connection) if reader.entry(connection, claim_of(tally.seen).id) is None)
    return raised + [_proposed(tally, Verdict.PROPOSED) for tally, _ in zip(fresh, range(free), strict=False)]


def waiting(connection: sqlite3.Connection) -> list[tuple[Memory, Tally]]:
    """The habits that nobody decided on yet, with what was counted. A pair whose triple became a habit is not one."""
    odds = _odds(connection)
    found = []
    for entry in reader.entries(connection, status=Status.PENDING):
        memory = reader.memory(connection, entry.id, must_decode) if entry.kind in SCALES else None
        tally = tally_of(connection, memory) if memory and memory.source == SOURCE else None
        if memory and tally and not (tally.seen.kind is Kind.WORKFLOW_PATTERN and odds.in_longer(tally.seen.key)):
            found.append((memory, tally))
    return found


def tally_of(connection: sqlite3.Connection, memory: Memory) -> Tally | None:
    """What was counted of a memory that is a habit."""
    seen = seen_of(memory.claim)
    counted = habits.count_of(connection, *seen) if seen else None
    return _tally(counted) if counted else None


def candidates(connection: sqlite3.Connection) -> Iterator[Tally]:
    tallies = [
        _tally(counted)
        for kind, scale in SCALES.items()
        for counted in habits.counted(connection, kind, runs=scale.runs, sessions=scale.sessions, most=_LOOKED_AT)
    ]
    yield from chosen(tallies, _odds(connection))


def _tally(counted: Counted) -> Tally:
    return Tally(Seen(counted.kind, counted.key), counted.runs, counted.sessions, counted.last)


def _odds(connection: sqlite3.Connection) -> Odds:
    scale = SCALES[Kind.WORKFLOW_PATTERN]

    @cache
    def runs(family: str) -> int:
        found = habits.count_of(connection, Kind.RECURRING_COMMAND, family)
        return found.runs if found else 0

    in_longer = partial(
        habits.is_in_longer, connection, Kind.WORKFLOW_PATTERN, runs=scale.runs, sessions=scale.sessions
    )
    return Odds(habits.total(connection, Kind.RECURRING_COMMAND), runs, in_longer)


def _day(tally: Tally) -> str:
    return datetime.fromtimestamp(moment(EventId(tally.last)) / 1000, UTC).date().isoformat()


def _proposed(tally: Tally, verdict: Verdict) -> Draft:
    evidence = f"{tally.runs} runs in {tally.sessions} session{'s' * (tally.sessions != 1)}, the last on {_day(tally)}"
    body = Proposed(claim_of(tally.seen), verdict, SOURCE, evidence, confidence=confidence(tally))
    return Draft(body, GLOBAL, _LEARNER)
