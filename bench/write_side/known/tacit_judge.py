"""Tacit with a judge, as `tacit.py` otherwise. The judge's answers are recorded ones: see `answers.py`.

The question is what `tacit learn --show-prompt` prints, and `tacit learn --answers` reads the answer, with all checks.
A judge reads sessions: so the first statement of a pair is a memory, and the second is typed in a session a day later.
Every suggestion is accepted, as a person does who takes it for a memory. What to forget and what to tell is asked of
no judge.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from bench.peers.peer import Place
from bench.write_side.answers import Recorded
from bench.write_side.cases import PERSON, Turn
from bench.write_side.known.tacit import Tacit, outcome_of
from bench.write_side.memory import Known, Outcome

Judge = Callable[[str], str]


class JudgedTacit(Tacit):
    def __init__(self, where: Place, judge: Judge) -> None:
        super().__init__(where)
        self._judge, self._first = judge, set[str]()

    def add(self, text: str, /) -> Outcome:
        if not self._first:
            self._first = self._ids(text)
            return Outcome.DISTINCT
        heard = self._heard([Turn(PERSON, text)])
        if any(one["id"] in self._first for one in heard):
            return Outcome.SAME
        cards = [one for one in self._person.listed("--pending", cwd=self._project) if one["id"] not in self._first]
        if not cards:
            return Outcome.MISSED
        if self._first & {other for card in cards for other in card["contradicts"]}:
            return Outcome.ASKED_CONTRADICT
        if self._first & {other for card in cards for other in card["may_be_same"]}:
            return Outcome.ASKED_SAME
        with self._person.vault(self._project, self._now()) as vault:
            return outcome_of(vault.memories.accept_all([card["id"] for card in cards]))

    def _answers(self, now: str) -> tuple[str, ...]:
        question = self._person.tacit("learn", "--show-prompt", cwd=self._project, now=now).out
        if not question:
            return ()  # no sentence of it is sent to a judge
        file = self._person.folder / "answer.json"
        file.write_text(self._judge(question), "utf-8")
        return "--answers", str(file)


def judged_by(judge: Judge) -> Known:
    return Known("Tacit with a judge", partial(JudgedTacit, judge=judge))


MEMORY = judged_by(Recorded())
