"""Tacit with its default settings, as a person uses it who takes every suggestion for a memory.

A session is a transcript of Claude Code in a repository: `tacit capture` and `tacit learn`, without a judge. Statements
are added as `tacit add` does, and `tacit forget --text` has no more than the request. What is told is what the hook
UserPromptSubmit prints at the first prompt of a session.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from harness.person import Person
from harness.transcripts import name_of

from bench.peers.peer import Place
from bench.write_side.cases import Turn
from bench.write_side.memory import Kept, Known, Memory, Outcome
from bench.write_side.transcript import transcript
from tacit.hooks import dispatch
from tacit.learn.sessions import RECORDED_STATES
from tacit.vault.memories import DecisionOutcome

_BEGAN = datetime(2026, 3, 2, 10, tzinfo=UTC)
_REMOTE = "https://git.example.org/somebody/work.git"  # a project's memories have the same ids in every folder
_STATES = [state.value for state in RECORDED_STATES]


class Tacit(Memory):
    def __init__(self, where: Place) -> None:
        self._person, self._days = Person(where.home), 0
        self._project = self._person.repository(remote=_REMOTE)

    def listen(self, turns: Sequence[Turn], /) -> list[Kept]:
        return [Kept(one["text"], one["quote"]) for one in self._heard(turns)]

    def add(self, text: str, /) -> Outcome:
        return outcome_of(self._added(text))

    def forget(self, memories: Sequence[str], request: str, /) -> list[str]:
        ids = [self._ids(memory) for memory in memories]
        self._person.tacit("forget", "--text", request, cwd=self._project, now=self._now(), code=None)
        holding = {one["id"] for one in self._person.listed(cwd=self._project)}
        return [memory for memory, own in zip(memories, ids, strict=True) if own & holding]

    def tell(self, memories: Sequence[str], prompt: str, /) -> list[str]:
        ids = [self._ids(memory) for memory in memories]
        payload = {"session_id": name_of("prompt"), "cwd": str(self._project), "transcript_path": "", "prompt": prompt}
        with self._person.at(self._project, self._now()):
            told = dispatch.inject("claude", "UserPromptSubmit", json.dumps(payload).encode(), None) or ""
        return [memory for memory, own in zip(memories, ids, strict=True) if any(f"({one})" in told for one in own)]

    def _heard(self, turns: Sequence[Turn]) -> list[dict[str, Any]]:
        """Capture a session, and return what `tacit learn` records of it."""
        now = self._now()
        began = datetime.fromisoformat(now)
        file = transcript(self._person.folder, turns, project=str(self._project), began=began)
        self._person.tacit("capture", str(file), cwd=self._project, now=now)
        learned = self._person.tacit("learn", "--json", *self._answers(now), cwd=self._project, now=now).json
        return [one for one in learned if one["state"] in _STATES]

    def _answers(self, _now: str) -> tuple[str, ...]:
        """The options of `tacit learn` that name a judge."""
        return ()

    def _added(self, text: str) -> list[DecisionOutcome]:
        with self._person.vault(self._project, self._now()) as vault:
            return vault.memories.add_each(text, look_for_same=True)

    def _ids(self, text: str) -> set[str]:
        """Add a text, which may become several memories."""
        return {outcome.memory.id for outcome in self._added(text)}

    def _now(self) -> str:
        """A day later than the last time."""
        self._days += 1
        return (_BEGAN + timedelta(days=self._days)).isoformat()


def outcome_of(outcomes: Sequence[DecisionOutcome]) -> Outcome:
    """What was decided, before what is asked. An older constraint that holds on is named, and the person decides."""
    if any(one.memory.strength > 1 for one in outcomes):
        return Outcome.SAME
    if any(one.overrules for one in outcomes):
        return Outcome.CONTRADICT
    if any(one.overruled_by or one.undecided or one.may_contradict for one in outcomes):
        return Outcome.ASKED_CONTRADICT
    return Outcome.ASKED_SAME if any(one.may_be_same for one in outcomes) else Outcome.DISTINCT


MEMORY = Known("Tacit", Tacit)
