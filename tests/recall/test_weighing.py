"""How well something answers: what is near counts, what is rare counts more, length and repetition less and less."""

from __future__ import annotations

from tacit.search.bm25 import Ruler, Standing, alone, around, rarity, whole

EVEN = Ruler(0, [10] * 40, 10)


def test_a_rare_word_weighs_more_than_a_common_one_and_none_weighs_nothing() -> None:
    weights = [rarity(count, 1000) for count in (1, 10, 100, 1000)]
    assert weights == sorted(weights, reverse=True) and weights[-1] > 0


def test_a_message_beside_the_words_is_worth_more_than_one_far_away() -> None:
    words = [Standing(2.0, [10]), Standing(3.0, [11])]
    scores = around(words, [10, 9, 14, 30], EVEN)
    assert scores == sorted(scores, reverse=True) and scores[-1] == 0 < scores[-2]


def test_both_words_near_each_other_are_worth_more_than_far_apart() -> None:
    near = around([Standing(1.0, [5]), Standing(1.0, [6])], [5], EVEN)[0]
    far = around([Standing(1.0, [5]), Standing(1.0, [30])], [5], EVEN)[0]
    assert near > far


def test_the_same_words_in_much_text_are_worth_less() -> None:
    words = [Standing(1.0, [5])]
    assert around(words, [5], Ruler(0, [100] * 40, 10)) < around(words, [5], EVEN)
    assert alone([(1.0, 1)], 5.0) < alone([(1.0, 1)], 1.0)
    assert whole([(1.0, 1)], 3.0) < whole([(1.0, 1)], 1.0)


def test_a_word_that_comes_again_adds_less_and_less() -> None:
    once, twice, often = (alone([(1.0, count)], 1.0) for count in (1, 2, 50))
    assert once < twice < often < 2.2 * once
    assert twice - once > 10 * (often - alone([(1.0, 49)], 1.0))


def test_at_both_ends_only_what_is_there_counts() -> None:
    first, last = around([Standing(1.0, [0])], [0], EVEN), around([Standing(1.0, [39])], [39], EVEN)

    assert first == last
    assert first > around([Standing(1.0, [20])], [20], EVEN)  # there is less text around it
