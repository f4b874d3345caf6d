"""Which tokens have a row: most of the teacher's, and words of other languages and of software that it splits."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from tacit.meaning.wordpiece import CONTINUATION, is_unspaced

_SCRIPTS = ("LATIN", "CYRILLIC", "CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA")
_FEWEST, _FEWEST_STEM = 3, 8  # times that a word, or the beginning of words, occurs
_STEM_CHARS = (4, 7)
_STEM_SHARE = 0.4  # of the rows of a language, for beginnings of words that have no row of their own
_LONGEST_RUN = 4
_CONTAINED = 0.8  # a part of a longer token that hardly occurs elsewhere needs no row


def own_tokens(vocabulary: Sequence[str]) -> list[str]:
    """Return the tokens of the teacher that keep a row: none that are unused, or of scripts that are not trained."""
    return [token for token in vocabulary if not _is_special(token) and _is_trained(token)]


def _is_special(token: str) -> bool:
    return token.startswith("[") and token.endswith("]") and len(token) > 2


def _is_trained(token: str) -> bool:
    bare = token.removeprefix(CONTINUATION)
    if bare != token and any(map(is_unspaced, bare)):
        return False
    return all(
        char.isascii() or unicodedata.name(char, "").split(" ")[0] in _SCRIPTS for char in bare if char.isalpha()
    )


def further_tokens(
    words: Mapping[str, Counter[str]], known: Iterable[str], per_language: Mapping[str, int]
) -> list[str]:
    """Return further tokens, so many for each language, the most frequent ones. `words` are counted by language."""
    taken = set(known)
    before = frozenset(taken)
    for language, most in per_language.items():
        counted = Counter({word: count for word, count in words[language].items() if word[0].isalpha()})
        found = _runs(counted, most) if language in ("zh", "ja") else _words(counted, taken, most, language != "en")
        taken |= set(found)
    return sorted(taken - before)


def _words(counted: Counter[str], taken: set[str], most: int, with_stems: bool) -> list[str]:
    """Return words without a row, and beginnings of the words that are left."""
    new = [word for word, count in counted.most_common() if count >= _FEWEST and word not in taken and len(word) < 24]
    whole = new[: round(most * (1 - _STEM_SHARE))] if with_stems else new[:most]
    if not with_stems:
        return whole
    stems: Counter[str] = Counter()
    for word in set(counted) - set(whole) - taken:
        for size in range(_STEM_CHARS[0], min(_STEM_CHARS[1], len(word) - 1) + 1):
            stems[word[:size]] += 1
    kept = [stem for stem, count in stems.most_common() if count >= _FEWEST_STEM and stem not in taken]
    return [*whole, *(stem for stem in kept if stem not in set(whole))][:most]


def _runs(counted: Counter[str], most: int) -> list[str]:
    """Return the parts of runs of ideographs and kana that occur most, but those that only longer ones have."""
    parts: Counter[str] = Counter()
    for run, count in counted.items():
        if is_unspaced(run[0]):
            for size in range(1, _LONGEST_RUN + 1):
                for start in range(len(run) - size + 1):
                    parts[run[start : start + size]] += count
    longer: Counter[str] = Counter()
    for part, count in parts.items():
        if len(part) > 1:
            for inner in (part[1:], part[:-1]):
                longer[inner] = max(longer[inner], count)
    wanted = [part for part, count in parts.most_common() if count >= _FEWEST and longer[part] < _CONTAINED * count]
    return wanted[:most]
