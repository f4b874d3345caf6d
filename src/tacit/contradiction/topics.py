"""Topics: by these a few statements are chosen from a home with many thousands, to be compared with one.

A topic is a word that a statement is about, cut to what its derived forms share, or a family of interchangeable things
("package manager"). Statements that `relation` finds opposed share a topic, so only such pairs are compared. Topics are
cheap, because they are computed for every memory.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from tacit.contradiction import lexicon
from tacit.contradiction.terms import (
    COGNATE_LETTERS,
    family_by_stem,
    join_multiword_names,
    multiword_ends,
    stems,
    word_stem,
)
from tacit.text.display import regex
from tacit.text.words import WordCache

_MAX_TOPICS = 12  # of one statement
_FEW_TOPICS = 3
_WORD = r"[^\W_][\w.+#-]*[^\W_]|[^\W_]"
_WORD_PART = r"[^\W_]+"
_NAME_START = " "  # the topic of a token with the first word of a name of several words
# Words that say that something is denied or changes.
_CHANGE_WORDS = (
    lexicon.CHANGE_VERBS
    | lexicon.REPLACE_VERBS
    | lexicon.NO_LONGER_WORDS
    | lexicon.PHRASAL_VERBS
    | lexicon.LEAVE_VERBS
    | lexicon.ENDED_WORDS
    | {*lexicon.DENIAL_PHRASES} - lexicon.NEGATIONS - lexicon.FUNCTION_WORDS
)
# Words that are no topic, beside light ones.
_NO_TOPICS = (
    lexicon.FUNCTION_WORDS
    | lexicon.ENDED_WORDS
    | lexicon.STRUCTURE_WORDS
    | lexicon.CHANGE_VERBS
    | lexicon.REPLACE_VERBS
)


@lru_cache(maxsize=1 << 14)
def topics(text: str) -> frozenset[str]:
    """Return the topics of a statement. Light words count only if there is nothing else ("max line length is 88")."""
    tokens = text.casefold().split()
    found = _all_topics(tokens)
    if _NAME_START in found:
        tokens = join_multiword_names(text).casefold().split()
        found = topics_of_tokens(tokens)
    if len(found) < 2:
        words = {word for token in tokens for word in _words_of(token)}
        found |= {word_stem(word) for word in words - lexicon.FUNCTION_WORDS} & stems(lexicon.ALL_LIGHT_WORDS)
    return frozenset(found if len(found) <= _MAX_TOPICS else sorted(found)[:_MAX_TOPICS])


def topics_of_tokens(tokens: Iterable[str]) -> set[str]:
    """Return the topics of words in lower case."""
    return _all_topics(tokens) - {_NAME_START}


def _all_topics(tokens: Iterable[str]) -> set[str]:
    found: set[str] = set()
    for token in tokens:
        found.update(_TOKEN_TOPICS[token])
    return found


def _token_topics(token: str) -> tuple[str, ...]:
    words = _words_of(token)
    found = {topic for word in words if (topic := _word_topic(word))}
    return tuple(found) if words.isdisjoint(multiword_ends()) else (*found, _NAME_START)


_TOKEN_TOPICS = WordCache(_token_topics, 50_000)


def _words_of(token: str) -> set[str]:
    """Return the words of a token: whole identifiers, and their parts. "Don't" is no identifier."""
    if token.isalpha():
        return {token}
    if token in lexicon.NEGATIONS:
        return set()
    return {*regex(_WORD).findall(token), *regex(_WORD_PART).findall(token)}


def _word_topic(word: str) -> str:
    """Return the topic of a word, "" for function words, light words and figures: a figure is a value, not a topic."""
    name = lexicon.ALIASES.get(word, word)
    stem = word_stem(lexicon.SYNONYMS.get(name, name))
    family = lexicon.FAMILIES.get(name) or ("" if name in lexicon.SYNONYMS else family_by_stem().get(stem))
    if family:
        return f"={family}"
    if name in lexicon.SYNONYMS:
        return stem[:COGNATE_LETTERS]
    is_light = name in _NO_TOPICS or stem in stems(lexicon.ALL_LIGHT_WORDS)
    return "" if is_light or not stem.isalpha() or len(stem) < 2 else stem[:COGNATE_LETTERS]


def share_enough(shared: int, fewest: int, first: str, second: str) -> bool:
    """Return whether two statements are compared: the number of topics they share, and the fewest that one has.

    One is enough if either has few topics, or describes a change: "cron is history" has no topic but the name.
    """
    is_short = fewest < _FEW_TOPICS
    return shared > 1 or (shared == 1 and (is_short or is_change_or_denial(first) or is_change_or_denial(second)))


@lru_cache(maxsize=1 << 17)
def is_change_or_denial(text: str) -> bool:
    """Return whether the text denies something or describes a change."""
    return not _CHANGE_WORDS.isdisjoint(text.casefold().replace(",", " ").split())
