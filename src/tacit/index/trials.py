"""Trials of memories and the sessions that take part in them: events, and rows of `trial_sessions`."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from tacit.index.reader import (
    EVENT_LINE,
    IS_EFFECTIVE,
    IS_TRIAL,
    Decode,
    events_of_claim,
    has_trials,
    memory_row,
    select_events,
)
from tacit.model.claim import Status
from tacit.model.comparison import ArmCounts
from tacit.model.event import ClaimDecided, Event
from tacit.model.ids import ClaimId, EventId, claim_number
from tacit.model.memory import effective_events
from tacit.model.observation import TrialChecked
from tacit.model.trial import Trial, TrialOutcome, fold_trials
from tacit.record import Record

_SELECT_TRIALS = f"SELECT {EVENT_LINE} FROM events WHERE {IS_TRIAL} ORDER BY id"
_SELECT_UNDOS = (
    f"SELECT {EVENT_LINE} FROM claim_events JOIN events ON events.id = event_id"
    " WHERE claim_id = ? AND type = 'judgement.undone'"
)
_OUTCOMES = frozenset(TrialOutcome)
_COLUMNS = "session_id, is_withheld, outcome, call_id, correction_id, apart, failures, turns, tokens"


class TrialSession(Record):
    """A session of a trial: the latest check of it. The fields are those of `TrialChecked`."""

    session: ClaimId
    withheld: bool
    outcome: TrialOutcome
    call: EventId
    correction: EventId
    apart: str
    failures: int
    turns: int
    tokens: int


# Trials


def load_trials(connection: sqlite3.Connection, decode: Decode, claim: ClaimId | None = None) -> list[Trial]:
    """Return all trials that were not undone, or those of one memory, in order."""
    events = select_events(connection, decode, _SELECT_TRIALS)
    claims = {trial.claim for trial in fold_trials(events)}
    undos = [undo for name in sorted(claims) for undo in select_events(connection, decode, _SELECT_UNDOS, (name,))]
    trials = fold_trials(effective_events([*events, *undos]))
    return [trial for trial in trials if claim in (None, trial.claim)]


def running_trials(connection: sqlite3.Connection, decode: Decode) -> dict[ClaimId, Trial]:
    """Return the trials that run, by memory. While a memory does not hold, its trial rests."""
    if not has_trials(connection):
        return {}
    query = f"SELECT 1 FROM memories WHERE doc_id = ? AND {IS_EFFECTIVE}"
    running = {trial.claim: trial for trial in load_trials(connection, decode) if trial.is_running}
    return {
        claim: trial for claim, trial in running.items() if connection.execute(query, (claim_number(claim),)).fetchone()
    }


def waiting_trials(connection: sqlite3.Connection, decode: Decode) -> list[Trial]:
    """Return the latest trial of each memory that holds, if it has a verdict and nobody decided on the memory since."""
    if not has_trials(connection):
        return []
    latest = {trial.claim: trial for trial in load_trials(connection, decode)}
    waiting = []
    for trial in latest.values():
        row = memory_row(connection, trial.claim) if trial.ending and trial.ending.is_verdict else None
        if row and row.status is Status.ACTIVE:
            events = effective_events(events_of_claim(connection, trial.claim, decode))
            if not any(_is_decision_since(event, trial) for event in events):
                waiting.append(trial)
    return waiting


def _is_decision_since(event: Event, trial: Trial) -> bool:
    return isinstance(event.body, ClaimDecided) and not event.body.missing and event.id > trial.ended


# Their sessions


def store_trial_session(connection: sqlite3.Connection, event_id: EventId, body: TrialChecked) -> None:
    """Store the check of a session, unless a later one of the same trial and session is stored already."""
    connection.execute(
        f"INSERT INTO trial_sessions (trial_id, event_id, {_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT DO UPDATE SET event_id = excluded.event_id, is_withheld = excluded.is_withheld,"
        " outcome = excluded.outcome, call_id = excluded.call_id, correction_id = excluded.correction_id,"
        " apart = excluded.apart, failures = excluded.failures, turns = excluded.turns, tokens = excluded.tokens"
        " WHERE excluded.event_id > event_id",
        (
            body.trial,
            event_id,
            body.session,
            body.withheld,
            body.outcome if body.outcome in _OUTCOMES else "",
            *body[5:],
        ),
    )


def sessions_of_trial(
    connection: sqlite3.Connection, trial: EventId, session: ClaimId | None = None
) -> list[TrialSession]:
    """Return the sessions of a trial, or one of them, in the order of their latest checks."""
    where, values = ("", (trial,)) if session is None else (" AND session_id = ?", (trial, session))
    query = f"SELECT {_COLUMNS} FROM trial_sessions WHERE trial_id = ?{where} ORDER BY event_id"
    return [
        TrialSession(ClaimId(name), bool(withheld), TrialOutcome(outcome), *rest)
        for name, withheld, outcome, *rest in connection.execute(query, values)
    ]


def arm_counts(sessions: Sequence[TrialSession], *, withheld: bool) -> ArmCounts:
    """Return the counts of one arm, without the sessions that are left out."""
    outcomes = [one.outcome for one in sessions if one.withheld is withheld and not one.apart and one.outcome]
    return ArmCounts(len(outcomes), outcomes.count(TrialOutcome.BAD))
