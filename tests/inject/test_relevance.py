"""Which memories a prompt is given unasked: those it really is about, and none that only share a common word."""

from __future__ import annotations

import sqlite3
from datetime import date
from typing import NamedTuple

import pytest

from tacit.index import database
from tacit.index.postings import PERSON, IndexedDocument, PostingsWriter, message_doc_id, session_start_id
from tacit.inject.relevance import (
    MAX_RELEVANT,
    RelatedSession,
    related_session,
    relevant_memories,
)
from tacit.search.bm25 import query_from_words
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


# Which earlier session a prompt is told of: one that holds a good part of it, or none


TALKS = {
    "login": "the login form loses its token when the session cookie expires",
    "chart": "draw the chart of monthly revenue with a dashed grid",
    "import": "the importer reads csv files in chunks and keeps the header",
}


@pytest.fixture
def index() -> sqlite3.Connection:
    return database.create_index(":memory:")


@pytest.fixture
def runs(index: sqlite3.Connection) -> dict[str, int]:
    """Sessions of a message each, by what they are about."""
    return {about: talk(index, place, text) for place, (about, text) in enumerate(TALKS.items())}


def talk(index: sqlite3.Connection, session: int, *said: str, day: date = date(2026, 3, 1)) -> int:
    first = session_start_id(day, session)
    lists = PostingsWriter(index)
    numbered = [(message_doc_id(first, place, PERSON), text) for place, text in enumerate(said)]
    lists.add([IndexedDocument(number, text, "") for number, text in numbered], fresh=True)
    lists.flush()
    return first


def asked(index: sqlite3.Connection, prompt: str, *runs: int) -> RelatedSession | None:
    return related_session(index, query_from_words(index, prompt.split()), runs)


def test_the_session_that_spoke_of_it_is_found_with_the_words_it_shares(
    index: sqlite3.Connection, runs: dict[str, int]
) -> None:
    found = asked(index, "token cookie chart", *runs.values())

    assert found == RelatedSession(runs["login"], ("cookie", "token"))
    assert found.reason == "it spoke of cookie, token"


def test_one_word_is_not_enough(index: sqlite3.Connection, runs: dict[str, int]) -> None:
    assert asked(index, "revenue", *runs.values()) is None
    assert asked(index, "revenue grid", *runs.values()) is not None


def test_a_small_part_of_a_prompt_is_not_enough(index: sqlite3.Connection, runs: dict[str, int]) -> None:
    assert asked(index, "revenue grid walrus violet", *runs.values()) is not None
    assert asked(index, "revenue grid walrus violet lantern harbour pepper", *runs.values()) is None


def test_two_words_of_one_root_are_one(index: sqlite3.Connection, runs: dict[str, int]) -> None:
    prompt = "revenue grid walrus violet"
    assert asked(index, f"{prompt} violets grids revenues", *runs.values()) == asked(index, prompt, *runs.values())


def test_a_prompt_of_words_that_nobody_said_finds_nothing(index: sqlite3.Connection, runs: dict[str, int]) -> None:
    assert asked(index, "walrus violet", *runs.values()) is None
    assert asked(index, "", *runs.values()) is None


def test_sessions_that_are_not_asked_about_do_not_answer(index: sqlite3.Connection, runs: dict[str, int]) -> None:
    assert asked(index, "token cookie", runs["chart"], runs["import"]) is None
    assert asked(index, "token cookie") is None


def test_rare_words_decide(index: sqlite3.Connection, runs: dict[str, int]) -> None:
    others = [talk(index, number, "please build the server") for number in range(10, 40)]
    found = asked(index, "build server token cookie", *others, *runs.values())

    assert found is not None and found.start_id == runs["login"]


def test_a_session_about_it_comes_before_a_long_one_that_also_mentions_it(index: sqlite3.Connection) -> None:
    long = talk(index, 1, "token cookie", *(f"something else number{place}" for place in range(60)))
    short = talk(index, 2, "token cookie")

    found = asked(index, "token cookie", long, short)
    assert found is not None and found.start_id == short


def test_of_two_that_say_the_same_the_later_one_is_told(index: sqlite3.Connection) -> None:
    early = talk(index, 1, "token cookie", day=date(2026, 2, 1))
    late = talk(index, 2, "token cookie", day=date(2026, 3, 1))

    found = asked(index, "token cookie", early, late)
    assert found is not None and found.start_id == late


def test_words_that_many_sessions_share_are_not_enough(index: sqlite3.Connection) -> None:
    several = [talk(index, number, f"review the branch number{number}") for number in range(9)]

    assert asked(index, "review branch", *several) is None
    assert asked(index, "review branch number4", *several) is not None
