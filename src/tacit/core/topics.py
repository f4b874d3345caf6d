"""Which statements are worth comparing: those that share a topic.

A home may hold many thousand memories, and comparing each with all others would take minutes. A topic is a word that a
statement is about, cut to what its derived forms share, or a class of interchangeable things ("package manager"). What
`relation` finds to be opposed shares one, so only such pairs are compared. Cheap: it is asked for every memory.
"""

import re
from collections.abc import Callable, Collection
from functools import cache, lru_cache

from tacit.core import lexicon
from tacit.core.stems import stem
from tacit.core.terms import joined, light_stems

_LETTERS = 5  # by which derived forms are matched, as in `relation`
_MOST = 12  # topics of one statement
_FEW = 3
_WORD = r"[^\W_][\w.+#-]*[^\W_]|[^\W_]"
_PART = r"[^\W_]+"


@lru_cache(maxsize=1 << 14)
def topics(text: str) -> frozenset[str]:
    """The topics of a statement. Light words count only where there is nothing else ("max line length is 88")."""
    words = _words(text)
    found = {topic for word in words if (topic := _topic(word))}
    if len(found) < 2:
        found |= {stem(word) for word in words if word not in lexicon.FUNCTION and stem(word) in light_stems()}
    return frozenset(sorted(found)[:_MOST])


def is_worth_comparing(shared: int, fewest: int, is_any_story: Callable[[], bool]) -> bool:
    """Whether two statements share enough topics to be compared.

    One is enough where either has few (`fewest`), or tells of a change: "cron is history" says no more than the name.
    """
    return shared > 1 or (shared == 1 and (fewest < _FEW or is_any_story()))


def _words(text: str) -> Collection[str]:
    """Every word, and the parts of those that are put together."""
    small = joined(text).casefold()
    return dict.fromkeys((*_compiled(_WORD).findall(small), *_compiled(_PART).findall(small)))


@lru_cache(maxsize=1 << 14)
def _topic(word: str) -> str:
    """Nothing for function words, light words and figures: a figure is a value, and values differ."""
    known = lexicon.ALIASES.get(word, word)
    if family := lexicon.FAMILIES.get(known):
        return f"={family}"
    root = stem(known)
    if (
        known in lexicon.FUNCTION
        or known in _said_with()
        or root in light_stems()
        or not root.isalpha()
        or len(root) < 2
    ):
        return ""
    return root[:_LETTERS]


@lru_cache(maxsize=1 << 17)
def is_story(text: str) -> bool:
    """Whether it denies something or tells of a change."""
    return not _stories().isdisjoint(text.casefold().replace(",", " ").split())


@cache
def _stories() -> frozenset[str]:
    phrases = (*lexicon.NEGATIVE_PHRASES, *lexicon.DEPARTING_PHRASES)
    verbs = lexicon.CHANGES | lexicon.REPLACES | lexicon.DEPARTURES | lexicon.PARTED_VERBS | lexicon.LEAVES
    return verbs | ({phrase.split()[0] for phrase in phrases} - lexicon.NEGATIONS - lexicon.FUNCTION)


@cache
def _said_with() -> frozenset[str]:
    """Words of negation, change and order."""
    orders = lexicon.BEFORE | lexicon.AFTER | lexicon.THEN | lexicon.FIRST
    return orders | lexicon.NEGATIONS | lexicon.NEGATIVE_VERBS | lexicon.DEPARTURES | lexicon.CHANGES | lexicon.REPLACES


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
