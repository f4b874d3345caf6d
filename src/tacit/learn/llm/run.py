"""Learning with a model, which is optional: within a budget, a time and reason, and what it says is only proposed.

Whatever a model does, nothing is lost and nobody waits for long: there is an answer, or a reason why there is none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from shlex import quote

from tacit.disk.files import OsDisk
from tacit.disk.lock import FileLock
from tacit.errors import RefusedError, TacitError
from tacit.home.home import HomePart
from tacit.learn import Lesson, SessionEvent
from tacit.learn.llm.call import (
    INSTALL_COMMAND,
    NOT_INSTALLED,
    ModelReply,
    ModelRequest,
    TokenReservation,
    UsageMeter,
    ask_model,
    count_failure,
    is_installed,
    meter_at,
    read_meter,
    refusal_reason,
    reserve_tokens,
    reset_failures,
    settle_tokens,
    write_meter,
)
from tacit.learn.llm.prompt import ANSWER_SCHEMA, ExcerptLine, build_excerpt, build_prompt, parse_answer
from tacit.record import Record
from tacit.text.display import printable
from tacit.text.words import estimate_tokens

_MAX_EXCERPT_TOKENS, _MAX_ANSWER_TOKENS = 6000, 2000  # of one question
_LOCK_TIMEOUT_SECONDS = 10.0


class ModelOutcome(Record):
    """What a model found. `problem` says why nothing was asked or answered; `dropped` counts claims by reason; `model`
    is the one that has read the conversation, "" if none has."""

    findings: tuple[Lesson, ...] = ()
    tokens: int = 0
    problem: str = ""
    dropped: Mapping[str, int] = {}
    summary: str = ""
    model: str = ""


class ModelBudget(Record):
    """What models cost today, of what they may cost."""

    spent: int
    per_day: int


class ModelLearning(HomePart):
    """Models of one home."""

    @property
    def model_name(self) -> str:
        """The model of the settings, "" if there is none."""
        return self._home.settings.model_name

    def model_budget(self) -> ModelBudget:
        """Return what was spent today, and the budget of a day."""
        meter = meter_at(read_meter(self._meter_path), self._store.actor.clock())
        return ModelBudget(meter.spent, self._home.settings.model_tokens_per_day)

    def model_prompt(self, events: Sequence[SessionEvent]) -> str:
        """Return exactly what would be sent, "" if there is nothing to read."""
        lines = self._excerpt(events)
        return build_prompt(lines) if lines else ""

    def must_have_model(self, name: str) -> None:
        """Raise RefusedError if this model cannot be asked at all.

        An agent asks none: variables of its environment could name another server, and the conversation would go there.
        """
        if not is_installed():
            raise RefusedError(NOT_INSTALLED, INSTALL_COMMAND)
        option = "" if name == self._home.settings.model_name else f" --model {quote(name)}"
        self._store.actor.require_person("asks a model", f"tacit learn{option}")

    def model_problem(self, name: str) -> str:
        """Return why this model cannot be asked at all, and what to do about it; "" if it can."""
        try:
            self.must_have_model(name)
        except RefusedError as error:
            return f"{error.message}; {'type: ' if error.hint.startswith('pip') else ''}{error.hint}"
        return ""

    def model_findings(self, events: Sequence[SessionEvent], name: str) -> ModelOutcome:
        """Ask this model what of a conversation is worth remembering. Nothing is raised for the model's sake."""
        lines = self._excerpt(events)
        if not lines or not name:
            return ModelOutcome(model=name)
        if problem := self.model_problem(name):
            return ModelOutcome(problem=problem)
        try:
            return self._ask(lines, name)
        except (TacitError, OSError) as error:  # no space for the meter, or no process can be started
            return ModelOutcome(problem=f"no model was asked: {printable(str(error))}")

    def _excerpt(self, events: Sequence[SessionEvent]) -> tuple[ExcerptLine, ...]:
        return build_excerpt(events, min(_MAX_EXCERPT_TOKENS, self._home.settings.model_tokens_per_day // 2))

    def _ask(self, lines: Sequence[ExcerptLine], name: str) -> ModelOutcome:
        from tacit.learn.llm.check import check_answer

        prompt, settings = build_prompt(lines), self._home.settings
        need = TokenReservation(estimate_tokens(prompt) + _MAX_ANSWER_TOKENS, settings.model_tokens_per_day)
        if problem := self._reserve(need):
            return ModelOutcome(problem=problem)
        request = ModelRequest(name, prompt, ANSWER_SCHEMA, settings.model_timeout, 4 * _MAX_ANSWER_TOKENS)
        reply = ask_model(request, self._home.environment)
        answer = parse_answer(reply.text) if not reply.problem else None
        if answer is None and not reply.problem:
            problem = f"{printable(name)} did not answer in the form it was asked for"
            reply = reply._replace(problem=problem, is_failure=True)
        cost = need.tokens if reply.cost is None else reply.cost  # unknown if the model was stopped
        with suppress(TacitError, OSError):  # what was reserved stays counted, and an answer is an answer
            self._settle(need, reply, cost)
        if answer is None:
            return ModelOutcome(tokens=cost, problem=reply.problem)
        checked = check_answer(answer, lines)
        return ModelOutcome(checked.findings, cost, dropped=checked.dropped, summary=checked.summary, model=name)

    def _reserve(self, need: TokenReservation) -> str:
        """Count the tokens of a question, or return why no model is asked."""
        with self._meter_lock():
            now = self._store.actor.clock()
            meter = meter_at(read_meter(self._meter_path), now)
            problem = refusal_reason(meter, need, now)
            if not problem:
                self._write_meter(reserve_tokens(meter, need))
        return problem

    def _settle(self, need: TokenReservation, reply: ModelReply, cost: int) -> None:
        """Count what a question really cost, and whether it failed."""
        with self._meter_lock():
            now = self._store.actor.clock()
            meter = settle_tokens(meter_at(read_meter(self._meter_path), now), need, cost)
            if reply.is_failure:
                meter = count_failure(meter, now)
            elif not reply.problem:
                meter = reset_failures(meter)
            self._write_meter(meter)

    def _write_meter(self, meter: UsageMeter) -> None:
        write_meter(OsDisk(self._store.paths.root), self._meter_path, meter)

    def _meter_lock(self) -> AbstractContextManager[None]:
        return FileLock(self._store.paths.path(".tacit", "model.lock"), _LOCK_TIMEOUT_SECONDS).acquire()

    @property
    def _meter_path(self) -> str:
        return self._store.paths.path(".tacit", "model.json")
