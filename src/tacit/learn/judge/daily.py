"""The daily judge: one question a day about the sessions that nobody has judged, if the person chose that.

A hook starts this in a process of its own, and nobody waits for it. Whatever happens to that process, it is not started
again on the same day: it says in the home that it asks before it does. If it was killed meanwhile, that counts as a
failure. After three failures nobody is asked until the person agrees again.
"""

from __future__ import annotations

import signal
from collections.abc import Sequence
from contextlib import contextmanager, suppress
from datetime import timedelta

from tacit.disk.lock import FileLock
from tacit.errors import LockBusyError, UsageError
from tacit.home import daily_judge
from tacit.home.daily_judge import INTERVAL_SECONDS, RETRY_SECONDS, DailyReceipt, DailyState
from tacit.home.home import Home
from tacit.index.sessions import SessionRow
from tacit.learn.judge import Judge, Judging, SessionQuestion, client_judge
from tacit.learn.judge.clients import JUDGE_VARIABLE
from tacit.learn.sessions import ANY_JUDGE, LearnState, SessionLearning
from tacit.model.event import timestamp
from tacit.text.display import clip, printable

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator

MIN_SESSIONS = 3  # that are worth a question
MAX_QUESTION_TOKENS = 4500
_FINISHED_AFTER = timedelta(hours=1)  # without an event; a session that goes on is judged again
_MAX_QUESTIONS = 4  # about one session that is longer than a question
_GRACE_SECONDS = 60  # beyond the time of the answers
_MAX_PROBLEM_CHARS = 200


def judge_today(home: Home) -> None:
    """Ask the judge if it is due and some sessions wait to be judged. What came of it is stored in the home.

    The environment of `home` is not believed: what is asked is asked where the person agreed.
    """
    paths = home.store.paths
    is_chosen = daily_judge.is_chosen(home.settings) and JUDGE_VARIABLE not in home.environment
    if not is_chosen or not daily_judge.is_due(paths):
        return
    with suppress(LockBusyError), FileLock(paths.daily_lock, 0.0).acquire():
        if not daily_judge.is_due(paths):  # another process has asked meanwhile
            return
        state = daily_judge.read_state(paths)
        if state.is_asking:  # that process was killed
            problem = "the process that asked was ended before it had an answer"
            state = _after_failure(state, DailyReceipt(home.settings.learn_agent, problem=problem))
        if state.has_stopped:
            daily_judge.write_state(paths, state, seconds_until_due=INTERVAL_SECONDS)
            return
        environment = daily_judge.agreed_environment(paths, home.environment)
        if not environment:
            _postpone(home, state)
            return
        with Home(home.root, cwd="/", environment=environment) as agreed:
            _store(agreed, _ask(agreed, state), state)


def waiting_sessions(home: Home) -> list[SessionRow]:
    """Return the finished sessions that nobody has judged, the latest first."""
    finished = timestamp(home.store.actor.clock() - _FINISHED_AFTER)
    unjudged = SessionLearning(home).unlearned_sessions(ANY_JUDGE)
    return [row for row in reversed(unjudged) if row.ended_at < finished]


def _ask(home: Home, state: DailyState) -> DailyReceipt | None:
    """Ask about the latest sessions, and learn from the answer. Return what came of it, None if it has to wait."""
    home.store.catch_up()
    waiting = waiting_sessions(home)
    if len(waiting) < MIN_SESSIONS:
        return None
    try:
        judge = client_judge(home.settings.learn_agent)
    except UsageError as error:  # a name that no client has
        return DailyReceipt(home.settings.learn_agent, problem=error.message)
    rows, questions = _first_questions(Judging(home), waiting)
    daily_judge.write_state(home.store.paths, state._replace(is_asking=True), seconds_until_due=INTERVAL_SECONDS)
    with _deadline(len(questions) * home.settings.model_timeout + _GRACE_SECONDS):
        return _judge(home, judge, rows, questions)


def _first_questions(
    judging: Judging, rows: Sequence[SessionRow]
) -> tuple[Sequence[SessionRow], list[SessionQuestion]]:
    """Return the question of today, and the sessions with which it is done; more questions if a session needs them.

    A session that needs too many is left out: it waits for a person who types `tacit learn`.
    """
    asked: list[SessionQuestion] = []
    for question in judging.questions(rows, max_tokens=MAX_QUESTION_TOKENS):
        asked.append(question)
        if any(part.is_last for part in question.question.parts):
            last = max(rows.index(row) for row in question.rows)
            return rows[: last + 1], asked
        if len(asked) == _MAX_QUESTIONS:
            return _first_questions(judging, [row for row in rows if row.id != question.rows[-1].id])
    return rows, []


def _judge(
    home: Home, judge: Judge, rows: Sequence[SessionRow], questions: Sequence[SessionQuestion]
) -> DailyReceipt | None:
    """Return what came of the questions, None if there is nothing to ask about or a budget is spent."""
    learning, receipt = SessionLearning(home), DailyReceipt(judge.name, timestamp(home.store.actor.clock()))
    for outcome in Judging(home).judge_sessions(rows, questions, judge):
        new = 0
        for row, judged in outcome.sessions:
            new += sum(result.state is LearnState.NEW for result in learning.learn_from_session(row, judged=judged))
        receipt = receipt._replace(
            sessions=receipt.sessions + sum(judged.was_asked for _, judged in outcome.sessions),
            suggestions=receipt.suggestions + new,
            tokens=receipt.tokens + outcome.asked + outcome.answered,
            problem=clip(printable(outcome.problem), _MAX_PROBLEM_CHARS),
        )
        if outcome.is_put_off:
            return None
    return receipt if receipt.sessions or receipt.problem else None


def _store(home: Home, receipt: DailyReceipt | None, before: DailyState) -> None:
    if receipt is None:
        _postpone(home, before)
        return
    state = _after_failure(before, receipt) if receipt.problem else DailyState(is_told=False, receipt=receipt)
    daily_judge.write_state(home.store.paths, state, seconds_until_due=INTERVAL_SECONDS)


def _postpone(home: Home, state: DailyState) -> None:
    """Look again in an hour: there is too little to ask about, or today's budget is spent."""
    daily_judge.write_state(home.store.paths, state, seconds_until_due=RETRY_SECONDS)


def _after_failure(state: DailyState, receipt: DailyReceipt) -> DailyState:
    return DailyState(failures=state.failures + 1, is_told=False, receipt=receipt)


@contextmanager
def _deadline(seconds: int) -> Iterator[None]:
    """End this process at a deadline, and with it the client that it asks."""

    def stop(_number: int, _frame: object) -> None:
        raise SystemExit(1)

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
