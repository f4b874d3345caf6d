"""What came of the sessions that take part in trials, and which trials the log has decided.

Sessions of both arms are checked in the same way, those that were told a memory and those from which it was withheld.
A withheld memory counts as told, followed or violated nowhere else. What tool calls cannot show about a memory is
judged by corrections, and by commands that failed twice; a known fix by what it is for.
"""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from tacit.commandline.executions import leading_executions
from tacit.commandline.names import name_command
from tacit.index import reader, sessions
from tacit.index.sessions import SessionRow
from tacit.index.trials import TrialSession, arm_counts, running_trials, sessions_of_trial
from tacit.learn import SessionEvent
from tacit.learn.adherence import calls_in, check_claim, conversation_since, find_correction
from tacit.log.codec import must_decode
from tacit.model.claim import Claim, Kind, Provenance
from tacit.model.comparison import ending_of
from tacit.model.event import Attribution, Draft, Event
from tacit.model.expectations import read_expectations
from tacit.model.ids import ClaimId, EventId
from tacit.model.observation import BriefInjected, ToolAction, ToolOutcome, ToolUsed, TrialChecked, TrialEnded
from tacit.model.session import Adherence
from tacit.model.trial import TRIAL_ACTOR, Apart, Trial, TrialOutcome

_ATTRIBUTION = Attribution(TRIAL_ACTOR, Provenance.TOOL_LOCAL)
_TELLING_COMMANDS = ("add", "suggest", "remember", "note", "log")  # to propose something is to ask nothing
_PAGES = ("memories.ndjson", "long-term.md")
_OUTCOMES = {
    Adherence.VIOLATED: TrialOutcome.BAD,
    Adherence.STOPPED: TrialOutcome.BAD,
    Adherence.FOLLOWED: TrialOutcome.GOOD,
}


def check_trials(connection: sqlite3.Connection, row: SessionRow) -> list[Draft]:
    """Return what came of a session, for each trial that it takes part in and of which that is new."""
    injections = [
        event
        for event in reversed(sessions.injection_events(connection, must_decode, row.host_session_id))
        if isinstance(event.body, BriefInjected) and event.body.agent == row.agent
    ]
    trials = [
        trial
        for trial in running_trials(connection, must_decode).values()
        if (first := next((event for event in injections if trial.claim in _body(event).tried), None))
        and first.id > trial.id
    ]
    if not trials:
        return []
    logged = [logged.event for logged in sessions.logged_events_of_session(connection, row, must_decode)]
    drafts = []
    for trial in trials:
        if memory := reader.load_memory(connection, trial.claim, must_decode):
            body = _check(trial, row, memory.claim, injections, logged)
            if _as_stored(body) not in sessions_of_trial(connection, trial.id, row.id):
                drafts.append(Draft(body, trial.scope, _ATTRIBUTION))
    return drafts


def decided_endings(connection: sqlite3.Connection) -> list[Draft]:
    """Return the endings of the trials that the log has decided, or that took as many sessions as they may."""
    drafts = []
    for trial in running_trials(connection, must_decode).values():
        of_trial = sessions_of_trial(connection, trial.id)
        treated, control = (arm_counts(of_trial, withheld=is_withheld) for is_withheld in (False, True))
        if ending := ending_of(treated, control, sum(not one.apart for one in of_trial), trial.most):
            drafts.append(Draft(TrialEnded(trial.claim, trial.id, ending.value), trial.scope, _ATTRIBUTION))
    return drafts


def _check(
    trial: Trial, row: SessionRow, claim: Claim, injections: Sequence[Event], logged: Sequence[Event]
) -> TrialChecked:
    due = [event for event in injections if claim.id in _body(event).tried]
    events = conversation_since(logged, due[0], claim.scope)
    correction = find_correction(claim, events)
    call, outcome = EventId(""), TrialOutcome.GOOD
    if read_expectations(claim.sentence):
        check = check_claim(claim, calls_in(events))
        call, outcome = check.call, _OUTCOMES.get(check.result, TrialOutcome.NOT_APPLICABLE)
    elif claim.kind is Kind.KNOWN_FIX:
        outcome = _outcome_of_fix(due, logged, claim)
    elif max(Counter(_failed_commands(events)).values(), default=0) > 1:
        outcome = TrialOutcome.BAD
    return TrialChecked(
        claim.id,
        trial.id,
        row.id,
        withheld=not trial.is_treated(row.agent, row.host_session_id),
        outcome=(TrialOutcome.BAD if correction else outcome).value,
        call=call,
        correction=correction,
        apart=_apart(trial, row, injections, events),
        failures=sum(1 for _ in _failed_commands(events)),
        turns=row.turn_count,
        tokens=sum(_body(event).tokens for event in injections),
    )


def _body(event: Event) -> BriefInjected:
    assert isinstance(event.body, BriefInjected)
    return event.body


def _as_stored(body: TrialChecked) -> TrialSession:
    return TrialSession(ClaimId(body.session), body.withheld, TrialOutcome(body.outcome), *body[5:])


def _apart(trial: Trial, row: SessionRow, injections: Sequence[Event], events: Iterable[SessionEvent]) -> str:
    """Return why a session is left out, "" if it is not.

    The same counts in both arms, or leaving out would favour one: an agent that was told nothing may ask more often.
    """
    injected = [event for event in injections if trial.claim in _body(event).memories]
    if any(event.id < trial.id or not trial.is_treated(row.agent, row.host_session_id) for event in injected):
        return Apart.TOLD.value
    if _body(injections[0]).moment == "resume":
        return Apart.RESUMED.value
    return Apart.ASKED.value if any(_asks_tacit(event) for event in events) else ""


def _asks_tacit(event: SessionEvent) -> bool:
    """Return whether an agent asked Tacit for memories, or read its pages."""
    body = event.body
    if not isinstance(body, ToolUsed):
        return False
    words = re.split(r"[_.\-/]+", body.tool.lower())
    if "tacit" in words:
        return words[-1] not in _TELLING_COMMANDS
    if any(page in body.input for page in _PAGES):
        return True
    if body.act is not ToolAction.RAN or "tacit" not in body.input:
        return False
    ran = (command.words for command in leading_executions(body.input) if command.program == "tacit")
    return any(len(words) < 2 or words[1].text not in _TELLING_COMMANDS for words in ran)


def _outcome_of_fix(due: Iterable[Event], logged: Sequence[Event], claim: Claim) -> TrialOutcome:
    """Return whether what a known fix is for failed once more: a fix applies in sessions in which it has failed."""
    failures = [event for event in due if _body(event).moment == "failure"]
    again = (
        set(_names(_body(event).task)).intersection(_failed_commands(conversation_since(logged, event, claim.scope)))
        for event in failures
    )
    if not failures:
        return TrialOutcome.NOT_APPLICABLE
    return TrialOutcome.BAD if any(again) else TrialOutcome.GOOD


def _failed_commands(events: Iterable[SessionEvent]) -> Iterator[str]:
    """Yield what each failed command of the agent is called, without its subagents."""
    for event in events:
        body = event.body
        if not isinstance(body, ToolUsed) or body.act is not ToolAction.RAN or body.aside:
            continue
        if body.outcome is ToolOutcome.FAILED:
            yield next(_names(body.input), body.input)


def _names(line: str) -> Iterator[str]:
    """Yield the families of the commands in a line."""
    for command in leading_executions(line):
        yield name_command(tuple(word.text for word in command.words)).family
