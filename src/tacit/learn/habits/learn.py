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
from tacit.index.habits import RecordedCommand
from tacit.learn.habits.counts import (
    ScopeLookup,
    always_global,
    command_frequency,
    habit_candidates,
    is_part_of_longer,
    scope_lookup,
    tally_in_scope,
)
from tacit.learn.habits.detect import SEQUENCE_LOOKBACK, CommandTrail, detect_habits, parse_step
from tacit.learn.habits.habit import (
    HABIT_THRESHOLDS,
    KEY_SEPARATOR,
    MAX_PENDING_HABITS,
    HabitKey,
    HabitTally,
    chain_parts,
    confidence,
    contains,
    habit_claim,
    habit_from_claim,
    is_covered,
    is_habit,
    overlaps,
    rank_habits,
)
from tacit.learn.habits.recipe import HabitRecipe, build_recipe, has_complete_runs
from tacit.log.codec import must_decode
from tacit.model.claim import GLOBAL, Kind, Provenance, Scope, Status, is_project_scope
from tacit.model.event import Attribution, ClaimProposed, Draft, Event, Verdict
from tacit.model.ids import ClaimId, EventId, event_milliseconds
from tacit.model.memory import Memory
from tacit.model.observation import CommandRan

SOURCE = "habit"
# Commands are what a person did, not what they said.
_LEARNER_VOICE = Attribution("learner:habit", Provenance.USER_FILE)
MAX_EXAMPLE_SESSIONS, MAX_SESSION_COMMANDS = 20, 50  # sessions to look at, and commands in each


@dataclass(frozen=True, slots=True)
class LearnedHabits:
    """What learning came to: new suggestions, and how many wait for a decision."""

    new: tuple[ClaimId, ...]
    pending: int


def learn_habits(store: Store, user_folder: str) -> LearnedHabits:
    """Take in the commands since the last time, and suggest what became a habit."""

    def decision(connection: sqlite3.Connection) -> Sequence[Draft]:
        habits.learn(connection, detect_in_session)
        return habit_proposals(connection, scope_lookup(connection, user_folder), to_milliseconds(store.actor.clock()))

    def tell(connection: sqlite3.Connection, events: list[Event]) -> LearnedHabits:
        bodies = [event.body for event in events]
        new = [one.claim.id for one in bodies if isinstance(one, ClaimProposed) and one.verdict is Verdict.PROPOSED]
        return LearnedHabits(tuple(new), len(pending_habits(connection)))

    return store.change(decision, tell)


def ranked_pending(connection: sqlite3.Connection, scope_of: ScopeLookup, now: int) -> list[tuple[Memory, HabitTally]]:
    """The habits that wait, the most telling first; those that would not be suggested any more at the end."""
    found = {memory.id: (memory, tally) for memory, tally in pending_habits(connection, scope_of)}
    order = [
        habit_claim(tally.habit, tally.scope).id
        for tally in rank_habits((tally for _, tally in found.values()), command_frequency(connection), now)
    ]
    return [found[claim] for claim in (*order, *(claim for claim in found if claim not in order))]


def habit_recipe(connection: sqlite3.Connection, seen: HabitKey, scope: Scope, scope_of: ScopeLookup) -> HabitRecipe:
    return build_recipe(seen.key, *_example_sessions(connection, seen, scope, scope_of))


def _example_sessions(
    connection: sqlite3.Connection, seen: HabitKey, scope: Scope, scope_of: ScopeLookup
) -> tuple[list[list[CommandRan]], Callable[[str], bool]]:
    """The latest sessions that a sequence ended in, as commands back from there, and which directories count."""
    ends = habits.last_events_by_session(connection, seen.kind, last_counted_key(seen), most=MAX_EXAMPLE_SESSIONS)
    sessions = [[ran.command for ran in habits.recent_commands(connection, end, MAX_SESSION_COMMANDS)] for end in ends]
    return sessions, lambda directory: not is_project_scope(scope) or scope_of(directory) == scope


def last_counted_key(seen: HabitKey) -> str:
    """The key under which the end of a habit was counted: of a ritual, its last triple."""
    if seen.kind is not Kind.WORKFLOW_PATTERN:
        return seen.key
    return KEY_SEPARATOR.join(chain_parts(tuple(seen.key.split(KEY_SEPARATOR)))[-1])


def to_milliseconds(moment_: datetime) -> int:
    return int(moment_.timestamp() * 1000)


def detect_in_session(trail: str, commands: Sequence[RecordedCommand]) -> tuple[str, list[tuple[HabitKey, ...]]]:
    """A session's learners over further commands; the trail is kept as text between the times."""
    walked = _parse_trail(trail)
    found = []
    for ran in commands:
        walked, seen = detect_habits(walked, parse_step(ran.at, ran.command))
        found.append(seen)
    return json.dumps(walked), found


def _parse_trail(text: str) -> CommandTrail:
    if not text:
        return CommandTrail()
    families, at, failed, directories = json.loads(text)
    return CommandTrail(tuple(families), at, failed, tuple(directories))


def habit_proposals(connection: sqlite3.Connection, scope_of: ScopeLookup = always_global, now: int = 0) -> list[Draft]:
    """New habits for the places that are free, and more confidence for those that wait."""
    pending = pending_habits(connection, scope_of)
    raised = [
        _habit_proposal(tally, Verdict.SUGGESTED) for memory, tally in pending if confidence(tally) > memory.confidence
    ]
    free = MAX_PENDING_HABITS - len(pending)
    if free <= 0:
        return raised
    fresh = _new_candidates(connection, scope_of, now, [tally for _, tally in pending])
    return raised + [_habit_proposal(tally, Verdict.PROPOSED) for tally in islice(fresh, free)]


def _new_candidates(
    connection: sqlite3.Connection, scope_of: ScopeLookup, now: int, pending: Sequence[HabitTally]
) -> Iterator[HabitTally]:
    """Candidates that nobody has heard of, in any scope: what was dismissed in one does not return in another."""
    used = reader.all_scopes(connection)
    known = list(_decided_chains(connection))
    shown = [tally for tally in pending if tally.habit.kind is Kind.WORKFLOW_PATTERN]
    for candidate in habit_candidates(connection, scope_of, now):
        seen = _fully_observed(connection, candidate.habit, candidate.scope, scope_of)
        tally = tally_in_scope(connection, seen, candidate.scope, scope_of)
        if tally is None or not is_habit(tally):
            continue
        if any(
            reader.memory_row(connection, habit_claim(tally.habit, scope).id) for scope in {*used, GLOBAL, tally.scope}
        ):
            continue
        if tally.habit.kind is Kind.WORKFLOW_PATTERN:
            families = tuple(tally.habit.key.split(KEY_SEPARATOR))
            if any(_is_related_scope(tally.scope, scope) and is_covered(families, other) for scope, other in known):
                continue
            if any(_overlaps_shown(tally, other) for other in shown):
                continue
            shown.append(tally)
        yield tally


def _fully_observed(connection: sqlite3.Connection, seen: HabitKey, scope: Scope, scope_of: ScopeLookup) -> HabitKey:
    """The longest part of a ritual that was really run as a whole: that its triples are habits does not promise it."""
    families = tuple(seen.key.split(KEY_SEPARATOR))
    if seen.kind is not Kind.WORKFLOW_PATTERN or len(families) <= SEQUENCE_LOOKBACK + 1:
        return seen
    for length in range(len(families), SEQUENCE_LOOKBACK + 1, -1):
        for first in range(len(families) - length + 1):
            part = HabitKey(seen.kind, KEY_SEPARATOR.join(families[first : first + length]))
            if has_complete_runs(part.key, *_example_sessions(connection, part, scope, scope_of)):
                return part
    return seen


def _decided_chains(connection: sqlite3.Connection) -> Iterator[tuple[Scope, tuple[str, ...]]]:
    """Scope and steps of all rituals that were decided on."""
    for entry in reader.memory_rows_of_kind(connection, Kind.WORKFLOW_PATTERN):
        memory = reader.load_memory(connection, entry.id, must_decode) if entry.status is not Status.PENDING else None
        seen = habit_from_claim(memory.claim) if memory else None
        if seen:
            yield entry.scope, tuple(seen.key.split(KEY_SEPARATOR))


def _is_related_scope(one: Scope, other: Scope) -> bool:
    """Whether what holds in one scope concerns the other."""
    return one == other or GLOBAL in (one, other)


def _overlaps_shown(new: HabitTally, shown: HabitTally) -> bool:
    """Whether a ritual overlaps one that is shown, other than by taking its place as the longer one."""
    families, others = tuple(new.habit.key.split(KEY_SEPARATOR)), tuple(shown.habit.key.split(KEY_SEPARATOR))
    return _is_related_scope(new.scope, shown.scope) and overlaps(families, others) and not contains(families, others)


def pending_habits(
    connection: sqlite3.Connection, scope_of: ScopeLookup = always_global
) -> list[tuple[Memory, HabitTally]]:
    """The habits that nobody decided on yet, with what was counted. A pair whose triple became a habit is not one, and
    neither is a ritual that is part of a longer one that waits."""
    found = []
    for entry in reader.memory_rows(connection, status=Status.PENDING):
        memory = reader.load_memory(connection, entry.id, must_decode) if entry.kind in HABIT_THRESHOLDS else None
        tally = tally_for_memory(connection, memory, scope_of) if memory and memory.source == SOURCE else None
        if (
            memory
            and tally
            and not (tally.habit.kind is Kind.WORKFLOW_PATTERN and is_part_of_longer(connection, tally, scope_of))
        ):
            found.append((memory, tally))
    steps = [
        tuple(tally.habit.key.split(KEY_SEPARATOR)) for _, tally in found if tally.habit.kind is Kind.WORKFLOW_PATTERN
    ]
    return [
        (memory, tally)
        for memory, tally in found
        if tally.habit.kind is not Kind.WORKFLOW_PATTERN
        or not any(contains(longer, tuple(tally.habit.key.split(KEY_SEPARATOR))) for longer in steps)
    ]


def count_hidden_habits(connection: sqlite3.Connection, scope_of: ScopeLookup = always_global) -> int:
    """How many pending habits no list of suggestions shows: what was counted of them is gone, or a longer one holds
    them."""
    shown = {memory.id for memory, _ in pending_habits(connection, scope_of)}
    pending = (
        entry for entry in reader.memory_rows(connection, status=Status.PENDING) if entry.kind in HABIT_THRESHOLDS
    )
    memories = (reader.load_memory(connection, entry.id, must_decode) for entry in pending if entry.id not in shown)
    return sum(memory is not None and memory.source == SOURCE for memory in memories)


def tally_for_memory(
    connection: sqlite3.Connection, memory: Memory, scope_of: ScopeLookup = always_global
) -> HabitTally | None:
    """What was counted of a memory that is a habit."""
    seen = habit_from_claim(memory.claim)
    return tally_in_scope(connection, seen, memory.claim.scope, scope_of) if seen else None


def last_day(tally: HabitTally) -> str:
    return datetime.fromtimestamp(event_milliseconds(EventId(tally.last_event)) / 1000, UTC).date().isoformat()


def _evidence_text(tally: HabitTally) -> str:
    runs = f"{tally.runs} runs"
    if not tally.has_timestamps:
        return f"{runs} in a history without timestamps"
    return f"{runs} in {tally.sessions} session{'s' * (tally.sessions != 1)}, the last on {last_day(tally)}"


def _habit_proposal(tally: HabitTally, verdict: Verdict) -> Draft:
    claim = habit_claim(tally.habit, tally.scope)
    body = ClaimProposed(claim, verdict, SOURCE, _evidence_text(tally), confidence=confidence(tally))
    return Draft(body, tally.scope, _LEARNER_VOICE)
