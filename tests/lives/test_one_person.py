"""One person with a home, a shell and an agent: what they say and decide on any surface, and what all of them tell."""

from __future__ import annotations

import pytest
from harness.transcripts import Turn
from hypothesis import strategies as st
from hypothesis.stateful import rule

from tests.lives import steps, surfaces
from tests.lives.machine import MAYBE, WHICH, Life, stories_of
from tests.lives.model import ACTIVE, DISMISSED, PENDING, RETIRED
from tests.lives.world import Person

# The stories are about what is done in which order. What interpreters do otherwise is in test_stories.py.
pytestmark = pytest.mark.same_everywhere
PROJECT = ("never log passwords", "squash commits before a merge", "check the diff twice", "name tests as sentences")
GLOBAL = ("answer in short sentences", "time is told in utc")
WORDS = {
    "never log passwords": "passwords are never written to a log",
    "squash commits before a merge": "a branch is squashed before it is merged",
    "check the diff twice": "the diff is read two times",
    "answer in short sentences": "sentences of answers are short",
}
SAID = st.sampled_from([*PROJECT, *GLOBAL])
KINDS = st.sampled_from([None, None, "constraint", "decision"])


class OnePerson(Life):
    def __init__(self) -> None:
        super().__init__()
        self.sessions = 0

    @property
    def ann(self) -> Person:
        return self.world.people[0]

    @rule(text=SAID, kind=KINDS)
    def add(self, text: str, kind: str | None) -> None:
        steps.add(self.ann, text, kind, None, *(("--global",) if text in GLOBAL else ()))
        steps.look(self.ann)

    @rule(text=st.sampled_from(PROJECT))
    def add_in_python(self, text: str) -> None:
        surfaces.python(self.ann, f"print(vault.add({text!r}).memory.strength)")
        self.ann.mind.state(text)
        steps.look(self.ann)

    @rule(text=st.sampled_from(PROJECT), agent=MAYBE)
    def propose(self, text: str, agent: bool) -> None:
        (surfaces.suggest if agent else steps.note)(self.ann, text)
        steps.look(self.ann)

    @rule(which=WHICH, verb=st.sampled_from(["accept", "dismiss"]), in_page=MAYBE)
    def review(self, which: int, verb: str, in_page: bool) -> None:
        if text := self.choose(self.ann, which, PENDING):
            (surfaces.press if in_page else steps.decide)(self.ann, verb, text)
            steps.look(self.ann)

    @rule(which=WHICH)
    def forget(self, which: int) -> None:
        if text := self.choose(self.ann, which, ACTIVE):
            steps.decide(self.ann, "forget", text)
            steps.look(self.ann)

    @rule(which=WHICH)
    def restore(self, which: int) -> None:
        if text := self.choose(self.ann, which, RETIRED, DISMISSED):
            steps.decide(self.ann, "restore", text)
            steps.look(self.ann)

    @rule(which=WHICH)
    def edit(self, which: int) -> None:
        text = self.choose(self.ann, which, ACTIVE)
        if text in WORDS:
            steps.edit(self.ann, text, WORDS[text])
            steps.look(self.ann)

    @rule(which=WHICH)
    def share(self, which: int) -> None:
        text = self.choose(self.ann, which, ACTIVE)
        if text and self.ann.row(text)["scope"] != "global":
            steps.share(self.ann, text)
            steps.look(self.ann)

    @rule(back=MAYBE)
    def undo(self, back: bool) -> None:
        steps.undo(self.ann, "redo" if back else "undo")
        steps.look(self.ann)

    @rule(which=WHICH, page=st.sampled_from(["long-term.md", "memories.ndjson"]), removes=MAYBE)
    def edit_by_hand(self, which: int, page: str, removes: bool) -> None:
        path = self.ann.home / "memory" / page
        text = self.choose(self.ann, which, ACTIVE)
        if text in WORDS and path.exists():
            if removes:
                steps.remove_by_hand(self.ann, text, path)
            else:
                steps.reword_by_hand(self.ann, text, WORDS[text], path)
            steps.look(self.ann)

    @rule()
    def session(self) -> None:
        """An agent starts, is told what holds, and the person what waits."""
        self.sessions += 1
        steps.hear_agent(self.ann, f"session {self.sessions}")

    @rule(text=st.sampled_from(["please tidy up", "take httpx instead of requests"]))
    def captured_session(self, text: str) -> None:
        self.sessions += 1
        self.ann.tacit("autocapture", "on")
        surfaces.end_turn(self.ann, f"session {self.sessions}", [Turn(text, ran="make test", put="")])
        self.ann.tacit("learn")
        self.ann.mind.note_all(row["text"] for row in self.ann.quietly(self.ann.listed))

    @rule(days=st.integers(4, 8))
    def history(self, days: int) -> None:
        steps.import_history(self.ann, days)
        steps.look(self.ann)

    @rule()
    def import_rules(self) -> None:
        self.ann.write(
            self.ann.work / "GEMINI.md", "# Rules\n\n- Always squash the commits of a branch.\n- Never log names.\n"
        )
        self.ann.tacit("import", "rules")
        self.ann.mind.note_all(row["text"] for row in self.ann.quietly(self.ann.listed))

    @rule(line=st.sampled_from(["make test", "git push"]))
    def command(self, line: str) -> None:
        surfaces.run_command(self.ann, line)
        steps.look(self.ann)

    @rule(how=st.sampled_from([steps.reindex, steps.delete_views]))
    def views(self, how: steps.Step) -> None:
        how(self.ann)
        steps.look(self.ann)

    def end(self) -> None:
        super().end()
        steps.hear_agent(self.ann, "the last session")
        surfaces.look_at_page(self.ann)


TestOnePerson = OnePerson.TestCase
TestOnePerson.settings = stories_of(5, 12)
