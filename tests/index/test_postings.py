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
from tacit.search import memories as search_memories
from tacit.search.bm25 import QueryTerm

ALL = 1 << 40


def put(index: sqlite3.Connection, *wordings: postings.IndexedDocument, fresh: bool = True) -> None:
    lists = postings.PostingsWriter(index)
    lists.add(wordings, fresh=fresh)
    lists.flush()


def test_a_long_list_is_read_whole_from_its_beginning_and_in_between(index: sqlite3.Connection) -> None:
    numbers = [7 * number for number in range(1000)]
    put(index, *(postings.IndexedDocument(number, "walrus", "") for number in numbers))

    assert list(postings.memory_postings(index, "walru", ALL, memories=True)) == numbers
    assert list(postings.memory_postings(index, "walru", 5, memories=True)) == numbers[:5]
    assert postings.doc_freq(index, "walru") == 1000
    assert [one for one in range(7000) if postings.has_term(index, "walru", one)] == numbers


@pytest.mark.parametrize("step", [1, 7, 60, 900])  # all at once, among them, and one by one in the file
def test_who_holds_a_word_is_the_same_however_it_is_looked_for(index: sqlite3.Connection, step: int) -> None:
    put(
        index,
        *(postings.IndexedDocument(7 * number, "walrus", "") for number in range(1000)),
        postings.IndexedDocument(postings.FIRST_PAGE_ID + 7, "walrus", ""),
    )
    word, asked = QueryTerm("walrus", "walru", 1001, 1.0), [*range(0, 8000, step), postings.FIRST_PAGE_ID + 7]
    for memories in (False, True):
        lists = search_memories._PostingsCache(index, memories=memories)
        before = list(lists.first_postings(word, ALL))
        assert lists.ids_with_term(word, asked) == {one for one in asked if one % 7 == 0 and one < 7000} | {
            postings.FIRST_PAGE_ID + 7
        }
        assert list(lists.first_postings(word, ALL)) == before
        assert list(lists.first_postings(word, 5)) == before[:5]


@pytest.mark.parametrize("is_known", [False, True])
def test_a_list_is_read_in_steps_up_to_its_limit(index: sqlite3.Connection, is_known: bool) -> None:
    numbers = [7 * number for number in range(1000)]
    put(index, *(postings.IndexedDocument(number, "walrus", "") for number in [*numbers, postings.FIRST_PAGE_ID + 7]))
    known = [*numbers, postings.FIRST_PAGE_ID + 7] if is_known else None
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
        put(index, *(postings.IndexedDocument(number, " ".join(some), "") for number, some in words.items() if some))
        rarest = postings.PostingStream(index, "", ALL, memories=True, known=there)
        others = [postings.PostingStream(index, f"list{at}", ALL, memories=True) for at in range(len(lists))]
        found = search_memories._intersect(rarest, others, wanted)
    every = [set(there).intersection(one) for one in lists]
    in_all, told = (sorted(set.intersection(*several)) if lists else [] for several in (every, found))
    assert told[:wanted] == in_all[:wanted]
    assert all(one <= other for one, other in zip(found, every, strict=True))
    assert len(in_all) >= wanted or found == every


def test_memories_pages_and_messages_stand_apart(index: sqlite3.Connection) -> None:
    first = postings.session_start_id(date(2026, 3, 1), 5)
    said = postings.message_doc_id(first, 3, postings.PERSON)
    put(
        index,
        postings.IndexedDocument(11, "walrus", ""),
        postings.IndexedDocument(postings.FIRST_PAGE_ID + 1, "walrus", ""),
        postings.IndexedDocument(said, "walrus walrus", ""),
    )

    assert list(postings.memory_postings(index, "walru", ALL, memories=True)) == [11]
    assert list(postings.memory_postings(index, "walru", ALL, memories=False)) == [11, postings.FIRST_PAGE_ID + 1]
    there = postings.message_postings(index, "walru", ALL)
    assert (list(there.doc_ids), list(there.term_freqs)) == ([said], [2])
    assert list(
        postings.message_postings_between(index, "walru", first, first + postings.IDS_PER_SESSION - 1).doc_ids
    ) == [said]
    assert (
        list(
            postings.message_postings_between(
                index, "walru", first + postings.IDS_PER_SESSION, first + 2 * postings.IDS_PER_SESSION - 1
            ).doc_ids
        )
        == []
    )
    assert postings.session_length(index, first) == 2


def test_a_block_that_does_not_fit_itself_is_damage(index: sqlite3.Connection) -> None:
    put(
        index,
        postings.IndexedDocument(
            postings.message_doc_id(postings.session_start_id(date(2026, 3, 1), 5), 3, postings.PERSON), "walrus", ""
        ),
    )
    index.execute("UPDATE postings SET term_freqs = x''")

    with pytest.raises(IndexUnusableError):
        postings.message_postings(index, "walru", ALL)


_NUMBERS = st.sampled_from(
    [
        1,
        2,
        3,
        postings.FIRST_PAGE_ID + 1,
        *(postings.session_start_id(date(2026, 3, 1), 5) + place for place in range(4)),
    ]
)
_TEXTS = st.lists(st.sampled_from(["walrus", "seal", "seals", "otter"]), max_size=4).map(" ".join)
_CHANGES = st.lists(st.tuples(_NUMBERS, st.none() | st.tuples(_TEXTS, _TEXTS), st.booleans()), max_size=30)


@given(_CHANGES)
@settings(max_examples=150, deadline=None)
def test_lists_that_grew_and_shrank_are_those_of_what_is_left(changes: list) -> None:  # type: ignore[type-arg]
    with closing(database.create_index(":memory:")) as grown, closing(database.create_index(":memory:")) as made:
        lists = postings.PostingsWriter(grown)
        left: dict[int, postings.IndexedDocument] = {}
        for number, texts, written in changes:
            if texts is None:
                lists.remove(number)
                left.pop(number, None)
            else:
                left[number] = postings.IndexedDocument(number, *texts)
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
            put(grown, *(postings.IndexedDocument(number, "walrus", "") for number in numbers[at : at + 130]))
        for number in numbers[:500]:
            put(grown, postings.IndexedDocument(number, "otter", ""), fresh=False)
        put(
            made,
            *(
                postings.IndexedDocument(number, "otter" if number in set(numbers[:500]) else "walrus", "")
                for number in numbers
            ),
        )

        assert list(dump_rows(grown)) == list(dump_rows(made))
        longest = grown.execute("SELECT max(length(doc_ids)) FROM postings").fetchone()[0]
        assert longest <= 80 * 8  # a block stays within a page of the file


# The numbers of messages: each its own, neighbours side by side, the latest sessions first, apart from memories


days = st.dates(date(1990, 1, 1), date(2200, 1, 1))
sessions = st.integers(0, 2**60 - 1)


@settings(max_examples=100, deadline=None)
@given(days, sessions, st.integers(0, postings.MAX_MESSAGE_INDEX), st.sampled_from([postings.PERSON, postings.AGENT]))
def test_a_number_tells_its_session_message_and_voice(day: date, session: int, message: int, voice: int) -> None:
    first = postings.session_start_id(day, session)
    number = postings.message_doc_id(first, message, voice)
    assert -(2**63) <= first <= number < min(first + postings.IDS_PER_SESSION, 0)
    assert (postings.start_id_of(number), postings.message_index(number), postings.role_of(number)) == (
        first,
        message,
        voice,
    )


def test_what_is_beyond_the_last_place_stays_in_its_session() -> None:
    first = postings.session_start_id(date(2026, 1, 1), 7)
    assert postings.start_id_of(postings.message_doc_id(first, 10**6, postings.AGENT)) == first


@settings(max_examples=50, deadline=None)
@given(sessions, sessions)
def test_a_session_of_a_later_day_comes_first(one: int, other: int) -> None:
    assert postings.session_start_id(date(2026, 3, 2), one) < postings.session_start_id(date(2026, 3, 1), other)


# The counts that scores are made of follow the documents


START = postings.session_start_id(date(2026, 3, 1), 5)
ASKED, ANSWERED = postings.message_doc_id(START, 0, postings.PERSON), postings.message_doc_id(START, 1, postings.AGENT)


@pytest.fixture
def writer(index: sqlite3.Connection) -> postings.PostingsWriter:
    return postings.PostingsWriter(index)


def with_term(index: sqlite3.Connection, term: str) -> list[int]:
    return list(postings.memory_postings(index, term, ALL, memories=False))


def test_nothing_is_found_before_the_changes_are_flushed(
    index: sqlite3.Connection, writer: postings.PostingsWriter
) -> None:
    writer.add([postings.IndexedDocument(1, "walrus", "")], fresh=True)
    assert (with_term(index, "walru"), postings.corpus_stats(index).doc_count) == ([], 0)
    writer.flush()
    assert (with_term(index, "walru"), postings.corpus_stats(index).doc_count) == ([1], 1)


def test_a_document_is_found_by_text_and_extra_and_its_length_counts_both(
    index: sqlite3.Connection, writer: postings.PostingsWriter
) -> None:
    writer.add(
        [postings.IndexedDocument(1, "walrus walruses", "otter"), postings.IndexedDocument(2, "", "")], fresh=True
    )
    writer.flush()
    assert (with_term(index, "walru"), with_term(index, "otter")) == ([1], [1])
    assert postings.doc_freq(index, "walru") == 1
    assert postings.corpus_stats(index) == postings.CorpusStats(2, 1.5)


def test_the_frequencies_and_lengths_of_messages_are_kept_and_a_frequency_fits_a_byte(
    index: sqlite3.Connection, writer: postings.PostingsWriter
) -> None:
    said = [
        postings.IndexedDocument(ASKED, "walrus otter", ""),
        postings.IndexedDocument(ANSWERED, "", " ".join(["walrus"] * 300)),
    ]
    writer.add(said, fresh=True)
    writer.flush()
    found = postings.message_postings(index, "walru", ALL)
    assert (list(found.doc_ids), list(found.term_freqs)) == ([ASKED, ANSWERED], [1, 255])
    assert postings.doc_lengths_between(index, ASKED, ANSWERED) == [(ASKED, 2), (ANSWERED, 300)]
    assert postings.session_length(index, START) == 302


def test_a_document_that_is_the_same_is_not_written_again(
    index: sqlite3.Connection, writer: postings.PostingsWriter
) -> None:
    writer.add([postings.IndexedDocument(1, "walrus", "")], fresh=True)
    before = index.total_changes
    writer.add([postings.IndexedDocument(1, "walrus", "")], fresh=False)
    assert index.total_changes == before


def test_one_more_document_rewrites_one_block_of_a_long_posting_list(
    index: sqlite3.Connection, writer: postings.PostingsWriter
) -> None:
    writer.add([postings.IndexedDocument(2 * number, "walrus", "") for number in range(1000)], fresh=True)
    writer.flush()
    before = set(index.execute("SELECT first_doc_id, doc_ids FROM postings"))
    writer.add([postings.IndexedDocument(777, "walrus", "")], fresh=True)
    writer.flush()
    after = set(index.execute("SELECT first_doc_id, doc_ids FROM postings"))
    assert len(before) > 10 and len(before - after) == 1
    assert with_term(index, "walru") == sorted([*range(0, 2000, 2), 777])
