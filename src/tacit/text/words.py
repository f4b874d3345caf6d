"""Words to search by: splitting, stop words, stems."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from unicodedata import normalize

from tacit.text.display import compiled_pattern

# The roots of English words, by Porter's rules: `connection`, `connected` and `connecting` are found by `connect`.

_STEP2_SUFFIXES = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize", "bli": "ble", "alli": "al",
    "entli": "ent", "eli": "e", "ousli": "ous", "ization": "ize", "ation": "ate", "ator": "ate", "alism": "al",
    "iveness": "ive", "fulness": "ful", "ousness": "ous", "aliti": "al", "iviti": "ive", "biliti": "ble", "logi": "log",
}  # fmt: skip
_STEP3_SUFFIXES = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": ""}
_STEP4_SUFFIXES = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism", "ate", "iti",
    "ous", "ive", "ize",
)  # fmt: skip
_MAX_CACHED_STEMS = 100_000


class _StemCache(dict[str, str]):
    """Every word is taken apart once. Where there are very many, they are forgotten and taken apart again."""

    def __missing__(self, word: str) -> str:
        if len(self) > _MAX_CACHED_STEMS:
            self.clear()
        self[word] = found = _compute_stem(word)
        return found


STEMS = _StemCache()  # for whoever has many words to look up


def porter_stem(word: str) -> str:
    return STEMS[word]


def _compute_stem(word: str) -> str:
    if len(word) < 3 or not (word.isascii() and word.isalpha()):
        return word
    word = _strip_inflection(word)
    if word.endswith("y") and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    word = _replace_suffix(word, _STEP2_SUFFIXES)
    word = _replace_suffix(word, _STEP3_SUFFIXES)
    return _strip_final_e(_strip_step4_suffix(word))


def _strip_inflection(word: str) -> str:
    """Plurals, -ed and -ing."""
    if word.endswith("s"):
        word = word[:-2] if word.endswith(("sses", "ies")) else word if word.endswith("ss") else word[:-1]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) else word
    for ending in ("ed", "ing"):
        if word.endswith(ending) and _has_vowel(word[: -len(ending)]):
            return _repair_stem(word[: -len(ending)])
    return word


def _repair_stem(stem: str) -> str:
    """What an ending was taken from: `hopping` is `hop`, `hoping` is `hope`."""
    if stem.endswith(("at", "bl", "iz")):
        return stem + "e"
    if len(stem) > 1 and stem[-1] == stem[-2] and _vowel_pattern(stem)[-1] == "c" and stem[-1] not in "lsz":
        return stem[:-1]
    return stem + "e" if _measure(stem) == 1 and _is_short(stem) else stem


def _replace_suffix(word: str, endings: dict[str, str]) -> str:
    """The longest ending that fits is exchanged where enough of the word is left."""
    for length in range(min(7, len(word) - 1), 1, -1):
        ending = word[-length:]
        if ending in endings:
            stem = word[:-length]
            return stem + endings[ending] if _measure(stem) else word
    return word


def _strip_step4_suffix(word: str) -> str:
    ending = max((one for one in _STEP4_SUFFIXES if word.endswith(one)), key=len, default="")
    stem = word[: len(word) - len(ending)]
    if not ending or _measure(stem) < 2 or (ending == "ion" and not stem.endswith(("s", "t"))):
        return word
    return stem


def _strip_final_e(word: str) -> str:
    if word.endswith("e"):
        stem = word[:-1]
        size = _measure(stem)
        if size > 1 or (size == 1 and not _is_short(stem)):
            word = stem
    return word[:-1] if word.endswith("ll") and _measure(word) > 1 else word


def _vowel_pattern(word: str) -> str:
    """Each letter as v or c; a y behind a consonant is a vowel."""
    shape = ""
    for letter in word:
        is_vowel = letter in "aeiou" or (letter == "y" and shape.endswith("c"))
        shape += "v" if is_vowel else "c"
    return shape


def _measure(stem: str) -> int:
    """How often a run of vowels is followed by one of consonants."""
    return _vowel_pattern(stem).count("vc")


def _has_vowel(stem: str) -> bool:
    return "v" in _vowel_pattern(stem)


def _is_short(stem: str) -> bool:
    """Whether it ends as `hop` does: consonant, vowel, consonant other than w, x and y."""
    return _vowel_pattern(stem).endswith("cvc") and stem[-1] not in "wxy"


# Words without their endings: alike enough to compare, no more.

_SIMPLE_SUFFIXES = ("ingly", "edly", "ings", "ing", "ed", "es", "ly", "s")
_DOUBLED_CONSONANTS = "bdgmnprt"  # before an ending


@lru_cache(maxsize=4096)
def simple_stem(word: str) -> str:
    """Alike enough to compare: `testing`, `tested` and `tests` are `test`, `committing` is `commit`."""
    if not word.isalpha() or not word.isascii():
        return word
    for ending in _SIMPLE_SUFFIXES:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            root = word[: -len(ending)]
            return root[:-1] if len(root) > 3 and root[-1] == root[-2] and root[-1] in _DOUBLED_CONSONANTS else root
    return word.removesuffix("e") if len(word) > 4 else word


# Words to search by, and text that is safe to show. Originals are kept; only what is *shown* is escaped.

# Letters of scripts that are written without spaces: searched by pairs of neighbours.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af"
_TOKEN = rf"([{_UNSPACED}]+)|[^\s{_UNSPACED}]+"
_EDGE_PUNCTUATION = "\"'`´‘’“”«»()[]{}<>,;:!?.…*=|\\~^%-/@"
_WORD_PART = re.compile(r"[^\W_]+")
_CAMEL_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_MAX_WORD_CHARS = 64
_MAX_CACHED_TOKENS = 50_000

# Letters with a mark are indexed without it where readers type them so: Latin, Greek, and Cyrillic ё. Marks of other
# scripts are spelling, and й is a letter of its own.
_ACCENTED = "([A-Za-z\u0391-\u03c9\u017f])[\u0300-\u036f]+|([\u0415\u0435])\u0308"
_LIGATURES = str.maketrans(
    {
        "æ": "ae",
        "Æ": "AE",
        "œ": "oe",
        "Œ": "OE",
        "ø": "o",
        "Ø": "O",
        "đ": "d",
        "Đ": "D",
        "ł": "l",
        "Ł": "L",
        "ħ": "h",
        "Ħ": "H",
        "ı": "i",
    }
)

# What a question is asked with, and what most rules begin with: neither tells rules apart.
STOP_WORDS = frozenset(
    (
        "a about all am an and any are as at be been but by can could did do does for from had has have how i "
        "if in into is it its just me my no not of on or our should so some than that the their them then "
        "there these they this those to up us was we were what when where which who why will with would you "
        "your always because never use used uses using must he her hers him his she being having whose whom may might "
        "shall very also"
    ).split()
)


def normalize_text(text: str) -> str:
    """One spelling for comparison: compatibility forms, case and runs of blanks made equal."""
    same = text.lower() if text.isascii() else normalize("NFKC", text).casefold()
    return " ".join(same.split())


# What is left of "didn't" and "we've" beside the word itself: it tells nothing, and looks like two rare words.
_CONTRACTIONS = frozenset(
    [verb + "n" for verb in "did does was were is are had has have could would should must need do ai might".split()]
    + [verb + "nt" for verb in "did does was were is are had has have could would should must need do ai might".split()]
    + "cant wont whats thats theres heres hows wheres whos theyre youre weve ive youve theyve".split()
)


def unaccented(text: str) -> str:
    """The text as it is indexed: compatibility forms made equal, letters without their accents ("café" is "cafe")."""
    if text.isascii():
        return text
    split = normalize("NFKD", text).translate(_LIGATURES)
    return normalize("NFC", compiled_pattern(_ACCENTED).sub(r"\1\2", split))


def tokenize(text: str) -> list[str]:
    """The tokens a text is found by: identifiers whole and in parts, unspaced scripts by pairs, accents folded."""
    if not text.isascii():
        return _tokenize_unicode(unaccented(text))
    found: list[str] = []
    for token in text.split():
        found += _TOKEN_CACHE[token]
    return found


def _tokenize_unicode(text: str) -> list[str]:
    found: list[str] = []
    for token in compiled_pattern(_TOKEN).finditer(text):
        found += _characters_and_bigrams(token[0]) if token[1] else _TOKEN_CACHE[token[0]]
    return found


def token_terms(token: str) -> Sequence[str]:
    """The words of one token: see `located`."""
    return _TOKEN_CACHE[token] if token.isascii() else tokenize(token)


def locate_tokens(text: str) -> Iterator[re.Match[str]]:
    """The tokens of a text in order, with where they stand; together their words are those of the whole text."""
    return compiled_pattern(r"\S+" if text.isascii() else _TOKEN).finditer(text)


def _characters_and_bigrams(run: str) -> list[str]:
    return [*run, *(run[at : at + 2] for at in range(len(run) - 1))]


class _TokenCache(dict[str, tuple[str, ...]]):
    """Remembered for names of ordinary length: the same few stand in most texts, and long ones would fill memory."""

    def __missing__(self, token: str) -> tuple[str, ...]:
        spelled = _token_forms(token)
        if len(token) <= _MAX_WORD_CHARS:
            if len(self) >= _MAX_CACHED_TOKENS:
                self.clear()
            self[token] = spelled
        return spelled


_TOKEN_CACHE = _TokenCache()


def _token_forms(token: str) -> tuple[str, ...]:
    if token.isascii() and token.isalpha() and token.islower():  # most words of most texts
        return (token[:_MAX_WORD_CHARS],)
    whole = token.strip(_EDGE_PUNCTUATION).casefold()[:_MAX_WORD_CHARS]
    spelled = [whole, whole.replace("'", "").replace("’", "")]
    for piece in _WORD_PART.findall(token):
        small = piece.casefold()
        spelled.append(small[:_MAX_WORD_CHARS])
        if small != piece:
            spelled += [part.casefold()[:_MAX_WORD_CHARS] for part in _CAMEL_BOUNDARY.split(piece)]
    # Only signs, such as `$&` or `--`: searchable as they stand.
    return tuple([word for word in dict.fromkeys(spelled) if word]) or (token[:_MAX_WORD_CHARS],)


def query_terms(text: str, limit: int = 64) -> list[str]:
    """The distinct words of a question, stop words left out unless there is nothing else."""
    found = list(dict.fromkeys(tokenize(text.replace("\0", " ")[:4096])))
    written_short = {word.replace("'", "").replace("’", "") for word in found if "'" in word or "’" in word}
    of_these = _CONTRACTIONS & (written_short | {word.removesuffix("t") for word in written_short})
    telling = [
        word for word in found if word not in STOP_WORDS and word not in of_these and not _is_contraction_ending(word)
    ]
    return (telling or found)[:limit]


def _is_contraction_ending(word: str) -> bool:
    """What is left of "Ann's" and "don't" beside the word itself."""
    return word in ("s", "t", "re", "ve", "ll", "d", "m") or "'" in word or "’" in word


def estimate_tokens(text: str) -> int:
    """What a text costs in a prompt, rather over- than underestimated: four letters a token, other scripts one each."""
    plain = sum(1 for letter in text if letter < "\x80")
    return (plain + 3) // 4 + len(text) - plain
