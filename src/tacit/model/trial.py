"""Trials: a memory is told to about every second session, until the log can say whether telling it makes a difference.

A coin decides for each session. It is a hash of a random seed, which is recorded when the trial begins, and of the
host's name of the session. So every hook computes the same without a lock, subagents and resumed sessions are told what
their session is told, machines of one person need not ask each other, and anybody can check afterwards how it fell.
Only a person starts a trial. It ends by a person, or by Tacit when the log can decide (`model/comparison.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from enum import StrEnum

from tacit.model.claim import Scope
from tacit.model.coin import is_treated
from tacit.model.event import Event
from tacit.model.ids import ClaimId, EventId
from tacit.model.observation import TrialEnded, TrialStarted
from tacit.record import Record

TRIAL_ACTOR = "learner:trial"  # who ends a trial that the log has decided
MAX_RUNNING = 3  # at once: a session from which much is withheld says little about each memory
DEFAULT_SESSIONS, MIN_SESSIONS, MAX_SESSIONS = 200, 40, 600  # in which the memory applies, that a trial may take


class Ending(StrEnum):
    """How a trial ended: by what the log says, or by the person."""

    HELPS = "helps"
    NO_DIFFERENCE = "no_difference"
    HARMS = "harms"
    UNDECIDED = "undecided"  # after the greatest number of sessions
    STOPPED = "stopped"
    GUARDED = "guarded"  # the person switched on a guard for the memory

    @property
    def is_verdict(self) -> bool:
        """Whether Tacit ended it, so that the person is asked what to do now."""
        return self not in (Ending.STOPPED, Ending.GUARDED)


class TrialOutcome(StrEnum):
    """What came of a session of a trial."""

    NOT_APPLICABLE = ""
    GOOD = "good"
    BAD = "bad"  # the memory was violated, or the person had to say it again


class Apart(StrEnum):
    """Why a session is left out of a trial, whatever the coin said."""

    ASKED = "asked"  # its agent asked Tacit by itself, or read its files
    TOLD = "told"  # it was told before the trial began, or against the coin
    RESUMED = "resumed"  # it goes on with the context of another session


class Trial(Record):
    """A trial of a memory. `id` is the event that started it, `ended` the one that ended it."""

    id: EventId
    claim: ClaimId
    scope: Scope
    seed: str
    most: int
    started_at: datetime
    ending: Ending | None = None
    ended: EventId = EventId("")
    ended_at: datetime | None = None

    @property
    def is_running(self) -> bool:
        return self.ending is None

    def is_treated(self, agent: str, session: str) -> bool:
        """Return whether a session is told the memory. `session` is the host's name of it, as it is recorded."""
        return is_treated(self.seed, agent, session)


def fold_trials(events: Iterable[Event]) -> list[Trial]:
    """Return the trials of events that count, in order. Of several endings, of several machines, the first holds.

    The person alone starts trials; Tacit ends them, too.
    """
    ordered = sorted(events, key=lambda event: event.id)
    trials: dict[EventId, Trial] = {}
    for event in ordered:
        body = event.body
        if isinstance(body, TrialStarted) and event.is_by_user:
            trials[event.id] = Trial(event.id, ClaimId(body.claim), event.scope, body.seed, body.most, event.at)
        elif isinstance(body, TrialEnded) and (event.is_by_user or event.origin.actor == TRIAL_ACTOR):
            trial = trials.get(body.trial)
            if trial and trial.is_running and (ending := _ENDINGS.get(body.ending)):
                trials[trial.id] = trial._replace(ending=ending, ended=event.id, ended_at=event.at)
    return list(trials.values())


_ENDINGS: Mapping[str, Ending] = {ending.value: ending for ending in Ending}
