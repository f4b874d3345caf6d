"""Whether two statements may say the same in other words, which is worth a question and decides nothing.

`is_restatement` finds what is plainly the same by its words. Other words for one rule are near in meaning, but so are
two rules about one thing: "delete it once it is verified" and "… once it is written". So whatever tells two rules apart
is looked for: names and figures, order, polarity, exceptions, and a single word that took the place of another.
"""

from __future__ import annotations

from collections.abc import Callable

from tacit.contradiction import lexicon
from tacit.contradiction.profile import (
    Ordering,
    StatementProfile,
    is_of_others,
    is_reversed,
    profile_statement,
    sense,
)
from tacit.contradiction.terms import NAME_KINDS, WORD_KINDS, is_same_word, stems, without, word_stem
from tacit.record import Record

MIN_SIMILARITY = 0.4  # of two statements; chosen on 40 restatements and 120 pairs of different rules
_MIN_WORD_SIMILARITY = 0.5  # of a word that took the place of another
_MIN_REST_SIMILARITY = 0.15  # of what only the one has and what only the other has
_MIN_SHARED = 0.6  # of the words of the shorter, for two statements that are about one thing
_MAX_SUBSTITUTED = 2  # words
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
    def is_close(self) -> bool:
        """Whether most of their words are the same: then what is said of them decides."""
        return self.shared >= _MIN_SHARED * max(min(map(len, self.words)), 1)


def may_say_the_same(first: str, second: str, similarity: Similarity) -> bool:
    """Return whether two statements, which are near in meaning, say the same as far as can be told.

    `similarity` is the cosine of the meaning of two texts.
    """
    pair = _compare(profile_statement(first), profile_statement(second))
    ours, theirs = pair.first, pair.second
    if is_of_others(ours, theirs) or is_reversed(ours.tokens, theirs.tokens):
        return False
    if not (_has_values_of(ours, theirs) and _has_values_of(theirs, ours)) or _is_order_reversed(ours, theirs):
        return False
    if pair.is_close and not _has_same_frame(ours, theirs):
        return False
    if not any(pair.missing):
        return not _is_rearranged(ours, theirs)
    if not all(pair.missing):
        return False  # the one is a case of the other
    rests = [
        " ".join(profile.tokens[term.position] for term in profile.terms if term.word in missing)
        for profile, missing in zip((ours, theirs), pair.missing, strict=True)
    ]
    min_similarity = _MIN_WORD_SIMILARITY if _is_substitution(pair) else _MIN_REST_SIMILARITY
    return not pair.shared or similarity(*rests) >= min_similarity


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


def _is_rearranged(first: StatementProfile, second: StatementProfile) -> bool:
    """Return whether all words are the same, small ones too, in another order: "A beats B" and "B beats A"."""
    one, other = (
        [word_stem(token) for token in profile.tokens if token and token not in _ARTICLES]
        for profile in (first, second)
    )
    return one != other and sorted(one) == sorted(other)


def _is_substitution(pair: _Pair) -> bool:
    """Return whether a word or two took the place of others, while all else stayed as and where it was."""
    if max(map(len, pair.missing)) > _MAX_SUBSTITUTED:
        return False
    kept = [
        [term.word for term in profile.terms if term.word in words - missing]
        for profile, words, missing in zip((pair.first, pair.second), pair.words, pair.missing, strict=True)
    ]
    return len(kept[0]) == len(kept[1]) and all(map(is_same_word, *kept))
