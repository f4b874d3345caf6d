"""Learning habits from commands: count new commands, propose what became a habit, a few at a time."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime

from tacit.home.store import Store
from tacit.index import habits, reader
from tacit.index.habits import OccurrenceKey, RecordedCommand
from tacit.learn.habits.counts import (
    SEQUENCE_LOOKBACK,
    CommandTrail,
    ScopeLookup,
    always_global,
    command_frequency,
    detect_habits,
    habit_candidates,
    is_part_of_longer,
    parse_step,
    scope_lookup,
    tally_in_scope,
)
from tacit.learn.habits.habit import (
    KEY_SEPARATOR,
    MAX_PENDING_HABITS,
    Families,
    HabitKey,
    HabitTally,
    confidence,
    contains,
    habit_claim,
    habit_from_claim,
    is_covered,
    is_habit,
    is_related,
    last_counted_key,
    overlaps,
    rank_habits,
)
from tacit.learn.habits.recipe import HabitRecipe, build_recipe, has_complete_runs
from tacit.log.codec import must_decode
from tacit.model.claim import GLOBAL, Kind, Provenance, Scope, Status, is_project_scope
from tacit.model.event import Attribution, ClaimProposed, Draft, EventsUndone, Verdict
from tacit.model.ids import ClaimId, EventId, event_milliseconds
from tacit.model.memory import HABIT_SOURCE, Memory
from tacit.model.observation import CommandRan
from tacit.record import Record

# Commands are what a person did, not what they said.
_ATTRIBUTION = Attribution("learner:habit", Provenance.USER_FILE)
MAX_EXAMPLE_SESSIONS, MAX_SESSION_COMMANDS = 20, 50  # sessions to look at, and commands in each


class LearnedHabits(Record):
    """The new suggestions, and how many wait for a decision."""

    new: tuple[ClaimId, ...]
    pending: int


def learn_habits(store: Store, user_folder: str) -> LearnedHabits:
    """Count the commands since the last time, and suggest what became a habit."""
    with store.snapshot() as connection:  # which files what waits in the spool
        has_uncounted = habits.has_uncounted_commands(connection)
    if has_uncounted or store.is_far_behind(0):
        with store.update_index() as connection:
            habits.learn(connection, detect_in_session)
    with store.change() as change:
        scope_of = scope_lookup(change.connection, user_folder)
        events = change.record(habit_proposals(change.connection, scope_of, to_milliseconds(store.actor.clock())))
        bodies = [event.body for event in events]
        new = [body.claim.id for body in bodies if isinstance(body, ClaimProposed) and body.verdict is Verdict.PROPOSED]
        return LearnedHabits(tuple(new), len(reader.habit_claims(change.connection, Status.PENDING)))


def detect_in_session(state: str, commands: Sequence[RecordedCommand]) -> tuple[str, list[Sequence[OccurrenceKey]]]:
    """Run the detectors over further commands of a session. The state is the trail as JSON, "" at the beginning."""
    trail = CommandTrail()
    if state:
        families, at, failed, directories = json.loads(state)
        trail = CommandTrail(tuple(families), at, failed, tuple(directories))
    seen = []
    for recorded in commands:
        trail, keys = detect_habits(trail, parse_step(recorded.at, recorded.command))
        seen.append(keys)
    return json.dumps(trail), seen


def to_milliseconds(time: datetime) -> int:
    return int(time.timestamp() * 1000)


def last_day(tally: HabitTally) -> str:
    return datetime.fromtimestamp(event_milliseconds(EventId(tally.last_event)) / 1000, UTC).date().isoformat()


# Proposals


def habit_proposals(connection: sqlite3.Connection, scope_of: ScopeLookup = always_global, now: int = 0) -> list[Draft]:
    """Return proposals of new habits, as many as there is room for, and more confidence for those that wait.

    A ritual that became part of a longer one is withdrawn, which makes room for the longer one.
    """
    pending = pending_habits(connection, scope_of)
    counted = [(memory, tally) for memory, tally in pending if tally]
    shown = [
        tally
        for _, tally in counted
        if tally.habit.kind is not Kind.WORKFLOW_PATTERN or not is_part_of_longer(connection, tally, scope_of)
    ]
    waiting = _without_parts(shown)
    room = MAX_PENDING_HABITS - (len(pending) - len(counted))
    if len(waiting) < room:
        for candidate in _new_candidates(connection, scope_of, now, shown):
            if len(chosen := _without_parts([*waiting, candidate])) > room:
                break
            waiting = chosen
    drafts = []
    for memory, tally in counted:
        if tally not in waiting:
            events = reader.events_of_claim(connection, memory.id, must_decode)
            own = tuple(event.id for event in events if isinstance(event.body, ClaimProposed))
            body = EventsUndone(own, (memory.id,), "a habit that became part of a longer one")
            drafts.append(Draft(body, memory.claim.scope, _ATTRIBUTION))
    before = {tally: memory.confidence for memory, tally in counted}
    for tally in waiting:
        if confidence(tally) > before.get(tally, 0):
            drafts.append(_habit_proposal(tally, Verdict.SUGGESTED if tally in before else Verdict.PROPOSED))
    return drafts


def _without_parts(tallies: Sequence[HabitTally]) -> list[HabitTally]:
    """Leave out rituals that another one contains."""
    rituals = [tally for tally in tallies if tally.habit.kind is Kind.WORKFLOW_PATTERN]
    parts = [one for one in rituals if any(contains(longer.habit.steps, one.habit.steps) for longer in rituals)]
    return [tally for tally in tallies if tally not in parts]


def _habit_proposal(tally: HabitTally, verdict: Verdict) -> Draft:
    evidence = f"{tally.runs} runs in a history without timestamps"
    if tally.has_timestamps:
        sessions = f"{tally.sessions} session{'s' * (tally.sessions != 1)}"
        evidence = f"{tally.runs} runs in {sessions}, the last on {last_day(tally)}"
    claim = habit_claim(tally.habit, tally.scope)
    body = ClaimProposed(claim, verdict, HABIT_SOURCE, evidence, confidence=confidence(tally))
    return Draft(body, tally.scope, _ATTRIBUTION)


def _new_candidates(
    connection: sqlite3.Connection, scope_of: ScopeLookup, now: int, pending: Sequence[HabitTally]
) -> Iterator[HabitTally]:
    """Yield candidates that are known in no scope: what was dismissed in one does not return in another."""
    scopes = reader.all_scopes(connection)
    decided: list[tuple[Scope, Families]] = []  # scope and steps of all rituals that were decided on
    for row in reader.decided_rows_of_kind(connection, Kind.WORKFLOW_PATTERN):
        memory = reader.load_memory(connection, row.id, must_decode)
        if memory and (known := habit_from_claim(memory.claim)):
            decided.append((row.scope, known.steps))
    shown = [tally for tally in pending if tally.habit.kind is Kind.WORKFLOW_PATTERN]
    for candidate in habit_candidates(connection, scope_of, now):
        habit = _fully_observed(connection, candidate.habit, candidate.scope, scope_of)
        tally = tally_in_scope(connection, habit, candidate.scope, scope_of)
        if tally is None or not is_habit(tally):
            continue
        if any(reader.memory_row(connection, habit_claim(habit, scope).id) for scope in {*scopes, GLOBAL, tally.scope}):
            continue
        if habit.kind is Kind.WORKFLOW_PATTERN:
            if any(is_related(tally.scope, scope) and is_covered(habit.steps, steps) for scope, steps in decided):
                continue
            # One that overlaps another is not shown beside it, other than by replacing it as the longer one.
            others = [other.habit.steps for other in shown if is_related(tally.scope, other.scope)]
            if any(overlaps(habit.steps, steps) and not contains(habit.steps, steps) for steps in others):
                continue
            shown.append(tally)
        yield tally


def _fully_observed(connection: sqlite3.Connection, habit: HabitKey, scope: Scope, scope_of: ScopeLookup) -> HabitKey:
    """Return the longest part of a ritual that was really run as a whole: its triples alone do not prove that."""
    if habit.kind is not Kind.WORKFLOW_PATTERN:
        return habit
    steps = habit.steps
    for length in range(len(steps), SEQUENCE_LOOKBACK + 1, -1):
        for first in range(len(steps) - length + 1):
            part = HabitKey(habit.kind, KEY_SEPARATOR.join(steps[first : first + length]))
            if has_complete_runs(part.steps, *_example_sessions(connection, part, scope, scope_of)):
                return part
    return habit


# Habits that wait for a decision


def pending_habits(
    connection: sqlite3.Connection, scope_of: ScopeLookup = always_global
) -> list[tuple[Memory, HabitTally | None]]:
    """Return the habits that nobody decided on yet, with their counts: None if the commands are gone."""
    claims = reader.habit_claims(connection, Status.PENDING)
    memories = (reader.load_memory(connection, claim, must_decode) for claim in claims)
    return [(memory, tally_for_memory(connection, memory, scope_of)) for memory in memories if memory]


def tally_for_memory(
    connection: sqlite3.Connection, memory: Memory, scope_of: ScopeLookup = always_global
) -> HabitTally | None:
    """Return the counts of a memory that is a habit."""
    habit = habit_from_claim(memory.claim)
    return tally_in_scope(connection, habit, memory.claim.scope, scope_of) if habit else None


def ranked_pending(
    connection: sqlite3.Connection, scope_of: ScopeLookup, now: int
) -> list[tuple[Memory, HabitTally | None]]:
    """Return the habits that wait, the most telling first; at the end those that would not be suggested any more."""
    pending = {memory.id: (memory, tally) for memory, tally in pending_habits(connection, scope_of)}
    counted = (tally for _, tally in pending.values() if tally)
    ranked = rank_habits(counted, command_frequency(connection), now)
    order = [habit_claim(tally.habit, tally.scope).id for tally in ranked]
    return [pending[claim] for claim in dict.fromkeys((*order, *pending))]


# Examples


def habit_recipe(connection: sqlite3.Connection, habit: HabitKey, scope: Scope, scope_of: ScopeLookup) -> HabitRecipe:
    """Return how the commands of a sequence were typed in its latest sessions, and where."""
    return build_recipe(habit.steps, *_example_sessions(connection, habit, scope, scope_of))


def _example_sessions(
    connection: sqlite3.Connection, habit: HabitKey, scope: Scope, scope_of: ScopeLookup
) -> tuple[list[list[CommandRan]], Callable[[str], bool]]:
    """Return the commands of the latest sessions with this sequence, backwards from its end, and a filter of
    directories."""
    ends = habits.last_events_by_session(connection, habit.kind, last_counted_key(habit), limit=MAX_EXAMPLE_SESSIONS)
    sessions = [
        [recorded.command for recorded in habits.recent_commands(connection, end, MAX_SESSION_COMMANDS)] for end in ends
    ]
    return sessions, lambda directory: not is_project_scope(scope) or scope_of(directory) == scope
