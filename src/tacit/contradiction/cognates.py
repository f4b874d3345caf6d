"""Words that are derived from one root: "rotate" and "rotation", "comment" and "commented"."""

from __future__ import annotations

from collections.abc import Collection, Iterable

COGNATE_LETTERS = 5  # that derived words share at least, from the first
_MIN_SHARE = 0.7  # of the shorter word that they share
# What follows the letters that derived words share, as `word_stem` leaves it: "rotat" and "rotat-ion". Any other ending
# makes another word: "heron-eu" and "heron-us", "password" and "passwordless".
_ENDINGS = frozenset(
    """
    a ag ain al aliti anation anc ant ar ari at ation ativ ator abl b bl c cal cation ci ct d den e ed ement en enc
    ent er es est fi i ial ibl ic ier ifi iliti ion ional is ism ist it iti ition iv ive iviti iz in l ll liz ment n
    nation nes on onal or ori ption r ration ri s sal sation ship siv sion sor ss ssion st t ten th ti tial tion tiv
    tur u ual ung ur v viti w z zation zer ze
    """.split()
) | {""}


def without(words: Iterable[str], others: Collection[str]) -> set[str]:
    """Return the words that are not among the others."""
    return {word for word in words if not is_among(word, others)}


def contains_all(some: Iterable[str], words: Collection[str]) -> bool:
    return all(is_among(word, words) for word in some)


def contains_any(some: Iterable[str], words: Collection[str]) -> bool:
    return any(is_among(word, words) for word in some)


def is_among(word: str, words: Collection[str]) -> bool:
    """Return whether the word or one derived from the same root is among the words."""
    if word in words:
        return True
    if len(word) < COGNATE_LETTERS:
        return False
    prefix = word[:COGNATE_LETTERS]
    for other in words:  # noqa: SIM110 - a generator takes half again as long, and this is most of a comparison
        if other.startswith(prefix) and is_same_word(word, other):
            return True
    return False


def is_same_word(first: str, second: str) -> bool:
    """Return whether two words are equal or derived from each other. Words with digits or signs must be equal."""
    if first == second:
        return True
    if first[:COGNATE_LETTERS] != second[:COGNATE_LETTERS] or not (first.isalpha() and second.isalpha()):
        return False
    shorter = min(len(first), len(second))
    alike = next((i for i in range(shorter) if first[i] != second[i]), shorter)
    return alike >= _MIN_SHARE * shorter and first[alike:] in _ENDINGS and second[alike:] in _ENDINGS
