"""How well something answers: what is near counts, what is rare counts more, length and repetition less and less."""

from __future__ import annotations

from tacit.search import bm25

EVEN = bm25.MessageWindows(0, [10] * 40, 10)


def test_a_rare_word_weighs_more_than_a_common_one_and_none_weighs_nothing() -> None:
    weights = [bm25.idf(count, 1000) for count in (1, 10, 100, 1000)]
    assert weights == sorted(weights, reverse=True) and weights[-1] > 0


def test_a_message_beside_the_words_is_worth_more_than_one_far_away() -> None:
    words = [bm25.TermOccurrences(2.0, [10]), bm25.TermOccurrences(3.0, [11])]
    scores = bm25.score_windows(words, [10, 9, 14, 30], EVEN)
    assert scores == sorted(scores, reverse=True) and scores[-1] == 0 < scores[-2]


def test_both_words_near_each_other_are_worth_more_than_far_apart() -> None:
    near = bm25.score_windows([bm25.TermOccurrences(1.0, [5]), bm25.TermOccurrences(1.0, [6])], [5], EVEN)[0]
    far = bm25.score_windows([bm25.TermOccurrences(1.0, [5]), bm25.TermOccurrences(1.0, [30])], [5], EVEN)[0]
    assert near > far


def test_the_same_words_in_much_text_are_worth_less() -> None:
    words = [bm25.TermOccurrences(1.0, [5])]
    assert bm25.score_windows(words, [5], bm25.MessageWindows(0, [100] * 40, 10)) < bm25.score_windows(words, [5], EVEN)
    assert bm25.score_document([(1.0, 1)], 5.0) < bm25.score_document([(1.0, 1)], 1.0)
    assert bm25.score_session([(1.0, 1)], 3.0) < bm25.score_session([(1.0, 1)], 1.0)


def test_a_word_that_comes_again_adds_less_and_less() -> None:
    once, twice, often = (bm25.score_document([(1.0, count)], 1.0) for count in (1, 2, 50))
    assert once < twice < often < 2.2 * once
    assert twice - once > 10 * (often - bm25.score_document([(1.0, 49)], 1.0))


def test_at_both_ends_only_what_is_there_counts() -> None:
    first, last = (
        bm25.score_windows([bm25.TermOccurrences(1.0, [0])], [0], EVEN),
        bm25.score_windows([bm25.TermOccurrences(1.0, [39])], [39], EVEN),
    )

    assert first == last
    assert first > bm25.score_windows([bm25.TermOccurrences(1.0, [20])], [20], EVEN)  # there is less text around it
