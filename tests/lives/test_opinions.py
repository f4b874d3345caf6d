"""Sentences that oppose each other, and sentences that only look like it: who is overruled, and who is told."""

from __future__ import annotations

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import initialize, rule

from tests.lives import steps
from tests.lives.machine import MAYBE, WHICH, WHO, Life, stories_of
from tests.lives.model import ACTIVE, PENDING, RETIRED

# The stories are about what is done in which order. What interpreters do otherwise is in test_stories.py.
pytestmark = pytest.mark.same_everywhere
OPPOSING = (
    ("use pnpm instead of npm", "use npm instead of pnpm"),
    ("never deploy on fridays", "always deploy on fridays"),
    ("the api listens on port 8080", "the api listens on port 9090"),
)
APART = (
    "the server web1 is 10.1.0.1",
    "the server web2 is 10.1.0.2",
    "the server mail is 10.1.0.9",
    "translations of cart-sync are pulled from north-archive by Hiro before each release",
    "releases of media-vault are tagged pebble-YYYY.MM and signed by Hiro",
    "run the linter before a push",
    "run the tests before a push",
    "never edit generated files by hand",
    "never edit migrations after a release",
)
PAIR, OTHERS = st.sampled_from(OPPOSING), st.lists(st.sampled_from(APART), min_size=2, max_size=3, unique=True)
SAID = st.integers(0, 4)  # of the few sentences of a story


class Opinions(Life):
    names = ("ann", "bob")

    @initialize(pair=PAIR, others=OTHERS)
    def choose_texts(self, pair: tuple[str, str], others: list[str]) -> None:
        self.texts = [*others, *pair]
        for person in self.world.people:
            person.mind.opposing = frozenset(map(frozenset, OPPOSING))
        for text in others:
            steps.add(self.world.people[0], text)
        steps.look(self.world.people[0])

    def text(self, said: int) -> str:
        return self.texts[said % len(self.texts)]

    @rule(who=WHO, said=SAID, constraint=MAYBE)
    def add(self, who: int, said: int, constraint: bool) -> None:
        person = self.person(who)
        steps.add(person, self.text(said), "constraint" if constraint else None)
        steps.look(person)

    @rule(who=WHO, said=SAID)
    def note(self, who: int, said: int) -> None:
        steps.note(self.person(who), self.text(said))
        steps.look(self.person(who))

    @rule(who=WHO, which=WHICH)
    def accept(self, who: int, which: int) -> None:
        person = self.person(who)
        if text := self.choose(person, which, PENDING):
            steps.decide(person, "accept", text)
            steps.look(person)

    @rule(who=WHO, which=WHICH, verb=st.sampled_from(["forget", "restore"]))
    def change(self, who: int, which: int, verb: str) -> None:
        person = self.person(who)
        if text := self.choose(person, which, ACTIVE if verb == "forget" else RETIRED):
            steps.decide(person, verb, text)
            steps.look(person)

    @rule(who=WHO, which=WHICH, said=SAID)
    def edit(self, who: int, which: int, said: int) -> None:
        person, new = self.person(who), self.text(said)
        text = self.choose(person, which, ACTIVE)
        if text and new not in person.mind.memories:
            steps.edit(person, text, new)
            steps.look(person)

    @rule(who=WHO, back=MAYBE)
    def undo(self, who: int, back: bool) -> None:
        steps.undo(self.person(who), "redo" if back else "undo")
        steps.look(self.person(who))

    @rule(who=WHO)
    def tell_the_other(self, who: int) -> None:
        """What one has pushed, the other one pulls and trusts."""
        person, other = self.person(who), self.person(who + 1)
        steps.push(person)
        steps.pull(other)
        steps.trust(other)
        steps.look(other)


TestOpinions = Opinions.TestCase
TestOpinions.settings = stories_of(5, 10)
