"""The trials of a home: a person puts a memory on trial, sees how it stands, and decides on it when it has ended."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from shlex import quote

from tacit.commandline.patterns import AsksBefore, Expectation, ForbidsCommand, ProtectsFiles
from tacit.errors import RefusedError, UsageError
from tacit.home.home import HomePart
from tacit.index import reader, sessions
from tacit.index.trials import TrialSession, arm_counts, load_trials, running_trials, sessions_of_trial, waiting_trials
from tacit.log.codec import must_decode
from tacit.model.claim import MISSPELLED_TAG, Claim, Kind, Status
from tacit.model.comparison import CONFIDENCE, MARGIN, ArmCounts, Difference, compare
from tacit.model.event import Draft
from tacit.model.expectations import read_expectations
from tacit.model.ids import ClaimId
from tacit.model.observation import TrialEnded, TrialStarted
from tacit.model.phrases import alternatives
from tacit.model.trial import (
    DEFAULT_SESSIONS,
    MAX_RUNNING,
    MAX_SESSIONS,
    MIN_SESSIONS,
    Apart,
    Ending,
    Trial,
)
from tacit.record import Record
from tacit.vault.listing import ListedMemory
from tacit.vault.search import Search


class TrialArm(Record):
    """The sessions of one arm: how many there are, in how many the memory applied and went badly, and why.

    `failures`, `turns` and `tokens` are of an average session; nothing is decided by them.
    """

    sessions: int
    counts: ArmCounts
    violated: int
    corrected: int
    failures: float
    turns: float
    tokens: float


class TrialReport(Record):
    """How a trial stands: its two arms, the sessions that are left out, and the difference; None if it is too early.

    `is_checkable` says that tool calls show whether the memory was followed. A trial `rests` while its memory does not
    hold. `is_asked` if it ended with a verdict and the person has not decided on the memory since.
    """

    trial: Trial
    listed: ListedMemory
    treated: TrialArm
    control: TrialArm
    apart: tuple[tuple[str, int], ...]
    difference: Difference | None
    is_checkable: bool
    rests: bool
    is_asked: bool

    @property
    def applied(self) -> int:
        return self.treated.counts.applied + self.control.counts.applied

    @property
    def remaining(self) -> int:
        """How many more sessions in which the memory applies it may take."""
        return max(self.trial.most - self.applied, 0) if self.trial.is_running else 0

    @property
    def verdict(self) -> str:
        """What came of it, in words; "" while it runs."""
        return _VERDICTS[self.trial.ending] if self.trial.ending else ""

    @property
    def title(self) -> str:
        """What its card asks."""
        return f"tried: {self.verdict}. Keep it?"

    @property
    def reason(self) -> str:
        """What is recorded as the reason for a decision about it."""
        return f"tried, and {self.verdict}"

    @property
    def lines(self) -> Iterator[str]:
        """How it stands, in a few lines."""
        return _trial_lines(self)


_VERDICTS = {
    Ending.HELPS: "telling it helps",
    Ending.NO_DIFFERENCE: "telling it makes no difference",
    Ending.HARMS: "telling it harms",
    Ending.UNDECIDED: "it could not be decided",
    Ending.STOPPED: "stopped by you",
    Ending.GUARDED: "ended by a guard",
}


class Trials(HomePart):
    """`tacit trial`: which memories are told in about every second session, and what that shows."""

    def start(self, reference: str, most: int = DEFAULT_SESSIONS) -> TrialReport:
        """Put an active memory on trial, for at most `most` sessions in which it applies.

        Raises:
            NotFoundError: there is no such memory.
            UsageError: the number of sessions is out of range.
            RefusedError: an agent asks, or the memory cannot be tried.
        """
        self._store.actor.require_person("puts a memory on trial", f"tacit trial {quote(reference)}")
        if not MIN_SESSIONS <= most <= MAX_SESSIONS:
            raise UsageError(f"a trial takes from {MIN_SESSIONS} to {MAX_SESSIONS} sessions, not {most}")
        from tacit.guard import load_rules

        listed = Search(self._home).show(reference)
        self._must_be_told(listed)
        _must_not_be_safety_rule(listed, {rule.id for rule in load_rules(self._home.root)})
        claim = listed.memory.claim
        with self._store.change() as change:
            running = running_trials(change.connection, must_decode)
            if claim.id in running:
                raise RefusedError(f"[{listed.short}] is on trial already", "tacit trial")
            if len(running) >= MAX_RUNNING:
                raise RefusedError(
                    f"{MAX_RUNNING} memories are on trial already", "tacit trial, and tacit trial ID --stop"
                )
            self._must_not_be_loaded(change.connection, listed)
            seed = self._store.entropy().hex()
            change.record([Draft(TrialStarted(claim.id, seed, most), claim.scope)])
        return self._report_on(claim.id)

    def stop(self, reference: str, *, is_guarded: bool = False) -> TrialReport:
        """End the trial of a memory: at the person's wish, or because it has a guard now. It is told again always.

        Raises:
            NotFoundError: there is no such memory.
            RefusedError: an agent asks, or the memory is not on trial.
        """
        self._store.actor.require_person("ends a trial", f"tacit trial {quote(reference)} --stop")
        listed = Search(self._home).show(reference)
        claim = listed.memory.claim
        ending = Ending.GUARDED if is_guarded else Ending.STOPPED
        with self._store.change() as change:
            trials = load_trials(change.connection, must_decode, claim.id)
            running = next((trial for trial in trials if trial.is_running), None)
            if running is None:
                raise RefusedError(f"[{listed.short}] is not on trial", "tacit trial")
            change.record([Draft(TrialEnded(claim.id, running.id, ending.value), claim.scope)])
        return self._report_on(claim.id)

    def is_on_trial(self, claim: ClaimId) -> bool:
        """Return whether a memory is on trial."""
        with self._store.snapshot() as connection:
            return any(trial.is_running for trial in load_trials(connection, must_decode, claim))

    def reports(self) -> list[TrialReport]:
        """Return how all trials stand, those that run first, then the latest."""
        self._store.catch_up_fully()
        with self._store.snapshot() as connection:
            trials = [
                trial for trial in load_trials(connection, must_decode) if reader.memory_row(connection, trial.claim)
            ]
        return [self._report(trial) for trial in sorted(trials, key=lambda one: (one.is_running, one.id), reverse=True)]

    def latest(self, claim: ClaimId) -> TrialReport | None:
        """Return how the latest trial of a memory stands, None if it never was on trial."""
        with self._store.snapshot() as connection:
            trials = load_trials(connection, must_decode, claim) if reader.has_trials(connection) else []
        if not trials:
            return None
        self._store.catch_up_fully()
        return self._report(trials[-1])

    def waiting(self) -> list[TrialReport]:
        """Return the trials that ended with a verdict, of which the person has not decided on the memory since."""
        with self._store.snapshot() as connection:
            trials = waiting_trials(connection, must_decode)
        return [self._report(trial) for trial in trials]

    def _report_on(self, claim: ClaimId) -> TrialReport:
        report = self.latest(claim)
        assert report is not None
        return report

    def _report(self, trial: Trial) -> TrialReport:
        listed = Search(self._home).show(trial.claim)
        with self._store.snapshot() as connection:
            of_trial = sessions_of_trial(connection, trial.id)
            is_asked = trial.id in {one.id for one in waiting_trials(connection, must_decode)}
        treated, control = (_arm(of_trial, withheld=is_withheld) for is_withheld in (False, True))
        apart = Counter(one.apart for one in of_trial if one.apart)
        return TrialReport(
            trial,
            listed,
            treated,
            control,
            tuple(sorted(apart.items())),
            compare(treated.counts, control.counts, trial.most),
            bool(read_expectations(listed.memory.claim.sentence)),
            listed.memory.status is not Status.ACTIVE or bool(listed.overruled_by),
            is_asked,
        )

    def _must_be_told(self, listed: ListedMemory) -> None:
        """Raise RefusedError if no agent here would be told the memory, or if nobody could see what came of it."""
        memory, settings, short = listed.memory, self._home.settings, listed.short
        if memory.status is not Status.ACTIVE:
            verb = "accept" if memory.status is Status.PENDING else "restore"
            raise RefusedError(f"[{short}] is {memory.status.value}, so no agent is told it", f"tacit {verb} {short}")
        if listed.overruled_by:
            raise RefusedError(
                f"[{short}] is overruled by another memory, so no agent is told it", f"tacit show {short}"
            )
        if MISSPELLED_TAG in memory.claim.tags:
            raise RefusedError(f"[{short}] corrects what you type; no agent is told it")
        if not (settings.autocapture_inject_on_start or settings.autocapture_inject_on_prompt):
            hint = "tacit config set autocapture.inject_on_start true"
            raise RefusedError("agents are told nothing here: autocapture.inject_on_start is off", hint)
        if not settings.autocapture_enabled:
            raise RefusedError("sessions are not captured, so the log could never decide", "tacit autocapture on")
        with self._store.snapshot() as connection:
            if memory.claim.scope in self._store.scopes_in(connection):
                return
            roots = reader.project_roots(connection, memory.claim.scope)
        hint = f"cd {quote(roots[0])} && tacit trial {short}" if roots else "go to its project first"
        raise RefusedError(f"[{short}] is of another project and is never told here", hint)

    def _must_not_be_loaded(self, connection: sqlite3.Connection, listed: ListedMemory) -> None:
        """Raise RefusedError if a rule file tells an agent the same: its sessions would know it in both arms."""
        from tacit.hosts import HOSTS
        from tacit.inject.checks import without_loaded

        row = reader.memory_row(connection, listed.memory.id)
        used = {session.agent for session in sessions.session_rows(connection)} & set(HOSTS) or set(HOSTS)
        informed = [agent for agent in sorted(used) if row and not without_loaded([row], agent, self._home)]
        if informed:
            raise RefusedError(
                f"a rule file tells {', '.join(informed)} the same, so no session would be without [{listed.short}]",
                "take it out of CLAUDE.md, AGENTS.md or GEMINI.md first: tacit audit",
            )


def _arm(of_trial: Sequence[TrialSession], *, withheld: bool) -> TrialArm:
    counted = [one for one in of_trial if one.withheld is withheld and not one.apart]
    number = max(len(counted), 1)
    return TrialArm(
        len(counted),
        arm_counts(of_trial, withheld=withheld),
        sum(bool(one.call) and one.outcome.value == "bad" for one in counted),
        sum(bool(one.correction) for one in counted),
        sum(one.failures for one in counted) / number,
        sum(one.turns for one in counted) / number,
        sum(one.tokens for one in counted) / number,
    )


# Safety rules


def _must_not_be_safety_rule(listed: ListedMemory, guarded: set[str]) -> None:
    """Raise RefusedError for a memory that guards, or that keeps an agent from doing harm."""
    claim, short = listed.memory.claim, listed.short
    if claim.id in guarded:
        raise RefusedError(f"[{short}] is guarded, and what guards is not tried", f"tacit guard off {short}")
    if is_safety_rule(claim):
        raise RefusedError(
            f"[{short}] is a safety rule, and half of the sessions would go without it",
            f"if no harm comes of that, file it as a rule: tacit edit {short} --kind rule"
            if not read_expectations(claim.sentence)
            else "a rule that names what to do instead can be tried, for example: never use npm here, use pnpm",
        )


def is_safety_rule(claim: Claim) -> bool:
    """Return whether a memory may keep an agent from doing harm, so that it must not be withheld.

    That is what protects files, asks first, or forbids a command without naming another one, whether or not a guard is
    switched on; and of constraints whatever cannot be read.
    """
    expectations = read_expectations(claim.sentence)
    return any(map(_protects, expectations)) or (claim.kind is Kind.CONSTRAINT and not expectations)


def _protects(expectation: Expectation) -> bool:
    if isinstance(expectation, ForbidsCommand):
        return not (expectation.instead or alternatives(expectation.forbidden))
    return isinstance(expectation, AsksBefore | ProtectsFiles)


# In words

_APART = {
    Apart.ASKED.value: "whose agent asked Tacit by itself",
    Apart.TOLD.value: "told it against the coin",
    Apart.RESUMED.value: "that went on with another session",
}


def _trial_lines(report: TrialReport) -> Iterator[str]:
    """Yield how a trial stands, in a few lines."""
    trial = report.trial
    began = f"since {trial.started_at.astimezone():%Y-%m-%d}"
    sessions_done = report.treated.sessions + report.control.sessions
    number = f"{_count(sessions_done)}, and it applied in {report.applied}" if sessions_done else "no session yet"
    if trial.ended_at:
        yield f"{report.verdict} (ended on {trial.ended_at.astimezone():%Y-%m-%d}): {number}"
    elif report.rests:
        yield f"on trial {began}, and resting: no agent is told it now"
    else:
        yield f"on trial {began}: {number}; at most {report.remaining} more"
    if report.treated.sessions or report.control.sessions:
        yield from (_arm_line(name, arm) for name, arm in (("told", report.treated), ("not told", report.control)))
        yield _difference_line(report)
    if not report.is_checkable:
        what = (
            "whether its command fails again"
            if report.listed.memory.kind is Kind.KNOWN_FIX
            else "commands that failed twice"
        )
        yield f"tool calls do not show whether it is followed: your corrections decide, and {what}"
    if report.apart:
        yield "left out: " + ", ".join(f"{_count(number)} {_APART.get(name, name)}" for name, number in report.apart)


def _difference_line(report: TrialReport) -> str:
    """Return the difference between the arms with its interval."""
    if (found := report.difference) is None:
        return "difference: too few sessions to say"
    more = "more" if found.estimate < 0 else "fewer"
    sessions = "sessions that the coin could tell it" if found.is_of_all else "sessions"
    what = f"{abs(100 * found.estimate):.0f} {more} of 100 {sessions} went badly with it"
    interval = f"{100 * CONFIDENCE:.0f} % interval: from {_points(found.low)} to {_points(found.high)}"
    return f"difference: {what} ({interval}; less than {100 * MARGIN:.0f} either way is none)"


def _points(share: float) -> str:
    return f"{abs(100 * share):.0f} {'more' if share < 0 else 'fewer'}"


def _arm_line(name: str, arm: TrialArm) -> str:
    counts = arm.counts
    badly = f"{counts.bad} of {counts.applied} went badly"
    share = f" ({100 * counts.share:.0f} %)" if counts.applied else ""
    kinds: Iterable[tuple[int, str]] = ((arm.violated, "violated"), (arm.corrected, "corrected by you"))
    why = ", ".join(f"{number} {what}" for number, what in kinds if number)
    means = f"{arm.failures:.1f} failed commands, {arm.turns:.1f} turns, {arm.tokens:.0f} tokens told in a session"
    return f"{name}: {badly}{share}{': ' * bool(why)}{why}; {means}"


def _count(number: int) -> str:
    return f"{number:,} session{'s' * (number != 1)}"
