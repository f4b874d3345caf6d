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
from tacit.errors import Refused, TacitError
from tacit.home.home import Part
from tacit.learn.llm.call import (
    Meter,
    Need,
    answered,
    failed,
    objection,
    on,
    read_meter,
    reserved,
    settled,
    write_meter,
)
from tacit.learn.types import Learnt, Said
from tacit.record import Record
from tacit.text.display import show
from tacit.text.words import tokens

if TYPE_CHECKING:
    from tacit.learn.llm.call import Question, Reply
    from tacit.learn.llm.prompt import Line

_MOST_EXCERPT, _MOST_ANSWER = 6000, 2000  # tokens of one question
_LOCK_SECONDS = 10.0


class ModelOutcome(Record):
    """What a model found. `problem` says why nothing was asked or answered; `dropped` counts claims by reason; `model`
    is the one that has read the conversation, empty where none has."""

    findings: tuple[Learnt, ...] = ()
    tokens: int = 0
    problem: str = ""
    dropped: Mapping[str, int] = {}
    summary: str = ""
    model: str = ""


class ModelBudget(Record):
    """What models cost today, of what they may."""

    spent: int
    per_day: int


class ModelLearning(Part):
    """Models of one home."""

    def model_prompt(self, said: Sequence[Said]) -> str:
        """Exactly what would be sent; nothing where there is nothing to read."""
        from tacit.learn.llm.prompt import prompt

        lines = self._excerpt(said)
        return prompt(lines) if lines else ""

    def model_budget(self) -> ModelBudget:
        meter = on(read_meter(self._meter_path), self._now())
        return ModelBudget(meter.spent, self._home.settings.model_tokens_per_day)

    @property
    def model_name(self) -> str:
        """The model that the person chose for good; empty where there is none."""
        return self._home.settings.model_name

    def must_have_model(self, name: str) -> None:
        """Raises `Refused` where this model cannot be asked at all. An agent asks none: variables of its environment
        could name another server, and the conversation would go there."""
        from tacit.learn.llm.call import INSTALL, NOT_INSTALLED, is_installed

        if not is_installed():
            raise Refused(NOT_INSTALLED, INSTALL)
        named = "" if name == self._home.settings.model_name else f" --model {quote(name)}"
        self._store.speaker.must_be_person("asks a model", f"tacit learn{named}")

    def model_findings(self, said: Sequence[Said], name: str) -> ModelOutcome:
        """Ask this model what of a conversation is worth remembering. It never raises for the model's sake."""
        lines = self._excerpt(said)
        if not lines or not name:
            return ModelOutcome(model=name)
        if problem := self.model_problem(name):
            return ModelOutcome(problem=problem)
        try:
            return self._asked(self.model_prompt(said), lines, name)
        except (TacitError, OSError) as error:  # a home without room for the meter, no process to be had
            return ModelOutcome(problem=f"no model was asked: {show(str(error))}")

    def _excerpt(self, said: Sequence[Said]) -> tuple[Line, ...]:
        from tacit.learn.llm.prompt import excerpt

        return excerpt(said, min(_MOST_EXCERPT, self._home.settings.model_tokens_per_day // 2))

    def model_problem(self, name: str) -> str:
        """Why this model cannot be asked at all, and what to do about it; empty where it can."""
        try:
            self.must_have_model(name)
        except Refused as error:
            return f"{error.message}; {'type: ' if error.hint.startswith('pip') else ''}{error.hint}"
        return ""

    def _asked(self, text: str, lines: Sequence[Line], name: str) -> ModelOutcome:
        from tacit.learn.llm.call import ask
        from tacit.learn.llm.check import checked
        from tacit.learn.llm.prompt import read_answer

        need = Need(tokens(text) + _MOST_ANSWER, self._home.settings.model_tokens_per_day)
        if problem := self._reserve(need):
            return ModelOutcome(problem=problem)
        reply = ask(self._question(text, name), self._home.environment)
        answer = read_answer(reply.text) if not reply.problem else None
        if answer is None and not reply.problem:
            reply = reply._replace(problem=f"{show(name)} did not answer in the form it was asked for", is_failure=True)
        cost = need.tokens if reply.cost is None else reply.cost
        with suppress(TacitError, OSError):  # what was reserved stays counted, and an answer is an answer
            self._settle(need, reply, cost)
        if answer is None:
            return ModelOutcome(tokens=cost, problem=reply.problem)
        found = checked(answer, lines)
        return ModelOutcome(found.findings, cost, dropped=found.dropped, summary=found.summary, model=name)

    def _question(self, text: str, name: str) -> Question:
        from tacit.learn.llm.call import Question
        from tacit.learn.llm.prompt import SCHEMA

        return Question(name, text, SCHEMA, self._home.settings.model_timeout, 4 * _MOST_ANSWER)

    def _reserve(self, need: Need) -> str:
        """Why nobody is asked; then nothing is written either."""
        with FileLock(self._meter_lock, _LOCK_SECONDS).held():
            now = self._now()
            meter = on(read_meter(self._meter_path), now)
            problem = objection(meter, need, now)
            if not problem:
                self._write(reserved(meter, need))
        return problem

    def _settle(self, need: Need, reply: Reply, cost: int) -> None:
        """Count what it cost; of a model that was cut off nobody knows, so that is all that was reserved."""
        with FileLock(self._meter_lock, _LOCK_SECONDS).held():
            now = self._now()
            meter = settled(on(read_meter(self._meter_path), now), need, cost)
            if reply.is_failure:
                meter = failed(meter, now)
            elif not reply.problem:
                meter = answered(meter)
            self._write(meter)

    def _write(self, meter: Meter) -> None:
        write_meter(OsDisk(self._store.home.root), self._meter_path, meter)

    def _now(self) -> datetime:
        return self._store.speaker.clock()

    @property
    def _meter_path(self) -> str:
        return self._store.home.path(".tacit", "model.json")

    @property
    def _meter_lock(self) -> str:
        return self._store.home.path(".tacit", "model.lock")
