"""Meaning adds to what words found as it should, and names of things are asked for by words."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import date

import pytest

from tacit import meaning
from tacit.index import vectors
from tacit.index.postings import message_doc_id, session_start_id
from tacit.search import semantic
from tacit.search.bm25 import ParsedQuery, QueryTerm, ScoredDocument
from tacit.search.semantic import QueryMeaning, RerankedDocument, is_name, query_meaning
from tests.support.events import START

SIZE = 64


def vector(similarity: float) -> bytes:
    """A vector that is so similar to that of the question, which points along the first half of the components."""
    share = max(-1.0, min(1.0, similarity))
    along, across = share, (1 - share * share) ** 0.5
    return meaning.quantize([round(1000 * (along if place % 2 else across)) for place in range(SIZE)])


def question() -> QueryMeaning:
    return QueryMeaning(vector(1.0), meaning.bits(vector(1.0)), {})


def put(index: sqlite3.Connection, similarities: dict[int, float]) -> None:
    rows = [(doc_id, vector(value)) for doc_id, value in similarities.items()]
    values = [(doc_id, meaning.pack_signs(stored), stored) for doc_id, stored in rows]
    index.executemany("INSERT INTO vectors VALUES (?, ?, ?)", values)


def query(*, missing: float) -> ParsedQuery:
    """A question of one word that is there, of weight 1, and others that are not."""
    return ParsedQuery((QueryTerm("there", "there", 1, 1.0),), {}, 5.0, 1, missing)


def memories(
    index: sqlite3.Connection, scored: Sequence[ScoredDocument], *, missing: float, excluded: Sequence[int] = ()
) -> list[RerankedDocument]:
    return semantic.rerank_memories(
        index, scored, query(missing=missing), question(), lambda doc_ids: set(doc_ids).difference(excluded)
    )


def order(reranked: Sequence[RerankedDocument]) -> list[int]:
    return [one.scored.doc_id for one in reranked]


WITH_WORD = ScoredDocument(1, 5.0, ("there",))


def test_the_less_the_best_hit_holds_of_a_question_the_more_meaning_decides(index: sqlite3.Connection) -> None:
    put(index, {1: 0.3, 2: 0.5, **dict.fromkeys(range(10, 60), 0.05)})
    assert order(memories(index, [WITH_WORD], missing=9.0)) == [2, 1]
    assert order(memories(index, [WITH_WORD], missing=0.0)) == [1]


def test_of_two_that_words_cannot_tell_apart_the_more_similar_one_comes_first(index: sqlite3.Connection) -> None:
    put(index, {1: 0.2, 2: 0.6, 3: 0.1})
    equal = [WITH_WORD, ScoredDocument(2, 5.0, ("there",))]
    assert order(memories(index, equal, missing=1.0)) == [2, 1]


def test_a_document_without_a_vector_counts_as_average(index: sqlite3.Connection) -> None:
    put(index, {1: 0.5})
    first, second = memories(index, [WITH_WORD, ScoredDocument(7, 5.0, ("there",))], missing=1.0)
    assert first.scored.doc_id == 1 and first.boost > 0
    assert second == RerankedDocument(ScoredDocument(7, 5.0, ("there",)), 0.0)


def test_without_a_common_word_only_what_is_really_similar_is_found(index: sqlite3.Connection) -> None:
    put(index, {1: 0.1, 2: 0.2})
    assert memories(index, [], missing=1.0) == []
    put(index, {3: 0.3, 4: 0.5})
    assert order(memories(index, [], missing=1.0)) == [4, 3]


def test_a_single_memory_is_found(index: sqlite3.Connection) -> None:
    put(index, {1: 0.5})
    (found,) = memories(index, [], missing=1.0)
    assert found.boost > 0


def test_what_the_query_excludes_takes_no_place_of_what_it_does_not(index: sqlite3.Connection) -> None:
    put(index, {**dict.fromkeys(range(30), 0.6), 99: 0.5})
    assert order(memories(index, [], missing=1.0, excluded=range(30))) == [99]


def test_a_message_is_similar_by_what_stands_around_it(index: sqlite3.Connection) -> None:
    one, other = (session_start_id(START.date(), session) for session in (1, 2))
    among = [message_doc_id(one, place, place % 2) for place in range(5)]
    apart = [message_doc_id(other, place, place % 2) for place in range(5)]
    put(index, dict(zip(among, (0.2, 0.2, 0.1, 0.2, 0.2), strict=True)))
    put(index, dict(zip(apart, (0.0, 0.0, 0.1, 0.0, 0.0), strict=True)))
    scored = [ScoredDocument(message, 5.0, ("there",)) for message in (apart[2], among[2])]
    reranked = semantic.rerank_messages(index, scored, query(missing=1.0), question())
    assert order(reranked) == [among[2], apart[2]]


def test_of_a_session_meaning_decides_a_little_where_a_sentence_asks_with_words_that_are_all_there(
    index: sqlite3.Connection,
) -> None:
    first, second = (message_doc_id(session_start_id(START.date(), session), 0, 0) for session in (1, 2))
    put(index, {first: 0.0, second: 0.9})
    scored = [ScoredDocument(first, 1.0, ("there",)), ScoredDocument(second, 0.99, ("there",))]
    words, sentence = question(), question()._replace(is_question=True)

    assert order(semantic.rerank_messages(index, scored, query(missing=0.0), words)) == [first, second]
    assert order(semantic.rerank_messages(index, scored, query(missing=0.0), sentence)) == [second, first]


@pytest.mark.parametrize(
    ("text", "asks"), [("how do clients pay", True), ("clients pay?", True), ("pay clients", False)]
)
def test_a_sentence_that_asks_is_told_from_words_to_search_for(text: str, asks: bool) -> None:
    found = semantic.query_meaning(text)
    assert found is not None and found.is_question == asks


def test_of_very_many_the_latest_and_those_that_words_found_are_compared(
    index: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(semantic, "MAX_COMPARED", 3)
    put(index, {1: 0.1, 2: 0.1, 3: 0.1, 8: 0.6, 9: 0.6})
    assert order(memories(index, [ScoredDocument(8, 1.0, ("there",))], missing=1.0)) == [8]
    late, old = session_start_id(START.date(), 1), session_start_id(date(2020, 1, 1), 2)
    put(index, {message_doc_id(run, place, 0): 0.6 for run in (late, old) for place in range(3)})
    by_words = ScoredDocument(message_doc_id(old, 1, 0), 1.0, ("there",))
    assert by_words.doc_id in order(semantic.rerank_messages(index, [by_words], query(missing=1.0), question()))
    assert message_doc_id(old, 2, 0) not in order(semantic.rerank_messages(index, [], query(missing=1.0), question()))


def test_many_are_compared_by_signs_and_the_nearest_of_them_exactly(
    index: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = meaning.cached_table()
    assert table is not None
    texts = {number: f"the printer on floor {number} is out of paper" for number in range(60)}
    texts[77] = "customers are billed by card"
    vectors.write_vectors(index, texts)
    asked = query_meaning("how do clients pay")
    assert asked is not None
    exact = semantic.rerank_memories(index, [], query(missing=1.0), asked, set)
    monkeypatch.setattr(semantic, "MAX_EXACT", 5)
    monkeypatch.setattr(semantic, "_MAX_NEAR_BY_SIGNS", 5)
    assert semantic.rerank_memories(index, [], query(missing=1.0), asked, set)[0].scored.doc_id == 77
    assert exact[0].scored.doc_id == 77


@pytest.mark.parametrize(
    "text",
    [
        "HTTP_TIMEOUT",
        "src/tacit/log",
        "--force",
        "README.md",
        "getUserName",
        "v1.2.3",
        "-x --dry-run",
        "roster-check?",
        "TTL",
    ],
)
def test_a_question_that_names_something_is_answered_by_words(text: str) -> None:
    assert is_name(text)
    assert query_meaning(text) is None


@pytest.mark.parametrize("text", ["how do clients pay", "what sets HTTP_TIMEOUT?", "backup", "Rechnung", "如何付款"])
def test_a_question_with_an_ordinary_word_is_not_a_name(text: str) -> None:
    assert not is_name(text)
    assert query_meaning(text) is not None
