"""Whether two statements may say the same in other words, which is worth a question and decides nothing.

`is_restatement` finds what is plainly the same by its words. Other words for one rule are near in meaning, but so are
two rules about one thing: "delete it once it is verified" and "… once it is written". So whatever tells two rules apart
is looked for: names and figures, order, polarity, exceptions, and a single word that took the place of another.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tacit.contradiction import lexicon
from tacit.contradiction.profile import (
    Ordering,
    StatementProfile,
    is_of_others,
    is_reversed,
    profile_statement,
    sense,
)
from tacit.contradiction.terms import NAME_KINDS, WORD_KINDS, stems, without, word_stem
from tacit.record import Record

MIN_SIMILARITY = 0.4  # of two statements; chosen on 40 restatements and 120 pairs of different rules
_MIN_WORD_SIMILARITY = 0.4  # of a word that took the place of another
_MIN_REST_SIMILARITY = 0.15  # of what only the one has and what only the other has
_MIN_WHOLE_SIMILARITY = 0.7  # of the statements, where these rests are not near
_MIN_SHARED = 0.6  # of the words of the shorter, for two statements that are about one thing
_MAX_SUBSTITUTED, _MIN_KEPT = 3, 2  # words that took the place of others, and words beside them
_ARTICLES = lexicon.ARTICLES | lexicon.DETERMINERS
_EMPTY_WORDS = frozenset(("one", "own"))

Similarity = Callable[[str, str], float]


class _Pair(Record):
    """Two statements, what each is about, and which of these words the other lacks."""

    first: StatementProfile
    second: StatementProfile
    words: tuple[frozenset[str], frozenset[str]]
    missing: tuple[set[str], set[str]]

    @property
    def shared(self) -> int:
        return len(self.words[0]) - len(self.missing[0])

    @property
    def rests(self) -> list[str]:
        """What the other lacks, as it is written."""
        return [
            " ".join(profile.tokens[term.position] for term in profile.terms if term.word in missing)
            for profile, missing in zip((self.first, self.second), self.missing, strict=True)
        ]

    @property
    def is_close(self) -> bool:
        """Whether most of their words are the same: then what is said of them decides."""
        return self.shared >= _MIN_SHARED * max(min(map(len, self.words)), 1)


def may_say_the_same(first: str, second: str, similarity: Similarity) -> bool:
    """Return whether two statements, which are near in meaning, say the same as far as can be told.

    `similarity` is the cosine of the meaning of two texts.
    """
    pair = _compare(profile_statement(first), profile_statement(second))
    words = _frame_words(pair.first), _frame_words(pair.second)
    if _are_distinct(pair):
        return False
    if not any(pair.missing):
        return not _is_rearranged(*words)
    if substituted := _substituted(*words):
        return all(substituted) and similarity(*map(" ".join, substituted)) >= _MIN_WORD_SIMILARITY
    if not all(pair.missing):
        return not (_is_part(*words) or _is_part(*words[::-1]))  # the one is a case of the other
    return (
        not pair.shared
        or similarity(*pair.rests) >= _MIN_REST_SIMILARITY
        or similarity(first, second) >= _MIN_WHOLE_SIMILARITY
    )


def _are_distinct(pair: _Pair) -> bool:
    """Return whether names, figures, people or order differ or, if they are about one thing, what is said of it."""
    ours, theirs = pair.first, pair.second
    return (
        is_of_others(ours, theirs)
        or is_reversed(ours.tokens, theirs.tokens)
        or not (_has_values_of(ours, theirs) and _has_values_of(theirs, ours))
        or _is_order_reversed(ours, theirs)
        or (pair.is_close and not _has_same_frame(ours, theirs))
    )


def _compare(first: StatementProfile, second: StatementProfile) -> _Pair:
    empty = stems(lexicon.FILLER_WORDS) | _EMPTY_WORDS
    one, other = (frozenset(word for word in profile.content - empty if "'" not in word) for profile in (first, second))
    return _Pair(first, second, (one, other), (without(one, second.words), without(other, first.words)))


def _has_values_of(profile: StatementProfile, other: StatementProfile) -> bool:
    """Return whether a statement has every name and figure of another. "short" and "long" are no names but members of
    one family, and compared as words."""
    return all(
        term.word in profile.words or other.tokens[term.position] in profile.tokens
        for term in other.significant_terms
        if term.kind not in WORD_KINDS and not (term.kind in NAME_KINDS and term.family)
    )


def _has_same_frame(first: StatementProfile, second: StatementProfile) -> bool:
    return (
        first.is_negative == second.is_negative
        and bool(first.denied) == bool(second.denied)
        and sense(first) == sense(second)
    )


def _is_order_reversed(first: StatementProfile, second: StatementProfile) -> bool:
    """Return whether what comes before in the one comes after in the other."""
    if first.order is None or second.order is None:
        return False
    (ours, then), (theirs, later) = map(_sides, (first.order, second.order))
    return bool(ours & later) and bool(then & theirs)


def _sides(order: Ordering) -> tuple[frozenset[str], frozenset[str]]:
    return order.first - order.second, order.second - order.first


def _frame_words(profile: StatementProfile) -> list[str]:
    """Return all words but articles."""
    return [token for token in profile.tokens if token and token not in _ARTICLES]


def _is_part(words: Sequence[str], others: Sequence[str]) -> bool:
    """Return whether words occur in the same order among others, which then only add to them."""
    rest = map(word_stem, others)
    return all(word_stem(word) in rest for word in words)


def _differing_part(words: Sequence[str], others: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """Return what is between the words that both begin with and those that both end with."""
    start = _count_common(words, others)
    end = _count_common(words[start:][::-1], others[start:][::-1])
    return words[start : len(words) - end], others[start : len(others) - end]


def _count_common(words: Sequence[str], others: Sequence[str]) -> int:
    pairs = enumerate(zip(words, others, strict=False))
    return next((i for i, (one, other) in pairs if word_stem(one) != word_stem(other)), min(len(words), len(others)))


def _is_rearranged(words: Sequence[str], others: Sequence[str]) -> bool:
    """Return whether others are the same words, of which more than one part has another place.

    That is "A beats B" and "B beats A". Of "messages start with …" and "start messages with …" one part was moved.
    """
    before, after = ([word_stem(word) for word in part] for part in _differing_part(words, others))
    is_moved = any(before[i:] + before[:i] == after for i in range(1, len(before)))
    return sorted(before) == sorted(after) != [] and not is_moved


def _substituted(words: Sequence[str], others: Sequence[str]) -> tuple[Sequence[str], Sequence[str]] | None:
    """Return the few words that took each other's place while everything else stayed where it was; else None."""
    parts = _differing_part(words, others)
    longest = max(map(len, parts))
    kept = max(len(words), len(others)) - longest
    return parts if longest <= _MAX_SUBSTITUTED and kept >= _MIN_KEPT else None
