"""Candidates: words that are everywhere hide nothing that holds them together, and a search always ends."""

from __future__ import annotations

import sqlite3
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.index import database
from tacit.index.postings import (
    AGENT,
    PERSON,
    IndexedDocument,
    PostingsWriter,
    message_doc_id,
    role_of,
    session_start_id,
    start_id_of,
)
from tacit.search.bm25 import ParsedQuery, query_from_words
from tacit.search.memories import retrieve_memories
from tacit.search.rank import Query, search
from tacit.search.sessions import retrieve_messages
from tacit.text.words import query_terms, tokenize

MANY = 3100  # in more than are looked at one by one


def parse_query(index: sqlite3.Connection, text: str) -> ParsedQuery:
    return query_from_words(index, query_terms(text), tokenize(text))


def put(index: sqlite3.Connection, texts: dict[int, str]) -> None:
    lists = PostingsWriter(index)
    lists.add([IndexedDocument(number, text, "") for number, text in texts.items()], fresh=True)
    lists.flush()


def test_what_holds_two_words_that_are_everywhere_comes_first(index: sqlite3.Connection) -> None:
    put(index, {number: f"build number{number}" for number in range(MANY)})
    put(index, {MANY + number: f"cache number{number}" for number in range(MANY)})
    put(index, {3 * MANY: "build the cache"})

    assert retrieve_memories(index, parse_query(index, "build cache"), 5).scored[0].doc_id == 3 * MANY


def test_of_those_with_a_rare_word_the_one_with_a_common_word_too_comes_first(index: sqlite3.Connection) -> None:
    put(index, {number: f"build number{number}" for number in range(MANY)})
    put(index, dict.fromkeys(range(MANY, MANY + 200), "walrus"))
    put(index, {2 * MANY: "walrus build"})

    assert retrieve_memories(index, parse_query(index, "build walrus"), 5).scored[0].doc_id == 2 * MANY


def test_a_search_in_which_nothing_fits_comes_to_an_end(index: sqlite3.Connection) -> None:
    put(index, {number: f"build number{number}" for number in range(MANY)})

    assert search(index, Query("build")) == []  # words of nothing that is there


def test_a_rare_word_decides_between_those_with_a_common_one(index: sqlite3.Connection) -> None:
    put(index, dict.fromkeys(range(50), "build the server") | {77: "build the walrus"})

    assert retrieve_memories(index, parse_query(index, "build walrus"), 2).scored[0].doc_id == 77


def talk(index: sqlite3.Connection, session: int, *said: tuple[int, str]) -> int:
    first = session_start_id(date(2026, 3, 1), session)
    numbered = ((message_doc_id(first, place, voice), text) for place, (voice, text) in enumerate(said))
    put(index, dict(numbered))
    return first


def test_whose_words_are_asked_for_come_first(index: sqlite3.Connection) -> None:
    talk(index, 1, (PERSON, "retries with backoff"), (AGENT, "retries with backoff"), *[(PERSON, "other things")] * 9)
    question = parse_query(index, "retries backoff")
    of_person = retrieve_messages(index, question, PERSON).scored[0]
    of_agent = retrieve_messages(index, question, AGENT).scored[0]

    assert (role_of(of_person.doc_id), role_of(of_agent.doc_id)) == (PERSON, AGENT)


def test_a_neighbour_without_the_words_is_found_too_and_says_what_is_near(index: sqlite3.Connection) -> None:
    first = talk(index, 1, (PERSON, "when does the certificate expire"), (AGENT, "in march"), (PERSON, "thanks a lot"))
    found = {one.doc_id: one for one in retrieve_messages(index, parse_query(index, "certificate expire"), None).scored}
    answer = found[message_doc_id(first, 1, AGENT)]

    assert answer.terms == () and set(answer.nearby_terms) == {"certificate", "expire"} and answer.score > 0


def test_of_equal_messages_that_of_the_session_which_is_about_it_comes_first(index: sqlite3.Connection) -> None:
    other = [(PERSON, "other things entirely")] * 20
    talk(index, 1, *other, (PERSON, "the walrus"), *other)
    about = talk(index, 2, (AGENT, "walrus walrus walrus"), *other, (PERSON, "the walrus"), *other)
    for session in range(3, 9):
        talk(index, session, *other)
    scores = {one.doc_id: one.score for one in retrieve_messages(index, parse_query(index, "walrus"), None).scored}

    same = {number for number in scores if scores[number] > 0 and role_of(number) == PERSON}
    best = max((number for number in same), key=scores.__getitem__)
    assert start_id_of(best) == about


def test_a_word_that_is_everywhere_counts_in_an_early_session_too(index: sqlite3.Connection) -> None:
    early = session_start_id(date(2020, 1, 1), 1)
    put(index, {message_doc_id(early, 0, PERSON): "walrus", message_doc_id(early, 1, PERSON): "build build build"})
    for session in range(100):
        talk(index, session, *[(PERSON, "build")] * 20)
    found = {one.doc_id: one for one in retrieve_messages(index, parse_query(index, "walrus build"), None).scored}

    assert found[message_doc_id(early, 1, PERSON)].terms == ("build",)


RARE = ["alpha"] * 4 + ["beta"] * 5 + ["gamma"] * 6
COMMON = ("build", "cache", "server")


@given(held=st.lists(st.sets(st.sampled_from(COMMON)), min_size=len(RARE), max_size=len(RARE)))
@settings(max_examples=60)
def test_common_words_weigh_the_same_whether_or_not_all_their_places_are_looked_at(held: list[set[str]]) -> None:
    """Where there is room for few places, common words are looked for in what holds a rare one and may be best."""
    index = database.create_index(":memory:")
    rare = {number: " ".join((word, *sorted(held[number]))) for number, word in enumerate(RARE)}
    put(index, rare | dict.fromkeys(range(len(RARE), 60), " ".join(COMMON)))
    question = parse_query(index, "alpha beta gamma build cache server")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tacit.search.memories._MIN_READ", 3)
        every = retrieve_memories(index, question, 1).scored
        patch.setattr("tacit.search.memories._MAX_POSTINGS", len(RARE) + 1)
        some = retrieve_memories(index, question, 1).scored

    assert some == every


@pytest.mark.parametrize(("messages", "looked_at"), [(1, 40), (200, 20)])
def test_fewer_sessions_are_looked_at_where_they_are_long(
    index: sqlite3.Connection, messages: int, looked_at: int
) -> None:
    """What a question costs grows with the messages that are looked at; it is told that there are more."""
    for session in range(60):
        talk(index, session, *[(PERSON, "walrus" if place % 25 == 0 else "other") for place in range(messages)])
    found = retrieve_messages(index, parse_query(index, "walrus"), None)

    assert len({start_id_of(one.doc_id) for one in found.scored}) == looked_at
    assert not found.complete
