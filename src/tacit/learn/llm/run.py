"""Learning with a model, which nobody needs: within a budget, a time and reason, and what it says is only proposed.

Whatever a model does, nothing is lost and nobody is kept waiting for long: there is an answer, or a reason why not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from shlex import quote
from typing import TYPE_CHECKING

from tacit.disk.files import OsDisk
from tacit.disk.lock import FileLock
from tacit.errors import RefusedError, TacitError
from tacit.home.home import HomePart
from tacit.learn.llm.call import (
    TokenReservation,
    UsageMeter,
    count_failure,
    meter_at,
    read_meter,
    refusal_reason,
    reserve_tokens,
    reset_failures,
    settle_tokens,
    write_meter,
)
from tacit.learn.types import Lesson, SessionEvent
from tacit.record import Record
from tacit.text.display import printable
from tacit.text.words import estimate_tokens

if TYPE_CHECKING:
    from tacit.learn.llm.call import ModelReply, ModelRequest
    from tacit.learn.llm.prompt import ExcerptLine

_MAX_EXCERPT_TOKENS, _MAX_ANSWER_TOKENS = 6000, 2000  # tokens of one question
_LOCK_TIMEOUT_SECONDS = 10.0


class ModelOutcome(Record):
    """What a model found. `problem` says why nothing was asked or answered; `dropped` counts claims by reason; `model`
    is the one that has read the conversation, empty where none has."""

    findings: tuple[Lesson, ...] = ()
    tokens: int = 0
    problem: str = ""
    dropped: Mapping[str, int] = {}
    summary: str = ""
    model: str = ""


class ModelBudget(Record):
    """What models cost today, of what they may."""

    spent: int
    per_day: int


class ModelLearning(HomePart):
    """Models of one home."""

    def model_prompt(self, said: Sequence[SessionEvent]) -> str:
        """Exactly what would be sent; nothing where there is nothing to read."""
        from tacit.learn.llm.prompt import build_prompt

        lines = self._excerpt(said)
        return build_prompt(lines) if lines else ""

    def model_budget(self) -> ModelBudget:
        meter = meter_at(read_meter(self._meter_path), self._now())
        return ModelBudget(meter.spent, self._home.settings.model_tokens_per_day)

    @property
    def model_name(self) -> str:
        """The model that the person chose for good; empty where there is none."""
        return self._home.settings.model_name

    def must_have_model(self, name: str) -> None:
        """Raises `Refused` where this model cannot be asked at all. An agent asks none: variables of its environment
        could name another server, and the conversation would go there."""
        from tacit.learn.llm.call import INSTALL_COMMAND, NOT_INSTALLED, is_installed

        if not is_installed():
            raise RefusedError(NOT_INSTALLED, INSTALL_COMMAND)
        named = "" if name == self._home.settings.model_name else f" --model {quote(name)}"
        self._store.actor.require_person("asks a model", f"tacit learn{named}")

    def model_findings(self, said: Sequence[SessionEvent], name: str) -> ModelOutcome:
        """Ask this model what of a conversation is worth remembering. It never raises for the model's sake."""
        lines = self._excerpt(said)
        if not lines or not name:
            return ModelOutcome(model=name)
        if problem := self.model_problem(name):
            return ModelOutcome(problem=problem)
        try:
            return self._ask(self.model_prompt(said), lines, name)
        except (TacitError, OSError) as error:  # a home without room for the meter, no process to be had
            return ModelOutcome(problem=f"no model was asked: {printable(str(error))}")

    def _excerpt(self, said: Sequence[SessionEvent]) -> tuple[ExcerptLine, ...]:
        from tacit.learn.llm.prompt import build_excerpt

        return build_excerpt(said, min(_MAX_EXCERPT_TOKENS, self._home.settings.model_tokens_per_day // 2))

    def model_problem(self, name: str) -> str:
        """Why this model cannot be asked at all, and what to do about it; empty where it can."""
        try:
            self.must_have_model(name)
        except RefusedError as error:
            return f"{error.message}; {'type: ' if error.hint.startswith('pip') else ''}{error.hint}"
        return ""

    def _ask(self, text: str, lines: Sequence[ExcerptLine], name: str) -> ModelOutcome:
        from tacit.learn.llm.call import ask_model
        from tacit.learn.llm.check import check_answer
        from tacit.learn.llm.prompt import parse_answer

        need = TokenReservation(estimate_tokens(text) + _MAX_ANSWER_TOKENS, self._home.settings.model_tokens_per_day)
        if problem := self._reserve(need):
            return ModelOutcome(problem=problem)
        reply = ask_model(self._request(text, name), self._home.environment)
        answer = parse_answer(reply.text) if not reply.problem else None
        if answer is None and not reply.problem:
            reply = reply._replace(
                problem=f"{printable(name)} did not answer in the form it was asked for", is_failure=True
            )
        cost = need.tokens if reply.cost is None else reply.cost
        with suppress(TacitError, OSError):  # what was reserved stays counted, and an answer is an answer
            self._settle(need, reply, cost)
        if answer is None:
            return ModelOutcome(tokens=cost, problem=reply.problem)
        found = check_answer(answer, lines)
        return ModelOutcome(found.findings, cost, dropped=found.dropped, summary=found.summary, model=name)

    def _request(self, text: str, name: str) -> ModelRequest:
        from tacit.learn.llm.call import ModelRequest
        from tacit.learn.llm.prompt import ANSWER_SCHEMA

        return ModelRequest(name, text, ANSWER_SCHEMA, self._home.settings.model_timeout, 4 * _MAX_ANSWER_TOKENS)

    def _reserve(self, need: TokenReservation) -> str:
        """Why nobody is asked; then nothing is written either."""
        with FileLock(self._meter_lock, _LOCK_TIMEOUT_SECONDS).acquire():
            now = self._now()
            meter = meter_at(read_meter(self._meter_path), now)
            problem = refusal_reason(meter, need, now)
            if not problem:
                self._write_meter(reserve_tokens(meter, need))
        return problem

    def _settle(self, need: TokenReservation, reply: ModelReply, cost: int) -> None:
        """Count what it cost; of a model that was cut off nobody knows, so that is all that was reserved."""
        with FileLock(self._meter_lock, _LOCK_TIMEOUT_SECONDS).acquire():
            now = self._now()
            meter = settle_tokens(meter_at(read_meter(self._meter_path), now), need, cost)
            if reply.is_failure:
                meter = count_failure(meter, now)
            elif not reply.problem:
                meter = reset_failures(meter)
            self._write_meter(meter)

    def _write_meter(self, meter: UsageMeter) -> None:
        write_meter(OsDisk(self._store.paths.root), self._meter_path, meter)

    def _now(self) -> datetime:
        return self._store.actor.clock()

    @property
    def _meter_path(self) -> str:
        return self._store.paths.path(".tacit", "model.json")

    @property
    def _meter_lock(self) -> str:
        return self._store.paths.path(".tacit", "model.lock")
