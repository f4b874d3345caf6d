"""Candidates: words that are everywhere hide nothing that holds them together, and a search always ends."""

from __future__ import annotations

import sqlite3
from datetime import date

import pytest

from tacit.index import store
from tacit.index.lists import Lists, Wording
from tacit.index.parts import AGENT, PERSON, first_number, number_of, voice_of
from tacit.recall.elsewhere import elsewhere
from tacit.recall.find import Query, find, search
from tacit.recall.retrieving import asked
from tacit.recall.talks import in_sessions

MANY = 1200


@pytest.fixture
def index() -> sqlite3.Connection:
    return store.create(":memory:")


def put(index: sqlite3.Connection, texts: dict[int, str]) -> None:
    lists = Lists(index)
    lists.put([Wording(number, text, "") for number, text in texts.items()], fresh=True)
    lists.settle()


def test_what_holds_two_words_that_are_everywhere_comes_first(index: sqlite3.Connection) -> None:
    put(index, {number: f"build number{number}" for number in range(MANY)})
    put(index, {MANY + number: f"cache number{number}" for number in range(MANY)})
    put(index, {3 * MANY: "build the cache"})

    assert elsewhere(index, asked(index, "build cache"), 5).scored[0].number == 3 * MANY


def test_a_search_in_which_nothing_fits_comes_to_an_end(index: sqlite3.Connection) -> None:
    put(index, {number: f"build number{number}" for number in range(MANY)})

    assert search(index, Query("build")) == []  # words of nothing that is there
    assert find(index, ["build"], 4 * MANY).complete and not find(index, ["build"], 10).complete


def test_a_rare_word_decides_between_those_with_a_common_one(index: sqlite3.Connection) -> None:
    put(index, dict.fromkeys(range(50), "build the server") | {77: "build the walrus"})

    assert elsewhere(index, asked(index, "build walrus"), 2).scored[0].number == 77


def talk(index: sqlite3.Connection, session: int, *said: tuple[int, str]) -> int:
    first = first_number(date(2026, 3, 1), session)
    numbered = ((number_of(first, place, voice), text) for place, (voice, text) in enumerate(said))
    put(index, dict(numbered))
    return first


def test_whose_words_are_asked_for_come_first(index: sqlite3.Connection) -> None:
    talk(index, 1, (PERSON, "retries with backoff"), (AGENT, "retries with backoff"), *[(PERSON, "other things")] * 9)
    question = asked(index, "retries backoff")
    of_person = in_sessions(index, question, lambda _run: PERSON).scored[0]
    of_agent = in_sessions(index, question, lambda _run: AGENT).scored[0]

    assert (voice_of(of_person.number), voice_of(of_agent.number)) == (PERSON, AGENT)


def test_a_neighbour_without_the_words_is_found_too_and_says_what_is_near(index: sqlite3.Connection) -> None:
    first = talk(index, 1, (PERSON, "when does the certificate expire"), (AGENT, "in march"), (PERSON, "thanks a lot"))
    found = {
        one.number: one for one in in_sessions(index, asked(index, "certificate expire"), lambda _run: None).scored
    }
    answer = found[number_of(first, 1, AGENT)]

    assert answer.own == () and set(answer.near) == {"certificate", "expire"} and answer.score > 0
