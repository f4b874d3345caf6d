"""Two people who share a repository: rules that they add, confirm, trust and forget, and what git does with them."""

from __future__ import annotations

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import initialize, rule

from tests.lives import steps
from tests.lives.machine import MAYBE, WHICH, WHO, Life, stories_of
from tests.lives.model import ACTIVE, RETIRED

# The stories are about what is done in which order. What interpreters do otherwise is in test_stories.py.
pytestmark = pytest.mark.same_everywhere
RULES = (
    "never force-push to main",
    "run the linter before a push",
    "use pnpm instead of npm",
    "write a test for every bug",
    "keep secrets out of the logs",
)
SAID = st.sampled_from(RULES)
KINDS = st.sampled_from([None, None, "constraint", "convention"])
BRANCH = st.sampled_from(["feat", "main"])


class TwoPeople(Life):
    names = ("ann", "bob")

    @initialize(known=MAYBE, kind=KINDS)
    def know(self, known: bool, kind: str | None) -> None:
        """In half of all stories Bob has trusted two rules of Ann's."""
        if known:
            ann, bob = self.world.people
            steps.add(ann, RULES[0])
            steps.add(ann, RULES[1], kind)
            steps.push(ann)
            steps.pull(bob)
            steps.trust(bob)
            steps.look(bob)

    @rule(who=WHO, text=SAID, kind=KINDS)
    def add(self, who: int, text: str, kind: str | None) -> None:
        person = self.person(who)
        steps.add(person, text, kind)
        steps.look(person)

    @rule(who=WHO)
    def trust(self, who: int) -> None:
        person = self.person(who)
        steps.trust(person)
        steps.look(person)

    @rule(who=WHO, which=WHICH)
    def forget(self, who: int, which: int) -> None:
        person = self.person(who)
        if text := self.choose(person, which, ACTIVE):
            steps.decide(person, "forget", text)
            steps.look(person)

    @rule(who=WHO, which=WHICH)
    def restore(self, who: int, which: int) -> None:
        person = self.person(who)
        if text := self.choose(person, which, RETIRED):
            steps.decide(person, "restore", text)
            steps.look(person)

    @rule(who=WHO, back=MAYBE)
    def undo(self, who: int, back: bool) -> None:
        person = self.person(who)
        steps.undo(person, "redo" if back else "undo")
        steps.look(person)

    @rule(who=WHO)
    def change_clone(self, who: int) -> None:
        """Go on in the other clone of the same repository."""
        person = self.person(who)
        person.work, person.second = person.second, person.work
        steps.look(person)

    @rule(who=WHO)
    def commit(self, who: int) -> None:
        steps.commit(self.person(who))

    @rule(who=WHO)
    def push(self, who: int) -> None:
        steps.push(self.person(who))

    @rule(who=WHO, how=st.sampled_from(["merge", "rebase"]))
    def pull(self, who: int, how: str) -> None:
        person = self.person(who)
        steps.pull(person, how=how)
        steps.look(person)

    @rule(who=WHO, branch=BRANCH)
    def checkout(self, who: int, branch: str) -> None:
        person = self.person(who)
        steps.checkout(person, branch)
        steps.look(person)

    @rule(who=WHO, branch=BRANCH)
    def merge(self, who: int, branch: str) -> None:
        person = self.person(who)
        steps.merge(person, branch)
        steps.look(person)

    @rule(who=WHO, back=MAYBE)
    def stash(self, who: int, back: bool) -> None:
        person = self.person(who)
        (steps.unstash if back else steps.stash)(person)
        steps.look(person)

    @rule(who=WHO)
    def sync(self, who: int) -> None:
        person = self.person(who)
        steps.sync(person)
        steps.look(person)


TestTwoPeople = TwoPeople.TestCase
TestTwoPeople.settings = stories_of(5, 12)
