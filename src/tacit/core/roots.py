"""The roots of English words, by Porter's rules: `connection`, `connected` and `connecting` are found by `connect`."""

from __future__ import annotations

_SECOND = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize", "bli": "ble", "alli": "al",
    "entli": "ent", "eli": "e", "ousli": "ous", "ization": "ize", "ation": "ate", "ator": "ate", "alism": "al",
    "iveness": "ive", "fulness": "ful", "ousness": "ous", "aliti": "al", "iviti": "ive", "biliti": "ble", "logi": "log",
}  # fmt: skip
_THIRD = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": ""}
_FOURTH = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism", "ate", "iti",
    "ous", "ive", "ize",
)  # fmt: skip
_MOST_KNOWN = 100_000


class _Known(dict[str, str]):
    """Every word is taken apart once. Where there are very many, they are forgotten and taken apart again."""

    def __missing__(self, word: str) -> str:
        if len(self) > _MOST_KNOWN:
            self.clear()
        self[word] = found = _root(word)
        return found


ROOTS = _Known()  # for whoever has many words to look up


def root(word: str) -> str:
    return ROOTS[word]


def _root(word: str) -> str:
    if len(word) < 3 or not (word.isascii() and word.isalpha()):
        return word
    word = _first(word)
    if word.endswith("y") and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    word = _exchanged(word, _SECOND)
    word = _exchanged(word, _THIRD)
    return _last(_fourth(word))


def _first(word: str) -> str:
    """Plurals, -ed and -ing."""
    if word.endswith("s"):
        word = word[:-2] if word.endswith(("sses", "ies")) else word if word.endswith("ss") else word[:-1]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) else word
    for ending in ("ed", "ing"):
        if word.endswith(ending) and _has_vowel(word[: -len(ending)]):
            return _mended(word[: -len(ending)])
    return word


def _mended(stem: str) -> str:
    """What an ending was taken from: `hopping` is `hop`, `hoping` is `hope`."""
    if stem.endswith(("at", "bl", "iz")):
        return stem + "e"
    if len(stem) > 1 and stem[-1] == stem[-2] and _shape(stem)[-1] == "c" and stem[-1] not in "lsz":
        return stem[:-1]
    return stem + "e" if _measure(stem) == 1 and _is_short(stem) else stem


def _exchanged(word: str, endings: dict[str, str]) -> str:
    """The longest ending that fits is exchanged where enough of the word is left."""
    for length in range(min(7, len(word) - 1), 1, -1):
        ending = word[-length:]
        if ending in endings:
            stem = word[:-length]
            return stem + endings[ending] if _measure(stem) else word
    return word


def _fourth(word: str) -> str:
    ending = max((one for one in _FOURTH if word.endswith(one)), key=len, default="")
    stem = word[: len(word) - len(ending)]
    if not ending or _measure(stem) < 2 or (ending == "ion" and not stem.endswith(("s", "t"))):
        return word
    return stem


def _last(word: str) -> str:
    if word.endswith("e"):
        stem = word[:-1]
        size = _measure(stem)
        if size > 1 or (size == 1 and not _is_short(stem)):
            word = stem
    return word[:-1] if word.endswith("ll") and _measure(word) > 1 else word


def _shape(word: str) -> str:
    """Each letter as v or c; a y behind a consonant is a vowel."""
    shape = ""
    for letter in word:
        is_vowel = letter in "aeiou" or (letter == "y" and shape.endswith("c"))
        shape += "v" if is_vowel else "c"
    return shape


def _measure(stem: str) -> int:
    """How often a run of vowels is followed by one of consonants."""
    return _shape(stem).count("vc")


def _has_vowel(stem: str) -> bool:
    return "v" in _shape(stem)


def _is_short(stem: str) -> bool:
    """Whether it ends as `hop` does: consonant, vowel, consonant other than w, x and y."""
    return _shape(stem).endswith("cvc") and stem[-1] not in "wxy"
