"""Where words stand: lists of any length, put in and taken out in any pieces, always say what is there."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import date

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tacit.errors import IndexUnusableError
from tacit.index import database, postings
from tacit.index.compare import dump_rows
from tacit.index.postings import (
    AGENT,
    FIRST_PAGE_ID,
    IDS_PER_SESSION,
    MAX_MESSAGE_INDEX,
    PERSON,
    IndexedDocument,
    PostingsWriter,
    message_doc_id,
    message_index,
    role_of,
    session_start_id,
    start_id_of,
)
from tacit.search import memories as search_memories
from tacit.search.bm25 import QueryTerm

ALL = 1 << 40


@pytest.fixture
def index() -> sqlite3.Connection:
    return database.create_index(":memory:")


def put(index: sqlite3.Connection, *wordings: IndexedDocument, fresh: bool = True) -> None:
    lists = PostingsWriter(index)
    lists.add(wordings, fresh=fresh)
    lists.flush()


def test_a_long_list_is_read_whole_from_its_beginning_and_in_between(index: sqlite3.Connection) -> None:
    numbers = [7 * number for number in range(1000)]
    put(index, *(IndexedDocument(number, "walrus", "") for number in numbers))

    assert list(postings.memory_postings(index, "walru", ALL, memories=True)) == numbers
    assert list(postings.memory_postings(index, "walru", 5, memories=True)) == numbers[:5]
    assert postings.doc_freq(index, "walru") == 1000
    assert [one for one in range(7000) if postings.has_term(index, "walru", one)] == numbers


@pytest.mark.parametrize("step", [1, 7, 60, 900])  # all at once, among them, and one by one in the file
def test_who_holds_a_word_is_the_same_however_it_is_looked_for(index: sqlite3.Connection, step: int) -> None:
    put(
        index,
        *(IndexedDocument(7 * number, "walrus", "") for number in range(1000)),
        IndexedDocument(FIRST_PAGE_ID + 7, "walrus", ""),
    )
    word, asked = QueryTerm("walrus", "walru", 1001, 1.0), [*range(0, 8000, step), FIRST_PAGE_ID + 7]
    for memories in (False, True):
        lists = search_memories._PostingsCache(index, memories=memories)
        before = list(lists.first_postings(word, ALL))
        assert lists.ids_with_term(word, asked) == {one for one in asked if one % 7 == 0 and one < 7000} | {
            FIRST_PAGE_ID + 7
        }
        assert list(lists.first_postings(word, ALL)) == before
        assert list(lists.first_postings(word, 5)) == before[:5]


@pytest.mark.parametrize("is_known", [False, True])
def test_a_list_is_read_in_steps_up_to_its_limit(index: sqlite3.Connection, is_known: bool) -> None:
    numbers = [7 * number for number in range(1000)]
    put(index, *(IndexedDocument(number, "walrus", "") for number in [*numbers, FIRST_PAGE_ID + 7]))
    known = [*numbers, FIRST_PAGE_ID + 7] if is_known else None
    stream = postings.PostingStream(index, "walru", 900, memories=True, known=known)
    assert list(stream.take(3)) == numbers[:3]
    assert list(stream.take_through(700)) == numbers[3:101]
    assert list(stream.take_through(703)) == []
    assert list(stream.take(10_000)) == numbers[101:900]
    assert list(stream.take(1)) == []
    whole = postings.PostingStream(index, "walru", ALL, memories=True, known=known)
    assert list(whole.take_through(ALL)) == numbers


_places = st.lists(st.integers(0, 400), unique=True).map(sorted)


@settings(max_examples=200, deadline=None)
@given(_places, st.lists(_places, max_size=3), st.integers(1, 60))
@example([*range(400)], [[*range(0, 400, 2)], [*range(0, 400, 3)]], 20)
def test_what_stands_in_several_lists_is_found_from_the_beginning(
    there: list[int], lists: list[list[int]], wanted: int
) -> None:
    with pytest.MonkeyPatch.context() as patch, closing(database.create_index(":memory:")) as index:
        patch.setattr(search_memories, "_INTERSECT_STEP", 16)
        patch.setattr(postings, "_IDS_AT_ONCE", 32)
        words = {number: [f"list{at}" for at, one in enumerate(lists) if number in one] for number in range(401)}
        put(index, *(IndexedDocument(number, " ".join(some), "") for number, some in words.items() if some))
        rarest = postings.PostingStream(index, "", ALL, memories=True, known=there)
        others = [postings.PostingStream(index, f"list{at}", ALL, memories=True) for at in range(len(lists))]
        found = search_memories._intersect(rarest, others, wanted)
    every = [set(there).intersection(one) for one in lists]
    in_all, told = (sorted(set.intersection(*several)) if lists else [] for several in (every, found))
    assert told[:wanted] == in_all[:wanted]
    assert all(one <= other for one, other in zip(found, every, strict=True))
    assert len(in_all) >= wanted or found == every


def test_memories_pages_and_messages_stand_apart(index: sqlite3.Connection) -> None:
    first = session_start_id(date(2026, 3, 1), 5)
    said = message_doc_id(first, 3, PERSON)
    put(
        index,
        IndexedDocument(11, "walrus", ""),
        IndexedDocument(FIRST_PAGE_ID + 1, "walrus", ""),
        IndexedDocument(said, "walrus walrus", ""),
    )

    assert list(postings.memory_postings(index, "walru", ALL, memories=True)) == [11]
    assert list(postings.memory_postings(index, "walru", ALL, memories=False)) == [11, FIRST_PAGE_ID + 1]
    there = postings.message_postings(index, "walru", ALL)
    assert (list(there.doc_ids), list(there.term_freqs)) == ([said], [2])
    assert list(postings.message_postings_between(index, "walru", first, first + IDS_PER_SESSION - 1).doc_ids) == [said]
    assert (
        list(
            postings.message_postings_between(
                index, "walru", first + IDS_PER_SESSION, first + 2 * IDS_PER_SESSION - 1
            ).doc_ids
        )
        == []
    )
    assert postings.session_length(index, first) == 2


def test_a_block_that_does_not_fit_itself_is_damage(index: sqlite3.Connection) -> None:
    put(index, IndexedDocument(message_doc_id(session_start_id(date(2026, 3, 1), 5), 3, PERSON), "walrus", ""))
    index.execute("UPDATE postings SET term_freqs = x''")

    with pytest.raises(IndexUnusableError):
        postings.message_postings(index, "walru", ALL)


_NUMBERS = st.sampled_from(
    [1, 2, 3, FIRST_PAGE_ID + 1, *(session_start_id(date(2026, 3, 1), 5) + place for place in range(4))]
)
_TEXTS = st.lists(st.sampled_from(["walrus", "seal", "seals", "otter"]), max_size=4).map(" ".join)
_CHANGES = st.lists(st.tuples(_NUMBERS, st.none() | st.tuples(_TEXTS, _TEXTS), st.booleans()), max_size=30)


@given(_CHANGES)
@settings(max_examples=150, deadline=None)
def test_lists_that_grew_and_shrank_are_those_of_what_is_left(changes: list) -> None:  # type: ignore[type-arg]
    with closing(database.create_index(":memory:")) as grown, closing(database.create_index(":memory:")) as made:
        lists = PostingsWriter(grown)
        left: dict[int, IndexedDocument] = {}
        for number, texts, written in changes:
            if texts is None:
                lists.remove(number)
                left.pop(number, None)
            else:
                left[number] = IndexedDocument(number, *texts)
                lists.add([left[number]], fresh=False)
            if written:
                lists.flush()
        lists.flush()
        put(made, *(left[number] for number in sorted(left)))

        assert list(dump_rows(grown)) == list(dump_rows(made))


def test_many_numbers_in_any_order_are_the_list_of_all_at_once() -> None:
    numbers = [(number * 7919) % 10007 for number in range(2000)]
    with closing(database.create_index(":memory:")) as grown, closing(database.create_index(":memory:")) as made:
        for at in range(0, 2000, 130):
            put(grown, *(IndexedDocument(number, "walrus", "") for number in numbers[at : at + 130]))
        for number in numbers[:500]:
            put(grown, IndexedDocument(number, "otter", ""), fresh=False)
        put(
            made,
            *(IndexedDocument(number, "otter" if number in set(numbers[:500]) else "walrus", "") for number in numbers),
        )

        assert list(dump_rows(grown)) == list(dump_rows(made))
        longest = grown.execute("SELECT max(length(doc_ids)) FROM postings").fetchone()[0]
        assert longest <= 80 * 8  # a block stays within a page of the file


# The numbers of messages: each its own, neighbours side by side, the latest sessions first, apart from memories


days = st.dates(date(1990, 1, 1), date(2200, 1, 1))
sessions = st.integers(0, 2**60 - 1)


@settings(max_examples=100, deadline=None)
@given(days, sessions, st.integers(0, MAX_MESSAGE_INDEX), st.sampled_from([PERSON, AGENT]))
def test_a_number_tells_its_session_message_and_voice(day: date, session: int, message: int, voice: int) -> None:
    first = session_start_id(day, session)
    number = message_doc_id(first, message, voice)
    assert -(2**63) <= first <= number < min(first + IDS_PER_SESSION, 0)
    assert (start_id_of(number), message_index(number), role_of(number)) == (first, message, voice)


def test_what_is_beyond_the_last_place_stays_in_its_session() -> None:
    first = session_start_id(date(2026, 1, 1), 7)
    assert start_id_of(message_doc_id(first, 10**6, AGENT)) == first


@settings(max_examples=50, deadline=None)
@given(sessions, sessions)
def test_a_session_of_a_later_day_comes_first(one: int, other: int) -> None:
    assert session_start_id(date(2026, 3, 2), one) < session_start_id(date(2026, 3, 1), other)
