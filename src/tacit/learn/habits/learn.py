"""Learning from commands: what was filed is counted, what became a habit is proposed, and nobody is flooded."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice

from tacit.home.store import Store
from tacit.index import habits, reader
from tacit.index.habits import Ran
from tacit.learn.habits.counts import ScopeOf, candidates, is_in_longer, nowhere, odds_of, scopes, tally_in
from tacit.learn.habits.detect import KEPT, Trail, fold, step
from tacit.learn.habits.habit import (
    BETWEEN,
    SCALES,
    WAITING,
    Seen,
    Tally,
    chosen,
    claim_of,
    confidence,
    contains,
    is_covered,
    is_habit,
    overlaps,
    parts_of,
    seen_of,
)
from tacit.learn.habits.recipe import Recipe, is_whole, recipe
from tacit.log.codec import must_decode
from tacit.model.claim import GLOBAL, Kind, Provenance, Scope, Status, is_local
from tacit.model.event import Draft, Event, Proposed, Verdict, Voice
from tacit.model.ids import ClaimId, EventId, moment
from tacit.model.memory import Memory
from tacit.model.observation import CommandRan

SOURCE = "habit"
# Commands are what a person did, not what they said.
_LEARNER = Voice("learner:habit", Provenance.USER_FILE)
OCCURRENCES, BACK = 20, 50  # sessions to look at, and commands in each


@dataclass(frozen=True, slots=True)
class Learned:
    """What learning came to: new suggestions, and how many wait for a decision."""

    new: tuple[ClaimId, ...]
    waiting: int


def learn(store: Store, user_folder: str) -> Learned:
    """Take in the commands since the last time, and suggest what became a habit."""

    def decision(connection: sqlite3.Connection) -> Sequence[Draft]:
        habits.learn(connection, learned)
        return proposals(connection, scopes(connection, user_folder), milliseconds(store.speaker.clock()))

    def tell(connection: sqlite3.Connection, events: list[Event]) -> Learned:
        bodies = [event.body for event in events]
        new = [one.claim.id for one in bodies if isinstance(one, Proposed) and one.verdict is Verdict.PROPOSED]
        return Learned(tuple(new), len(waiting(connection)))

    return store.change(decision, tell)


def ranked(connection: sqlite3.Connection, scope_of: ScopeOf, now: int) -> list[tuple[Memory, Tally]]:
    """The habits that wait, the most telling first; those that would not be suggested any more at the end."""
    found = {memory.id: (memory, tally) for memory, tally in waiting(connection, scope_of)}
    order = [
        claim_of(tally.seen, tally.scope).id
        for tally in chosen((tally for _, tally in found.values()), odds_of(connection), now)
    ]
    return [found[claim] for claim in (*order, *(claim for claim in found if claim not in order))]


def recipe_of(connection: sqlite3.Connection, seen: Seen, scope: Scope, scope_of: ScopeOf) -> Recipe:
    return recipe(seen.key, *_behind(connection, seen, scope, scope_of))


def _behind(
    connection: sqlite3.Connection, seen: Seen, scope: Scope, scope_of: ScopeOf
) -> tuple[list[list[CommandRan]], Callable[[str], bool]]:
    """The latest sessions that a sequence ended in, as commands back from there, and which directories count."""
    ends = habits.sessions_of(connection, seen.kind, last_part(seen), most=OCCURRENCES)
    sessions = [[ran.command for ran in habits.recent(connection, end, BACK)] for end in ends]
    return sessions, lambda directory: not is_local(scope) or scope_of(directory) == scope


def last_part(seen: Seen) -> str:
    """The key under which the end of a habit was counted: of a ritual, its last triple."""
    if seen.kind is not Kind.WORKFLOW_PATTERN:
        return seen.key
    return BETWEEN.join(parts_of(tuple(seen.key.split(BETWEEN)))[-1])


def milliseconds(moment_: datetime) -> int:
    return int(moment_.timestamp() * 1000)


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
    families, at, failed, directories = json.loads(text)
    return Trail(tuple(families), at, failed, tuple(directories))


def proposals(connection: sqlite3.Connection, scope_of: ScopeOf = nowhere, now: int = 0) -> list[Draft]:
    """New habits for the places that are free, and more confidence for those that wait."""
    pending = waiting(connection, scope_of)
    raised = [_proposed(tally, Verdict.SUGGESTED) for memory, tally in pending if confidence(tally) > memory.confidence]
    free = WAITING - len(pending)
    if free <= 0:
        return raised
    fresh = _fresh(connection, scope_of, now, [tally for _, tally in pending])
    return raised + [_proposed(tally, Verdict.PROPOSED) for tally in islice(fresh, free)]


def _fresh(connection: sqlite3.Connection, scope_of: ScopeOf, now: int, pending: Sequence[Tally]) -> Iterator[Tally]:
    """Candidates that nobody has heard of, in any scope: what was dismissed in one does not return in another."""
    used = reader.scopes(connection)
    known = list(_known_rituals(connection))
    shown = [tally for tally in pending if tally.seen.kind is Kind.WORKFLOW_PATTERN]
    for candidate in candidates(connection, scope_of, now):
        seen = _whole(connection, candidate.seen, candidate.scope, scope_of)
        tally = tally_in(connection, seen, candidate.scope, scope_of)
        if tally is None or not is_habit(tally):
            continue
        if any(reader.entry(connection, claim_of(tally.seen, scope).id) for scope in {*used, GLOBAL, tally.scope}):
            continue
        if tally.seen.kind is Kind.WORKFLOW_PATTERN:
            families = tuple(tally.seen.key.split(BETWEEN))
            if any(_is_near(tally.scope, scope) and is_covered(families, other) for scope, other in known):
                continue
            if any(_clashes(tally, other) for other in shown):
                continue
            shown.append(tally)
        yield tally


def _whole(connection: sqlite3.Connection, seen: Seen, scope: Scope, scope_of: ScopeOf) -> Seen:
    """The longest part of a ritual that was really run as a whole: that its triples are habits does not promise it."""
    families = tuple(seen.key.split(BETWEEN))
    if seen.kind is not Kind.WORKFLOW_PATTERN or len(families) <= KEPT + 1:
        return seen
    for length in range(len(families), KEPT + 1, -1):
        for first in range(len(families) - length + 1):
            part = Seen(seen.kind, BETWEEN.join(families[first : first + length]))
            if is_whole(part.key, *_behind(connection, part, scope, scope_of)):
                return part
    return seen


def _known_rituals(connection: sqlite3.Connection) -> Iterator[tuple[Scope, tuple[str, ...]]]:
    """Scope and steps of all rituals that were decided on."""
    for entry in reader.entries_of_kind(connection, Kind.WORKFLOW_PATTERN):
        memory = reader.memory(connection, entry.id, must_decode) if entry.status is not Status.PENDING else None
        seen = seen_of(memory.claim) if memory else None
        if seen:
            yield entry.scope, tuple(seen.key.split(BETWEEN))


def _is_near(one: Scope, other: Scope) -> bool:
    """Whether what holds in one scope concerns the other."""
    return one == other or GLOBAL in (one, other)


def _clashes(new: Tally, shown: Tally) -> bool:
    """Whether a ritual overlaps one that is shown, other than by taking its place as the longer one."""
    families, others = tuple(new.seen.key.split(BETWEEN)), tuple(shown.seen.key.split(BETWEEN))
    return _is_near(new.scope, shown.scope) and overlaps(families, others) and not contains(families, others)


def waiting(connection: sqlite3.Connection, scope_of: ScopeOf = nowhere) -> list[tuple[Memory, Tally]]:
    """The habits that nobody decided on yet, with what was counted. A pair whose triple became a habit is not one, and
    neither is a ritual that is part of a longer one that waits."""
    found = []
    for entry in reader.entries(connection, status=Status.PENDING):
        memory = reader.memory(connection, entry.id, must_decode) if entry.kind in SCALES else None
        tally = tally_of(connection, memory, scope_of) if memory and memory.source == SOURCE else None
        if (
            memory
            and tally
            and not (tally.seen.kind is Kind.WORKFLOW_PATTERN and is_in_longer(connection, tally, scope_of))
        ):
            found.append((memory, tally))
    steps = [tuple(tally.seen.key.split(BETWEEN)) for _, tally in found if tally.seen.kind is Kind.WORKFLOW_PATTERN]
    return [
        (memory, tally)
        for memory, tally in found
        if tally.seen.kind is not Kind.WORKFLOW_PATTERN
        or not any(contains(longer, tuple(tally.seen.key.split(BETWEEN))) for longer in steps)
    ]


def count_hidden(connection: sqlite3.Connection, scope_of: ScopeOf = nowhere) -> int:
    """How many pending habits no list of suggestions shows: what was counted of them is gone, or a longer one holds
    them."""
    shown = {memory.id for memory, _ in waiting(connection, scope_of)}
    pending = (entry for entry in reader.entries(connection, status=Status.PENDING) if entry.kind in SCALES)
    memories = (reader.memory(connection, entry.id, must_decode) for entry in pending if entry.id not in shown)
    return sum(memory is not None and memory.source == SOURCE for memory in memories)


def tally_of(connection: sqlite3.Connection, memory: Memory, scope_of: ScopeOf = nowhere) -> Tally | None:
    """What was counted of a memory that is a habit."""
    seen = seen_of(memory.claim)
    return tally_in(connection, seen, memory.claim.scope, scope_of) if seen else None


def day_of(tally: Tally) -> str:
    return datetime.fromtimestamp(moment(EventId(tally.last)) / 1000, UTC).date().isoformat()


def _basis(tally: Tally) -> str:
    runs = f"{tally.runs} runs"
    if not tally.has_times:
        return f"{runs} in a history without timestamps"
    return f"{runs} in {tally.sessions} session{'s' * (tally.sessions != 1)}, the last on {day_of(tally)}"


def _proposed(tally: Tally, verdict: Verdict) -> Draft:
    claim = claim_of(tally.seen, tally.scope)
    body = Proposed(claim, verdict, SOURCE, _basis(tally), confidence=confidence(tally))
    return Draft(body, tally.scope, _LEARNER)
