"""Which memories a prompt is given unasked: those it really is about, and none that only share a common word."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from tacit.inject.relevance import MAX_RELEVANT, relevant_memories
from tests.support.documents import entry

MEMORIES = (
    "never force push to main",
    "use pnpm instead of npm",
    "always run the linter before committing",
    "the staging database is reset every night",
    "deploys to production need approval by two people",
    "the payment service talks to Stripe through a queue",
    "I prefer short commit messages",
    "integration tests need docker",
    "use rg rather than grep",
    "API keys are in the vault at ops/keys",
    "feature flags live in config/flags.toml",
    "dates are stored in UTC",
    "migrations are written by hand, never generated",
    "the logo must not be stretched",
    "use pytest.mark.slow for tests over a second",
    "die Rechnungen werden am Monatsende verschickt",
    "時刻はUTCで保存する",
)


class Case(NamedTuple):
    """A prompt and the beginnings of the memories that must come; all others must not."""

    prompt: str
    comes: tuple[str, ...] = ()


CASES = (
    Case("can I force push to main now?", ("never force push",)),
    Case("git push --force origin main", ("never force push",)),
    Case("install lodash with npm", ("use pnpm",)),
    Case("should we switch from pnpm to npm for the frontend?", ("use pnpm",)),
    Case("run the linter and commit", ("always run the linter",)),
    Case("why is the staging database empty this morning?", ("the staging database",)),
    Case("deploy to production please", ("deploys to production",)),
    Case("who gives approval for production deploys?", ("deploys to production",)),
    Case("the payment service fails when Stripe is slow", ("the payment service",)),
    Case("write a commit message for this", ("I prefer short commit", "always run the linter")),
    Case("the integration tests fail without docker", ("integration tests",)),
    Case("grep for the word total", ("use rg",)),
    Case("where are the API keys in the vault?", ("API keys",)),
    Case("add a feature flag for the new checkout", ("feature flags",)),
    Case("edit config/flags.toml and turn it on", ("feature flags",)),
    Case("are dates stored in UTC or in local time?", ("dates are stored",)),
    Case("generate the migrations for the new table", ("migrations are written",)),
    Case("the logo looks stretched on mobile", ("the logo must",)),
    Case("mark it with pytest.mark.slow", ("use pytest.mark.slow",)),
    Case("wann werden die Rechnungen verschickt?", ("die Rechnungen",)),
    # Nothing bears on these, though they share a word with many.
    Case("fix the bug"),
    Case("run the tests"),
    Case("please add a test for the new function"),
    Case("rename the main function in this file"),
    Case("what does this service do?"),
    Case("make the button green"),
    Case("I am two people short this night"),
    Case("thanks, that is perfect"),
    Case("hi"),
    Case("continue"),
    Case(""),
    Case("🙂 👍"),
    Case("start docker for me", ("integration tests",)),
    Case("explain how a queue is implemented in Python"),
    Case("is main stable?"),
    Case("what happens every night?"),
    Case("let two people review the text"),
    Case("write a function that counts the words of a text"),
    Case("the " * 3000),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.prompt[:40] or "nothing")
def test_a_prompt_is_given_what_it_is_about_and_nothing_else(case: Case) -> None:
    found = [one.memory.sentence for one in relevant_memories(case.prompt, map(entry, MEMORIES))]

    assert sorted(found) == sorted(text for text in map(_sentence, MEMORIES) if text.startswith(case.comes or ("\0",)))


def _sentence(text: str) -> str:
    return entry(text).sentence


def test_at_most_three_come_those_that_share_most_first() -> None:
    several = [entry(f"the walrus cluster of region r{number} needs approval") for number in range(6)]
    whole = entry("walrus cluster approval")
    found = relevant_memories("approval for the walrus cluster in region r3", [*several, whole])

    assert len(found) == MAX_RELEVANT == 3
    assert found[0].memory == whole
    assert "r3" in found[1].memory.sentence


def test_the_order_of_candidates_does_not_matter() -> None:
    several = [entry(f"the walrus cluster of region r{number} needs approval") for number in range(6)]
    prompt = "approval for the walrus cluster"

    assert relevant_memories(prompt, several) == relevant_memories(prompt, reversed(several))


def test_the_reason_names_what_they_share() -> None:
    (one,) = relevant_memories("may I force push to main?", [entry("never force push to main")])

    assert "force" in one.reason and "push" in one.reason and "never" not in one.reason


def test_only_the_beginning_of_a_prompt_counts() -> None:
    """What is pasted behind it is seldom the question."""
    pasted = "look at this log\n" + "line of a log without meaning\n" * 400 + "force push to main"

    assert relevant_memories(pasted, [entry("never force push to main")]) == []


@pytest.mark.parametrize("prompt", ["force pushing to main", "forced pushes to main", "FORCE PUSH TO MAIN!!!"])
def test_forms_of_a_word_are_the_same_word(prompt: str) -> None:
    assert len(relevant_memories(prompt, [entry("never force push to main")])) == 1
