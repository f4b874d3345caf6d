"""Asking a judge about sessions: within a budget, a time and reason, and what it says is only proposed.

A judge is a client that the person uses anyway, or a model of the `llm` library. It is asked by `tacit learn` alone,
never from a hook. Whatever it does, nothing is lost: there is an answer, or a reason why there is none.
"""

from __future__ import annotations

import json
import os
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from datetime import datetime, timedelta
from functools import partial
from shlex import quote

from tacit.disk.files import OsDisk, make_folder, read_file, replace_file
from tacit.disk.lock import FileLock
from tacit.disk.read import read_external
from tacit.errors import RefusedError, TacitError, UsageError
from tacit.home.daily_judge import client_program
from tacit.home.home import HomePart
from tacit.home.paths import JUDGE_FOLDER
from tacit.index import reader
from tacit.index.sessions import SessionRow
from tacit.learn.judge import answer as answers
from tacit.learn.judge import clients
from tacit.learn.judge.answer import CheckedAnswer, JudgedSession, RejectedMemory
from tacit.learn.judge.clients import CLIENTS, JudgeReply
from tacit.learn.judge.question import (
    MAX_QUESTION_TOKENS,
    KnownMemory,
    Question,
    build_questions,
    known_memories,
    session_material,
)
from tacit.learn.sessions import SessionLearning, is_learned_in
from tacit.log.codec import must_decode
from tacit.model.claim import project_name
from tacit.record import Record
from tacit.search.restatements import memories_near_texts
from tacit.text.display import printable
from tacit.text.words import estimate_tokens

MAX_SESSIONS = 200  # of one run; the others wait
_MAX_ANSWER_TOKENS = 3000
_CHARS_PER_TOKEN = 4
_ANSWER_TOKENS_PER_SESSION = 80  # of a usual answer, for the estimate
_LABEL_CHARS = 8
_MAX_NEWER_SESSIONS = 20  # that were captured between a question and its answer
_METER_LOCK_SECONDS, _CLIENT_LOCK_SECONDS = 10.0, 1.0
_MAX_CONFIG_BYTES = 1 << 20


# The budget of a day
#
# What judges cost today, and whether they are paused because they failed, is in one small file of the home and not in
# the log: it is about this machine and this day, and a line for every failure would let a broken judge fill the disk.
# What earlier days cost is kept for a month, to be shown. If the file is deleted, the day's budget begins again, and
# nothing else is lost.

_MAX_FAILURES, _FAILURE_PAUSE = 3, timedelta(hours=1)
_MAX_EARLIER_DAYS = 31


class UsageMeter(Record):
    """Tokens of one day, failures in a row since the last answer, and until when nobody is asked.

    `earlier` are the tokens of earlier days on which any were spent.
    """

    day: str = ""
    spent: int = 0
    failures: int = 0
    closed_until: str = ""
    earlier: Mapping[str, int] = {}

    def at(self, now: datetime) -> UsageMeter:
        """Return the meter at this time: a new day has its own budget."""
        today = now.date().isoformat()
        if self.day == today:
            return self
        spent = {**self.earlier, **({self.day: self.spent} if self.spent else {})}
        kept = dict(sorted(spent.items())[-_MAX_EARLIER_DAYS:])
        return self._replace(day=today, spent=0, earlier=kept)

    def spent_since(self, day: str) -> int:
        """Return the tokens of this day and of all later ones."""
        return self.spent + sum(tokens for earlier, tokens in self.earlier.items() if earlier >= day)

    def refusal(self, tokens: int, per_day: int, now: datetime) -> str:
        """Return why nobody is asked a question that may cost so many tokens, "" if a judge may be."""
        with suppress(ValueError):
            until = datetime.fromisoformat(self.closed_until)
            if until.tzinfo and now < until <= now + _FAILURE_PAUSE:  # a clock that was set back makes no pause longer
                return f"judges failed {_MAX_FAILURES} times in a row, so none is asked before {until:%H:%M}"
        if self.spent + tokens > per_day:
            fitting = -(-(self.spent + tokens) // 1000) * 1000
            return (
                f"a question of {tokens:,} tokens does not fit into today's budget: {self.spent:,} of"
                f" {per_day:,} are spent; for more: tacit config set model.tokens_per_day {fitting}"
            )
        return ""

    def add(self, tokens: int) -> UsageMeter:
        """Count tokens. What is reserved for a question is counted before it is asked: a process that is killed has
        spent it, so a crash never makes room for more."""
        return self._replace(spent=max(self.spent + tokens, 0))

    def after_failure(self, now: datetime) -> UsageMeter:
        """Count one more failure. The third and each later one begins a pause, also the one try after a pause."""
        failures = min(self.failures + 1, _MAX_FAILURES)
        closed = (now + _FAILURE_PAUSE).isoformat() if failures == _MAX_FAILURES else ""
        return self._replace(failures=failures, closed_until=closed)

    def after_answer(self) -> UsageMeter:
        return self._replace(failures=0, closed_until="")


def read_meter(path: str) -> UsageMeter:
    """Return the meter in a file, a new one if there is none or it is not valid."""
    try:
        meter = UsageMeter(**json.loads(read_file(path) or b"{}"))
        is_typed = all(type(value) is type(default) for value, default in zip(meter, UsageMeter(), strict=True))
        is_typed = is_typed and all(type(tokens) is int for tokens in meter.earlier.values())
    except (ValueError, TypeError, RecursionError):
        return UsageMeter()
    return meter if is_typed and meter.spent >= 0 <= meter.failures else UsageMeter()


# Judges and questions


class Judge(Record):
    """Who is asked. `name` is recorded: that of a client, or of a model of the `llm` library. `model` is the client's
    model, "" for its own choice."""

    name: str
    is_client: bool = False
    model: str = ""


class JudgeBudget(Record):
    """What judges cost today, of what they may cost."""

    spent: int
    per_day: int


class SessionQuestion(Record):
    """A question, and the sessions in it."""

    question: Question
    rows: tuple[SessionRow, ...]


class JudgeOutcome(Record):
    """What came of one question: the sessions that are judged now, what it cost, or the problem.

    `dropped` counts memories and summaries that were not believed, by reason. `is_put_off`: the problem is a budget
    that is spent, or a pause.
    """

    sessions: tuple[tuple[SessionRow, JudgedSession], ...] = ()
    asked: int = 0
    answered: int = 0
    problem: str = ""
    dropped: Mapping[str, int] = {}
    rejected: tuple[RejectedMemory, ...] = ()
    is_put_off: bool = False


class Judging(HomePart):
    """Judges of one home."""

    def configured_judge(self) -> Judge | None:
        """Return the judge of the settings: the client `learn.agent`, else the model `model.name`; None if none is set.

        Raise UsageError if `learn.agent` names no client.
        """
        settings = self._home.settings
        if settings.learn_agent:
            return client_judge(settings.learn_agent)
        return Judge(settings.model_name) if settings.model_name else None

    def installed_clients(self) -> list[str]:
        """Return the names of the clients on PATH."""
        return [name for name in CLIENTS if client_program(name, self._home.environment)]

    def budget(self) -> JudgeBudget:
        """Return what was spent today, and the budget of a day."""
        meter = read_meter(self._meter_path).at(self._store.actor.clock())
        return JudgeBudget(meter.spent, self._home.settings.model_tokens_per_day)

    def spent_since(self, start: datetime) -> int:
        """Return the tokens that judges cost on the day of a time and since."""
        return read_meter(self._meter_path).at(self._store.actor.clock()).spent_since(start.date().isoformat())

    def must_be_askable(self, judge: Judge) -> None:
        """Raise RefusedError if this judge cannot be asked at all.

        An agent asks no model: variables of its environment could name another server, and the sentences would go
        there. It asks a client only if the person chose that client for good (`learn.agent`).
        """
        if clients.JUDGE_VARIABLE in self._home.environment:
            raise RefusedError("a judge asks no other judge", f"unset {clients.JUDGE_VARIABLE}")
        if judge.is_client:
            if judge.name != self._home.settings.learn_agent:
                self._store.actor.require_person("asks a judge", f"tacit learn --agent {judge.name}")
            if not client_program(judge.name, self._home.environment):
                others = ", ".join(self.installed_clients())
                hint = f"choose another ({others})" if others else "install it"
                raise RefusedError(
                    f"{judge.name} is not on PATH", f"{hint}, or ask any model: tacit learn --show-prompt"
                )
            return
        if not clients.is_llm_installed():
            raise RefusedError(clients.NOT_INSTALLED, clients.INSTALL_COMMAND)
        option = "" if judge.name == self._home.settings.model_name else f" --model {quote(judge.name)}"
        self._store.actor.require_person("asks a model", f"tacit learn{option}")

    def judge_problem(self, judge: Judge) -> str:
        """Return why this judge cannot be asked at all, and what to do about it; "" if it can."""
        try:
            self.must_be_askable(judge)
        except RefusedError as error:
            return f"{error.message}; {'type: ' if error.hint.startswith('pip') else ''}{error.hint}"
        return ""

    def questions(
        self, rows: Sequence[SessionRow], *, may_split: bool = True, max_tokens: int = MAX_QUESTION_TOKENS
    ) -> Iterator[SessionQuestion]:
        """Yield the questions about some sessions, in the given order; at most MAX_SESSIONS are looked at."""
        learning = SessionLearning(self._home)
        by_label = {row.id[:_LABEL_CHARS]: row for row in rows[:MAX_SESSIONS]}
        materials = (
            session_material(label, project_name(row.scope), row.agent, learning.session_events(row))
            for label, row in by_label.items()
        )
        max_tokens = min(max_tokens, self._home.settings.model_tokens_per_day - _MAX_ANSWER_TOKENS)
        for question in build_questions(materials, max_tokens, may_split=may_split):
            rows = tuple(by_label[part.label] for part in question.parts)
            yield SessionQuestion(question._replace(known=self._known_memories(question, rows)), rows)

    def _known_memories(self, question: Question, rows: Iterable[SessionRow]) -> tuple[KnownMemory, ...]:
        """Return what holds or waits in the projects of a question, the nearest to its lines first."""
        texts = [line.context for part in question.parts for line in part.lines if not line.is_fix]
        asked = {row.host_session_id for row in rows}
        with self._store.snapshot() as connection:
            near = memories_near_texts(connection, {row.scope for row in rows}, texts)
            # What was learned from these sessions alone is in their lines.
            events = partial(reader.events_of_claim, connection, decode=must_decode)
            return tuple(known_memories(row for row in near if not is_learned_in(events(row.id), asked)))

    def judge_sessions(
        self, rows: Sequence[SessionRow], questions: Sequence[SessionQuestion], judge: Judge
    ) -> Iterator[JudgeOutcome]:
        """Ask the questions one after the other, and yield what came of each; the last outcome may be a problem.

        Sessions that no question is about have nothing to judge: they come first, and cost nothing.
        """
        asked = {row.id for question in questions for row in question.rows}
        empty = [row for row in rows[:MAX_SESSIONS] if row.id not in asked]
        if empty:
            unasked = JudgedSession(judge=judge.name, was_asked=False)
            yield JudgeOutcome(tuple((row, unasked) for row in empty))
        started: dict[str, JudgedSession] = {}  # sessions that go on in the next question
        for question in questions:
            reply, checked = self.ask(question.question, judge)
            cost = JudgeOutcome(asked=reply.asked, answered=reply.answered or 0)
            if checked is None:
                yield cost._replace(problem=reply.problem, is_put_off=reply.is_put_off)
                return
            judged = tuple(_completed_sessions(question, checked, started))
            yield cost._replace(sessions=judged, dropped=checked.dropped, rejected=checked.rejected)

    def judge_by_answers(self, rows: Sequence[SessionRow], text: str, name: str) -> JudgeOutcome:
        """Return what can be believed of an answer to the first question about these sessions, the latest first.

        If the answer says which question it is for, sessions that were captured since are left out.
        Raise UsageError if it is no answer, or fits no question.
        """
        answer = answers.parse_answer(text)
        if answer is None:
            raise UsageError(
                "these are no answers: one JSON object with “memories” is needed", "tacit learn --show-prompt"
            )
        for newer in range(min(len(rows), _MAX_NEWER_SESSIONS + 1)):
            asked = next(self.questions(rows[newer:], may_split=False), None)
            if asked is not None and answer.is_for(asked.question):
                checked = answers.check_answer(answer, asked.question, name)
                judged = tuple(_completed_sessions(asked, checked, {}))
                return JudgeOutcome(judged, dropped=checked.dropped, rejected=checked.rejected)
        raise UsageError(
            "these answers are for another question than the one that would be asked now",
            "ask again: tacit learn --show-prompt",
        )

    def ask(self, question: Question, judge: Judge) -> tuple[JudgeReply, CheckedAnswer | None]:
        """Ask one question. Return the reply, and what can be believed of it; None if there is no answer.

        Nothing is raised for the judge's sake.
        """
        if problem := self.judge_problem(judge):
            return JudgeReply(problem=problem), None
        text = question.text
        tokens, is_reserved = estimate_tokens(text) + _MAX_ANSWER_TOKENS, False
        try:
            if problem := self._reserve(tokens):
                return JudgeReply(problem=problem, is_put_off=True), None
            is_reserved = True
            timeout, max_chars = self._home.settings.model_timeout, _CHARS_PER_TOKEN * _MAX_ANSWER_TOKENS
            reply = self._ask_judge(clients.JudgeRequest(judge.name, text, timeout, max_chars), judge)
        except (TacitError, OSError) as error:  # no space for the meter, or no process can be started
            nobody = JudgeReply(problem=f"no judge was asked: {printable(str(error))}")
            with suppress(TacitError, OSError):
                if is_reserved:
                    self._settle(tokens, nobody)
            return nobody, None
        answer = answers.parse_answer(reply.text) if not reply.problem else None
        if answer is None and not reply.problem:
            problem = f"{printable(judge.name)} did not answer in the form it was asked for"
            reply = reply._replace(problem=problem, is_failure=True)
        elif answer is not None and not answer.is_for(question):
            problem = f"{printable(judge.name)} answered another question than the one it was asked"
            reply, answer = reply._replace(problem=problem, is_failure=True), None
        if reply.answered is None:  # unknown if the judge was stopped
            reply = reply._replace(answered=_MAX_ANSWER_TOKENS)
        with suppress(TacitError, OSError):  # what was reserved stays counted, and an answer is an answer
            self._settle(tokens, reply)
        return reply, answers.check_answer(answer, question, judge.name) if answer is not None else None

    def _ask_judge(self, request: clients.JudgeRequest, judge: Judge) -> JudgeReply:
        environment = self._home.environment
        if not judge.is_client:
            return clients.ask_model(request, answers.ANSWER_SCHEMA, environment)
        client, disk = CLIENTS[judge.name], OsDisk(self._store.paths.root)
        # A folder for files, and in it an empty one to run a client in. Both are removed in the end.
        paths, files = self._store.paths, self._store.paths.judge_files
        folder = os.path.join(files, JUDGE_FOLDER)
        with FileLock(paths.path(".tacit", "judge.lock"), _CLIENT_LOCK_SECONDS).acquire():
            shutil.rmtree(files, ignore_errors=True)  # of a process that was killed
            make_folder(folder, below=paths.root)
            try:
                program, config = client_program(judge.name, environment), self._user_config(client)
                setup = clients.ClientSetup(program, request.question, files, judge.model, environment, config)
                command = client.command(setup)
                if command.needs_private_folder and (shared := _shared_folder(files)):
                    problem = f"{judge.name} does not heed settings below {shared}, which others can write"
                    return JudgeReply(problem=printable(f"{problem}; type: chmod go-w {quote(shared)}"))
                for name, content in command.files.items():
                    make_folder(os.path.dirname(os.path.join(files, name)), below=paths.root)
                    replace_file(disk, os.path.join(files, name), content.encode(), below=paths.root)
                return clients.ask_client(request, command, folder, environment)
            finally:
                shutil.rmtree(files, ignore_errors=True)

    def _user_config(self, client: clients.Client) -> Mapping[str, object]:
        """Return the user's settings of a client, {} if there are none or they cannot be read."""
        path = client.config_path(self._home.environment, self._home.user_folder)
        config: object = None
        if path:
            import tomllib

            with suppress(TacitError, OSError, ValueError, RecursionError):
                text = read_external(path, _MAX_CONFIG_BYTES).decode("utf-8")
                config = tomllib.loads(text) if path.endswith(".toml") else answers.parse_json(text)
        return config if isinstance(config, dict) else {}

    def _reserve(self, tokens: int) -> str:
        """Count the tokens of a question, or return why nobody is asked."""
        with self._meter_lock():
            now = self._store.actor.clock()
            meter = read_meter(self._meter_path).at(now)
            problem = meter.refusal(tokens, self._home.settings.model_tokens_per_day, now)
            if not problem:
                self._write_meter(meter.add(tokens))
        return problem

    def _settle(self, reserved: int, reply: JudgeReply) -> None:
        """Count what a question really cost instead of what was reserved, and whether it failed."""
        with self._meter_lock():
            now = self._store.actor.clock()
            meter = read_meter(self._meter_path).at(now).add(-reserved).add(reply.asked + (reply.answered or 0))
            if reply.is_failure:
                meter = meter.after_failure(now)
            elif not reply.problem:
                meter = meter.after_answer()
            self._write_meter(meter)

    def _write_meter(self, meter: UsageMeter) -> None:
        content = json.dumps(meter._asdict()).encode("ascii") + b"\n"
        replace_file(OsDisk(self._store.paths.root), self._meter_path, content)

    def _meter_lock(self) -> AbstractContextManager[None]:
        return FileLock(self._store.paths.path(".tacit", "model.lock"), _METER_LOCK_SECONDS).acquire()

    @property
    def _meter_path(self) -> str:
        return self._store.paths.path(".tacit", "model.json")


def client_judge(name: str, model: str = "") -> Judge:
    """Return a client as a judge. Raise UsageError if it is not supported."""
    if name not in CLIENTS:
        raise UsageError(f"no such client: {name!r}", f"one of {', '.join(CLIENTS)}")
    return Judge(name, is_client=True, model=model)


def _shared_folder(path: str) -> str:
    """Return the folder of a path, or above it, that others than its owner can write; "" if there is none."""
    while os.stat(path).st_mode & 0o022 == 0:
        if path == os.path.dirname(path):
            return ""
        path = os.path.dirname(path)
    return path


def estimated_tokens(questions: Sequence[SessionQuestion]) -> int:
    """Return about what some questions and their answers cost."""
    return sum(
        estimate_tokens(question.question.text) + _ANSWER_TOKENS_PER_SESSION * len(question.rows)
        for question in questions
    )


def _completed_sessions(
    question: SessionQuestion, checked: CheckedAnswer, started: dict[str, JudgedSession]
) -> Iterator[tuple[SessionRow, JudgedSession]]:
    """Yield the sessions that are judged now. Those that go on in the next question stay in `started`."""
    for part, row in zip(question.question.parts, question.rows, strict=True):
        first, second = started.pop(part.label, JudgedSession()), checked.sessions[part.label]
        # Each thing once, and not more than one question may say.
        known = [lesson.sentence for lesson in first.findings]
        new = (
            lesson
            for lesson in second.findings
            if not any(answers.is_same_statement(lesson.sentence, sentence) for sentence in known)
        )
        findings = (*first.findings, *new)[: answers.MAX_PER_SESSION]
        judged = JudgedSession(findings, second.summary or first.summary, second.judge)
        if part.is_last:
            yield row, judged
        else:
            started[part.label] = judged


def total_dropped(outcomes: Sequence[JudgeOutcome]) -> Counter[str]:
    """Return how much was not believed in all, by reason."""
    return sum((Counter(outcome.dropped) for outcome in outcomes), Counter())
