"""Whether two statements say the same, so that each counts as one more observation of the other.

What is not plainly the same stays two memories, which a person can merge. The opposite of a rule often has the same
words, so nothing may differ that could distinguish two rules.
"""

from __future__ import annotations

from collections.abc import Collection

from tacit.contradiction import lexicon
from tacit.contradiction.profile import StatementProfile, profile_statement
from tacit.contradiction.terms import COGNATE_LETTERS, WORD_KINDS, is_same_word, stems, without

_MIN_WORDS = 4  # of two statements together


def is_restatement(first: str, second: str) -> bool:
    """Return whether two sentences say the same. Their order does not matter."""
    ours, theirs = profile_statement(first), profile_statement(second)
    # Values in the same order, and the other words too: "A calls B" and "B calls A" have the same words.
    for own, others in zip(_values_and_words(ours), _values_and_words(theirs), strict=True):
        if len(own) != len(others) or not all(map(is_same_word, own, others)):
            return False
    return (
        bool(ours.significant_terms)
        and len(ours.words) + len(theirs.words) >= _MIN_WORDS
        and _identifiers(ours) == _identifiers(theirs)
        and bool(ours.denied) == bool(theirs.denied)
        and ours.is_negative == theirs.is_negative
        and ours.compounds | theirs.compounds <= {*ours.tokens} & {*theirs.tokens}
        and not is_reversed(ours.tokens, theirs.tokens)
        and not is_swapped(ours, theirs)
        and not _is_other_choice(ours, theirs)
        and _has_same_order(ours, theirs)
    )


def restatement_key(text: str) -> tuple[object, ...]:
    """Return what all restatements of a statement share. Statements with different keys need not be compared."""
    profile = profile_statement(text)
    prefixes = tuple(tuple(word[:COGNATE_LETTERS] for word in part) for part in _values_and_words(profile))
    return (*prefixes, bool(profile.denied), profile.is_negative)


def restatement_words(text: str) -> list[str]:
    """Return the words of a statement that its restatements have too, or words that are derived from them.

    Names that have several spellings are left out.
    """
    profile = profile_statement(text)
    terms = [term for term in profile.significant_terms if term.word not in stems(lexicon.RESPELLED_NAMES)]
    return list(dict.fromkeys(profile.tokens[term.position] for term in terms))


def is_reversed(first: Collection[str], second: Collection[str]) -> bool:
    """Return whether one has "on" where the other has "off"."""
    return any(
        {(one in first, other in first), (one in second, other in second)} == {(True, False), (False, True)}
        for one, other in lexicon.REVERSING_WORDS
    )


def is_swapped(first: StatementProfile, second: StatementProfile) -> bool:
    """Return whether some words changed places while the words between them stayed."""
    if sorted(first.tokens) != sorted(second.tokens):
        return False
    moved = [(a, b) for a, b in zip(first.tokens, second.tokens, strict=True) if a != b]
    return 2 <= len(moved) <= 6 and all(lexicon.FUNCTION_WORDS.isdisjoint(pair) for pair in moved)


def is_letter(token: str) -> bool:
    """Return whether a token is a single letter that names something ("team B")."""
    return len(token) == 1 and token.isalpha() and token not in ("a", "i")


def _values_and_words(profile: StatementProfile) -> tuple[list[str], list[str]]:
    terms = profile.significant_terms
    return [term.word for term in terms if term.kind not in WORD_KINDS], [
        term.word for term in terms if term.kind in WORD_KINDS
    ]


def _identifiers(profile: StatementProfile) -> tuple[list[str], list[str]]:
    """Return every number, single letter, name and identifier, and the words of order."""
    values = [term.word for term in profile.terms if term.kind not in WORD_KINDS]
    letters = [token for token in profile.tokens if is_letter(token)]
    return sorted(values + letters), [token for token in profile.tokens if token in lexicon.ORDER_WORDS]


def _is_other_choice(first: StatementProfile, second: StatementProfile) -> bool:
    """Return whether one affirms what the other denies: "A, not B" and "not A, B"."""
    pairs = ((first.affirmed, second.affirmed), (second.affirmed, first.affirmed))
    return any(without(own - stems(lexicon.FILLER_WORDS), others) for own, others in pairs)


def _has_same_order(first: StatementProfile, second: StatementProfile) -> bool:
    if first.order is None or second.order is None:
        return first.order is second.order
    return not without(first.order.first, second.order.first) and not without(first.order.second, second.order.second)
